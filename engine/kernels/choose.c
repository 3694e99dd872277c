/* choose.c — chooses between the elements of two rows by vector instructions.
 *
 * Elements are moved as integers, so that all bits of a NaN stay.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/choose.h"

#define SIMD_KERNEL "engine/kernels/choose-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_choose (const HybChoice *choice)
{
  if (choice->n <= 0)
    return;
  if (choice->item == 1)
    HYB_SIMD_CHOOSE (choose_8) (choice);
  else if (choice->item == 2)
    HYB_SIMD_CHOOSE (choose_16) (choice);
  else if (choice->item == 4)
    HYB_SIMD_CHOOSE (choose_32) (choice);
  else
    HYB_SIMD_CHOOSE (choose_64) (choice);
}
