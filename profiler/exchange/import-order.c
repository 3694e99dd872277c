/* import-order.c — lists the nodes that one iteration runs, in order, and counts iterations.
 *
 * The graph gives the order; how many steps loops make is computed from the number of executions.
 * Start reading at prof_import_expect().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/import-private.h"

#include <string.h>

#define MAX_LOOP_STEPS 100000
#define MAX_EXPECTED   (4 * 1000 * 1000)

/* --- Names --- */

const char *
prof_import_key (ProfImport *import, const char *name)
{
  gboolean is_fused =
      g_str_has_prefix (name, "_sg_mkldnn_") || g_str_has_prefix (name, "_sg_onednn_");
  const HybOp *op = is_fused ? NULL : hyb_op_find (name);
  g_autoptr (GString) plain = NULL;
  const char *at = name + (is_fused ? strlen ("_sg_mkldnn_") : 0);

  if (op)
    return prof_import_name (import, op->name);
  plain = g_string_new (NULL);
  for (; *at; at++)
    if (*at != '_')
      g_string_append_c (plain, g_ascii_tolower (*at));
  /* Names of fused operators differ from ours. */
  op = strcmp (plain->str, "fullyconnected") == 0 ? hyb_op_find ("FullyConnected")
       : strcmp (plain->str, "conv") == 0         ? hyb_op_find ("Convolution")
                                                  : NULL;
  return prof_import_name (import, op ? op->name : plain->str);
}

/* Whether type is suffix or ends in “_” and suffix, ignoring case. */
static gboolean
ends_in_word (const char *type, const char *suffix)
{
  gsize n = strlen (type), m = strlen (suffix);

  return n >= m && g_ascii_strcasecmp (type + n - m, suffix) == 0 &&
         (n == m || type[n - m - 1] == '_');
}

const char *
prof_import_backward_key (const TraceImport *self, const char *name)
{
  const char    *suffix = name + strlen (PROF_BACKWARD);
  const char    *key = prof_import_key (self->import, suffix);
  GHashTableIter iter;
  gpointer       known;

  if (g_hash_table_contains (self->operators, key))
    return key;
  g_hash_table_iter_init (&iter, self->operators);
  while (g_hash_table_iter_next (&iter, &known, NULL))
    if (ends_in_word (known, suffix))
      return known;
  return key;
}

/* --- Nodes of an iteration --- */

void
prof_operator_nodes_free (gpointer data)
{
  g_array_unref (((OperatorNodes *) data)->expected);
  g_free (data);
}

/* The entry of an operator, added if it is not there. */
static OperatorNodes *
get_operator (GHashTable *operators, const char *key)
{
  OperatorNodes *nodes = g_hash_table_lookup (operators, key);

  if (!nodes)
    {
      nodes = g_new0 (OperatorNodes, 1);
      nodes->expected = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (operators, (gpointer) key, nodes);
    }
  return nodes;
}

/* The class of an execution of another tool; G_MAXUINT if it is in none. */
static guint
class_of (const ProfExecution *execution)
{
  return prof_class_of_foreign (execution->type ? execution->type : execution->name);
}

gboolean
prof_import_is_foreign (const ProfExecution *execution)
{
  return execution->type || strstr (execution->name, "::");
}

char *
prof_import_dup_node_name (const ProfExecution *execution)
{
  const char *name = execution->name;
  gsize       length = strlen (name);

  if (execution->node)
    return g_strdup (execution->node);
  if (!execution->type)
    return g_strdup (name);
  if (g_str_has_prefix (name, "fused "))
    {
      name += strlen ("fused ");
      length -= strlen ("fused ");
    }
  if (g_str_has_suffix (name, "_kernel_time"))
    length -= strlen ("_kernel_time");
  return g_strndup (name, length);
}

/* Counts the nodes of each operator, in the main graph and in bodies. */
static void
count_nodes (TraceImport *self, HybGraph *graph, gboolean is_body)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      OperatorNodes   *nodes;

      if (hyb_node_is_variable (node))
        continue;
      nodes = get_operator (self->operators, prof_import_key (self->import, node->type));
      *(is_body ? &nodes->n_body : &nodes->n_once) += 1;
      for (guint b = 0; b < node->n_bodies; b++)
        count_nodes (self, bodies[b], TRUE);
    }
}

