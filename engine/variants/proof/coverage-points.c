/* coverage-points.c — finds the points that runs of a graph should reach, also in bodies.
 *
 * Start at find_points().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/counted-loop.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/proof/coverage-private.h"

#include <math.h>

#define MAX_ROWS 10000000

static CoveragePoint *
add_point (HybCoverage *coverage, HybNodeId root, const char *format, ...) G_GNUC_PRINTF (3, 4);

static CoveragePoint *
add_point (HybCoverage *coverage, HybNodeId root, const char *format, ...)
{
  CoveragePoint *point = g_new0 (CoveragePoint, 1);
  va_list        arguments;

  va_start (arguments, format);
  point->gap = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  point->root = root;
  g_ptr_array_add (coverage->points, point);
  return point;
}

gpointer
hyb_coverage_key (guint32 graph, HybNodeId id)
{
  return GSIZE_TO_POINTER (((guint64) graph << 32) | id);
}

static void
add_watch (HybCoverage *coverage, gpointer key, const CoverageWatch *watch)
{
  GArray *watches = g_hash_table_lookup (coverage->watches, key);

  if (!watches)
    {
      watches = g_array_new (FALSE, FALSE, sizeof (CoverageWatch));
      g_hash_table_insert (coverage->watches, key, watches);
    }
  g_array_append_val (watches, *watch);
}

/* --- Finding points --- */

/* Where a graph is: a body, or the whole graph if parent is NULL. */
typedef struct _Scope Scope;
struct _Scope
{
  const Scope *parent;
  HybGraph    *graph;
  HybNodeId    node; /* of the parent's graph, whose body this is */
  guint        body;
};

/* The node of the whole graph that holds a node of this scope. */
static HybNodeId
root_of (const Scope *scope, HybNodeId id)
{
  for (; scope->parent; scope = scope->parent)
    id = scope->node;
  return id;
}

static const struct
{
  const char *op, *low, *high; /* attributes of the bounds; NULL: no bound */
} clips[] = {
  { "clip", "a_min", "a_max" },
  { "_maximum_scalar", "scalar", NULL },
  { "_minimum_scalar", NULL, "scalar" },
};

static double
bound_of (const HybNode *node, const char *attribute, double fallback)
{
  double value = attribute ? hyb_node_double (node, attribute, fallback) : fallback;

  return isnan (value) || fabs (value) >= 1e30 ? fallback : value;
}

/* Adds the points of two bounds of an output. */
static void
watch_bounds (HybCoverage *coverage, const Scope *scope, HybNodeId id, CoverageWatch *watch)
{
  const char *name = hyb_graph_get_node (scope->graph, id)->name;
  HybNodeId   root = root_of (scope, id);

  if (isfinite (watch->low))
    watch->at_low =
        add_point (coverage, root, "“%s” never reached its lower bound %g", name, watch->low);
  if (isfinite (watch->high))
    watch->at_high =
        add_point (coverage, root, "“%s” never reached its upper bound %g", name, watch->high);
  if (watch->at_low || watch->at_high)
    watch->inside = add_point (coverage, root, "“%s” was always at one of its bounds", name);
  for (guint i = 0; i < 2; i++)
    {
      double bound = fabs (i == 0 ? watch->low : watch->high);

      if (isfinite (bound))
        coverage->largest_bound = fmax (coverage->largest_bound, bound);
    }
  add_watch (coverage, hyb_coverage_key (hyb_graph_get_id (scope->graph), id), watch);
}

