/* report-difference.c — how two captures differ: which nodes became slower or faster.
 *
 * prof_difference() matches the nodes; this file draws and lists them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "profiler/base/format.h"
#include "profiler/explain/difference.h"
#include "viz/paint/chart.h"

#include <math.h>

#define MAX_BARS 24
#define MAX_ROWS 60

/* Layout of the chart, in points. */
#define ROW_HEIGHT   20.0
#define LABELS_WIDTH 300.0
#define VALUES_WIDTH 170.0

typedef struct
{
  char    *name, *text;
  double   change, low, high; /* seconds of B minus seconds of A */
  gboolean is_unclear;
} Change;

/* Data of the chart. */
typedef struct
{
  GArray *changes; /* of Change */
  double  largest; /* absolute change */
} Changes;

static void
changes_free (gpointer data)
{
  Changes *changes = data;

  for (guint i = 0; i < changes->changes->len; i++)
    {
      g_free (g_array_index (changes->changes, Change, i).name);
      g_free (g_array_index (changes->changes, Change, i).text);
    }
  g_array_unref (changes->changes);
  g_free (changes);
}

/* Bars to the left of the middle line: B takes less time; to the right: more; grey: within the
 * noise. */
static void
draw_changes (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Changes *changes = data;
  double         half = (rect->width - LABELS_WIDTH - VALUES_WIDTH) / 2,
         middle = rect->x + LABELS_WIDTH + half;
  double unit = changes->largest > 0 ? half / changes->largest : 0;

  for (guint i = 0; i < changes->changes->len; i++)
    {
      const Change    *change = &g_array_index (changes->changes, Change, i);
      double           y = rect->y + i * ROW_HEIGHT, width = MAX (fabs (change->change) * unit, 1);
      VizRect          bar = { change->change < 0 ? middle - width : middle, y + 3, width, 13 };
      VizStyle         style = { .fill = change->is_unclear   ? &theme->box_border
                                         : change->change < 0 ? &theme->difference[0]
                                                              : &theme->difference[4] };
      g_autofree char *label = viz_text_shorten (change->name, 44);
      double           low = MAX (change->low, -changes->largest) * unit;
      double           high = MIN (change->high, changes->largest) * unit;

      scope_draw_text (pen, (VizPoint){ rect->x + LABELS_WIDTH - 8, y + 13 }, 1, theme->text,
                       label);
      pen->rect (pen, &bar, 2, &style);
      if (high > low)
        pen->rects (pen, &(VizRect){ middle + low, y + 9, high - low, 1 }, 1, &theme->text);
      scope_draw_text (pen, (VizPoint){ rect->x + rect->width - VALUES_WIDTH + 10, y + 13 }, 0,
                       theme->text_faint, change->text);
    }
  pen->rects (pen, &(VizRect){ middle - 0.5, rect->y, 1, changes->changes->len * ROW_HEIGHT }, 1,
              &theme->text_faint);
}

/* TRUE if both captures have the node and neither is certainly faster. */
static gboolean
is_within_noise (const ProfDifference *difference)
{
  return difference->row_a != PROF_NONE && difference->row_b != PROF_NONE &&
         difference->pairing.verdict != PROF_SLOWER && difference->pairing.verdict != PROF_FASTER;
}

static void
add_change (Changes *changes, const ProfDifference *difference)
{
  double           a = isfinite (difference->a) ? difference->a : 0;
  double           b = isfinite (difference->b) ? difference->b : 0;
  gboolean         is_matched = difference->row_a != PROF_NONE && difference->row_b != PROF_NONE;
  g_autofree char *time = prof_format_seconds (b - a);
  Change           change = {
              .name = g_strdup (difference->name),
              .change = b - a,
              .is_unclear = is_within_noise (difference),
              .text = is_matched ? g_strdup_printf ("%s%s · ×%.2f", b > a ? "+" : "", time,
                                                    difference->pairing.ratio.median)
                                 : g_strdup_printf ("%s%s · only in %s", b > a ? "+" : "", time,
                                          difference->row_a != PROF_NONE ? "A" : "B"),
  };

  if (is_matched)
    {
      change.low = a * (difference->pairing.ratio.low - 1);
      change.high = a * (difference->pairing.ratio.high - 1);
    }
  changes->largest = MAX (changes->largest, fabs (change.change));
  g_array_append_val (changes->changes, change);
}

static void
append_row (GString *html, const ProfDifference *difference)
{
  g_autofree char    *of_a = prof_format_seconds (difference->a);
  g_autofree char    *of_b = prof_format_seconds (difference->b);
  gboolean            is_matched = difference->row_a != PROF_NONE && difference->row_b != PROF_NONE;
  const ProfInterval *ratio = &difference->pairing.ratio;

  g_string_append (html, "<tr><td>");
  scope_html_append (html, difference->name);
  g_string_append_printf (html, "</td><td>%s</td><td>%s</td>", of_a, of_b);
  if (!is_matched)
    {
      g_string_append (html, "<td>–</td><td>only in one</td></tr>\n");
      return;
    }
  g_string_append_printf (html, "<td>%.3f", ratio->median);
  if (prof_interval_is_known (ratio))
    g_string_append_printf (html, " (%.3f … %.3f)", ratio->low, ratio->high);
  g_string_append_printf (html, "</td><td>%s</td></tr>\n",
                          prof_verdict_describe (difference->pairing.verdict, ratio));
}

void
scope_report_page_add_difference (ScopeReportPage *page, const ProfCapture *a, const ProfCapture *b)
{
  g_autoptr (GArray) list = prof_difference (a, b);
  Changes         *changes = g_new0 (Changes, 1);
  guint            n_within = 0, n_beyond = 0;
  g_autofree char *name_a = g_path_get_basename (prof_capture_get_file (a));
  g_autofree char *name_b = g_path_get_basename (prof_capture_get_file (b));
  g_autofree char *title = g_strdup_printf ("What %s (B) changes against %s (A)", name_b, name_a);
  GString         *html = g_string_new (
              "<table><tr><th>node</th><th>A</th><th>B</th><th>B over A</th><th>verdict</th></tr>\n");

  changes->changes = g_array_new (FALSE, FALSE, sizeof (Change));
  for (guint i = 0; i < list->len; i++)
    {
      const ProfDifference *difference = &g_array_index (list, ProfDifference, i);

      if (i < MAX_BARS)
        add_change (changes, difference);
      if (is_within_noise (difference))
        n_within++;
      else if (n_beyond++ < MAX_ROWS)
        append_row (html, difference);
    }
  g_string_append_printf (html,
                          "</table>\n<p>%u nodes are the same within the noise, %u are not.</p>\n",
                          n_within, n_beyond);
  scope_report_page_add_chart (page,
                               &(ScopeChart){ .title = title,
                                              .height = MAX (changes->changes->len, 1) * ROW_HEIGHT,
                                              .draw = draw_changes,
                                              .data = changes,
                                              .destroy = changes_free });
  scope_report_page_add_html (page, NULL, html);
}
