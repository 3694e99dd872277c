/* compare-output.c — the results of a whole comparison: text, JSON and a report.
 *
 * Puts together what compare-matrix, -curves, -say and -json make of the groups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-output.h"

#include "app/adapt/said-comparison.h"
#include "app/command/compare/compare-curves.h"
#include "app/command/compare/compare-devices.h"
#include "app/command/compare/compare-explain.h"
#include "app/command/compare/compare-json.h"
#include "app/command/compare/compare-matrix.h"
#include "app/command/compare/compare-roles.h"
#include "app/command/compare/compare-say.h"
#include "app/command/compare/compare-warnings.h"
#include "app/command/compare/compare-with.h"
#include "app/command/frame/said-text.h"
#include "app/command/report/report-said.h"

#include "profiler/base/format.h"

#include <math.h>

/* In a report, curves through fewer sizes follow the bars; other curves precede them. */
#define MIN_CURVE_SIZES 3

static ScopeLevel
level_of (const ProfLadder *ladder, guint index)
{
  const ProfRung *rung = ladder->rungs->pdata[index];

  return (ScopeLevel){ rung->name, rung->time.median };
}

static void
say_ladder (ScopeSaid *said, const ScopeComparison *self)
{
  const ProfLadder         *ladder = self->ladder;
  const ProfSubjectOptions *options;
  g_autofree char          *line = NULL;

  if (!ladder)
    return;
  options = prof_subject_get_options (((ProfRung *) ladder->rungs->pdata[0])->subject);
  line = g_strdup_printf ("ladder of “%s”%s, rungs run in turns, the first with one thread (%s)",
                          options->variant, options->gpu ? " on the GPU" : "",
                          prof_stop_name (ladder->stop));
  scope_said_heading (said, NULL, line);
  scope_said_ladder (said, ladder->rungs);
  scope_said_sentence (said, SCOPE_SAID_PLAIN, scope_say_speed_of (ladder->comparison));
  if (self->has_explanation)
    scope_said_explanation (said, level_of (ladder, 0),
                            level_of (ladder, prof_ladder_last_pass (ladder)),
                            &self->ladder_explanation);
}

static void
say_reasons (ScopeSaid *said, const ScopeComparison *self)
{
  for (guint i = 0; i < self->groups->len; i++)
    scope_group_say_why (said, self->groups->pdata[i]);
}

/* The candidates of each group, and why one is faster. */
static void
say_groups (ScopeSaid *said, const ScopeComparison *self)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      scope_group_say (said, self->groups->pdata[i]);
      scope_group_say_why (said, self->groups->pdata[i]);
    }
}

/* "rnn, batch 32, training; lstm, …".  (transfer full) */
static char *
join_skipped (const ScopeComparison *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->skipped->len; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : "; ",
                            (const char *) self->skipped->pdata[i]);
  return g_string_free (text, FALSE);
}

static void
say_skipped (ScopeSaid *said, const ScopeComparison *self)
{
  g_autofree char *list = join_skipped (self), *why = NULL;

  if (self->skipped->len == 0)
    return;
  why = g_cancellable_is_cancelled (self->cancellable)
            ? g_strdup_printf ("the comparison was interrupted: %s.", list)
            : g_strdup_printf ("they did not fit into %.0f seconds: %s. --time-limit gives more "
                               "time.",
                               self->budget.limit, list);
  scope_said_heading (said, "Not measured", "");
  scope_said_sentence (said, SCOPE_SAID_PLAIN,
                       g_strdup_printf ("%u of %u cells were not measured, because %s %s",
                                        self->skipped->len, self->skipped->len + self->groups->len,
                                        why,
                                        self->options->resume
                                            ? "The same command continues with them."
                                            : "--resume FILE keeps what is finished."));
}

/* Where the machine changed its speed. */
static void
describe_speeds (ScopeJson *json, const ScopeComparison *self)
{
  scope_json_begin_list (json, "speeds");
  for (guint i = 0; i < self->groups->len; i++)
    scope_group_describe_speed (json, self->groups->pdata[i]);
  scope_json_end (json);
}

static void
describe_ladder (ScopeJson *json, const ProfLadder *ladder)
{
  scope_json_begin_list (json, "ladder");
  for (guint i = 0; ladder && i < ladder->rungs->len; i++)
    {
      const ProfRung *rung = ladder->rungs->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", rung->name);
      scope_json_string (json, "doc", rung->doc);
      scope_json_double (json, "seconds", rung->time.median);
      scope_json_double (json, "saved", i > 0 ? rung->saved.median : NAN);
      scope_json_double (json, "low", i > 0 ? rung->saved.low : NAN);
      scope_json_double (json, "high", i > 0 ? rung->saved.high : NAN);
      scope_json_string (json, "verdict", i > 0 ? prof_verdict_name (rung->verdict) : NULL);
      scope_json_end (json);
    }
  scope_json_end (json);
}

/* The list "explanations" has one for every group; "explanation" is the first group's, or the
 * ladder's if there is only one candidate. */
