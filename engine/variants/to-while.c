/* to-while.c — writes every chain as a _while_loop that counts its steps and takes its inputs by
 * number.
 *
 * MXNet infers no shapes before such a loop runs: while-states.h makes the initial states, and
 * hyb_rebuild_set_open_shapes() the nodes that combine its results with other arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"
#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/loops/loop-body.h"
#include "engine/variants/loops/while-states.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/write-groups.h"

#include "engine/op/rules.h"
#include "engine/variants/node-kind.h"

#include <string.h>

/* The loop that is written. */
typedef struct
{
  HybLoopBody *body;
  HybRebuild  *rebuild;
  HybValueId   data;   /* the inputs of all steps, time on axis 0 */
  GArray      *inputs; /* of HybValueId: counter, states, data, captured values */
} WhileWriter;

/* Adds the counter and the array of inputs to the body.  Returns the next counter; *x gets the
 * input of the step, which may be one without axes. */
static HybValueId
write_counter (HybLoopBody *body, gboolean is_scalar, HybValueId *x, GError **error)
{
  HybValueId counter = hyb_loop_body_add_variable (body, "step-0", HYB_BODY_COUNTER, 0);
  HybValueId data = hyb_loop_body_add_variable (body, "data", HYB_BODY_DATA, 0);
  HybValueId taken =
      hyb_builder_call (body->builder, "take",
                        &(HybNodeSpec){ .name = "row",
                                        .n_inputs = 2,
                                        .inputs = (const HybValueId[]){ data, counter } },
                        error);
  const char *axis[] = { "axis", "0", NULL };
  const char *one[] = { "scalar", "1", NULL };

  if (taken == HYB_NO_ID)
    return HYB_NO_ID;
  *x = hyb_builder_call (body->builder, is_scalar ? "_np_squeeze" : "squeeze",
                         &(HybNodeSpec){
                             .name = "input", .n_inputs = 1, .inputs = &taken, .attributes = axis },
                         error);
  return hyb_builder_call (body->builder, "_plus_scalar",
                           &(HybNodeSpec){ .name = "next_step",
                                           .n_inputs = 1,
                                           .inputs = &counter,
                                           .attributes = one },
                           error);
}

/* --- The loop --- */

/* Fills inputs. */
static void
list_inputs (WhileWriter *writer)
{
  HybLoopBody       *body = writer->body;
  const HybCellStep *first = hyb_chain_step (body->cells, body->chain, 0);
  const char *const  zero[] = { "dtype", "float32", "shape", "(1,)", NULL };
  HybValueId         value = hyb_rebuild_call (writer->rebuild,
                                               &(HybRebuildCall){ "_zeros", "first_step", 0, NULL, zero });

  HybWhileStates states = { writer->rebuild, HYB_NO_ID, first->x, body->captured };

  states.data = writer->data = hyb_sequence_whole (writer->rebuild, hyb_loop_body_inputs (body), 0);
  g_array_append_val (writer->inputs, value);
  for (guint s = 0; s < hyb_loop_body_n_states (body); s++)
    {
      value = hyb_while_initial_state (&states, hyb_loop_body_initial_state (body, s));
      g_array_append_val (writer->inputs, value);
    }
  g_array_append_val (writer->inputs, writer->data);
  for (guint i = 0; i < body->captured->len; i++)
    {
      value = hyb_rebuild_value (writer->rebuild, g_array_index (body->captured, HybValueId, i));
      g_array_append_val (writer->inputs, value);
    }
}

