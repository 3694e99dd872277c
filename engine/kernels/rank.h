/* rank.h — ranks the elements along one axis, for sort, argsort and topk.
 *
 * Of equal elements the one with the lower index comes first, in ascending and in descending
 * order; NaN comes last.  Elements are compared as doubles but copied as they are, so that values
 * of every element type stay exact.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* Lines that are ranked at the same time, each in its own part of the scratch memory. */
#define HYB_RANK_SLOTS 16

/* An element of the line that is being ranked. */
typedef struct
{
  double key;   /* the value, negated for descending order */
  gint64 index; /* its position in the line */
} HybRankEntry;

/* One call: data is outer × length × inner, and each line along the middle axis is ranked. */
typedef struct
{
  gint64        outer, length, inner;
  gint64        k; /* the first k elements of each line are written */
  gboolean      is_ascend;
  HybDType      dtype;
  gconstpointer data;
  gpointer      values;  /* outer × k × inner values of dtype; NULL if not needed */
  gpointer      indices; /* outer × k × inner positions of index_dtype; NULL if not needed */
  HybDType      index_dtype;
  gpointer mask; /* shaped as data, zeros on entry: set to 1 at the first k; NULL if not needed */
  HybRankEntry *scratch; /* hyb_rank_workspace() bytes */
} HybRanking;

/* Returns the bytes of scratch memory for n_lines = outer × inner lines. */
gsize hyb_rank_workspace (gint64 n_lines, gint64 length);
/* Ranks every line, on several threads. */
void hyb_rank (const HybRanking *ranking);
