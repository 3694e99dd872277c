/* test-cores.c — processors that share a core count once, as the system describes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/cores.h"
#include "engine/base/parallel.h"
#include "tests/program.h"

#include <glib/gstdio.h>

static const guint all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* Writes or, without a text, removes what a processor of the folder says of its core. */
static void
describe (const char *folder, guint processor, const char *siblings)
{
  g_autofree char *cpu = g_strdup_printf ("%s/cpu%u", folder, processor);
  g_autofree char *topology = g_build_filename (cpu, "topology", NULL);
  g_autofree char *path = g_build_filename (topology, "thread_siblings_list", NULL);

  if (siblings)
    {
      g_assert_cmpint (g_mkdir_with_parents (topology, 0700), ==, 0);
      g_assert_true (g_file_set_contents (path, siblings, -1, NULL));
      return;
    }
  g_remove (path);
  g_remove (topology);
  g_remove (cpu);
}

/* Four cores whose processors are neighbours, as on AMD, or lie half the processors apart, as on Intel. */
static void
test_pairs (gconstpointer apart)
{
  g_autofree char *folder = g_dir_make_tmp ("cores-XXXXXX", NULL);
  guint            distance = GPOINTER_TO_UINT (apart);
  const guint      one_each[] = { 0, distance == 1 ? 2 : 1 }, one_pair[] = { 0, distance };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      guint            first = distance == 1 ? i & ~1u : i % distance;
      g_autofree char *siblings = g_strdup_printf ("%u,%u\n", first, first + distance);

      describe (folder, i, siblings);
    }
  g_assert_cmpuint (hyb_cores_count_in (folder, all, 8), ==, 4);
  g_assert_cmpuint (hyb_cores_count_in (folder, one_each, 2), ==, 2);
  g_assert_cmpuint (hyb_cores_count_in (folder, one_pair, 2), ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    describe (folder, i, NULL);
  g_rmdir (folder);
}

/* Each processor counts where one of them has no description. */
static void
test_unknown (void)
{
  g_autofree char *folder = g_dir_make_tmp ("cores-XXXXXX", NULL);

  describe (folder, 0, "0-1\n");
  g_assert_cmpuint (hyb_cores_count_in (folder, all, 2), ==, 2);
  g_assert_cmpuint (hyb_cores_count_in ("/nowhere", all, 8), ==, 8);
  describe (folder, 0, NULL);
  g_rmdir (folder);
}

/* The threads that are used unless a number of them is set. */
static void
test_default (void)
{
  hyb_parallel_set_threads (0);
  g_assert_cmpuint (hyb_cores_count (), >=, 1);
  g_assert_cmpuint (hyb_cores_count (), <=, g_get_num_processors ());
  g_assert_cmpuint (hyb_parallel_get_threads (), <=, hyb_cores_count ());
}

TEST_PROGRAM (test_cores)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/base/cores/neighbours-share-a-core", GUINT_TO_POINTER (1),
                        test_pairs);
  g_test_add_data_func ("/engine/base/cores/halves-share-cores", GUINT_TO_POINTER (4), test_pairs);
  g_test_add_func ("/engine/base/cores/what-the-system-does-not-say", test_unknown);
  g_test_add_func ("/engine/base/cores/one-thread-for-each-core", test_default);

  return g_test_run ();
}
