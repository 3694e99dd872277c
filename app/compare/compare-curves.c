/* compare-curves.c — curves of run times over the batch size, the sequence length or the units.
 *
 * One curve per form of the model, one chart per size that varies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-say.h"

#include "app/compare/compare-cells.h"
#include "app/process/conversion.h"
#include "app/process/json-fields.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_FORMS 64
#define MAX_SIZES 256

/* The index of a form; the length if it is not there. */
static guint
find_form (const GPtrArray *forms, const char *name)
{
  guint index = 0;

  while (index < forms->len && !g_str_equal (forms->pdata[index], name))
    index++;
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

/* The name of an axis. */
static const char *
axis_name (const char *key)
{
  return g_str_equal (key, "batch")    ? _ ("batch")
         : g_str_equal (key, "length") ? _ ("length")
                                       : _ ("units");
}

/* The sizes that were measured, ascending, and the forms.  Cells whose other sizes differ from the first cell's are left out. */
static void
list_axes (const cJSON *cells, const char *key, GArray *sizes, GPtrArray *forms)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, cells)
  {
    double      x = scope_json_get_number (cell, key);
    const char *form = scope_json_get_text (cell, "variant");

    if (!is_along (cell, cells->child, key))
      continue;
    if (x > 0 && isfinite (x) && sizes->len < MAX_SIZES && find_number (sizes, x) == sizes->len)
      g_array_append_val (sizes, x);
    if (forms->len < MAX_FORMS && find_form (forms, form) == forms->len)
      g_ptr_array_add (forms, (gpointer) form);
  }
  g_array_sort (sizes, compare_numbers);
}

/* Times over the member key of the cells.  (transfer full) NULL: no two cells differ in it */
static VizCurveTable *
make_curves (const cJSON *cells, const char *key)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GPtrArray) forms = g_ptr_array_new ();
  VizCurveTable *curves;
  const cJSON   *cell;

  list_axes (cells, key, sizes, forms);
  if (sizes->len < 2)
    return NULL;
  curves = viz_curve_table_new (sizes->len, forms->len, axis_name (key), prof_format_seconds);
  for (guint i = 0; i < sizes->len; i++)
    curves->x[i] = g_array_index (sizes, double, i);
  for (guint i = 0; i < forms->len; i++)
    curves->labels[i] = g_strdup (scope_conversion_title (forms->pdata[i]));
  cJSON_ArrayForEach (cell, cells)
  {
    guint x = find_number (sizes, scope_json_get_number (cell, key));
    guint form = find_form (forms, scope_json_get_text (cell, "variant"));

    if (x < curves->n_x && form < curves->n_curves && is_along (cell, cells->child, key))
      viz_curve_table_set (curves, form, x, scope_json_get_number (cell, "median"));
  }
  return curves;
}

void
scope_result_say_curves (ScopeSaid *said, const cJSON *result)
{
  const cJSON *cells = cJSON_GetObjectItemCaseSensitive (result, "cells");

  for (guint i = 0; scope_cell_sizes[i]; i++)
    {
      const char      *key = scope_cell_sizes[i];
      g_autofree char *name = g_strconcat ("compare-curves-", key, NULL);
      g_autofree char *title =
          g_strdup_printf (_ ("Time of a run of each form over its %s"), axis_name (key));

      scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves,
                                               .name = name,
                                               .title = title })
          ->curves = make_curves (cells, key);
    }
}
