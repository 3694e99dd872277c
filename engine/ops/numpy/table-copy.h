/* table-copy.h — copies elements by one table of places for each axis: rolls, pads, deletions.
 *
 * The tables lie in the workspace of a run and are made before each copy by hyb_table_copy_fill().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* A copy; in and out have the same rank.  The caller sets in, out, item, dtype and constant. */
typedef struct
{
  HybShape in, out;
  gsize    item;
  HybDType dtype;
  _Alignas(double) guint8 constant[8]; /* the bytes of an element that comes from nowhere */
  gint64 *table
      [HYB_MAX_RANK]; /* for each index of the result that of the data, times its stride; or -1 */
  gconstpointer from;
  gpointer      to;
  gint64        run_begin, run_end; /* elements of a row that follow each other in the data */
} HybTableCopy;

/* The index along an axis of the data from which index i of the result comes; -1: the constant. */
typedef gint64 (*HybTableIndex) (gconstpointer params, const HybShape *in, int axis, gint64 i);

/* Workspace bytes of all tables for a result of this shape. */
gsize hyb_table_copy_bytes (const HybShape *out);
/* Sets copy->table in room, which has as many bytes. */
void
hyb_table_copy_fill (HybTableCopy *copy, gpointer room, gconstpointer params, HybTableIndex index);
/* Sets every element of the result `to`, on several threads. */
void hyb_table_copy_run (HybTableCopy *copy, gconstpointer from, gpointer to);
/* Adds each element of a gradient of the result to the place that it came from: float32 or float64. */
void hyb_table_copy_add_back (const HybTableCopy *copy, gconstpointer gradient, gpointer to);
