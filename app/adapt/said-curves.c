/* said-curves.c — see said-curves.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/said-curves.h"

#include <math.h>

/* More are left out: points may come from a file. */
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

/* The index of the curve of a point in curves, an array of const ScopePoint; the length if it is not there. */
static guint
find_curve (const GPtrArray *curves, const char *name)
{
  guint index = 0;

  while (index < curves->len &&
         !g_str_equal (((const ScopePoint *) curves->pdata[index])->curve, name))
    index++;
  return index;
}

/* The sizes, ascending, and the first point of each curve. */
static void
list_axes (const GArray *points, GArray *sizes, GPtrArray *curves)
{
  for (guint i = 0; i < points->len; i++)
    {
      ScopePoint *point = &g_array_index (points, ScopePoint, i);

      if (point->size > 0 && isfinite (point->size) && sizes->len < MAX_SIZES &&
          find_number (sizes, point->size) == sizes->len)
        g_array_append_val (sizes, point->size);
      if (curves->len < MAX_CURVES && find_curve (curves, point->curve) == curves->len)
        g_ptr_array_add (curves, point);
    }
  g_array_sort (sizes, compare_numbers);
}

static void
place (VizCurveTable *table, const ScopePoint *point, guint curve, guint x)
{
  if (curve >= table->n_curves || x >= table->n_x)
    return;
  viz_curve_table_set (table, curve, x, point->value);
  table->low[(gsize) curve * table->n_x + x] = point->low;
  table->high[(gsize) curve * table->n_x + x] = point->high;
}

VizCurveTable *
scope_curves_new (const GArray *points, const char *axis, char *(*format) (double value))
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GPtrArray) curves = g_ptr_array_new ();
  VizCurveTable *table;

  list_axes (points, sizes, curves);
  if (sizes->len < 2)
    return NULL;
  table = viz_curve_table_new (sizes->len, curves->len, axis, format);
  for (guint i = 0; i < sizes->len; i++)
    table->x[i] = g_array_index (sizes, double, i);
  for (guint i = 0; i < curves->len; i++)
    table->labels[i] = g_strdup (((const ScopePoint *) curves->pdata[i])->title);
  for (guint i = 0; i < points->len; i++)
    {
      const ScopePoint *point = &g_array_index (points, ScopePoint, i);

      place (table, point, find_curve (curves, point->curve), find_number (sizes, point->size));
    }
  return table;
}
