/* diff.h — the differences between two models that were made independently.
 *
 * Nodes match if they do the same with inputs that match.  Recurrent parts that do not match node
 * by node are compared as units: the nodes of an unrolled cell against one fused operator or loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The same recurrent cells in two forms. */
typedef struct
{
  char   *role;  /* of hyb_diff_add_counterparts(); else NULL */
  GArray *a, *b; /* of HybNodeId */
} HybDiffGroup;

/* A parameter that differs. */
typedef struct
{
  const char *name;  /* of the variable, owned by the models */
  HybTensor  *a, *b; /* NULL if only the other model has it */
  double      max_abs,
      distance; /* largest difference and root of the sum of squares; -1 if shapes differ */
} HybDiffParameter;

typedef struct
{
  gboolean   same;      /* equal nodes, heads and parameters */
  guint      n_matched; /* nodes that match, without groups */
  HybNodeId *b_of_a;    /* by node of a; HYB_NO_ID: none */
  HybNodeId *a_of_b;    /* by node of b; HYB_NO_ID: none */
  GArray    *removed;   /* of HybNodeId: only in a */
  GArray    *added;     /* of HybNodeId: only in b */
  GArray *changed; /* of HybNodeId of a: b_of_a has the same name, but other attributes or inputs */
  GPtrArray *groups;     /* of HybDiffGroup */
  GArray    *parameters; /* of HybDiffParameter */
  guint      n_equal;    /* parameters that do not differ */
} HybDiff;

/* Compares two models, which must outlive the result.  (transfer full) */
HybDiff *hyb_diff_new (HybModel *a, HybModel *b);
/* Replaces groups by counterparts (of HybCounterpart), and removes their nodes from the lists of removed, added and changed
 * nodes.  Nodes that match in name and work stay as they are. */
void hyb_diff_add_counterparts (HybDiff *diff, const GPtrArray *counterparts);
/* Frees diff; NULL is allowed. */
void hyb_diff_free (HybDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybDiff, hyb_diff_free)
