/* sources.h — maps the nodes after the passes to the nodes of the planned graph.
 *
 * A pass merges, splits, moves and replaces nodes, and records only which value replaces which.
 * From that and from the edges of both graphs, hyb_sources_follow() derives whose work each new
 * node does, for any pass.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A node of the planned graph whose work a node after the passes does. */
typedef struct
{
  HybNodeId node;      /* in the planned graph */
  HybNodeId inner;     /* in the body of that loop, from which it was moved out; HYB_NO_ID: none */
  gboolean  is_helper; /* it only prepares inputs of the node that computes it */
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
/* Records before hyb_sources_follow() that a node of the new graph computes a node of a loop body
 * of the old one.  inner: its id there; no earlier pass may have changed that body. */
void hyb_sources_note_moved (HybSources *sources, HybNodeId moved, HybNodeId loop, HybNodeId inner);
/* Records before hyb_sources_follow() that a node of the new graph does the work of an old one although its value
 * replaces none, because its elements have another order. */
void hyb_sources_note_replaced (HybSources *sources, HybNodeId replacing, HybNodeId replaced);
/* The *n sources of a node of the current graph in ascending order, owned by sources; none for
 * variables and for helpers of more nodes than are recorded. */
const HybSource *hyb_sources_get (const HybSources *sources, HybNodeId node, guint *n);
