/* known-types.c — infers the types that info and check show, also where they contradict each other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/known-types.h"

#include "app/command/frame/open-model.h"
#include "engine/analysis/infer-types.h"
#include "engine/doctor/diagnose.h"

/* Inputs are shown as the user gave them. */
static void
restore_inputs (HybModel *model, const HybType *given, HybType *types)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybType       *type = &types[node->first_output];
      const HybType *wanted = &given[node->first_output];

      if (hyb_model_get_parameter (model, node->name))
        continue;
      if (wanted->shape.rank != HYB_UNKNOWN)
        type->shape = wanted->shape;
      if (wanted->dtype != HYB_DTYPE_UNKNOWN)
        type->dtype = wanted->dtype;
    }
}

HybType *
scope_known_types_new (const ScopeCommonOptions *common,
                       HybModel                 *model,
                       const HybType            *agreed,
                       GError                  **conflict,
                       GError                  **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n = hyb_graph_n_values (graph);
  g_autofree HybType *given = hyb_diagnose_new_types (graph), *types = NULL;

  if (!scope_fill_types (common, model, given, error))
    return NULL;
  types = g_memdup2 (given, MAX (n, 1) * sizeof *given);
  if (hyb_infer_types (graph, types, NULL, common->train, conflict))
    return g_steal_pointer (&types);

  g_free (types);
  types = g_memdup2 (agreed ? agreed : given, MAX (n, 1) * sizeof *given);
  if (!agreed)
    hyb_diagnose (model, types);
  restore_inputs (model, given, types);
  return g_steal_pointer (&types);
}
