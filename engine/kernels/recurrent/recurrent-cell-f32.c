/* recurrent-cell-f32.c — the arithmetic of recurrent cells in float.
 *
 * recurrent-cell-typed.h has the formulas; tanh and sigmoid are vectorised (vector-math.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/vector-math.h"

#define Real       float
#define CELL_MATHS hyb_cell_maths_f32

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
