/* compare-beside.c — see compare-beside.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-beside.h"

#include "app/compare/compare-said.h"
#include "app/process/json-fields.h"
#include "profiler/base/format.h"

#include <glib/gi18n.h>
#include <math.h>

#define MAX_NAMES 6 /* of nodes in a row */

static char *
format_time (double seconds)
{
  return seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–");
}

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

/* "conv3 + bn3 + relu3", and below it what computes them.  (transfer full) */
static char *
dup_nodes (const cJSON *row)
{
  GString     *text = g_string_new (NULL);
  const cJSON *node, *nodes = cJSON_GetObjectItemCaseSensitive (row, "nodes");
  const char  *theirs = scope_json_get_text (row, "theirs");
  guint        n = 0;

  cJSON_ArrayForEach (node, nodes)
  {
    if (cJSON_IsString (node) && n++ < MAX_NAMES)
      g_string_append_printf (text, "%s%s", n > 1 ? " + " : "", node->valuestring);
  }
  if (n > MAX_NAMES)
    {
      g_string_append_c (text, ' ');
      g_string_append_printf (text, _ ("and %u more"), n - MAX_NAMES);
    }
  if (*theirs != '\0' && !g_str_equal (theirs, text->str))
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("there: %s"), theirs);
    }
  return g_string_free (text, FALSE);
}

static void
add_row (ScopeTable *table, const cJSON *row)
{
  double ours = scope_json_get_number (row, "ours_seconds");
  double theirs = scope_json_get_number (row, "theirs_seconds");

  scope_table_add (table, dup_nodes (row), FALSE);
  scope_table_add (table, format_time (ours), FALSE);
  scope_table_add (table, format_time (theirs), FALSE);
  scope_table_add (table,
                   ours > 0 && theirs > 0 ? g_strdup_printf ("%.2f", ours / theirs)
                                          : g_strdup ("–"),
                   FALSE);
}

static void
add_rest (ScopeSaid *said, const char *what, double seconds)
{
  g_autofree char *time = prof_format_seconds (seconds);

  if (seconds > 0)
    scope_said_sentence (said, SCOPE_SAID_FAINT, g_strconcat (what, " ", time, NULL));
}

static void
add_heading (ScopeSaid *said, const cJSON *with)
{
  g_autofree char *file = g_path_get_basename (scope_json_get_text (with, "file"));
  g_autofree char *ours = prof_format_seconds (scope_json_get_number (with, "ours_seconds"));
  g_autofree char *theirs = prof_format_seconds (scope_json_get_number (with, "theirs_seconds"));
  g_autofree char *heading = g_strdup_printf (_ ("Beside %s"), file);

  scope_said_heading (said, heading, NULL);
  if (find_bad_time (with))
    return;
  scope_said_sentence (said, SCOPE_SAID_PLAIN,
                       g_strdup_printf (_ ("A traced run takes %s here and %s there."), ours,
                                        theirs));
}

ScopeSaid *
scope_compare_beside_say (const cJSON *with)
{
  const ScopeTableColumn columns[] = {
    { .title = _ ("Nodes computed together") },
    { .title = _ ("Here"), .is_number = TRUE },
    { .title = _ ("There"), .is_number = TRUE },
    { .title = _ ("Ratio"), .is_number = TRUE },
  };
  ScopeSaid   *said = scope_said_new ();
  const cJSON *row;
  ScopeTable  *table;

  add_heading (said, with);
  add_damage (said, with);
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive (with, "groups"))
  {
    if (!find_damage (row))
      add_row (table, row);
  }
  add_rest (said, _ ("Ours that stand for no node of the model:"),
            scope_json_get_number (with, "ours_unplaced_seconds"));
  add_rest (said, _ ("Theirs that belong to no node of the model:"),
            scope_json_get_number (with, "theirs_unplaced_seconds"));
  return said;
}

void
scope_compare_beside_append (GtkBox *box, const cJSON *with)
{
  g_autoptr (ScopeSaid) said = scope_compare_beside_say (with);

  scope_compare_said_append (box, said);
}
