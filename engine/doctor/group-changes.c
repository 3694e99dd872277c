/* group-changes.c — see group-changes.h.
 *
 * The sentence without its name is the key of a group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/group-changes.h"

#include "engine/base/translate.h"
#include "engine/doctor/change.h"

typedef struct
{
  const HybChange *first;
  guint            n;
} Group;

/* (transfer full) */
static char *
key_of (const HybChange *change)
{
  if (!change->name)
    return g_strdup (change->text);
  return g_strdup_printf ("%.*s" HYB_CHANGE_NAME "%s", (int) change->name_at, change->text,
                          change->text + change->name_end);
}

static char *
describe_group (const Group *group)
{
  const HybChange *first = group->first;
  g_autofree char *names = NULL;

  if (group->n == 1 || !first->name)
    return g_strdup (first->text);
  names = g_strdup_printf (_ ("“%s” and %u more"), first->name, group->n - 1);
  return g_strdup_printf ("%.*s%s%s", (int) first->name_at, first->text, names,
                          first->text + first->name_end);
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
      char *key = key_of (group.first);
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
