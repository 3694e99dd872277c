/* builder.c — adds nodes, then freezes them into a graph.
 *
 * Everything grows in arrays that hyb_builder_freeze() hands to the graph.  Strings and parsed
 * attributes live in arenas, which copied nodes share with the graph they come from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/graph/builder.h"

#include "engine/base/error.h"
#include "engine/graph/graph-private.h"

#include <string.h>

struct _HybBuilder
{
  GArray           *nodes;     /* of HybNode */
  GArray           *inputs;    /* of HybValueId */
  GArray           *producers; /* of HybNodeId */
  GArray           *heads;     /* of HybValueId */
  GPtrArray        *bodies;    /* of HybGraph */
  GPtrArray        *arenas;    /* of HybArena; the first is the builder's own */
  HybArena         *arena;
  const HybGraph   *last_source;
  gboolean          legacy_shapes;
  gboolean          has_opaque;
  const HybDialect *dialect;
  GHashTable       *contents; /* variable → HybTensor; NULL: none */
};

HybBuilder *
hyb_builder_new (void)
{
  HybBuilder *builder = g_new0 (HybBuilder, 1);

  builder->nodes = g_array_new (FALSE, FALSE, sizeof (HybNode));
  builder->inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  builder->producers = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  builder->heads = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  builder->bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  builder->arenas = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_arena_unref);
  builder->arena = hyb_arena_new ();
  g_ptr_array_add (builder->arenas, builder->arena);
  builder->legacy_shapes = TRUE;
  return builder;
}

void
hyb_builder_free (HybBuilder *builder)
{
  if (!builder)
    return;
  for (guint i = 0; i < builder->nodes->len; i++)
    hyb_params_unref ((gpointer) g_array_index (builder->nodes, HybNode, i).params);
  g_array_unref (builder->nodes);
  g_array_unref (builder->inputs);
  g_array_unref (builder->producers);
  g_array_unref (builder->heads);
  g_ptr_array_unref (builder->bodies);
  g_ptr_array_unref (builder->arenas);
  g_clear_pointer (&builder->contents, g_hash_table_unref);
  g_free (builder);
}

static const char *const *
keep_attributes (HybBuilder *builder, const char *const *attributes)
{
  const char **copy;
  gsize        n = 0;

  if (!attributes || !attributes[0])
    return NULL;
  while (attributes[n])
    n += 2;

  copy = hyb_arena_alloc (builder->arena, (n + 1) * sizeof *copy);
  for (gsize i = 0; i < n; i++)
    copy[i] = hyb_arena_intern (builder->arena, attributes[i]);
  copy[n] = NULL;
  return copy;
}

static gboolean
wrong_arity (const HybNodeSpec *spec, guint expected, GError **error)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < MIN (expected, 8); i++)
    {
      g_autofree char *name = hyb_op_dup_input_name (spec->op, i, expected);

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                "%u input%s where %s takes %u (%s%s)", spec->n_inputs,
                spec->n_inputs == 1 ? "" : "s", spec->op->name, expected, names->str,
                expected > 8 ? ", …" : "");
  g_string_free (names, TRUE);
  return FALSE;
}

/* Parses attributes into params and derives the number of inputs and outputs.  The error names
 * no place; the caller adds it. */
static gboolean
complete_node (const HybNodeSpec *spec, HybNode *node, GError **error)
{
  const HybOp *op = spec->op;
  guint        n_inputs, n_outputs;

  if (op->flags & HYB_OP_OPAQUE)
    {
      node->params = spec->params;
      node->n_outputs = MAX (spec->n_outputs, 1);
      return TRUE;
    }
  node->params = spec->params;
  if (!node->params && (op->params || spec->unknown))
    {
      node->params =
          hyb_params_parse (op->params, op->params_size, spec->attributes, spec->unknown, error);
      if (!node->params)
        return FALSE;
    }
  if (op->check && !op->check (node->params, error))
    return FALSE;

  if (spec->n_bodies != op->n_bodies)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                         "%u subgraphs where %s takes %u", spec->n_bodies, op->name, op->n_bodies);

  hyb_op_body_arity (op, node->params, spec->bodies, &n_inputs, &n_outputs);
  node->n_outputs = n_outputs;
  if (spec->n_inputs != n_inputs)
    return wrong_arity (spec, n_inputs, error);
  return TRUE;
}

