/* reduction-loops.h — the inner loops of reductions, by reduction and element type.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/reduction.h"

/* An accumulator takes at most this many bytes; which type it is, the loops know. */
#define HYB_ACCUMULATOR_SIZE 8

typedef struct
{
  void (*start) (gpointer accumulators, gint64 n);
  /* One accumulator takes in n elements in a row. */
  void (*row) (gpointer accumulator, gconstpointer x, gint64 n);
  /* Many short contiguous rows, from nothing to their results. */
  void (*rows) (gconstpointer x, gint64 n_rows, gint64 length, HybReduceFinish how, gpointer y);
  /* n accumulators take in an element each from every row; rows lie stride apart. */
  void (*columns) (gpointer accumulators, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride);
  /* n accumulators take in n others. */
  void (*combine) (gpointer accumulators, gconstpointer others, gint64 n);
  void (*finish) (gconstpointer   accumulators,
                  gint64          n,
                  HybReduceFinish how,
                  gint64          count,
                  gpointer        y);
  gsize size; /* of an accumulator */
} HybReduceLoops;

const HybReduceLoops *hyb_reduce_loops (HybReduction reduction, HybDType dtype);
