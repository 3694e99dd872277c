/* measure-trace.c — makes the traced runs of a measurement.
 *
 * A run that was cut does not count.  Start reading at prof_measure_trace().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure-private.h"

#include "profiler/base/clock.h"
#include "profiler/base/event.h"
#include "profiler/record/follow-device.h"

#include <math.h>

#define MIN_RUNS_FOR_EXACT 4   /* from this number of traced runs on, the last third is exact, */
#define MAX_EXACT          3   /* but at most this many */
#define MAX_REPEATED       4   /* times that a traced run which loses the processor is repeated */
#define MANY_RUNS          4   /* a run of which fewer than these fit into the time is a long one */
#define SHORT_RUN          1.0 /* seconds by which a second traced run may exceed the time */
#define FIRST_EVENTS       (1 << 18) /* of the first run, whose number is not known: 8 MiB */

/* Drops all traced runs so far. */
static void
drop_traced (ProfSeries *series)
{
  prof_recorder_reset (series->recorder);
  g_array_set_size (series->traced, 0);
  g_array_set_size (series->traced_facts, 0);
}

/* Stores how far the first run came until it was cancelled. */
static void
store_cut (ProfSeries *series, guint64 begin_ns)
{
  series->cut_seconds = (double) (prof_clock_now () - begin_ns) * 1e-9;
  for (guint thread = 0; thread < prof_recorder_n_threads (series->recorder); thread++)
    for (gsize i = 0; i < prof_recorder_n_events (series->recorder, thread); i++)
      series->cut_nodes += prof_event_kind (prof_recorder_get_event (series->recorder, thread,
                                                                     i)) == PROF_EVENT_NODE;
}

/* Drops the events of a run that was cut.  If it overwrote events of earlier runs, those runs are dropped as well. */
static void
drop_run (ProfSeries *series)
{
  if (prof_recorder_n_lost (series->recorder) > 0)
    drop_traced (series);
  else
    prof_recorder_drop_run (series->recorder);
}

/* Runs one subject with its recorder attached.  Where a GPU is followed, exact has no meaning. */
static gboolean
trace_once (const ProfMeasureSession *session,
            guint                     subject,
            guint                     run,
            gboolean                  exact,
            GError                  **error)
{
  ProfSeries     *series = &session->series[subject];
  HybExecutor    *executor = prof_subject_get_executor (session->subjects[subject]);
  ProfSampleFacts facts;
  double          seconds;
  guint64         begin_ns = prof_clock_now ();
  gboolean        is_done;

  exact = exact && !prof_recorder_get_device_events (series->recorder);
  prof_measure_watch (session, subject, 1);
  hyb_executor_set_probe (executor, prof_recorder_get_probe (series->recorder));
  prof_recorder_begin_run (series->recorder, run, exact, isnan (series->first) ? FIRST_EVENTS : 0);
  is_done = prof_measure_time (session, subject, 1, &seconds, error);
  prof_recorder_end_run (series->recorder);
  hyb_executor_set_probe (executor, NULL);
  if (!is_done)
    {
      if (isnan (series->first))
        store_cut (series, begin_ns);
      drop_run (series);
      return FALSE;
    }
  prof_kernel_watch_end (session->watch, seconds, &facts);
  g_array_append_val (series->traced, seconds);
  g_array_append_val (series->traced_facts, facts);
  if (exact)
    series->exact = MIN (series->exact, run);
  return TRUE;
}

/* --- The first run --- */

/* Traces of a GPU begin later. */
static gboolean
should_trace_first (const ProfMeasureSession *session)
{
  return session->n == 1 && session->options->traced > 0 &&
         !prof_subject_get_options (session->subjects[0])->gpu;
}

gboolean
prof_measure_run_first (const ProfMeasureSession *session, guint subject, GError **error)
{
  ProfSeries *series = &session->series[subject];
  gboolean    is_done;

  if (!should_trace_first (session))
    return prof_measure_time (session, subject, 1, &series->first, error);
  series->recorder = prof_recorder_new ();
  is_done = trace_once (session, subject, 0, FALSE, error);
  if (is_done)
    series->first = g_array_index (series->traced, double, 0);
  if (is_done && prof_recorder_n_lost (series->recorder) == 0)
    return TRUE;
  drop_traced (series);
  g_clear_pointer (&series->recorder, prof_recorder_free);
  return is_done;
}

gboolean
prof_measure_is_long (const ProfMeasureSession *session)
{
  return session->series[0].recorder && MANY_RUNS * session->series[0].first > session->seconds;
}

/* --- All runs --- */

