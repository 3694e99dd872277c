/* hoisted.c — moves computations from parameters alone out of the body of a loop.
 *
 * Exporters of scripted modules and of Keras cut and join the weights of a layer inside the loop, in every step;
 * tensorflow-onnx also hands weights from step to step as states that no step changes.  Such values are computed once and
 * captured, and arithmetic with a stored number becomes an operator with a number.  Start at hyb_loop_hoist().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/hoisted.h"

#include "engine/analysis/depth-first.h"
#include "engine/exec/executor.h"
#include "engine/graph/builder.h"
#include "engine/graph/with-heads.h"
#include "engine/ops/array/constant.h"
#include "engine/variants/lowered/with-number.h"
#include "engine/variants/node-kind.h"

#include <string.h>

typedef struct
{
  HybGraph   *body;
  HybTensor **value; /* by variable of body: its contents in every step; NULL: unknown */
  guint8     *fixed; /* by node of body: it is computed from such values alone */
  GArray     *found; /* of HybValueId: fixed values that other nodes read */
  guint *
      place; /* by variable of body: its number in the new body; G_MAXUINT: nothing reads it there */
} Hoisting;

/* Whether a node only moves or joins elements, as weights are prepared. */
static gboolean
prepares (const HybNode *node)
{
  return node->op->category == HYB_CATEGORY_MOVEMENT ||
         hyb_constant_get_contents (node->op, node->params);
}

/* The operator that a node becomes because one of its inputs is a stored number, the input's place and the number; NULL: it
 * stays. */
static const char *
find_number (const Hoisting *hoisting, HybNodeId id, guint *at, double *number)
{
  const HybNode    *node = hyb_graph_get_node (hoisting->body, id);
  const HybValueId *inputs = hyb_graph_get_inputs (hoisting->body, id);
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (hoisting->body, &n);

  for (*at = 0; *at < node->n_inputs && *at < 2; (*at)++)
    for (guint v = 0; v < n && hyb_op_with_number (node->op, *at); v++)
      if (hoisting->value[v] && hyb_tensor_get_shape (hoisting->value[v])->rank == 0 &&
          hyb_dtype_is_float (hyb_tensor_get_dtype (hoisting->value[v])) &&
          inputs[*at] == hyb_graph_get_node (hoisting->body, variables[v])->first_output)
        {
          *number = hyb_tensor_get_value (hoisting->value[v], 0);
          return hyb_op_with_number (node->op, *at);
        }
  return NULL;
}

/* Whether arithmetic with a stored number becomes an operator with a number. */
static gboolean
has_numbers (const Hoisting *hoisting)
{
  guint  at;
  double number;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hoisting->body); id++)
    if (find_number (hoisting, id, &at, &number))
      return TRUE;
  return FALSE;
}

/* FALSE if only constants are fixed. */
static gboolean
find_fixed (Hoisting *hoisting)
{
  gboolean          has_any = FALSE;
  guint             n, n_heads;
  const HybNodeId  *variables = hyb_graph_get_variables (hoisting->body, &n);
  const HybValueId *heads = hyb_graph_get_heads (hoisting->body, &n_heads);

  for (guint v = 0; v < n; v++)
    hoisting->fixed[variables[v]] = hoisting->value[v] != NULL;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hoisting->body); id++)
    {
      const HybNode    *node = hyb_graph_get_node (hoisting->body, id);
      const HybValueId *inputs = hyb_graph_get_inputs (hoisting->body, id);
      gboolean          fixed = prepares (node);

      if (hyb_node_is_variable (node))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        fixed = fixed && hoisting->fixed[hyb_graph_get_producer (hoisting->body, inputs[i])];
      hoisting->fixed[id] = fixed;
      has_any |= fixed && node->n_inputs > 0;
    }
  for (guint h = 0; h < n_heads; h++) /* the next step reads the result of this one */
    hoisting->fixed[hyb_graph_get_producer (hoisting->body, heads[h])] = FALSE;
  return has_any;
}

static void
find_read (Hoisting *hoisting)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hoisting->body); id++)
    {
      const HybNode *node = hyb_graph_get_node (hoisting->body, id);

      for (guint o = 0; hoisting->fixed[id] && node->n_inputs > 0 && o < node->n_outputs; o++)
        {
          HybValueId       value = node->first_output + o;
          guint            n;
          const HybNodeId *users = hyb_graph_get_users (hoisting->body, value, &n);
          gboolean         is_read = FALSE;

          for (guint u = 0; u < n; u++)
            is_read |= !hoisting->fixed[users[u]];
          if (is_read)
            g_array_append_val (hoisting->found, value);
        }
    }
}

/* Whether a node of the new body reads this value of the old one, or a step returns it. */
static gboolean
is_read (const Hoisting *hoisting, HybValueId value)
{
  guint             n, n_heads, at;
  double            number;
  const HybNodeId  *users = hyb_graph_get_users (hoisting->body, value, &n);
  const HybValueId *heads = hyb_graph_get_heads (hoisting->body, &n_heads);

  for (guint h = 0; h < n_heads; h++)
    if (heads[h] == value)
      return TRUE;
  for (guint u = 0; u < n; u++)
    if (!hoisting->fixed[users[u]] &&
        (!find_number (hoisting, users[u], &at, &number) ||
         hyb_graph_get_inputs (hoisting->body, users[u])[1 - at] == value))
      return TRUE;
  return FALSE;
}