static void
describe_explanations (ScopeJson *json, const ScopeComparison *self)
{
  ProfExplanation empty = { 0 }, first = empty;
  gboolean        has_first = FALSE;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    empty.bucket[i].name = prof_bucket_name (i);
  scope_json_begin_list (json, "explanations");
  for (guint i = 0; i < self->groups->len; i++)
    {
      ScopeCandidate *slow, *fast;
      ProfExplanation explanation;

      if (!scope_group_extremes (self->groups->pdata[i], &slow, &fast))
        continue;
      scope_group_explain (self->groups->pdata[i], slow, fast, &explanation);
      scope_describe_explanation (json, NULL, &explanation);
      if (has_first)
        prof_explanation_clear (&explanation);
      else
        first = explanation;
      has_first = TRUE;
    }
  scope_json_end (json);
  scope_describe_explanation (json, "explanation",
                              has_first               ? &first
                              : self->has_explanation ? &self->ladder_explanation
                                                      : &empty);
  if (self->has_explanation)
    scope_describe_explanation (json, "ladder_explanation", &self->ladder_explanation);
  prof_explanation_clear (&first);
}

void
scope_comparison_print_json (const ScopeComparison *self)
{
  g_autoptr (ScopeJson) json = scope_json_new ();
  ProfEquality equality = { 0 };

  for (guint i = 0; i < self->groups->len; i++)
    prof_equality_join (&equality, &((ScopeGroup *) self->groups->pdata[i])->equality);
  scope_json_begin_object (json, "equal");
  scope_json_double (json, "max_abs", equality.max_abs);
  scope_json_double (json, "tolerance", equality.tolerance);
  scope_json_boolean (json, "ok", equality.ok);
  scope_json_end (json);
  scope_json_begin_list (json, "cells");
  for (guint i = 0; i < self->groups->len; i++)
    scope_group_describe_cells (json, self->groups->pdata[i]);
  scope_json_end (json);
  scope_json_begin_list (json, "pairs");
  for (guint i = 0; i < self->groups->len; i++)
    scope_group_describe_pairs (json, self->groups->pdata[i]);
  scope_json_end (json);
  scope_curves_describe (json, self->groups);

  if (self->completed->len > 0)
    {
      const ScopeCompleted *completed = self->completed->pdata[0];

      scope_describe_completion (json, completed->model, &completed->completion);
    }
  scope_compare_describe_devices (json, self);
  scope_json_begin_list (json, "skipped");
  for (guint i = 0; i < self->skipped->len; i++)
    scope_json_string (json, NULL, self->skipped->pdata[i]);
  scope_json_end (json);
  describe_explanations (json, self);
  describe_ladder (json, self->ladder);
  describe_speeds (json, self);
  scope_compare_describe_with (json, self);
  scope_compare_describe_roles (json, self);
  scope_comparison_describe_warnings (json, self);
  scope_json_print (json);
}

static void
say_matrix (ScopeSaid *said, const ScopeComparison *self)
{
  scope_matrix_say (said, self->groups);
}

static void
say_curves (ScopeSaid *said, const ScopeComparison *self)
{
  scope_curves_say (said, self->groups, 2, G_MAXUINT);
}

static void
say_long_curves (ScopeSaid *said, const ScopeComparison *self)
{
  scope_curves_say (said, self->groups, MIN_CURVE_SIZES, G_MAXUINT);
}

static void
say_short_curves (ScopeSaid *said, const ScopeComparison *self)
{
  scope_curves_say (said, self->groups, 2, MIN_CURVE_SIZES - 1);
}

typedef void (*Say) (ScopeSaid *said, const ScopeComparison *self);

static ScopeSaid *
say_all (const ScopeComparison *self, const Say *parts, guint n_parts)
{
  ScopeSaid *said = scope_said_new ();

  for (guint i = 0; i < n_parts; i++)
    parts[i](said, self);
  return said;
}

/* The candidates of each group are printed when they were measured. */
void
scope_comparison_print (const ScopeComparison *self)
{
  static const Say parts[] = { say_matrix,
                               say_curves,
                               say_ladder,
                               say_reasons,
                               scope_compare_say_devices,
                               scope_compare_say_with,
                               scope_compare_say_roles,
                               say_skipped,
                               scope_comparison_say_warnings };
  g_autoptr (ScopeSaid) said = say_all (self, parts, G_N_ELEMENTS (parts));

  scope_said_print (said);
}

gboolean
scope_comparison_write_report (const ScopeComparison *self, const char *path, GError **error)
{
  static const Say parts[] = { scope_compare_say_devices,
                               say_matrix,
                               say_skipped,
                               say_long_curves,
                               say_groups,
                               say_short_curves,
                               say_ladder,
                               scope_compare_say_with,
                               scope_compare_say_roles,
                               scope_comparison_say_warnings };
  g_autofree char *title = g_strdup_printf ("%s, compared by Hybridscope", self->files[0]);
  g_autoptr (ScopeReportPage) page = scope_report_page_new (title);
  g_autoptr (ScopeSaid) said = say_all (self, parts, G_N_ELEMENTS (parts));

  scope_report_page_add_said (page, said);
  return scope_report_page_write (page, path, error);
}
