/* rank.h — lines of an array ranked by value.
 *
 * Of equal elements the one with the lower index comes first, in either direction,
 * and NaN comes last.  Values are copied by index, so that any dtype stays exact.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* Room for so many lines at a time. */
#define HYB_RANK_SLOTS 16

/* A value, negated if the largest come first, and where it is. */
typedef struct
{
  double key;
  gint64 index;
} HybRankEntry;

/* Lines run along the middle axis of outer × length × inner. */
typedef struct
{
  gint64        outer, length, inner;
  gint64        k; /* how many of each line are wanted */
  gboolean      is_ascend;
  HybDType      dtype;
  gconstpointer data;
  gpointer      values;  /* k of each line; NULL: not wanted */
  gpointer      indices; /* likewise */
  HybDType      index_dtype;
  gpointer      mask; /* as data, cleared before: 1 for the k first; NULL: not wanted */
  HybRankEntry *room; /* hyb_rank_workspace() bytes */
} HybRanking;

gsize hyb_rank_workspace (gint64 n_lines, gint64 length);
void  hyb_rank (const HybRanking *ranking);
