/* transpose-blocks.h — transposes matrices of elements of 1, 2 and 8 bytes: y[i,j] = x[j,i].
 *
 * simd/transpose.h does so for 4 bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/simd/transpose.h"

/* Writes y[i,j] = x[j,i].  The elements are `item` bytes (1, 2 or 8) of any type and need no alignment; x and y must not
 * overlap. */
void hyb_transpose_blocks (gsize item, const HybTranspose *shape, gconstpointer x, gpointer y);
