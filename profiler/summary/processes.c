/* processes.c — sums the PROCESS events of a capture by process.
 *
 * Averages of several gradients are under way at once, so their union counts.  Start reading at prof_processes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/processes.h"

#include "profiler/base/statistics.h"

#include <math.h>

typedef struct
{
  guint64 begin, end; /* ns */
  guint   process, run, part;
} Span;

/* What the walk over sorted spans knows of the step at hand. */
typedef struct
{
  guint   process, run;
  guint64 computing_begin, computing_end;
  guint64 covered; /* until when averages have been counted */
} Step;

/* By process, run and begin, so that the averages of a step come one after the other, and those of the computation first. */
static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;
  gboolean    of_x = x->part == PROF_PART_AVERAGE, of_y = y->part == PROF_PART_AVERAGE;

  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  if (x->run != y->run)
    return x->run < y->run ? -1 : 1;
  if (of_x != of_y)
    return of_x - of_y;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static GArray *
list_spans (const ProfCapture *capture)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  GArray          *spans = g_array_new (FALSE, FALSE, sizeof (Span));

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      guint64 duration = prof_event_duration (&events[i]);
      Span    span = { .begin = events[i].begin_ns,
                       .process = prof_event_stream (&events[i]),
                       .run = events[i].run,
                       .part = events[i].correlation };

      if (prof_event_kind (&events[i]) != PROF_EVENT_PROCESS || span.part >= PROF_N_PARTS ||
          span.begin > G_MAXUINT64 - duration)
        continue;
      span.end = span.begin + duration;
      g_array_append_val (spans, span);
    }
  g_array_sort (spans, compare_spans);
  return spans;
}

/* The part of an average that no earlier one of its step has, and what of it lies in the computation. */
static void
add_average (ProfProcess *process, Step *step, const Span *span)
{
  guint64 begin = MAX (span->begin, step->covered), end = MAX (span->end, begin);
  guint64 hidden_begin = MAX (begin, step->computing_begin);
  guint64 hidden_end = MIN (end, step->computing_end);

  process->averaging += (double) (end - begin);
  if (hidden_end > hidden_begin)
    process->hidden += (double) (hidden_end - hidden_begin);
  step->covered = MAX (step->covered, end);
}

static void
add_span (ProfProcess *process, Step *step, const Span *span)
{
  double seconds = (double) (span->end - span->begin);

  switch ((ProfProcessPart) span->part)
    {
    case PROF_PART_STEP:
      process->step += seconds;
      return;
    case PROF_PART_FORWARD:
      process->forward += seconds;
      break;
    case PROF_PART_BACKWARD:
      process->backward += seconds;
      break;
    case PROF_PART_COMPUTING:
      break;
    case PROF_PART_WAITING:
      process->waiting += seconds;
      return;
    case PROF_PART_UPDATE:
      process->update += seconds;
      return;
    case PROF_PART_AVERAGE:
      add_average (process, step, span);
      return;
    case PROF_N_PARTS:
      return;
    }
  process->computing += seconds;
  step->computing_begin = MIN (step->computing_begin, span->begin);
  step->computing_end = MAX (step->computing_end, span->end);
}

static void
divide (ProfProcess *process, guint n_steps)
{
  double scale = 1e-9 / MAX (n_steps, 1);

  process->step *= scale;
  process->forward *= scale;
  process->backward *= scale;
  process->computing *= scale;
  process->waiting *= scale;
  process->update *= scale;
  process->averaging *= scale;
  process->hidden *= scale;
}

GArray *
prof_processes (const ProfCapture *capture)
{
  g_autoptr (GArray) spans = list_spans (capture);
  GArray *list = g_array_new (FALSE, TRUE, sizeof (ProfProcess));
  Step    step = { .process = G_MAXUINT };
  guint   n_steps = 0;

  for (guint i = 0; i < spans->len; i++)
    {
      const Span *span = &g_array_index (spans, Span, i);

      if (span->process != step.process)
        {
          ProfProcess fresh = { .number = span->process };

          if (list->len > 0)
            divide (&g_array_index (list, ProfProcess, list->len - 1), n_steps);
          g_array_append_val (list, fresh);
          n_steps = 0;
        }
      if (span->process != step.process || span->run != step.run)
        {
          step = (Step){ span->process, span->run, G_MAXUINT64, 0, 0 };
          n_steps++;
        }
      add_span (&g_array_index (list, ProfProcess, list->len - 1), &step, span);
    }
  if (list->len > 0)
    divide (&g_array_index (list, ProfProcess, list->len - 1), n_steps);
  return list;
}

char *
prof_process_describe (const ProfProcess *process)
{
  double waiting = 100 * process->waiting / process->step;

  if (!(process->step > 0))
    return g_strdup ("no step");
  if (!(process->averaging > 0))
    return g_strdup_printf ("waits %.0f %% of its step", waiting);
  return g_strdup_printf ("waits %.0f %% of its step; %.0f %% of the averaging is hidden behind "
                          "the "
                          "computation",
                          waiting,
                          100 * process->hidden / process->averaging);
}

/* --- Speed-up --- */

static double
clean_median (const ProfCapture *capture)
{
  guint              n;
  g_autofree double *clean = prof_capture_dup_undisturbed (capture, &n, NULL);

  return n > 0 ? prof_median (clean, n) : NAN;
}

double
prof_speed_up (const ProfCapture *alone, const ProfCapture *capture)
{
  if (prof_capture_get_number (alone, PROF_PROCESSES_KEY) != 1 ||
      !(prof_capture_get_number (capture, PROF_PROCESSES_KEY) > 1))
    return NAN;
  return clean_median (alone) / clean_median (capture);
}

double
prof_speed_up_known (const ProfCapture *capture)
{
  if (!(prof_capture_get_number (capture, PROF_PROCESSES_KEY) > 1))
    return NAN;
  return prof_capture_get_number (capture, PROF_ALONE_KEY) / clean_median (capture);
}

char *
prof_speed_up_describe (const ProfCapture *capture, double speed_up)
{
  double n = prof_capture_get_number (capture, PROF_PROCESSES_KEY);
  double here = prof_capture_get_number (capture, PROF_PROCESSES_HERE_KEY);
  double cores = prof_capture_get_number (capture, "cpu.cores");

  if (!isfinite (speed_up) || !(n > 1))
    return NULL;
  return g_strdup_printf ("%.0f processes are %.3g times as fast as one, %.0f %% of what %.0f "
                          "could be%s",
                          n,
                          speed_up,
                          100 * speed_up / n,
                          n,
                          cores < here ? "; the machine has fewer processors than processes" : "");
}
