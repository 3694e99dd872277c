/* import-work.c — takes the work of GPUs from a trace that prof_print_chrome() wrote.
 *
 * Work comes before the RUN event of its run, as in recordings: prof_import_own() calls prof_import_add_work() there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import-private.h"

#include <string.h>

#define MAX_DEVICES 15  /* that events can name */
#define MAX_STREAMS 255 /* the same */

gboolean
prof_import_has_times (const ProfTraceEvent *event)
{
  return event->has_time && event->begin_ns >= 0 && event->duration_ns >= 0 &&
         event->begin_ns <= G_MAXINT64 / 2;
}

guint
prof_import_get_device (const ProfTraceEvent *event)
{
  return event->device < MAX_DEVICES ? event->device + 1 : 0;
}

static gboolean
is_copy (const ProfTraceEvent *event)
{
  return event->phase == 'X' && strcmp (event->category, "gpu_memcpy") == 0;
}

static gboolean
is_work (const ProfTraceEvent *event)
{
  gboolean is_kernel = event->phase == 'X' && strcmp (event->category, "kernel") == 0;
  gboolean is_mark = event->phase == 'i' && strcmp (event->category, "gpu_loop") == 0;

  return (is_copy (event) || is_kernel || is_mark) && prof_import_has_times (event) &&
         prof_import_get_device (event) > 0 && event->run <= G_MAXUINT16;
}

/* Events of a trace lie in an array, so their addresses give their order. */
static int
compare_work (gconstpointer a, gconstpointer b)
{
  const ProfTraceEvent *x = *(const ProfTraceEvent *const *) a;
  const ProfTraceEvent *y = *(const ProfTraceEvent *const *) b;

  if (x->run != y->run)
    return x->run < y->run ? -1 : 1;
  return x < y ? -1 : x > y;
}

GPtrArray *
prof_import_list_work (TraceImport *self, const ProfTrace *trace)
{
  GPtrArray *work = g_ptr_array_new ();

  for (guint i = 0; i < trace->events->len; i++)
    {
      ProfTraceEvent *event = &g_array_index (trace->events, ProfTraceEvent, i);

      if (is_work (event))
        g_ptr_array_add (work, event);
      if (event->phase == 'M' && event->labels && event->tracer && !self->device)
        {
          self->device = event->labels;
          self->tracer = event->tracer;
        }
    }
  if (work->len == 0)
    self->device = self->tracer = NULL;
  else if (!self->tracer)
    self->device = self->tracer = "";
  g_ptr_array_sort (work, compare_work);
  return work;
}

static void
add_event (TraceImport *self, const ProfTraceEvent *event, GHashTable *added)
{
  gboolean  is_first = event->first == 1;
  ProfEvent made = {
    .begin_ns = (guint64) (event->begin_ns - self->base_ns),
    .packed = prof_event_pack ((guint64) event->duration_ns,
                               is_copy (event) ? PROF_EVENT_COPY : PROF_EVENT_DEVICE,
                               is_first ? PROF_DEVICE_FIRST : PROF_DEVICE_FURTHER,
                               prof_import_get_device (event), MIN (event->stream, MAX_STREAMS)),
    .node = event->node ? prof_import_find_row (self, added, event) : PROF_NONE,
    .step = event->step == PROF_NO_NUMBER ? 0 : event->step,
    .run = (guint16) event->run,
    .correlation = event->correlation == PROF_NO_NUMBER ? 0 : event->correlation,
  };

  self->import->n_operators += is_first;
  if (made.node != PROF_NONE)
    {
      ProfNode *node = prof_builder_get_node (self->builder, made.node);

      self->import->n_attributed += is_first;
      node->flags |= PROF_NODE_EXECUTED;
      made.graph = (guint16) node->graph;
    }
  else if (event->node)
    prof_import_count_unmatched (self->import, event->node,
                                 "is neither in the graph nor made from one of its nodes",
                                 (double) event->duration_ns * 1e-9);
  g_array_append_val (self->events, made);
}

/* The first work of a run or of a later one. */
static guint
find_run (const GPtrArray *work, guint32 run)
{
  guint low = 0, high = work->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (((const ProfTraceEvent *) work->pdata[middle])->run < run)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
prof_import_add_work (TraceImport *self, const GPtrArray *work, guint32 run, GHashTable *added)
{
  for (guint i = find_run (work, run); i < work->len; i++)
    {
      const ProfTraceEvent *event = work->pdata[i];

      if (event->run != run)
        return;
      add_event (self, event, added);
    }
}
