/* group-changes.c — see group-changes.h.
 *
 * The text without its first quoted name is the key of a group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/group-changes.h"

#include "engine/base/translate.h"
#include <string.h>

/* Quotation marks of German, whose closing one is the opening one of English, and of English. */
static const struct
{
  const char *opening, *closing;
} marks[] = { { "„", "“" }, { "“", "”" } };

typedef struct
{
  const char *first; /* its first sentence */
  gsize       end;   /* of the quoted name; 0: nothing is quoted */
  guint       n;
} Group;

/* The key of a sentence; *end is set as in Group.  (transfer full) */
static char *
key_of (const char *change, gsize *end)
{
  *end = 0;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      const char *opening = strstr (change, marks[i].opening);
      const char *closing = opening ? strstr (opening, marks[i].closing) : NULL;

      if (!closing)
        continue;
      *end = (gsize) (closing - change) + strlen (marks[i].closing);
      return g_strdup_printf ("%.*s\n%s", (int) (opening - change), change, change + *end);
    }
  return g_strdup (change);
}

static char *
describe_group (const Group *group)
{
  if (group->n == 1 || group->end == 0)
    return g_strdup (group->first);
  return g_strdup_printf (_ ("%.*s and %u more%s"), (int) group->end, group->first, group->n - 1,
                          group->first + group->end);
}

GPtrArray *
hyb_group_changes (const GPtrArray *changes)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < changes->len; i++)
    {
      Group group = { .first = changes->pdata[i], .n = 1 };
      char *key = key_of (group.first, &group.end);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));

      if (place > 0)
        {
          g_array_index (groups, Group, place - 1).n++;
          g_free (key);
          continue;
        }
      g_array_append_val (groups, group);
      g_hash_table_insert (places, key, GUINT_TO_POINTER (groups->len));
    }
  for (guint i = 0; i < groups->len; i++)
    g_ptr_array_add (lines, describe_group (&g_array_index (groups, Group, i)));
  return lines;
}
