/* variant-types.c — the types of a model's values for given inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/variant-types.h"

#include "engine/analysis/infer-types.h"

HybType *
hyb_variant_list_types (HybModel *model, HybTensorList *input)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  HybType         *types = hyb_model_new_types (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; input && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_tensor_list_find (input, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  return types;
}

HybType *
hyb_variant_infer_types (HybModel *model, HybTensorList *input)
{
  HybType *types = hyb_variant_list_types (model, input);

  hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL);
  return types;
}
