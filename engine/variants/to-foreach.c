/* to-foreach.c — writes every chain as a _foreach loop over its inputs.
 *
 * The body comes from loop-body.c; this file writes the loop around it.  Start reading at
 * write_group().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"
#include "engine/variants/loops/loop-body.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/write-groups.h"

#include "engine/variants/node-kind.h"

/* Adds the loop to the new graph; 0 after an error. */
static HybValueId
add_node (HybLoopBody *body, const HybNodeSpec *spec)
{
  HybRebuild *rebuild = &body->conversion->rebuild;
  HybNodeId   id =
      rebuild->error ? HYB_NO_ID : hyb_builder_add (rebuild->builder, spec, &rebuild->error);

  return id == HYB_NO_ID ? 0 : hyb_builder_output (rebuild->builder, id, 0);
}

/* Writes the loop around a body that is written, and places its outputs.  Returns its first output.
 * */
static HybValueId
write_node (HybLoopBody *body)
{
  HybRebuild      *rebuild = &body->conversion->rebuild;
  guint            n_states = hyb_loop_body_n_states (body), n_out = hyb_loop_body_n_outputs (body);
  g_autofree char *name = hyb_loop_body_name (body, "foreach");
  g_autofree char *data = hyb_loop_body_positions (body, HYB_BODY_DATA);
  g_autofree char *states = hyb_loop_body_positions (body, HYB_BODY_STATE);
  g_autofree char *captured = hyb_loop_body_positions (body, HYB_BODY_CAPTURED);
  g_autofree char *n_args = g_strdup_printf ("%u", body->n_variables + 1);
  g_autofree char *n_data = g_strdup_printf ("%u", n_out);
  g_autofree char *n_outputs = g_strdup_printf ("%u", n_out + n_states);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  const char *const attributes[] = {
    "in_data_locs", data,   "in_state_locs", states,    "num_args",    n_args,
    "num_out_data", n_data, "num_outputs",   n_outputs, "remain_locs", captured,
    NULL,
  };
  HybNodeSpec spec = { .op = hyb_op_find ("_foreach"),
                       .name = hyb_rebuild_name (rebuild, "%s", name),
                       .attributes = attributes,
                       .n_bodies = 1,
                       .bodies = &body->graph };
  HybValueId  value = hyb_sequence_whole (rebuild, hyb_loop_body_inputs (body), 0);

  /* Inputs of _foreach: data (steps, …), begin states, values that each step reads unchanged. */
  g_array_append_val (inputs, value);
  for (guint s = 0; s < n_states; s++)
    {
      value = hyb_rebuild_value (rebuild, hyb_loop_body_initial_state (body, s));
      g_array_append_val (inputs, value);
    }
  for (guint i = 0; i < body->captured->len; i++)
    {
      value = hyb_rebuild_value (rebuild, g_array_index (body->captured, HybValueId, i));
      g_array_append_val (inputs, value);
    }
  spec.n_inputs = inputs->len;
  spec.inputs = (const HybValueId *) (gpointer) inputs->data;
  value = add_node (body, &spec);
  hyb_loop_body_place_outputs (body, value, n_out);
  return value;
}

static gboolean
write_group (HybConversion  *conversion,
             const HybCells *cells,
             const HybGroup *group,
             GError        **error)
{
  g_auto (HybLoopBody) body = { 0 };
  HybValueId x;

  hyb_loop_body_init (&body, conversion, cells, group);
  conversion->rebuild.current = HYB_NO_ID;
  x = hyb_loop_body_add_variable (&body, "data-0", HYB_BODY_DATA, 0);
  if (!hyb_loop_body_write (&body, x, HYB_NO_ID, error))
    return FALSE;
  hyb_group_match_nodes (conversion, cells, group, write_node (&body));
  return TRUE;
}

/* Marks the nodes that a value depends on. */
static void
mark_ancestors (HybGraph *graph, HybValueId value, guint8 *is_ancestor)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  HybNodeId id = hyb_graph_get_producer (graph, value);

  g_array_append_val (todo, id);
  while (todo->len > 0)
    {
      const HybValueId *inputs;

      id = g_array_index (todo, HybNodeId, todo->len - 1);
      g_array_set_size (todo, todo->len - 1);
      if (is_ancestor[id])
        continue;
      is_ancestor[id] = TRUE;
      inputs = hyb_graph_get_inputs (graph, id);
      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        {
          HybNodeId input = hyb_graph_get_producer (graph, inputs[i]);

          g_array_append_val (todo, input);
        }
    }
}

/* Adds a finding for a convolution before a loop.  MXNet's executor starts a foreach before the
 * operators in front of it have run.  Where the loop's results share memory with a result of such
 * an operator that oneDNN stores in blocks, later operators read them in the wrong order. */
static void
report_convolution (HybConversion *conversion, const HybCells *cells)
{
  HybGraph          *graph = cells->graph;
  g_autofree guint8 *is_ancestor = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));

  for (guint c = 0; c < cells->chains->len; c++)
    for (guint s = 0; s < ((const HybChain *) cells->chains->pdata[c])->n_steps; s++)
      {
        HybValueId x = hyb_chain_step (cells, cells->chains->pdata[c], s)->x;

        if (x != HYB_NO_ID)
          mark_ancestors (graph, x, is_ancestor);
      }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (!is_ancestor[id] || cells->chain_of_node[id] != HYB_NO_ID ||
          node->op->category != HYB_CATEGORY_CONVOLUTION)
        continue;
      hyb_model_add_finding (
          conversion->to,
          hyb_finding_new ("loop-behind-convolution", HYB_SEVERITY_WARNING,
                           "a foreach behind the convolution “%s” can give wrong results in MXNet "
                           "1.9.1 on the CPU when it does not train. Run it there with "
                           "MXNET_ENGINE_TYPE=NaiveEngine or MXNET_MKLDNN_ENABLED=0, or write "
                           "another form.",
                           node->name));
      return;
    }
}

static gboolean
write_foreach (HybConversion *conversion, HybCells *cells, GError **error)
{
  static const HybGroupWriter writer = { hyb_loop_check_group, write_group };
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_CHAINS);

  if (!conversion->options->is_free)
    report_convolution (conversion, cells);
  return hyb_write_groups (conversion, cells, groups, &writer, error);
}

static gboolean
is_foreach (const HybNode *node)
{
  return hyb_node_kind (node) == HYB_KIND_FOREACH;
}

const HybFormClass hyb_form_foreach = {
  .form = HYB_FORM_FOREACH,
  .name = "foreach",
  .doc = "A loop over the steps, with the cell as its body",
  .is_node = is_foreach,
  .write = write_foreach,
};