/* Appends the nodes of graph, bodies of loops n_steps times before their loop. */
static void
append_expected (TraceImport *self, HybGraph *graph, guint32 step, guint n_steps, gboolean is_body)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      ExpectedNode     expected = {
            .row = prof_attribution_get_model_row (self->attribution, graph, id),
            .step = step,
            .n_times = is_body ? MAX (self->import->n_loop_steps, 1) : 1,
            .name = node->name,
      };
      OperatorNodes *nodes;
      guint class;

      if (hyb_node_is_variable (node) || self->expected->len >= MAX_EXPECTED)
        continue;
      for (guint t = 0; node->n_bodies > 0 && t < n_steps; t++)
        for (guint b = 0; b < node->n_bodies; b++)
          append_expected (self, bodies[b], t, 1, TRUE);

      expected.key = prof_import_key (self->import, node->type);
      nodes = get_operator (self->operators, expected.key);
      g_array_append_val (nodes->expected, self->expected->len);
      class = prof_class_of_node (node);
      if (class != G_MAXUINT)
        g_array_append_val (self->classes[class].expected, self->expected->len);
      g_array_append_val (self->expected, expected);
      if (graph == self->graph)
        g_hash_table_insert (self->by_node, GUINT_TO_POINTER (id),
                             GUINT_TO_POINTER (self->expected->len));
      if (*node->name && !g_hash_table_contains (self->by_name, node->name))
        g_hash_table_insert (self->by_name, (gpointer) node->name,
                             GUINT_TO_POINTER (self->expected->len));
    }
}

/* Counts the executions of each operator. */
static void
count_executions (TraceImport *self, const GArray *executions)
{
  for (guint i = 0; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      OperatorNodes       *nodes;

      if (prof_is_bulk (execution))
        continue;
      nodes = execution->type
                  ? NULL
                  : g_hash_table_lookup (self->operators,
                                         prof_import_key (self->import, execution->name));
      if (nodes)
        nodes->n_seen++;
    }
}

/* Counts the executions that other tools recorded, except those that have the name of a node. */
static void
count_classes (TraceImport *self, const GArray *executions)
{
  for (guint i = 0; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      g_autofree char     *name = prof_import_dup_node_name (execution);
      guint class = class_of (execution);

      if (class != G_MAXUINT && prof_import_is_foreign (execution) &&
          !g_hash_table_contains (self->by_name, name))
        self->classes[class].n_seen++;
    }
}

/* How often the graph ran, as most executions of other tools say; 0 if none does. */
static guint
vote_iterations (const TraceImport *self)
{
  guint best = 0, n_best = 0;

  for (guint i = 0; i < prof_n_operator_classes (); i++)
    {
      const OperatorNodes *nodes = &self->classes[i];
      guint                n_votes = 0, n = nodes->expected->len;
      guint                ratio = n > 0 && nodes->n_seen % n == 0 ? nodes->n_seen / n : 0;

      for (guint k = 0; ratio > 0 && k < prof_n_operator_classes (); k++)
        if (self->classes[k].n_seen == ratio * self->classes[k].expected->len)
          n_votes += self->classes[k].n_seen;
      if (n_votes > n_best)
        {
          n_best = n_votes;
          best = ratio;
        }
    }
  return best;
}

const char *
prof_import_class_reason (const TraceImport *self, guint class)
{
  const OperatorNodes *nodes = &self->classes[class];

  if (nodes->expected->len == 0)
    return "is an operator that the graph does not have";
  if ((guint64) nodes->expected->len * self->import->n_iterations != nodes->n_seen)
    return "was not executed as often as the graph has such nodes, so that it is not known which "
           "of them it is";
  return NULL;
}

/* Finds out how often the graph ran and how many steps its loops made, from the executions of each
 * operator: n_seen = iterations × n_once + steps × n_body. */
static void
find_counts (TraceImport *self)
{
  GHashTableIter iter;
  gpointer       value;
  guint          steps = 0, iterations = 0;

  g_hash_table_iter_init (&iter, self->operators);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const OperatorNodes *nodes = value;

      if (nodes->n_once == 0 && nodes->n_body > 0 && nodes->n_seen > 0)
        steps =
            steps == 0 ? nodes->n_seen / nodes->n_body : MIN (steps, nodes->n_seen / nodes->n_body);
    }
  g_hash_table_iter_init (&iter, self->operators);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const OperatorNodes *nodes = value;
      guint                in_bodies = MIN (nodes->n_seen, steps * nodes->n_body);
      guint                n = nodes->n_once > 0 ? (nodes->n_seen - in_bodies) / nodes->n_once : 0;

      if (n > 0)
        iterations = iterations == 0 ? n : MIN (iterations, n);
    }
  iterations = CLAMP (iterations, 1, G_MAXUINT16);
  self->import->n_iterations = iterations;
  self->import->n_loop_steps = MIN (steps / iterations, MAX_LOOP_STEPS);
}

void
prof_import_expect (TraceImport *self, HybGraph *graph, const GArray *executions)
{
  guint n_iterations;

  count_nodes (self, graph, FALSE);
  count_executions (self, executions);
  find_counts (self);
  append_expected (self, graph, 0, MAX (self->import->n_loop_steps, 1), FALSE);
  count_classes (self, executions);
  n_iterations = vote_iterations (self);
  if (n_iterations > self->import->n_iterations)
    self->import->n_iterations = MIN (n_iterations, G_MAXUINT16);
}
