/* device-time.c — divides the time of traced runs between a GPU and the host.
 *
 * The work of each run is sorted by its beginning; a sweep gives each piece the time not covered by
 * earlier ones.  The result is disjoint pieces with running sums, in which events of the host are
 * looked up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/device-time.h"

#include "profiler/base/machine.h"

#define N_RUNS (G_MAXUINT16 + 1)

/* A part of a run during which the GPU works. */
typedef struct
{
  guint64 begin, end;
  guint64 before; /* ns of all parts of the run that come before */
} BusyPart;

typedef struct
{
  guint64 begin, end; /* of its RUN event; end 0: there is none */
  guint   first, n;   /* of its parts */
} RunWindow;

struct _ProfDeviceTime
{
  guint64   *counted; /* by event */
  GArray    *parts;   /* of BusyPart */
  RunWindow *runs;    /* by number of the run */
};

/* Work with its index. */
typedef struct
{
  guint64 begin, end;
  guint32 index;
  guint16 run;
} WorkPiece;

gboolean
prof_event_is_of_device (const ProfEvent *event)
{
  ProfEventKind kind = prof_event_kind (event);

  return kind == PROF_EVENT_DEVICE || (kind == PROF_EVENT_COPY && prof_event_device (event) > 0);
}

/* A damaged capture may have any times. */
static guint64
end_of (const ProfEvent *event)
{
  guint64 duration = prof_event_duration (event);

  return event->begin_ns > G_MAXUINT64 - duration ? G_MAXUINT64 : event->begin_ns + duration;
}

static int
compare_pieces (gconstpointer a, gconstpointer b)
{
  const WorkPiece *x = a, *y = b;

  if (x->run != y->run)
    return x->run < y->run ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* The work of all runs, sorted by run and beginning; finds the windows of runs. */
static GArray *
list_work (const ProfCapture *capture, RunWindow *runs)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  GArray          *pieces = g_array_new (FALSE, FALSE, sizeof (WorkPiece));

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      WorkPiece piece = { events[i].begin_ns, end_of (&events[i]), i, events[i].run };

      if (prof_event_is_of_device (&events[i]))
        g_array_append_val (pieces, piece);
      else if (prof_event_kind (&events[i]) == PROF_EVENT_RUN && runs[piece.run].end == 0)
        {
          runs[piece.run].begin = piece.begin;
          runs[piece.run].end = piece.end;
        }
    }
  g_array_sort (pieces, compare_pieces);
  return pieces;
}

/* Adds the part that a piece has for itself.  covered: until where earlier work of the run goes. */
static void
add_part (ProfDeviceTime *time, const WorkPiece *piece, guint64 *covered)
{
  RunWindow *run = &time->runs[piece->run];
  BusyPart   part = { .begin = MAX (piece->begin, *covered), .end = MIN (piece->end, run->end) };

  if (part.begin >= part.end)
    return;
  if (run->n == 0)
    run->first = time->parts->len;
  else
    {
      const BusyPart *last = &g_array_index (time->parts, BusyPart, time->parts->len - 1);

      part.before = last->before + (last->end - last->begin);
    }
  run->n++;
  time->counted[piece->index] = part.end - part.begin;
  *covered = part.end;
  g_array_append_val (time->parts, part);
}

ProfDeviceTime *
prof_device_time_new (const ProfCapture *capture)
{
  ProfDeviceTime *time;
  g_autoptr (GArray) pieces = NULL;
  guint64 covered = 0;

  if (!prof_capture_get_text (capture, PROF_DEVICE_TRACE_KEY))
    return NULL;
  time = g_new0 (ProfDeviceTime, 1);
  time->counted = g_new0 (guint64, MAX (prof_capture_n_events (capture), 1));
  time->parts = g_array_new (FALSE, FALSE, sizeof (BusyPart));
  time->runs = g_new0 (RunWindow, N_RUNS);
  pieces = list_work (capture, time->runs);
  for (guint i = 0; i < pieces->len; i++)
    {
      const WorkPiece *piece = &g_array_index (pieces, WorkPiece, i);

      if (i == 0 || piece[-1].run != piece->run)
        covered = time->runs[piece->run].begin;
      add_part (time, piece, &covered);
    }
  return time;
}

void
prof_device_time_free (ProfDeviceTime *time)
{
  if (!time)
    return;
  g_free (time->counted);
  g_array_unref (time->parts);
  g_free (time->runs);
  g_free (time);
}

guint64
prof_device_time_get (const ProfDeviceTime *time, guint index)
{
  return time->counted[index];
}

/* The ns of the GPU's work in a run before a time. */
static guint64
busy_until (const ProfDeviceTime *time, const RunWindow *run, guint64 until)
{
  guint           low = 0, high = run->n;
  const BusyPart *part;

  /* The parts that begin before: those up to low. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (time->parts, BusyPart, run->first + middle).begin < until)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return 0;
  part = &g_array_index (time->parts, BusyPart, run->first + low - 1);
  return part->before + (MIN (part->end, until) - part->begin);
}

guint64
prof_device_time_overlap (const ProfDeviceTime *time, const ProfEvent *event)
{
  const RunWindow *run = &time->runs[event->run];

  return busy_until (time, run, end_of (event)) - busy_until (time, run, event->begin_ns);
}
