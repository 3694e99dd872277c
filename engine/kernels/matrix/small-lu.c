/* small-lu.c — see small-lu.h; the loops are in small-lu-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/small-lu.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

#define SMALL_LU_MAX    HYB_SMALL_LU_MAX
#define SMALL_LU_STRIDE ((SMALL_LU_MAX + 7) / 8 * 8) /* whole vectors of any instruction set */

#define SIMD_KERNEL "engine/kernels/matrix/small-lu-kernel.h"
#include "engine/kernels/simd/each-simd.h"

gboolean
hyb_small_lu (gint64 n, float *a, gint32 *pivot, int *first_zero)
{
#ifdef __x86_64__
  if (hyb_simd_level () >= HYB_SIMD_AVX2)
    return lu_avx2 (n, a, pivot, first_zero);
#endif
  return lu_plain (n, a, pivot, first_zero);
}