/* Numbers the variables that stay: MXNet's bodies read all of their variables. */
static void
find_places (Hoisting *hoisting, const HybNode *node)
{
  guint            n, next = 0;
  const HybNodeId *variables = hyb_graph_get_variables (hoisting->body, &n);

  for (guint v = 0; v < n; v++)
    {
      HybValueId value = hyb_graph_get_node (hoisting->body, variables[v])->first_output;
      gboolean   is_captured =
          node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_CAPTURED;

      hoisting->place[v] = is_captured && !is_read (hoisting, value) ? G_MAXUINT : next++;
    }
}

/* Runs the part of the body that makes the values.  (transfer full) of HybTensor; NULL: it cannot be run */
static GPtrArray *
compute (const Hoisting *hoisting)
{
  const HybValueId *values = (const HybValueId *) (gpointer) hoisting->found->data;
  g_autoptr (HybGraph) whole = hyb_graph_with_heads (hoisting->body, hoisting->found->len, values);
  g_autoptr (HybGraph) graph = hyb_graph_depth_first (whole, NULL);
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (graph, &(HybExecutorOptions){ .mode = HYB_MODE_IMPERATIVE });
  g_autoptr (GPtrArray) tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (hoisting->body, &n);

  for (guint v = 0; v < n; v++)
    {
      const char *name = hyb_graph_get_node (hoisting->body, variables[v])->name;

      if (hoisting->value[v] && hyb_graph_find_variable (graph, name) != HYB_NO_ID &&
          !hyb_executor_bind (executor, name, hoisting->value[v], NULL))
        return NULL;
    }
  if (!hyb_executor_run (executor, NULL, NULL))
    return NULL;
  for (guint i = 0; i < hoisting->found->len; i++)
    {
      HybTensor *copy = hyb_tensor_copy (hyb_executor_get_output (executor, i));

      if (!copy)
        return NULL;
      g_ptr_array_add (tensors, copy);
    }
  return g_steal_pointer (&tensors);
}

/* Copies a node with new inputs.  Returns its first output. */
static HybValueId
copy_node (const Hoisting *hoisting, HybBuilder *builder, HybNodeId id, const HybValueId *inputs)
{
  const HybNode   *node = hyb_graph_get_node (hoisting->body, id);
  double           number = 0;
  guint            at;
  const char      *op = find_number (hoisting, id, &at, &number);
  g_autofree char *text = op ? g_strdup_printf ("%.17g", number) : NULL;

  if (!op)
    return hyb_builder_copy (builder, hoisting->body, id, inputs);
  return hyb_builder_call (builder, op,
                           &(HybNodeSpec){ .name = node->name,
                                           .attributes =
                                               (const char *const[]){ "scalar", text, NULL },
                                           .n_inputs = 1,
                                           .inputs = &inputs[1 - at],
                                           .origin_plus_one = node->origin + 1 },
                           NULL);
}

/* The body with more variables after its own, which replace the computed values.  (transfer full) */
static HybGraph *
rewrite (const Hoisting *hoisting, GPtrArray *names)
{
  HybBuilder            *builder = hyb_builder_new ();
  HybGraph              *body = hoisting->body;
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (body), 1));
  guint                  n, n_heads;
  const HybNodeId       *variables = hyb_graph_get_variables (body, &n);
  const HybValueId      *heads = hyb_graph_get_heads (body, &n_heads);

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (body));
  for (guint v = 0; v < n; v++)
    if (hoisting->place[v] != G_MAXUINT)
      map[hyb_graph_get_node (body, variables[v])->first_output] =
          hyb_builder_copy (builder, body, variables[v], NULL);
  for (guint i = 0; i < hoisting->found->len; i++)
    {
      HybValueId       value = g_array_index (hoisting->found, HybValueId, i);
      g_autofree char *name = hyb_graph_dup_value_name (body, value);

      g_ptr_array_add (names, g_strconcat (name, "_once", NULL));
      map[value] = hyb_builder_add_variable (builder, names->pdata[i], NULL);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode         *node = hyb_graph_get_node (body, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
      HybValueId             first;

      if (hyb_node_is_variable (node) || (hoisting->fixed[id] && node->n_inputs > 0))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = map[hyb_graph_get_inputs (body, id)[i]];
      first = copy_node (hoisting, builder, id, inputs);
      for (guint o = 0; o < node->n_outputs; o++)
        map[node->first_output + o] = first + o;
    }
  for (guint h = 0; h < n_heads; h++)
    hyb_builder_add_head (builder, map[heads[h]]);
  return hyb_builder_freeze (builder);
}

/* --- The node --- */

