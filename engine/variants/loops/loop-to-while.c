/* loop-to-while.c — a foreach becomes a while_loop that counts its steps and takes the rows of its
 * data by number.
 *
 * Start reading at hyb_rewrite_as_while().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/loop-to-while.h"

#include "engine/base/remedy.h"
#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/loops/while-states.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/unroll.h"

/* The row of a data array at the counter.  In MXNet's graphs a row of a vector is a vector of one element. */
static HybValueId
take_row (HybRewrittenLoop *loop, HybValueId data, HybValueId counter, gboolean is_vector)
{
  gboolean          is_legacy = hyb_graph_has_legacy_shapes (loop->body);
  const char *const axis[] = { "axis", "0", NULL };
  const HybValueId  pair[] = { data, counter };
  HybValueId        row =
      hyb_rewritten_loop_call (loop, "take",
                               &(HybNodeSpec){ .name = "row", .n_inputs = 2, .inputs = pair });

  if (is_vector && is_legacy)
    return row;
  return hyb_rewritten_loop_call (loop, is_vector ? "_np_squeeze" : "squeeze",
                                  &(HybNodeSpec){ .name = "input",
                                                  .n_inputs = 1,
                                                  .inputs = &row,
                                                  .attributes = axis });
}

/* Writes the body: counter, states, data arrays, other inputs. */
static gboolean
write_while_body (HybRewrittenLoop *loop, guint n_data, GError **error)
{
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (loop->body, &n);
  const char *const one[] = { "scalar", "1", NULL };
  HybValueId        counter = hyb_rewritten_loop_variable (loop, "step-0", 0);

  for (guint v = 0; v < n; v++)
    {
      const HybNode *node = hyb_graph_get_node (loop->body, variables[v]);
      guint input = loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 0, v);
      /* Inputs of a foreach: data, states, captured.  Of the while loop: counter, states, data,
       * captured; hence the shifted positions. */
      gboolean is_data = input < n_data, is_state = !is_data && input < n_data + loop->n_states;
      const HybShape *shape = &loop->conversion->types[loop->inputs[input]].shape;
      HybValueId      value = hyb_rewritten_loop_variable (loop, node->name,
                                                      is_data    ? 1 + loop->n_states + input
                                                           : is_state ? 1 + input - n_data
                                                                      : 1 + input);

      if (is_data && shape->rank < 1)
        {
          hyb_rewritten_loop_refuse (loop, error, "the rank of its data is not known");
          return hyb_error_add_remedy (error, HYB_REMEDY_SHAPES, NULL);
        }
      loop->values[node->first_output] =
          is_data ? take_row (loop, value, counter, shape->rank == 1) : value;
    }
  hyb_rewritten_loop_copy_nodes (loop);
  /* Heads: outputs, then the new value of each loop variable, the counter first. */
  for (guint i = 0; i < loop->n_out; i++)
    hyb_rewritten_loop_add_head (loop, i);
  hyb_builder_add_head (loop->builder,
                        hyb_rewritten_loop_call (loop, "_plus_scalar",
                                                 &(HybNodeSpec){ .name = "next_step",
                                                                 .n_inputs = 1,
                                                                 .inputs = &counter,
                                                                 .attributes = one }));
  for (guint s = 0; s < loop->n_states; s++)
    hyb_rewritten_loop_add_head (loop, loop->n_out + s);
  if (loop->error)
    {
      g_propagate_error (error, g_steal_pointer (&loop->error));
      return FALSE;
    }
  hyb_rewritten_loop_end_body (loop);
  return TRUE;
}

/* Fills new_inputs: counter, states, data arrays, other inputs. */
static void
list_while_inputs (HybRewrittenLoop *loop, guint n_data)
{
  const char *const zero[] = { "dtype", "float32", "shape", "(1,)", NULL };
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybWhileStates states = { loop->rebuild, HYB_NO_ID, loop->inputs[0], others };
  guint          n = loop->node->n_inputs, n_first = n_data + loop->n_states;

  states.data = hyb_rebuild_value (loop->rebuild, loop->inputs[0]);
  g_array_append_vals (others, loop->inputs + n_first, n - n_first);
  hyb_rewritten_loop_add_input (loop, hyb_rebuild_call (loop->rebuild,
                                                        &(HybRebuildCall){ "_zeros", "first_step",
                                                                           0, NULL, zero }));
  for (guint s = 0; s < loop->n_states; s++)
    hyb_rewritten_loop_add_input (loop,
                                  loop->conversion->types[loop->inputs[0]].shape.rank == 3
                                      ? hyb_while_initial_state (&states, loop->inputs[n_data + s])
                                      : hyb_rebuild_value (loop->rebuild,
                                                           loop->inputs[n_data + s]));
  for (guint i = 0; i < n_data; i++)
    hyb_rewritten_loop_add_input (loop, hyb_rebuild_value (loop->rebuild, loop->inputs[i]));
  for (guint i = n_first; i < n; i++)
    hyb_rewritten_loop_add_input (loop, hyb_rebuild_value (loop->rebuild, loop->inputs[i]));
}

gboolean
hyb_rewrite_as_while (HybRewrittenLoop *loop, GError **error)
{
  guint            n_data = (guint) hyb_node_ints (loop->node, "in_data_locs")->n;
  g_autofree char *limit = NULL, *n_args = NULL, *n_data_out = NULL, *n_outputs = NULL;
  g_autofree char *inputs = NULL, *places = NULL;
  g_autoptr (HybGraph) condition = NULL;
  guint      n_variables;
  HybValueId first;

  if (n_data == 0)
    return hyb_rewritten_loop_refuse (
        loop, error, "the loop has no input array that determines its number of steps");
  if (!hyb_unroll_length (loop->conversion, loop->id, loop->inputs[0], &loop->n_steps, error) ||
      !write_while_body (loop, n_data, error))
    return FALSE;
  places = hyb_rewritten_loop_positions (loop, 0, 1 + loop->n_states);
  if (!places)
    return hyb_rewritten_loop_refuse (loop, error, "its body does not read one of its states");
  condition = hyb_counter_condition (loop->n_steps, error);
  if (!condition)
    return FALSE;
  list_while_inputs (loop, n_data);
  inputs = hyb_rewritten_loop_inputs (loop);
  hyb_graph_get_variables (loop->written, &n_variables);
  limit = g_strdup_printf ("%u", loop->n_steps);
  n_args = g_strdup_printf ("%u", loop->new_inputs->len + 2);
  n_data_out = g_strdup_printf ("%u", loop->n_out);
  n_outputs = g_strdup_printf ("%u", loop->n_out + 1 + loop->n_states);
  first = hyb_rewritten_loop_add (loop, "_while_loop",
                                  (const char *const[]){
                                      "cond_input_locs", "[0]", "func_input_locs", inputs,
                                      "func_var_locs", places, "max_iterations", limit, "num_args",
                                      n_args, "num_out_data", n_data_out, "num_outputs", n_outputs,
                                      NULL },
                                  condition);
  /* The final counter stands between outputs and final states, and has no counterpart in the
   * foreach. */
  for (guint i = 0; i < loop->node->n_outputs; i++)
    hyb_rebuild_set_value (loop->rebuild, loop->node->first_output + i,
                           first + i + (i >= loop->n_out ? 1 : 0));
  return TRUE;
}
