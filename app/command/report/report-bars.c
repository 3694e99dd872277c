/* report-bars.c — bar and waterfall charts of a report.
 *
 * Bars own copies of their texts in a string chunk; the page frees them with the section.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-bars.h"

#include "profiler/base/format.h"

#include <math.h>

#define WATERFALL_HEIGHT 220.0

struct _ScopeBars
{
  GArray       *bars; /* of VizBar */
  GStringChunk *texts;
};

ScopeReportBars *
scope_report_bars_new (void)
{
  ScopeReportBars *bars = g_new0 (ScopeReportBars, 1);

  bars->bars = g_array_new (FALSE, FALSE, sizeof (VizBar));
  bars->texts = g_string_chunk_new (1024);
  return bars;
}

static void
bars_free (gpointer data)
{
  ScopeReportBars *bars = data;

  g_array_unref (bars->bars);
  g_string_chunk_free (bars->texts);
  g_free (bars);
}

VizCategory
scope_report_bars_category (guint category)
{
  return (VizCategory) ((category + 1) % VIZ_N_CATEGORIES);
}

/* Appends a copy of bar that owns its texts. */
static void
append_bar (ScopeReportBars *bars, const VizBar *bar)
{
  VizBar copy = *bar;

  copy.label = g_string_chunk_insert (bars->texts, bar->label);
  copy.text = g_string_chunk_insert (bars->texts, bar->text);
  g_array_append_val (bars->bars, copy);
}

void
scope_report_bars_add (ScopeReportBars *bars, const VizBar *bar)
{
  VizBar valid = *bar;

  valid.value = isfinite (bar->value) ? MAX (bar->value, 0) : 0;
  append_bar (bars, &valid);
}

static void
draw_bars (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeReportBars *bars = data;

  viz_chart_bars (pen, rect, theme, (const VizBar *) (gpointer) bars->bars->data, bars->bars->len);
}

void
scope_report_page_add_bars (ScopeReportPage *page, const char *title, ScopeReportBars *bars)
{
  if (bars->bars->len == 0)
    {
      bars_free (bars);
      return;
    }
  scope_report_page_add_chart (page,
                               &(ScopeChart){ .title = title,
                                              .height = viz_chart_bars_height (bars->bars->len),
                                              .draw = draw_bars,
                                              .data = bars,
                                              .destroy = bars_free });
}

static void
draw_waterfall (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeReportBars *bars = data;

  viz_chart_waterfall (pen, rect, theme, (const VizBar *) (gpointer) bars->bars->data,
                       bars->bars->len);
}

void
scope_report_page_add_waterfall (ScopeReportPage       *page,
                                 const char            *title,
                                 ScopeLevel             from,
                                 ScopeLevel             to,
                                 const ProfExplanation *explanation)
{
  ScopeReportBars *bars = scope_report_bars_new ();

  g_array_unref (bars->bars);
  bars->bars = scope_list_waterfall (from, to, explanation, bars->texts);
  scope_report_page_add_chart (page, &(ScopeChart){ .title = title,
                                                    .height = WATERFALL_HEIGHT,
                                                    .draw = draw_waterfall,
                                                    .data = bars,
                                                    .destroy = bars_free });
}

static void
append_seconds (GString *html, double seconds)
{
  g_autofree char *text = prof_format_seconds (seconds);

  g_string_append_printf (html, "<td>%s</td>", text);
}

void
scope_report_page_add_buckets (ScopeReportPage *page, const ProfExplanation *explanation)
{
  GString *html = g_string_new ("<table><tr><th>kind of work</th><th>changes</th><th>its own rung "
                                "saves</th><th>residual</th><th>rung</th></tr>\n");
  g_autofree char *total =
      scope_say_change (&explanation->saved,
                        explanation->is_certain ? PROF_FASTER : PROF_UNDECIDED);

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];
      g_autofree char  *change = scope_say_bucket (bucket);

      g_string_append_printf (html, "<tr><td>%s</td><td%s>%s</td>", bucket->name,
                              bucket->low > 0 || bucket->high < 0 ? "" : " class=\"unsure\"",
                              change);
      append_seconds (html, bucket->proved);
      append_seconds (html, bucket->residual);
      g_string_append (html, "<td class=\"words\">");
      scope_html_append (html, bucket->rung ? bucket->rung : "–");
      g_string_append (html, "</td></tr>\n");
    }
  g_string_append (html, "<tr><td>unexplained</td>");
  append_seconds (html, fabs (explanation->unexplained));
  g_string_append_printf (html,
                          "<td></td><td></td><td></td></tr>\n<tr><th>total</th><td>%s</td><td></"
                          "td><td></td><td></td></tr></table>\n",
                          total);
  scope_report_page_add_html (page, NULL, html);
}
