/* compare-charts.c — groups of candidates and the ladder as sections of a report.
 *
 * Both become bars and, if there is an explanation, a waterfall with its table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-charts.h"

#include "app/command/compare/compare-explain.h"
#include "app/command/report/report-bars.h"
#include "profiler/base/format.h"

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

  scope_candidate_pair (candidate, first, &pairing);
  speed_up = scope_pairing_dup_speed_up (&pairing, 0);
  text = g_strdup_printf ("%s · %s · %s · n = %u%s",
                          time,
                          speed_up,
                          memory,
                          candidate->clean.n,
                          prof_interval_is_known (median) ? "" : " (too few runs)");
  scope_report_bars_add (bars,
                         &(VizBar){ .label = name,
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
  if (explanation && scope_group_extremes (group, &slow, &fast))
    {
      g_autofree char *from = scope_candidate_dup_name (slow);
      g_autofree char *to = scope_candidate_dup_name (fast);
      g_autofree char *reason = scope_explanation_dup_reason (explanation);
      g_autofree char *why = g_strdup_printf (prof_explanation_has_cause (explanation)
                                                  ? "%s: why “%s” is faster than “%s”: %s"
                                                  : "%s: “%s” and “%s”: %s",
                                              title,
                                              to,
                                              from,
                                              reason);

      if (!prof_explanation_has_cause (explanation))
        {
          GString *html = g_string_new ("<p>");

          scope_html_append (html, why);
          g_string_append (html, "</p>\n");
          scope_report_page_add_html (page, NULL, html);
          return;
        }
      scope_report_page_add_waterfall (page,
                                       why,
                                       (ScopeLevel){ from, slow->clean.median.median },
                                       (ScopeLevel){ to, fast->clean.median.median },
                                       explanation);
      scope_report_page_add_buckets (page, explanation);
    }
}

void
scope_report_page_add_ladder (ScopeReportPage       *page,
                              const ProfLadder      *ladder,
                              const ProfExplanation *explanation)
{
  ScopeReportBars *bars = scope_report_bars_new ();
  const ProfRung  *first = ladder->rungs->pdata[0];
  const ProfRung  *last = ladder->rungs->pdata[prof_ladder_last_pass (ladder)];

  for (guint i = 0; i < ladder->rungs->len; i++)
    {
      const ProfRung  *rung = ladder->rungs->pdata[i];
      g_autofree char *time = prof_format_seconds (rung->seconds);
      g_autofree char *saved = prof_format_seconds (-rung->saved.median);
      g_autofree char *text =
          i == 0 ? g_strdup (time)
                 : g_strdup_printf ("%s · %s%s · %s",
                                    time,
                                    rung->saved.median < 0 ? "+" : "",
                                    saved,
                                    prof_verdict_describe (rung->verdict, &rung->saved));

      scope_report_bars_add (bars,
                             &(VizBar){ .label = rung->name,
                                        .text = text,
                                        .value = rung->seconds,
                                        .low = rung->seconds,
                                        .high = rung->seconds,
                                        .category = viz_chart_hue (0) });
    }
  scope_report_page_add_bars (page,
                              "The ladder: the engine's optimisations, switched on one by one",
                              bars);
  if (!explanation || !prof_explanation_has_cause (explanation))
    return;
  scope_report_page_add_waterfall (page,
                                   "What the ladder saves, by kind of work",
                                   (ScopeLevel){ first->name, first->seconds },
                                   (ScopeLevel){ last->name, last->seconds },
                                   explanation);
  scope_report_page_add_buckets (page, explanation);
}
