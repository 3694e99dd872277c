/* compare-group.c — a group of candidates that compute the same numbers, and their measurement.
 *
 * Start at scope_group_measure().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-group.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/formats/file.h"
#include "engine/graph/roles.h"
#include "profiler/base/clock.h"
#include "profiler/base/format.h"
#include "profiler/explain/ladder.h"
#include "profiler/explain/pair-captures.h"
#include "profiler/explain/same-plan.h"
#include "profiler/summary/clean-samples.h"
#include "profiler/summary/measured-capture.h"

#include <math.h>
#include <string.h>

#define ONE_THREAD_SHARE 0.3 /* of a group's time, for measuring with one thread */

const char *
scope_mode_name (HybMode mode)
{
  static const char *const names[] = { "imperative", "hybrid", "static" };

  return names[mode];
}

static void
candidate_free (gpointer data)
{
  ScopeCandidate *candidate = data;

  g_clear_pointer (&candidate->subject, prof_subject_free);
  g_clear_pointer (&candidate->capture, prof_capture_unref);
  g_clear_pointer (&candidate->one_thread, prof_capture_unref);
  g_free (candidate->path);
  g_free (candidate->variant);
  g_free (candidate->device);
  g_free (candidate);
}

ScopeGroup *
scope_group_new (const char *cell, gint64 batch, gint64 length, gboolean backward)
{
  ScopeGroup *group = g_new0 (ScopeGroup, 1);

  group->cell = g_strdup (cell);
  group->batch = batch;
  group->length = length;
  group->backward = backward;
  group->candidates = g_ptr_array_new_with_free_func (candidate_free);
  group->left_out = g_ptr_array_new_with_free_func (g_free);
  return group;
}

void
scope_group_free (ScopeGroup *group)
{
  g_ptr_array_unref (group->candidates);
  g_ptr_array_unref (group->left_out);
  prof_comparison_free (group->comparison);
  g_free (group->cell);
  g_free (group);
}

ScopeCandidate *
scope_group_add (ScopeGroup *group, const char *variant, HybMode mode, ProfSubject *subject)
{
  ScopeCandidate *candidate = g_new0 (ScopeCandidate, 1);

  candidate->variant = g_strdup (variant);
  candidate->mode = mode;
  candidate->subject = subject;
  g_ptr_array_add (group->candidates, candidate);
  return candidate;
}

char *
scope_candidate_dup_name (const ScopeCandidate *candidate)
{
  return g_strdup_printf ("%s, %s%s%s%s", candidate->variant, scope_mode_name (candidate->mode),
                          candidate->no_passes ? " without passes" : "",
                          candidate->device ? ", " : "",
                          candidate->device ? candidate->device : "");
}

gboolean
scope_candidate_is_like (const ScopeCandidate *a, const ScopeCandidate *b)
{
  return a->mode == b->mode && a->no_passes == b->no_passes &&
         strcmp (a->variant, b->variant) == 0 && g_strcmp0 (a->device, b->device) == 0;
}

char *
scope_group_dup_title (const ScopeGroup *group)
{
  GString *title = g_string_new (group->cell);

  if (group->batch > 0)
    g_string_append_printf (title, "%sbatch %" G_GINT64_FORMAT, title->len > 0 ? ", " : "",
                            group->batch);
  if (group->length > 0)
    g_string_append_printf (title, "%slength %" G_GINT64_FORMAT, title->len > 0 ? ", " : "",
                            group->length);
  if (group->hidden > 0)
    g_string_append_printf (title, "%s%" G_GINT64_FORMAT " units", title->len > 0 ? ", " : "",
                            group->hidden);
  g_string_append_printf (title, "%s%s", title->len > 0 ? ", " : "",
                          group->backward ? "training" : "inference");
  return g_string_free (title, FALSE);
}

void
scope_group_compare (ScopeGroup *group)
{
  guint                          n = 0;
  g_autofree const ProfCapture **captures = g_new (const ProfCapture *, group->candidates->len + 1);

  for (guint i = 0; i < group->candidates->len; i++)
    {
      ScopeCandidate *candidate = group->candidates->pdata[i];

      candidate->number = n;
      if (candidate->capture)
        captures[n++] = candidate->capture;
    }
  g_clear_pointer (&group->comparison, prof_comparison_free);
  if (n == 0)
    return;
  group->comparison = prof_compare_captures (captures, n);
  for (guint i = 0; i < group->candidates->len; i++)
    {
      ScopeCandidate *candidate = group->candidates->pdata[i];

      if (candidate->capture)
        candidate->clean.median = *prof_comparison_get_time (group->comparison, candidate->number);
    }
}

void
scope_group_pair (const ScopeGroup     *group,
                  const ScopeCandidate *candidate,
                  const ScopeCandidate *first,
                  ProfPairing          *pairing)
{
  prof_comparison_pair (group->comparison, candidate->number, first->number, pairing);
}

double
scope_pairing_speed_up (const ProfPairing *pairing)
{
  return 100 * (1 / pairing->ratio.median - 1);
}

