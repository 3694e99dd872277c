/* recurrent-cell.h — one row (one sequence at one step) of a recurrent cell, and
 * where a network keeps what.  Private to recurrent*.c.
 *
 * recurrent-cell-f32.c and -f64.c give the arithmetic of each element type.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/recurrent/recurrent.h"

/* Activations replace what the matrix products left in gates. */
typedef struct
{
  const HybRecurrent *net;
  gconstpointer       bias; /* (G H): of input and hidden together; see candidate_bias; NULL: added
                             * before */
  gconstpointer       candidate_bias; /* (H), GRU: the hidden one of n, which r multiplies too */
  gpointer            gates;          /* (G H) */
  gconstpointer       recurrent;      /* (G H), GRU: W_h h' */
  gpointer            candidate;      /* (H), GRU: W_hn h' + b_hn, kept; NULL: not recording */
  gconstpointer       cell_before;    /* (H), LSTM; may be cell */
  gpointer            cell;
  gconstpointer       before; /* (H), GRU: h' */
  gpointer            h;      /* (H) */
} HybCellRow;

/* dgates: towards W_i x + b_i; drecurrent: towards W_h h' + b_h, the same memory but for the GRU. */
typedef struct
{
  const HybRecurrent *net;
  gconstpointer       gates, candidate, cell_before, cell, before, h;
  gconstpointer       dh;
  gpointer            dcell;   /* in: of c; out: of c' */
  gpointer            dbefore; /* out, GRU: what reaches h' past the gates; may be dh */
  gpointer            dgates, drecurrent;
} HybCellGradient;

typedef struct
{
  gsize size; /* of one element */
  void (*gemm) (const HybGemm *gemm, gconstpointer a, gconstpointer b, gpointer c);
  void (*forward[HYB_RNN_N_MODES]) (const HybCellRow *row);
  void (*backward[HYB_RNN_N_MODES]) (const HybCellGradient *row);
  void (*add) (gint64 n, gconstpointer x, gconstpointer y, gpointer sum);
  void (*multiply) (gint64 n, gconstpointer x, gconstpointer y, gpointer product);
  /* mask: 0 with probability p, else 1 / (1 - p); element i from number index + i of seed. */
  void (*mask) (gint64 n, guint64 seed, guint64 index, double p, gpointer mask);
  void (*sum_rows) (gint64 rows, gint64 columns, gconstpointer x, gpointer sum);
} HybCellMaths;

extern const HybCellMaths hyb_cell_maths_f32;
extern const HybCellMaths hyb_cell_maths_f64;

/* One layer and direction: offsets of its weights, and of what it keeps.  Recording,
 * everything is kept for every step, in the reserve: gates (T, N, G H), the others
 * (T, N, …).  Else one set of buffers serves all layers and directions: gates of so many
 * steps as are ahead (hyb_recurrent_steps_ahead), of the others only the current one. */
typedef struct
{
  gint64 in; /* size of the layer's input */
  gint64 w_input, w_hidden, w_projection, b_input, b_hidden;
  gint64 gates;
  gint64 cells;      /* (N, H), LSTM */
  gint64 candidates; /* (N, H), GRU */
  gint64 full;       /* (N, H): h before projection */
  gint64 states;     /* (N, R), with lengths: h where y has zeros */
} HybCellSlot;

void hyb_recurrent_slot (const HybRecurrent *net,
                         gint64              layer,
                         gint64              direction,
                         gboolean            recording,
                         HybCellSlot        *slot);
/* Steps whose inputs are multiplied together: their gates wait for the states. */
gint64 hyb_recurrent_steps_ahead (const HybRecurrent *net);
/* Floats of the panels of W_i and W_h of one slot; 0 where there are none: a single row is
 * multiplied by W_h as it is. */
gint64 hyb_recurrent_input_panels (const HybRecurrent *net);
gint64 hyb_recurrent_hidden_panels (const HybRecurrent *net);
gint64 hyb_recurrent_kept_size (const HybRecurrent *net, gboolean recording); /* by one slot */
gint64 hyb_recurrent_reserved_output (const HybRecurrent *net, gint64 layer); /* (T, N, D R) */
gint64 hyb_recurrent_reserved_mask (const HybRecurrent *net, gint64 layer);   /* (T, N, D R) */

static inline gpointer
hyb_cell_at (const HybCellMaths *maths, gconstpointer data, gint64 index)
{
  return (char *) data + (gsize) index * maths->size;
}

/* A product of row-major matrices that may be empty; c = op(a) op(b) + beta c. */
void hyb_cell_gemm (const HybCellMaths *maths,
                    const HybGemm      *shape,
                    gconstpointer       a,
                    gconstpointer       b,
                    gpointer            c);
