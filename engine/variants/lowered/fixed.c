/* fixed.c — which nodes of a lowered graph compute the same in every run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/fixed.h"

#include "engine/op/op.h"
#include "engine/variants/lowered/array-pattern.h"

/* Whether a node only moves elements or joins weights, as exporters do before a layer.  Products stay: the first step of a
 * network whose initial state is stored is a step like the others. */
static gboolean
prepares_weights (const HybNode *node)
{
  return node->op->category == HYB_CATEGORY_DATA || node->op->category == HYB_CATEGORY_MOVEMENT ||
         node->op->category == HYB_CATEGORY_ELEMENTWISE ||
         node->op->category == HYB_CATEGORY_REDUCTION;
}

/* Whether a node repeats a stored array, as initial states that were learned are repeated for each sequence of a batch: the
 * file keeps the array, not its copies. */
static gboolean
repeats_parameter (HybGraph *graph, const HybType *types, HybModel *model, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  const HybNode *input;
  HybTensor     *tensor;

  if (node->n_inputs != 1 || node->op->category != HYB_CATEGORY_MOVEMENT)
    return FALSE;
  input = hyb_graph_get_node (graph,
                              hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[0]));
  tensor = hyb_node_is_variable (input) ? hyb_model_get_parameter (model, input->name) : NULL;
  return tensor && hyb_tensor_get_size (tensor) > 1 && !hyb_array_has_pattern (tensor) &&
         hyb_tensor_get_size (tensor) < hyb_shape_size (&types[node->first_output].shape);
}

void
hyb_find_fixed (HybGraph      *graph,
                const HybType *types,
                HybModel      *model,
                guint8        *fixed,
                gint64        *n_elements)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      HybTensor        *tensor =
          hyb_node_is_variable (node) ? hyb_model_get_parameter (model, node->name) : NULL;

      fixed[id] = hyb_node_is_variable (node)
                      ? tensor != NULL
                      : !(node->op->flags & HYB_OP_RANDOM) && prepares_weights (node) &&
                            !repeats_parameter (graph, types, model, id);
      n_elements[id] = tensor ? hyb_tensor_get_size (tensor) : 0;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          HybNodeId input = hyb_graph_get_producer (graph, inputs[i]);

          fixed[id] = fixed[id] && fixed[input];
          n_elements[id] = MAX (n_elements[id], n_elements[input]);
        }
    }
}
