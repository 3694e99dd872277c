/* folds.c — rows and columns of numbers that are added, multiplied or compared, by vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/folds.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/folds-kernel.h"
#include "engine/kernels/simd/each-simd.h"

HybFold
hyb_fold (HybReduceKind kind, HybDType dtype)
{
  return HYB_SIMD_CHOOSE (folds)[dtype][kind];
}
