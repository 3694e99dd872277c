/* recurrent-cell.h — one row (one sequence at one time step) of a recurrent cell, and the layout
 * of what a network keeps.  Private to recurrent*.c.
 *
 * recurrent-cell-f32.c and recurrent-cell-f64.c define the arithmetic of each element type,
 * recurrent-sizes.c the layout.  Sizes are named as in recurrent.h; a prime means the step before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/recurrent/recurrent.h"

/* The arrays of one row in the forward pass.  `gates` holds the sum of the matrix products on entry
 * and, if they are kept, the activations on return. */
typedef struct
{
  const HybRecurrent *net;
  gboolean            keeps_gates;
  gconstpointer       bias;           /* (G H), b_i + b_h (of the GRU's n only b_i); NULL if
                                       * `gates` contains it already */
  gconstpointer       candidate_bias; /* (H), GRU: b_h of n, which r multiplies too */
  gpointer            gates;          /* (G H) */
  gconstpointer       recurrent;      /* (G H), GRU: W_h h' */
  gpointer            candidate;      /* (H), GRU: receives W_hn h' + b_hn; NULL unless recording */
  gconstpointer       cell_before;    /* (H), LSTM: c'; may be `cell` */
  gpointer            cell;           /* (H), LSTM: c */
  gconstpointer       before;         /* (H), GRU: h' */
  gpointer            h;              /* (H) */

  /* With a form: */
  const HybCellFunction *functions; /* (3) */
  const float           *peepholes; /* (3 H), LSTM; NULL if there are none */
} HybCellRow;

/* The arrays of one row in the backward pass.  dgates is the gradient of W_i x + b_i, drecurrent
 * that of W_h h' + b_h; only for the GRU are they different memory. */
typedef struct
{
  const HybRecurrent *net;
  gconstpointer       gates, candidate, cell_before, cell, before, h;
  gconstpointer       dh;
  gpointer            dcell;   /* LSTM: the gradient of c on entry, of c' on return */
  gpointer            dbefore; /* GRU: dh z, the part of dh' not through gates; may be dh */
  gpointer            dgates, drecurrent;
} HybCellGradient;

/* The arithmetic of one element type. */
typedef struct
{
  gsize size; /* bytes of an element */
  void (*gemm) (const HybGemm *gemm, gconstpointer a, gconstpointer b, gpointer c);
  void (*forward[HYB_RNN_N_MODES]) (const HybCellRow *row);
  void (*backward[HYB_RNN_N_MODES]) (const HybCellGradient *row);
  void (*add) (gint64 n, gconstpointer x, gconstpointer y, gpointer sum);
  void (*multiply) (gint64 n, gconstpointer x, gconstpointer y, gpointer product);
  /* Writes a dropout mask: 0 with probability p, else 1 / (1 - p); element i uses random number
   * index + i of the seed. */
  void (*mask) (gint64 n, guint64 seed, guint64 index, double p, gpointer mask);
  /* Sums a rows × columns matrix over its rows. */
  void (*sum_rows) (gint64 rows, gint64 columns, gconstpointer x, gpointer sum);
} HybCellMaths;

extern const HybCellMaths hyb_cell_maths_f32;
extern const HybCellMaths hyb_cell_maths_f64;

/* The offsets of one layer and direction (a slot): of its weights in the parameters, and of what
 * it keeps for the backward pass.  When recording, the reserve has a part for each slot with the
 * values of all steps: gates (T, N, G H), the others (T, N, …).  Otherwise one buffer serves all
 * slots: gates of hyb_recurrent_steps_ahead() steps, of the others only those of the current
 * step. */
typedef struct
{
  gint64 in; /* size of the layer's input row */
  gint64 w_input, w_hidden, w_projection, b_input, b_hidden;
  gint64 gates;
  gint64 cells;      /* (N, H), LSTM */
  gint64 candidates; /* (N, H), GRU */
  gint64 full;       /* (N, H): h before projection */
  gint64 states;     /* (N, R), with lengths: h, also where y has zeros */
} HybCellSlot;

