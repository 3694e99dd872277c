/* compare-beside.c — see compare-beside.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-beside.h"

#include "app/adapt/said-comparison.h"
#include "app/process/json-fields.h"
#include "profiler/exchange/beside.h"

#include <glib/gi18n.h>
#include <math.h>

/* --- Damage --- */

/* The name of the first time of an object that is missing or cannot be one; NULL: both are there. */
static const char *
find_bad_time (const cJSON *object)
{
  static const char *const times[] = { "ours_seconds", "theirs_seconds" };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      double seconds = scope_json_get_number (object, times[i]);

      if (!isfinite (seconds) || seconds < 0)
        return times[i];
    }
  return NULL;
}

/* The name of the first member of a row that the program would not have written; NULL: the row is whole. */
static const char *
find_damage (const cJSON *row)
{
  const cJSON *node, *nodes = cJSON_GetObjectItemCaseSensitive (row, "nodes");

  if (!cJSON_IsArray (nodes))
    return "nodes";
  cJSON_ArrayForEach (node, nodes)
  {
    if (!cJSON_IsString (node))
      return "nodes";
  }
  return find_bad_time (row);
}

/* Says how many rows are damaged and where the first one is.  Nothing is said about whole ones. */
static void
add_damage (ScopeSaid *said, const cJSON *with)
{
  const cJSON *row, *groups = cJSON_GetObjectItemCaseSensitive (with, "groups");
  const char  *member = NULL;
  guint        place = 0, i = 0, n = 0;

  cJSON_ArrayForEach (row, groups)
  {
    const char *damage = find_damage (row);

    if (damage && n++ == 0)
      {
        place = i;
        member = damage;
      }
    i++;
  }
  if (n > 0)
    scope_said_sentence (said, SCOPE_SAID_WARNING,
                         g_strdup_printf (ngettext ("%u row is damaged and not shown: "
                                                    "with.groups[%u].%s is missing or not valid. "
                                                    "Compare again.",
                                                    "%u rows are damaged and not shown; the "
                                                    "first: with.groups[%u].%s is missing or not "
                                                    "valid. Compare again.",
                                                    n),
                                          n, place, member));
  member = cJSON_IsArray (groups) ? find_bad_time (with) : "groups";
  if (member)
    scope_said_sentence (said, SCOPE_SAID_WARNING,
                         g_strdup_printf (_ ("The comparison is damaged: with.%s is missing or not "
                                             "valid. Compare again."),
                                          member));
}

/* --- Table --- */

static void
clear_row (gpointer data)
{
  g_ptr_array_unref (((ProfBesideRow *) data)->nodes);
}

/* The rows that are whole, whose texts belong to the JSON.  GArray of ProfBesideRow.  (transfer full) */
static GArray *
read_rows (const cJSON *groups)
{
  GArray      *rows = g_array_new (FALSE, FALSE, sizeof (ProfBesideRow));
  const cJSON *item, *node;

  g_array_set_clear_func (rows, clear_row);
  cJSON_ArrayForEach (item, groups)
  {
    ProfBesideRow row = { NULL, (char *) scope_json_get_text (item, "ours"),
                          (char *) scope_json_get_text (item, "theirs"),
                          scope_json_get_number (item, "ours_seconds"),
                          scope_json_get_number (item, "theirs_seconds") };

    if (find_damage (item))
      continue;
    row.nodes = g_ptr_array_new ();
    cJSON_ArrayForEach (node, cJSON_GetObjectItemCaseSensitive (item, "nodes"))
    {
      g_ptr_array_add (row.nodes, node->valuestring);
    }
    g_array_append_val (rows, row);
  }
  return rows;
}

ScopeSaid *
scope_compare_beside_say (const cJSON *with)
{
  ScopeSaid *said = scope_said_new ();
  g_autoptr (GArray) rows = read_rows (cJSON_GetObjectItemCaseSensitive (with, "groups"));
  double n = scope_json_get_number (with, "iterations");

  scope_said_beside (said, &(ScopeBeside){ scope_json_get_text (with, "file"),
                                           n >= 0 && n < G_MAXUINT ? (guint) n : 0,
                                           scope_json_get_number (with, "ours_seconds"),
                                           scope_json_get_number (with, "theirs_seconds"),
                                           scope_json_get_number (with, "ours_unplaced_seconds"),
                                           scope_json_get_number (with, "theirs_unplaced_seconds"),
                                           rows });
  add_damage (said, with);
  return said;
}
