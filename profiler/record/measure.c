/* measure.c — decides which subject runs when, and how often.
 *
 * Phases follow each other: warm-up, clean runs, counted runs, traced runs (run_phases()).  A
 * failed run ends everything; cancelling keeps what there is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure.h"

#include "engine/base/parallel.h"
#include "profiler/base/clock.h"
#include "profiler/record/kernel-watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_SECONDS 60.0
/* Warm-up ends when the medians of the last WARM_MEDIANS windows of WARM_WINDOW runs differ by less
 * than WARM_SPREAD, or after WARM_SECONDS. */
#define WARM_WINDOW  3
#define WARM_MEDIANS 5
#define WARM_SPREAD  0.02
#define WARM_SECONDS 10.0
#define MIN_WARM     3
#define MAX_INNER    100000
#define LONG_SAMPLE  1e-3 /* seconds from which reading more of the kernel's counters is harmless */
/* Share of the budget for warm-up and clean runs, if counted or traced runs follow. */
#define CLEAN_SHARE        0.7
#define MIN_RUNS_FOR_EXACT 4 /* with this many traced runs, the last one is exact */

typedef struct
{
  ProfSubject *const       *subjects;
  guint                     n;
  ProfSeries               *series;
  const ProfMeasureOptions *options;
  guint64                   begin_ns;
  double                    seconds;
  guint                     threads; /* for subjects that do not set their own */
  ProfKernelWatch          *watch;
} MeasureSession;

void
prof_series_init (ProfSeries *series)
{
  *series = (ProfSeries){
    .first = NAN,
    .warm = g_array_new (FALSE, FALSE, sizeof (double)),
    .clean = g_array_new (FALSE, FALSE, sizeof (double)),
    .clean_facts = g_array_new (FALSE, FALSE, sizeof (ProfSampleFacts)),
    .traced_facts = g_array_new (FALSE, FALSE, sizeof (ProfSampleFacts)),
    .traced = g_array_new (FALSE, FALSE, sizeof (double)),
    .inner = 1,
    .exact = PROF_NO_RUN,
  };
}

void
prof_series_clear (ProfSeries *series)
{
  g_clear_pointer (&series->warm, g_array_unref);
  g_clear_pointer (&series->clean, g_array_unref);
  g_clear_pointer (&series->clean_facts, g_array_unref);
  g_clear_pointer (&series->traced_facts, g_array_unref);
  g_clear_pointer (&series->traced, g_array_unref);
  g_clear_pointer (&series->recorder, prof_recorder_free);
}

/* --- Time --- */

static double
elapsed (const MeasureSession *session)
{
  return (double) (prof_clock_now () - session->begin_ns) * 1e-9;
}

static gboolean
is_cancelled (const MeasureSession *session)
{
  return session->options->cancellable &&
         g_cancellable_is_cancelled (session->options->cancellable);
}

/* Calls the progress function. */
static void
report_progress (const MeasureSession *session,
                 const char           *phase,
                 guint                 subject,
                 guint                 done,
                 guint                 total)
{
  double       passed = elapsed (session);
  double       left = MAX (session->seconds - passed, 0);
  ProfProgress progress = {
    .phase = phase,
    .subject = prof_subject_get_options (session->subjects[subject])->name,
    .done = done,
    .total = total,
    .elapsed = passed,
    .remaining = left,
  };

  if (!session->options->progress)
    return;
  if (done > 0 && total > done)
    progress.remaining = MIN (left, passed / done * (total - done));
  session->options->progress (session->options->data, &progress);
}

/* Takes one sample: the average seconds of inner runs.  FALSE with an error if a run fails, without
 * one if it was cancelled. */
static gboolean
time_runs (const MeasureSession *session,
           guint                 subject,
           guint                 inner,
           double               *seconds,
           GError              **error)
{
  GError *local = NULL;
  guint64 begin;

  prof_subject_use_threads (session->subjects[subject], session->threads);
  begin = prof_clock_now ();
  for (guint i = 0; i < inner; i++)
    if (!prof_subject_run (session->subjects[subject], session->options->cancellable, &local))
      {
        if (is_cancelled (session))
          g_clear_error (&local);
        else
          g_propagate_prefixed_error (error,
                                      local,
                                      "%s: ",
                                      prof_subject_get_options (session->subjects[subject])->name);
        return FALSE;
      }
  *seconds = (double) (prof_clock_now () - begin) * 1e-9 / inner;
  return TRUE;
}

