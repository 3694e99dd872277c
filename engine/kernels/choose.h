/* choose.h — chooses between the elements of two rows: y[i] = condition[i] ≠ 0 ? a[i] : b[i].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* One row of n elements of `item` bytes: 1, 2, 4 or 8.  A stride is 1 or, for one element that all share, 0. */
typedef struct
{
  gsize         item;
  gint64        n;
  const guint8 *condition; /* n bytes */
  gconstpointer a, b;
  gint64        stride_a, stride_b;
  gpointer      y; /* a, b or an array that overlaps neither */
} HybChoice;

/* Computes y. */
void hyb_choose (const HybChoice *choice);
