/* report-bars.c — charts of viz that own what they draw.
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

ScopeBars *
scope_bars_new (void)
{
  ScopeBars *bars = g_new0 (ScopeBars, 1);

  bars->bars = g_array_new (FALSE, FALSE, sizeof (VizBar));
  bars->texts = g_string_chunk_new (1024);
  return bars;
}

static void
bars_free (gpointer data)
{
  ScopeBars *bars = data;

  g_array_unref (bars->bars);
  g_string_chunk_free (bars->texts);
  g_free (bars);
}

VizCategory
scope_bars_category (guint category)
{
  return (VizCategory) ((category + 1) % VIZ_N_CATEGORIES);
}

void
scope_bars_add (ScopeBars  *bars,
                const char *label,
                const char *text,
                double      value,
                double      low,
                double      high,
                VizCategory category)
{
  VizBar bar = {
    .label = g_string_chunk_insert (bars->texts, label),
    .text = g_string_chunk_insert (bars->texts, text),
    .value = isfinite (value) ? MAX (value, 0) : 0,
    .low = low,
    .high = high,
    .category = category,
  };

  g_array_append_val (bars->bars, bar);
}

static void
draw_bars (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeBars *bars = data;

  viz_chart_bars (pen, rect, theme, (const VizBar *) (gpointer) bars->bars->data, bars->bars->len);
}

void
scope_page_add_bars (ScopePage *page, const char *title, ScopeBars *bars)
{
  if (bars->bars->len == 0)
    {
      bars_free (bars);
      return;
    }
  scope_page_add_chart (page,
                        title,
                        viz_chart_bars_height (bars->bars->len),
                        draw_bars,
                        bars,
                        bars_free);
}

static void
draw_waterfall (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const ScopeBars *bars = data;

  viz_chart_waterfall (pen,
                       rect,
                       theme,
                       (const VizBar *) (gpointer) bars->bars->data,
                       bars->bars->len);
}

/* From the slow one's time, less bucket after bucket, to the fast one's. */
static void
add_change (ScopeBars  *bars,
            const char *label,
            double      value,
            double      low,
            double      high,
            gboolean    is_total)
{
  g_autofree char *text = prof_format_seconds (value + 0.0);
  VizBar           bar = {
              .label = g_string_chunk_insert (bars->texts, label),
              .text = g_string_chunk_insert (bars->texts, text),
              .value = value,
              .low = low,
              .high = high,
              .is_total = is_total,
              .is_unclear = !is_total && low < 0 && high > 0,
  };

  g_array_append_val (bars->bars, bar);
}

void
scope_page_add_waterfall (ScopePage             *page,
                          const char            *title,
                          const char            *from,
                          double                 from_seconds,
                          const char            *to,
                          double                 to_seconds,
                          const ProfExplanation *explanation)
{
  ScopeBars *bars = scope_bars_new ();

  add_change (bars, from, from_seconds, 0, 0, TRUE);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      if (bucket->seconds != 0)
        add_change (bars, bucket->name, -bucket->seconds, -bucket->high, -bucket->low, FALSE);
    }
  add_change (bars, "residual", -explanation->residual, 0, 0, FALSE);
  add_change (bars, to, to_seconds, 0, 0, TRUE);
  scope_page_add_chart (page, title, WATERFALL_HEIGHT, draw_waterfall, bars, bars_free);
}

static void
append_seconds (GString *html, double seconds)
{
  g_autofree char *text = prof_format_seconds (seconds);

  g_string_append_printf (html, "<td>%s</td>", text);
}

void
scope_page_add_rungs (ScopePage *page, const ProfExplanation *explanation)
{
  GString *html = g_string_new ("<table><tr><th>where from</th><th>saves</th><th>at least</th>"
                                "<th>at most</th><th>what was run to prove it</th></tr>\n");

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      g_string_append_printf (html, "<tr><td>%s</td>", bucket->name);
      append_seconds (html, bucket->seconds);
      append_seconds (html, bucket->low);
      append_seconds (html, bucket->high);
      g_string_append (html, "<td class=\"words\">");
      scope_html_append (html, bucket->rung ? bucket->rung : "–");
      g_string_append (html, "</td></tr>\n");
    }
  g_string_append (html, "<tr><td>residual</td>");
  append_seconds (html, explanation->residual);
  g_string_append (html, "<td></td><td></td><td></td></tr>\n<tr><th>all</th>");
  append_seconds (html, explanation->saved);
  g_string_append (html, "<td></td><td></td><td></td></tr></table>\n");
  scope_page_add_html (page, NULL, html);
}
