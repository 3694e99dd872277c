/* folds.h — rows and columns of numbers that are added, multiplied or compared, by vector instructions.
 *
 * Inner loops for reduction-loops.c, as HybReduceLoops.row and HybReduceLoops.columns describe them.  Floats are added and
 * multiplied in double, integers in 64 bits that wrap; extremes stay in their type, and of doubles a NaN wins.
 * A row of doubles is added in as many sums as vectors hold, so its total depends on the level of vector instructions.  Columns
 * add their rows in order: equal columns give equal bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/reduction/reduction-kinds.h"

/* The two loops of a reduction. */
typedef struct
{
  void (*row) (gpointer accumulator, gconstpointer x, gint64 n);
  void (*columns) (gpointer accumulators, gconstpointer x, gint64 n, gint64 n_rows, gint64 stride);
} HybFold;

/* The loops for this processor; without loops for kinds and types that other kernels serve. */
HybFold hyb_fold (HybReduceKind kind, HybDType dtype);