/* The new numbers of variables in a list of old ones, and n further ones from first on, as an attribute.  (transfer full) */
static char *
renumber (const Hoisting *hoisting, const HybInts *old, guint first, guint n)
{
  GString *text = g_string_new ("(");

  for (int i = 0; old && i < old->n; i++)
    if (hoisting->place[old->value[i]] != G_MAXUINT)
      g_string_append_printf (text, "%u, ", hoisting->place[old->value[i]]);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%u, ", first + i);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

/* The attributes of the loop with the new body.  (transfer full) */
static GStrv
write_attributes (const Hoisting *hoisting, const HybNode *node, guint n_variables)
{
  static const char *const lists[] = { "in_data_locs", "in_state_locs", "remain_locs", NULL };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint            n_kept = 0;
  g_autofree char *count = NULL;

  for (guint v = 0; v < n_variables; v++)
    n_kept += hoisting->place[v] != G_MAXUINT;
  count = g_strdup_printf ("%u", n_kept + hoisting->found->len + 1);
  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    {
      const char      *key = node->attributes[i];
      gboolean         is_list = g_strv_contains (lists, key);
      g_autofree char *text =
          is_list ? renumber (hoisting, hyb_node_ints (node, key), n_kept,
                              strcmp (key, "remain_locs") == 0 ? hoisting->found->len : 0)
                  : NULL;

      g_strv_builder_add (builder, key);
      g_strv_builder_add (builder, is_list                         ? text
                                   : strcmp (key, "num_args") == 0 ? count
                                                                   : node->attributes[i + 1]);
    }
  return g_strv_builder_end (builder);
}

/* The value that a chain of copies copies. */
static HybValueId
skip_copies (HybGraph *graph, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (graph, value);

  while (hyb_node_kind (hyb_graph_get_node (graph, id)) == HYB_KIND_COPY)
    {
      value = hyb_graph_get_inputs (graph, id)[0];
      id = hyb_graph_get_producer (graph, value);
    }
  return value;
}

/* The contents of a variable of the body in every step; NULL: unknown.  known: by input of the
 * node. */
static HybTensor *
value_of_variable (const HybNode *node, HybGraph *body, guint v, HybTensor *const *known)
{
  guint            n, n_heads, input = node->op->body_variable (node->params, node->n_inputs, 0, v);
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);
  const HybValueId *heads = hyb_graph_get_heads (body, &n_heads);
  const HybInts    *states = hyb_node_ints (node, "in_state_locs");
  guint             n_rows = (guint) hyb_node_int (node, "num_out_data", 0);

  if (input >= node->n_inputs)
    return NULL;
  if (node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_CAPTURED)
    return known[input];
  /* A state that no step changes. */
  for (guint s = 0; states && s < (guint) states->n && n_rows + s < n_heads; s++)
    if (states->value[s] == v && skip_copies (body, heads[n_rows + s]) ==
                                     hyb_graph_get_node (body, variables[v])->first_output)
      return known[input];
  return NULL;
}

gboolean
hyb_loop_hoist (HybHoisted *hoisted, HybGraph *graph, HybNodeId id, HybTensor *const *known)
{
  const HybNode         *node = hyb_graph_get_node (graph, id);
  HybGraph              *body;
  guint                  n;
  g_autofree guint8     *fixed = NULL;
  g_autofree HybTensor **value = NULL;
  g_autofree guint      *place = NULL;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  Hoisting hoisting;

  if (hyb_node_kind (node) != HYB_KIND_FOREACH)
    return FALSE;
  body = hyb_graph_get_bodies (graph, id)[0];
  hyb_graph_get_variables (body, &n);
  fixed = g_new0 (guint8, MAX (hyb_graph_n_nodes (body), 1));
  value = g_new0 (HybTensor *, MAX (n, 1));
  for (guint v = 0; v < n; v++)
    value[v] = value_of_variable (node, body, v, known);
  place = g_new (guint, MAX (n, 1));
  hoisting = (Hoisting){ body, value, fixed, found, place };
  if (find_fixed (&hoisting))
    find_read (&hoisting);
  else
    memset (fixed, 0, hyb_graph_n_nodes (body) * sizeof *fixed);
  if (found->len == 0 && !has_numbers (&hoisting))
    return FALSE;
  hoisted->tensors = found->len > 0
                         ? compute (&hoisting)
                         : g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  if (!hoisted->tensors)
    return FALSE;
  find_places (&hoisting, node);
  hoisted->names = g_ptr_array_new_with_free_func (g_free);
  hoisted->body = rewrite (&hoisting, hoisted->names);
  hoisted->attributes = write_attributes (&hoisting, node, n);
  hoisted->is_dropped = g_new0 (guint8, MAX (node->n_inputs, 1));
  for (guint v = 0; v < n; v++)
    if (place[v] == G_MAXUINT)
      hoisted->is_dropped[node->op->body_variable (node->params, node->n_inputs, 0, v)] = TRUE;
  return TRUE;
}

void
hyb_hoisted_clear (HybHoisted *hoisted)
{
  g_clear_pointer (&hoisted->body, hyb_graph_unref);
  g_clear_pointer (&hoisted->tensors, g_ptr_array_unref);
  g_clear_pointer (&hoisted->names, g_ptr_array_unref);
  g_clear_pointer (&hoisted->attributes, g_strfreev);
  g_clear_pointer (&hoisted->is_dropped, g_free);
}