/* Computes the offsets of a slot; all sizes must be within bounds. */
void hyb_recurrent_slot (const HybRecurrent *net,
                         gint64              layer,
                         gint64              direction,
                         gboolean            recording,
                         HybCellSlot        *slot);
/* Returns the number of steps whose input products W_i x are computed together, before the
 * states. */
gint64 hyb_recurrent_steps_ahead (const HybRecurrent *net);
/* Returns the floats of the packed W_i of one slot; 0 if weights are not packed. */
gint64 hyb_recurrent_input_panels (const HybRecurrent *net);
/* Returns the rows of W_h, of G H, that are multiplied by h' together; with resets_first the last H are multiplied by r h'. */
gint64 hyb_recurrent_first_rows (const HybRecurrent *net);
/* Whether W_h h' is kept apart from the other sums: r multiplies a part of it. */
gboolean hyb_recurrent_keeps_product (const HybRecurrent *net);
/* Returns the floats of the packed W_h of one slot; 0 if it is not packed, as for a
 * batch of 1 whose panels are not kept. */
gint64 hyb_recurrent_hidden_panels (const HybRecurrent *net);
/* Packs the weights of a slot, of which hyb_recurrent_slot_panels() says how many floats they take. */
void hyb_recurrent_pack_slot (const HybRecurrent *net,
                              const HybCellSlot  *slot,
                              const float        *parameters,
                              float              *panels);
/* Returns the floats of the packed projection of one slot; 0 if there is none or it is not packed, as W_h. */
gint64 hyb_recurrent_projection_panels (const HybRecurrent *net);
/* Returns the floats of all packed weights of one slot, which lie in this order. */
gint64 hyb_recurrent_slot_panels (const HybRecurrent *net);
/* Returns the elements that one slot keeps. */
gint64 hyb_recurrent_kept_size (const HybRecurrent *net, gboolean recording);
/* Returns the offset in the reserve of the output (T, N, D R) of a layer other than the last. */
gint64 hyb_recurrent_reserved_output (const HybRecurrent *net, gint64 layer);
/* Returns the offset in the reserve of the dropout mask (T, N, D R) of a layer other than the
 * last. */
gint64 hyb_recurrent_reserved_mask (const HybRecurrent *net, gint64 layer);

/* Returns the address of element `index`. */
static inline gpointer
hyb_cell_at (const HybCellMaths *maths, gconstpointer data, gint64 index)
{
  return (char *) data + (gsize) index * maths->size;
}

/* Computes c = op(a) op(b) + beta c (alpha is ignored); any size may be 0. */
void hyb_cell_gemm (const HybCellMaths *maths,
                    const HybGemm      *shape,
                    gconstpointer       a,
                    gconstpointer       b,
                    gpointer            c);

/* --- The work of phases --- */

/* Returns the work of hyb_cell_gemm(). */
static inline HybCost
hyb_cell_gemm_cost (const HybCellMaths *maths, const HybGemm *gemm)
{
  double m = (double) gemm->m, n = (double) gemm->n, k = (double) gemm->k;
  double size = (double) maths->size;

  return (HybCost){ .flops = 2 * m * n * k,
                    .bytes_read = (m * k + k * n + (gemm->beta != 0 ? m * n : 0)) * size,
                    .bytes_written = m * n * size };
}

/* Returns the work of a function of `count` elements and as many others. */
static inline HybCost
hyb_cell_elementwise_cost (const HybCellMaths *maths, gint64 count)
{
  double bytes = (double) count * (double) maths->size;

  return (HybCost){ .flops = (double) count, .bytes_read = 2 * bytes, .bytes_written = bytes };
}

/* Returns the work of the cells of one step, except for products. */
HybCost hyb_recurrent_gates_cost (const HybRecurrent *net, const HybCellMaths *maths);
/* Returns the work of the gradients of these cells. */
HybCost hyb_recurrent_gates_gradient_cost (const HybRecurrent *net, const HybCellMaths *maths);
