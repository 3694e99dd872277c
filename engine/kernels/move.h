/* move.h — copying elements between two strided places: the one kernel behind
 * transposes, slices, concatenations, broadcasts and their gradients.
 *
 * Elements are bytes of any meaning.  A stride may be negative or, on the reading
 * side, 0 (the element is repeated).  The two places must not overlap.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

#define HYB_MOVE_MAX_RANK 40

typedef struct
{
  int    rank;
  gsize  item; /* bytes of one element */
  gint64 dim[HYB_MOVE_MAX_RANK];
  gint64 from[HYB_MOVE_MAX_RANK]; /* strides in elements */
  gint64 to[HYB_MOVE_MAX_RANK];
} HybMove;

void hyb_move_axis (HybMove *move, gint64 dim, gint64 from, gint64 to); /* appends an axis */

void hyb_move (const HybMove *move, gconstpointer from, gpointer to);
/* Adds instead of replacing; to may have strides of 0 (a sum). */
void hyb_move_add (const HybMove *move, HybDType dtype, gconstpointer from, gpointer to);
/* n elements side by side in both places. */
void hyb_move_add_run (HybDType dtype, gint64 n, gconstpointer from, gpointer to);
