/* each.h — iterates over several broadcast tensors at once, row by row.
 *
 *   for each index of all axes but the innermost: row (offset[k], stride[k], length)
 *
 * hyb_each_init() drops axes of size one and merges adjacent axes where all operands allow it, so
 * that rows are as long as possible.  Start there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

#define HYB_EACH_MAX 4 /* operands */

typedef struct
{
  int    rank;   /* after merging; at least 1 */
  guint  n;      /* operands */
  gint64 n_rows; /* product of all dimensions but the innermost */
  gint64 dim[HYB_MAX_RANK];
  gint64 stride[HYB_EACH_MAX][HYB_MAX_RANK]; /* in elements; 0 where broadcast */
} HybEach;

/* Prepares the iteration over n ≤ HYB_EACH_MAX operands of the given shapes, which are aligned
 * at the last axis and broadcast to `out`.  All tensors are contiguous, so that the innermost
 * stride of each is 0 or 1. */
void hyb_each_init (HybEach *each, const HybShape *out, guint n, const HybShape *const *shapes);

/* Called for a row, or a piece of one: offset[k] is the first element of operand k, stride[k] its
 * innermost stride, both in elements. */
typedef void (*HybEachRow) (const gint64 *offset,
                            const gint64 *stride,
                            gint64        length,
                            gpointer      data);
/* Calls row for every row in order, in this thread. */
void hyb_each_rows (const HybEach *each, HybEachRow row, gpointer data);
/* Calls row for all rows in any order on several threads, and splits long rows; rows must not
 * depend on each other.  grain: the number of elements below which another thread does not pay. */
void hyb_each_rows_parallel (const HybEach *each, gint64 grain, HybEachRow row, gpointer data);

/* The grain of memory-bound loops. */
#define HYB_EACH_GRAIN 32768
