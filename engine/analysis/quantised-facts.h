/* quantised-facts.h — which layers of a graph compute on integers, in which ranges, and which stay
 * float.
 *
 * A layer is an operator that multiplies by weights: a convolution, a product, a table look-up of
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A layer that computes on integers. */
typedef struct
{
  HybNodeId node;
  gboolean  is_calibrated; /* low and high are the range of its result; else each run measures it */
  double    low, high;
} HybQuantisedLayer;

typedef struct
{
  GArray *quantised; /* of HybQuantisedLayer, in node order */
  GArray *floats;    /* of HybNodeId: layers that could be quantised and are not, in node order */
} HybQuantisedFacts;

/* Looks at the nodes of a graph, not at those inside of bodies.  NULL if nothing is quantised.  Free
 * with hyb_quantised_facts_free(). */
HybQuantisedFacts *hyb_quantised_facts_new (const HybGraph *graph);
/* NULL is allowed. */
void hyb_quantised_facts_free (HybQuantisedFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybQuantisedFacts, hyb_quantised_facts_free)

/* One sentence about the graph, such as “53 of 54 layers compute on integers, 53 of them in calibrated
 * ranges”.  (transfer full) */
char *hyb_quantised_facts_to_string (const HybQuantisedFacts *facts);