/* The peak of resident memory in bytes; 0 if it is not known. */
static gsize
read_resident_peak (void)
{
  g_autofree char *text = NULL;
  const char      *at;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  at = strstr (text, "VmHWM:");
  return at ? (gsize) g_ascii_strtoull (at + 6 + strspn (at + 6, " \t"), NULL, 10) * 1024 : 0;
}

/* Resets the peak, so that it does not include earlier work.  Not all kernels allow that. */
static void
reset_resident_peak (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "we");

  if (!file)
    return;
  fputs ("5", file);
  fclose (file);
}

/* --- Warm-up --- */

/* Whether the medians of the last windows agree. */
static gboolean
is_steady (const GArray *warm)
{
  double low = G_MAXDOUBLE, high = 0;

  if (warm->len < MIN_WARM + WARM_MEDIANS - 1)
    return FALSE;
  for (guint i = 0; i < WARM_MEDIANS; i++)
    {
      const double *window = &g_array_index (warm, double, warm->len - WARM_WINDOW - i);
      double        median = prof_median (window, WARM_WINDOW);

      low = MIN (low, median);
      high = MAX (high, median);
    }
  return high <= low * (1 + WARM_SPREAD);
}

/* Runs one subject until it is steady, and finds out how many runs make one sample.  share:
 * seconds. */
static gboolean
warm_up (const MeasureSession *session, guint subject, double share, GError **error)
{
  ProfSeries *series = &session->series[subject];
  int         asked = session->options->warmup;
  double      limit = elapsed (session) + MIN (WARM_SECONDS, share);
  double      seconds, shortest;

  if (isnan (series->first) && !time_runs (session, subject, 1, &series->first, error))
    return !*error;
  shortest = series->first;
  for (guint i = 0; asked < 0 || i < (guint) asked; i++)
    {
      report_progress (session, "warm-up", subject, i, asked > 0 ? (guint) asked : 0);
      if (asked < 0 &&
          (is_steady (series->warm) || (i >= 1 && elapsed (session) + shortest > limit)))
        break;
      if (!time_runs (session, subject, 1, &seconds, error))
        return !*error;
      shortest = MIN (shortest, seconds);
      g_array_append_val (series->warm, seconds);
    }
  series->inner = (guint) CLAMP (ceil (prof_clock_min_sample_ns () * 1e-9 / MAX (shortest, 1e-9)),
                                 1,
                                 MAX_INNER);
  return TRUE;
}

static gboolean
warm_up_all (const MeasureSession *session, GError **error)
{
  g_autoptr (GError) local = NULL;

  for (guint i = 0; i < session->n && !is_cancelled (session); i++)
    if (!warm_up (session, i, session->seconds / 4 / session->n, &local))
      {
        g_propagate_error (error, g_steal_pointer (&local));
        return FALSE;
      }
  return TRUE;
}

/* --- Clean runs --- */

/* Whether there are enough samples: for one subject its own interval decides, for several the
 * comparison of each with the first.  limit, round: seconds when time is up, and of the last round.
 * */
static ProfStop
find_stop (const MeasureSession *session, double limit, double round)
{
  const GArray *first = session->series[0].clean;
  ProfStop      stop = PROF_STOP_NOT;

  if (is_cancelled (session))
    return PROF_STOP_CANCELLED;
  if (session->options->repeat > 0)
    return first->len >= session->options->repeat                 ? PROF_STOP_ENOUGH
           : elapsed (session) + round > limit && first->len >= 2 ? PROF_STOP_TIME
                                                                  : PROF_STOP_NOT;
  if (elapsed (session) + round > limit && first->len >= 2)
    return PROF_STOP_TIME;
  if (session->n == 1)
    return prof_series_stop ((const double *) first->data, first->len);

  for (guint i = 1; i < session->n; i++)
    {
      stop = prof_pair_stop ((const double *) session->series[i].clean->data,
                             (const double *) first->data,
                             first->len);
      if (stop == PROF_STOP_NOT)
        return PROF_STOP_NOT;
    }
  return stop;
}

/* Reads the kernel's counters before a sample of inner runs.  Threads that the subject needs are
 * started before. */
static void
start_watching (const MeasureSession *session, guint subject, guint inner)
{
  const ProfSeries *series = &session->series[subject];
  const GArray     *known = series->clean->len > 0 ? series->clean : series->warm;
  double one = known->len > 0 ? g_array_index (known, double, known->len - 1) : series->first;

  prof_subject_use_threads (session->subjects[subject], session->threads);
  prof_kernel_watch_begin (session->watch, one * inner >= LONG_SAMPLE);
}

