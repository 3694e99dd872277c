/* reduction-loops.h — the inner loops of reductions, by reduction and element type.
 *
 * Loops accumulate: row reduces a contiguous row to one accumulator, columns reduces n rows
 * element by element to n accumulators, finish turns accumulators into results.  reduction.c
 * combines them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/reduction/reduction-kinds.h"

/* The type of accumulators is private to the loops, which take at most 8 bytes each. */
typedef struct HybReduceLoops
{
  /* Sets n accumulators to the neutral element: a[i] = identity. */
  void (*start) (gpointer accumulators, gint64 n);
  /* Adds a contiguous row of n elements to one accumulator.  NULL, as `columns`, if folds.h has the loops. */
  void (*row) (gpointer accumulator, gconstpointer x, gint64 n);
  /* Reduces n_rows short contiguous rows to one finished result each; NULL for elements of 4 bytes. */
  void (*rows) (gconstpointer x, gint64 n_rows, gint64 length, HybReduceFinish how, gpointer y);
  /* Adds n_rows rows of n elements, `stride` elements apart: a[i] += x[row stride + i]. */
  void (*columns) (gpointer accumulators, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride);
  /* Adds n accumulators to n others. */
  void (*combine) (gpointer accumulators, gconstpointer others, gint64 n);
  /* Turns n accumulators, each of `count` elements, into results. */
  void (*finish) (gconstpointer   accumulators,
                  gint64          n,
                  HybReduceFinish how,
                  gint64          count,
                  gpointer        y);
  /* Sets an accumulator for each of n_rows short contiguous rows; NULL if `columns` of the transposed rows serves. */
  void (*short_rows) (gconstpointer x, gint64 n_rows, gint64 length, gpointer accumulators);
  gsize  size;      /* bytes of an accumulator */
  gint64 min_width; /* columns from which `columns` is fast; fewer are better seen as wider rows */
  /* Loops that cannot overflow on the way, for when a result is not finite; NULL if these cannot either. */
  const struct HybReduceLoops *exact;
} HybReduceLoops;

/* Returns the loops; kind and dtype must fit each other (reduction-kinds.h). */
const HybReduceLoops *hyb_reduce_loops (HybReduceKind kind, HybDType dtype);
