/* random-graph.h — makes valid random graphs: operators with their samples, changed, chained and put into loops and branches.
 *
 * Every node is computed while the graph grows, so that a node which the engine refuses is not added.  The same seed gives
 * the same graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A graph, and what its variables are. */
typedef struct
{
  HybGraph  *graph;
  GPtrArray *values; /* of HybTensor: one for each variable, in node order */
} RandomGraph;

/* A new graph of operators from the list that sample_list_read() returned. */
RandomGraph *random_graph_new (GPtrArray *operators, guint64 seed);
void         random_graph_free (RandomGraph *random);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomGraph, random_graph_free)
