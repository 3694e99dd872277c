/* import.c — another profiler's trace onto a model's graph.
 *
 * The graph says in which order operators run: an iteration is the list of its nodes,
 * bodies of loops as often as the trace shows them.  Forward events take the nodes of
 * their kind from the front, gradients from the back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import.h"

#include "engine/base/error.h"
#include "engine/formats/mxnet-symbol.h"
#include "profiler/exchange/import-private.h"
#include "profiler/summary/attribute.h"
#include "profiler/summary/summary.h"

#include <math.h>
#include <string.h>

/* What shares of a bulked event go by: seconds of an operator, roughly. */
#define LAUNCH_SECONDS   0.3e-6
#define FLOPS_PER_SECOND 20e9
#define BYTES_PER_SECOND 10e9

/* --- Events --- */

static void
add_event (Import  *self,
           guint32  row,
           guint32  step,
           guint    run,
           gint64   begin_ns,
           gint64   end_ns,
           gboolean is_shared)
{
  ProfEvent event = {
    .begin_ns = (guint64) (begin_ns - self->base_ns),
    .packed = prof_event_pack ((guint64) (end_ns - begin_ns), PROF_EVENT_NODE, 1, 0, 0),
    .node = row,
    .step = step,
    .graph = (guint16) prof_builder_get_node (self->builder, row)->graph,
    .run = (guint16) MIN (run, G_MAXUINT16),
    .correlation = is_shared,
  };

  prof_builder_get_node (self->builder, row)->flags |= PROF_NODE_EXECUTED;
  g_array_append_val (self->events, event);
}

/* A row for the gradient of a row. */
static guint32
backward_row (Import *self, guint32 row, const char *type)
{
  guint32  known = GPOINTER_TO_UINT (g_hash_table_lookup (self->backward, GUINT_TO_POINTER (row)));
  ProfNode node;
  g_autofree char *name = NULL;
  guint32          made;

  if (known > 0)
    return known - 1;
  node = *prof_builder_get_node (self->builder, row);
  name = g_strconcat (prof_builder_get_text (self->builder, node.name), "_backward", NULL);
  node.name = prof_builder_text (self->builder, name);
  node.type = prof_builder_text (self->builder, type);
  node.id = PROF_NONE;
  node.origin = row;
  node.flags = PROF_NODE_ADDED;
  node.n_edges = 0;
  node.flops = node.bytes_read = node.bytes_written = NAN;
  made = prof_builder_add_node (self->builder, &node);
  g_hash_table_insert (self->backward, GUINT_TO_POINTER (row), GUINT_TO_POINTER (made + 1));
  return made;
}

/* The node that the next execution of this kind belongs to: an index of expected, or
 * G_MAXUINT when there are more of them than nodes. */
static guint
take_next (Import *self, Kind *kind, guint n_seen, gboolean from_back, guint *run)
{
  guint n = self->import->n_iterations;
  guint a_turn = n_seen > 0 && n_seen % n == 0 ? n_seen / n : kind->expected->len;
  guint at;

  a_turn = MAX (a_turn, 1);
  *run = kind->n_taken / a_turn;
  at = kind->n_taken++ % a_turn;
  if (at >= kind->expected->len)
    return G_MAXUINT;
  if (from_back)
    at = kind->expected->len - 1 - at;
  return g_array_index (kind->expected, guint, at);
}

