/* cores.c — how many cores this process may compute on; see cores.h.
 *
 * Each processor's folder names all processors of its core, in the same words for each of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/cores.h"

#include <sched.h>

guint
hyb_cores_count_in (const char *folder, const guint *processors, guint n)
{
  g_autoptr (GHashTable) cores = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("%s/cpu%u/topology/thread_siblings_list", folder, processors[i]);
      char *siblings;

      if (!g_file_get_contents (path, &siblings, NULL, NULL))
        return n;
      g_hash_table_add (cores, siblings);
    }
  return g_hash_table_size (cores);
}

guint
hyb_cores_count (void)
{
  guint     processors[CPU_SETSIZE], n = 0;
  cpu_set_t allowed;

  if (sched_getaffinity (0, sizeof allowed, &allowed) != 0)
    return g_get_num_processors ();
  for (guint i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET (i, &allowed))
      processors[n++] = i;
  return hyb_cores_count_in ("/sys/devices/system/cpu", processors, n);
}
