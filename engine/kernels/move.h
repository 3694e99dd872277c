/* move.h — copies elements between two strided arrays: to[i · to_strides] = from[i · from_strides].
 *
 * Transposes, slices, concatenations, broadcasts and their gradients all use this kernel.  The
 * type of the elements does not matter, only their size.  Strides may be negative; strides of
 * `from` may be 0, which repeats an element.  The two arrays must not overlap.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

#define HYB_MOVE_MAX_RANK 40

/* The common shape of both arrays, outermost axis first, and the strides of each. */
typedef struct
{
  int    rank;
  gsize  item; /* bytes of one element */
  gint64 dim[HYB_MOVE_MAX_RANK];
  gint64 from[HYB_MOVE_MAX_RANK]; /* strides of the source, in elements */
  gint64 to[HYB_MOVE_MAX_RANK];   /* strides of the destination, in elements */
} HybMove;

/* Appends an axis of dim elements, inside the axes so far, with its two strides. */
void hyb_move_axis (HybMove *move, gint64 dim, gint64 from, gint64 to);

/* Copies all elements, on several threads; from and to are the elements at index 0. */
void hyb_move (const HybMove *move, gconstpointer from, gpointer to);
/* Repeats the first `bytes` bytes n times in all, in copies that double. */
void hyb_move_repeat (gpointer to, gsize bytes, gsize n);
/* Adds each element to the destination, in this thread; strides of `to` may be 0, which sums. */
void hyb_move_add (const HybMove *move, HybDType dtype, gconstpointer from, gpointer to);
/* Adds n contiguous elements to n contiguous ones: to[i] += from[i]. */
void hyb_move_add_run (HybDType dtype, gint64 n, gconstpointer from, gpointer to);
