/* import-order.c — which operators an iteration runs, and in which order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import-private.h"

#include <string.h>

#define MAX_LOOP_STEPS 100000
#define MAX_EXPECTED   (4 * 1000 * 1000)

/* --- Names --- */

/* What operators are called the same by: their own name here, else letters alone. */
const char *
prof_import_key (const char *name)
{
  const HybOp *op = hyb_op_find (name);
  g_autoptr (GString) plain = NULL;
  const char *at = name;

  if (op)
    return g_intern_string (op->name);
  if (g_str_has_prefix (name, "_sg_mkldnn_") || g_str_has_prefix (name, "_sg_onednn_"))
    at += strlen ("_sg_mkldnn_");
  plain = g_string_new (NULL);
  for (; *at; at++)
    if (*at != '_')
      g_string_append_c (plain, g_ascii_tolower (*at));
  /* A fused operator that begins like one of ours. */
  op = strcmp (plain->str, "fullyconnected") == 0 ? hyb_op_find ("FullyConnected")
       : strcmp (plain->str, "conv") == 0         ? hyb_op_find ("Convolution")
                                                  : NULL;
  return g_intern_string (op ? op->name : plain->str);
}

static gboolean
ends_like (const char *type, const char *suffix)
{
  gsize n = strlen (type), m = strlen (suffix);

  return n >= m && g_ascii_strcasecmp (type + n - m, suffix) == 0 &&
         (n == m || type[n - m - 1] == '_');
}

/* Whose gradient “_backward_mul” is: “elemwise_mul”, if the graph has one. */
const char *
prof_import_backward_key (const Import *self, const char *name)
{
  const char    *suffix = name + strlen (BACKWARD);
  const char    *key = prof_import_key (suffix);
  GHashTableIter iter;
  gpointer       known;

  if (g_hash_table_contains (self->kinds, key))
    return key;
  g_hash_table_iter_init (&iter, self->kinds);
  while (g_hash_table_iter_next (&iter, &known, NULL))
    if (ends_like (known, suffix))
      return known;
  return key;
}

/* --- What an iteration runs --- */

void
prof_kind_free (gpointer data)
{
  g_array_unref (((Kind *) data)->expected);
  g_free (data);
}

static Kind *
take_kind (GHashTable *kinds, const char *key)
{
  Kind *kind = g_hash_table_lookup (kinds, key);

  if (!kind)
    {
      kind = g_new0 (Kind, 1);
      kind->expected = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (kinds, (gpointer) key, kind);
    }
  return kind;
}

static void
count_kinds (Import *self, HybGraph *graph, gboolean is_body)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      Kind            *kind;

      if (hyb_node_is_variable (node))
        continue;
      kind = take_kind (self->kinds, prof_import_key (node->type));
      *(is_body ? &kind->n_body : &kind->n_once) += 1;
      for (guint b = 0; b < node->n_bodies; b++)
        count_kinds (self, bodies[b], TRUE);
    }
}

static void
expect (Import *self, HybGraph *graph, guint32 step, guint n_steps)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      Expected         expected = {
                .row = prof_attribution_get_model_row (self->attribution, graph, id),
                .step = step,
                .name = node->name,
      };
      Kind *kind;

      if (hyb_node_is_variable (node) || self->expected->len >= MAX_EXPECTED)
        continue;
      for (guint t = 0; node->n_bodies > 0 && t < n_steps; t++)
        for (guint b = 0; b < node->n_bodies; b++)
          expect (self, bodies[b], t, 1);

      expected.key = prof_import_key (node->type);
      kind = take_kind (self->kinds, expected.key);
      g_array_append_val (kind->expected, self->expected->len);
      g_array_append_val (self->expected, expected);
      if (*node->name && !g_hash_table_contains (self->by_name, node->name))
        g_hash_table_insert (self->by_name,
                             (gpointer) node->name,
                             GUINT_TO_POINTER (self->expected->len));
    }
}

gboolean
prof_is_bulk (const ProfExecution *execution)
{
  return *execution->name == '[';
}

static void
count_seen (Import *self, const GArray *executions)
{
  for (guint i = 0; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      Kind                *kind;

      if (prof_is_bulk (execution))
        continue;
      kind = g_hash_table_lookup (self->kinds, prof_import_key (execution->name));
      if (kind)
        kind->n_seen++;
    }
}

/* How often the graph ran and its loops went round, from how often each kind was seen:
 * n = iterations × once + turns × body. */
static void
find_counts (Import *self)
{
  GHashTableIter iter;
  gpointer       value;
  guint          turns = 0, iterations = 0;

  g_hash_table_iter_init (&iter, self->kinds);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Kind *kind = value;

      if (kind->n_once == 0 && kind->n_body > 0 && kind->n_seen > 0)
        turns = turns == 0 ? kind->n_seen / kind->n_body : MIN (turns, kind->n_seen / kind->n_body);
    }
  g_hash_table_iter_init (&iter, self->kinds);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Kind *kind = value;
      guint       in_bodies = MIN (kind->n_seen, turns * kind->n_body);
      guint       n = kind->n_once > 0 ? (kind->n_seen - in_bodies) / kind->n_once : 0;

      if (n > 0)
        iterations = iterations == 0 ? n : MIN (iterations, n);
    }
  iterations = CLAMP (iterations, 1, G_MAXUINT16);
  self->import->n_iterations = iterations;
  self->import->n_loop_steps = MIN (turns / iterations, MAX_LOOP_STEPS);
}

void
prof_import_expect (Import *self, HybGraph *graph, const GArray *executions)
{
  count_kinds (self, graph, FALSE);
  count_seen (self, executions);
  find_counts (self);
  expect (self, graph, 0, MAX (self->import->n_loop_steps, 1));
}
