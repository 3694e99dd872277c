/* interleave.h — rows of two or three elements, each from an array of its own: y[i,j] = x[j,i].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Whether hyb_interleave_32() serves n rows of `width` elements. */
static inline gboolean
hyb_interleave_serves (gint64 width, gint64 n)
{
  return (width == 2 || width == 3) && n >= 4;
}

/* Writes y[i · width + j] = x[j · x_stride + i] for i < n.  The elements are 4 bytes of any type and need no alignment. */
void hyb_interleave_32 (gint64 width, gint64 n, gconstpointer x, gint64 x_stride, gpointer y);