static gboolean
inputs_exist (HybBuilder *builder, const HybNodeSpec *spec, GError **error)
{
  for (guint i = 0; i < spec->n_inputs; i++)
    if (spec->inputs[i] >= builder->producers->len)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                           "input %u refers to a value that does not exist", i);
  return TRUE;
}

/* A key for the node's random stream, from its name and position.  Never 0, which stands for
 * "derive one". */
static guint32
new_key (const char *name, guint id)
{
  guint32 key = g_str_hash (name) ^ (id + 1) * 0x9E3779B9u;

  return key != 0 ? key : 1;
}

static HybNodeId
append_node (HybBuilder *builder, HybNode *node, const HybNodeSpec *spec)
{
  HybNodeId id = builder->nodes->len;

  node->first_input = builder->inputs->len;
  node->n_inputs = spec->n_inputs;
  node->first_output = builder->producers->len;
  node->first_body = builder->bodies->len;
  node->n_bodies = spec->n_bodies;
  node->key = spec->key != 0 ? spec->key : new_key (node->name, id);
  node->origin = spec->origin_plus_one != 0 ? spec->origin_plus_one - 1 : id;
  node->line = spec->line;

  if (spec->n_inputs > 0)
    g_array_append_vals (builder->inputs, spec->inputs, spec->n_inputs);
  for (guint i = 0; i < node->n_outputs; i++)
    g_array_append_val (builder->producers, id);
  for (guint i = 0; i < spec->n_bodies; i++)
    {
      g_ptr_array_add (builder->bodies, hyb_graph_ref (spec->bodies[i]));
      builder->has_opaque |= hyb_graph_has_opaque (spec->bodies[i]);
    }
  builder->has_opaque |= (node->op->flags & HYB_OP_OPAQUE) != 0;
  g_array_append_val (builder->nodes, *node);
  return id;
}

HybNodeId
hyb_builder_add (HybBuilder *builder, const HybNodeSpec *given, GError **error)
{
  HybNodeSpec spec = *given;
  HybNode     node = { 0 };

  if (!spec.op)
    spec.op = hyb_op_find ("_opaque");
  node.op = spec.op;

  if (!inputs_exist (builder, &spec, error) || !complete_node (&spec, &node, error))
    {
      g_prefix_error (error, "node “%s” (%s): ", spec.name ? spec.name : "",
                      spec.type ? spec.type : spec.op->name);
      hyb_params_unref ((gpointer) (node.params ? node.params : spec.params));
      return HYB_NO_ID;
    }

  node.name = hyb_arena_string (builder->arena, spec.name ? spec.name : "");
  node.type = !spec.type || strcmp (spec.type, spec.op->name) == 0
                  ? spec.op->name
                  : hyb_arena_intern (builder->arena, spec.type);
  node.attributes = keep_attributes (builder, spec.attributes);
  return append_node (builder, &node, &spec);
}

HybValueId
hyb_builder_add_variable (HybBuilder *builder, const char *name, const char *const *attributes)
{
  HybNodeSpec spec = { .op = hyb_op_find ("null"), .name = name, .attributes = attributes };

  return hyb_builder_output (builder, hyb_builder_add (builder, &spec, NULL), 0);
}

HybValueId
hyb_builder_call (HybBuilder *builder, const char *op, const HybNodeSpec *spec, GError **error)
{
  HybNodeSpec full = *spec;
  HybNodeId   id;

  full.op = hyb_op_find (op);
  if (!full.op)
    {
      hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN, NULL, NULL,
                    "there is no operator called %s", op);
      return HYB_NO_ID;
    }
  id = hyb_builder_add (builder, &full, error);
  return id == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (builder, id, 0);
}

void
hyb_builder_set_dialect (HybBuilder *builder, const HybDialect *dialect)
{
  builder->dialect = dialect;
}

void
hyb_builder_set_contents (HybBuilder *builder, HybValueId variable, HybTensor *contents)
{
  if (!builder->contents)
    builder->contents = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hyb_tensor_unref);
  g_hash_table_insert (builder->contents,
                       GUINT_TO_POINTER (hyb_builder_get_producer (builder, variable)),
                       hyb_tensor_ref (contents));
}

