/* compare-curves.c — charts of run times over the batch size, the sequence length or the units.
 *
 * One curve per form of the model, one chart per size that varies.  The cells of hscope compare --json are sorted into a table of
 * form × size each time the chart is drawn; start reading with collect_curves().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-curves.h"

#include "app/compare/compare-cells.h"
#include "app/process/conversion.h"
#include "app/process/json-fields.h"
#include "app/widgets/chart-area.h"
#include "app/widgets/theme.h"
#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#define CHART_HEIGHT 190

GtkWidget *
scope_compare_chart_new (const char *name, const char *text, GtkDrawingAreaDrawFunc draw)
{
  return scope_chart_area_new (name, text, CHART_HEIGHT, draw);
}

typedef struct
{
  GArray    *x;     /* of double: the sizes that were measured, ascending */
  GPtrArray *forms; /* names, owned by the cells */
  double    *y;     /* [form][x], seconds; NAN where a form was not measured */
} Curves;

static void
curves_clear (Curves *curves)
{
  g_clear_pointer (&curves->x, g_array_unref);
  g_clear_pointer (&curves->forms, g_ptr_array_unref);
  g_clear_pointer (&curves->y, g_free);
}

/* The index of a form, which is appended if it is new. */
static guint
find_form (GPtrArray *forms, const char *name)
{
  guint index = 0;

  while (index < forms->len && !g_str_equal (forms->pdata[index], name))
    index++;
  if (index == forms->len)
    g_ptr_array_add (forms, (gpointer) name);
  return index;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* The index of a number; the length if it is not there. */
static guint
find_number (const GArray *numbers, double number)
{
  guint index = 0;

  while (index < numbers->len && g_array_index (numbers, double, index) != number)
    index++;
  return index;
}

/* TRUE if the cell differs from the first one in no other size than key. */
static gboolean
is_along (const cJSON *cell, const cJSON *first, const char *key)
{
  for (guint i = 0; scope_cell_sizes[i]; i++)
    {
      double a = scope_json_get_number (cell, scope_cell_sizes[i]);
      double b = scope_json_get_number (first, scope_cell_sizes[i]);

      if (!g_str_equal (scope_cell_sizes[i], key) && a != b && !(isnan (a) && isnan (b)))
        return FALSE;
    }
  return TRUE;
}

/* Fills curves with times over the member key of the cells; of other sizes the first is taken.  FALSE: no
 * two cells differ in it. */
static gboolean
collect_curves (const cJSON *cells, const char *key, Curves *curves)
{
  const cJSON *first = cJSON_GetArrayItem (cells, 0), *cell;

  curves->x = g_array_new (FALSE, FALSE, sizeof (double));
  curves->forms = g_ptr_array_new ();
  cJSON_ArrayForEach (cell, cells)
  {
    double x = scope_json_get_number (cell, key);

    if (!is_along (cell, first, key))
      continue;
    if (x > 0 && find_number (curves->x, x) == curves->x->len)
      g_array_append_val (curves->x, x);
    find_form (curves->forms, scope_json_get_text (cell, "variant"));
  }
  if (curves->x->len < 2)
    return FALSE;
  g_array_sort (curves->x, compare_numbers);
  curves->y = g_new (double, (gsize) curves->x->len * curves->forms->len);
  for (guint i = 0; i < curves->x->len * curves->forms->len; i++)
    curves->y[i] = NAN;
  cJSON_ArrayForEach (cell, cells)
  {
    guint x = find_number (curves->x, scope_json_get_number (cell, key));
    guint form = find_form (curves->forms, scope_json_get_text (cell, "variant"));

    if (x < curves->x->len && is_along (cell, first, key))
      curves->y[form * curves->x->len + x] = scope_json_get_number (cell, "median");
  }
  return TRUE;
}

/* The name of an axis. */
static const char *
axis_name (const char *key)
{
  return g_str_equal (key, "batch")    ? _ ("batch")
         : g_str_equal (key, "length") ? _ ("length")
                                       : _ ("units");
}

static void
draw_curves (GtkDrawingArea *area,
             cairo_t        *cr,
             int             width,
             int             height,
             gpointer unused G_GNUC_UNUSED)
{
  const VizTheme      *theme = scope_theme_get ();
  const cJSON         *cells = g_object_get_data (G_OBJECT (area), "cells");
  const char          *key = g_object_get_data (G_OBJECT (area), "axis");
  Curves               found = { 0 };
  g_autofree VizCurve *curves = NULL;
  VizCurveChart axes = { .format = prof_format_seconds, .is_logarithmic = TRUE, .mark = NAN };
  VizRect       rect;
  VizPen       *pen;

  if (collect_curves (cells, key, &found))
    {
      curves = g_new0 (VizCurve, found.forms->len);
      for (guint i = 0; i < found.forms->len; i++)
        curves[i] = (VizCurve){ .label = scope_conversion_title (found.forms->pdata[i]),
                                .y = found.y + (gsize) i * found.x->len };
      axes.x = (const double *) (gpointer) found.x->data;
      axes.n_x = found.x->len;
      axes.x_name = axis_name (key);
      axes.curves = curves;
      axes.n_curves = found.forms->len;
      pen = scope_chart_area_pen (area, cr, width, height, &rect);
      viz_chart_curves (pen, &rect, theme, &axes);
      viz_pen_free (pen);
    }
  curves_clear (&found);
}

static void
append_chart (GtkBox *box, const cJSON *cells, const char *key)
{
  g_autofree char *name = g_strconcat ("compare-curves-", key, NULL);
  g_autofree char *text =
      g_strdup_printf (_ ("Time of a run of each form over its %s"), axis_name (key));
  GtkWidget *area = scope_compare_chart_new (name, text, draw_curves),
            *label = gtk_label_new (text);

  g_object_set_data (G_OBJECT (area), "cells", (gpointer) cells);
  g_object_set_data (G_OBJECT (area), "axis", (gpointer) key);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_margin_top (label, 12);
  gtk_box_append (box, label);
  gtk_box_append (box, area);
}

void
scope_compare_curves_append (GtkBox *box, const cJSON *cells)
{
  for (guint i = 0; scope_cell_sizes[i]; i++)
    {
      Curves curves = { 0 };

      if (collect_curves (cells, scope_cell_sizes[i], &curves))
        append_chart (box, cells, scope_cell_sizes[i]);
      curves_clear (&curves);
    }
}