/* Why an execution belongs to no node. */
static const char *
reason_for (const char *name)
{
  static const struct
  {
    const char *pattern, *reason;
  } reasons[] = {
    { "DeleteVariable", "frees memory, for no one node" },
    { "WaitForVar", "waits until a result is there" },
    { "SetValueOp", "fills an array: a head gradient or a first state" },
    { "_zeros*", "fills an array that gradients are added to" },
    { "ones_like", "makes the head gradient" },
    { "_ones*", "makes the head gradient" },
    { "_grad_add", "adds gradients that meet" },
    { "add_n", "adds gradients that meet" },
    { "_identity_with_attr_like_rhs", "hands a gradient on" },
    { "_copy*", "copies an array, in no node of the graph" },
    { "Copy*", "copies an array from outside" },
    { BACKWARD "*", "is the gradient of an operator that the graph does not have" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_pattern_match_simple (reasons[i].pattern, name))
      return reasons[i].reason;
  return "is the operator of no node, and the name of none";
}

/* Gradients have kinds of their own: the same nodes, counted apart. */
static Kind *
kind_of (Import *self, const char *name, gboolean is_backward, GHashTable *gradients)
{
  const char *key = is_backward ? prof_import_backward_key (self, name) : prof_import_key (name);
  Kind       *kind = g_hash_table_lookup (self->kinds, key), *gradient;

  if (!kind || kind->expected->len == 0)
    return NULL;
  if (!is_backward)
    return kind;
  gradient = g_hash_table_lookup (gradients, key);
  if (!gradient)
    {
      gradient = g_new0 (Kind, 1);
      gradient->expected = g_array_ref (kind->expected);
      g_hash_table_insert (gradients, (gpointer) key, gradient);
    }
  return gradient;
}

/* The row of one operator by its name; PROF_NONE and a reason. */
static guint32
find_row (Import      *self,
          const char  *name,
          const char  *node,
          GHashTable  *gradients,
          guint       *run,
          guint32     *step,
          const char **reason)
{
  gboolean is_backward = g_str_has_prefix (name, BACKWARD);
  guint    at = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, node ? node : name));
  Kind    *kind;
  guint32  row;

  *run = 0;
  *step = 0;
  if (at > 0)
    return g_array_index (self->expected, Expected, at - 1).row;

  kind = kind_of (self, name, is_backward, gradients);
  *reason = reason_for (name);
  if (!kind)
    return PROF_NONE;
  at = take_next (self, kind, kind->n_seen, is_backward, run);
  if (at == G_MAXUINT)
    {
      if (g_str_has_prefix (*reason, "is the operator of no node"))
        *reason = "came more often than the graph has such nodes";
      return PROF_NONE;
    }
  row = g_array_index (self->expected, Expected, at).row;
  *step = g_array_index (self->expected, Expected, at).step;
  return is_backward ? backward_row (self, row, name) : row;
}

/* --- Bulked events --- */

/* Where in the iteration the members stand one after the other, from position on. */
static guint
find_sequence (const Import *self, char **members, guint n, guint from)
{
  for (guint at = from; at + n <= self->expected->len; at++)
    {
      guint i = 0;

      while (i < n &&
             g_array_index (self->expected, Expected, at + i).key == prof_import_key (members[i]))
        i++;
      if (i == n)
        return at;
    }
  return G_MAXUINT;
}

/* Both captures begin with the rows of the same graph. */
static gboolean
is_row_of_both (const Import *self, guint32 row, const ProfNode *node)
{
  const ProfNode *other = self->like && row < prof_capture_n_nodes (self->like)
                              ? prof_capture_get_node (self->like, row)
                              : NULL;

  return other && !((other->flags | node->flags) & PROF_NODE_ADDED) && other->id == node->id &&
         other->graph == node->graph;
}

static double
weigh (const Import *self, guint32 row)
{
  const ProfNode *node = prof_builder_get_node (self->builder, row);
  double          seconds = LAUNCH_SECONDS;

  if (is_row_of_both (self, row, node) && self->like_seconds[row] > 0)
    return self->like_seconds[row];
  if (isfinite (node->flops))
    seconds += MAX (node->flops / FLOPS_PER_SECOND,
                    (node->bytes_read + node->bytes_written) / BYTES_PER_SECOND);
  return seconds;
}

static void
share_out (Import *self, const ProfExecution *execution, const GArray *rows, guint run)
{
  double whole = 0, before = 0;
  double duration = (double) (execution->end_ns - execution->begin_ns);

  for (guint i = 0; i < rows->len; i++)
    whole += weigh (self, g_array_index (rows, guint32, i));
  for (guint i = 0; i < rows->len; i++)
    {
      guint32 row = g_array_index (rows, guint32, i);
      double  after = before + weigh (self, row);

      add_event (self,
                 row,
                 0,
                 run,
                 execution->begin_ns + (gint64) (duration * before / whole),
                 execution->begin_ns + (gint64) (duration * after / whole),
                 TRUE);
      before = after;
    }
  self->import->n_members += rows->len;
}

