/* direct-loop.c — writes all loops of a model as the other kind of loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/direct-loop.h"

#include "engine/base/error.h"
#include "engine/variants/loops/loop-to-foreach.h"
#include "engine/variants/loops/loop-to-while.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-node.h"

gboolean
hyb_write_loops_directly (HybConversion *conversion, HybForm form, GError **error)
{
  HybNodeKind from = form == HYB_FORM_WHILE ? HYB_KIND_FOREACH : HYB_KIND_WHILE;
  guint       n_loops = 0;

  if (form == HYB_FORM_WHILE && !conversion->options->is_free)
    hyb_rebuild_set_open_shapes (&conversion->rebuild);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (conversion->graph); id++)
    {
      HybRewrittenLoop loop;
      gboolean         is_written;

      if (conversion->rebuild.error)
        break;
      if (hyb_node_kind (hyb_graph_get_node (conversion->graph, id)) != from)
        {
          hyb_rebuild_node (&conversion->rebuild, id);
          continue;
        }
      n_loops++;
      conversion->rebuild.current = HYB_NO_ID;
      hyb_rewritten_loop_init (&loop, conversion, id);
      is_written = form == HYB_FORM_WHILE ? hyb_rewrite_as_while (&loop, error)
                                          : hyb_rewrite_as_foreach (&loop, error);
      hyb_rewritten_loop_clear (&loop);
      if (!is_written)
        return FALSE;
    }
  if (n_loops == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                         "there is no loop");
  return hyb_conversion_finish (conversion, error);
}
