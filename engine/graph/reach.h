/* reach.h — which nodes the heads depend on, and which nodes a run writes.
 *
 * Passes drop unneeded nodes and do not touch written ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* One flag for each node, TRUE if a head depends on it; variables count too.  constants: known
 * contents by value id, which need no node, or NULL.  (transfer full), free with g_free(). */
guint8 *hyb_graph_find_needed (const HybGraph *graph, HybTensor *const *constants);
/* The same for some heads: those whose flag is TRUE.  (transfer full) */
guint8 *hyb_graph_find_needed_by (const HybGraph *graph, const guint8 *by_head);

/* The states of a body that runs step by step: head first_head + s is variable variables[s] of the next step. */
typedef struct
{
  guint            n_states, first_head;
  const HybNodeId *variables;
} HybSteps;

/* Adds to by_head, which has a flag for each head, the states that the heads with a flag depend on at later steps.  Returns
 * a flag for each node that one of them depends on.  It takes each node once.  (transfer full) */
guint8 *hyb_graph_find_needed_later (const HybGraph *body, const HybSteps *steps, guint8 *by_head);

/* One flag for each value, TRUE if the graph returns it.  (transfer full), free with g_free(). */
guint8 *hyb_graph_find_heads (const HybGraph *graph);

/* One flag for each node, TRUE if another node writes its outputs; mostly variables.  Running
 * statistics, which only a training run writes, count if training is TRUE.  (transfer full), free
 * with g_free(). */
guint8 *hyb_graph_find_written (const HybGraph *graph, gboolean training);
/* One flag for each input of a node, TRUE if one of its bodies writes it; as above.  (transfer full) */
guint8 *hyb_graph_find_written_inputs (const HybGraph *graph, HybNodeId id, gboolean training);
