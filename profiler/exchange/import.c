/* import.c — maps the trace of another profiler to the nodes of a model.
 *
 * The graph says in which order operators run: an iteration is the list of its nodes, with bodies
 * of loops as often as the trace shows them.  Forward executions take the nodes of their operator
 * from the front, gradients from the back.  Start reading at prof_import_trace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import.h"

#include "engine/formats/mxnet-symbol.h"
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/import-private.h"
#include "profiler/summary/attribute.h"
#include "profiler/summary/summary.h"

#include <math.h>
#include <string.h>

/* Rough costs of an operator, by which a bulked event is divided. */
#define LAUNCH_SECONDS   0.3e-6
#define FLOPS_PER_SECOND 20e9
#define BYTES_PER_SECOND 10e9

/* --- Events --- */

/* is_shared: a part of a bulked event, whose times are estimated. */
static void
add_event (TraceImport  *self,
           const Target *target,
           gint64        begin_ns,
           gint64        end_ns,
           gboolean      is_shared)
{
  ProfEvent event = {
    .begin_ns = (guint64) (begin_ns - self->base_ns),
    .packed = prof_event_pack ((guint64) (end_ns - begin_ns), PROF_EVENT_NODE, 1, 0, 0),
    .node = target->row,
    .step = target->step,
    .graph = (guint16) prof_builder_get_node (self->builder, target->row)->graph,
    .run = (guint16) MIN (target->run, G_MAXUINT16),
    .correlation = is_shared,
  };

  prof_builder_get_node (self->builder, target->row)->flags |= PROF_NODE_EXECUTED;
  g_array_append_val (self->events, event);
}

/* --- Bulked events --- */

/* The first index of expected, from from on, where the members follow each other; G_MAXUINT if
 * there is none. */
static guint
find_sequence (const TraceImport *self, char **members, guint n, guint from)
{
  for (guint at = from; at + n <= self->expected->len; at++)
    {
      guint i = 0;

      while (i < n && g_array_index (self->expected, ExpectedNode, at + i).key ==
                          prof_import_key (self->import, members[i]))
        i++;
      if (i == n)
        return at;
    }
  return G_MAXUINT;
}

/* Whether a row is the same node in the capture like, which has the rows of the same graph. */
static gboolean
is_row_of_both (const TraceImport *self, guint32 row, const ProfNode *node)
{
  const ProfNode *other = self->like && row < prof_capture_n_nodes (self->like)
                              ? prof_capture_get_node (self->like, row)
                              : NULL;

  return other && !((other->flags | node->flags) & PROF_NODE_ADDED) && other->id == node->id &&
         other->graph == node->graph;
}

/* The weight of a row in a bulked event: its time in the capture like, else an estimate from its
 * work. */
static double
weigh (const TraceImport *self, guint32 row)
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

/* Divides a bulked event over rows, in proportion to their weights. */
static void
divide_event (TraceImport *self, const ProfExecution *execution, const GArray *rows, guint run)
{
  double whole = 0, before = 0;
  double duration = (double) (execution->end_ns - execution->begin_ns);

  for (guint i = 0; i < rows->len; i++)
    whole += weigh (self, g_array_index (rows, guint32, i));
  for (guint i = 0; i < rows->len; i++)
    {
      Target target = { .row = g_array_index (rows, guint32, i), .run = run };
      double after = before + weigh (self, target.row);

      add_event (self, &target, execution->begin_ns + (gint64) (duration * before / whole),
                 execution->begin_ns + (gint64) (duration * after / whole), rows->len > 1);
      before = after;
    }
}

/* The operators of an event in the order of the graph: those of a bulked event, or a single one of the
 * graph's; NULL: others, such as gradients.  (transfer full) */
static char **
list_members (const TraceImport *self, const ProfExecution *execution, gboolean *is_cut)
{
  *is_cut = FALSE;
  if (prof_is_bulk (execution))
    return prof_split_bulk (execution->name, is_cut);
  if (execution->type || g_hash_table_contains (self->by_name, execution->name) ||
      !g_hash_table_contains (self->operators, prof_import_key (self->import, execution->name)))
    return NULL;
  return g_strdupv ((char **) (const char *const[]){ execution->name, NULL });
}

/* The index of expected, from `from` on, where the next event begins that has operators there; the end of
 * the iteration if there is none. */
static guint
find_next_begin (const TraceImport *self, const GArray *executions, guint index, guint from)
{
  for (guint i = index + 1; i < executions->len; i++)
    {
      gboolean is_cut;
      g_auto (GStrv) members =
          list_members (self, &g_array_index (executions, ProfExecution, i), &is_cut);
      guint n = members ? g_strv_length (members) : 0;
      guint at = n > 0 ? find_sequence (self, members, n, from) : G_MAXUINT;

      if (at != G_MAXUINT)
        return at;
    }
  return self->expected->len;
}

/* Maps a bulked event, or a single operator beside bulked ones, which follows them in the order of the
 * graph.  FALSE if the graph has none of its operators there. */
