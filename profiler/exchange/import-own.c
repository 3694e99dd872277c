/* import-own.c — maps a trace that prof_print_chrome() wrote.
 *
 * Such a trace says for every event which node, run and step of a loop it belongs to.  How deep events
 * of the host are nested follows from their times; work of a GPU is in none of them.  Start reading at
 * prof_import_own().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import-private.h"

#include <string.h>

/* An event of ours, before it is nested. */
typedef struct
{
  const ProfTraceEvent *event;
  ProfEventKind         kind;
  guint32               number; /* of the run, of the step, of the pass */
  guint                 depth;
  guint                 place; /* in the file */
} OwnSpan;

static gboolean
is_numbered (const char *name, const char *prefix, guint32 *number)
{
  char   *end;
  guint64 value;

  if (!g_str_has_prefix (name, prefix) || !g_ascii_isdigit (name[strlen (prefix)]))
    return FALSE;
  value = g_ascii_strtoull (name + strlen (prefix), &end, 10);
  *number = (guint32) value;
  return *end == 0 && value < PROF_NO_NUMBER;
}

/* Finds the part of a run that an event belongs to.  FALSE: it belongs to no run. */
static gboolean
classify (const ProfTraceEvent *event, OwnSpan *span)
{
  span->event = event;
  if (event->phase != 'X' || !prof_import_has_times (event))
    return FALSE;
  if (strcmp (event->category, "user_annotation") == 0)
    {
      span->kind = PROF_EVENT_RUN;
      return is_numbered (event->name, "ProfilerStep#", &span->number) &&
             span->number <= G_MAXUINT16;
    }
  if (strcmp (event->category, "cpu_op") != 0)
    return FALSE;
  span->kind = PROF_EVENT_NODE; /* perhaps of no node */
  if (!event->node && is_numbered (event->name, "step ", &span->number))
    span->kind = PROF_EVENT_BRANCH;
  else if (!event->node && is_numbered (event->name, "pass ", &span->number))
    span->kind = PROF_EVENT_PASS;
  return TRUE;
}

static gint64
end_of (const OwnSpan *span)
{
  return span->event->begin_ns + MIN (span->event->duration_ns, (gint64) PROF_DURATION_MAX);
}

/* By thread and begin, the outer one first, as they are written. */
static int
compare_begins (gconstpointer a, gconstpointer b)
{
  const OwnSpan *x = a, *y = b;

  if (x->event->tid != y->event->tid)
    return x->event->tid < y->event->tid ? -1 : 1;
  if (x->event->begin_ns != y->event->begin_ns)
    return x->event->begin_ns < y->event->begin_ns ? -1 : 1;
  if (end_of (x) != end_of (y))
    return end_of (x) > end_of (y) ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* In the order in which events end, the inner one first. */
static int
compare_ends (gconstpointer a, gconstpointer b)
{
  const OwnSpan *x = a, *y = b;

  if (end_of (x) != end_of (y))
    return end_of (x) < end_of (y) ? -1 : 1;
  return x->depth > y->depth ? -1 : x->depth < y->depth;
}

/* Sets the depths; the spans are in order of compare_begins(). */
static void
nest (GArray *spans)
{
  const OwnSpan *open[PROF_DEPTH_MAX];
  guint          n_open = 0;

  for (guint i = 0; i < spans->len; i++)
    {
      OwnSpan *span = &g_array_index (spans, OwnSpan, i);

      while (n_open > 0 && (open[n_open - 1]->event->tid != span->event->tid ||
                            end_of (open[n_open - 1]) < end_of (span) ||
                            end_of (open[n_open - 1]) <= span->event->begin_ns))
        n_open--;
      /* Events outside of every run have the same depth as events inside. */
      span->depth = span->kind == PROF_EVENT_RUN ? 0 : MAX (n_open, 1);
      if (n_open < PROF_DEPTH_MAX)
        open[n_open++] = span;
    }
}

/* Appends the event of a span. */
static void
add_span (TraceImport *self, GHashTable *added, const OwnSpan *span)
{
  const ProfTraceEvent *event = span->event;
  /* The work of a traced GPU counts on the GPU, not where it was launched. */
  gboolean  counts = !(self->tracer && prof_import_get_device (event) > 0);
  ProfEvent made = {
    .begin_ns = (guint64) (event->begin_ns - self->base_ns),
    .packed = prof_event_pack ((guint64) event->duration_ns, span->kind, span->depth,
                               prof_import_get_device (event), 0),
    .run = (guint16) MIN (event->run == PROF_NO_NUMBER ? 0 : event->run, G_MAXUINT16),
  };

  switch (span->kind)
    {
    case PROF_EVENT_NODE:
      self->import->n_operators += counts;
      made.node = event->node ? prof_import_find_row (self, added, event) : PROF_NONE;
      if (made.node == PROF_NONE)
        {
          prof_import_count_unmatched (self->import, event->node ? event->node : event->name,
                                       "is neither in the graph nor made from one of its nodes",
                                       (double) event->duration_ns * 1e-9);
          return;
        }
      self->import->n_attributed += counts;
      prof_builder_get_node (self->builder, made.node)->flags |= PROF_NODE_EXECUTED;
      made.graph = (guint16) prof_builder_get_node (self->builder, made.node)->graph;
      made.step = event->step == PROF_NO_NUMBER ? 0 : event->step;
      break;
    case PROF_EVENT_BRANCH:
      self->import->n_spans++;
      made.step = span->number;
      made.node = event->body == PROF_NO_NUMBER ? 0 : event->body;
      break;
    case PROF_EVENT_PASS:
      made.node = span->number;
      break;
    case PROF_EVENT_RUN:
      made.run = (guint16) span->number;
      self->import->n_iterations = MAX (self->import->n_iterations, span->number + 1);
      break;
    case PROF_EVENT_COPY:
    case PROF_EVENT_DEVICE:
    case PROF_EVENT_MEMORY:
    case PROF_EVENT_SLICE:
    case PROF_N_EVENTS:
      return;
    }
  g_array_append_val (self->events, made);
}

void
prof_import_own (TraceImport *self, const ProfTrace *trace)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (OwnSpan));
  g_autoptr (GHashTable) added = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) runs = g_hash_table_new (NULL, NULL); /* that have their work */
  g_autoptr (GPtrArray) work = prof_import_list_work (self, trace);

  self->base_ns = G_MAXINT64;
  for (guint i = 0; i < work->len; i++)
    self->base_ns = MIN (self->base_ns, ((const ProfTraceEvent *) work->pdata[i])->begin_ns);
  for (guint i = 0; i < trace->events->len; i++)
    {
      OwnSpan span = { .place = i };

      if (!classify (&g_array_index (trace->events, ProfTraceEvent, i), &span))
        continue;
      self->base_ns = MIN (self->base_ns, span.event->begin_ns);
      g_array_append_val (spans, span);
    }
  g_array_sort (spans, compare_begins);
  nest (spans);
  g_array_sort (spans, compare_ends);
  for (guint i = 0; i < spans->len; i++)
    {
      const OwnSpan *span = &g_array_index (spans, OwnSpan, i);

      if (span->kind == PROF_EVENT_RUN && g_hash_table_add (runs, GUINT_TO_POINTER (span->number)))
        prof_import_add_work (self, work, span->number, added);
      add_span (self, added, span);
    }
}
