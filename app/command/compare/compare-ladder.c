/* compare-ladder.c — measures the ladder of a comparison: what each of the engine's optimisations saves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-ladder.h"

#include "app/command/frame/messages.h"

#include <math.h>
#include <string.h>

#define N_TRACED     8    /* per rung: six traced runs, a warm-up and an exact one */
#define RUNS_OF_RUNG 5    /* at least: two to warm up, two samples and a traced one */
#define SHARE        3    /* at most this part of the limit, but a second */
#define MIN_SECONDS  0.05 /* 0 would stand for the default */

/* The time for a ladder, in seconds. */
static double
seconds_for (const ScopeComparison *self)
{
  double left = scope_time_budget_left (&self->budget);

  return MAX (MIN (left, MAX (self->budget.limit / SHARE, 1)), MIN_SECONDS);
}

/* Whether the ladder is expected to end in the time that is left, or in a third of all. */
static gboolean
ladder_fits (const ScopeComparison *self, const ScopeCandidate *slow)
{
  double median = slow->clean.median.median;
  double one = isfinite (median) ? median : slow->first_seconds;
  double needed = one * RUNS_OF_RUNG * self->ladder->rungs->len, left = seconds_for (self);

  if (needed <= left)
    return TRUE;
  scope_print_message (HYB_SEVERITY_NOTE,
                       "the ladder is left out: it needs about %.0f seconds, and %.0f are left",
                       needed, left);
  return FALSE;
}

gboolean
scope_comparison_measure_ladder (ScopeComparison *self, const ScopeGroup *group, GError **error)
{
  ScopeCandidate    *slow = group->candidates->pdata[0], *fast = slow;
  ProfSubjectOptions options;
  ProfMeasureOptions measure_options = {
    .warmup = 2,
    .rebuild = TRUE,
    .traced = N_TRACED,
    .seconds = seconds_for (self),
    .cancellable = self->cancellable,
    .progress = scope_progress_update,
    .data = &self->progress,
  };
  gboolean is_done;

  if (!scope_group_extremes (group, &slow, &fast))
    slow = fast = group->candidates->pdata[0];
  options = *prof_subject_get_options (slow->subject);
  self->ladder = prof_ladder_new (prof_subject_get_graph (slow->subject),
                                  prof_subject_get_values (slow->subject),
                                  strcmp (slow->variant, fast->variant) == 0 ||
                                          g_strcmp0 (slow->device, fast->device) != 0
                                      ? NULL
                                      : fast->subject,
                                  &options, error);
  if (self->ladder && !ladder_fits (self, slow))
    {
      g_clear_pointer (&self->ladder, prof_ladder_free);
      return TRUE;
    }
  is_done = self->ladder && prof_ladder_measure (self->ladder, &measure_options, error);
  scope_progress_finish (&self->progress, "ladder", NULL);
  if (!is_done)
    return FALSE;
  self->has_explanation =
      prof_ladder_explain (self->ladder, self->facts, &self->ladder_explanation, error);
  return self->has_explanation || !*error;
}
