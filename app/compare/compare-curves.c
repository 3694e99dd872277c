/* compare-curves.c — curves of run times over the batch size, the sequence length or the units.
 *
 * One curve for each row of the table of times, such as a form in one mode, and for each kind of recurrent cell and for
 * training and inference; one chart for each size that varies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-say.h"

#include "app/adapt/said-curves.h"
#include "app/compare/compare-cells.h"
#include "app/process/json-fields.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

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

/* More are not drawn; a title looks at all cells, of which a file may have many. */
#define MAX_TITLES 64

/* The title of the curve of that name, made once; NULL: there are too many.  texts: keeps both. */
static const char *
find_title (GHashTable   *titles,
            GStringChunk *texts,
            const char   *name,
            const cJSON  *cell,
            const cJSON  *result)
{
  const char *title = g_hash_table_lookup (titles, name);

  if (!title && g_hash_table_size (titles) < MAX_TITLES)
    {
      g_autofree char *text = dup_curve_title (cell, result);

      title = g_string_chunk_insert (texts, text);
      g_hash_table_insert (titles, (char *) name, (char *) title);
    }
  return title;
}

/* Times over the member key of the cells; cells whose other sizes differ from the first cell's are left out.  (transfer full)
 * NULL: no two cells differ in it */
static VizCurveTable *
make_curves (const cJSON *result, const char *key)
{
  g_autoptr (GStringChunk) texts = g_string_chunk_new (1024);
  g_autoptr (GHashTable) titles = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ScopePoint));
  const cJSON *cells = cJSON_GetObjectItemCaseSensitive (result, "cells"), *cell;

  cJSON_ArrayForEach (cell, cells)
  {
    g_autofree char *name = dup_curve_name (cell, result);
    ScopePoint       point = { .curve = g_string_chunk_insert_const (texts, name),
                               .size = scope_json_get_number (cell, key),
                               .value = scope_json_get_number (cell, "median"),
                               .low = scope_json_get_number (cell, "low"),
                               .high = scope_json_get_number (cell, "high") };

    if (!is_along (cell, cells->child, key))
      continue;
    point.title = find_title (titles, texts, point.curve, cell, result);
    if (point.title)
      g_array_append_val (points, point);
  }
  return scope_curves_new (points, axis_name (key), prof_format_seconds);
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
