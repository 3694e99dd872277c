/* drop-dead.c — the pass that removes nodes on which no head depends.
 *
 * Variables stay even if they are not needed, because callers bind them by position.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/builder.h"
#include "engine/graph/reach.h"

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const guint8 *needed = data;

  if (needed[id])
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
drop_dead_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  guint              n_dead = 0;

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      needed[id] |= hyb_node_is_variable (hyb_graph_get_node (graph, id));
      n_dead += !needed[id];
    }
  return n_dead > 0 ? hyb_rewrite_graph (graph, visit, needed, map, error) : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_drop_dead;

const HybPass hyb_pass_drop_dead = {
  .name = "drop-dead",
  .doc = "Removes nodes on which no output depends.",
  .optimising = TRUE,
  .run = drop_dead_run,
};
