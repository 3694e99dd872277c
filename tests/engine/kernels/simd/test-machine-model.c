/* test-machine-model.c — measured facts decide how weights are read, and reported ones where none were measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/machine-model.h"

#include "engine/kernels/simd/processor.h"
#include "tests/program.h"

#include <string.h>

static void
assert_reported_sizes (void)
{
  const HybProcessor *processor = hyb_processor ();
  gsize second = (gsize) processor->second_cache, last = (gsize) processor->last_cache;

  g_assert_true (hyb_machine_is_near (second));
  g_assert_false (hyb_machine_is_near (second + 1));
  g_assert_false (hyb_machine_is_far (2 * second));
  g_assert_true (hyb_machine_is_far (2 * second + 1));
  g_assert_false (hyb_machine_is_in_memory (last / 2));
  g_assert_true (hyb_machine_is_in_memory (last / 2 + 1));
}

static void
test_reported (void)
{
  const HybProcessor *processor = hyb_processor ();
  gsize second = (gsize) processor->second_cache, last = (gsize) processor->last_cache;

  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 0);
  assert_reported_sizes ();
  g_assert_cmpint (hyb_machine_prefetch_bytes (second, 1), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (last + 1, 1), ==, 16384);
  if (last / 2 > second)
    g_assert_cmpint (hyb_machine_prefetch_bytes (second + 1, 1), ==,
                     processor->prefetches_well ? 0 : 8192);
  g_assert_true (hyb_machine_shares_loads (second));
  g_assert_true (hyb_machine_shares_loads (second + 1) == processor->halves_vectors);
}

/* A cache that is measured a little smaller or larger is the reported one. */
static void
test_confirmed (void)
{
  const HybProcessor *processor = hyb_processor ();
  double second = (double) processor->second_cache, last = (double) processor->last_cache;

  hyb_machine_use (&(HybMachine){ .second_cache = second * 0.7, .last_cache = last * 1.5 });
  assert_reported_sizes ();
  hyb_machine_use (&(HybMachine){ .second_cache = second * 1.5, .last_cache = last * 0.7 });
  assert_reported_sizes ();
  /* The last-level cache is shared with others, which were busy. */
  hyb_machine_use (&(HybMachine){ .last_cache = last / 4 });
  assert_reported_sizes ();
  hyb_machine_use (&(HybMachine){ .last_cache = last / 5 });
  g_assert_true (hyb_machine_is_in_memory ((gsize) MAX (last / 10 + 1, second / 2 + 1)));
  hyb_machine_use (NULL);
}

static void
test_measured (void)
{
  hyb_machine_use (&(HybMachine){ .second_cache = 3000,
                                  .last_cache = 20000,
                                  .last = { { 100, 110 }, { 100, 110 }, { 100, 110 } },
                                  .memory = { { 100, 104 }, { 100, 104 }, { 100, 104 } },
                                  .loads = 2 });
  g_assert_true (hyb_machine_is_near (3000));
  g_assert_false (hyb_machine_is_near (3001));
  g_assert_false (hyb_machine_is_far (6000));
  g_assert_true (hyb_machine_is_far (6001));
  g_assert_false (hyb_machine_is_in_memory (10000));
  g_assert_true (hyb_machine_is_in_memory (10001));
  g_assert_cmpint (hyb_machine_prefetch_bytes (3000, 4), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (3001, 4), ==, 8192);
  /* Four in a hundred are noise. */
  g_assert_cmpint (hyb_machine_prefetch_bytes (10001, 4), ==, 0);
  g_assert_true (hyb_machine_shares_loads (3000));
  g_assert_false (hyb_machine_shares_loads (3001));
  g_assert_false (hyb_machine_halves_vectors ());

  hyb_machine_use (&(HybMachine){ .second_cache = 3000,
                                  .last_cache = 20000,
                                  .last = { { 100, 90 }, { 100, 90 }, { 100, 90 } },
                                  .memory = { { 100, 150 }, { 100, 150 }, { 100, 150 } },
                                  .loads = 1 });
  g_assert_cmpint (hyb_machine_prefetch_bytes (3001, 4), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (10001, 4), ==, 16384);
  g_assert_true (hyb_machine_shares_loads (3001));
  g_assert_true (hyb_machine_halves_vectors ());

  hyb_machine_use (NULL);
  assert_reported_sizes ();
}

/* Instructions that prefetch leave less room in products of few rows. */
static void
test_rows (void)
{
  hyb_machine_use (&(HybMachine){ .second_cache = 3000,
                                  .last_cache = 20000,
                                  .last = { { 2, 1 }, { 1, 2 }, { 2, 1 } },
                                  .memory = { { 1, 2 }, { 2, 1 }, { 1, 2 } } });
  g_assert_cmpint (hyb_machine_prefetch_bytes (9999, 1), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (9999, 2), ==, 8192);
  g_assert_cmpint (hyb_machine_prefetch_bytes (9999, 4), ==, 8192);
  g_assert_cmpint (hyb_machine_prefetch_bytes (9999, 5), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (10001, 1), ==, 16384);
  g_assert_cmpint (hyb_machine_prefetch_bytes (10001, 4), ==, 0);
  g_assert_cmpint (hyb_machine_prefetch_bytes (10001, 5), ==, 16384);
  hyb_machine_use (NULL);
}

/* A last-level cache that is no larger than the second-level one leaves no room between. */
static void
test_one_cache (void)
{
  hyb_machine_use (&(HybMachine){ .second_cache = 1e9, .last_cache = 1e3 });
  g_assert_true (hyb_machine_is_near (1000000000));
  g_assert_true (hyb_machine_is_in_memory (500000001));
  hyb_machine_use (NULL);
}

static void
test_described (void)
{
  g_autofree char *reported = hyb_machine_describe (), *measured = NULL;

  hyb_machine_use (&(HybMachine){ .second_cache = 4096, .loads = 1 });
  measured = hyb_machine_describe ();
  hyb_machine_use (NULL);
  g_assert_cmpstr (reported, !=, measured);
  g_assert_nonnull (strstr (measured, "near up to 4 KiB"));
  g_assert_nonnull (strstr (measured, "in halves"));
}

/* Rows that are whole pages apart share sets of the first-level cache and must leave ways for others. */
static void
test_together (void)
{
  gint64 n_ways = hyb_processor ()->first_cache / 4096;

  g_assert_cmpint (hyb_machine_rows_together (4096), ==, MAX (n_ways - 2, 1));
  g_assert_cmpint (hyb_machine_rows_together (3 * 4096), ==, MAX (n_ways - 2, 1));
  g_assert_cmpint (hyb_machine_rows_together (2048), ==, G_MAXINT64);
  g_assert_cmpint (hyb_machine_rows_together (4096 + 64), ==, G_MAXINT64);
}

TEST_PROGRAM (test_machine_model)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/machine-model/reported-sizes-serve-without-measured-ones",
                   test_reported);
  g_test_add_func ("/engine/kernels/machine-model/a-measured-size-nearby-confirms-the-reported-one",
                   test_confirmed);
  g_test_add_func ("/engine/kernels/machine-model/measured-facts-decide", test_measured);
  g_test_add_func ("/engine/kernels/machine-model/few-rows-and-more-are-decided-apart", test_rows);
  g_test_add_func ("/engine/kernels/machine-model/a-last-cache-is-no-smaller-than-the-second",
                   test_one_cache);
  g_test_add_func ("/engine/kernels/machine-model/rows-of-whole-pages-are-few", test_together);
  g_test_add_func ("/engine/kernels/machine-model/the-choices-are-described", test_described);
  return g_test_run ();
}