/* Where the bulked event after this one begins; the end of the iteration if none does. */
static guint
find_next_begin (const Import *self, const GArray *executions, guint index, guint from)
{
  for (guint i = index + 1; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      gboolean             is_cut;
      g_auto (GStrv) members = prof_split_bulk (execution->name, &is_cut);
      guint at;

      if (!members || g_strv_length (members) == 0)
        continue;
      at = find_sequence (self, members, g_strv_length (members), from);
      return at == G_MAXUINT ? self->expected->len : at;
    }
  return self->expected->len;
}

static gboolean
take_bulk (Import *self, const GArray *executions, guint index, GHashTable *gradients)
{
  const ProfExecution *execution = &g_array_index (executions, ProfExecution, index);
  gboolean             is_cut;
  g_auto (GStrv) members = prof_split_bulk (execution->name, &is_cut);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint       n = g_strv_length (members);
  guint       at, end, run = self->iteration;
  guint32     step;
  const char *reason;

  at = n > 0 ? find_sequence (self, members, n, self->position) : G_MAXUINT;
  if (at == G_MAXUINT && n > 0 && self->position > 0 &&
      (at = find_sequence (self, members, n, 0)) != G_MAXUINT)
    run = ++self->iteration; /* from the front again */
  if (at != G_MAXUINT)
    {
      /* Names are cut, the segment is not: it goes on to where the next one begins. */
      end = is_cut ? find_next_begin (self, executions, index, at + n) : at + n;
      for (guint i = at; i < end; i++)
        g_array_append_val (rows, g_array_index (self->expected, Expected, i).row);
      self->position = end;
    }
  else
    for (guint i = 0; i < n; i++)
      {
        guint32 row = find_row (self, members[i], NULL, gradients, &run, &step, &reason);

        if (row != PROF_NONE)
          g_array_append_val (rows, row);
      }

  if (rows->len == 0)
    return FALSE;
  share_out (self, execution, rows, run);
  return TRUE;
}

/* --- All of it --- */

static void
count_gradients (Import *self, const GArray *executions, GHashTable *gradients)
{
  for (guint i = 0; i < executions->len; i++)
    {
      const char *name = g_array_index (executions, ProfExecution, i).name;
      Kind       *kind;

      if (g_str_has_prefix (name, BACKWARD) && (kind = kind_of (self, name, TRUE, gradients)))
        kind->n_seen++;
    }
}

static void
take_executions (Import *self, const GArray *executions)
{
  g_autoptr (GHashTable) gradients =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, prof_kind_free);

  count_gradients (self, executions, gradients);
  for (guint i = 0; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      double               seconds = (double) (execution->end_ns - execution->begin_ns) * 1e-9;
      const char          *reason = NULL;
      guint                run;
      guint32              step, row;

      self->import->n_operators++;
      if (prof_is_bulk (execution))
        {
          if (take_bulk (self, executions, i, gradients))
            {
              self->import->n_shared++;
              self->import->n_attributed++;
            }
          else
            prof_import_miss (self->import,
                              execution->name,
                              "is a bulk of operators that the graph does not have",
                              seconds);
          continue;
        }
      row = find_row (self, execution->name, execution->node, gradients, &run, &step, &reason);
      if (row == PROF_NONE)
        {
          prof_import_miss (self->import, execution->name, reason, seconds);
          continue;
        }
      self->import->n_attributed++;
      add_event (self, row, step, run, execution->begin_ns, execution->end_ns, FALSE);
    }
}

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const ProfEvent *x = a, *y = b;
  guint64          end_x = x->begin_ns + prof_event_duration (x);
  guint64          end_y = y->begin_ns + prof_event_duration (y);

  if (x->run != y->run)
    return x->run < y->run ? -1 : 1;
  return end_x < end_y ? -1 : end_x > end_y;
}

