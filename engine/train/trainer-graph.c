/* trainer-graph.c — builds a model, its loss and its gradients as one graph.
 *
 * hyb_trainer_loss_graph() traces the model followed by the loss; hyb_trainer_graph() adds the
 * gradients of the loss.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "engine/train/trainer-private.h"

#include <string.h>

HybBuilder *
hyb_trainer_copy_nodes (HybGraph *graph)
{
  HybBuilder *builder = hyb_builder_new ();

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    hyb_builder_copy (builder, graph, id, hyb_graph_get_inputs (graph, id));
  return builder;
}

/* Returns a copy of the graph with other heads; values keep their ids. */
static HybGraph *
with_heads (HybGraph *graph, guint n_heads, const HybValueId *heads)
{
  HybBuilder *builder = hyb_trainer_copy_nodes (graph);

  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, heads[i]);
  return hyb_builder_freeze (builder);
}

/* The sum of all outputs.  Its gradients are those of head gradients of ones, which is how MXNet
 * differentiates a model that ends in a loss operator. */
static HybValue *
sum_of_all (HybF *F, HybValue *outputs)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  HybValue *total = NULL;

  hyb_flatten_into (outputs, arrays);
  for (guint i = 0; i < arrays->len; i++)
    {
      HybValue *sum = hyb_sum (F, g_ptr_array_index (arrays, i), NULL);

      total = !total ? sum : hyb_add (F, total, sum);
    }
  return total;
}

/* The mean loss of the first output, or the sum of all outputs for the kind "none". */
static HybValue *
loss_value (HybF *F, const char *kind, HybValue *outputs)
{
  g_autoptr (HybBlock) loss = NULL;
  HybValue *label;

  if (strcmp (kind, "none") == 0)
    return sum_of_all (F, outputs);

  loss = hyb_loss_new (kind, &(HybLossOptions){ .prefix = "loss_" });
  label = hyb_value_variable (F, "label", NULL);
  return hyb_mean (F, hyb_call (F, loss, hyb_list_of (F, hyb_item (F, outputs, 0), label, NULL)),
                   NULL);
}

HybGraph *
hyb_trainer_loss_graph (HybGraph *model, const char *kind, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (TRUE);
  g_autofree HybValue **variables = NULL;
  const HybNodeId      *ids;
  HybValue             *outputs;
  guint                 n;

  ids = hyb_graph_get_variables (model, &n);
  variables = g_new (HybValue *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (model, ids[i]);

      variables[i] = hyb_value_variable (F, node->name, node->attributes);
    }
  outputs = hyb_f_graph (F, model, n, variables);
  return hyb_f_finish (F, hyb_list_of (F, loss_value (F, kind, outputs), outputs, NULL), error);
}

HybGraph *
hyb_trainer_graph (HybGraph *model, const char *loss, const char *const *parameters, GError **error)
{
  g_autoptr (HybGraph) whole = hyb_trainer_loss_graph (model, loss, error);
  g_autoptr (HybGraph) forward = NULL;
  g_autoptr (HybGraph) backward = NULL;
  g_autoptr (GArray) wrt = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  const HybValueId *old, *new;
  guint             n_old, n_new;

  if (!whole)
    return NULL;
  old = hyb_graph_get_heads (whole, &n_old);
  forward = with_heads (whole, 1, old);
  for (guint i = 0; parameters[i] != NULL; i++)
    {
      HybNodeId id = hyb_graph_find_variable (forward, parameters[i]);

      g_array_append_val (wrt, id);
    }
  backward = hyb_graph_with_gradients (forward, wrt->len, (gconstpointer) wrt->data, error);
  if (!backward)
    return NULL;

  new = hyb_graph_get_heads (backward, &n_new);
  g_array_append_vals (heads, new, n_new);
  /* Nodes have the same ids in both graphs, but some have more outputs in `backward`. */
  for (guint i = 1; i < n_old; i++)
    {
      HybNodeId  producer = hyb_graph_get_producer (whole, old[i]);
      HybValueId value = hyb_graph_get_node (backward, producer)->first_output +
                         hyb_graph_get_output_index (whole, old[i]);

      g_array_append_val (heads, value);
    }
  return with_heads (backward, heads->len, (gconstpointer) heads->data);
}
