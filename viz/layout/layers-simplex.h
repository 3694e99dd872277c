/* layers-simplex.h — ranks with the least total edge length, by network simplex.
 *
 * Each pivot costs a walk over the whole graph, so that this is for small graphs only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  guint32 tail, head;
  guint32 weight; /* cost per rank of length; 0: only the order of the ends counts */
} VizSimplexEdge;

/* Minimises the sum of weight × length over all edges.  On entry, ranks must be feasible: every edge
 * spans at least one rank.  On return, the ranks of every connected component start at 0.  Stops
 * after max_pivots; the ranks are feasible then too. */
void viz_simplex_rank (guint32               n_nodes,
                       const VizSimplexEdge *edges,
                       guint32               n_edges,
                       guint32               max_pivots,
                       gint32               *ranks);
