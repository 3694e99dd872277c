/* conflict.h — explains a contradiction of shapes by the conflicting facts and their origins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The fewest variables whose shapes contradict the graph or each other. */
typedef struct
{
  HybNodeId node;  /* whose rule is violated, or HYB_NO_ID */
  char     *what;  /* the rule's message, with both values */
  GArray   *facts; /* of HybNodeId: variables; empty if the graph contradicts itself */
} HybConflict;

/* Shapes of variables, and where they come from. */
typedef struct
{
  const HybType *types; /* by value */
  /* The end of “it is (2, 3) …”, such as “in net.params”. */
  const char *(*source) (HybNodeId variable, gpointer data);
  gpointer data;
} HybConflictFacts;

/* Finds the facts that collide.  facts: by value; the shapes of variables, which the graph refuses.
 * NULL if it does not refuse them.  (transfer full) */
HybConflict *hyb_conflict_find (HybGraph *graph, const HybType *facts);
/* The message, and sentences that follow each fact through the graph to where it meets the other.  Of a
 * graph that contradicts itself they name the nodes whose attributes do.  (transfer full) */
char *
hyb_conflict_describe (const HybConflict *conflict, HybGraph *graph, const HybConflictFacts *facts);
/* The shape of one fact according to the other facts of the conflict.  (transfer none) */
HybShape hyb_conflict_expect (const HybConflict *conflict,
                              HybGraph          *graph,
                              const HybType     *facts,
                              guint              fact);
/* Frees the result; accepts NULL. */
void hyb_conflict_free (HybConflict *conflict);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybConflict, hyb_conflict_free)
