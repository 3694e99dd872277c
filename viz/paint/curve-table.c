/* curve-table.c — a table of numbers that is drawn as curves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/curve-table.h"

#include <math.h>

static char *
dup_digits (double value)
{
  return g_strdup_printf ("%.3g", value);
}

static double *
new_unknown (guint n_x, guint n_curves)
{
  double *values = g_new (double, MAX ((gsize) n_x * n_curves, 1));

  for (gsize i = 0; i < (gsize) n_x * n_curves; i++)
    values[i] = NAN;
  return values;
}

VizCurveTable *
viz_curve_table_new (guint n_x, guint n_curves, const char *x_name, char *(*format) (double value))
{
  VizCurveTable *table = g_new0 (VizCurveTable, 1);

  table->n_x = n_x;
  table->n_curves = n_curves;
  table->x = g_new0 (double, MAX (n_x, 1));
  table->y = new_unknown (n_x, n_curves);
  table->low = new_unknown (n_x, n_curves);
  table->high = new_unknown (n_x, n_curves);
  table->mark = NAN;
  table->labels = g_new0 (char *, n_curves + 1);
  table->x_name = g_strdup (x_name);
  table->format = format ? format : dup_digits;
  return table;
}

void
viz_curve_table_free (VizCurveTable *table)
{
  if (!table)
    return;
  g_free (table->x);
  g_free (table->y);
  g_free (table->low);
  g_free (table->high);
  g_strfreev (table->labels);
  g_free (table->x_name);
  g_free (table);
}

gboolean
viz_curve_table_set (VizCurveTable *table, guint curve, guint x, double value)
{
  gboolean is_known = value > 0 && isfinite (value);

  table->y[(gsize) curve * table->n_x + x] = is_known ? value : NAN;
  return is_known;
}

void
viz_curve_table_draw (const VizCurveTable *table,
                      VizPen              *pen,
                      const VizRect       *rect,
                      const VizTheme      *theme)
{
  g_autofree VizCurve *list = g_new0 (VizCurve, MAX (table->n_curves, 1));
  VizCurveChart        chart = { .x = table->x,
                                 .n_x = table->n_x,
                                 .x_name = table->x_name,
                                 .format = table->format,
                                 .is_logarithmic = !table->is_linear,
                                 .is_binary = table->is_binary,
                                 .mark = table->mark,
                                 .curves = list,
                                 .n_curves = table->n_curves };

  for (guint i = 0; i < table->n_curves; i++)
    {
      gsize at = (gsize) i * table->n_x;

      list[i] = (VizCurve){ table->labels[i], table->y + at, table->low + at, table->high + at };
    }
  viz_chart_curves (pen, rect, theme, &chart);
}
