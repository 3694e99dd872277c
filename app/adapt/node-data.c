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
  gatomicrefcount n_refs;

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

/* Reads the members of an object.  A name that was read before keeps its number. */
static void
read_members (ScopeNodeData *self, const HybJson *json, HybJsonRef object)
{
  HybJsonIter iter = hyb_json_iter (json, object);
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
      if (g_hash_table_contains (self->numbers, name))
        continue;
      self->has_negative |= number < 0;
      g_hash_table_insert (self->numbers, g_strdup (name), g_memdup2 (&number, sizeof number));
    }
}

/* Reads the object "results" of an object.  FALSE: it has none; "results" with a number is a node of this
 * name. */
static gboolean
read_results (ScopeNodeData *self, const HybJson *json, HybJsonRef object)
{
  HybJsonRef results = hyb_json_find (json, object, "results");

  if (results == HYB_JSON_NONE || hyb_json_get_kind (json, results) != HYB_JSON_OBJECT)
    return FALSE;
  read_members (self, json, results);
  return TRUE;
}

/* Graphs of MXNet have an array of nodes. */
static gboolean
is_graph (const HybJson *json)
{
  HybJsonRef nodes = hyb_json_find (json, 0, "nodes");

  return nodes != HYB_JSON_NONE && hyb_json_get_kind (json, nodes) == HYB_JSON_ARRAY;
}

static void
read_numbers (ScopeNodeData *self, const HybJson *json)
{
  HybJsonIter iter = hyb_json_iter (json, 0);
  HybJsonRef  graph;
  gboolean    has_graphs = FALSE;

  if (read_results (self, json, 0))
    return;
  while (hyb_json_iter_next (&iter, NULL, &graph))
    has_graphs |= read_results (self, json, graph);
  if (!has_graphs)
    read_members (self, json, 0);
}

ScopeNodeData *
scope_node_data_read (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, where, NULL, error);
  g_autoptr (ScopeNodeData) self = NULL;

  if (!json)
    return NULL;
  if (is_graph (json))
    {
      g_set_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN,
                   _ ("%s: this is a graph and not a list of numbers by node name"), where);
      return NULL;
    }
  self = g_new0 (ScopeNodeData, 1);
  g_atomic_ref_count_init (&self->n_refs);
  self->title = g_path_get_basename (where);
  self->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  read_numbers (self, json);
  if (g_hash_table_size (self->numbers) > 0)
    return g_steal_pointer (&self);
  g_set_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED,
               _ ("%s: there is no number in it. Write {\"name of a node\": 1.5}"), where);
  return NULL;
}

ScopeNodeData *
scope_node_data_ref (ScopeNodeData *data)
{
  g_atomic_ref_count_inc (&data->n_refs);
  return data;
}

void
scope_node_data_unref (ScopeNodeData *data)
{
  if (!g_atomic_ref_count_dec (&data->n_refs))
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

const char *
scope_node_data_title (const ScopeNodeData *data)
{
  return data->title;
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

double
scope_node_data_get (const ScopeNodeData *data, const char *name)
{
  const double *number = find_number (data, name);

  return number ? *number : NAN;
}

char *
scope_node_data_format (double value)
{
  return g_strdup_printf ("%.4g", value);
}

/* Reports the data that the colours do not show. */
static char *
make_note (const ScopeHeatCount *count)
{
  if (count->n_found == count->n_executed)
    return g_strdup (_ ("Groups show sums"));
  return g_strdup_printf (_ ("%u of its %u names are in this model. Groups show sums"),
                          count->n_found, count->n_executed);
}

/* The number of the node at a place, or NULL. */
static const double *
find_at (const ScopeNodeData *data, const ScopePlace *place)
{
  return find_number (data, hyb_graph_get_node (place->graph, place->node)->name);
}

void
scope_node_data_count (const ScopeNodeData *data, const GArray *places, ScopeHeatCount *count)
{
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < places->len; i++)
    {
      const double *number = find_at (data, &g_array_index (places, ScopePlace, i));

      if (number)
        g_hash_table_add (found, (gpointer) number);
    }
  *count = (ScopeHeatCount){ g_hash_table_size (data->numbers), g_hash_table_size (found) };
}

VizOverlay *
scope_node_data_paint (const ScopeNodeData      *data,
                       const ScopeNodeDataPaint *paint,
                       ScopeHeatCount           *count)
{
  VizOverlay      *overlay = viz_overlay_new (paint->diagram, data->title,
                                         data->has_negative ? VIZ_SCALE_DIFFERENCE : paint->scale);
  g_autofree char *note = NULL;

  viz_overlay_set_format (overlay, scope_node_data_format);
  for (guint i = 0; i < paint->places->len; i++)
    {
      const ScopePlace *place = &g_array_index (paint->places, ScopePlace, i);
      const double     *number = find_at (data, place);
      g_autofree char  *text = number ? scope_node_data_format (*number) : NULL;

      if (number)
        viz_overlay_set (overlay, place->box, *number, text);
    }
  scope_node_data_count (data, paint->places, count);
  note = make_note (count);
  if (paint->names_file)
    {
      g_autofree char *plain = g_steal_pointer (&note);

      note = g_strdup_printf ("%s · %s", data->title, plain);
    }
  viz_overlay_set_note (overlay, note);
  viz_overlay_finish (overlay, paint->folds);
  return overlay;
}
