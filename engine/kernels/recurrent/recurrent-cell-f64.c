/* recurrent-cell-f64.c — the arithmetic of recurrent cells in double.
 *
 * recurrent-cell-typed.h has the formulas; tanh and exp are the C library's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/gemm.h"

#include <math.h>

#define Real         double
#define CELL_MATHS   hyb_cell_maths_f64
#define LSTM_FORWARD lstm_forward
#define GRU_FORWARD  gru_forward

static void
real_tanh (gint64 n, const double *x, double *y)
{
  for (gint64 i = 0; i < n; i++)
    y[i] = tanh (x[i]);
}

static void
real_sigmoid (gint64 n, const double *x, double *y)
{
  for (gint64 i = 0; i < n; i++)
    y[i] = 1 / (1 + exp (-x[i]));
}

static void
real_gemm (const HybGemm *gemm, gconstpointer a, gconstpointer b, gpointer c)
{
  hyb_gemm_f64 (gemm, a, b, c);
}

#include "engine/kernels/recurrent/recurrent-cell-typed.h"
