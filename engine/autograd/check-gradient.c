/* check-gradient.c — checks the gradient of one operator in a graph of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/check-gradient.h"

#include "engine/autograd/gradient-check.h"
#include "engine/base/error.h"
#include "engine/graph/builder.h"

/* A graph that calls the operator on variables and returns all outputs.  (transfer full) */
static HybGraph *
build_graph (const char *op, const char *const *attributes, guint n_inputs, GError **error)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autofree HybValueId *values = g_new (HybValueId, n_inputs + 1);
  g_autoptr (GPtrArray) unknown = g_ptr_array_new ();
  HybNodeSpec spec = {
    .name = op, .attributes = attributes, .n_inputs = n_inputs, .inputs = values, .unknown = unknown
  };
  HybValueId     first;
  const HybNode *node;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("input%u", i);

      values[i] = hyb_builder_add_variable (builder, name, NULL);
    }
  first = hyb_builder_call (builder, op, &spec, error);
  if (first == HYB_NO_ID)
    return NULL;
  if (unknown->len > 0)
    {
      hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, op, NULL,
                    "it has no attribute “%s”", (const char *) unknown->pdata[0]);
      return NULL;
    }
  node = hyb_builder_get_node (builder, hyb_builder_get_producer (builder, first));
  for (guint i = 0; i < node->n_outputs; i++)
    hyb_builder_add_head (builder, first + i);
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

gboolean
hyb_check_gradient (const char        *op,
                    const char *const *attributes,
                    guint              n_inputs,
                    HybTensor *const  *inputs,
                    GError           **error)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autofree HybNodeId *wrt = g_new (HybNodeId, n_inputs + 1);
  HybGradientCheck      check = { .variables = inputs, .wrt = wrt };

  g_return_val_if_fail (op && (inputs || n_inputs == 0), FALSE);
  graph = build_graph (op, attributes, n_inputs, error);
  if (!graph)
    return FALSE;
  /* The variables were added first: their ids count from 0. */
  for (guint i = 0; i < n_inputs; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (inputs[i])))
      wrt[check.n_wrt++] = i;
  check.graph = graph;
  return hyb_gradient_check (&check, error);
}
