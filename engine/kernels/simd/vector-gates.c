/* vector-gates.c — x times a function of x between 0 and 1, over arrays of floats; see vector-gates.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-gates.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-gates-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define FUNCTION(name)                                       \
  void hyb_vector_##name (gsize n, const float *x, float *y) \
  {                                                          \
    HYB_SIMD_CHOOSE (map_##name) ((gint64) n, x, y);         \
  }

FUNCTION (gelu)
FUNCTION (gelu_tanh)
FUNCTION (silu)
FUNCTION (hard_swish)