static gboolean
map_bulk (TraceImport *self, const GArray *executions, guint index)
{
  const ProfExecution *execution = &g_array_index (executions, ProfExecution, index);
  gboolean             is_cut;
  g_auto (GStrv) members = list_members (self, execution, &is_cut);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n = members ? g_strv_length (members) : 0;
  guint at, end, run = self->iteration;

  at = n > 0 ? find_sequence (self, members, n, self->position) : G_MAXUINT;
  if (at == G_MAXUINT && n > 0 && self->position > 0 &&
      (at = find_sequence (self, members, n, 0)) != G_MAXUINT)
    run = ++self->iteration; /* the next iteration begins */
  if (at != G_MAXUINT)
    {
      /* Only the name is cut off: the event covers the nodes up to where the next one begins. */
      end = is_cut ? find_next_begin (self, executions, index, at + n) : at + n;
      for (guint i = at; i < end; i++)
        g_array_append_val (rows, g_array_index (self->expected, ExpectedNode, i).row);
      self->position = end;
    }
  else
    for (guint i = 0; prof_is_bulk (execution) && i < n; i++)
      {
        Target target = prof_import_find_target (self, members[i]);

        run = target.run;
        if (target.row != PROF_NONE)
          g_array_append_val (rows, target.row);
      }

  if (rows->len == 0)
    return FALSE;
  if (prof_is_bulk (execution))
    {
      self->import->n_members += rows->len;
      self->import->n_shared++;
    }
  divide_event (self, execution, rows, run);
  self->import->n_attributed++;
  return TRUE;
}

/* --- All executions --- */

static void
count_gradients (TraceImport *self, const GArray *executions)
{
  for (guint i = 0; i < executions->len; i++)
    {
      const char    *name = g_array_index (executions, ProfExecution, i).name;
      OperatorNodes *nodes;

      if (g_str_has_prefix (name, PROF_BACKWARD) &&
          (nodes = prof_import_find_operator (self, name, TRUE)))
        nodes->n_seen++;
    }
}

/* ONNX Runtime changes the layout of arrays before and after nodes that need another one. */
static gboolean
is_layout (const ProfExecution *execution)
{
  return execution->type && g_str_has_prefix (execution->type, "Reorder");
}

/* The node of a change of layout: the node before it for a result, the next one for an input. */
static Target
find_layout_target (TraceImport *self, const GArray *executions, guint at, const Target *before)
{
  Target target = { .row = PROF_NONE, .reason = "changes the layout of an array" };

  if (g_str_has_prefix (g_array_index (executions, ProfExecution, at).type, "ReorderOutput"))
    return before->row == PROF_NONE ? target : *before;
  while (++at < executions->len && is_layout (&g_array_index (executions, ProfExecution, at)))
    ;
  if (at < executions->len)
    target = prof_import_peek (self, &g_array_index (executions, ProfExecution, at));
  return target;
}

