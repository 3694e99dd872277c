/* vector-gates-kernel.h — the loops of vector-gates.c for one instruction set: y[i] = f(x[i]).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"
#include "engine/kernels/simd/vector-map.h"

INLINE Floats
SIMD (vector_gelu) (Floats x)
{
  return 0.5f * x * (1.f + SIMD (vector_erf) (x * 0x1.6a09e6p-1f)); /* √½ */
}

INLINE Floats
SIMD (vector_gelu_tanh) (Floats x)
{
  Floats inner = x * (0.7978845608f + 0.0356774081f * x * x);

  return 0.5f * x * (1.f + SIMD (vector_tanh) (inner));
}

INLINE Floats
SIMD (vector_silu) (Floats x)
{
  return x * SIMD (vector_sigmoid) (x);
}

/* The limits pass NaN on. */
INLINE Floats
SIMD (vector_hard_swish) (Floats x)
{
  Floats line = simd_min (simd_fill (6.f), simd_max (simd_fill (0.f), x + 3.f));

  return x * (line * (1 / 6.f)); /* in this order nothing overflows */
}

HYB_MAP (gelu)
HYB_MAP (gelu_tanh)
HYB_MAP (silu)
HYB_MAP (hard_swish)
