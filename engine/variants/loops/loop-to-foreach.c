/* loop-to-foreach.c — a while_loop that counts up by one becomes a foreach over the numbers, or over
 * the arrays whose rows it takes.
 *
 * Start reading at hyb_rewrite_as_foreach().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/loop-to-foreach.h"

#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"

/* Whether the body reads a variable only as rows at the counter, of an array with one row per
 * step. */
static gboolean
is_read_by_rows (const HybRewrittenLoop *loop,
                 HybNodeId               variable,
                 HybValueId              array,
                 HybValueId              counter)
{
  const HybShape  *shape = &loop->conversion->types[array].shape;
  guint            n, n_row;
  const HybNodeId *users =
      hyb_graph_get_users (loop->body, hyb_graph_get_node (loop->body, variable)->first_output, &n);

  if (n == 0 || shape->rank < 1 || shape->dim[0] != (gint64) loop->n_steps)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const HybNode    *take = hyb_graph_get_node (loop->body, users[i]);
      const HybValueId *inputs = hyb_graph_get_inputs (loop->body, users[i]);
      const HybNodeId  *readers = hyb_graph_get_users (loop->body, take->first_output, &n_row);

      if (hyb_node_kind (take) != HYB_KIND_TAKE || hyb_node_int (take, "axis", 0) != 0 ||
          inputs[1] != counter ||
          inputs[0] != hyb_graph_get_node (loop->body, variable)->first_output)
        return FALSE;
      /* take() with one index keeps an axis of 1, and a foreach passes rows without it: each
       * reader must squeeze it off. */
      for (guint r = 0; shape->rank > 1 && r < n_row; r++)
        {
          const HybNode *squeeze = hyb_graph_get_node (loop->body, readers[r]);
          const HybInts *axis = hyb_node_ints (squeeze, "axis");

          if (hyb_node_kind (squeeze) != HYB_KIND_SQUEEZE || !axis || axis->n != 1 ||
              axis->value[0] != 0)
            return FALSE;
        }
    }
  return TRUE;
}

/* The rows that the body takes from this variable are row. */
static void
set_rows (HybRewrittenLoop *loop, HybNodeId variable, gboolean is_vector, HybValueId row)
{
  guint            n, n_row;
  const HybNode   *node = hyb_graph_get_node (loop->body, variable);
  const HybNodeId *users = hyb_graph_get_users (loop->body, node->first_output, &n);

  loop->values[node->first_output] = row;
  for (guint i = 0; i < n; i++)
    {
      HybValueId       taken = hyb_graph_get_node (loop->body, users[i])->first_output;
      const HybNodeId *readers = hyb_graph_get_users (loop->body, taken, &n_row);

      loop->values[taken] = row;
      for (guint r = 0; !is_vector && r < n_row; r++)
        loop->values[hyb_graph_get_node (loop->body, readers[r])->first_output] = row;
    }
}

/* The counterpart in a foreach of a variable of a while_loop's body. */
typedef enum
{
  PORT_DATA,
  PORT_STATE,
  PORT_CAPTURED,
  N_PORTS,
} Port;

/* Adds the variables of this port and their inputs. */
static void
add_ports (HybRewrittenLoop *loop, const HybCountedLoop *counted, Port port)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (loop->body, &n);
  const HybInts   *places = hyb_node_ints (loop->node, "func_var_locs");
  HybValueId       counter =
      hyb_graph_get_node (loop->body, variables[places->value[counted->state]])->first_output;

  for (guint s = 0; port == PORT_STATE && s < loop->n_states; s++)
    {
      guint v = (guint) places->value[s];
      guint input = loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 1, v);
      const HybNode *node = hyb_graph_get_node (loop->body, variables[v]);

      /* A foreach counts by itself, so the counter is no state. */
      if (s == counted->state)
        continue;
      loop->values[node->first_output] =
          hyb_rewritten_loop_variable (loop, node->name, loop->new_inputs->len);
      hyb_rewritten_loop_add_input (loop, hyb_rebuild_value (loop->rebuild, loop->inputs[input]));
    }
  for (guint v = 0; port != PORT_STATE && v < n; v++)
    {
      guint input = loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 1, v);
      const HybNode *node = hyb_graph_get_node (loop->body, variables[v]);
      gboolean       is_loop_variable = FALSE, is_data;
      HybValueId     value;

      for (guint s = 0; s < loop->n_states; s++)
        is_loop_variable = is_loop_variable || places->value[s] == v;
      /* Data of a foreach begin with row 0, so the counter must begin with 0, too. */
      is_data =
          counted->begin == 0 && is_read_by_rows (loop, variables[v], loop->inputs[input], counter);
      if (is_loop_variable || is_data != (port == PORT_DATA))
        continue;
      value = hyb_rewritten_loop_variable (loop, node->name, loop->new_inputs->len);
      loop->values[node->first_output] = value;
      if (is_data)
        set_rows (loop, variables[v], loop->conversion->types[loop->inputs[input]].shape.rank == 1,
                  value);
      hyb_rewritten_loop_add_input (loop, hyb_rebuild_value (loop->rebuild, loop->inputs[input]));
    }
}

