/* tensor-outputs.c — see tensor-outputs.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/run/tensor-outputs.h"

#include "app/command/frame/command.h"

#include "engine/base/one-line.h"
#include "engine/graph/with-heads.h"

/* TRUE if an operator that this program does not support returns value, and the file does not declare it as a tensor. */
static gboolean
is_no_tensor (HybGraph *graph, HybValueId value)
{
  const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value));
  HybType        declared = HYB_TYPE_UNKNOWN;

  if (!(node->op->flags & HYB_OP_OPAQUE) || !node->op->declared_type)
    return FALSE;
  return !node->op->declared_type (node->params, hyb_graph_get_output_index (graph, value),
                                   &declared) ||
         declared.dtype == HYB_DTYPE_UNKNOWN;
}

void
scope_keep_tensor_outputs (HybModel *model)
{
  HybGraph         *graph = hyb_model_get_graph (model);
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  g_auto (GStrv) names = hyb_graph_dup_output_names (graph);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (GString) left_out = g_string_new (NULL);
  g_autoptr (HybGraph) smaller = NULL;

  for (guint i = 0; i < n_heads; i++)
    if (!is_no_tensor (graph, heads[i]))
      g_array_append_val (kept, heads[i]);
    else
      {
        const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, heads[i]));

        g_string_append_printf (left_out, "%s“%s” of %s", left_out->len > 0 ? ", " : "",
                                hyb_one_line (names[i]), hyb_one_line (node->type));
      }
  if (kept->len == 0 || kept->len == n_heads)
    return;
  scope_print_message (HYB_SEVERITY_WARNING,
                       "outputs that are not tensors are not computed: %s. hscope extract %s --to "
                       "VALUE --output part.onnx makes a model of a tensor that they are made of",
                       left_out->str, hyb_model_get_file (model));
  smaller = hyb_graph_with_heads (graph, kept->len, (const HybValueId *) (gpointer) kept->data);
  hyb_model_set_graph (model, smaller);
}
