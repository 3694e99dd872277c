/* hoisted.c — what the body of a loop computes from parameters alone.
 *
 * Exporters of scripted modules cut and join the weights of a layer inside the loop, in every step.  Such values are computed once and
 * captured.  Start at hyb_loop_hoist().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/hoisted.h"

#include "engine/analysis/depth-first.h"
#include "engine/exec/executor.h"
#include "engine/graph/builder.h"
#include "engine/graph/with-heads.h"
#include "engine/ops/array/constant.h"
#include "engine/variants/node-kind.h"

#include <string.h>

typedef struct
{
  HybGraph   *body;
  HybTensor **value; /* by variable of body: what it holds in every step; NULL: not known */
  guint8     *fixed; /* by node of body: it is computed from such values alone */
  GArray     *found; /* of HybValueId: fixed values that other nodes read */
} Hoisting;

/* Whether a node only moves or joins elements, as weights are prepared. */
static gboolean
prepares (const HybNode *node)
{
  return node->op->category == HYB_CATEGORY_MOVEMENT ||
         hyb_constant_get_contents (node->op, node->params);
}

/* FALSE: nothing but constants is fixed. */
static gboolean
find_fixed (Hoisting *hoisting)
{
  gboolean         has_any = FALSE;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (hoisting->body, &n);

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

/* The body with further variables, behind its own ones, in the place of what was found.  (transfer full) */
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
      first = hyb_builder_copy (builder, body, id, inputs);
      for (guint o = 0; o < node->n_outputs; o++)
        map[node->first_output + o] = first + o;
    }
  for (guint h = 0; h < n_heads; h++)
    hyb_builder_add_head (builder, map[heads[h]]);
  return hyb_builder_freeze (builder);
}

/* --- The node --- */

/* The attributes of a loop that captures n further values.  (transfer full) */
static GStrv
extend_attributes (const HybNode *node, guint n_variables, guint n)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const HybInts   *places = hyb_node_ints (node, "remain_locs");
  GString         *text = g_string_new ("(");
  g_autofree char *count =
      g_strdup_printf ("%" G_GINT64_FORMAT, hyb_node_int (node, "num_args", 0) + n);
  g_autofree char *captured = NULL;

  for (int i = 0; places && i < places->n; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT ", ", places->value[i]);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%u, ", n_variables + i);
  g_string_append_c (text, ')');
  captured = g_string_free (text, FALSE);
  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    {
      const char *key = node->attributes[i];

      g_strv_builder_add (builder, key);
      g_strv_builder_add (builder, strcmp (key, "remain_locs") == 0 ? captured
                                   : strcmp (key, "num_args") == 0  ? count
                                                                    : node->attributes[i + 1]);
    }
  return g_strv_builder_end (builder);
}

gboolean
hyb_loop_hoist (HybHoisted *hoisted, HybGraph *graph, HybNodeId id, HybTensor *const *known)
{
  const HybNode         *node = hyb_graph_get_node (graph, id);
  HybGraph              *body;
  guint                  n;
  const HybNodeId       *variables;
  g_autofree guint8     *fixed = NULL;
  g_autofree HybTensor **value = NULL;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  Hoisting hoisting;

  if (hyb_node_kind (node) != HYB_KIND_FOREACH)
    return FALSE;
  body = hyb_graph_get_bodies (graph, id)[0];
  variables = hyb_graph_get_variables (body, &n);
  fixed = g_new0 (guint8, MAX (hyb_graph_n_nodes (body), 1));
  value = g_new0 (HybTensor *, MAX (n, 1));
  for (guint v = 0; v < n; v++)
    {
      guint input = node->op->body_variable (node->params, node->n_inputs, 0, v);

      if (input < node->n_inputs &&
          node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_CAPTURED)
        value[v] = known[input];
    }
  hoisting = (Hoisting){ body, value, fixed, found };
  if (variables && !find_fixed (&hoisting))
    return FALSE;
  find_read (&hoisting);
  hoisted->tensors = found->len > 0 ? compute (&hoisting) : NULL;
  if (!hoisted->tensors)
    return FALSE;
  hoisted->names = g_ptr_array_new_with_free_func (g_free);
  hoisted->body = rewrite (&hoisting, hoisted->names);
  hoisted->attributes = extend_attributes (node, n, found->len);
  return TRUE;
}

void
hyb_hoisted_clear (HybHoisted *hoisted)
{
  g_clear_pointer (&hoisted->body, hyb_graph_unref);
  g_clear_pointer (&hoisted->tensors, g_ptr_array_unref);
  g_clear_pointer (&hoisted->names, g_ptr_array_unref);
  g_clear_pointer (&hoisted->attributes, g_strfreev);
}
