/* measure.c — decides which subject runs when, and how often.
 *
 * Phases follow each other: warm-up, clean runs, traced runs, counted runs (run_phases()).  Traced runs are in
 * measure-trace.c.  A failed run ends everything; cancelling keeps the samples so far.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure-private.h"

#include "engine/base/parallel.h"
#include "profiler/base/clock.h"
#include "profiler/record/memory-peak.h"

#include <math.h>

#define DEFAULT_SECONDS 60.0
/* Warm-up ends when the medians of the last WARM_MEDIANS windows of WARM_WINDOW runs differ by less
 * than WARM_SPREAD, or after WARM_SECONDS. */
#define WARM_WINDOW  3
#define WARM_MEDIANS 5
#define WARM_SPREAD  0.02
#define WARM_SECONDS 10.0
#define MIN_WARM     3
#define MAX_INNER    100000
#define N_BUILDS     10 /* of a series, if the time allows; one that is not decided continues */
#define MAX_BUILDS   400
#define MAX_ROUNDS   20 /* samples of one build */

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
warm_up (const ProfMeasureSession *session, guint subject, double share, GError **error)
{
  ProfSeries *series = &session->series[subject];
  int         asked = session->options->warmup;
  double      limit = prof_measure_elapsed (session) + MIN (WARM_SECONDS, share);
  double      seconds, shortest;

  if (isnan (series->first) && !prof_measure_run_first (session, subject, error))
    return !*error;
  shortest = series->first;
  for (guint i = 0; asked < 0 || i < (guint) asked; i++)
    {
      prof_measure_report (session, "warm-up", subject, i, 0);
      if (asked < 0 &&
          (is_steady (series->warm) || prof_measure_elapsed (session) + shortest > limit))
        break;
      if (!prof_measure_time (session, subject, 1, &seconds, error))
        return !*error;
      shortest = MIN (shortest, seconds);
      g_array_append_val (series->warm, seconds);
    }
  series->inner = (guint) CLAMP (ceil (prof_clock_min_sample_ns () * 1e-9 / MAX (shortest, 1e-9)),
                                 1, MAX_INNER);
  return TRUE;
}

static gboolean
warm_up_all (const ProfMeasureSession *session, GError **error)
{
  g_autoptr (GError) local = NULL;

  for (guint i = 0; i < session->n && !prof_measure_is_cancelled (session); i++)
    if (!warm_up (session, i, session->seconds / 4 / session->n, &local))
      {
        g_propagate_error (error, g_steal_pointer (&local));
        return FALSE;
      }
  return TRUE;
}

/* --- Clean runs --- */

/* The samples of the current build. */
static guint
count_of_build (const ProfMeasureSession *session)
{
  const GArray *build = session->series[0].build;
  guint         n = 0;

  while (n < build->len && g_array_index (build, guint, build->len - 1 - n) ==
                               prof_builds_get_number (session->builds))
    n++;
  return n;
}

/* Whether the current build has all of its samples. */
static gboolean
is_build_complete (const ProfMeasureSession *session)
{
  return session->rebuilds && count_of_build (session) >= session->rounds;
}

/* Whether a verdict is looked for after the current build: each look considers all samples, so that only
 * every tenth of many builds is followed by one. */
static gboolean
is_time_to_look (const ProfMeasureSession *session)
{
  guint n = prof_builds_get_number (session->builds) + 1;

  return is_build_complete (session) && (n <= 2 * N_BUILDS || n % N_BUILDS == 0);
}

/* Whether the samples decide: for one subject its own interval, for several the comparison of each
 * with the first.  With builds, only complete ones are looked at. */
static ProfStop
find_decision (const ProfMeasureSession *session)
{
  const ProfSeries *first = &session->series[0];
  guint             n = first->clean->len;
  g_autoptr (ProfComparison) comparison = NULL;

  if (session->n == 1)
    return session->rebuilds && n < PROF_MAX_SAMPLES &&
                   (prof_builds_get_number (session->builds) + 1 < PROF_MIN_BUILDS ||
                    !is_build_complete (session))
               ? PROF_STOP_NOT
               : prof_series_stop ((gconstpointer) first->clean->data,
                                   session->rebuilds ? (gconstpointer) first->build->data : NULL,
                                   n);
  if (!session->rebuilds && n >= PROF_MAX_SAMPLES)
    return PROF_STOP_ENOUGH;
  if (session->rebuilds ? !is_time_to_look (session)
                        : n < PROF_MIN_SAMPLES || n % PROF_MIN_SAMPLES != 0)
    return PROF_STOP_NOT;
  comparison = prof_series_compare (session->series, session->n);
  return prof_comparison_stop (comparison, session->rebuilds ? PROF_MIN_BUILDS : 1);
}

