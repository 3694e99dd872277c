/* compare.c — comparisons of two rows by vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/compare.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/compare-kernel.h"
#include "engine/kernels/simd/each-simd.h"

HybCompareLoop
hyb_compare_loop (HybBinary function, HybDType dtype)
{
  return HYB_SIMD_CHOOSE (loops)[dtype][function];
}
