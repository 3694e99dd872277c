/* report-difference.c — how two captures differ: which nodes became slower or faster.
 *
 * prof_difference() matches the nodes; this file draws and lists them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "profiler/base/format.h"
#include "profiler/explain/difference.h"

#include <math.h>

#define MAX_BARS 24
#define MAX_ROWS 60

/* Layout of the chart, in points. */
#define ROW_HEIGHT   20.0
#define LABELS_WIDTH 300.0
#define VALUES_WIDTH 170.0

/* --- Drawing --- */

static double
changes_height (const ScopeFigure *figure)
{
  return figure->bars->len * ROW_HEIGHT;
}

static double
find_largest (const GArray *bars)
{
  double largest = 0;

  for (guint i = 0; i < bars->len; i++)
    largest = MAX (largest, fabs (g_array_index (bars, VizBar, i).value));
  return largest;
}

/* Bars to the left of the middle line: B takes less time; to the right: more; grey: within the
 * noise. */
static void
draw_changes (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  double largest = find_largest (figure->bars);
  double half = (rect->width - LABELS_WIDTH - VALUES_WIDTH) / 2,
         middle = rect->x + LABELS_WIDTH + half;
  double unit = largest > 0 ? half / largest : 0;

  for (guint i = 0; i < figure->bars->len; i++)
    {
      const VizBar    *bar = &g_array_index (figure->bars, VizBar, i);
      double           y = rect->y + i * ROW_HEIGHT, width = MAX (fabs (bar->value) * unit, 1);
      VizRect          box = { bar->value < 0 ? middle - width : middle, y + 3, width, 13 };
      VizStyle         style = { .fill = bar->is_unclear  ? &theme->box_border
                                         : bar->value < 0 ? &theme->difference[0]
                                                          : &theme->difference[4] };
      g_autofree char *label = viz_text_shorten (bar->label, 44);
      double           low = MAX (bar->low, -largest) * unit;
      double           high = MIN (bar->high, largest) * unit;

      scope_draw_text (pen, (VizPoint){ rect->x + LABELS_WIDTH - 8, y + 13 }, 1, theme->text,
                       label);
      pen->rect (pen, &box, 2, &style);
      if (isfinite (bar->low) && isfinite (bar->high) && high > low)
        pen->rects (pen, &(VizRect){ middle + low, y + 9, high - low, 1 }, 1, &theme->text);
      scope_draw_text (pen, (VizPoint){ rect->x + rect->width - VALUES_WIDTH + 10, y + 13 }, 0,
                       theme->text_faint, bar->text);
    }
  pen->rects (pen, &(VizRect){ middle - 0.5, rect->y, 1, figure->bars->len * ROW_HEIGHT }, 1,
              &theme->text_faint);
}

static const ScopeDrawing drawing = { changes_height, draw_changes };

/* --- What is said --- */

static gboolean
is_matched (const ProfDifference *difference)
{
  return difference->row_a != PROF_NONE && difference->row_b != PROF_NONE;
}

/* TRUE if both captures have the node and neither is certainly faster. */
static gboolean
is_within_noise (const ProfDifference *difference)
{
  return is_matched (difference) && difference->pairing.verdict != PROF_SLOWER &&
         difference->pairing.verdict != PROF_FASTER;
}

static void
add_bar (ScopeFigure *figure, const ProfDifference *difference)
{
  double              a = isfinite (difference->a) ? difference->a : 0;
  double              b = isfinite (difference->b) ? difference->b : 0;
  const ProfInterval *ratio = &difference->pairing.ratio;
  g_autofree char    *time = prof_format_seconds (b - a);
  const char         *sign = b > a ? "+" : "";
  gboolean            has_both = is_matched (difference);

  scope_figure_add_bar (figure,
                        &(VizBar){ .label = difference->name,
                                   .value = b - a,
                                   .low = has_both ? a * (ratio->low - 1) : 0,
                                   .high = has_both ? a * (ratio->high - 1) : 0,
                                   .is_unclear = is_within_noise (difference) },
                        has_both ? g_strdup_printf ("%s%s · ×%.2f", sign, time, ratio->median)
                                 : g_strdup_printf ("%s%s · only in %s", sign, time,
                                                    difference->row_a != PROF_NONE ? "A" : "B"));
}

static char *
dup_ratio (const ProfDifference *difference)
{
  const ProfInterval *ratio = &difference->pairing.ratio;

  return !is_matched (difference) ? g_strdup ("–")
         : prof_interval_is_known (ratio)
             ? g_strdup_printf ("%.3f (%.3f … %.3f)", ratio->median, ratio->low, ratio->high)
             : g_strdup_printf ("%.3f", ratio->median);
}

static void
add_row (ScopeTable *table, const ProfDifference *difference)
{
  const ProfPairing *pairing = &difference->pairing;

  scope_table_add (table, g_strdup (difference->name), FALSE);
  scope_table_add (table, prof_format_seconds (difference->a), FALSE);
  scope_table_add (table, prof_format_seconds (difference->b), FALSE);
  scope_table_add (table, dup_ratio (difference), FALSE);
  scope_table_add (table,
                   g_strdup (is_matched (difference)
                                 ? prof_verdict_describe (pairing->verdict, &pairing->ratio)
                                 : "only in one"),
                   FALSE);
}

void
scope_say_differences (ScopeSaid *said, const ProfCapture *a, const ProfCapture *b)
{
  static const ScopeTableColumn columns[] = {
    { "node", NULL, FALSE, 40 },    { "A", NULL, TRUE, 12 },       { "B", NULL, TRUE, 12 },
    { "B over A", NULL, TRUE, 24 }, { "verdict", NULL, FALSE, 0 },
  };
  g_autoptr (GArray) list = prof_difference (a, b);
  g_autofree char *name_a = g_path_get_basename (prof_capture_get_file (a));
  g_autofree char *name_b = g_path_get_basename (prof_capture_get_file (b));
  g_autofree char *title = g_strdup_printf ("What %s (B) changes against %s (A)", name_b, name_a);
  g_autofree char *listed = NULL;
  guint            n_within = 0, n_unknown = 0, n_beyond = 0;
  ScopeFigure     *figure;

  /* The figure has the title on pages, unless it is empty. */
  scope_said_heading (said, list->len == 0 ? title : NULL, title);
  figure =
      scope_said_figure (said,
                         &(ScopeFigure){ .drawing = &drawing, .title = title, .details = title });
  scope_figure_add_table (figure, columns, G_N_ELEMENTS (columns))->indent = 2;
  for (guint i = 0; i < list->len; i++)
    {
      const ProfDifference *difference = &g_array_index (list, ProfDifference, i);

      if (i < MAX_BARS)
        add_bar (figure, difference);
      if (!is_within_noise (difference) && n_beyond++ < MAX_ROWS)
        add_row (figure->table, difference);
      else if (is_within_noise (difference) && prof_interval_is_known (&difference->pairing.ratio))
        n_within++;
      else
        n_unknown += is_within_noise (difference);
    }
  listed =
      n_beyond > MAX_ROWS ? g_strdup_printf ("; the first %u are listed", MAX_ROWS) : g_strdup ("");
  scope_said_sentence (said, SCOPE_SAID_PLAIN,
                       g_strdup_printf ("%u nodes are the same within the noise, %u are not%s",
                                        n_within, n_beyond, listed));
  if (n_unknown > 0)
    scope_said_sentence (said, SCOPE_SAID_PLAIN,
                         g_strdup_printf ("%u nodes have too few runs for a comparison",
                                          n_unknown));
}
