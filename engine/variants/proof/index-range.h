/* index-range.h — which whole numbers a variable may hold: rows of a table, classes, lengths of sequences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The treatment of an index beyond its range by an operator. */
typedef enum
{
  HYB_INDEX_REFUSED, /* or that is not known */
  HYB_INDEX_CLIPPED,
  HYB_INDEX_WRAPPED,
} HybIndexBeyond;

typedef struct
{
  double         low, high; /* both included */
  HybIndexBeyond beyond;
} HybIndexRange;

/* Finds an operator that reads the variable as an index, directly, through operators that move elements, or in a body of
 * a loop.  types: by value of graph.  FALSE if there is none. */
gboolean hyb_index_range_find (HybGraph      *graph,
                               const HybType *types,
                               HybNodeId      variable,
                               HybIndexRange *range);