/* Takes one clean sample, with the facts about it. */
static gboolean
take_sample (const ProfMeasureSession *session,
             guint                     subject,
             double                   *seconds,
             ProfSampleFacts          *facts,
             GError                  **error)
{
  const ProfSeries *series = &session->series[subject];
  gboolean          is_done;

  prof_measure_watch (session, subject, series->inner);
  is_done = prof_measure_time (session, subject, series->inner, seconds, error);
  if (is_done)
    prof_kernel_watch_end (session->watch, *seconds * series->inner, facts);
  return is_done;
}

/* Whether there are enough samples.  limit, round: seconds when time is up, and of the last round. */
static ProfStop
find_stop (const ProfMeasureSession *session, double limit, double round)
{
  guint    n = session->series[0].clean->len;
  gboolean is_late;

  if (prof_measure_is_cancelled (session))
    return PROF_STOP_CANCELLED;
  if (is_build_complete (session))
    round += prof_builds_get_seconds (session->builds);
  is_late =
      prof_measure_elapsed (session) + round > limit && (n >= 2 || prof_measure_is_long (session));
  if (session->options->repeat > 0)
    return n >= session->options->repeat ? PROF_STOP_ENOUGH
           : is_late                     ? PROF_STOP_TIME
                                         : PROF_STOP_NOT;
  if (is_late)
    return PROF_STOP_TIME;
  if (prof_builds_get_number (session->builds) >= MAX_BUILDS)
    return PROF_STOP_ENOUGH;
  return find_decision (session);
}

/* Takes one sample of each subject in random order.  A round that is interrupted adds no samples. */
static gboolean
run_round (const ProfMeasureSession *session, GError **error)
{
  g_autofree double          *seconds = g_new (double, session->n);
  g_autofree guint           *order = g_new (guint, session->n);
  g_autofree ProfSampleFacts *facts = g_new (ProfSampleFacts, session->n);
  guint                       build = prof_builds_get_number (session->builds);

  prof_builds_shuffle (session->builds, order);
  for (guint i = 0; i < session->n; i++)
    prof_subject_take_device_seconds (session->current[i]);
  for (guint i = 0; i < session->n; i++)
    if (!take_sample (session, order[i], &seconds[order[i]], &facts[order[i]], error))
      return FALSE;
  for (guint i = 0; i < session->n; i++)
    {
      double device = prof_subject_take_device_seconds (session->current[i]);

      device /= session->series[i].inner;
      g_array_append_val (session->series[i].device, device);
      g_array_append_val (session->series[i].clean, seconds[i]);
      g_array_append_val (session->series[i].clean_facts, facts[i]);
      g_array_append_val (session->series[i].build, build);
    }
  return TRUE;
}

/* How many rounds each build gets, so that N_BUILDS builds are possible within seconds. */
static guint
share_rounds (const ProfMeasureSession *session, double seconds, double round)
{
  double share = seconds / N_BUILDS - prof_builds_get_seconds (session->builds);

  if (session->options->repeat > 0)
    return (session->options->repeat + N_BUILDS - 1) / N_BUILDS;
  return (guint) CLAMP (share / MAX (round, 1e-9), 1, MAX_ROUNDS);
}

/* Stores the peaks of memory of the first build, before other builds and recorders add to them. */
static void
store_memory_peaks (const ProfMeasureSession *session)
{
  for (guint i = 0; i < session->n; i++)
    {
      HybExecutor *executor = prof_subject_get_executor (session->subjects[i]);

      session->series[i].planned_bytes = hyb_executor_get_peak_bytes (executor);
      session->series[i].resident_bytes = prof_memory_peak_read ();
    }
}

/* Takes clean samples, over several builds if that is requested. */
static ProfStop
take_samples (ProfMeasureSession *session, double limit, GError **error)
{
  ProfStop stop;
  double   start = prof_measure_elapsed (session);
  double   round = prof_measure_is_long (session) ? session->series[0].first : 0;

  session->rebuilds = session->options->rebuild && prof_builds_have_memory (session->builds);
  session->rounds = share_rounds (session, 0, 0);
  while ((stop = find_stop (session, limit, round)) == PROF_STOP_NOT)
    {
      guint  done = session->series[0].clean->len;
      guint  asked = session->options->repeat;
      double begin;

      prof_measure_report (session, "clean", 0, done, asked > 0 ? asked : PROF_MAX_SAMPLES);
      if (is_build_complete (session))
        {
          if (prof_builds_get_number (session->builds) == 0)
            store_memory_peaks (session);
          prof_machine_speed_sample (session->speed);
          if (!prof_builds_next (session->builds, session->options->cancellable, error))
            break;
          session->current = prof_builds_get (session->builds);
          session->rounds = share_rounds (session, limit - start, round);
        }
      begin = prof_measure_elapsed (session);
      if (!run_round (session, error))
        break;
      round = prof_measure_elapsed (session) - begin;
    }
  return stop;
}