void
hyb_builder_keep_arena (HybBuilder *builder, HybArena *arena)
{
  if (!g_ptr_array_find (builder->arenas, arena, NULL))
    g_ptr_array_add (builder->arenas, hyb_arena_ref (arena));
}

/* Keeps the arenas alive that hold the strings and params of copied nodes. */
static void
share_arenas (HybBuilder *builder, const HybGraph *from)
{
  if (builder->last_source == from)
    return;
  builder->last_source = from;
  for (guint i = 0; i < from->arenas->len; i++)
    {
      HybArena *arena = g_ptr_array_index (from->arenas, i);

      if (!g_ptr_array_find (builder->arenas, arena, NULL))
        g_ptr_array_add (builder->arenas, hyb_arena_ref (arena));
    }
}

HybValueId
hyb_builder_copy (HybBuilder *builder, const HybGraph *from, HybNodeId id, const HybValueId *inputs)
{
  const HybNode *old = hyb_graph_get_node (from, id);
  HybNode        node = *old;
  HybNodeSpec    spec = { .n_inputs = old->n_inputs,
                          .inputs = inputs,
                          .n_bodies = old->n_bodies,
                          .bodies = hyb_graph_get_bodies (from, id),
                          .key = old->key,
                          .origin_plus_one = old->origin + 1,
                          .line = old->line };

  share_arenas (builder, from);
  node.params = hyb_params_ref (old->params);
  id = append_node (builder, &node, &spec);
  /* An origin of HYB_NO_ID wraps to 0, which append_node() reads as "this node". */
  g_array_index (builder->nodes, HybNode, id).origin = old->origin;
  return hyb_builder_output (builder, id, 0);
}

HybValueId
hyb_builder_output (HybBuilder *builder, HybNodeId node, guint index)
{
  return g_array_index (builder->nodes, HybNode, node).first_output + index;
}

HybNodeId
hyb_builder_get_producer (HybBuilder *builder, HybValueId value)
{
  return g_array_index (builder->producers, HybNodeId, value);
}

const HybNode *
hyb_builder_get_node (HybBuilder *builder, HybNodeId node)
{
  return &g_array_index (builder->nodes, HybNode, node);
}

const HybValueId *
hyb_builder_get_inputs (HybBuilder *builder, HybNodeId node)
{
  const HybNode *found = &g_array_index (builder->nodes, HybNode, node);

  return found->n_inputs > 0 ? &g_array_index (builder->inputs, HybValueId, found->first_input)
                             : NULL;
}

guint
hyb_builder_n_nodes (HybBuilder *builder)
{
  return builder->nodes->len;
}

void
hyb_builder_set_legacy_shapes (HybBuilder *builder, gboolean legacy)
{
  builder->legacy_shapes = legacy;
}

void
hyb_builder_add_head (HybBuilder *builder, HybValueId value)
{
  g_return_if_fail (value < builder->producers->len);
  g_array_append_val (builder->heads, value);
}

static void
mark_auxiliary (HybGraph *graph, HybValueId value)
{
  HybNodeId producer = graph->producers[value];

  if (hyb_node_is_variable (&graph->nodes[producer]))
    graph->is_auxiliary[producer] = TRUE;
}

/* A variable is auxiliary if an operator writes it, directly or inside a body. */
static void
find_auxiliary (HybGraph *graph, const HybNode *node)
{
  const HybValueId *inputs = graph->inputs + node->first_input;

  for (guint i = 0; i < node->n_inputs; i++)
    if (hyb_op_writes_input (node->op, i))
      mark_auxiliary (graph, inputs[i]);

  for (guint b = 0; b < node->n_bodies && node->op->body_variable; b++)
    {
      const HybGraph *body = graph->bodies[node->first_body + b];

      for (guint v = 0; v < body->n_variables; v++)
        if (body->is_auxiliary[body->variables[v]])
          {
            guint input = node->op->body_variable (node->params, node->n_inputs, b, v);

            if (input < node->n_inputs)
              mark_auxiliary (graph, inputs[input]);
          }
    }
}

/* All nodes in the order in which MXNet visits them: depth first from the heads, a node behind its
 * inputs.  Nodes that no head needs follow in node order.  (transfer full) */
