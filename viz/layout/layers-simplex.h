/* layers-simplex.h — ranks with the least total length of edges, for small graphs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 tail, head;
  guint32 weight; /* what a rank of its length costs; 0: only keeps the order */
} VizSimplexEdge;

/* ranks comes in feasible (every edge at least one long) and goes out better, from 0 in every
 * connected part.  Stops early after max_pivots: ranks are feasible at any time. */
void viz_simplex_rank (guint32               n_nodes,
                       const VizSimplexEdge *edges,
                       guint32               n_edges,
                       guint32               max_pivots,
                       gint32               *ranks);

G_END_DECLS