/* Takes one clean sample, with the facts about it. */
static gboolean
take_sample (const MeasureSession *session,
             guint                 subject,
             double               *seconds,
             ProfSampleFacts      *facts,
             GError              **error)
{
  const ProfSeries *series = &session->series[subject];
  gboolean          is_done;

  start_watching (session, subject, series->inner);
  is_done = time_runs (session, subject, series->inner, seconds, error);
  if (is_done)
    prof_kernel_watch_end (session->watch, *seconds * series->inner, facts);
  return is_done;
}

/* Takes one sample of each subject, or two back and forth.  A round that is interrupted adds no
 * samples. */
static gboolean
run_round (const MeasureSession *session, gboolean both_ways, GError **error)
{
  g_autofree double          *seconds = g_new (double, 2 * session->n);
  g_autofree ProfSampleFacts *facts = g_new (ProfSampleFacts, 2 * session->n);
  guint                       n_visits = both_ways ? 2 * session->n : session->n;

  for (guint visit = 0; visit < n_visits; visit++)
    {
      guint subject = visit < session->n ? visit : 2 * session->n - 1 - visit;

      if (!take_sample (session, subject, &seconds[visit], &facts[visit], error))
        return FALSE;
    }
  for (guint visit = 0; visit < n_visits; visit++)
    {
      guint subject = visit < session->n ? visit : 2 * session->n - 1 - visit;

      g_array_append_val (session->series[subject].clean, seconds[visit]);
      g_array_append_val (session->series[subject].clean_facts, facts[visit]);
    }
  return TRUE;
}

static gboolean
run_clean (const MeasureSession *session, double limit, GError **error)
{
  ProfStop stop;
  double   round = 0;
  g_autoptr (GError) local = NULL;

  while ((stop = find_stop (session, limit, round)) == PROF_STOP_NOT)
    {
      double   begin = elapsed (session);
      guint    done = session->series[0].clean->len;
      guint    asked = session->options->repeat;
      gboolean both_ways = session->n > 1 && (asked == 0 || done + 2 <= asked);

      report_progress (session, "clean", 0, done, asked > 0 ? asked : PROF_MAX_SAMPLES);
      if (!run_round (session, both_ways, &local) && local)
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      round = elapsed (session) - begin;
    }
  for (guint i = 0; i < session->n; i++)
    {
      session->series[i].stop = stop;
      if (stop == PROF_STOP_ENOUGH && session->options->repeat > 0)
        session->series[i].stop = PROF_STOP_NOT;
    }
  return TRUE;
}

/* --- Traced and counted runs --- */

/* Runs one subject with its recorder attached. */
static gboolean
trace_once (const MeasureSession *session, guint subject, guint run, gboolean exact, GError **error)
{
  ProfSeries     *series = &session->series[subject];
  HybExecutor    *executor = prof_subject_get_executor (session->subjects[subject]);
  ProfSampleFacts facts;
  double          seconds;
  gboolean        is_done;

  start_watching (session, subject, 1);
  hyb_executor_set_probe (executor, prof_recorder_get_probe (series->recorder));
  prof_recorder_begin_run (series->recorder, run, exact, 0);
  is_done = time_runs (session, subject, 1, &seconds, error);
  prof_recorder_end_run (series->recorder);
  hyb_executor_set_probe (executor, NULL);
  if (is_done)
    {
      prof_kernel_watch_end (session->watch, seconds, &facts);
      g_array_append_val (series->traced, seconds);
      g_array_append_val (series->traced_facts, facts);
    }
  if (is_done && exact)
    series->exact = run;
  return is_done;
}

/* Traces all subjects in turns.  The first round warms up the recorders, which learn the number of
 * events and the graphs, and is discarded, unless the time is up or few runs are requested. */
