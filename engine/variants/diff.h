/* diff.h — what differs between two models that know nothing of each other.
 *
 * Nodes match that do the same with what matches; what is recurrent in one and not
 * matched is held against what is recurrent in the other, N nodes against one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The same cells in two forms. */
typedef struct
{
  GArray *a, *b; /* of HybNodeId */
} HybDiffGroup;

typedef struct
{
  const char *name;         /* of the variable, owned by the models */
  HybTensor  *a, *b;        /* NULL: only the other has it */
  double max_abs, distance; /* largest difference; root of the sum of squares; −1: shapes differ */
} HybDiffParameter;

typedef struct
{
  gboolean   same;
  guint      n_matched; /* nodes, groups aside */
  HybNodeId *b_of_a;    /* by node of a; HYB_NO_ID */
  HybNodeId *a_of_b;
  GArray    *removed;    /* of HybNodeId: of a only */
  GArray    *added;      /* of b only */
  GArray    *changed;    /* of HybNodeId of a: b_of_a has its other attributes or inputs */
  GPtrArray *groups;     /* of HybDiffGroup */
  GArray    *parameters; /* of HybDiffParameter: those that differ */
  guint      n_equal;    /* parameters */
} HybDiff;

HybDiff *hyb_diff_new (HybModel *a, HybModel *b);
void     hyb_diff_free (HybDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybDiff, hyb_diff_free)
