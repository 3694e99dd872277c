/* sweep-curves.c — the chart of a slice, drawn as in the report of a sweep.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-curves.h"

#include "app/widgets/chart-area.h"
#include "app/widgets/theme.h"
#include "profiler/base/format.h"
#include "viz/paint/curve-table.h"

#include <glib/gi18n.h>

#define HEIGHT 240

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer unused G_GNUC_UNUSED)
{
  const VizCurveTable *table = g_object_get_data (G_OBJECT (area), "curves");
  VizRect              rect;
  VizPen              *pen;

  if (!table)
    return;
  pen = scope_chart_area_pen (area, cr, width, height, &rect);
  viz_curve_table_draw (table, pen, &rect, scope_theme_get ());
  viz_pen_free (pen);
}

static void
destroy (gpointer data)
{
  viz_curve_table_free (data);
}

GtkWidget *
scope_sweep_curves_new (void)
{
  return scope_chart_area_new ("sweep-curves", _ ("Curves of the sweep"), HEIGHT, draw);
}

guint
scope_sweep_curves_get_step (const ScopeSweepData *data, const ScopeSweepSlice *slice)
{
  guint n_columns = MIN (data->axes[slice->columns].n_values, SCOPE_SWEEP_MAX_CURVES);
  guint max_rows = SCOPE_SWEEP_MAX_POINTS / n_columns;

  return (data->axes[slice->rows].n_values + max_rows - 1) / max_rows;
}

/* Fills one curve; returns how many points it has. */
static guint
fill_curve (VizCurveTable *table, ScopeSweepData *data, const ScopeSweepSlice *slice, guint column)
{
  guint n_points = 0, step = scope_sweep_curves_get_step (data, slice);

  for (guint x = 0; x < table->n_x; x++)
    {
      ScopeCellState state;
      double         y = scope_sweep_slice_get (slice, data, x * step, column, &state);

      n_points += (guint) viz_curve_table_set (table, column, x, y);
    }
  return n_points;
}

gboolean
scope_sweep_curves_set (GtkWidget *area, ScopeSweepData *data, const ScopeSweepSlice *slice)
{
  const ScopeAxis *rows = &data->axes[slice->rows], *columns = &data->axes[slice->columns];
  VizCurveTable   *table;
  guint            n_points = 0, step = scope_sweep_curves_get_step (data, slice);

  g_object_set_data (G_OBJECT (area), "curves", NULL);
  gtk_widget_queue_draw (area);
  if (!scope_axis_is_ascending (rows) || columns->n_values > SCOPE_SWEEP_MAX_CURVES)
    return FALSE;
  table = viz_curve_table_new ((rows->n_values + step - 1) / step, columns->n_values,
                               scope_axis_title (rows->name),
                               data->is_timing ? prof_format_seconds : NULL);
  for (guint x = 0; x < table->n_x; x++)
    table->x[x] = g_ascii_strtod (rows->values[x * step], NULL);
  for (guint column = 0; column < table->n_curves; column++)
    {
      table->labels[column] = scope_axis_dup_value (columns, column);
      n_points = MAX (n_points, fill_curve (table, data, slice, column));
    }
  g_object_set_data_full (G_OBJECT (area), "curves", table, destroy);
  return n_points > 1;
}
