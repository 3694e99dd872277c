/* test-parts.c — every part is computed once, and no two threads share an area.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/convolution/parts.h"

#include "engine/base/parallel.h"
#include "tests/program.h"

#define MAX_PARTS 64

typedef struct
{
  guint    n_calls[MAX_PARTS];
  gint64   area[MAX_PARTS];
  GThread *thread[MAX_PARTS];
  gboolean is_inside[MAX_PARTS];
} Log;

static void
note_part (gint64 part, gint64 area, gconstpointer data)
{
  Log *log = (Log *) data;

  log->n_calls[part]++;
  log->area[part] = area;
  log->thread[part] = g_thread_self ();
  log->is_inside[part] = hyb_parallel_is_inside ();
}

/* Parts that a loop shares out have other areas than those of other threads. */
static void
check_parts (gint64 n, guint n_threads, double work)
{
  HybParts parts = { .n = n, .work = work, .area = 100 };
  Log      log = { 0 };

  hyb_parallel_set_threads (n_threads);
  hyb_parts_for_each (&parts, note_part, &log);
  hyb_parallel_set_threads (0);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpuint (log.n_calls[i], ==, 1);
      g_assert_cmpint (log.area[i], <, hyb_parts_n_areas (&parts));
      for (gint64 j = 0; j < i; j++)
        if (log.is_inside[i] && log.is_inside[j] && log.thread[i] != log.thread[j])
          g_assert_cmpint (log.area[i], !=, log.area[j]);
    }
}

static void
test_every_part_is_computed_once (void)
{
  for (gint64 n = 0; n <= MAX_PARTS; n += n < 20 ? 1 : 11)
    for (guint n_threads = 1; n_threads <= 5; n_threads++)
      {
        check_parts (n, n_threads, 1e9);
        check_parts (n, n_threads, 1e5);
        check_parts (n, n_threads, 0);
      }
}

/* Four of five parts are shared out by two threads; the last one may be split by both. */
static void
test_what_is_left_can_be_split (void)
{
  HybParts parts = { .n = 5, .work = 1e9, .area = 100 };
  Log      log = { 0 };

  hyb_parallel_set_threads (2);
  hyb_parts_for_each (&parts, note_part, &log);
  hyb_parallel_set_threads (0);
  for (guint i = 0; i < 5; i++)
    g_assert_true (log.is_inside[i] == (i < 4));
}

static void
test_areas_have_a_limit (void)
{
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 0, .area = 100 }), ==, 1);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 1, .area = 100 }), ==, 1);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 16, .area = 100 }), ==, 16);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 17, .area = 100 }), ==, 16);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 16, .area = 0 }), ==, 16);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 16, .area = 4 << 20 }), ==, 2);
  g_assert_cmpint (hyb_parts_n_areas (&(HybParts){ .n = 16, .area = (4 << 20) + 1 }), ==, 1);
}

TEST_PROGRAM (test_parts)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/parts/every-part-is-computed-once",
                   test_every_part_is_computed_once);
  g_test_add_func ("/engine/kernels/parts/what-is-left-can-be-split",
                   test_what_is_left_can_be_split);
  g_test_add_func ("/engine/kernels/parts/areas-have-a-limit", test_areas_have_a_limit);

  return g_test_run ();
}