/* func_input_locs: the input of the loop for each variable of the body.  (transfer full) */
static char *
input_positions (const HybLoopBody *body)
{
  guint    n_states = hyb_loop_body_n_states (body);
  GString *text = g_string_new ("[");

  for (guint v = 0; v < body->n_variables; v++)
    {
      const HybBodyVariable *variable = &body->order[v];
      guint                  input = variable->role == HYB_BODY_COUNTER ? 0
                                     : variable->role == HYB_BODY_STATE ? 1 + variable->index
                                     : variable->role == HYB_BODY_DATA  ? 1 + n_states
                                                                       : 2 + n_states + variable->index;

      g_string_append_printf (text, "%s%u", v > 0 ? ", " : "", input);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* func_var_locs: the variables of the body that are the counter and the states.  (transfer full) */
static char *
state_positions (const HybLoopBody *body)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "[%u", hyb_loop_body_position (body, HYB_BODY_COUNTER, 0));
  for (guint s = 0; s < hyb_loop_body_n_states (body); s++)
    g_string_append_printf (text, ", %u", hyb_loop_body_position (body, HYB_BODY_STATE, s));
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* Writes the loop around a body that is written, and places its outputs. */
static void
write_node (WhileWriter *writer, HybGraph *condition, const HybGroup *group)
{
  HybLoopBody     *body = writer->body;
  guint            n_states = hyb_loop_body_n_states (body), n_out = hyb_loop_body_n_outputs (body);
  g_autofree char *name = hyb_loop_body_name (body, "while_loop");
  g_autofree char *inputs = input_positions (body);
  g_autofree char *variables = state_positions (body);
  g_autofree char *limit = g_strdup_printf ("%u", body->chain->n_steps);
  g_autofree char *n_args = g_strdup_printf ("%u", body->n_variables + 2);
  g_autofree char *n_data = g_strdup_printf ("%u", n_out);
  g_autofree char *n_outputs = g_strdup_printf ("%u", n_out + 1 + n_states);
  HybGraph *const  bodies[] = { condition, body->graph };
  const char *const attributes[] = {
    "cond_input_locs",
    "[0]",
    "func_input_locs",
    inputs,
    "func_var_locs",
    variables,
    "max_iterations",
    limit,
    "num_args",
    n_args,
    "num_out_data",
    n_data,
    "num_outputs",
    n_outputs,
    NULL,
  };
  HybNodeSpec spec = { .op = hyb_op_find ("_while_loop"),
                       .name = hyb_rebuild_name (writer->rebuild, "%s", name),
                       .attributes = attributes,
                       .n_bodies = 2,
                       .bodies = bodies };
  HybNodeId   id;

  list_inputs (writer);
  spec.n_inputs = writer->inputs->len;
  spec.inputs = (const HybValueId *) (gpointer) writer->inputs->data;
  if (writer->rebuild->error)
    return;
  id = hyb_builder_add (writer->rebuild->builder, &spec, &writer->rebuild->error);
  if (id == HYB_NO_ID)
    return;
  hyb_group_match_nodes (body->conversion, body->cells, group,
                         hyb_builder_output (writer->rebuild->builder, id, 0));
  hyb_loop_body_place_outputs (body, hyb_builder_output (writer->rebuild->builder, id, 0),
                               n_out + 1);
}

static gboolean
write_group (HybConversion  *conversion,
             const HybCells *cells,
             const HybGroup *group,
             GError        **error)
{
  g_auto (HybLoopBody) body = { 0 };
  g_autoptr (HybGraph) condition = NULL;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  WhileWriter    writer = { &body, &conversion->rebuild, HYB_NO_ID, inputs };
  HybValueId     x = HYB_NO_ID, counter;
  const HybType *step_type;

  hyb_loop_body_init (&body, conversion, cells, group);
  conversion->rebuild.current = HYB_NO_ID;
  step_type = &conversion->types[hyb_chain_step (cells, body.chain, 0)->x];
  counter =
      write_counter (&body, hyb_shape_is_known (&step_type->shape) && step_type->shape.rank == 0,
                     &x, error);
  condition = hyb_counter_condition (group->n_steps, error);
  if (counter == HYB_NO_ID || x == HYB_NO_ID || !condition ||
      !hyb_loop_body_write (&body, x, counter, error))
    return FALSE;
  write_node (&writer, condition, group);
  return TRUE;
}

/* Gives constants of unknown batch size their inferred shapes. */
static void
set_constant_shapes (HybConversion *conversion)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (conversion->graph); id++)
    {
      const HybNode  *node = hyb_graph_get_node (conversion->graph, id);
      const HybShape *shape = &conversion->types[node->first_output].shape;
      g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
      g_autofree char *text = NULL;

      if (hyb_node_kind (node) != HYB_KIND_CONSTANT || !hyb_shape_is_known (shape))
        continue;
      text = hyb_shape_to_string (shape);
      for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
        {
          gboolean is_shape = strcmp (node->attributes[i], "shape") == 0;

          g_ptr_array_add (attributes, (gpointer) node->attributes[i]);
          g_ptr_array_add (attributes, is_shape ? text : (gpointer) node->attributes[i + 1]);
        }
      g_ptr_array_add (attributes, NULL);
      conversion->rebuild.current = id;
      hyb_rebuild_set_value (&conversion->rebuild, node->first_output,
                             hyb_rebuild_call (&conversion->rebuild,
                                               &(HybRebuildCall){
                                                   .op = node->op->name,
                                                   .name = node->name,
                                                   .attributes =
                                                       (const char *const *) attributes->pdata }));
    }
}