static gboolean
run_clean (ProfMeasureSession *session, double limit, GError **error)
{
  g_autoptr (GError) local = NULL;
  ProfStop stop = take_samples (session, limit, &local);

  session->current = session->subjects;
  if (prof_builds_get_number (session->builds) == 0)
    store_memory_peaks (session);
  if (session->options->rebuild)
    prof_machine_speed_sample (session->speed);
  if (local && !prof_measure_is_cancelled (session))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  for (guint i = 0; i < session->n; i++)
    {
      session->series[i].turns = session->begin_ns;
      session->series[i].stop = stop;
      prof_machine_speed_get (session->speed, &session->series[i].copy_rate,
                              &session->series[i].clock_rate);
      if (stop == PROF_STOP_ENOUGH && session->options->repeat > 0)
        session->series[i].stop = PROF_STOP_NOT;
    }
  return TRUE;
}

/* --- Counted runs --- */

static gboolean
count_subject (const ProfMeasureSession *session, guint subject, GError **error)
{
  ProfSeries *series = &session->series[subject];
  g_autoptr (ProfCounters) counters = prof_counters_new ();
  double seconds;
  guint  inner =
      prof_measure_elapsed (session) > session->seconds ? 1 : MAX (series->inner, PROF_MIN_COUNTED);
  gboolean is_done;

  prof_measure_report (session, "counters", subject, 0, inner);
  prof_counters_begin (counters);
  is_done = prof_measure_time (session, subject, inner, &seconds, error);
  prof_counters_end (counters, series->counts);
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    series->counts[i] /= inner;
  series->has_counts = is_done;
  series->counts_reason = prof_counters_get_reason (counters);
  return is_done;
}

/* Traces, then counts: where a single run takes long, times of operators are worth more. */
static gboolean
run_watched (const ProfMeasureSession *session, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean is_done_so_far = session->options->traced == 0 || prof_measure_trace (session, &local);

  for (guint i = 0; is_done_so_far && session->options->counters && i < session->n; i++)
    is_done_so_far = !prof_measure_is_cancelled (session) && count_subject (session, i, &local);
  if (!local)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* Warm-up, clean runs, then traced and counted runs. */
static gboolean
run_phases (ProfMeasureSession *session, GError **error)
{
  const ProfMeasureOptions *options = session->options;
  double                    limit;

  if (!warm_up_all (session, error))
    return FALSE;
  limit = prof_measure_clean_limit (options, session->series, session->n, session->seconds);
  session->phase_begin = prof_measure_elapsed (session);
  session->later = MAX (session->seconds - limit, 0);
  if (!prof_measure_is_cancelled (session) && !run_clean (session, limit, error))
    return FALSE;
  session->phase_begin = prof_measure_elapsed (session);
  session->later = 0;
  return prof_measure_is_cancelled (session) || run_watched (session, error);
}

gboolean
prof_measure (ProfSubject *const       *subjects,
              guint                     n,
              ProfSeries               *series,
              const ProfMeasureOptions *options,
              GError                  **error)
{
  gboolean           is_done;
  ProfMeasureSession session = {
    .subjects = subjects,
    .current = subjects,
    .n = n,
    .series = series,
    .options = options,
    .begin_ns = prof_clock_now (),
    .seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS,
    .threads = hyb_parallel_get_threads (),
  };

  g_return_val_if_fail (n > 0, FALSE);

  prof_memory_peak_reset ();
  session.watch = prof_kernel_watch_new ();
  session.builds = prof_builds_new (subjects, n, session.begin_ns);
  session.speed = prof_machine_speed_new ();
  is_done = run_phases (&session, error);
  prof_measure_answer (&session);
  prof_machine_speed_free (session.speed);
  prof_builds_free (session.builds);
  prof_kernel_watch_free (session.watch);
  if (hyb_parallel_get_threads () != session.threads)
    hyb_parallel_set_threads (session.threads);
  for (guint i = 0; prof_measure_is_cancelled (&session) && i < n; i++)
    series[i].stop = PROF_STOP_CANCELLED;
  return is_done;
}