/* Makes the counter a data array of all its numbers. */
static void
add_numbers (HybRewrittenLoop *loop, const HybCountedLoop *counted, HybValueId counter)
{
  char              start[G_ASCII_DTOSTR_BUF_SIZE], stop[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const attributes[] = {
    "dtype", "float32",
    "start", g_ascii_dtostr (start, sizeof start, counted->begin),
    "stop",  g_ascii_dtostr (stop, sizeof stop, counted->begin + loop->n_steps),
    NULL
  };

  loop->values[counter] = hyb_rewritten_loop_variable (loop, "step-0", loop->new_inputs->len);
  hyb_rewritten_loop_add_input (loop, hyb_rebuild_call (loop->rebuild,
                                                        &(HybRebuildCall){ "_arange", "steps", 0,
                                                                           NULL, attributes }));
}

/* Sets the values of the old node's outputs. */
static void
set_outputs (HybRewrittenLoop *loop, const HybCountedLoop *counted, HybValueId first)
{
  char              end[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const attributes[] = {
    "dtype", "float32", "shape",
    "(1,)",  "value",   g_ascii_dtostr (end, sizeof end, counted->begin + loop->n_steps),
    NULL
  };

  for (guint i = 0; i < loop->node->n_outputs; i++)
    {
      HybValueId old = loop->node->first_output + i;

      if (i == loop->n_out + counted->state)
        hyb_rebuild_set_value (loop->rebuild, old,
                               hyb_rebuild_call (loop->rebuild,
                                                 &(HybRebuildCall){ "_full", "last_step", 0, NULL,
                                                                    attributes }));
      else
        hyb_rebuild_set_value (loop->rebuild, old,
                               first + i - (i > loop->n_out + counted->state ? 1 : 0));
    }
}

gboolean
hyb_rewrite_as_foreach (HybRewrittenLoop *loop, GError **error)
{
  HybCountedLoop   counted;
  guint            n_variables, n_data, n_outputs = loop->n_out + loop->n_states - 1;
  const HybNodeId *variables = hyb_graph_get_variables (loop->body, &n_variables);
  g_autofree char *data = NULL, *states = NULL, *captured = NULL;
  g_autofree char *n_args = NULL, *n_data_out = NULL, *n_all = NULL;
  HybValueId       counter;

  if (!hyb_count_loop (loop->conversion->graph, loop->id, &counted))
    return hyb_rewritten_loop_refuse (loop, error,
                                      "it does not count its steps up by one from a constant");
  loop->n_steps = counted.n_steps;
  if (loop->n_out > 0 && counted.n_steps != hyb_node_int (loop->node, "max_iterations", 0))
    return hyb_rewritten_loop_refuse (
        loop, error, "it stops before max_iterations, and a foreach has no such rows");
  counter = hyb_graph_get_node (loop->body, variables[hyb_node_ints (loop->node, "func_var_locs")
                                                          ->value[counted.state]])
                ->first_output;
  add_ports (loop, &counted, PORT_DATA);
  if (loop->new_inputs->len == 0 ||
      hyb_counter_is_read (loop->body, loop->values, counter, counted.next))
    add_numbers (loop, &counted, counter);
  else
    loop->values[counter] = loop->values[counted.next] = 0; /* not read */
  n_data = loop->new_inputs->len;
  add_ports (loop, &counted, PORT_STATE);
  add_ports (loop, &counted, PORT_CAPTURED);
  hyb_rewritten_loop_copy_nodes (loop);
  for (guint i = 0; i < loop->n_out + loop->n_states; i++)
    if (i != loop->n_out + counted.state)
      hyb_rewritten_loop_add_head (loop, i);
  hyb_rewritten_loop_end_body (loop);
  data = hyb_rewritten_loop_positions (loop, 0, n_data);
  states = hyb_rewritten_loop_positions (loop, n_data, loop->n_states - 1);
  captured = hyb_rewritten_loop_positions (loop, n_data + loop->n_states - 1,
                                           loop->new_inputs->len - n_data - (loop->n_states - 1));
  if (!data || !states || !captured)
    return hyb_rewritten_loop_refuse (loop, error, "its body does not read one of its variables");
  n_args = g_strdup_printf ("%u", loop->new_inputs->len + 1);
  n_data_out = g_strdup_printf ("%u", loop->n_out);
  n_all = g_strdup_printf ("%u", n_outputs);
  set_outputs (loop, &counted,
               hyb_rewritten_loop_add (loop, "_foreach",
                                       (const char *const[]){
                                           "in_data_locs", data, "in_state_locs", states,
                                           "num_args", n_args, "num_out_data", n_data_out,
                                           "num_outputs", n_all, "remain_locs", captured, NULL },
                                       NULL));
  return TRUE;
}
