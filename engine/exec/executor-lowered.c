/* executor-lowered.c — the part of an executor for graphs of other formats.
 *
 * Types of such a graph depend on contents: of constants in its file, and sometimes of inputs with small integers. A
 * plan is made without the latter if possible, since it must be made again when they change.  A graph that cannot be
 * lowered before its types are known runs node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/exec/executor-private.h"
#include "engine/lower/lowering.h"

/* Larger arrays decide no shapes. */
#define MAX_DECIDING_INTEGERS 64
#define MAX_DECIDING_FLOATS   8 /* scales and limits of an image */

/* A small array, such as the target of a reshape or the limits of a range. */
static gboolean
may_decide (const HybTensor *tensor)
{
  return tensor && hyb_tensor_get_size (tensor) <=
                       (hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)) ? MAX_DECIDING_FLOATS
                                                                           : MAX_DECIDING_INTEGERS);
}

void
hyb_executor_find_contents (HybExecutor *executor, gboolean with_inputs, HybTensor **constants)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (executor->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybBinding *binding = &executor->bindings[i];
      gboolean    is_fixed = binding->tensor &&
                          binding->tensor == hyb_graph_get_contents (executor->graph, variables[i]);

      binding->decides |= is_fixed || (with_inputs && may_decide (binding->tensor));
      if (binding->decides)
        constants[i] = binding->tensor;
    }
}

gboolean
hyb_executor_has_deciding_inputs (const HybExecutor *executor)
{
  for (guint i = 0; i < executor->n_variables; i++)
    if (!executor->bindings[i].decides && may_decide (executor->bindings[i].tensor))
      return TRUE;
  return FALSE;
}

/* TRUE if this program computes all operators of a graph and its bodies. */
static gboolean
is_computable (HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      if (!hyb_node_is_variable (node) && !(node->op->lower && node->op->compute))
        return FALSE;
      for (guint b = 0; b < node->n_bodies; b++)
        if (!is_computable (bodies[b]))
          return FALSE;
    }
  return TRUE;
}

gboolean
hyb_executor_may_run_unplanned (const HybExecutor *executor, const GError *error)
{
  return g_error_matches (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED) &&
         is_computable (executor->graph);
}

static gboolean
lower (HybExecutor *executor, HybEntry *entry, GError **error)
{
  guint                  n_values = MAX (hyb_graph_n_values (executor->graph), 1), n;
  const HybNodeId       *variables = hyb_graph_get_variables (executor->graph, &n);
  g_autofree HybTensor **constants = g_new0 (HybTensor *, MAX (n, 1));
  g_autofree HybTensor **contents = g_new0 (HybTensor *, n_values);
  g_autofree HybType    *types = g_new (HybType, n_values);
  g_autoptr (HybLowered) lowered = NULL;

  hyb_executor_find_contents (executor, TRUE, constants);
  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (executor->graph, variables[i])->first_output;

      types[value] = entry->types[i];
      contents[value] = constants[i];
    }
  lowered = hyb_lower (executor->graph,
                       &(HybLowerOptions){ .types = types,
                                           .contents = contents,
                                           .training = executor->options.training,
                                           .for_run = TRUE },
                       error);
  if (lowered)
    entry->lowered = hyb_graph_ref (lowered->graph);
  return lowered != NULL;
}

gboolean
hyb_executor_lower (HybExecutor *executor, HybEntry *entry, GError **error)
{
  GError *reason = NULL;

  if (!hyb_graph_get_dialect (executor->graph) || lower (executor, entry, &reason))
    return TRUE;
  if (hyb_executor_may_run_unplanned (executor, reason))
    {
      g_error_free (reason);
      return TRUE;
    }
  g_propagate_error (error, reason);
  return FALSE;
}
