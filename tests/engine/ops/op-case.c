/* op-case.c — turns one sample or refusal of an operator into a graph, and runs it; see op-case.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-case.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/builder.h"
#include "engine/imperative/imperative.h"

void
op_case_graph_free (OpCaseGraph *sample)
{
  g_clear_pointer (&sample->graph, hyb_graph_unref);
  g_clear_pointer (&sample->inputs, g_ptr_array_unref);
  g_free (sample);
}

GPtrArray *
op_tensors_new (guint n)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (tensors, (int) n);
  return tensors;
}

GPtrArray *
op_inputs_from_text (const char *const *texts)
{
  GPtrArray *inputs = op_tensors_new (0);

  for (guint i = 0; i < OP_SAMPLE_MAX_INPUTS && texts[i]; i++)
    g_ptr_array_add (inputs, op_tensor_from_text (texts[i], i));

  return inputs;
}

HybGraph *
op_case_new_graph (const OpCase *this,
                   guint    n_inputs,
                   guint32  negated,
                   gboolean visible_only,
                   GError **error)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_auto (GStrv) attributes = op_attributes_from_text (this->attributes_text);
  g_autoptr (GPtrArray) unknown = g_ptr_array_new ();
  g_autoptr (GPtrArray) bodies = NULL;
  HybValueId inputs[OP_SAMPLE_MAX_INPUTS];
  HybNodeId  node;
  guint      n_heads;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = hyb_op_dup_input_name (this->op, i, n_inputs);

      inputs[i] = hyb_builder_add_variable (builder, name, NULL);
    }
  for (guint i = 0; i < n_inputs; i++)
    if (negated >> i & 1)
      inputs[i] = hyb_builder_call (builder, "negative",
                                    &(HybNodeSpec){
                                        .name = "negated", .n_inputs = 1, .inputs = &inputs[i] },
                                    NULL);

  bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  for (guint i = 0; i < this->op->n_bodies; i++)
    {
      g_assert_nonnull (this->body);
      g_ptr_array_add (bodies, this->body (i));
    }

  node = hyb_builder_add (builder,
                          &(HybNodeSpec){
                              .op = this->op,
                              .name = "checked",
                              .attributes = (const char *const *) attributes,
                              .n_inputs = n_inputs,
                              .inputs = inputs,
                              .n_bodies = bodies->len,
                              .bodies = (HybGraph *const *) bodies->pdata,
                              .unknown = unknown,
                          },
                          error);
  if (node == HYB_NO_ID)
    return NULL;

  if (unknown->len > 0)
    g_error ("%s has no attribute %s", this->op->name, (const char *) unknown->pdata[0]);

  n_heads = hyb_builder_get_node (builder, node)->n_outputs;
  if (visible_only)
    n_heads = hyb_op_n_visible (this->op, hyb_builder_get_node (builder, node)->params, n_heads);
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, hyb_builder_output (builder, node, i));

  return hyb_builder_freeze (g_steal_pointer (&builder));
}

OpCaseGraph *
op_case_new_sample (const OpCase *this, gboolean visible_only)
{
  g_autoptr (OpCaseGraph) sample = g_new0 (OpCaseGraph, 1);
  g_autoptr (GError) error = NULL;
  guint n_heads;

  sample->inputs = op_inputs_from_text (this->inputs_text);
  sample->graph = op_case_new_graph (this, sample->inputs->len, 0, visible_only, &error);
  g_assert_no_error (error);
  sample->node =
      hyb_graph_get_producer (sample->graph, hyb_graph_get_heads (sample->graph, &n_heads)[0]);

  return g_steal_pointer (&sample);
}

GPtrArray *
op_run_graph (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error)
{
  HybRun context = { .training = training, .seed = OP_CASE_SEED };
  guint  n_heads;
  g_autoptr (GPtrArray) heads = NULL;

  hyb_graph_get_heads (graph, &n_heads);
  heads = op_tensors_new (n_heads);
  if (!hyb_imperative_run (graph, (HybTensor *const *) inputs->pdata, (HybTensor **) heads->pdata,
                           &context, error))
    return NULL;

  return g_steal_pointer (&heads);
}

GPtrArray *
op_copy_tensors (GPtrArray *tensors, HybDType from, HybDType to)
{
  GPtrArray *copies = op_tensors_new (0);

  for (guint i = 0; i < tensors->len; i++)
    if (hyb_tensor_get_dtype (tensors->pdata[i]) == from && from != to)
      g_ptr_array_add (copies, hyb_tensor_convert (tensors->pdata[i], to));
    else
      g_ptr_array_add (copies, hyb_tensor_copy (tensors->pdata[i]));

  return copies;
}

HybType *
op_infer_types (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error)
{
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    types[hyb_graph_get_node (graph, variables[i])->first_output] =
        *hyb_tensor_get_type (inputs->pdata[i]);

  if (!hyb_infer_types (graph, types, NULL, training, error))
    return NULL;

  return g_steal_pointer (&types);
}
