/* device-events.c — the events of a GPU in traced runs, under the operators that caused them.
 *
 * A span is one execution of an operator.  Its number is its index in a table, so any depth of loops fits;
 * the table is kept, because replays of a later run do the work of spans of the run that recorded them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/device-events.h"

#define MAX_STREAMS 255

void
prof_device_events_follow (ProfDeviceEvents *events, ProfDeviceTrace *trace)
{
  events->trace = trace;
  if (!trace || events->spans)
    return;
  events->spans = g_array_new (FALSE, FALSE, sizeof (ProfEvent));
  events->events = g_array_new (FALSE, FALSE, sizeof (ProfEvent));
  events->streams = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
prof_device_events_clear (ProfDeviceEvents *events)
{
  g_clear_pointer (&events->spans, g_array_unref);
  g_clear_pointer (&events->events, g_array_unref);
  g_clear_pointer (&events->streams, g_array_unref);
}

void
prof_device_events_begin_span (ProfDeviceEvents *events, const ProfEvent *about)
{
  ProfEvent span = *about;

  span.correlation = events->open;
  g_array_append_val (events->spans, span);
  events->open = events->spans->len;
  prof_device_trace_begin_span (events->trace, events->open);
}

void
prof_device_events_end_span (ProfDeviceEvents *events)
{
  g_return_if_fail (events->open > 0);

  events->open = g_array_index (events->spans, ProfEvent, events->open - 1).correlation;
  prof_device_trace_end_span (events->trace);
}

void
prof_device_events_begin_run (ProfDeviceEvents *events, gsize n_spans)
{
  guint n = events->spans->len;

  /* Room for the spans, so that nothing is allocated while the run is measured. */
  g_array_set_size (events->spans, n + (guint) MIN (n_spans, G_MAXINT / 2));
  g_array_set_size (events->spans, n);
  prof_device_trace_begin_run (events->trace);
}

/* Our number of a stream, which fits into an event. */
static guint
number_stream (ProfDeviceEvents *events, guint32 stream)
{
  guint i = 0;

  while (i < events->streams->len && g_array_index (events->streams, guint32, i) != stream)
    i++;
  if (i == events->streams->len && i < MAX_STREAMS)
    g_array_append_val (events->streams, stream);
  return i;
}

/* One run that ends. */
typedef struct
{
  ProfDeviceEvents *events;
  GHashTable       *seen; /* numbers of spans that have an event */
  guint16           run;
  guint64           base_ns;
} RunEnd;

/* Adds an event of a span for work, of which it takes the time and the place. */
static void
add_event (const RunEnd *end, guint64 span, const ProfDeviceWork *work, guint64 duration_ns)
{
  gboolean  is_transfer = work->kind == PROF_DEVICE_TRANSFER;
  gboolean  is_first = !is_transfer && g_hash_table_add (end->seen, GSIZE_TO_POINTER (span));
  ProfEvent event = { .node = G_MAXUINT32, .graph = G_MAXUINT16 };

  if (span > 0)
    event = g_array_index (end->events->spans, ProfEvent, span - 1);
  event.begin_ns = work->begin_ns - MIN (end->base_ns, work->begin_ns);
  event.packed = prof_event_pack (duration_ns, is_transfer ? PROF_EVENT_COPY : PROF_EVENT_DEVICE,
                                  is_first ? PROF_DEVICE_FIRST : PROF_DEVICE_FURTHER, work->device,
                                  number_stream (end->events, work->stream));
  event.run = end->run;
  event.correlation = work->correlation;
  g_array_append_val (end->events->events, event);
}

/* The loops around a span ran, too, even if they have no work of their own: each has an event without a
 * duration. */
static void
add_loops (const RunEnd *end, guint64 span, const ProfDeviceWork *work)
{
  while (span > 0)
    {
      span = g_array_index (end->events->spans, ProfEvent, span - 1).correlation;
      if (span > 0 && !g_hash_table_contains (end->seen, GSIZE_TO_POINTER (span)))
        add_event (end, span, work, 0);
    }
}

void
prof_device_events_end_run (ProfDeviceEvents *events, guint16 run, guint64 base_ns)
{
  const GArray *work = prof_device_trace_end_run (events->trace);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  RunEnd end = { events, seen, run, base_ns };

  for (guint i = 0; i < work->len; i++)
    {
      const ProfDeviceWork *piece = &g_array_index (work, ProfDeviceWork, i);
      guint64               span = piece->span <= events->spans->len ? piece->span : 0;

      add_event (&end, span, piece, piece->duration_ns);
      if (piece->kind != PROF_DEVICE_TRANSFER)
        add_loops (&end, span, piece);
    }
}

void
prof_device_events_drop_run (ProfDeviceEvents *events, guint16 run)
{
  guint n = events->events ? events->events->len : 0;

  while (n > 0 && g_array_index (events->events, ProfEvent, n - 1).run == run)
    n--;
  if (events->events)
    g_array_set_size (events->events, n);
}
