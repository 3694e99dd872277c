/* rewritten-loop.c — copies the body of a loop to other variables and adds the new loop.
 *
 * Variables of the new body are found again by name, because their order changes when the body is
 * put in the order of MXNet's files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/rewritten-loop.h"

#include "engine/analysis/depth-first.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/variants/node-kind.h"

#include <string.h>

void
hyb_rewritten_loop_init (HybRewrittenLoop *loop, HybConversion *conversion, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (conversion->graph, id);

  *loop = (HybRewrittenLoop){ .conversion = conversion, .rebuild = &conversion->rebuild, .id = id };
  loop->node = node;
  loop->inputs = hyb_graph_get_inputs (conversion->graph, id);
  loop->body = hyb_graph_get_bodies (conversion->graph, id)[node->n_bodies - 1];
  loop->n_out = (guint) hyb_node_int (node, "num_out_data", 0);
  loop->n_states = (guint) hyb_node_int (node, "num_outputs", 0) - loop->n_out;
  loop->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (loop->builder, hyb_graph_has_legacy_shapes (loop->body));
  loop->values = g_new (HybValueId, MAX (hyb_graph_n_values (loop->body), 1));
  memset (loop->values, 0xff, hyb_graph_n_values (loop->body) * sizeof (HybValueId));
  loop->input_of_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  loop->new_inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
}

void
hyb_rewritten_loop_clear (HybRewrittenLoop *loop)
{
  g_clear_pointer (&loop->builder, hyb_builder_free);
  g_clear_pointer (&loop->values, g_free);
  g_clear_pointer (&loop->input_of_name, g_hash_table_unref);
  g_clear_pointer (&loop->written, hyb_graph_unref);
  g_clear_pointer (&loop->new_inputs, g_array_unref);
  g_clear_error (&loop->error);
}

gboolean
hyb_rewritten_loop_refuse (const HybRewrittenLoop *loop, GError **error, const char *what)
{
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, loop->node->name, NULL, "%s",
                what);
  return hyb_error_add_remedy (error, HYB_REMEDY_UNROLL, NULL);
}

/* --- The new body --- */

HybValueId
hyb_rewritten_loop_variable (HybRewrittenLoop *loop, const char *name, guint input)
{
  g_autofree char *unique = g_strdup (name);

  for (guint i = 0; g_hash_table_contains (loop->input_of_name, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s%u", name, i);
    }
  g_hash_table_insert (loop->input_of_name, g_strdup (unique), GUINT_TO_POINTER (input + 1));
  return hyb_builder_add_variable (loop->builder, unique, NULL);
}

HybValueId
hyb_rewritten_loop_call (HybRewrittenLoop *loop, const char *op, const HybNodeSpec *spec)
{
  HybValueId value;

  if (loop->error)
    return 0;
  value = hyb_builder_call (loop->builder, op, spec, &loop->error);
  return value == HYB_NO_ID ? 0 : value;
}

void
hyb_rewritten_loop_copy_nodes (HybRewrittenLoop *loop)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (loop->body) && !loop->error; id++)
    {
      const HybNode         *node = hyb_graph_get_node (loop->body, id);
      const HybValueId      *inputs = hyb_graph_get_inputs (loop->body, id);
      g_autofree HybValueId *values = g_new (HybValueId, node->n_inputs + 1);
      HybValueId             first;

      if (node->n_outputs == 0 || loop->values[node->first_output] != HYB_NO_ID)
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        values[i] = loop->values[inputs[i]];
      first = hyb_builder_copy (loop->builder, loop->body, id, values);
      for (guint i = 0; i < node->n_outputs; i++)
        loop->values[node->first_output + i] = first + i;
    }
}

void
hyb_rewritten_loop_add_head (HybRewrittenLoop *loop, guint head)
{
  guint n;

  hyb_builder_add_head (loop->builder, loop->values[hyb_graph_get_heads (loop->body, &n)[head]]);
}

char *
hyb_rewritten_loop_positions (const HybRewrittenLoop *loop, guint first, guint n)
{
  g_autoptr (GString) text = g_string_new ("[");
  guint            n_variables;
  const HybNodeId *variables = hyb_graph_get_variables (loop->written, &n_variables);

  for (guint input = first; input < first + n; input++)
    {
      guint v = 0;

      while (v < n_variables &&
             GPOINTER_TO_UINT (
                 g_hash_table_lookup (loop->input_of_name,
                                      hyb_graph_get_node (loop->written, variables[v])->name)) !=
                 input + 1)
        v++;
      if (v == n_variables)
        return NULL;
      g_string_append_printf (text, "%s%u", input > first ? ", " : "", v);
    }
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
hyb_rewritten_loop_inputs (const HybRewrittenLoop *loop)
{
  GString         *text = g_string_new ("[");
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (loop->written, &n);

  for (guint v = 0; v < n; v++)
    g_string_append_printf (text, "%s%u", v > 0 ? ", " : "",
                            GPOINTER_TO_UINT (
                                g_hash_table_lookup (loop->input_of_name,
                                                     hyb_graph_get_node (loop->written,
                                                                         variables[v])
                                                         ->name)) -
                                1);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

void
hyb_rewritten_loop_end_body (HybRewrittenLoop *loop)
{
  g_autoptr (HybGraph) graph = hyb_builder_freeze (g_steal_pointer (&loop->builder));

  loop->written = hyb_graph_depth_first (graph, NULL);
}

HybValueId
hyb_rewritten_loop_add (HybRewrittenLoop  *loop,
                        const char        *op,
                        const char *const *attributes,
                        HybGraph          *condition)
{
  HybGraph *const bodies[] = { condition ? condition : loop->written, loop->written };
  HybNodeSpec     spec = { .op = hyb_op_find (op),
                           .name = hyb_rebuild_name (loop->rebuild, "%s", loop->node->name),
                           .attributes = attributes,
                           .n_inputs = loop->new_inputs->len,
                           .inputs = (const HybValueId *) (gpointer) loop->new_inputs->data,
                           .n_bodies = condition ? 2 : 1,
                           .bodies = bodies };
  HybNodeId       id;
  HybValueId      first;

  if (loop->rebuild->error)
    return 0;
  id = hyb_builder_add (loop->rebuild->builder, &spec, &loop->rebuild->error);
  if (id == HYB_NO_ID)
    return 0;
  first = hyb_builder_output (loop->rebuild->builder, id, 0);
  hyb_rebuild_add_match (loop->rebuild, loop->id, first, -1);
  return first;
}

void
hyb_rewritten_loop_add_input (HybRewrittenLoop *loop, HybValueId value)
{
  g_array_append_val (loop->new_inputs, value);
}
