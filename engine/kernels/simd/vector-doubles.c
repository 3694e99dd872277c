/* vector-doubles.c — see vector-doubles.h; the loops are in vector-doubles-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-doubles.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-doubles-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_vector_exp_f64 (gsize n, const double *x, double *y)
{
  HYB_SIMD_CHOOSE (map_exp) ((gint64) n, x, y);
}

void
hyb_vector_tanh_f64 (gsize n, const double *x, double *y)
{
  HYB_SIMD_CHOOSE (map_tanh) ((gint64) n, x, y);
}
