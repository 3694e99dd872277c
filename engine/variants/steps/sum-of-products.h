/* sum-of-products.h — a value as a sum of products x Wᵀ + b.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

/* The graph in which cells are looked for. */
typedef struct
{
  HybGraph      *graph;
  const HybType *types; /* by value; NULL: unknown */
} HybMatcher;

#define HYB_MAX_TERMS  4
#define HYB_MAX_BIASES 2

typedef struct
{
  guint   n, n_biases;
  HybTerm term[HYB_MAX_TERMS];
  HybTerm
      bias[HYB_MAX_BIASES]; /* biases that are added by themselves, while the sum is collected */
} HybSum;

/* value as a sum of products; FALSE if it is something else. */
gboolean hyb_sum_collect (const HybMatcher *matcher, HybValueId value, HybSum *sum);
/* value as a sum of exactly two products. */
gboolean hyb_sum_collect_two (const HybMatcher *matcher, HybValueId value, HybSum *sum);
