/* report-bars.c — bar and waterfall charts of a report.
 *
 * Bars own copies of their texts in a string chunk; the page frees them with the section.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-bars.h"

#include "app/command/report/report-said.h"
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

/* A row of the table of buckets that has no rung. */
static void
add_sum (ScopeTable *table, const char *name, char *seconds /* (transfer full) */)
{
  scope_table_add (table, g_strdup (name), FALSE);
  scope_table_add (table, seconds, FALSE);
  for (guint i = 2; i < table->columns->len; i++)
    scope_table_add (table, NULL, FALSE);
}

void
scope_report_page_add_buckets (ScopeReportPage *page, const ProfExplanation *explanation)
{
  static const ScopeTableColumn columns[] = {
    { .title = "kind of work" },
    { .title = "changes", .is_number = TRUE },
    { .title = "its own rung saves", .is_number = TRUE },
    { .title = "residual", .is_number = TRUE },
    { .title = "rung" },
  };
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeTable *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  char       *total = scope_say_change (&explanation->saved,
                                  explanation->is_certain ? PROF_FASTER : PROF_UNDECIDED);

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      scope_table_add (table, g_strdup (bucket->name), FALSE);
      scope_table_add (table, scope_say_bucket (bucket), !(bucket->low > 0 || bucket->high < 0));
      scope_table_add (table, prof_format_seconds (bucket->proved), FALSE);
      scope_table_add (table, prof_format_seconds (bucket->residual), FALSE);
      scope_table_add (table, g_strdup (bucket->rung ? bucket->rung : "–"), FALSE);
    }
  add_sum (table, "unexplained", prof_format_seconds (fabs (explanation->unexplained)));
  add_sum (table, "total", total);
  scope_report_page_add_said (page, said);
}