static gboolean
trace_all (const MeasureSession *session, GError **error)
{
  guint n = session->options->traced, first;

  for (guint i = 0; i < session->n; i++)
    {
      session->series[i].recorder = prof_recorder_new ();
      report_progress (session, "trace", i, 0, n);
      if (!trace_once (session, i, 0, FALSE, error))
        return FALSE;
      if (prof_recorder_n_lost (session->series[i].recorder) == 0)
        continue;
      /* The ring was too small for a run of unknown length; now the length is known. */
      prof_recorder_reset (session->series[i].recorder);
      g_array_set_size (session->series[i].traced, 0);
      if (!trace_once (session, i, 0, FALSE, error))
        return FALSE;
    }
  first = n < MIN_RUNS_FOR_EXACT || elapsed (session) > session->seconds;
  for (guint i = 0; first == 0 && i < session->n; i++)
    {
      prof_recorder_reset (session->series[i].recorder);
      g_array_set_size (session->series[i].traced, 0);
      g_array_set_size (session->series[i].traced_facts, 0);
    }
  /* One run has no interval, so a second is made even when the time is up. */
  for (guint run = first; run < n && (run < 2 || elapsed (session) < session->seconds); run++)
    for (guint i = 0; i < session->n; i++)
      {
        report_progress (session, "trace", i, run, n);
        if (!trace_once (session, i, run, n >= MIN_RUNS_FOR_EXACT && run == n - 1, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
count_subject (const MeasureSession *session, guint subject, GError **error)
{
  ProfSeries *series = &session->series[subject];
  g_autoptr (ProfCounters) counters = prof_counters_new ();
  double   seconds;
  guint    inner = MAX (series->inner, 3);
  gboolean is_done;

  report_progress (session, "counters", subject, 0, inner);
  prof_counters_begin (counters);
  is_done = time_runs (session, subject, inner, &seconds, error);
  prof_counters_end (counters, series->counts);
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    series->counts[i] /= inner;
  series->has_counts = is_done;
  series->counts_reason = prof_counters_get_reason (counters);
  return is_done;
}

/* Counts, then traces. */
static gboolean
run_watched (const MeasureSession *session, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean is_done_so_far = TRUE;

  for (guint i = 0; is_done_so_far && session->options->counters && i < session->n; i++)
    is_done_so_far = count_subject (session, i, &local);
  if (is_done_so_far && session->options->traced > 0)
    trace_all (session, &local);
  if (!local)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* Stores the peaks of memory before recorders add to them. */
static void
store_memory_peaks (const MeasureSession *session)
{
  for (guint i = 0; i < session->n; i++)
    {
      HybExecutor *executor = prof_subject_get_executor (session->subjects[i]);

      session->series[i].planned_bytes = hyb_executor_get_peak_bytes (executor);
      session->series[i].resident_bytes = read_resident_peak ();
    }
}

/* Warm-up, clean runs, then counted and traced runs. */
static gboolean
run_phases (const MeasureSession *session, GError **error)
{
  const ProfMeasureOptions *options = session->options;
  double                    share = options->traced > 0 || options->counters ? CLEAN_SHARE : 1;

  if (!warm_up_all (session, error))
    return FALSE;
  if (!is_cancelled (session) && !run_clean (session, share * session->seconds, error))
    return FALSE;
  store_memory_peaks (session);
  return is_cancelled (session) || run_watched (session, error);
}

gboolean
prof_measure (ProfSubject *const       *subjects,
              guint                     n,
              ProfSeries               *series,
              const ProfMeasureOptions *options,
              GError                  **error)
{
  gboolean       is_done;
  MeasureSession session = {
    .subjects = subjects,
    .n = n,
    .series = series,
    .options = options,
    .begin_ns = prof_clock_now (),
    .seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS,
    .threads = hyb_parallel_get_threads (),
  };

  g_return_val_if_fail (n > 0, FALSE);

  reset_resident_peak ();
  session.watch = prof_kernel_watch_new ();
  is_done = run_phases (&session, error);
  prof_kernel_watch_free (session.watch);
  if (hyb_parallel_get_threads () != session.threads)
    hyb_parallel_set_threads (session.threads);
  for (guint i = 0; is_cancelled (&session) && i < n; i++)
    series[i].stop = PROF_STOP_CANCELLED;
  return is_done;
}

double *
prof_series_dup_undisturbed (const ProfSeries *series, guint *n, ProfDisturbance *disturbance)
{
  const ProfSampleFacts *facts = series->clean_facts->len == series->clean->len
                                     ? (const ProfSampleFacts *) series->clean_facts->data
                                     : NULL;
  g_autofree guint      *index = g_new (guint, MAX (series->clean->len, 1));
  double                *kept = g_new (double, MAX (series->clean->len, 1));

  *n = prof_select_undisturbed (&facts, 1, series->clean->len, index, disturbance);
  for (guint i = 0; i < *n; i++)
    kept[i] = g_array_index (series->clean, double, index[i]);
  return kept;
}

void
prof_series_pair (const ProfSeries *a, const ProfSeries *b, ProfPairing *pairing)
{
  prof_pair ((const double *) a->clean->data,
             (const double *) b->clean->data,
             MIN (a->clean->len, b->clean->len),
             pairing);
}
