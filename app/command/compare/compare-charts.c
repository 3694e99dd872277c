/* compare-charts.c — groups of candidates and the ladder as sections of a report.
 *
 * Both become bars and, if there is an explanation, a waterfall with its table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-charts.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-explain.h"
#include "app/command/compare/compare-ladder.h"
#include "app/command/report/report-bars.h"
#include "profiler/base/format.h"

static void
add_paragraph (ScopeReportPage *page, const char *text)
{
  GString *html = g_string_new ("<p>");

  scope_html_append (html, text);
  g_string_append (html, "</p>\n");
  scope_report_page_add_html (page, NULL, html);
}

/* That the machine changed its speed; nothing if it did not. */
static void
add_speed (ScopeReportPage *page, const ProfComparison *comparison)
{
  g_autofree char *text = scope_say_speed_of (comparison);

  if (text)
    add_paragraph (page, text);
}

static void
add_candidate (ScopeReportBars *bars, const ScopeGroup *group, guint index)
{
  const ScopeCandidate *first = group->candidates->pdata[0];
  const ScopeCandidate *candidate = group->candidates->pdata[index];
  const ProfInterval   *median = &candidate->clean.median;
  g_autofree char      *name = scope_candidate_dup_name (candidate);
  g_autofree char      *time = prof_format_seconds (median->median);
  g_autofree char      *memory = prof_format_bytes (candidate->peak_bytes);
  g_autofree char      *text = NULL, *speed_up = NULL;
  ProfPairing           pairing;

  scope_group_pair (group, candidate, first, &pairing);
  speed_up = scope_say_speed_up (&pairing, 0);
  text = g_strdup_printf ("%s · %s%s%s · n = %u%s", time, candidate == first ? "" : speed_up,
                          candidate == first ? "" : " · ", memory, candidate->clean.n,
                          prof_interval_is_known (median) ? "" : " (too few runs)");
  scope_report_bars_add (bars, &(VizBar){ .label = name,
                                          .text = text,
                                          .value = median->median,
                                          .low = median->low,
                                          .high = median->high,
                                          .category = viz_chart_hue (index) });
}

void
scope_report_page_add_group (ScopeReportPage       *page,
                             const ScopeGroup      *group,
                             const ProfExplanation *explanation)
{
  g_autofree char *title = scope_group_dup_title (group);
  ScopeReportBars *bars = scope_report_bars_new ();
  ScopeCandidate  *slow, *fast;

  for (guint i = 0; scope_group_is_measured (group) && i < group->candidates->len; i++)
    add_candidate (bars, group, i);
  scope_report_page_add_bars (page, title, bars);
  add_speed (page, group->comparison);
  if (explanation && scope_group_extremes (group, &slow, &fast))
    {
      g_autofree char *from = scope_candidate_dup_name (slow);
      g_autofree char *to = scope_candidate_dup_name (fast);
      g_autofree char *reason = scope_say_reason (explanation);
      g_autofree char *why = g_strdup_printf (prof_explanation_has_cause (explanation)
                                                  ? "%s: why “%s” is faster than “%s”: %s"
                                                  : "%s: “%s” and “%s”: %s",
                                              title, to, from, reason);

      if (!prof_explanation_has_cause (explanation))
        {
          add_paragraph (page, why);
          return;
        }
      scope_report_page_add_waterfall (page, why, (ScopeLevel){ from, slow->clean.median.median },
                                       (ScopeLevel){ to, fast->clean.median.median }, explanation);
      scope_report_page_add_buckets (page, explanation);
    }
}

void
scope_report_page_add_ladder (ScopeReportPage       *page,
                              const ProfLadder      *ladder,
                              const ProfExplanation *explanation)
{
  ScopeReportBars      *bars = scope_report_bars_new ();
  guint                 n = ladder->rungs->len, last = prof_ladder_last_pass (ladder);
  g_autofree ScopeRung *rungs = scope_ladder_list_rungs (ladder);
  g_autofree char      *sum = scope_say_rungs (rungs, n);

  for (guint i = 0; i < n; i++)
    {
      const ScopeRung *rung = &rungs[i];
      g_autofree char *time = prof_format_seconds (rung->time.median);
      g_autofree char *change = scope_say_change (&rung->saved, rung->verdict);
      g_autofree char *text = i == 0 ? g_strdup (time) : g_strdup_printf ("%s · %s", time, change);

      scope_report_bars_add (bars,
                             &(VizBar){ .label = rung->name,
                                        .text = text,
                                        .value = rung->time.median,
                                        .low = rung->time.low,
                                        .high = rung->time.high,
                                        .category = viz_chart_hue (0),
                                        .is_unclear = i > 0 && scope_is_noise (rung->verdict) });
    }
  scope_report_page_add_bars (page,
                              "The ladder: the engine's optimisations, switched on one by one",
                              bars);
  add_paragraph (page, sum);
  add_speed (page, ladder->comparison);
  if (!explanation || !prof_explanation_has_cause (explanation))
    return;
  scope_report_page_add_waterfall (page, "Time saved by the ladder, by kind of work",
                                   (ScopeLevel){ rungs[0].name, rungs[0].time.median },
                                   (ScopeLevel){ rungs[last].name, rungs[last].time.median },
                                   explanation);
  scope_report_page_add_buckets (page, explanation);
}