static void
find_clip (HybCoverage *coverage, const Scope *scope, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (scope->graph, id);

  for (guint i = 0; i < G_N_ELEMENTS (clips); i++)
    if (node->op == hyb_op_find (clips[i].op))
      watch_bounds (coverage, scope, id,
                    &(CoverageWatch){ .low = bound_of (node, clips[i].low, -INFINITY),
                                      .high = bound_of (node, clips[i].high, INFINITY) });
  /* The state of an LSTM that is clipped is output 2. */
  if (hyb_node_kind (node) == HYB_KIND_RNN)
    {
      CoverageWatch watch = { .output = 2,
                              .low = bound_of (node, "lstm_state_clip_min", -INFINITY),
                              .high = bound_of (node, "lstm_state_clip_max", INFINITY) };

      if (isfinite (watch.low) || isfinite (watch.high))
        watch_bounds (coverage, scope, id, &watch);
    }
}

/* Follows a variable of a body to the value outside that feeds it.  FALSE if a state of a loop is in between, which is
 * computed inside. */
static gboolean
leave_bodies (const Scope **scope, HybValueId *value)
{
  for (;;)
    {
      HybNodeId        id = hyb_graph_get_producer ((*scope)->graph, *value);
      const HybNode   *loop;
      guint            n, v = 0, input;
      const HybNodeId *variables = hyb_graph_get_variables ((*scope)->graph, &n);
      const HybGraph  *outer;

      if (!(*scope)->parent || !hyb_node_is_variable (hyb_graph_get_node ((*scope)->graph, id)))
        return TRUE;
      while (v < n && variables[v] != id)
        v++;
      outer = (*scope)->parent->graph;
      loop = hyb_graph_get_node (outer, (*scope)->node);
      if (loop->op->body_port (loop->params, loop->n_inputs, (*scope)->body, v) == HYB_PORT_STATE)
        return FALSE;
      input = loop->op->body_variable (loop->params, loop->n_inputs, (*scope)->body, v);
      if (input >= loop->n_inputs)
        return FALSE;
      *value = hyb_graph_get_inputs (outer, (*scope)->node)[input];
      *scope = (*scope)->parent;
    }
}

static gboolean depends_on_values (const Scope *scope, HybValueId value, GHashTable *seen);

/* The same for an output of a loop or condition: whether one of the heads that become it does. */
static gboolean
result_depends (const Scope *scope, HybNodeId id, guint output, GHashTable *seen)
{
  const HybNode *node = hyb_graph_get_node (scope->graph, id);

  for (guint b = 0; b < node->n_bodies; b++)
    {
      HybGraph         *body = hyb_graph_get_bodies (scope->graph, id)[b];
      guint             n;
      const HybValueId *heads = hyb_graph_get_heads (body, &n);

      for (guint h = 0; h < n; h++)
        if (node->op->body_result (node->params, b, h) == output &&
            depends_on_values (&(Scope){ scope, body, id, b }, heads[h], seen))
          return TRUE;
    }
  return FALSE;
}

/* Whether a value depends on more than shapes: else it is the same for all inputs, but for random numbers. */
static gboolean
depends_on_values (const Scope *scope, HybValueId value, GHashTable *seen)
{
  static const char *const of_shapes[] = { "ones_like", "zeros_like", "shape_array", "size_array" };
  HybNodeId                id;
  const HybNode           *node;

  if (!leave_bodies (&scope, &value))
    return TRUE;
  id = hyb_graph_get_producer (scope->graph, value);
  node = hyb_graph_get_node (scope->graph, id);
  if (hyb_node_is_variable (node))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (of_shapes); i++)
    if (node->op == hyb_op_find (of_shapes[i]))
      return FALSE;
  if (!g_hash_table_add (seen, hyb_coverage_key (hyb_graph_get_id (scope->graph), id)))
    return FALSE;
  if (node->n_bodies > 0)
    return result_depends (scope, id, hyb_graph_get_output_index (scope->graph, value), seen);
  for (guint i = 0; i < node->n_inputs; i++)
    if (depends_on_values (scope, hyb_graph_get_inputs (scope->graph, id)[i], seen))
      return TRUE;
  return FALSE;
}

