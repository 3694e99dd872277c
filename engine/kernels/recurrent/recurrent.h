/* recurrent.h — layers of recurrent cells over a whole sequence, forward and backward.
 *
 *   for each layer, for each direction, for each time step t:
 *   gates[t] = W_i x[t] + b_i + W_h h[t−1] + b_h; h[t] = cell (gates[t], state of step t−1)
 *
 * Sizes are in elements.  T is n_steps, N batch, I input, H hidden, R the size of the state h
 * (projection or hidden), D n_directions, L n_layers, G the number of gates.  Parameters are one
 * flat vector in MXNet's order: for every layer and direction W_i (G H, I), W_h (G H, R) and the
 * projection (R, H); after all of them b_i and b_h (G H) of each.
 *
 * With lengths, a step after the end of a sequence keeps the state and outputs zeros, in both
 * directions.  So final states are those at the end of each sequence, and the backward direction
 * starts there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/cell-function.h"
#include "engine/kernels/recurrent/rnn-mode.h"
#include "engine/op/phase.h"
#include "engine/tensor/dtype.h"

/* What a cell has that MXNet's do not; see cell-form.h.  Forward passes of floats without a reserve only. */
typedef struct
{
  HybCellFunction functions
      [2][3];    /* of each direction: of gates, of a GRU's n or an LSTM's g, of an LSTM's cell */
  double   clip; /* limits the sums of gates to ±clip; 0: no limit */
  gboolean couples_input_forget; /* the LSTM's f is 1 − i */
  gboolean resets_first;         /* the GRU's r multiplies h', not W_hn h' */
} HybCellForm;

typedef struct
{
  HybRnnMode         cell;
  const HybCellForm *form; /* NULL: MXNet's cell */
  gint64             n_layers, n_directions;
  gint64             n_steps, batch;
  gint64             input, hidden;
  gint64             projection;  /* size of the projected state; 0 for no projection */
  gboolean           has_lengths; /* sequences have lengths of their own */
  gboolean           clips;       /* limits the LSTM's cell state to [clip_min, clip_max] */
  double             clip_min, clip_max;
  gboolean           clip_nan;  /* NaN becomes clip_min instead of staying */
  double             dropout;   /* probability, between layers; 0 unless training */
  gboolean           in_panels; /* multiplies packed weights, see panels.h; float only */
  gboolean keeps_panels;        /* the caller packs the weights once, with hyb_recurrent_pack() */
} HybRecurrent;

/* Returns R, the size of the state h: projection or hidden. */
gint64 hyb_recurrent_state_size (const HybRecurrent *net);
/* Returns G, the number of gates of a cell. */
gint64 hyb_recurrent_n_gates (HybRnnMode cell);

/* Sizes in elements; all return -1 if the size exceeds 2^52. */
gint64 hyb_recurrent_n_parameters (const HybRecurrent *net); /* the flat vector */
gint64 hyb_recurrent_reserve (const HybRecurrent *net);      /* kept by forward for backward */
/* recording: the forward pass writes the reserve. */
gint64 hyb_recurrent_forward_workspace (const HybRecurrent *net, gboolean recording);
gint64 hyb_recurrent_backward_workspace (const HybRecurrent *net); /* of the backward pass */

/* The weights alone, which come first in the flat vector. */
gint64 hyb_recurrent_n_weights (const HybRecurrent *net);
/* The rows of all matrices of weights. */
gint64 hyb_recurrent_n_weight_rows (const HybRecurrent *net);

/* Whether the net has enough rows and steps for in_panels to pay. */
gboolean hyb_recurrent_should_use_panels (const HybRecurrent *net);

/* Returns the floats of all packed weights, for keeps_panels. */
gint64 hyb_recurrent_panels (const HybRecurrent *net);
/* Packs the weights in `parameters` into panels, which have room for hyb_recurrent_panels(). */
void hyb_recurrent_pack (const HybRecurrent *net, const float *parameters, float *panels);

/* Returns the multiplications plus additions of one forward pass. */
double hyb_recurrent_flops (const HybRecurrent *net);
/* Returns those of one backward pass, of_data: with the gradient of x. */
double hyb_recurrent_gradient_flops (const HybRecurrent *net, gboolean of_data);

/* The arrays of a forward pass: x (T, N, I); state, state_out (L D, N, R); cell, cell_out (L D, N,
 * H), for the LSTM; y (T, N, D R). */
typedef struct
{
  gconstpointer x, parameters, state, cell;
  const gint64 *lengths; /* (N), each in 0 … T; NULL: all are T */
  const float *
      peepholes; /* (D, 3, H), with a form: weights of the LSTM's cell for i, f and o; NULL: none */
  gpointer     y;
  gpointer     state_out, cell_out; /* NULL if not needed */
  gpointer     reserve;             /* NULL if there will be no backward pass */
  const float *panels;              /* from hyb_recurrent_pack(); NULL without keeps_panels */
  /* Weights of fewer bits, with arrays of floats and without panels: the type of the matrices in
   * `parameters` (matrix/narrow.h), in the same order; HYB_F32: not narrow.  Then `biases` has what
   * follows the weights in the flat vector, and there may be no reserve. */
  HybDType      narrow;
  const float  *biases;
  gpointer      workspace;
  guint64       seed; /* of the dropout masks */
  const HybRun *run;  /* whose probe is told of the phases; may be NULL */
} HybRecurrentForward;

/* The arrays of a backward pass, shaped like those of the forward pass.  dy, dstate_out and
 * dcell_out are the incoming gradients; the last two may be NULL for zero. */
typedef struct
{
  gconstpointer x, parameters, state, cell;
  const gint64 *lengths;
  gconstpointer y, reserve;
  gconstpointer dy, dstate_out, dcell_out;
  gpointer      dx;                         /* NULL if not needed */
  gpointer      dparameters, dstate, dcell; /* dcell: LSTM only, else NULL */
  gpointer      workspace;
  const HybRun *run; /* whose probe is told of the phases; may be NULL */
} HybRecurrentBackward;

/* Runs all layers over the sequence and writes y and, if wanted, the final states and the reserve.
 * dtype, HYB_F32 or HYB_F64, is the type of all arrays. */
void
hyb_recurrent_forward (const HybRecurrent *net, HybDType dtype, const HybRecurrentForward *pass);
/* Writes the gradients of parameters, initial states and, if wanted, x, from the reserve of a
 * forward pass with the same net and arrays. */
void
hyb_recurrent_backward (const HybRecurrent *net, HybDType dtype, const HybRecurrentBackward *pass);
