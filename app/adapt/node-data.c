/* node-data.c — reads numbers by node name, and paints them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/node-data.h"

#include "engine/base/error.h"
#include "engine/formats/json-reader.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _ScopeNodeData
{
  char       *title;
  GHashTable *numbers; /* name → double */
  guint       n_skipped;
  gboolean    has_negative;
};

gboolean
scope_node_data_is (const char *contents, gsize length)
{
  gsize at = 0;

  while (at < length && g_ascii_isspace (contents[at]))
    at++;
  return at < length && contents[at] == '{';
}

/* The object whose members are nodes. */
static HybJsonRef
find_results (const HybJson *json)
{
  HybJsonRef  results = hyb_json_find (json, 0, "results");
  HybJsonIter iter = hyb_json_iter (json, 0);
  HybJsonRef  member;

  /* "results" with a number is a node with this name. */
  if (results != HYB_JSON_NONE && hyb_json_get_kind (json, results) == HYB_JSON_OBJECT)
    return results;
  while (hyb_json_iter_next (&iter, NULL, &member))
    {
      results = hyb_json_find (json, member, "results");
      if (results != HYB_JSON_NONE && hyb_json_get_kind (json, results) == HYB_JSON_OBJECT)
        return results;
    }
  return 0;
}

static void
read_numbers (ScopeNodeData *self, const HybJson *json)
{
  HybJsonIter iter = hyb_json_iter (json, find_results (json));
  const char *name;
  HybJsonRef  member;

  while (hyb_json_iter_next (&iter, &name, &member))
    {
      HybJsonRef inner = hyb_json_find (json, member, "value");
      double     number;

      if (!name || !hyb_json_get_double (json, inner == HYB_JSON_NONE ? member : inner, &number) ||
          !isfinite (number))
        {
          self->n_skipped++;
          continue;
        }
      self->has_negative |= number < 0;
      g_hash_table_insert (self->numbers, g_strdup (name), g_memdup2 (&number, sizeof number));
    }
}

ScopeNodeData *
scope_node_data_read (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, where, NULL, error);
  g_autoptr (ScopeNodeData) self = NULL;

  if (!json)
    return NULL;
  self = g_new0 (ScopeNodeData, 1);
  self->title = g_path_get_basename (where);
  self->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  read_numbers (self, json);
  if (g_hash_table_size (self->numbers) > 0)
    return g_steal_pointer (&self);
  g_set_error (error,
               HYB_FORMAT_ERROR,
               HYB_FORMAT_ERROR_MALFORMED,
               _ ("%s: there is no number in it. Write {\"name of a node\": 1.5}"),
               where);
  return NULL;
}

void
scope_node_data_free (ScopeNodeData *data)
{
  if (!data)
    return;
  g_free (data->title);
  g_hash_table_unref (data->numbers);
  g_free (data);
}

guint
scope_node_data_n_skipped (const ScopeNodeData *data)
{
  return data->n_skipped;
}

static const double *
find_number (const ScopeNodeData *data, const char *name)
{
  const double    *number = g_hash_table_lookup (data->numbers, name);
  g_autofree char *output = NULL;

  if (number)
    return number;
  output = g_strconcat (name, "_output", NULL);
  return g_hash_table_lookup (data->numbers, output);
}

static char *
format_number (double value)
{
  return g_strdup_printf ("%.4g", value);
}

VizOverlay *
scope_node_data_paint (const ScopeNodeData *data,
                       VizDiagram          *diagram,
                       const GArray        *places,
                       const VizFolds      *folds,
                       ScopeHeatCount      *count)
{
  VizOverlay *overlay =
      viz_overlay_new (diagram,
                       data->title,
                       data->has_negative ? VIZ_SCALE_DIFFERENCE : VIZ_SCALE_LINEAR);
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);

  viz_overlay_set_format (overlay, format_number);
  for (guint i = 0; i < places->len; i++)
    {
      const ScopePlace *place = &g_array_index (places, ScopePlace, i);
      const double     *number =
          find_number (data, hyb_graph_get_node (place->graph, place->node)->name);
      g_autofree char *text = number ? format_number (*number) : NULL;

      if (!number)
        continue;
      viz_overlay_set (overlay, place->box, *number, text);
      g_hash_table_add (found, (gpointer) number);
    }
  *count = (ScopeHeatCount){ g_hash_table_size (data->numbers), g_hash_table_size (found) };
  viz_overlay_set_note (overlay, _ ("Groups show sums"));
  viz_overlay_finish (overlay, folds);
  return overlay;
}
