/* test-gather-nd.c — tests of gather_nd, scatter_nd and the conversion of indices: samples and refusals
 * for op-check.h, and coordinates that are outside, equal or negative.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "gather_nd", "elements", NULL, { "f32[3,4]", "f32[2,3] = 0,2,1,3,0,1" } },
  { "gather_nd", "rows", NULL, { "f32[3,4]", "f32[1,2] = 2,0" } },
  { "gather_nd", "table of rows", NULL, { "f32[2,2,3]", "i32[2,2,2] = 0,1,1,0,1,0,1,0" } },
  { "gather_nd", "the same twice", NULL, { "f32[2,2]", "i64[2,3] = 1,1,0,0,0,1" } },
  { "gather_nd", "negative", NULL, { "f32[3,2]", "f32[1,3] = -1,-3,1" } },
  { "scatter_nd", "elements", "shape=(3, 4)", { "f32[3]", "f32[2,3] = 0,2,1,3,0,1" } },
  { "scatter_nd", "rows", "shape=(4, 2)", { "f32[2,2]", "i32[1,2] = 3,1" } },
  { "_ravel_multi_index", "plain", "shape=(3, 4)", { "f32[2,3] = 0,1,2,3,0,1" } },
  { "_unravel_index", "plain", "shape=(3, 4)", { "i64[3] = 3,4,9" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_ravel_multi_index", "a vector", "shape=(2, 3)", { "f32[2]" }, "2 dimensions" },
  { "gather_nd",
    "too many coordinates",
    NULL,
    { "f32[3]", "f32[2,3]" },
    "2 coordinates cannot select from an array of 1 dimensions" },
  { "scatter_nd",
    "data of another shape",
    "shape=(3, 4)",
    { "f32[4]", "f32[2,3]" },
    "does not match" },
  { "scatter_nd",
    "negative size",
    "shape=(3, -4)",
    { "f32[3]", "f32[2,3]" },
    "cannot be negative" },
  { "gather_nd", "outside", NULL, { "f32[2]", "i64[1,2] = 0,2" }, "index 2 is outside of axis 0" },
  { "gather_nd", "below", NULL, { "f32[2]", "i64[1,2] = 0,-3" }, "index -3 is outside of axis 0" },
  { "scatter_nd",
    "outside",
    "shape=(2, 2)",
    { "f32[1]", "f32[2,1] = 1,2" },
    "index 2 is outside of axis 1" },
  { "_unravel_index", "no shape", "shape=()", { "f32[3]" }, "shape is empty" },
  { "_ravel_multi_index", "other dimensions", "shape=(3, 4, 5)", { "f32[2,3]" }, "does not match" },
  { 0 },
};

static void
test_negative_coordinates_count_from_the_end (void)
{
  g_autoptr (HybTensor) y = op_run ("gather_nd", NULL, op_tensor ("f32[2,2]", 1., 2., 3., 4.),
                                    op_tensor ("f32[2,2]", -1., 0., -2., -1.), NULL);

  op_assert_near (y, 0, 3., 2.);
}

static void
test_the_last_of_equal_coordinates_stays (void)
{
  g_autoptr (HybTensor) y = op_run ("scatter_nd", "shape=(2,)", op_tensor ("f32[3]", 1., 2., 3.),
                                    op_tensor ("f32[1,3]", 1., 0., 1.), NULL);

  op_assert_near (y, 0, 2., 3.);
}

TEST_PROGRAM (test_gather_nd)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("gather-nd", hyb_ops_gather_nd, samples, refusals);
  g_test_add_func ("/engine/ops/gather-nd/the-last-of-equal-coordinates-stays",
                   test_the_last_of_equal_coordinates_stays);

  g_test_add_func ("/engine/ops/gather-nd/negative-coordinates-count-from-the-end",
                   test_negative_coordinates_count_from_the_end);

  return g_test_run ();
}
