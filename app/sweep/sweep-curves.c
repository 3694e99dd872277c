/* sweep-curves.c — the chart of a slice, drawn as in the report of a sweep.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-curves.h"

#include "app/widgets/theme.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#define HEIGHT 240

typedef struct
{
  guint    n_x, n_curves;
  double  *x, *y;  /* y: [curve][x]; NAN: not done */
  char   **labels; /* n_curves, NULL-terminated */
  gboolean is_timing;
  char    *axis;
} Curves;

static void
curves_free (gpointer data)
{
  Curves *curves = data;

  g_free (curves->x);
  g_free (curves->y);
  g_free (curves->axis);
  g_strfreev (curves->labels);
  g_free (curves);
}

static char *
dup_difference (double value)
{
  return g_strdup_printf ("%.3g", value);
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer unused G_GNUC_UNUSED)
{
  const Curves        *curves = g_object_get_data (G_OBJECT (area), "curves");
  const VizRect        rect = { 0, 0, width, height };
  g_autofree VizCurve *list = NULL;
  VizCurveChart        chart;
  VizPen              *pen;

  if (!curves)
    return;
  list = g_new0 (VizCurve, curves->n_curves);
  for (guint i = 0; i < curves->n_curves; i++)
    list[i] = (VizCurve){ .label = curves->labels[i], .y = curves->y + (gsize) i * curves->n_x };
  chart = (VizCurveChart){ .x = curves->x,
                           .n_x = curves->n_x,
                           .x_name = curves->axis,
                           .format = curves->is_timing ? prof_format_seconds : dup_difference,
                           .is_logarithmic = TRUE,
                           .mark = NAN,
                           .curves = list,
                           .n_curves = curves->n_curves };
  pen = viz_pen_new_cairo (cr, NULL);
  viz_chart_curves (pen, &rect, scope_theme_get (), &chart);
  viz_pen_free (pen);
}

GtkWidget *
scope_sweep_curves_new (void)
{
  GtkWidget *area = gtk_drawing_area_new ();

  gtk_widget_set_name (area, "sweep-curves");
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw, NULL, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Curves of the sweep"),
                                  -1);
  g_signal_connect_object (adw_style_manager_get_default (),
                           "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw),
                           area,
                           G_CONNECT_SWAPPED);
  return area;
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
fill_curve (Curves *curves, ScopeSweepData *data, const ScopeSweepSlice *slice, guint column)
{
  guint n_points = 0, step = scope_sweep_curves_get_step (data, slice);

  for (guint x = 0; x < curves->n_x; x++)
    {
      ScopeCellState state;
      double         y = scope_sweep_slice_get (slice, data, x * step, column, &state);

      /* The axis is logarithmic. */
      curves->y[(gsize) column * curves->n_x + x] = y > 0 ? y : NAN;
      n_points += y > 0;
    }
  return n_points;
}

gboolean
scope_sweep_curves_set (GtkWidget *area, ScopeSweepData *data, const ScopeSweepSlice *slice)
{
  const ScopeAxis *rows = &data->axes[slice->rows], *columns = &data->axes[slice->columns];
  Curves          *curves;
  guint            n_points = 0, step = scope_sweep_curves_get_step (data, slice);

  g_object_set_data (G_OBJECT (area), "curves", NULL);
  gtk_widget_queue_draw (area);
  if (!scope_axis_is_ascending (rows) || columns->n_values > SCOPE_SWEEP_MAX_CURVES)
    return FALSE;
  curves = g_new0 (Curves, 1);
  curves->n_x = (rows->n_values + step - 1) / step;
  curves->n_curves = columns->n_values;
  curves->x = g_new (double, curves->n_x);
  curves->y = g_new (double, (gsize) curves->n_x * curves->n_curves);
  curves->labels = g_new0 (char *, curves->n_curves + 1);
  curves->is_timing = data->is_timing;
  curves->axis = g_strdup (scope_axis_title (rows->name));
  for (guint x = 0; x < curves->n_x; x++)
    curves->x[x] = g_ascii_strtod (rows->values[x * step], NULL);
  for (guint column = 0; column < curves->n_curves; column++)
    {
      curves->labels[column] = scope_axis_dup_value (columns, column);
      n_points = MAX (n_points, fill_curve (curves, data, slice, column));
    }
  g_object_set_data_full (G_OBJECT (area), "curves", curves, curves_free);
  return n_points > 1;
}