char *
scope_group_dup_verdict (const ScopeGroup     *group,
                         const ScopeCandidate *candidate,
                         const ScopeCandidate *first)
{
  ProfPairing pairing;

  scope_group_pair (group, candidate, first, &pairing);
  return g_strdup_printf ("%s%s", prof_verdict_describe (pairing.verdict, &pairing.ratio),
                          candidate->plan == first->plan ? " (identical plans)" : "");
}

gboolean
scope_is_failure_of_gpu (const GError *error)
{
  return error->domain == HYB_DEVICE_ERROR ||
         g_error_matches (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
}

void
scope_group_leave_out (ScopeGroup *group, const char *candidate, const GError *error)
{
  g_ptr_array_add (group->left_out, g_strdup_printf ("%s: %s", candidate, error->message));
}

/* --- Measuring --- */

/* Runs the candidate once, which also warms it up. */
static gboolean
run_first (ScopeCandidate *candidate, GCancellable *cancellable, GError **error)
{
  guint64 begin = prof_clock_now ();

  if (!prof_subject_run (candidate->subject, cancellable, error))
    return FALSE;
  candidate->first_seconds = (double) (prof_clock_now () - begin) * 1e-9;
  return TRUE;
}

/* Gives candidates that execute the same the same number. */
static void
number_plans (ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      ScopeCandidate *candidate = group->candidates->pdata[i];

      candidate->plan = i;
      candidate->has_plain_plan = prof_subject_has_plain_plan (candidate->subject);
      for (guint k = i; k-- > 0;)
        {
          const ScopeCandidate *other = group->candidates->pdata[k];

          if (prof_subject_has_same_plan (candidate->subject, other->subject))
            candidate->plan = other->plan;
        }
    }
}

