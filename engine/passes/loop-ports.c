/* loop-ports.c — adds variables to the body of a loop.
 *
 * A loop states in attributes which variables of its body are slices, states and captured values;
 * this file reads those attributes and writes them for a body with more variables.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/passes/loop-ports.h"

#include "engine/analysis/subgraph-types.h"

#include <string.h>

static const HybInts *
find_ints (const HybNode *node, const char *name)
{
  return hyb_params_get_ints (node->op->params, node->params, name);
}

gboolean
hyb_loop_ports_find (HybGraph *graph, HybNodeId id, HybLoopPorts *ports)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  const HybInts *data, *states, *captured;

  if (node->n_bodies != 1 || !node->op->params)
    return FALSE;
  data = find_ints (node, "in_data_locs");
  states = find_ints (node, "in_state_locs");
  captured = find_ints (node, "remain_locs");
  if (!data || !states || !captured)
    return FALSE;

  *ports = (HybLoopPorts){ *data, *states, *captured, 0, 0 };
  ports->n_variables = (guint) (data->n + states->n + captured->n);
  ports->first = node->n_inputs - ports->n_variables; /* a backward loop has other inputs first */
  return data->n > 0;
}

/* The input of the node that feeds a variable, if the variable is listed in `variables`. */
static guint
find_input (const HybInts *group, guint first, guint variable)
{
  for (int i = 0; i < group->n; i++)
    if (group->value[i] == variable)
      return first + (guint) i;
  return G_MAXUINT;
}

guint
hyb_loop_ports_variable (HybGraph *body, HybValueId value)
{
  HybNodeId        id = hyb_graph_get_producer (body, value);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  for (guint v = 0; v < n; v++)
    if (variables[v] == id)
      return v;
  return G_MAXUINT;
}

HybType *
hyb_loop_ports_body_types (const HybLoopPorts *ports,
                           HybGraph           *graph,
                           HybNodeId           id,
                           const HybFacts     *facts)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  const HybValueId   *inputs = hyb_graph_get_inputs (graph, id);
  HybGraph           *body = hyb_graph_get_bodies (graph, id)[0];
  const HybInts      *groups[] = { &ports->data, &ports->states, &ports->captured };
  guint               n, input = ports->first;
  g_autofree HybType *variables = NULL, *all = NULL;

  hyb_graph_get_variables (body, &n);
  variables = g_new (HybType, MAX (n, 1));
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (int i = 0; i < groups[g]->n; i++, input++)
      {
        HybType type = facts->types[inputs[input]];

        if (g == 0)
          type.shape = hyb_loop_row_shape (&type.shape, hyb_graph_has_legacy_shapes (graph));
        if (groups[g]->value[i] < 0 || groups[g]->value[i] >= n || input >= node->n_inputs)
          return NULL;
        variables[groups[g]->value[i]] = type;
      }
  if (n > ports->n_variables)
    {
      all = hyb_subgraph_gradient_types (body, variables, n - ports->n_variables, facts->training,
                                         NULL);
      if (!all)
        return NULL;
    }
  return hyb_subgraph_value_types (body, all ? all : variables, facts->training, NULL);
}

guint
hyb_loop_ports_data_input (const HybLoopPorts *ports, guint variable)
{
  return find_input (&ports->data, ports->first, variable);
}

guint
hyb_loop_ports_captured_input (const HybLoopPorts *ports, guint variable)
{
  return find_input (&ports->captured, ports->first + (guint) (ports->data.n + ports->states.n),
                     variable);
}

/* A name that no variable of the body has.  (transfer full) */
static char *
choose_name (HybGraph *body, guint n_others, char *const *others, const char *preferred)
{
  g_autofree char *name = g_strdup (preferred);
  gboolean         is_taken = TRUE;

  while (is_taken)
    {
      is_taken = hyb_graph_find_variable (body, name) != HYB_NO_ID;
      for (guint i = 0; i < n_others; i++)
        is_taken |= strcmp (others[i], name) == 0;
      if (is_taken)
        {
          char *longer = g_strconcat (name, "_", NULL);

          g_free (name);
          name = longer;
        }
    }
  return g_steal_pointer (&name);
}

void
hyb_loop_ports_start_body (const HybLoopPorts    *ports,
                           HybGraph              *body,
                           const HybLoopAddition *addition,
                           HybRewrite            *rewrite,
                           GArray                *map)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);
  g_auto (GStrv) chosen = g_new0 (char *, addition->n + 1);

  for (guint i = 0; i < addition->n; i++)
    chosen[i] = choose_name (body, i, chosen, addition->names[i]);
  hyb_rewrite_init (rewrite, body, map);
  for (guint v = 0; v <= n; v++)
    {
      for (guint i = 0; v == ports->n_variables && i < addition->n; i++)
        addition->values[i] = hyb_builder_add_variable (rewrite->builder, chosen[i], NULL);
      if (v < n)
        hyb_rewrite_copy (rewrite, variables[v]);
    }
}

