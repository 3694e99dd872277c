/* to-unrolled.c — loops and fused operators written out, one copy a step.
 *
 * This is the form that all others are reached through.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"

#include "engine/base/error.h"
#include "engine/variants/unroll.h"
#include "engine/variants/vocabulary.h"

static const struct
{
  HybWord word;
  gboolean (*write_out) (HybConversion *conversion, HybNodeId id, GError **error);
} writers[] = {
  { HYB_WORD_RNN, hyb_unroll_rnn },
  { HYB_WORD_FOREACH, hyb_unroll_foreach },
  { HYB_WORD_WHILE, hyb_unroll_while },
};

gboolean
hyb_unroll_length (HybConversion *conversion,
                   HybNodeId      id,
                   HybValueId     data,
                   guint         *n,
                   GError       **error)
{
  const HybNode  *node = hyb_graph_get_node (conversion->graph, id);
  const HybShape *shape = &conversion->types[data].shape;
  gint64          length = conversion->options->length;

  if (shape->rank > 0 && shape->dim[0] > 0)
    {
      if (length > 0 && length != shape->dim[0])
        return hyb_error_at (error,
                             HYB_GRAPH_ERROR,
                             HYB_GRAPH_ERROR_TYPES,
                             node->name,
                             "Leave the length out, or give other inputs",
                             "its data has %" G_GINT64_FORMAT " steps, not %" G_GINT64_FORMAT,
                             shape->dim[0],
                             length);
      length = shape->dim[0];
    }
  if (length < 1 || length > HYB_MAX_UNROLL)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_UNKNOWN,
                         node->name,
                         "Say it with --length, --shape or --input",
                         length < 1 ? "nothing says how many steps it makes"
                                    : "it makes too many steps to be written out");
  *n = (guint) length;
  return TRUE;
}

gboolean
hyb_unroll (HybConversion *conversion, GError **error)
{
  HybRebuild *rebuild = &conversion->rebuild;

  hyb_rebuild_follow_cuts (rebuild, conversion->types);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (conversion->graph) && !rebuild->error; id++)
    {
      HybWord word = hyb_node_word (hyb_graph_get_node (conversion->graph, id));
      guint   i = 0;

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