static HybNodeId *
visit_depth_first (const HybGraph *graph)
{
  HybNodeId         *order = g_new (HybNodeId, MAX (graph->n_nodes, 1));
  g_autofree guint8 *is_seen = g_new0 (guint8, MAX (graph->n_nodes, 1));
  g_autofree guint  *next = g_new0 (guint, MAX (graph->n_nodes, 1)); /* the input to visit next */
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint n = 0;

  for (guint i = 0; i < graph->n_heads + graph->n_nodes; i++)
    {
      HybNodeId id =
          i < graph->n_heads ? graph->producers[graph->heads[i]] : (HybNodeId) (i - graph->n_heads);

      if (is_seen[id])
        continue;
      is_seen[id] = TRUE;
      g_array_append_val (stack, id);
      while (stack->len > 0)
        {
          HybNodeId      top = g_array_index (stack, HybNodeId, stack->len - 1);
          const HybNode *node = &graph->nodes[top];

          if (next[top] < node->n_inputs)
            {
              id = graph->producers[graph->inputs[node->first_input + next[top]++]];
              if (!is_seen[id])
                g_array_append_val (stack, id);
              is_seen[id] = TRUE;
              continue;
            }
          order[n++] = top;
          g_array_set_size (stack, stack->len - 1);
        }
    }
  return order;
}

/* order: the ids of all nodes; NULL: node order. */
static HybNodeId *
collect (const HybGraph  *graph,
         const HybNodeId *order,
         gboolean         arguments,
         gboolean         auxiliary,
         guint           *n)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  for (guint i = 0; i < graph->n_nodes; i++)
    {
      HybNodeId id = order ? order[i] : i;

      if (hyb_node_is_variable (&graph->nodes[id]) &&
          (graph->is_auxiliary[id] ? auxiliary : arguments))
        g_array_append_val (ids, id);
    }
  *n = ids->len;
  return (gpointer) g_array_free (ids, FALSE);
}

static gpointer
steal_array (GArray **array, guint *n)
{
  gpointer elements;

  *n = (*array)->len;
  elements = g_array_free (g_steal_pointer (array), FALSE);
  return elements ? elements : g_malloc0 (1); /* offsets are added to it */
}

static void
index_variables (HybGraph *graph)
{
  g_autofree HybNodeId *order = visit_depth_first (graph);
  /* Other formats than MXNet's list their inputs. */
  const HybNodeId *listed = graph->dialect ? NULL : order;

  graph->is_auxiliary = g_new0 (guint8, MAX (graph->n_nodes, 1));
  for (guint i = 0; i < graph->n_nodes; i++)
    find_auxiliary (graph, &graph->nodes[i]);

  graph->variables = collect (graph, NULL, TRUE, TRUE, &graph->n_variables);
  graph->arguments = collect (graph, listed, TRUE, FALSE, &graph->n_arguments);
  graph->auxiliary = collect (graph, listed, FALSE, TRUE, &graph->n_auxiliary);

  graph->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = graph->n_variables; i-- > 0;)
    g_hash_table_insert (graph->by_name, (gpointer) graph->nodes[graph->variables[i]].name,
                         GUINT_TO_POINTER (graph->variables[i] + 1));
}

HybGraph *
hyb_builder_freeze (HybBuilder *builder)
{
  static gint last_id;
  HybGraph   *graph = g_new0 (HybGraph, 1);
  guint       n_inputs;

  g_atomic_ref_count_init (&graph->references);
  graph->id = (guint32) g_atomic_int_add (&last_id, 1) + 1;
  graph->legacy_shapes = builder->legacy_shapes;
  graph->has_opaque = builder->has_opaque;
  graph->dialect = builder->dialect;
  graph->contents = builder->contents;
  graph->nodes = steal_array (&builder->nodes, &graph->n_nodes);
  graph->inputs = steal_array (&builder->inputs, &n_inputs);
  graph->producers = steal_array (&builder->producers, &graph->n_values);
  graph->heads = steal_array (&builder->heads, &graph->n_heads);
  graph->n_bodies = builder->bodies->len;
  graph->bodies = (HybGraph **) g_ptr_array_free (builder->bodies, FALSE);
  if (!graph->bodies)
    graph->bodies = g_new0 (HybGraph *, 1);
  graph->arenas = builder->arenas;
  g_free (builder);
  index_variables (graph);
  return graph;
}
