/* compare-say.c — see compare-say.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-say.h"

#include "app/adapt/said-comparison.h"
#include "app/command/compare/compare-explain.h"
#include "app/command/compare/compare-steps.h"
#include "app/command/frame/said-text.h"
#include "profiler/base/format.h"

#include <stdio.h>

/* --- Candidates --- */

/* The title, and how far the numbers agree.  (transfer full) */
static char *
dup_line (const ScopeGroup *group, const char *title)
{
  return group->equality.n_compared > 0
             ? g_strdup_printf ("%s: equal to %.2g (%.2g allowed)", title, group->equality.max_abs,
                                group->equality.tolerance)
             : g_strdup (title);
}

/* Whether one of the candidates ran often enough. */
static gboolean
has_interval (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    if (prof_interval_is_known (&((ScopeCandidate *) group->candidates->pdata[i])->clean.median))
      return TRUE;
  return FALSE;
}

static void
add_row (ScopeTable *table, const ScopeGroup *group, guint index, char *speed_up)
{
  const ScopeCandidate *first = group->candidates->pdata[0];
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  const ProfInterval   *median = &candidate->clean.median;

  scope_table_add (table, scope_candidate_dup_name (candidate), FALSE);
  scope_table_add (table, prof_format_seconds (median->median), FALSE);
  scope_table_add (table, prof_format_interval (median->low, median->high), FALSE);
  scope_table_add (table, g_strdup_printf ("%u", candidate->clean.n), FALSE);
  scope_table_add (table, speed_up, FALSE);
  scope_table_add (table, prof_format_bytes (candidate->peak_bytes), FALSE);
  scope_table_add (table,
                   index == 0 ? g_strdup ("(baseline)")
                              : scope_group_dup_verdict (group, candidate, first),
                   FALSE);
}

static void
add_candidate (ScopeFigure *figure, const ScopeGroup *group, guint index)
{
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  const ProfInterval   *median = &candidate->clean.median;
  g_autofree char      *name = scope_candidate_dup_name (candidate);
  g_autofree char      *time = prof_format_seconds (median->median);
  g_autofree char      *memory = prof_format_bytes (candidate->peak_bytes);
  g_autofree char      *speed_up = NULL;
  ProfPairing           pairing;

  scope_group_pair (group, candidate, group->candidates->pdata[0], &pairing);
  speed_up = scope_say_speed_up (&pairing, 0);
  scope_figure_add_bar (figure,
                        &(VizBar){ .label = name,
                                   .value = median->median,
                                   .low = median->low,
                                   .high = median->high,
                                   .category = viz_chart_hue (index) },
                        g_strdup_printf ("%s · %s%s%s · n = %u%s", time, index == 0 ? "" : speed_up,
                                         index == 0 ? "" : " · ", memory, candidate->clean.n,
                                         prof_interval_is_known (median) ? "" : " (too few runs)"));
  add_row (figure->table, group, index,
           index == 0 ? g_strdup ("") : scope_say_speed_up (&pairing, 1));
}

/* How far two builds of one model are apart, and what this command can report: the widest interval of all pairs with the
 * baseline.  (transfer full) NULL: there is no pair */
static char *
dup_resolution (const ScopeGroup *group)
{
  double spread = 0, resolution = 0;
  guint  n_builds = G_MAXUINT;

  for (guint i = 1; i < group->candidates->len; i++)
    {
      ProfPairing pairing;

      scope_group_pair (group, group->candidates->pdata[i], group->candidates->pdata[0], &pairing);
      n_builds = MIN (n_builds, pairing.n_builds);
      spread = MAX (spread, pairing.spread);
      resolution = MAX (resolution, prof_pairing_resolution (&pairing));
    }
  if (n_builds == G_MAXUINT)
    return NULL;
  if (n_builds < PROF_MIN_BUILDS)
    return g_strdup_printf ("there was time for %u build%s of each: another build may differ by "
                            "some per cent",
                            n_builds, n_builds == 1 ? "" : "s");
  if (spread > 1)
    return g_strdup ("the machine is too busy: two builds of one model differ more than twofold "
                     "here");
  return g_strdup_printf ("two builds of one model differ by up to %.1f %% here; from %u builds of "
                          "each, differences below %.1f %% cannot be told",
                          100 * spread, n_builds, 100 * resolution);
}

static void
say_candidates (ScopeSaid *said, const ScopeGroup *group, const char *title)
{
  const ScopeTableColumn columns[] = {
    { "variant, mode", NULL, FALSE, 32 },
    { "median", NULL, TRUE, 12 },
    { has_interval (group) ? "95 %" : "", NULL, FALSE, 23 },
    { "n", NULL, TRUE, 5 },
    { "speed-up", NULL, TRUE, 10 },
    { "memory", NULL, TRUE, 12 },
    { "verdict", NULL, FALSE, 0 },
  };
  ScopeFigure *figure =
      scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_bars, .title = title });

  scope_figure_add_table (figure, columns, G_N_ELEMENTS (columns))->indent = 2;
  for (guint i = 0; i < group->candidates->len; i++)
    add_candidate (figure, group, i);
}

void
scope_group_say (ScopeSaid *said, const ScopeGroup *group)
{
  gboolean         is_measured = scope_group_is_measured (group);
  g_autofree char *title = scope_group_dup_title (group), *line = dup_line (group, title);

  scope_said_heading (said, is_measured ? NULL : title, line);
  if (!is_measured)
    {
      scope_said_sentence (said, SCOPE_SAID_PLAIN,
                           g_strdup ("cancelled before anything was measured"));
      return;
    }
  say_candidates (said, group, title);
  if (!has_interval (group) && group->stop != PROF_STOP_NOT)
    scope_said_longer (said);
  scope_said_sentence (said, SCOPE_SAID_PLAIN, dup_resolution (group));
  scope_said_sentence (said, SCOPE_SAID_PLAIN, scope_say_speed_of (group->comparison));
}

void
scope_group_print (const ScopeGroup *group)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();

  scope_group_say (said, group);
  scope_said_print (said);
  fflush (stdout);
}

/* --- Why --- */

void
scope_group_say_why (ScopeSaid *said, const ScopeGroup *group)
{
  ScopeCandidate  *slow, *fast;
  ProfExplanation  explanation;
  g_autofree char *a = NULL, *b = NULL, *title = NULL;

  if (!scope_group_extremes (group, &slow, &fast))
    return;
  a = scope_candidate_dup_name (slow);
  b = scope_candidate_dup_name (fast);
  title = scope_group_dup_title (group);
  scope_group_explain (group, slow, fast, &explanation);
  scope_said_heading (said, NULL, title);
  scope_said_explanation (said, (ScopeLevel){ a, slow->clean.median.median },
                          (ScopeLevel){ b, fast->clean.median.median }, &explanation);
  scope_said_sentence (said, SCOPE_SAID_PLAIN, scope_group_dup_steps (group, slow, fast));
  prof_explanation_clear (&explanation);
}
