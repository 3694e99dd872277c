/* to-foreach.c — writes every chain as a _foreach loop over its inputs.
 *
 * The body comes from loop-body.c; this file writes the loop around it.  Start reading at
 * write_group().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"
#include "engine/variants/loop-body.h"
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

static gboolean
write_foreach (HybConversion *conversion, HybCells *cells, GError **error)
{
  static const HybGroupWriter writer = { hyb_loop_check_group, write_group };
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_CHAINS);

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
