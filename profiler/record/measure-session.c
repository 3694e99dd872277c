/* measure-session.c — single runs of a measurement, its time, and its progress.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure-private.h"

#include "profiler/base/clock.h"

#define PACE_SHARE  8    /* a phase has a pace after this part of it */
#define LONG_SAMPLE 1e-3 /* seconds from which reading more of the kernel's counters is harmless */

double
prof_measure_elapsed (const ProfMeasureSession *session)
{
  return (double) (prof_clock_now () - session->begin_ns) * 1e-9;
}

gboolean
prof_measure_is_cancelled (const ProfMeasureSession *session)
{
  return session->options->cancellable &&
         g_cancellable_is_cancelled (session->options->cancellable);
}

void
prof_measure_report (const ProfMeasureSession *session,
                     const char               *phase,
                     guint                     subject,
                     guint                     done,
                     guint                     total)
{
  double       passed = prof_measure_elapsed (session), in_phase = passed - session->phase_begin;
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
  if (done > total / PACE_SHARE && total > done)
    progress.remaining = MIN (left, in_phase / done * (total - done) + session->later);
  session->options->progress (session->options->data, &progress);
}

gboolean
prof_measure_time (const ProfMeasureSession *session,
                   guint                     subject,
                   guint                     inner,
                   double                   *seconds,
                   GError                  **error)
{
  GError *local = NULL;
  guint64 begin;

  prof_subject_use_threads (session->current[subject], session->threads);
  begin = prof_clock_now ();
  for (guint i = 0; i < inner; i++)
    if (!prof_subject_run (session->current[subject], session->options->cancellable, &local))
      {
        if (prof_measure_is_cancelled (session))
          g_clear_error (&local);
        else
          g_propagate_prefixed_error (error, local, "%s: ",
                                      prof_subject_get_options (session->subjects[subject])->name);
        return FALSE;
      }
  *seconds = (double) (prof_clock_now () - begin) * 1e-9 / inner;
  return TRUE;
}

void
prof_measure_watch (const ProfMeasureSession *session, guint subject, guint inner)
{
  const ProfSeries *series = &session->series[subject];
  const GArray     *known = series->clean->len > 0 ? series->clean : series->warm;
  double one = known->len > 0 ? g_array_index (known, double, known->len - 1) : series->first;

  prof_subject_use_threads (session->current[subject], session->threads);
  prof_kernel_watch_begin (session->watch, one * inner >= LONG_SAMPLE);
}