HybGraph *
hyb_loop_ports_cut_body (const HybLoopPorts *ports, HybGraph *body, guint n, const HybNodeId *nodes)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree const char **names = g_new (const char *, MAX (n, 1));
  g_autofree HybValueId  *added = g_new (HybValueId, MAX (n, 1));
  HybRewrite              rewrite;

  for (guint i = 0; i < n; i++)
    names[i] = hyb_graph_get_node (body, nodes[i])->name;
  hyb_loop_ports_start_body (ports, body,
                             &(HybLoopAddition){ .n = n, .names = names, .values = added },
                             &rewrite, map);
  for (guint i = 0; i < n; i++)
    g_array_index (map, HybValueId, hyb_graph_get_node (body, nodes[i])->first_output) = added[i];
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);

      if (!hyb_node_is_variable (node) &&
          (node->n_outputs != 1 ||
           g_array_index (map, HybValueId, node->first_output) == HYB_NO_ID))
        hyb_rewrite_copy (&rewrite, id);
    }
  return hyb_rewrite_finish (&rewrite, NULL);
}

/* The attributes of the loop with more variables in one of the groups. */
static char **
make_attributes (const HybNode *loop, const HybLoopPorts *ports, gboolean sliced, guint n_added)
{
  const HybInts *group = sliced ? &ports->data : &ports->captured;
  const char    *name = sliced ? "in_data_locs" : "remain_locs";
  g_autoptr (GString) locations = g_string_new ("(");
  g_autofree char *count =
      g_strdup_printf ("%u", ports->n_variables + n_added + 1); /* and one for the body */
  GPtrArray *pairs = g_ptr_array_new ();

  for (int i = 0; i < group->n; i++)
    g_string_append_printf (locations, "%" G_GINT64_FORMAT ",", group->value[i]);
  for (guint p = 0; p < n_added; p++)
    g_string_append_printf (locations, "%u,", ports->n_variables + p);
  g_string_append_c (locations, ')');

  for (guint i = 0; loop->attributes && loop->attributes[i]; i += 2)
    {
      const char *key = loop->attributes[i];
      const char *value = strcmp (key, name) == 0         ? locations->str
                          : strcmp (key, "num_args") == 0 ? count
                                                          : loop->attributes[i + 1];

      g_ptr_array_add (pairs, g_strdup (key));
      g_ptr_array_add (pairs, g_strdup (value));
    }
  g_ptr_array_add (pairs, NULL);
  return (char **) g_ptr_array_free (pairs, FALSE);
}

void
hyb_loop_ports_make_loop (const HybLoopPorts       *ports,
                          HybRewrite               *rewrite,
                          HybNodeId                 id,
                          const HybLoopReplacement *replacement)
{
  gboolean          is_sliced = replacement->is_sliced;
  HybGraph         *body = replacement->body;
  const HybNode    *node = hyb_graph_get_node (rewrite->from, id);
  const HybValueId *old = hyb_rewrite_inputs (rewrite, id);
  guint             before = is_sliced ? ports->first + (guint) ports->data.n : node->n_inputs;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_auto (GStrv) attributes = make_attributes (node, ports, is_sliced, replacement->n_added);
  HybNodeSpec spec = { .op = node->op,
                       .type = node->type,
                       .attributes = (const char *const *) attributes,
                       .n_bodies = 1,
                       .bodies = &body };

  g_array_append_vals (inputs, old, before);
  g_array_append_vals (inputs, replacement->added, replacement->n_added);
  g_array_append_vals (inputs, old + before, node->n_inputs - before);
  spec.n_inputs = inputs->len;
  spec.inputs = (gconstpointer) inputs->data;
  hyb_rewrite_replace (rewrite, id, &spec);
}

void
hyb_loop_ports_copy_loop (HybRewrite       *rewrite,
                          HybNodeId         id,
                          const HybValueId *inputs,
                          HybGraph         *body)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);

  hyb_rewrite_replace (rewrite, id,
                       &(HybNodeSpec){ .op = node->op,
                                       .type = node->type,
                                       .attributes = node->attributes,
                                       .n_inputs = node->n_inputs,
                                       .inputs = inputs,
                                       .n_bodies = 1,
                                       .bodies = &body });
}
