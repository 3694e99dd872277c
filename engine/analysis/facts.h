/* facts.h — facts that passes use: types and constants of a graph, by value id.
 *
 * Graphs are frozen, so facts live in arrays beside them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/sources.h"

typedef enum
{
  HYB_FACT_TYPES = 1 << 0,
  HYB_FACT_CONSTANTS = 1 << 1,
} HybFact;

typedef struct
{
  guint32  have;
  gboolean training;
  gboolean same_bytes; /* constants choose no kernel, since another one would round differently */
  gboolean for_device; /* the plan is not for the processor alone */
  guint    n_values;
  HybType *types;    /* by value */
  guint32 *fixed_by; /* by value: the node whose rule determined the type last; HYB_NO_ID: given */
  HybTensor **constants; /* by value: known contents (parameters that may be folded), or NULL */
  HybSources *sources;   /* by node: the nodes of the first graph that it computes; NULL: not
                        * recorded */
} HybFacts;

/* No facts yet.  training: whether types are inferred for a training run.  (transfer full) */
HybFacts *hyb_facts_new (gboolean training);
/* Frees facts and drops the constants. */
void hyb_facts_free (HybFacts *facts);
/* Makes arrays for the values of graph, in which nothing is known. */
void hyb_facts_resize (HybFacts *facts, HybGraph *graph);
/* Carries the facts over to graph.  map: for each old value the new one, or HYB_NO_ID. */
void hyb_facts_follow (HybFacts *facts, HybGraph *graph, const GArray *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybFacts, hyb_facts_free)
