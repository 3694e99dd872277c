/* compare-curves.c — curves of run times over the batch size, the sequence length or the units.
 *
 * One curve for each row of the table of times, such as a form in one mode, and for each kind of recurrent cell and for
 * training and inference; one chart for each size that varies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-say.h"

#include "app/compare/compare-cells.h"
#include "app/process/json-fields.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_CURVES 64
#define MAX_SIZES  256

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

/* A curve: its name, by which it is found, and its title. */
typedef struct
{
  char *name, *title;
} Curve;

static void
curve_free (gpointer data)
{
  Curve *curve = data;

  g_free (curve->name);
  g_free (curve->title);
  g_free (curve);
}

/* The index of a curve; the length if it is not there. */
static guint
find_curve (const GPtrArray *curves, const char *name)
{
  guint index = 0;

  while (index < curves->len && !g_str_equal (((const Curve *) curves->pdata[index])->name, name))
    index++;
  return index;
}

/* The name of the curve of a cell, with its kind and work.  Many cells are named: nothing here looks at all cells.
 * (transfer full) */
static char *
dup_curve_name (const cJSON *cell, const cJSON *result)
{
  g_autofree char *name = scope_cell_dup_name (cell, result);
  const cJSON     *train = cJSON_GetObjectItemCaseSensitive (cell, "train");

  return g_strdup_printf ("%s, %s, %s", name, scope_json_get_text (cell, "cell"),
                          cJSON_IsTrue (train) ? "training" : "inference");
}

/* What the user reads instead.  (transfer full) */
static char *
dup_curve_title (const cJSON *cell, const cJSON *result)
{
  g_autofree char *title = scope_cell_dup_title (cell, result);
  g_autofree char *work = scope_cell_dup_varying_work (cell, result);

  return g_strconcat (title, *work ? ", " : "", work, NULL);
}

/* Adds the curve of a cell if it is not there. */
static void
add_curve (GPtrArray *curves, const cJSON *cell, const cJSON *result)
{
  g_autofree char *name = dup_curve_name (cell, result);
  Curve           *curve;

  if (curves->len >= MAX_CURVES || find_curve (curves, name) < curves->len)
    return;
  curve = g_new (Curve, 1);
  *curve = (Curve){ g_steal_pointer (&name), dup_curve_title (cell, result) };
  g_ptr_array_add (curves, curve);
}

/* The sizes that were measured, ascending, and the curves.  Cells whose other sizes differ from the first cell's are left out. */
static void
list_axes (const cJSON *result, const char *key, GArray *sizes, GPtrArray *curves)
{
  const cJSON *cells = cJSON_GetObjectItemCaseSensitive (result, "cells"), *cell;

  cJSON_ArrayForEach (cell, cells)
  {
    double x = scope_json_get_number (cell, key);

    if (!is_along (cell, cells->child, key))
      continue;
    if (x > 0 && isfinite (x) && sizes->len < MAX_SIZES && find_number (sizes, x) == sizes->len)
      g_array_append_val (sizes, x);
    add_curve (curves, cell, result);
  }
  g_array_sort (sizes, compare_numbers);
}

/* Times over the member key of the cells.  (transfer full) NULL: no two cells differ in it */
static VizCurveTable *
make_curves (const cJSON *result, const char *key)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GPtrArray) curves = g_ptr_array_new_with_free_func (curve_free);
  VizCurveTable *table;
  const cJSON   *cells = cJSON_GetObjectItemCaseSensitive (result, "cells"), *cell;

  list_axes (result, key, sizes, curves);
  if (sizes->len < 2)
    return NULL;
  table = viz_curve_table_new (sizes->len, curves->len, axis_name (key), prof_format_seconds);
  for (guint i = 0; i < sizes->len; i++)
    table->x[i] = g_array_index (sizes, double, i);
  for (guint i = 0; i < curves->len; i++)
    table->labels[i] = g_strdup (((const Curve *) curves->pdata[i])->title);
  cJSON_ArrayForEach (cell, cells)
  {
    g_autofree char *name = dup_curve_name (cell, result);
    guint            x = find_number (sizes, scope_json_get_number (cell, key));
    guint            curve = find_curve (curves, name);

    if (x < table->n_x && curve < table->n_curves && is_along (cell, cells->child, key))
      viz_curve_table_set (table, curve, x, scope_json_get_number (cell, "median"));
  }
  return table;
}

/* "Time of a run over its batch (length 5)".  (transfer full) */
static char *
dup_title (const cJSON *result, const char *key)
{
  const cJSON     *cells = cJSON_GetObjectItemCaseSensitive (result, "cells");
  g_autofree char *title = g_strdup_printf (_ ("Time of a run over its %s"), axis_name (key));
  g_autofree char *others = scope_cell_dup_other_sizes (cells ? cells->child : NULL, result, key);

  return *others != '\0' ? g_strdup_printf ("%s (%s)", title, others) : g_steal_pointer (&title);
}

void
scope_result_say_curves (ScopeSaid *said, const cJSON *result)
{
  /* Each recording has only one size, so there is no curve. */
  for (guint i = 0; scope_cell_sizes[i] && !scope_cells_are_recordings (result); i++)
    {
      const char      *key = scope_cell_sizes[i];
      g_autofree char *name = g_strconcat ("compare-curves-", key, NULL);
      g_autofree char *title = dup_title (result, key);

      scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves,
                                               .name = name,
                                               .title = title })
          ->curves = make_curves (result, key);
    }
}
