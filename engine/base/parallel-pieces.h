/* parallel-pieces.h — how a parallel loop is split.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Pieces of equal size; the last one may be smaller. */
typedef struct
{
  gint64 n;
  gint64 size;
} HybParallelPieces;

/* The pieces of [0, n), n > 0: at most one for each thread, and none but the last smaller than grain. */
static inline HybParallelPieces
hyb_parallel_pieces (gint64 n, gint64 grain, guint n_threads)
{
  gint64 most = CLAMP (n / MAX (grain, 1), 1, (gint64) n_threads);
  gint64 size = (n - 1) / most + 1;

  return (HybParallelPieces){ .n = (n - 1) / size + 1, .size = size };
}