/* Whether two values are known to have the same shape. */
static gboolean
have_same_shape (const HybConversion *conversion, HybValueId a, HybValueId b)
{
  const HybShape *x = &conversion->types[a].shape, *y = &conversion->types[b].shape;

  return hyb_shape_is_known (x) && hyb_shape_is_known (y) && hyb_shape_equal (x, y);
}

/* MXNet cannot broadcast a computed array of known shape with one that comes from a while_loop,
 * whose shape it cannot infer.  The first node where that would happen, or HYB_NO_ID. */
static HybNodeId
find_shape_conflict (const HybConversion *conversion, const HybCells *cells)
{
  HybGraph          *graph = cells->graph;
  guint              n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint8 *is_behind = g_new0 (guint8, MAX (n_nodes, 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      HybValueId        open = HYB_NO_ID, closed = HYB_NO_ID;

      for (guint i = 0; i < node->n_inputs; i++)
        if (is_behind[hyb_graph_get_producer (graph, inputs[i])])
          open = inputs[i];
        else if (!hyb_value_is_variable (graph, inputs[i]))
          closed = inputs[i];
      is_behind[id] = open != HYB_NO_ID || cells->chain_of_node[id] != HYB_NO_ID;
      if (cells->chain_of_node[id] == HYB_NO_ID && open != HYB_NO_ID && closed != HYB_NO_ID &&
          node->op->infer_shape == hyb_rule_broadcast &&
          !have_same_shape (conversion, open, closed))
        return id;
    }
  return HYB_NO_ID;
}

static char *
check_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group)
{
  HybNodeId id = conversion->options->is_free ? HYB_NO_ID : find_shape_conflict (conversion, cells);

  if (id == HYB_NO_ID)
    return hyb_loop_check_group (conversion, cells, group);
  return g_strdup_printf ("“%s” broadcasts its results with other arrays, which MXNet cannot do "
                          "behind a while_loop, whose output shapes it cannot infer",
                          hyb_graph_get_node (cells->graph, id)->name);
}

static gboolean
write_while (HybConversion *conversion, HybCells *cells, GError **error)
{
  static const HybGroupWriter writer = { check_group, write_group };
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_CHAINS);

  if (!conversion->options->is_free)
    {
      hyb_rebuild_set_open_shapes (&conversion->rebuild);
      set_constant_shapes (conversion);
    }
  return hyb_write_groups (conversion, cells, groups, &writer, error);
}

static gboolean
is_while (const HybNode *node)
{
  return hyb_node_kind (node) == HYB_KIND_WHILE;
}

const HybFormClass hyb_form_while = {
  .form = HYB_FORM_WHILE,
  .name = "while",
  .doc = "A loop that runs while its counter is below the number of steps",
  .is_node = is_while,
  .write = write_while,
};
