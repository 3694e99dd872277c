/* running-sums.c — running sums of neighbouring lines of floats; the loops are in running-sums-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/running-sums.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/running-sums-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_running_sums_f32 (float *x, gint64 length, gint64 stride, gint64 n)
{
  HYB_SIMD_CHOOSE (running_sums) (x, length, stride, n);
}
