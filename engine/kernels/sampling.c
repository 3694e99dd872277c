/* sampling.c — grids of positions, and images read at them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/sampling.h"

#include "engine/base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* −1 to 1 over n cells; a single cell is at −1. */
static double
position_of (gint64 i, gint64 n)
{
  return n > 1 ? -1.0 + 2.0 * (double) i / (double) (n - 1) : -1.0;
}

#define REAL_KERNEL "engine/kernels/sampling-kernel.h"
#include "engine/kernels/each-real.h"
