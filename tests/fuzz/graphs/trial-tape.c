/* trial-tape.c — the gradients of a trial on a tape, added up over two backward passes.
 *
 * A tape knows calls, not graphs: the nodes of the forward graph are called one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/trial-private.h"

#include "engine/autograd/tape.h"
#include "engine/imperative/imperative.h"

#define N_PASSES 2

/* Calls all operators.  By value; NULL and an error if one is refused. */
static GPtrArray *
record (HybTape *tape, const Trial *forward, GError **error)
{
  HybGraph        *graph = forward->graph;
  GPtrArray       *values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  g_ptr_array_set_size (values, (int) hyb_graph_n_values (graph));
  for (guint i = 0; i < n; i++)
    {
      HybTensor *copy = hyb_tensor_copy (forward->values->pdata[i]);

      values->pdata[hyb_graph_get_node (graph, variables[i])->first_output] = copy;
      if (hyb_dtype_is_float (hyb_tensor_get_dtype (copy)) &&
          !hyb_graph_is_auxiliary (graph, variables[i]))
        hyb_tape_attach (tape, copy, HYB_REQUEST_ADD);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode         *node = hyb_graph_get_node (graph, id);
      g_autofree HybTensor **inputs = g_new (HybTensor *, node->n_inputs + 1);
      HybRun context = { .training = forward->training, .seed = TRIAL_SEED, .key = node->key };
      HybImperativeCall call = { .op = node->op,
                                 .params = node->params,
                                 .bodies = hyb_graph_get_bodies (graph, id),
                                 .n_inputs = node->n_inputs,
                                 .inputs = inputs,
                                 .outputs = (HybTensor **) values->pdata + node->first_output,
                                 .has_scalars = !hyb_graph_has_legacy_shapes (graph) };

      if (hyb_node_is_variable (node))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = values->pdata[hyb_graph_get_inputs (graph, id)[i]];
      if (!hyb_tape_call (tape, &call, &context, error))
        {
          g_prefix_error (error, "%s: ", node->op->name);
          g_ptr_array_unref (values);
          return NULL;
        }
    }
  return values;
}

/* Runs the backward passes from all heads that are floats. */
static gboolean
add_passes (HybTape *tape, const Trial *trial, GPtrArray *values, GError **error)
{
  g_autoptr (GPtrArray) heads = g_ptr_array_new (), gradients = g_ptr_array_new ();
  guint             n;
  const HybValueId *ids = hyb_graph_get_heads (trial->forward->graph, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_dtype_is_float (hyb_tensor_get_dtype (values->pdata[ids[i]])))
      {
        g_ptr_array_add (heads, values->pdata[ids[i]]);
        g_ptr_array_add (gradients, trial->values->pdata[trial->forward->values->len + i]);
      }
  for (guint i = 0; i < N_PASSES && heads->len > 0; i++)
    if (!hyb_tape_backward (tape,
                            &(HybBackwardPass){ .n_heads = heads->len,
                                                .heads = (HybTensor *const *) heads->pdata,
                                                .head_gradients =
                                                    (HybTensor *const *) gradients->pdata,
                                                .retain = TRUE },
                            error))
      return FALSE;
  return TRUE;
}

/* The results of the trial with the gradients replaced by those of the tape. */
static GPtrArray *
collect (HybTape *tape, const Trial *trial, GPtrArray *values)
{
  GPtrArray       *results = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybGraph        *graph = trial->forward->graph;
  guint            n, n_heads;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  hyb_graph_get_heads (graph, &n_heads);
  for (guint i = 0; i < trial->results->len; i++)
    g_ptr_array_add (results, hyb_tensor_ref (trial->results->pdata[i]));
  for (guint i = 0, k = n_heads; i < n; i++)
    {
      HybTensor *tensor = values->pdata[hyb_graph_get_node (graph, variables[i])->first_output];
      HybTensor *sum = hyb_tape_get_gradient (tape, tensor), *mean;

      if (!hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)) ||
          hyb_graph_is_auxiliary (graph, variables[i]))
        continue;
      mean = hyb_tensor_new_zeros (hyb_tensor_get_type (sum ? sum : tensor), NULL);
      for (gint64 j = 0; sum && j < hyb_tensor_get_size (sum); j++)
        hyb_dtype_set_double (hyb_tensor_get_data (mean), hyb_tensor_get_dtype (mean), (gsize) j,
                              hyb_tensor_get_value (sum, j) / N_PASSES);
      hyb_tensor_unref (results->pdata[k]);
      results->pdata[k++] = mean;
    }
  return results;
}

char *
trial_run_tape (const Trial *trial)
{
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GPtrArray) values = NULL;
  g_autoptr (GPtrArray) results = NULL;
  g_autoptr (GError) error = NULL;

  hyb_tape_begin (tape);
  values = record (tape, trial->forward, &error);
  hyb_tape_end (tape);
  if (!values || !add_passes (tape, trial, values, &error))
    return g_strdup (error->message);
  results = collect (tape, trial, values);
  return trial_compare (trial, results);
}