/* Watches whether a value is 0 and another number. */
static void
watch_condition (HybCoverage *coverage, const Scope *scope, HybNodeId id, HybValueId value)
{
  const char   *name = hyb_graph_get_node (scope->graph, id)->name;
  HybNodeId     maker = hyb_graph_get_producer (scope->graph, value), root = root_of (scope, id);
  CoverageWatch watch = { .low = -INFINITY, .high = INFINITY };
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (hyb_node_is_variable (hyb_graph_get_node (scope->graph, maker)) ||
      !depends_on_values (scope, value, seen))
    return;
  watch.output = hyb_graph_get_output_index (scope->graph, value);
  watch.zero = add_point (coverage, root, "the condition of “%s” was never 0", name);
  watch.other = add_point (coverage, root, "the condition of “%s” was always 0", name);
  add_watch (coverage, hyb_coverage_key (hyb_graph_get_id (scope->graph), maker), &watch);
}

/* Comparisons; those with a number have it as an attribute. */
static const char *const comparisons[] = {
  "_greater_scalar",         "_greater_equal_scalar",  "_lesser_scalar",    "_lesser_equal_scalar",
  "_equal_scalar",           "_not_equal_scalar",      "broadcast_greater", "broadcast_lesser",
  "broadcast_greater_equal", "broadcast_lesser_equal",
};

static gboolean
is_comparison (const HybNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (comparisons); i++)
    if (node->op == hyb_op_find (comparisons[i]))
      return TRUE;
  return FALSE;
}

/* A while loop has a condition and a step; a branch of another format has two bodies as well. */
static gboolean
is_while_loop (const HybNode *node)
{
  return node->n_bodies == 2 && !(node->op->flags & HYB_OP_FOREIGN);
}

/* Whether a graph is the condition of a loop, which has points of its own. */
static gboolean
is_loop_condition (const Scope *scope)
{
  return scope->parent && scope->body == 0 &&
         is_while_loop (hyb_graph_get_node (scope->parent->graph, scope->node));
}

static void
find_condition (HybCoverage *coverage, const Scope *scope, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (scope->graph, id);

  if (node->op == hyb_op_find ("where"))
    watch_condition (coverage, scope, id, hyb_graph_get_inputs (scope->graph, id)[0]);
  else if (is_comparison (node) && !is_loop_condition (scope))
    watch_condition (coverage, scope, id, node->first_output);
}

/* Numbers in attributes show from which scale on the behaviour may change. */
static void
find_scale (HybCoverage *coverage, const HybNode *node)
{
  double scalar = fabs (hyb_node_double (node, "scalar", 0));

  if (scalar < 1e30)
    coverage->largest_bound = fmax (coverage->largest_bound, scalar);
}

static void
find_loop (HybCoverage *coverage, const Scope *scope, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (scope->graph, id);
  HybNodeId      root = root_of (scope, id);
  HybCountedLoop counted;
  CoverageLoop  *loop;

  if (node->n_bodies < 2)
    return;
  loop = g_new0 (CoverageLoop, 1);
  g_ptr_array_add (coverage->loops, loop);
  loop->max = hyb_node_int (node, "max_iterations", 0);
  for (guint b = 1; node->n_bodies == 3 && b < 3; b++)
    loop->then[b - 1] = add_point (coverage, root, "the branch “%s” of “%s” was never taken",
                                   node->op->body_names[b], node->name);
  /* A counted loop always makes the same number of steps, so neither end could be missed. */
  if (is_while_loop (node) && !hyb_count_loop (scope->graph, id, &counted))
    {
      loop->early =
          add_point (coverage, root, "the condition of “%s” never ended the loop", node->name);
      loop->all =
          add_point (coverage, root, "“%s” never made all of its %" G_GINT64_FORMAT " steps",
                     node->name, loop->max);
    }
  for (guint b = 0; b < node->n_bodies; b++)
    {
      CoverageBody *body = g_new0 (CoverageBody, 1);

      *body = (CoverageBody){ loop, b };
      g_hash_table_insert (coverage->body_of_graph,
                           GUINT_TO_POINTER (
                               hyb_graph_get_id (hyb_graph_get_bodies (scope->graph, id)[b])),
                           body);
    }
  g_hash_table_insert (coverage->loop_of_node,
                       hyb_coverage_key (hyb_graph_get_id (scope->graph), id), loop);
}

