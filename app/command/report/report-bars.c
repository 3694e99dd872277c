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

  viz_chart_waterfall (pen,
                       rect,
                       theme,
                       (const VizBar *) (gpointer) bars->bars->data,
                       bars->bars->len);
}

/* A level at either end of a waterfall. */
static void
add_level (ScopeReportBars *bars, ScopeLevel level)
{
  g_autofree char *text = prof_format_seconds (level.seconds + 0.0);

  append_bar (bars,
              &(VizBar){
                  .label = level.name, .text = text, .value = level.seconds, .is_total = TRUE });
}

/* A step of a waterfall.  change, low, high: seconds, negative if time is saved. */
static void
add_change (ScopeReportBars *bars, const char *label, double change, double low, double high)
{
  g_autofree char *text = prof_format_seconds (change + 0.0); /* -0.0 becomes 0.0 */

  append_bar (bars,
              &(VizBar){ .label = label,
                         .text = text,
                         .value = change,
                         .low = low,
                         .high = high,
                         .is_unclear = low < 0 && high > 0 });
}

void
scope_report_page_add_waterfall (ScopeReportPage       *page,
                                 const char            *title,
                                 ScopeLevel             from,
                                 ScopeLevel             to,
                                 const ProfExplanation *explanation)
{
  ScopeReportBars *bars = scope_report_bars_new ();

  add_level (bars, from);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      if (bucket->seconds != 0)
        add_change (bars, bucket->name, -bucket->seconds, -bucket->high, -bucket->low);
    }
  add_change (bars, "unexplained", -explanation->unexplained, -INFINITY, INFINITY);
  add_level (bars, to);
  scope_report_page_add_chart (page,
                               &(ScopeChart){ .title = title,
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
  GString *html = g_string_new ("<table><tr><th>kind of work</th><th>saves</th><th>at least</th>"
                                "<th>at most</th><th>its own rung</th><th>residual</th>"
                                "<th>rung</th></tr>\n");

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      g_string_append_printf (html, "<tr><td>%s</td>", bucket->name);
      append_seconds (html, bucket->seconds);
      if (isfinite (bucket->low))
        {
          append_seconds (html, bucket->low);
          append_seconds (html, bucket->high);
        }
      else
        g_string_append (html, "<td colspan=\"2\">too few runs</td>");
      append_seconds (html, bucket->proved);
      append_seconds (html, bucket->residual);
      g_string_append (html, "<td class=\"words\">");
      scope_html_append (html, bucket->rung ? bucket->rung : "–");
      g_string_append (html, "</td></tr>\n");
    }
  g_string_append (html, "<tr><td>unexplained</td>");
  append_seconds (html, explanation->unexplained);
  g_string_append (html, "<td></td><td></td><td></td><td></td><td></td></tr>\n<tr><th>total</th>");
  append_seconds (html, explanation->saved.median);
  append_seconds (html, explanation->saved.low);
  append_seconds (html, explanation->saved.high);
  g_string_append (html, "<td></td><td></td><td></td></tr></table>\n");
  scope_report_page_add_html (page, NULL, html);
}
