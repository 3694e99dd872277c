/* model-types.c — see model-types.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/model-types.h"

#include "engine/analysis/infer-types.h"

HybType *
hyb_model_new_given_types (HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  HybType         *types = hyb_model_new_types (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      const HybType *given = hyb_model_get_input_type (model, node->name);

      if (given && !hyb_type_is_known (&types[node->first_output]))
        types[node->first_output] = *given;
    }
  return types;
}

HybType *
hyb_model_new_declared_types (HybModel *model)
{
  HybType *types = hyb_model_new_types (model);

  hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL);
  return types;
}