/* --- Tables --- */

static CoverageTable *
add_table (HybCoverage *coverage, const char *name, HybTensor *tensor, gint64 n, HybNodeId root)
{
  CoverageTable *table = g_new0 (CoverageTable, 1);

  table->root = root;
  table->tensor = tensor;
  table->name = g_strdup (name);
  table->n = n;
  table->is_read = g_new0 (guint8, (gsize) table->n);
  g_ptr_array_add (coverage->tables, table);
  return table;
}

/* 0 if there is no such axis. */
static gint64
size_of_axis (const HybShape *shape, gint64 axis)
{
  axis += axis < 0 ? shape->rank : 0;
  return axis >= 0 && axis < shape->rank ? shape->dim[axis] : 0;
}

static void
find_table (HybCoverage *coverage, const Scope *scope, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (scope->graph, id);
  gboolean       is_embedding = node->op == hyb_op_find ("Embedding");
  gboolean       is_take = node->op == hyb_op_find ("take");
  const Scope   *at_table = scope, *at_index = scope;
  HybValueId     table_value, index_value;
  const HybNode *variable, *maker;
  HybTensor     *tensor;
  CoverageTable *table;
  gint64         n;

  if (!is_embedding && !is_take)
    return;
  table_value = hyb_graph_get_inputs (scope->graph, id)[is_embedding ? 1 : 0];
  index_value = hyb_graph_get_inputs (scope->graph, id)[is_embedding ? 0 : 1];
  /* The table is a parameter of the model, perhaps handed into nested bodies: follow it outwards to
   * the main graph. */
  if (!leave_bodies (&at_table, &table_value) || at_table->parent)
    return;
  variable =
      hyb_graph_get_node (at_table->graph, hyb_graph_get_producer (at_table->graph, table_value));
  tensor = hyb_node_is_variable (variable)
               ? hyb_model_get_parameter (coverage->model, variable->name)
               : NULL;
  n = tensor ? size_of_axis (hyb_tensor_get_shape (tensor),
                             is_take ? hyb_node_int (node, "axis", 0) : 0)
             : 0;
  if (n < 1 || n > MAX_ROWS || !leave_bodies (&at_index, &index_value))
    return;
  table = add_table (coverage, variable->name, tensor, n, root_of (scope, id));
  maker =
      hyb_graph_get_node (at_index->graph, hyb_graph_get_producer (at_index->graph, index_value));
  /* Indices from an input are counted when the input is bound; computed ones when their node has
   * run. */
  if (hyb_node_is_variable (maker))
    g_hash_table_insert (coverage->table_of_input, g_strdup (maker->name), table);
  else
    add_watch (coverage,
               hyb_coverage_key (hyb_graph_get_id (at_index->graph),
                                 hyb_graph_get_producer (at_index->graph, index_value)),
               &(CoverageWatch){ .output =
                                     hyb_graph_get_output_index (at_index->graph, index_value),
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .table = table });
}

static void
find_points (HybCoverage *coverage, const Scope *scope)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (scope->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (scope->graph, id);

      if (hyb_node_is_variable (node))
        continue;
      find_scale (coverage, node);
      find_clip (coverage, scope, id);
      find_condition (coverage, scope, id);
      find_table (coverage, scope, id);
      find_loop (coverage, scope, id);
      for (guint b = 0; b < node->n_bodies; b++)
        find_points (coverage,
                     &(Scope){ scope, hyb_graph_get_bodies (scope->graph, id)[b], id, b });
    }
}

void
hyb_coverage_find_points (HybCoverage *coverage, HybGraph *graph)
{
  find_points (coverage, &(Scope){ .graph = graph });
}
