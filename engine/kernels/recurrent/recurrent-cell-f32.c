/* recurrent-cell-f32.c — the arithmetic of recurrent cells in float.
 *
 * recurrent-cell-typed.h has the formulas; tanh and sigmoid are vectorised (vector-math.h).  Where one pass over a row
 * is faster, gates.h computes it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/recurrent/gates.h"
#include "engine/kernels/recurrent/recurrent-cell.h"
#include "engine/kernels/simd/vector-math.h"

#define Real         float
#define CELL_MATHS   hyb_cell_maths_f32
#define LSTM_FORWARD lstm_row
#define GRU_FORWARD  gru_row

static void lstm_row (const HybCellRow *row);
static void gru_row (const HybCellRow *row);

static void
real_tanh (gint64 n, const float *x, float *y)
{
  hyb_vector_tanh ((gsize) n, x, y);
}

static void
real_sigmoid (gint64 n, const float *x, float *y)
{
  hyb_vector_sigmoid ((gsize) n, x, y);
}

#include "engine/kernels/matrix/gemm.h"

static void
real_gemm (const HybGemm *gemm, gconstpointer a, gconstpointer b, gpointer c)
{
  hyb_gemm_f32 (gemm, a, b, c);
}

#include "engine/kernels/recurrent/recurrent-cell-typed.h"

static void
lstm_row (const HybCellRow *row)
{
  gint64 n = row->net->hidden;

  if (row->net->clips || !hyb_lstm_gates_suit (n))
    lstm_forward (row);
  else
    hyb_lstm_gates (&(HybLstmGates){ .n = n,
                                     .sums = row->gates,
                                     .bias = row->bias,
                                     .before = row->cell_before,
                                     .cell = row->cell,
                                     .h = row->h,
                                     .kept = row->keeps_gates ? row->gates : NULL });
}

static void
gru_row (const HybCellRow *row)
{
  gint64 n = row->net->hidden;

  if (!hyb_gru_gates_suit (n))
    gru_forward (row);
  else
    hyb_gru_gates (&(HybGruGates){ .n = n,
                                   .sums = row->gates,
                                   .bias = row->bias,
                                   .recurrent = row->recurrent,
                                   .candidate_bias = row->candidate_bias,
                                   .before = row->before,
                                   .h = row->h,
                                   .kept = row->keeps_gates ? row->gates : NULL,
                                   .candidate = row->candidate });
}
