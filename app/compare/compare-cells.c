/* compare-cells.c — reads the result of hscope compare --json: cells, pairs and sizes.
 *
 * Results of models name a cell by form and mode, results of recordings by file; both are handled by
 * scope_cell_dup_name() alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-cells.h"

#include "app/process/conversion.h"
#include "app/process/json-fields.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_CELLS 10000 /* of a result */
#define MAX_SIZES 64

const char *const scope_cell_sizes[] = { "batch", "length", "hidden", NULL };

static const cJSON *
get_member (const cJSON *json, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive (json, key);
}

gboolean
scope_cells_are_result (const cJSON *json)
{
  const cJSON *cell;

  if (!cJSON_IsArray (get_member (json, "cells")) || !cJSON_IsArray (get_member (json, "pairs")))
    return FALSE;
  cJSON_ArrayForEach (cell, get_member (json, "cells"))
  {
    if (!cJSON_IsObject (cell))
      return FALSE;
  }
  return get_member (json, "cells")->child &&
         cJSON_GetArraySize (get_member (json, "cells")) <= MAX_CELLS;
}

/* What they were compared with distinguishes recordings from models. */
gboolean
scope_cells_are_recordings (const cJSON *result)
{
  return cJSON_IsArray (get_member (result, "baseline"));
}

/* TRUE if devices were compared: names in pairs then end with the device. */
static gboolean
names_devices (const cJSON *result)
{
  const char *last =
      strrchr (scope_json_get_text (cJSON_GetArrayItem (get_member (result, "pairs"), 0), "a"),
               ',');

  return last && (g_str_equal (last, ", cpu") || g_str_has_prefix (last, ", gpu"));
}

char *
scope_cell_dup_name (const cJSON *cell, const cJSON *result)
{
  if (scope_cells_are_recordings (result))
    return g_strdup (scope_json_get_text (cell, "capture"));
  return g_strdup_printf ("%s, %s%s%s%s", scope_json_get_text (cell, "variant"),
                          scope_json_get_text (cell, "mode"),
                          cJSON_IsFalse (get_member (cell, "passes")) ? " without passes" : "",
                          names_devices (result) ? ", " : "",
                          names_devices (result) ? scope_json_get_text (cell, "device") : "");
}

/* TRUE if the member is not the same in all cells. */
static gboolean
differs (const cJSON *result, const char *key)
{
  const cJSON *cells = get_member (result, "cells"), *cell;
  const cJSON *first = get_member (cells->child, key), *own;

  cJSON_ArrayForEach (cell, cells)
  {
    own = get_member (cell, key);
    if (own != first && !cJSON_Compare (own, first, TRUE))
      return TRUE;
  }
  return FALSE;
}

/* "Fused Operator"; of several models, whose forms are "NAME FORM", "NAME, Fused Operator" or "NAME" as it was written.
 * (transfer full) */
static char *
dup_form_title (const char *form)
{
  const char *space = strrchr (form, ' ');

  if (!space)
    return g_strdup (scope_conversion_title (form));
  if (g_str_equal (space, " as-is"))
    return g_strndup (form, (gsize) (space - form));
  return g_strdup_printf ("%.*s, %s", (int) (space - form), form,
                          scope_conversion_title (space + 1));
}

char *
scope_cell_dup_title (const cJSON *cell, const cJSON *result)
{
  g_autofree char *title = NULL;
  const char      *device, *mode, *without;

  if (scope_cells_are_recordings (result))
    {
      g_autofree char *name = g_path_get_basename (scope_json_get_text (cell, "capture"));

      if (g_str_has_suffix (name, ".hscope"))
        name[strlen (name) - strlen (".hscope")] = '\0';
      return g_steal_pointer (&name);
    }
  title = dup_form_title (scope_json_get_text (cell, "variant"));
  mode = differs (result, "mode") ? scope_json_get_text (cell, "mode") : NULL;
  without = differs (result, "passes") && cJSON_IsFalse (get_member (cell, "passes"))
                ? _ ("without passes")
                : NULL;
  device = names_devices (result) ? scope_json_get_text (cell, "device") : NULL;
  return g_strconcat (title, mode ? ", " : "", mode ? mode : "", without ? ", " : "",
                      without ? without : "", device ? ", " : "", device ? device : "", NULL);
}

/* --- Sizes --- */