static void
map_executions (TraceImport *self, const GArray *executions)
{
  Target   before = { .row = PROF_NONE };
  gboolean has_bulks = FALSE;

  count_gradients (self, executions);
  for (guint i = 0; i < executions->len; i++)
    has_bulks |= prof_is_bulk (&g_array_index (executions, ProfExecution, i));
  for (guint i = 0; i < executions->len; i++)
    {
      const ProfExecution *execution = &g_array_index (executions, ProfExecution, i);
      double               seconds = (double) (execution->end_ns - execution->begin_ns) * 1e-9;
      Target               target;

      self->import->n_operators++;
      if (has_bulks && map_bulk (self, executions, i))
        continue;
      if (prof_is_bulk (execution))
        {
          prof_import_count_unmatched (self->import, execution->name,
                                       "is a bulk of operators that the graph does not have",
                                       seconds);
          continue;
        }
      target = is_layout (execution) ? find_layout_target (self, executions, i, &before)
                                     : prof_import_find_any (self, execution);
      self->import->n_layouts += is_layout (execution) && target.row != PROF_NONE;
      before = target;
      if (target.row == PROF_NONE)
        {
          prof_import_count_unmatched (self->import,
                                       execution->type ? execution->type : execution->name,
                                       target.reason, seconds);
          continue;
        }
      self->import->n_attributed++;
      self->import->n_fused += execution->type && g_str_has_prefix (execution->type, "Fused");
      self->import->n_iterations =
          MAX (self->import->n_iterations, MIN (target.run, G_MAXUINT16 - 1) + 1);
      add_event (self, &target, execution->begin_ns, execution->end_ns, FALSE);
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

/* Writes the events of a trace of ours, which has the RUN events. */
static void
write_own_events (TraceImport *self)
{
  for (guint i = 0; i < self->events->len; i++)
    {
      const ProfEvent *event = &g_array_index (self->events, ProfEvent, i);

      prof_builder_add_event (self->builder, event);
      if (prof_event_kind (event) == PROF_EVENT_RUN)
        prof_builder_add_sample (self->builder, PROF_SAMPLE_TRACED, event->run,
                                 (double) prof_event_duration (event) * 1e-9);
    }
}

/* Writes the events in order, and a RUN event around those of each iteration. */
static void
write_events (TraceImport *self)
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
      prof_builder_add_sample (self->builder, PROF_SAMPLE_TRACED, event->run,
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

/* Adds the given facts, and facts of the import. */
static void
add_facts (TraceImport *self, const ProfTrace *trace, const ProfFacts *given)
{
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  if (given)
    prof_builder_add_facts (self->builder, given);
  prof_facts_set (facts, "import.from", trace->is_own ? "hscope" : "profile.json");
  prof_facts_set_number (facts, "import.operators", self->import->n_operators);
  prof_facts_set_number (facts, "import.attributed", self->import->n_attributed);
  prof_facts_set_number (facts, "import.shared", self->import->n_shared);
  prof_facts_set_number (facts, "import.broken", trace->n_broken);
  prof_facts_set (facts, PROF_DEVICE_KEY, self->device);
  prof_facts_set (facts, PROF_DEVICE_TRACE_KEY, self->tracer);
  prof_builder_add_facts (self->builder, facts);
}

/* Seconds of one execution by row of like; NULL for NULL.  (transfer full) */
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

void
prof_import_clear (ProfImport *import)
{
  g_clear_pointer (&import->unmatched, g_array_unref);
  g_clear_pointer (&import->fusions, g_array_unref);
  g_clear_pointer (&import->index, g_hash_table_unref);
  g_clear_pointer (&import->names, g_string_chunk_free);
}

ProfCapture *
prof_import_trace (const ProfTrace         *trace,
                   HybGraph                *graph,
                   const ProfImportOptions *options,
                   ProfImport              *import,
                   GError                 **error)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfAttribution) attribution =
      prof_attribution_new_model (builder, graph, options->types);
  g_autoptr (GArray) executions = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize            length;
  g_autofree char *symbol = hyb_symbol_print (graph, &length);
  TraceImport      self = {
         .builder = builder,
         .attribution = attribution,
         .import = import,
         .like = options->like,
         .like_seconds = sum_rows (options->like),
  };

  *import = (ProfImport){ .unmatched = g_array_new (FALSE, FALSE, sizeof (ProfUnmatched)),
                          .fusions = g_array_new (FALSE, FALSE, sizeof (ProfFusion)) };
  /* 1. Pair begin and end events of other tools; own traces have whole events. */
  executions = trace->is_own ? g_array_new (FALSE, FALSE, sizeof (ProfExecution))
                             : prof_pair_events (trace, import);
  /* 2. List the nodes of the model by name, by operator and by class of operators. */
  self.expected = g_array_new (FALSE, FALSE, sizeof (ExpectedNode));
  self.operators = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, prof_operator_nodes_free);
  self.gradients = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, prof_operator_nodes_free);
  self.by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self.backward = g_hash_table_new (NULL, NULL);
  self.taken = g_hash_table_new (NULL, NULL);
  self.renamed = g_hash_table_new (g_str_hash, g_str_equal);
  prof_import_list_nodes (&self, graph);
  self.classes = g_new0 (OperatorNodes, prof_n_operator_classes ());
  for (guint i = 0; i < prof_n_operator_classes (); i++)
    self.classes[i].expected = g_array_new (FALSE, FALSE, sizeof (guint));
  self.events = g_array_new (FALSE, FALSE, sizeof (ProfEvent));
  if (executions->len > 0)
    self.base_ns = g_array_index (executions, ProfExecution, 0).begin_ns;

  /* 3. Map executions to nodes, and write them as events of runs. */
  prof_import_expect (&self, graph, executions);
  if (trace->is_own)
    {
      prof_import_own (&self, trace);
      write_own_events (&self);
    }
  else
    {
      map_executions (&self, executions);
      prof_import_list_fusions (&self);
      write_events (&self);
    }
  g_clear_pointer (&import->index, g_hash_table_unref);
  /* 4. Report the executions that match no node, and finish the capture. */
  g_array_sort (import->unmatched, compare_unmatched);
  add_facts (&self, trace, options->facts);
  if (symbol)
    prof_builder_set_symbol (builder, symbol, length);
  bytes = prof_builder_finish (builder);

  g_free (self.like_seconds);
  g_array_unref (self.expected);
  g_array_unref (self.events);
  g_hash_table_unref (self.operators);
  g_hash_table_unref (self.gradients);
  g_hash_table_unref (self.by_name);
  g_hash_table_unref (self.backward);
  g_hash_table_unref (self.taken);
  g_hash_table_unref (self.renamed);
  g_hash_table_unref (self.by_value);
  g_array_unref (self.listed);
  g_array_unref (self.numbered);
  g_hash_table_unref (self.by_node);
  for (guint i = 0; i < prof_n_operator_classes (); i++)
    g_array_unref (self.classes[i].expected);
  g_free (self.classes);
  return prof_capture_new (bytes, "this trace", error);
}
