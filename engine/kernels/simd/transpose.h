/* transpose.h — transposes matrices of 32-bit elements: y[i,j] = x[j,i].
 *
 * Used by move.h for tiles of transposed tensors and by panels.h to pack transposed weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The shape of one transpose. */
typedef struct
{
  gint64 height, width;      /* rows and columns of y */
  gint64 x_stride, y_stride; /* elements from one row to the next */
} HybTranspose;

/* Writes y[i,j] = x[j,i].  The elements are 4 bytes of any type and need no alignment; x and y
 * must not overlap. */
void hyb_transpose_32 (const HybTranspose *shape, gconstpointer x, gpointer y);

/* Returns where the block after one at i starts, `length` if there is none; the last one overlaps the one before, so that it is
 * whole.  size: of a block. */
static inline gint64
hyb_transpose_next (gint64 i, gint64 size, gint64 length)
{
  return i + size < length ? MIN (i + size, length - size) : length;
}
