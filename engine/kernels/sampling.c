/* sampling.c — bilinear sampling of images at grids of positions, and affine grids.
 *
 * The functions of sampling.h are defined in sampling-kernel.h, which each-real.h compiles for
 * float and double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/sampling.h"

#include "engine/base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The position of cell i of n, from −1 for the first to 1 for the last; −1 for a single cell. */
static double
position_of (gint64 i, gint64 n)
{
  return n > 1 ? -1.0 + 2.0 * (double) i / (double) (n - 1) : -1.0;
}

#define REAL_KERNEL "engine/kernels/sampling-kernel.h"
#include "engine/kernels/each-real.h"
