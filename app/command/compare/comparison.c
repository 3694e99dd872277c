/* comparison.c — one run of hscope compare: its time budget, and how groups are measured.
 *
 * Start at scope_comparison_measure().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/comparison.h"

#define MIN_SECONDS     0.05 /* a share; 0 would stand for the default */
#define N_TRACED        8    /* the first warms up, the last is exact: six make an interval */
#define N_TRACED_PRESET 3    /* a preset has many groups and little time for each */

gboolean
scope_comparison_add_candidate (const ScopeComparison    *self,
                                ScopeGroup               *group,
                                const ScopeCandidateSpec *spec,
                                GError                  **error)
{
  const char        *device = spec->device ? spec->device->name : NULL;
  g_autofree char   *name = scope_candidate_dup_name (&(ScopeCandidate){
        .variant = (char *) spec->variant,
        .mode = spec->mode,
        .no_passes = spec->no_passes,
        .device = (char *) device,
  });
  ProfSubjectOptions options = {
    .name = name,
    .variant = spec->variant,
    .mode = spec->mode,
    .batch = group->batch,
    .length = group->length,
    .training = self->common->train || group->backward,
    .backward = group->backward,
    .fold_parameters = self->common->fold_parameters && !group->backward,
    .constants = spec->mode == HYB_MODE_IMPERATIVE ? NULL : spec->constants,
    .no_passes = spec->no_passes,
    .without = (const char *const *) self->common->without,
    .seed = (guint64) self->common->seed,
    .gpu = spec->device ? spec->device->gpu : NULL,
  };
  GError         *problem = NULL;
  ProfSubject    *subject = prof_subject_new (spec->graph, spec->values, &options, &problem);
  ScopeCandidate *candidate;

  if (!subject)
    {
      gboolean is_left_out = device && scope_is_failure_of_gpu (problem);

      if (is_left_out)
        scope_group_leave_out (group, name, problem);
      else
        g_propagate_error (error, g_steal_pointer (&problem));
      g_clear_error (&problem);
      return is_left_out;
    }
  candidate = scope_group_add (group, spec->variant, spec->mode, subject);
  candidate->no_passes = spec->no_passes;
  candidate->device = g_strdup (device);
  return TRUE;
}

double
scope_comparison_begin_part (ScopeComparison *self, const double *weights, guint index, guint n)
{
  double seconds = MAX (scope_time_budget_share (&self->budget, weights, index, n), MIN_SECONDS);
  double later = scope_time_budget_left (&self->budget) - seconds;

  scope_progress_set_part (&self->progress, weights, index, n, MAX (later, 0));
  return seconds;
}

gboolean
scope_comparison_measure (ScopeComparison *self, ScopeGroup *group, double seconds, GError **error)
{
  ProfMeasureOptions options = {
    .warmup = self->options->preset ? 0 : -1,
    .repeat = (guint) self->options->repeat,
    .rebuild = TRUE,
    .traced = self->options->preset ? N_TRACED_PRESET : N_TRACED,
    .seconds = seconds,
    .cancellable = self->cancellable,
    .progress = scope_progress_update,
    .data = &self->progress,
  };
  gboolean is_done =
      scope_group_measure (group, &options, self->facts, !self->options->preset, error);

  scope_progress_finish (&self->progress, "group", NULL);
  return is_done;
}
