/* process-lanes.c — gives each process its lanes, one process below the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/process-lanes.h"

#include "app/adapt/process-part.h"
#include "app/widgets/lane-chart.h"
#include "app/widgets/theme.h"
#include "profiler/summary/processes.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_DEPTH 8 /* lanes of a process beyond share the last one */

static gboolean
is_shown (const ProfEvent *event, guint run)
{
  return event->run == run && prof_event_kind (event) == PROF_EVENT_PROCESS &&
         event->correlation < PROF_N_PARTS;
}

static guint
depth_of (const ProfEvent *event)
{
  return MIN (prof_event_depth (event), MAX_DEPTH);
}

static const char *
name_part (ProfProcessPart part)
{
  switch (part)
    {
    case PROF_PART_FORWARD:
      return _ ("forward pass");
    case PROF_PART_BACKWARD:
      return _ ("backward pass");
    case PROF_PART_COMPUTING:
      return _ ("forward and backward pass");
    case PROF_PART_WAITING:
      return _ ("waiting for other processes");
    case PROF_PART_UPDATE:
      return _ ("update of parameters");
    case PROF_PART_STEP:
    case PROF_PART_AVERAGE:
    case PROF_N_PARTS:
      break;
    }
  return NULL;
}

/* “Process 2 waits 12 % of its step”.  (transfer full) */
static char *
describe_process (const GArray *processes, guint number)
{
  for (guint i = 0; i < processes->len; i++)
    {
      const ProfProcess *process = &g_array_index (processes, ProfProcess, i);

      if (process->number == number && process->step > 0)
        return g_strdup_printf (_ ("Process %u waits %.0f %% of its step"),
                                number,
                                100 * process->waiting / process->step);
    }
  return g_strdup_printf (_ ("Process %u"), number);
}

static guint32
colour_of (ProfProcessPart part)
{
  VizColour colour = scope_process_part_colour (scope_theme_get (), part);

  return (guint32) (colour.red * 255) << 16 | (guint32) (colour.green * 255) << 8 |
         (guint32) (colour.blue * 255);
}

/* The label of a span, which lives as long as texts or the capture. */
static const char *
label_of (const ProfCapture *capture,
          const ProfEvent   *event,
          const GArray      *processes,
          GPtrArray         *texts)
{
  if (event->correlation == PROF_PART_STEP)
    {
      g_ptr_array_add (texts, describe_process (processes, prof_event_stream (event)));
      return texts->pdata[texts->len - 1];
    }
  if (event->correlation != PROF_PART_AVERAGE)
    return name_part ((ProfProcessPart) event->correlation);
  return event->node < prof_capture_n_nodes (capture)
             ? prof_capture_get_string (capture, prof_capture_get_node (capture, event->node)->name)
             : NULL;
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const ScopeSpan *one = a, *other = b;

  return one->begin < other->begin ? -1 : one->begin > other->begin;
}

GArray *
scope_process_lanes (ScopeMeasurement *measurement, GPtrArray *texts)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfEvent   *events = prof_capture_get_events (capture);
  guint              run = scope_measurement_get_summary (measurement)->run, n_lanes = 0;
  GArray            *spans = g_array_new (FALSE, FALSE, sizeof (ScopeSpan));
  g_autoptr (GArray) processes = prof_processes (capture);

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (is_shown (&events[i], run))
      n_lanes = MAX (n_lanes, depth_of (&events[i]) + 1);
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      ScopeSpan span = { .begin = (double) events[i].begin_ns * 1e-9 };

      if (!is_shown (&events[i], run))
        continue;
      span.end = span.begin + (double) prof_event_duration (&events[i]) * 1e-9;
      span.lane = prof_event_stream (&events[i]) * n_lanes + depth_of (&events[i]);
      span.colour = colour_of ((ProfProcessPart) events[i].correlation);
      span.label = label_of (capture, &events[i], processes, texts);
      if (events[i].node < prof_capture_n_nodes (capture) && events[i].correlation > PROF_PART_STEP)
        span.user = events[i].node + 1;
      g_array_append_val (spans, span);
    }
  g_array_sort (spans, compare_spans);
  return spans;
}

char *
scope_process_lanes_describe (ScopeMeasurement *measurement)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  double             n = prof_capture_get_number (capture, PROF_PROCESSES_KEY);
  double             speed_up = prof_speed_up_known (capture);

  if (!(n > 1))
    return NULL;
  if (!isfinite (speed_up))
    return g_strdup_printf (_ ("%.0f processes train together"), n);
  return g_strdup_printf (_ ("%.0f processes train together, %.3g times as fast as one"),
                          n,
                          speed_up);
}
