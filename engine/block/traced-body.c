/* traced-body.c — traces the body of a loop or branch into a graph of its own.
 *
 * Used by control-foreach.c and control-while.c; control-private.h has the order of the calls.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control-private.h"

#include <string.h>

void
hyb_body_open (TracedBody *body, HybF *outer, const char *kind)
{
  const char      *around = outer->attribute_value; /* name of the surrounding body, if any */
  g_autofree char *full = around ? g_strdup_printf ("%s$%s", around, kind) : g_strdup (kind);

  *body = (TracedBody){ .outer = outer, .F = hyb_f_new_trace (outer->training) };
  body->name = hyb_f_text (outer, "%s%u", full, hyb_names_count_subgraph (full));
  body->placeholders = g_ptr_array_new ();
  body->F->parent = outer;
  g_array_unref (body->F->scopes);
  body->F->scopes = g_array_ref (outer->scopes);
  g_ptr_array_unref (body->F->path);
  body->F->path = g_ptr_array_ref (outer->path);
  hyb_f_set_node_attribute (body->F, "__subgraph_name__", body->name);
}

void
hyb_body_clear (TracedBody *body)
{
  g_ptr_array_unref (body->placeholders);
  hyb_graph_unref (body->graph);
  hyb_f_free (body->F);
}

static const HybNode *
node_of (HybF *F, const HybValue *value)
{
  return hyb_builder_get_node (F->builder, hyb_builder_get_producer (F->builder, value->id));
}

HybValue *
hyb_body_placeholders (TracedBody *body, HybValue *outer_values)
{
  g_autoptr (GPtrArray) outer = g_ptr_array_new ();
  guint first = body->placeholders->len;

  hyb_flatten_into (outer_values, outer);
  for (guint i = 0; i < outer->len; i++)
    {
      HybValue      *value = hyb_value_import (body->outer, g_ptr_array_index (outer, i));
      const HybNode *node;

      if (value->failed)
        return hyb_value_new_failed (body->F);
      node = node_of (body->outer, value);
      g_ptr_array_add (body->placeholders,
                       hyb_value_variable (body->F,
                                           hyb_f_text (body->F, "%s-%u", node->name,
                                                       value->id - node->first_output),
                                           NULL));
    }
  return hyb_restructure (body->F, outer_values,
                          (HybValue *const *) body->placeholders->pdata + first);
}

const char *
hyb_body_node_name (TracedBody *body, HybValue *value)
{
  return node_of (body->F, hyb_value_import (body->F, value))->name;
}

/* Adds the names of all variables that node id depends on.  seen: by node id. */
static void
collect_inputs (HybF *F, HybNodeId id, guint8 *seen, GHashTable *names)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  g_array_append_val (stack, id);
  while (stack->len > 0)
    {
      HybNodeId      top = g_array_index (stack, HybNodeId, stack->len - 1);
      const HybNode *node = hyb_builder_get_node (F->builder, top);

      g_array_set_size (stack, stack->len - 1);
      if (seen[top])
        continue;
      seen[top] = TRUE;
      if (hyb_node_is_variable (node))
        g_hash_table_add (names, (gpointer) node->name);
      for (guint i = 0; i < node->n_inputs; i++)
        {
          id = hyb_builder_get_producer (F->builder, hyb_builder_get_inputs (F->builder, top)[i]);
          g_array_append_val (stack, id);
        }
    }
}

GHashTable *
hyb_body_input_names (TracedBody *body, GPtrArray *values)
{
  GHashTable        *names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint8 *seen = NULL;

  for (guint i = 0; i < values->len; i++)
    values->pdata[i] = hyb_value_import (body->F, g_ptr_array_index (values, i));
  seen = g_new0 (guint8, MAX (hyb_builder_n_nodes (body->F->builder), 1));
  for (guint i = 0; i < values->len; i++)
    {
      const HybValue *value = g_ptr_array_index (values, i);

      if (!value->failed)
        collect_inputs (body->F, hyb_builder_get_producer (body->F->builder, value->id), seen,
                        names);
    }
  return names;
}

/* TRUE if the node was added by this body's trace. */
static gboolean
belongs_to_body (TracedBody *body, const HybNode *node)
{
  return g_strcmp0 (hyb_node_get_attribute (node, "__subgraph_name__"), body->name) == 0;
}

HybValue *
hyb_body_head (TracedBody *body, HybValue *value, GHashTable *input_names, GHashTable *names)
{
  const HybNode *node;

  value = hyb_value_import (body->F, value);
  if (value->failed)
    return value;
  node = node_of (body->F, value);
  if (!g_hash_table_contains (input_names, node->name) && belongs_to_body (body, node) &&
      (!names || !g_hash_table_contains (names, node->name)))
    return value;
  return HYB_OP (body->F, "_copy", .hint = "identity", .in = { value });
}

gboolean
hyb_body_close (TracedBody *body, GPtrArray *heads)
{
  g_autoptr (GError) error = NULL;

  body->graph =
      hyb_f_finish (body->F, hyb_list (body->F, heads->len, (HybValue *const *) heads->pdata),
                    &error);
  if (!body->graph)
    hyb_f_fail (body->outer, "%s", error->message);
  return body->graph != NULL;
}

guint
hyb_body_n_vars (TracedBody *body)
{
  guint n;

  hyb_graph_get_variables (body->graph, &n);
  return n;
}

static const HybNode *
variable_node (TracedBody *body, guint variable)
{
  guint n;

  return hyb_graph_get_node (body->graph, hyb_graph_get_variables (body->graph, &n)[variable]);
}

/* Placeholders are found by name, because the trace's builder is gone. */
int
hyb_body_placeholder_of (TracedBody *body, guint variable)
{
  HybValue *value = g_hash_table_lookup (body->F->variables, variable_node (body, variable)->name);
  guint     index;

  return g_ptr_array_find (body->placeholders, value, &index) ? (int) index : -1;
}

static const Capture *
capture_of (TracedBody *body, guint variable)
{
  HybValue *value = g_hash_table_lookup (body->F->variables, variable_node (body, variable)->name);

  for (guint i = 0; i < body->F->captures->len; i++)
    {
      const Capture *capture = &g_array_index (body->F->captures, Capture, i);

      if (capture->inner == value)
        return capture;
    }
  return NULL;
}

gboolean
hyb_body_is_cut (TracedBody *body, guint variable)
{
  const Capture *capture = capture_of (body, variable);

  return capture && !hyb_node_is_variable (node_of (body->outer, capture->outer));
}

HybValue *
hyb_body_outer_value (TracedBody *body, guint variable)
{
  const Capture *capture = capture_of (body, variable);
  const HybNode *node = variable_node (body, variable);

  /* A parameter that is used first in the body has a variable of its name outside as well. */
  return capture ? capture->outer : hyb_value_variable (body->outer, node->name, node->attributes);
}

const char *
hyb_locations (HybF *F, const GArray *numbers)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", g_array_index (numbers, int, i));
  g_string_append_c (text, ']');
  return hyb_f_text (F, "%s", text->str);
}

void
hyb_loop_check_step (HybF *F, HybValue *before, HybValue *after, const char *what)
{
  g_autoptr (GPtrArray) old = g_ptr_array_new ();
  g_autoptr (GPtrArray) new = g_ptr_array_new ();

  hyb_flatten_into (before, old);
  hyb_flatten_into (after, new);
  if (new->len != old->len)
    hyb_f_fail (F, "the loop body gave %u %s for %u; their number must stay the same", new->len,
                what, old->len);
}
