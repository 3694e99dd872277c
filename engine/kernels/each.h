/* each.h — walking several tensors at once under broadcasting.
 *
 * hyb_each_init() drops axes of size one and merges axes as far as all operands
 * allow, so that the inner loop is as long as possible; kernels then run over
 * rows of constant stride.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

#define HYB_EACH_MAX 4

typedef struct
{
  int    rank; /* after merging; at least 1 */
  guint  n;
  gint64 n_rows; /* product of all dimensions but the innermost */
  gint64 dim[HYB_MAX_RANK];
  gint64 stride[HYB_EACH_MAX][HYB_MAX_RANK]; /* in elements; 0 where broadcast */
} HybEach;

/* Shapes are aligned at the last axis and broadcast to out.  All tensors are
 * contiguous, so the stride of the innermost axis is 0 or 1. */
void hyb_each_init (HybEach *each, const HybShape *out, guint n, const HybShape *const *shapes);

/* Calls row for every row (innermost axis): offsets in elements of each operand,
 * strides of the innermost axis. */
typedef void (*HybEachRow) (const gint64 *offset,
                            const gint64 *stride,
                            gint64        length,
                            gpointer      data);
void hyb_each_rows (const HybEach *each, HybEachRow row, gpointer data);
/* The same in parallel, and long rows in pieces: for kernels whose rows do not depend on
 * each other.  grain: elements below which another thread does not pay. */
void hyb_each_rows_parallel (const HybEach *each, gint64 grain, HybEachRow row, gpointer data);

/* Elements of a memory-bound loop that are worth a thread. */
#define HYB_EACH_GRAIN 32768
