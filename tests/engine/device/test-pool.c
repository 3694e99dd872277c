/* test-pool.c — memory of a device that is used again by size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/pool.h"

#include "tests/engine/device/fake-backend.h"
#include "tests/program.h"

#define MIB ((gsize) 1 << 20)

static HybDevicePool *
new_pool (gsize limit)
{
  fake_limit = limit;
  fake_calls = 0;
  return hyb_device_pool_new (&fake_backend, NULL, FALSE);
}

static void
test_a_block_is_used_again (void)
{
  HybDevicePool *pool = new_pool (64 * MIB);
  gpointer       first = hyb_device_pool_take (pool, 5000, NULL), second, third;

  hyb_device_pool_give (pool, first);
  second = hyb_device_pool_take (pool, 5001, NULL);
  g_assert_true (second == first);
  g_assert_cmpuint (fake_calls, ==, 1);
  third = hyb_device_pool_take (pool, 5000, NULL);
  g_assert_true (third != first);
  g_assert_cmpuint (fake_calls, ==, 2);
  hyb_device_pool_give (pool, second);
  hyb_device_pool_give (pool, third);
  hyb_device_pool_free (pool);
  g_assert_cmpuint (fake_taken, ==, 0);
}

static void
test_unused_blocks_make_room (void)
{
  HybDevicePool *pool = new_pool (8 * MIB);
  g_autoptr (GError) error = NULL;
  gpointer large;

  hyb_device_pool_give (pool, hyb_device_pool_take (pool, 5 * MIB, NULL));
  g_assert_cmpuint (fake_taken, ==, 5 * MIB);
  large = hyb_device_pool_take (pool, 6 * MIB, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (fake_taken, ==, 6 * MIB);
  g_assert_cmpuint (hyb_device_pool_get_used (pool), ==, 6 * MIB);
  g_assert_null (hyb_device_pool_take (pool, 3 * MIB, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  hyb_device_pool_give (pool, large);
  g_assert_cmpuint (hyb_device_pool_get_used (pool), ==, 0);
  hyb_device_pool_free (pool);
  g_assert_cmpuint (fake_taken, ==, 0);
}

TEST_PROGRAM (test_pool)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/device/pool/a-block-is-used-again", test_a_block_is_used_again);
  g_test_add_func ("/engine/device/pool/unused-blocks-make-room", test_unused_blocks_make_room);
  return g_test_run ();
}
