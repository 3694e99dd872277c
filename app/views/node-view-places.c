/* node-view-places.c — where the time of a run goes, in names of the model, each a click away.
 *
 * Passes fuse and move nodes, so rows that ran have names that the model lacks: costs of a row are
 * divided among the nodes that it computes, and the same node of all steps is one place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "profiler/base/format.h"
#include "viz/diagram/common-prefix.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_PLACES 5

typedef struct
{
  const char *name; /* "*" replaces the number of a step */
  const char *type; /* the operator in the model */
  const char *ran;  /* the operator that took most of the time */
  double      seconds, longest;
  guint32     box; /* of the first node */
  guint       n;   /* shares of rows */
} Place;

static const char *
text_of (const ProfCapture *capture, ProfText text)
{
  return prof_capture_get_string (capture, text);
}

typedef struct
{
  GHashTable       *places; /* of Place by name */
  ScopeMeasurement *measurement;
} Places;

/* Adds a share of a row's time to the node of the model in the row `of`. */
static void
add_share (const ProfOrigin *origin, double seconds, gpointer data)
{
  const Places      *self = data;
  const ProfCapture *capture = scope_measurement_get_capture (self->measurement);
  const ProfNode    *node = prof_capture_get_node (capture, origin->of);
  const char        *folded = text_of (capture, node->folded);
  const char        *name = *folded != '\0' ? folded : text_of (capture, node->name);
  Place             *place = g_hash_table_lookup (self->places, name);

  if (!place)
    {
      place = g_new0 (Place, 1);
      place->name = name;
      place->type = text_of (capture, node->type);
      place->box = scope_measurement_get_box (self->measurement, origin->of);
      g_hash_table_insert (self->places, (gpointer) name, place);
    }
  place->seconds += seconds;
  place->n++;
  if (seconds > place->longest)
    {
      place->longest = seconds;
      place->ran = text_of (capture, prof_capture_get_node (capture, origin->row)->type);
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *one = *(const Place *const *) a, *other = *(const Place *const *) b;

  return one->seconds > other->seconds   ? -1
         : one->seconds < other->seconds ? 1
                                         : strcmp (one->name, other->name);
}

/* "FullyConnected · computed by _panel_product" */
static char *
describe (const Place *place)
{
  return place->ran && !g_str_equal (place->ran, place->type)
             ? g_strdup_printf (_ ("%s · computed by %s"), place->type, place->ran)
             : g_strdup (place->type);
}

/* The words with which all names begin.  (transfer full) */
static char *
find_prefix (const GPtrArray *places)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < places->len; i++)
    g_ptr_array_add (names, (gpointer) ((const Place *) places->pdata[i])->name);
  return viz_common_prefix ((const char *const *) names->pdata, names->len);
}

/* Not all names begin with it. */
static const char *
skip_prefix (const char *name, const char *prefix)
{
  return g_str_has_prefix (name, prefix) && name[strlen (prefix)] != '\0' ? name + strlen (prefix)
                                                                          : name;
}

/* For the tooltip. */
static char *
describe_whole (const Place *place, const char *operator)
{
  return g_strdup_printf ("%s\n%s", place->name, operator);
}

void
scope_node_view_show_places (ScopeNodeView *self, ScopeMeasurement *measurement)
{
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autofree char *prefix = NULL;
  GHashTableIter   iter;
  gpointer         place;

  scope_measurement_share_out (measurement, add_share, &(Places){ places, measurement });
  g_hash_table_iter_init (&iter, places);
  while (g_hash_table_iter_next (&iter, NULL, &place))
    g_ptr_array_add (list, place);
  g_ptr_array_sort (list, compare_places);
  if (list->len == 0 || !(summary->traced > 0))
    return;
  prefix = find_prefix (list);
  scope_sheet_add_heading (self->sheet, _ ("Most Expensive"));
  for (guint i = 0; i < MIN (list->len, MAX_PLACES); i++)
    {
      const Place     *each = list->pdata[i];
      g_autofree char *time = prof_format_seconds (each->seconds);
      g_autofree char *share =
          g_strdup_printf (_ ("%.1f %% · %s"), 100 * each->seconds / summary->traced, time);
      g_autofree char *operator= describe (each);
      g_autofree char *whole = describe_whole (each, operator);

      scope_sheet_add_strong_row (self->sheet, skip_prefix (each->name, prefix), share, whole,
                                  each->box);
      scope_sheet_add_text (self->sheet, operator, "sheet-detail");
    }
}
