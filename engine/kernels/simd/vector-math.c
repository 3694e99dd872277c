/* vector-math.c — exponentials, logarithms, angles and the like over arrays of floats: y[i] = f(x[i]).
 *
 * The formulas are in vector-functions.h, vector-angles.h and vector-hyperbolics.h, the loops in vector-math-kernel.h.
 * A value depends on its argument (and on whether the processor has fused multiply-add), but not on its position in
 * the array or on the length.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-math.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-math-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define FUNCTION(name)                                       \
  void hyb_vector_##name (gsize n, const float *x, float *y) \
  {                                                          \
    HYB_SIMD_CHOOSE (map_##name) ((gint64) n, x, y);         \
  }

FUNCTION (exp)
FUNCTION (expm1)
FUNCTION (log)
FUNCTION (tanh)
FUNCTION (sigmoid)
FUNCTION (erf)
FUNCTION (softplus)
FUNCTION (sin)
FUNCTION (cos)
FUNCTION (tan)
FUNCTION (asin)
FUNCTION (acos)
FUNCTION (atan)
FUNCTION (log1p)
FUNCTION (sinh)
FUNCTION (cosh)
FUNCTION (asinh)
FUNCTION (acosh)
FUNCTION (atanh)