/* In order, and around the events of each iteration its run. */
static void
write_events (Import *self)
{
  guint first = 0;

  g_array_sort (self->events, compare_events);
  for (guint i = 0; i < self->events->len; i++)
    {
      const ProfEvent *event = &g_array_index (self->events, ProfEvent, i);
      ProfEvent        run = { .run = event->run, .graph = 0, .begin_ns = G_MAXUINT64 };
      guint64          end;

      prof_builder_add_event (self->builder, event);
      if (i + 1 < self->events->len &&
          g_array_index (self->events, ProfEvent, i + 1).run == event->run)
        continue;
      end = event->begin_ns + prof_event_duration (event);
      for (guint k = first; k <= i; k++)
        run.begin_ns = MIN (run.begin_ns, g_array_index (self->events, ProfEvent, k).begin_ns);
      run.packed = prof_event_pack (end - run.begin_ns, PROF_EVENT_RUN, 0, 0, 0);
      prof_builder_add_event (self->builder, &run);
      prof_builder_add_sample (self->builder,
                               PROF_SAMPLE_TRACED,
                               event->run,
                               (double) (end - run.begin_ns) * 1e-9);
      first = i + 1;
    }
}

static int
compare_unmatched (gconstpointer a, gconstpointer b)
{
  const ProfUnmatched *x = a, *y = b;

  if (x->seconds != y->seconds)
    return x->seconds < y->seconds ? 1 : -1;
  return strcmp (x->name, y->name);
}

static void
note_facts (Import *self, const ProfTrace *trace, const ProfFacts *given)
{
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  if (given)
    prof_builder_add_facts (self->builder, given);
  prof_facts_set (facts, "import.from", "profile.json");
  prof_facts_set_number (facts, "import.operators", self->import->n_operators);
  prof_facts_set_number (facts, "import.attributed", self->import->n_attributed);
  prof_facts_set_number (facts, "import.shared", self->import->n_shared);
  prof_facts_set_number (facts, "import.broken", trace->n_broken);
  prof_builder_add_facts (self->builder, facts);
}

/* Seconds of one run by row. */
static double *
sum_rows (const ProfCapture *like)
{
  g_autoptr (ProfSummary) summary = like ? prof_summary_new (like) : NULL;
  double *seconds = like ? g_new0 (double, MAX (prof_capture_n_nodes (like), 1)) : NULL;

  for (guint i = 0; summary && i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);

      seconds[sum->row] = sum->self / MAX (sum->count, 1);
    }
  return seconds;
}

ProfCapture *
prof_import_trace (const ProfTrace   *trace,
                   HybGraph          *graph,
                   const HybType     *types,
                   const ProfCapture *like,
                   const ProfFacts   *facts,
                   ProfImport        *import,
                   GError           **error)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfAttribution) attribution = prof_attribution_new_model (builder, graph, types);
  g_autoptr (GArray) executions = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize            length;
  g_autofree char *symbol = hyb_symbol_print (graph, &length);
  Import           self = {
              .builder = builder,
              .attribution = attribution,
              .import = import,
              .like = like,
              .like_seconds = sum_rows (like),
  };

  *import = (ProfImport){ .unmatched = g_array_new (FALSE, FALSE, sizeof (ProfUnmatched)) };
  executions = prof_pair_events (trace, import);
  self.expected = g_array_new (FALSE, FALSE, sizeof (Expected));
  self.kinds = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, prof_kind_free);
  self.by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self.backward = g_hash_table_new (NULL, NULL);
  self.events = g_array_new (FALSE, FALSE, sizeof (ProfEvent));
  if (executions->len > 0)
    self.base_ns = g_array_index (executions, ProfExecution, 0).begin_ns;

  prof_import_expect (&self, graph, executions);
  take_executions (&self, executions);
  g_array_sort (import->unmatched, compare_unmatched);
  write_events (&self);
  note_facts (&self, trace, facts);
  if (symbol)
    prof_builder_set_symbol (builder, symbol, length);
  bytes = prof_builder_finish (builder);

  g_free (self.like_seconds);
  g_array_unref (self.expected);
  g_array_unref (self.events);
  g_hash_table_unref (self.kinds);
  g_hash_table_unref (self.by_name);
  g_hash_table_unref (self.backward);
  return prof_capture_new (bytes, "this trace", error);
}
