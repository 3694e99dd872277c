/* graph-nodes.c — which span recorded each node of a CUDA graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/graph-nodes.h"

static void
put (ProfGraphNodes *nodes, guint64 node, guint64 span)
{
  g_hash_table_insert (nodes->span_of, g_memdup2 (&node, sizeof node),
                       g_memdup2 (&span, sizeof span));
}

/* CUPTI calls this on the thread that records or instantiates. */
static void
watch (void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *about)
{
  ProfGraphNodes           *nodes = data;
  const CUpti_ResourceData *resource = about;
  const CUpti_GraphData    *graph;
  uint64_t                  node, original;

  if (domain != PROF_CUPTI_RESOURCE_DOMAIN ||
      (id != PROF_CUPTI_NODE_CREATED && id != PROF_CUPTI_NODE_CLONED))
    return;
  graph = resource->resourceDescriptor;
  if (!graph || nodes->cupti->call.cuptiGetGraphNodeId (graph->node, &node))
    return;
  if (id == PROF_CUPTI_NODE_CREATED)
    put (nodes, node, *nodes->open);
  else if (nodes->cupti->call.cuptiGetGraphNodeId (graph->originalNode, &original) == 0)
    put (nodes, node, prof_graph_nodes_find (nodes, original));
}

CUptiResult
prof_graph_nodes_init (ProfGraphNodes  *nodes,
                       const ProfCupti *cupti,
                       const guint64   *open,
                       const char     **function)
{
  static const CUpti_CallbackId ids[] = { PROF_CUPTI_NODE_CREATED, PROF_CUPTI_NODE_CLONED };
  CUptiResult                   result;

  *nodes = (ProfGraphNodes){ .cupti = cupti, .open = open };
  *function = "cuptiSubscribe";
  result = cupti->call.cuptiSubscribe (&nodes->subscriber, watch, nodes);
  if (result)
    return result;
  nodes->span_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  *function = "cuptiEnableCallback";
  for (guint i = 0; i < G_N_ELEMENTS (ids) && !result; i++)
    result =
        cupti->call.cuptiEnableCallback (1, nodes->subscriber, PROF_CUPTI_RESOURCE_DOMAIN, ids[i]);
  if (result)
    prof_graph_nodes_clear (nodes);
  return result;
}

void
prof_graph_nodes_clear (ProfGraphNodes *nodes)
{
  if (!nodes->span_of)
    return;
  nodes->cupti->call.cuptiUnsubscribe (nodes->subscriber);
  g_clear_pointer (&nodes->span_of, g_hash_table_unref);
}

guint64
prof_graph_nodes_find (const ProfGraphNodes *nodes, guint64 node)
{
  const guint64 *span = g_hash_table_lookup (nodes->span_of, &node);

  return span ? *span : 0;
}
