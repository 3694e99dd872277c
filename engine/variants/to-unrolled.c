/* to-unrolled.c — the unrolled form: loops and fused operators are written out, one copy per step.
 *
 * All other forms are reached through this one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"

#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-node.h"
#include "engine/variants/unroll.h"

static const struct
{
  HybNodeKind word;
  gboolean (*write_out) (HybConversion *conversion, HybNodeId id, GError **error);
} writers[] = {
  { HYB_KIND_RNN, hyb_unroll_rnn },
  { HYB_KIND_FOREACH, hyb_unroll_foreach },
  { HYB_KIND_WHILE, hyb_unroll_while },
};

gboolean
hyb_unroll (HybConversion *conversion, GError **error)
{
  HybRebuild *rebuild = &conversion->rebuild;

  hyb_rebuild_find_split_products (rebuild, conversion->types);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (conversion->graph) && !rebuild->error; id++)
    {
      HybNodeKind word = hyb_node_kind (hyb_graph_get_node (conversion->graph, id));
      guint       i = 0;

      while (i < G_N_ELEMENTS (writers) && writers[i].word != word)
        i++;
      rebuild->current = id;
      if (i == G_N_ELEMENTS (writers))
        hyb_rebuild_node (rebuild, id);
      else if (!writers[i].write_out (conversion, id, error))
        return FALSE;
    }
  return hyb_conversion_finish (conversion, error);
}

/* No single node shows that a graph is unrolled. */
static gboolean
is_never (const HybNode *node)
{
  return FALSE;
}

const HybFormClass hyb_form_unrolled = {
  .form = HYB_FORM_UNROLLED,
  .name = "unrolled",
  .doc = "Every step has its own nodes",
  .is_node = is_never,
};