/* Runs every candidate once.  A candidate on a GPU that fails is left out if another is left. */
static gboolean
run_all_first (ScopeGroup *group, GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < group->candidates->len;)
    {
      ScopeCandidate  *candidate = group->candidates->pdata[i];
      g_autofree char *name = scope_candidate_dup_name (candidate);
      g_autoptr (GError) problem = NULL;

      if (run_first (candidate, cancellable, &problem))
        i++;
      else if (candidate->device && scope_is_failure_of_gpu (problem) && group->candidates->len > 1)
        {
          scope_group_leave_out (group, name, problem);
          g_ptr_array_remove_index (group->candidates, i);
        }
      else
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
scope_group_check (ScopeGroup *group, GCancellable *cancellable, GError **error)
{
  const ScopeCandidate *first;

  if (!run_all_first (group, cancellable, error))
    return FALSE;
  first = group->candidates->pdata[0];
  for (guint i = 1; i < group->candidates->len; i++)
    {
      ScopeCandidate  *other = group->candidates->pdata[i];
      ProfEquality     equality;
      g_autofree char *a = scope_candidate_dup_name (first), *b = scope_candidate_dup_name (other);

      prof_compare_numbers (first->subject, other->subject, &equality);
      prof_equality_join (&group->equality, &equality);
      if (!equality.ok)
        {
          g_autofree char *why = prof_equality_explain (&equality);

          return hyb_error_at (error, PROF_ERROR, PROF_ERROR_UNEQUAL, NULL,
                               "Compare only models that compute the same; hscope prove shows "
                               "where they differ",
                               "“%s” and “%s” do not compute the same numbers: %s", a, b, why);
        }
    }
  if (group->candidates->len == 1)
    group->equality = (ProfEquality){ .ok = TRUE };
  group->is_checked = TRUE;
  return TRUE;
}

void
scope_candidate_take_capture (ScopeCandidate *candidate, ProfCapture *capture)
{
  ProfCleanSamples samples;

  candidate->capture = capture;
  prof_clean_samples_init (&samples, capture);
  prof_statistics (samples.seconds, samples.n, &candidate->clean);
  prof_clean_samples_clear (&samples);
}

/* The bytes of the values of all parameters. */
static double
count_weight_bytes (const ProfSubject *subject)
{
  HybGraph         *graph = prof_subject_get_graph (subject);
  HybTensor *const *values = prof_subject_get_values (subject);
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (graph, &n);
  double            bytes = 0;

  for (guint i = 0; i < n; i++)
    if (values[i] && hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
      bytes += (double) hyb_tensor_get_bytes (values[i]);
  return bytes;
}

/* Makes the candidate's capture and statistics from the measured times. */
static gboolean
store_results (ScopeCandidate   *candidate,
               const ProfSeries *series,
               const ProfFacts  *facts,
               GError          **error)
{
  ProfCapture *capture = prof_capture_measurement (candidate->subject, series, facts, error);

  if (!capture)
    return FALSE;
  scope_candidate_take_capture (candidate, capture);
  candidate->peak_bytes = (double) series->planned_bytes;
  candidate->resident_bytes = (double) series->resident_bytes;
  candidate->weight_bytes = count_weight_bytes (candidate->subject);
  return TRUE;
}

gboolean
scope_group_write (ScopeGroup *group, const char *prefix, guint number, GError **error)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      ScopeCandidate *candidate = group->candidates->pdata[i];

      candidate->path =
          g_strdup_printf ("%s-%u-%s-%s%s%s.hscope", prefix, number, candidate->variant,
                           scope_mode_name (candidate->mode), candidate->device ? "-" : "",
                           candidate->device ? candidate->device : "");
      g_strdelimit (candidate->path + strlen (prefix), ":", '-');
      if (candidate->capture && (!hyb_file_check_link (candidate->path, error) ||
                                 !prof_capture_write (candidate->capture, candidate->path, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_group_is_measured (const ScopeGroup *group)
{
  const ScopeCandidate *first = group->candidates->len > 0 ? group->candidates->pdata[0] : NULL;

  return first && first->capture && first->clean.n > 0;
}

gboolean
scope_group_extremes (const ScopeGroup *group, ScopeCandidate **slow, ScopeCandidate **fast)
{
  *slow = *fast = NULL;
  for (guint i = 0; i < group->candidates->len; i++)
    {
      ScopeCandidate *candidate = group->candidates->pdata[i];
      double          seconds = candidate->clean.median.median;

      if (!candidate->capture || !isfinite (seconds))
        continue;
      if (!*slow || seconds > (*slow)->clean.median.median)
        *slow = candidate;
      if (!*fast || seconds < (*fast)->clean.median.median)
        *fast = candidate;
    }
  return *slow && *slow != *fast;
}

static gboolean
measure_all (ScopeGroup               *group,
             const ProfMeasureOptions *options,
             const ProfFacts          *facts,
             GError                  **error)
{
  guint                    n = group->candidates->len;
  g_autofree ProfSubject **subjects = g_new (ProfSubject *, MAX (n, 1));
  g_autofree ProfSeries   *series = g_new (ProfSeries, MAX (n, 1));
  gboolean                 is_done;

  for (guint i = 0; i < n; i++)
    {
      subjects[i] = ((ScopeCandidate *) group->candidates->pdata[i])->subject;
      prof_series_init (&series[i]);
      series[i].first = ((ScopeCandidate *) group->candidates->pdata[i])->first_seconds;
    }
  is_done = prof_measure (subjects, n, series, options, error);
  group->stop = series[0].stop;
  for (guint i = 0; i < n; i++)
    {
      is_done = is_done && store_results (group->candidates->pdata[i], &series[i], facts, error);
      prof_series_clear (&series[i]);
    }
  scope_group_compare (group);
  return is_done;
}

/* Measures the slowest and the fastest again with one thread, in turns. */
static gboolean
measure_one_thread (ScopeGroup               *group,
                    const ProfMeasureOptions *options,
                    const ProfFacts          *facts,
                    GError                  **error)
{
  ScopeCandidate *pair[2];
  ProfSubject    *subjects[2] = { NULL, NULL };
  ProfSeries      series[2];
  gboolean        is_done = TRUE;

  if (!scope_group_extremes (group, &pair[0], &pair[1]))
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      ProfSubjectOptions single = *prof_subject_get_options (pair[i]->subject);

      single.threads = 1;
      prof_series_init (&series[i]);
      subjects[i] =
          is_done ? prof_subject_new (prof_subject_get_graph (pair[i]->subject),
                                      prof_subject_get_values (pair[i]->subject), &single, error)
                  : NULL;
      is_done = subjects[i] != NULL;
    }
  is_done = is_done && prof_measure (subjects, 2, series, options, error);
  for (guint i = 0; i < 2; i++)
    {
      /* Without a recorder it was cancelled before anything was traced. */
      if (is_done && series[i].recorder)
        {
          pair[i]->one_thread = prof_capture_measurement (subjects[i], &series[i], facts, error);
          is_done = pair[i]->one_thread != NULL;
        }
      prof_series_clear (&series[i]);
      prof_subject_free (subjects[i]);
    }
  return is_done;
}

gboolean
scope_group_measure (ScopeGroup               *group,
                     const ProfMeasureOptions *options,
                     const ProfFacts          *facts,
                     gboolean                  with_one_thread,
                     GError                  **error)
{
  ProfMeasureOptions shared = *options;

  if (group->candidates->len == 0)
    return TRUE;
  if (!group->is_checked && !scope_group_check (group, options->cancellable, error))
    return FALSE;
  number_plans (group);
  with_one_thread =
      with_one_thread && group->candidates->len > 1 && hyb_parallel_get_threads () > 1;
  shared.seconds *= with_one_thread ? 1 - ONE_THREAD_SHARE : 1;
  if (!measure_all (group, &shared, facts, error))
    return FALSE;
  shared.seconds = options->seconds * ONE_THREAD_SHARE;
  return !with_one_thread || group->stop == PROF_STOP_CANCELLED ||
         measure_one_thread (group, &shared, facts, error);
}

void
scope_group_drop_subjects (ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    g_clear_pointer (&((ScopeCandidate *) group->candidates->pdata[i])->subject, prof_subject_free);
}
