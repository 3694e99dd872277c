/* recurrent.h — layers of recurrent cells over a whole sequence, forward and back.
 *
 * All sizes are in elements.  Weights are read where they lie in the flat vector
 * (reference/mxnet.md 5.3): for every layer and direction the input, recurrent and
 * projection matrices, and after all of them the two biases of each.
 *
 * Sequences that are shorter than the longest (lengths): a step beyond the end
 * leaves the state as it is and gives zeros, in both directions; so final states
 * are those of each true end, and the backward direction starts there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/rnn-mode.h"
#include "engine/tensor/dtype.h"

typedef struct
{
  HybRnnMode cell;
  gint64     n_layers, n_directions;
  gint64     n_steps, batch;
  gint64     input, hidden;
  gint64     projection;  /* size after it; 0: none */
  gboolean   has_lengths; /* sequences end at their own step */
  gboolean   clips;       /* the LSTM's cell, to [clip_min, clip_max] */
  double     clip_min, clip_max;
  gboolean   clip_nan;     /* NaN becomes clip_min instead of staying */
  double     dropout;      /* on the output of every layer but the last; 0 when not training */
  gboolean   in_panels;    /* float only: weights are laid out first, see panels.h */
  gboolean   keeps_panels; /* they come with every forward pass, and are not made in it */
} HybRecurrent;

/* What the states of a layer, its output row and the parameters measure. */
gint64 hyb_recurrent_state_size (const HybRecurrent *net); /* projection or hidden */
gint64 hyb_recurrent_n_gates (HybRnnMode cell);

/* Lengths in elements; -1 where that is beyond reason. */
gint64 hyb_recurrent_n_parameters (const HybRecurrent *net);
gint64 hyb_recurrent_reserve (const HybRecurrent *net); /* what backward needs of forward */
gint64 hyb_recurrent_forward_workspace (const HybRecurrent *net, gboolean recording);
gint64 hyb_recurrent_backward_workspace (const HybRecurrent *net);

/* Whether there are rows and steps enough for in_panels to pay. */
gboolean hyb_recurrent_should_use_panels (const HybRecurrent *net);

/* For keeps_panels: how many floats, and from the parameters to them. */
gint64 hyb_recurrent_panels (const HybRecurrent *net);
void   hyb_recurrent_pack (const HybRecurrent *net, const float *parameters, float *panels);

/* Multiplications and additions of one forward pass. */
double hyb_recurrent_flops (const HybRecurrent *net);

/* x (T, N, I); state, state_out (L D, N, R); cell, cell_out (L D, N, H); y (T, N, D R). */
typedef struct
{
  gconstpointer x, parameters, state, cell;
  const gint64 *lengths; /* (N), each in 0 … T; NULL: all are T */
  gpointer      y;
  gpointer      state_out, cell_out; /* NULL: not wanted */
  gpointer      reserve;             /* NULL: not recording */
  const float  *panels;              /* NULL but for keeps_panels */
  gpointer      workspace;
  guint64       seed; /* of dropout */
} HybRecurrentForward;

/* dy, dstate_out, dcell_out: gradients that come in; the last two may be NULL (zero). */
typedef struct
{
  gconstpointer x, parameters, state, cell;
  const gint64 *lengths;
  gconstpointer y, reserve;
  gconstpointer dy, dstate_out, dcell_out;
  gpointer      dx;                         /* NULL: nobody wants it */
  gpointer      dparameters, dstate, dcell; /* dcell: NULL but for the LSTM */
  gpointer      workspace;
} HybRecurrentBackward;

/* dtype: HYB_F32 or HYB_F64. */
void
hyb_recurrent_forward (const HybRecurrent *net, HybDType dtype, const HybRecurrentForward *pass);
void
hyb_recurrent_backward (const HybRecurrent *net, HybDType dtype, const HybRecurrentBackward *pass);
