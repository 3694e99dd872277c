/* run-values.c — activations: statistics of every value, and the first that is not a number.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/run-values.h"

#include "engine/exec/imperative.h"
#include "engine/passes/reach.h"

#include <math.h>

#define N_BINS 32

typedef struct
{
  HybGraph          *graph;
  const ScopeInputs *inputs;
  HybRun             context;
  guint8            *needed;
  guint             *n_users; /* by value: who still has to read it */
  HybTensor        **values;  /* by value; NULL: not yet, or no more */
  ScopeJson         *json;
  const char        *first_nan; /* node */
} Walk;

/* ---- Telling ---- */

static void
put_bins (ScopeJson *json, const HybTensor *tensor, const HybStatistics *statistics)
{
  double width = statistics->maximum - statistics->minimum;
  guint  bins[N_BINS] = { 0 };

  for (gint64 i = 0; width > 0 && i < hyb_tensor_get_size (tensor); i++)
    {
      double value = hyb_tensor_get_value (tensor, i);

      if (isfinite (value))
        bins[CLAMP ((int) ((value - statistics->minimum) / width * N_BINS), 0, N_BINS - 1)]++;
    }
  scope_json_begin_list (json, "bins");
  for (guint i = 0; width > 0 && i < N_BINS; i++)
    scope_json_int (json, NULL, bins[i]);
  scope_json_end (json);
}

static void
describe_value (Walk *walk, const HybNode *node, guint output, HybTensor *tensor)
{
  HybStatistics statistics;

  hyb_tensor_statistics (tensor, &statistics);
  scope_json_begin_object (walk->json, NULL);
  scope_json_string (walk->json, "node", node->name);
  scope_json_int (walk->json, "output", output);
  scope_json_shape (walk->json, "shape", hyb_tensor_get_shape (tensor));
  scope_json_double (walk->json, "minimum", statistics.minimum);
  scope_json_double (walk->json, "maximum", statistics.maximum);
  scope_json_double (walk->json, "mean", statistics.mean);
  scope_json_double (walk->json, "std", statistics.deviation);
  scope_json_int (walk->json, "nan", statistics.n_nan);
  scope_json_int (walk->json, "infinite", statistics.n_infinite);
  put_bins (walk->json, tensor, &statistics);
  scope_json_end (walk->json);
  if (walk->first_nan == NULL && statistics.n_nan > 0)
    walk->first_nan = node->name;
}

/* ---- Walking ---- */

static void
walk_init (Walk *walk, ScopeJson *json, const ScopeInputs *inputs, const ScopeCommon *common)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (inputs->graph, &n_heads);

  *walk = (Walk){ .graph = inputs->graph, .inputs = inputs, .json = json };
  walk->context.training = common->train;
  walk->context.seed = (guint64) common->seed;
  walk->needed = hyb_graph_find_needed (walk->graph, NULL);
  walk->n_users = g_new0 (guint, MAX (hyb_graph_n_values (walk->graph), 1));
  walk->values = g_new0 (HybTensor *, MAX (hyb_graph_n_values (walk->graph), 1));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (walk->graph); id++)
    for (guint i = 0; walk->needed[id] && i < hyb_graph_get_node (walk->graph, id)->n_inputs; i++)
      walk->n_users[hyb_graph_get_inputs (walk->graph, id)[i]]++;
  for (guint i = 0; i < n_heads; i++)
    walk->n_users[heads[i]]++;
  for (guint i = 0; i < inputs->n_variables; i++)
    {
      HybValueId value = hyb_graph_get_node (walk->graph, inputs->variables[i])->first_output;

      /* A copy: operators may write into states that the caller still needs. */
      if (inputs->values[i])
        walk->values[value] = hyb_tensor_copy (inputs->values[i]);
    }
}

static void
walk_clear (Walk *walk)
{
  for (guint i = 0; i < hyb_graph_n_values (walk->graph); i++)
    g_clear_pointer (&walk->values[i], hyb_tensor_unref);
  g_free (walk->values);
  g_free (walk->n_users);
  g_free (walk->needed);
}

static void
drop_inputs (Walk *walk, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (walk->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (walk->graph, id)->n_inputs; i++)
    if (--walk->n_users[inputs[i]] == 0)
      g_clear_pointer (&walk->values[inputs[i]], hyb_tensor_unref);
}

static gboolean
run_node (Walk *walk, HybNodeId id, GError **error)
{
  const HybNode         *node = hyb_graph_get_node (walk->graph, id);
  const HybValueId      *ids = hyb_graph_get_inputs (walk->graph, id);
  g_autofree HybTensor **inputs = g_new0 (HybTensor *, MAX (node->n_inputs, 1));
  HybTensor            **outputs = walk->values + node->first_output;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = walk->values[ids[i]];
  walk->context.key = node->key;
  if (!hyb_imperative_node (walk->graph,
                            id,
                            walk->inputs->types,
                            inputs,
                            outputs,
                            &walk->context,
                            error))
    return FALSE;
  for (guint i = 0; i < hyb_op_n_visible (node->op, node->params, node->n_outputs); i++)
    describe_value (walk, node, i, outputs[i]);
  drop_inputs (walk, id);
  for (guint i = 0; i < node->n_outputs; i++)
    if (walk->n_users[node->first_output + i] == 0)
      g_clear_pointer (&outputs[i], hyb_tensor_unref);
  return TRUE;
}

gboolean
scope_run_describe_values (ScopeJson         *json,
                           const ScopeInputs *inputs,
                           const ScopeCommon *common,
                           GError           **error)
{
  Walk     walk;
  gboolean is_done = TRUE;

  walk_init (&walk, json, inputs, common);
  scope_json_begin_list (json, "values");
  for (HybNodeId id = 0; is_done && id < hyb_graph_n_nodes (walk.graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (walk.graph, id);

      if (!walk.needed[id])
        continue;
      if (!hyb_node_is_variable (node))
        is_done = run_node (&walk, id, error);
      else if (walk.values[node->first_output])
        describe_value (&walk, node, 0, walk.values[node->first_output]);
    }
  scope_json_end (json);
  if (walk.first_nan)
    scope_json_string (json, "first_nan", walk.first_nan);
  else
    scope_json_null (json, "first_nan");
  walk_clear (&walk);
  return is_done;
}
