/* quantise-linear.c — conversions between floats and 8-bit integers; the loops are in quantise-linear-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/quantise-linear.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/quantise-linear-kernel.h"
#include "engine/kernels/simd/each-simd.h"

HybLinearLoop
hyb_quantise_loop (HybDType to)
{
  return to == HYB_I8 ? HYB_SIMD_CHOOSE (quantise_i8) : HYB_SIMD_CHOOSE (quantise_u8);
}

HybLinearLoop
hyb_dequantise_loop (HybDType from)
{
  return from == HYB_I8 ? HYB_SIMD_CHOOSE (dequantise_i8) : HYB_SIMD_CHOOSE (dequantise_u8);
}

void
hyb_float_limits (gint64 n, const float *x, float *limits)
{
  HYB_SIMD_CHOOSE (limits) (n, x, limits);
}