/* Traces one run, again if it loses the processor and there is time. */
static gboolean
trace_well (const ProfMeasureSession *session,
            guint                     subject,
            guint                     run,
            gboolean                  exact,
            GError                  **error)
{
  ProfSeries *series = &session->series[subject];

  for (guint i = 0;; i++)
    {
      const GArray *facts = series->traced_facts;
      double        duration;

      if (!trace_once (session, subject, run, exact, error))
        return FALSE;
      duration = g_array_index (series->traced, double, series->traced->len - 1);
      if (i == MAX_REPEATED || prof_measure_elapsed (session) + duration >= session->seconds ||
          prof_recorder_n_lost (series->recorder) > 0 ||
          !prof_sample_is_disturbed (&g_array_index (facts, ProfSampleFacts, facts->len - 1)))
        return TRUE;
      prof_recorder_drop_run (series->recorder);
      g_array_set_size (series->traced, series->traced->len - 1);
      g_array_set_size (series->traced_facts, series->traced_facts->len - 1);
    }
}

/* Seconds that a traced run of every subject takes. */
static double
find_traced_round (const ProfMeasureSession *session)
{
  double sum = 0;

  for (guint i = 0; i < session->n; i++)
    {
      const GArray *traced = session->series[i].traced;

      sum += g_array_index (traced, double, traced->len - 1);
    }
  return sum;
}

/* Traces all subjects in turns.  The first round warms up the recorders, which adapt to the
 * number of events and the graphs, and is discarded, unless there is no time for another or few
 * runs are requested. */
static gboolean
trace_in_turns (const ProfMeasureSession *session, GError **error)
{
  guint    n = session->options->traced, first;
  guint    n_exact = n < MIN_RUNS_FOR_EXACT ? 0 : MIN (n / 3, MAX_EXACT);
  double   round;
  gboolean is_late;

  for (guint i = 0; i < session->n; i++)
    {
      prof_measure_report (session, "trace", i, 0, n);
      if (!trace_once (session, i, 0, FALSE, error))
        return FALSE;
      if (prof_recorder_n_lost (session->series[i].recorder) == 0 &&
          !prof_recorder_get_device_events (session->series[i].recorder))
        continue;
      /* The ring was too small for a run of unknown length; now the length is known.  Or stretches for a GPU
       * were recorded anew; now they are only replayed. */
      drop_traced (&session->series[i]);
      if (!trace_once (session, i, 0, FALSE, error))
        return FALSE;
    }
  round = find_traced_round (session);
  is_late = prof_measure_elapsed (session) + round > session->seconds;
  first = n < MIN_RUNS_FOR_EXACT || is_late;
  for (guint i = 0; first == 0 && i < session->n; i++)
    drop_traced (&session->series[i]);
  for (guint run = first; run < n; run++)
    {
      /* One run has no interval, so a second is made even when the time is up, unless it takes long. */
      is_late = prof_measure_elapsed (session) + round > session->seconds;
      if (is_late && (run >= 2 || (run > 0 && round > SHORT_RUN)))
        break;
      for (guint i = 0; i < session->n; i++)
        {
          prof_measure_report (session, "trace", i, run, n);
          if (!trace_well (session, i, run, run >= n - n_exact, error))
            return FALSE;
        }
    }
  return TRUE;
}

gboolean
prof_measure_trace (const ProfMeasureSession *session, GError **error)
{
  ProfSeries      *series = &session->series[0];
  ProfRecorder    *first = NULL;
  ProfSampleFacts  facts = { 0 };
  ProfDeviceTrace *trace;
  gboolean         is_done;

  if (prof_measure_is_long (session))
    return TRUE;
  if ((first = g_steal_pointer (&series->recorder)))
    {
      facts = g_array_index (series->traced_facts, ProfSampleFacts, 0);
      g_array_set_size (series->traced, 0);
      g_array_set_size (series->traced_facts, 0);
    }
  trace = prof_follow_device (session->subjects, session->series, session->n);
  is_done = trace_in_turns (session, error);
  prof_leave_device (trace, session->series, session->n);
  if (first && series->traced->len == 0)
    {
      prof_recorder_free (series->recorder);
      series->recorder = g_steal_pointer (&first);
      g_array_append_val (series->traced, series->first);
      g_array_append_val (series->traced_facts, facts);
    }
  prof_recorder_free (first);
  return is_done;
}

void
prof_measure_answer (const ProfMeasureSession *session)
{
  ProfSeries *series = &session->series[0];
  guint       build = 0;

  if (series->clean->len > 0 || !series->recorder || series->traced->len == 0)
    return;
  g_array_append_val (series->clean, series->first);
  g_array_append_val (series->build, build);
  g_array_append_vals (series->clean_facts, series->traced_facts->data, 1);
  series->is_only_first = TRUE;
}
