/* operator-graph.c — builds the graph of a sample and lets the processor compute it; see operator-graph.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/operator-graph.h"

#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/imperative/imperative.h"
#include "engine/tensor/tensor-text.h"

void
scope_operator_graph_free (ScopeOperatorGraph *graph)
{
  if (!graph)
    return;
  g_clear_pointer (&graph->graph, hyb_graph_unref);
  g_clear_pointer (&graph->inputs, g_ptr_array_unref);
  g_clear_pointer (&graph->written, g_ptr_array_unref);
  g_clear_pointer (&graph->outputs, g_ptr_array_unref);
  g_free (graph);
}

static GPtrArray *
tensors_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
}

static GPtrArray *
copy_tensors (GPtrArray *tensors)
{
  GPtrArray *copies = tensors_new ();

  for (guint i = 0; i < tensors->len; i++)
    g_ptr_array_add (copies, hyb_tensor_copy (tensors->pdata[i]));
  return copies;
}

/* NULL and an error if a text cannot be read. */
static GPtrArray *
read_inputs (const ScopeOperatorSample *sample, HybDType dtype, GError **error)
{
  g_autoptr (GPtrArray) inputs = tensors_new ();

  for (guint i = 0; sample->inputs[i]; i++)
    {
      HybTensor *tensor = hyb_tensor_from_text (sample->inputs[i], i, error);

      if (!tensor)
        return NULL;
      if (hyb_tensor_get_dtype (tensor) != HYB_F32 || dtype == HYB_F32)
        g_ptr_array_add (inputs, tensor);
      else
        {
          g_ptr_array_add (inputs, hyb_tensor_convert (tensor, dtype));
          hyb_tensor_unref (tensor);
        }
    }
  return g_steal_pointer (&inputs);
}

/* Heads are the outputs that users see. */
static HybGraph *
build (const ScopeOperatorSample *sample, const HybOp *op, guint n_inputs, GError **error)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  g_autofree HybValueId *inputs = g_new (HybValueId, n_inputs + 1);
  HybNodeSpec            spec = { .op = op,
                                  .name = "tested",
                                  .attributes = (const char *const *) sample->attributes,
                                  .n_inputs = n_inputs,
                                  .inputs = inputs };
  const HybNode         *node;
  HybNodeId              id;
  guint                  n_heads;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = hyb_op_dup_input_name (op, i, n_inputs);

      inputs[i] = hyb_builder_add_variable (builder, name, NULL);
    }
  id = hyb_builder_add (builder, &spec, error);
  if (id == HYB_NO_ID)
    return NULL;
  node = hyb_builder_get_node (builder, id);
  n_heads = hyb_op_n_visible (op, node->params, node->n_outputs);
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, hyb_builder_output (builder, id, i));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

/* FALSE if the processor refuses the graph. */
static gboolean
compute (ScopeOperatorGraph *graph)
{
  HybRun context = { .training = graph->training, .seed = SCOPE_SAMPLE_SEED };
  guint  n_heads;

  hyb_graph_get_heads (graph->graph, &n_heads);
  graph->written = copy_tensors (graph->inputs);
  graph->outputs = tensors_new ();
  g_ptr_array_set_size (graph->outputs, (int) n_heads);
  return hyb_imperative_run (graph->graph, (HybTensor *const *) graph->written->pdata,
                             (HybTensor **) graph->outputs->pdata, &context, NULL);
}

ScopeOperatorGraph *
scope_operator_graph_new (const ScopeOperatorSample *sample,
                          HybDType                   dtype,
                          gboolean                   training,
                          GError                   **error)
{
  const HybOp *op = hyb_op_find (sample->op);
  g_autoptr (ScopeOperatorGraph) graph = g_new0 (ScopeOperatorGraph, 1);

  if (!op)
    return NULL;
  graph->training = training;
  graph->is_random = (op->flags & HYB_OP_RANDOM) != 0;
  graph->mutates = op->mutates != 0;
  graph->inputs = read_inputs (sample, dtype, error);
  if (!graph->inputs)
    return NULL;
  graph->graph = build (sample, op, graph->inputs->len, error);
  return graph->graph && compute (graph) ? g_steal_pointer (&graph) : NULL;
}

/* --- Gradients --- */

/* Something to begin with that is not the same everywhere. */
static HybTensor *
make_head_gradient (HybTensor *head)
{
  HybTensor *tensor = hyb_tensor_copy (head);

  for (gint64 k = 0; k < hyb_tensor_get_size (head); k++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) k,
                          1 + 0.25 * (double) (k % 3));
  return tensor;
}

/* The variables that get a gradient. */
static GArray *
list_differentiable (const HybOp *op, const ScopeOperatorGraph *graph)
{
  GArray          *list = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph->graph, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (graph->inputs->pdata[i])) &&
        !(i < 32 && (op->constant_inputs | op->mutates) >> i & 1))
      g_array_append_val (list, variables[i]);
  return list;
}

ScopeOperatorGraph *
scope_operator_graph_new_backward (const ScopeOperatorSample *sample,
                                   const ScopeOperatorGraph  *graph)
{
  const HybOp *op = hyb_op_find (sample->op);
  g_autoptr (ScopeOperatorGraph) backward = g_new0 (ScopeOperatorGraph, 1);
  g_autoptr (GArray) wrt = list_differentiable (op, graph);

  if (!op->gradient || op->flags & HYB_OP_NO_GRADIENT || wrt->len == 0 ||
      (sample->training_only && !graph->training))
    return NULL;
  backward->training = graph->training;
  backward->is_random = graph->is_random;
  backward->mutates = graph->mutates;
  backward->inputs = copy_tensors (graph->inputs);
  for (guint i = 0; i < graph->outputs->len; i++)
    g_ptr_array_add (backward->inputs, make_head_gradient (graph->outputs->pdata[i]));
  backward->graph =
      hyb_graph_with_gradients (graph->graph, wrt->len, (const HybNodeId *) wrt->data, NULL);
  return backward->graph && compute (backward) ? g_steal_pointer (&backward) : NULL;
}
