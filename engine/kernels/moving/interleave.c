/* interleave.c — rows of two or three elements, each from an array of its own, by vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/interleave.h"

#include "engine/kernels/simd/transpose.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/moving/interleave-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_interleave_32 (gint64 width, gint64 n, gconstpointer x, gint64 x_stride, gpointer y)
{
  const char *columns[3];

  for (gint64 j = 0; j < width; j++)
    columns[j] = (const char *) x + j * x_stride * (gint64) sizeof (guint32);
  HYB_SIMD_CHOOSE (mix_columns) ((int) width, n, columns, y);
}
