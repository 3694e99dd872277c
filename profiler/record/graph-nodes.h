/* graph-nodes.h — which span recorded each node of a CUDA graph.
 *
 * Kernels of a replay have the id of the node that instantiating the graph made of the recorded one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/cupti.h"

typedef struct
{
  const ProfCupti       *cupti;
  CUpti_SubscriberHandle subscriber;
  const guint64         *open;    /* borrowed: the span that is open, 0 for none */
  GHashTable            *span_of; /* id of the node → span */
} ProfGraphNodes;

/* Watches nodes being made.  open: where the number of the span that is open on this thread stands.  An error
 * of CUPTI, whose function is then in *function, if another profiler watches already. */
CUptiResult prof_graph_nodes_init (ProfGraphNodes  *nodes,
                                   const ProfCupti *cupti,
                                   const guint64   *open,
                                   const char     **function);
/* Stops watching. */
void prof_graph_nodes_clear (ProfGraphNodes *nodes);
/* The span that recorded a node; 0 if it is not known. */
guint64 prof_graph_nodes_find (const ProfGraphNodes *nodes, guint64 node);