static gboolean
is_same_number (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

gboolean
scope_cells_are_alike (const cJSON *a, const cJSON *b)
{
  for (guint i = 0; scope_cell_sizes[i]; i++)
    if (!is_same_number (scope_json_get_number (a, scope_cell_sizes[i]),
                         scope_json_get_number (b, scope_cell_sizes[i])))
      return FALSE;
  return cJSON_IsTrue (get_member (a, "train")) == cJSON_IsTrue (get_member (b, "train")) &&
         g_str_equal (scope_json_get_text (a, "cell"), scope_json_get_text (b, "cell"));
}

static void
append_comma (GString *text)
{
  if (text->len > 0)
    g_string_append (text, ", ");
}

/* Appends the size with this index, unless the cell has none. */
static void
append_size (GString *text, const cJSON *cell, guint index)
{
  double size = scope_json_get_number (cell, scope_cell_sizes[index]);

  if (isnan (size))
    return;
  append_comma (text);
  if (index == 0)
    g_string_append_printf (text, _ ("batch %.0f"), size);
  else if (index == 1)
    g_string_append_printf (text, _ ("length %.0f"), size);
  else
    g_string_append_printf (text, _ ("%.0f units"), size);
}

/* Appends "LSTM", if the cell says which kind was measured. */
static void
append_kind (GString *text, const cJSON *cell)
{
  g_autofree char *kind = g_ascii_strup (scope_json_get_text (cell, "cell"), -1);

  if (*kind == '\0')
    return;
  append_comma (text);
  g_string_append (text, kind);
}

/* Appends "training" or "inference", if the cell says so. */
static void
append_work (GString *text, const cJSON *cell)
{
  const cJSON *train = get_member (cell, "train");

  if (!cJSON_IsBool (train))
    return;
  append_comma (text);
  g_string_append (text, cJSON_IsTrue (train) ? _ ("training") : _ ("inference"));
}

char *
scope_cell_dup_size (const cJSON *cell)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_kind (text, cell);
  for (guint i = 0; scope_cell_sizes[i]; i++)
    append_size (text, cell, i);
  append_work (text, cell);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
scope_cell_dup_varying_work (const cJSON *cell, const cJSON *result)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (differs (result, "cell"))
    append_kind (text, cell);
  if (differs (result, "train"))
    append_work (text, cell);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
scope_cell_dup_varying_size (const cJSON *cell, const cJSON *result)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (differs (result, "cell"))
    append_kind (text, cell);
  for (guint i = 0; scope_cell_sizes[i]; i++)
    if (differs (result, scope_cell_sizes[i]))
      append_size (text, cell, i);
  if (differs (result, "train"))
    append_work (text, cell);
  if (text->len == 0)
    return scope_cell_dup_size (cell);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
scope_cell_dup_other_sizes (const cJSON *cell, const cJSON *result, const char *key)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; scope_cell_sizes[i]; i++)
    if (!g_str_equal (scope_cell_sizes[i], key) && differs (result, scope_cell_sizes[i]))
      append_size (text, cell, i);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
scope_cell_has_size (const cJSON *cell)
{
  for (guint i = 0; scope_cell_sizes[i]; i++)
    if (!isnan (scope_json_get_number (cell, scope_cell_sizes[i])))
      return TRUE;
  return FALSE;
}

/* --- Finding --- */

GPtrArray *
scope_cells_list_rows (const cJSON *result)
{
  GPtrArray *rows = g_ptr_array_new ();
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    if (g_hash_table_add (names, scope_cell_dup_name (cell, result)))
      g_ptr_array_add (rows, (gpointer) cell);
  }
  return rows;
}

GPtrArray *
scope_cells_list_sizes (const cJSON *result)
{
  GPtrArray   *sizes = g_ptr_array_new ();
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    guint i = 0;

    while (i < sizes->len && !scope_cells_are_alike (sizes->pdata[i], cell))
      i++;
    if (i == sizes->len && i < MAX_SIZES)
      g_ptr_array_add (sizes, (gpointer) cell);
  }
  return sizes;
}

const cJSON *
scope_cells_find (const cJSON *result, const char *name, const cJSON *like)
{
  const cJSON *cell;

  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    g_autofree char *own = scope_cell_dup_name (cell, result);

    if (g_str_equal (own, name) && scope_cells_are_alike (cell, like))
      return cell;
  }
  return NULL;
}

void
scope_cells_find_extremes (const cJSON  *result,
                           const cJSON  *like,
                           const cJSON **slow,
                           const cJSON **fast)
{
  const cJSON *cell;

  *slow = *fast = NULL;
  cJSON_ArrayForEach (cell, get_member (result, "cells"))
  {
    double median = scope_json_get_number (cell, "median");

    if (!scope_cells_are_alike (cell, like) || isnan (median))
      continue;
    if (!*slow || median > scope_json_get_number (*slow, "median"))
      *slow = cell;
    if (!*fast || median < scope_json_get_number (*fast, "median"))
      *fast = cell;
  }
}

const cJSON *
scope_pair_find (const cJSON *result, const cJSON *a, const cJSON *b)
{
  g_autofree char *first = scope_cell_dup_name (a, result);
  g_autofree char *second = scope_cell_dup_name (b, result);
  const cJSON     *pair;

  cJSON_ArrayForEach (pair, get_member (result, "pairs"))
  {
    const char *x = scope_json_get_text (pair, "a"), *y = scope_json_get_text (pair, "b");

    if (((g_str_equal (x, first) && g_str_equal (y, second)) ||
         (g_str_equal (x, second) && g_str_equal (y, first))) &&
        (scope_cells_are_recordings (result) || scope_cells_are_alike (pair, a)))
      return pair;
  }
  return NULL;
}

const cJSON *
scope_pair_find_explanation (const cJSON *result, const cJSON *a, const cJSON *b)
{
  const cJSON *pair = scope_pair_find (result, a, b), *slow, *fast;
  const cJSON *own = get_member (pair, "explanation");
  const cJSON *first = cJSON_GetArrayItem (get_member (result, "cells"), 0);

  if (cJSON_IsObject (own))
    return own;
  /* Results of older versions explain the extremes of the first size alone. */
  scope_cells_find_extremes (result, first, &slow, &fast);
  if (slow && slow != fast && ((a == slow && b == fast) || (a == fast && b == slow)))
    return get_member (result, "explanation");
  return NULL;
}
