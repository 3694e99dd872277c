/* facts.h — what is known beside a graph: arrays by node or value id.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef enum
{
  HYB_FACT_TYPES = 1 << 0,
  HYB_FACT_CONSTANTS = 1 << 1,
} HybFact;

typedef struct
{
  guint32     have;
  gboolean    training;
  guint       n_values;
  HybType    *types;     /* by value */
  guint32    *fixed_by;  /* by value: the node whose rule fixed it last; HYB_NO_ID: given */
  HybTensor **constants; /* by value: known contents (parameters that may be folded); or NULL */
} HybFacts;

HybFacts *hyb_facts_new (gboolean training);
void      hyb_facts_free (HybFacts *facts);
/* Room for every value of graph, nothing known. */
void hyb_facts_resize (HybFacts *facts, HybGraph *graph);
/* The facts of another graph: map gives for every old value the new one, or HYB_NO_ID. */
void hyb_facts_follow (HybFacts *facts, HybGraph *graph, const GArray *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybFacts, hyb_facts_free)
