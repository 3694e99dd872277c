/* sources.h — which nodes of a planned graph the nodes after its passes stand for.
 *
 * A pass merges, splits, moves and replaces nodes, and says only which value replaces which.  From
 * that, and from what each graph reads, hyb_sources_follow() finds out whose work every new node
 * does, whatever the pass is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A node of the planned graph that a node after the passes stands for. */
typedef struct
{
  HybNodeId node;      /* in the planned graph */
  HybNodeId inner;     /* in the body of that loop, from which it was moved out; HYB_NO_ID: none */
  gboolean  is_helper; /* it only prepares what the node that computes it reads */
} HybSource;

typedef struct _HybSources HybSources;

/* The sources of a graph that no pass has changed: every operator is its own.  (transfer full) */
HybSources *hyb_sources_new (const HybGraph *graph);
/* Frees sources; NULL is allowed. */
void hyb_sources_free (HybSources *sources);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybSources, hyb_sources_free)
/* Carries the sources over from one graph to the next.  map: holds, for
 * each value of the graph `before`, its value in `after` or HYB_NO_ID. */
void hyb_sources_follow (HybSources *sources, HybGraph *before, HybGraph *after, const GArray *map);
/* States before hyb_sources_follow() that a node of the new graph computes what a loop of the old one
 * had in its body.  inner: its id there; no earlier pass may have changed that body. */
void hyb_sources_note_moved (HybSources *sources, HybNodeId moved, HybNodeId loop, HybNodeId inner);
/* States before hyb_sources_follow() that a node of the new graph computes what one of the old graph did, although its value
 * replaces none: its elements have another order. */
void hyb_sources_note_replaced (HybSources *sources, HybNodeId replacing, HybNodeId replaced);
/* The *n sources of a node of the current graph in ascending order, owned by sources; none for
 * variables and for what only helps in more ways than are recorded. */
const HybSource *hyb_sources_get (const HybSources *sources, HybNodeId node, guint *n);
