/* test-histogram.c — tests of _histogram: samples and refusals for
 * op-check.h, edges and ties.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_histogram", "even intervals", "bin_cnt=4 range=(-1.0, 1.0)", { "f32[3,4]" } },
  { "_histogram", "one interval", "bin_cnt=1 range=(0.0, 0.5)", { "f32[7]" } },
  { "_histogram", "given edges", NULL, { "f32[5]", "f32[4] = -1,-0.5,0.25,1" } },
  { "_histogram", "integers", "bin_cnt=3 range=(0, 4)", { "i32[6]" } },
  { "_histogram", "no element", "bin_cnt=3 range=(0, 4)", { "f32[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_histogram",
    "only a range",
    "range=(0, 1)",
    { "f32[3]", "f32[3]" },
    "only one of bin_cnt and range" },
  { "_histogram", "only a number", "bin_cnt=3", { "f32[3]" }, "only one of bin_cnt and range" },
  { "_histogram",
    "reversed range",
    "bin_cnt=3 range=(2, 1)",
    { "f32[3]" },
    "range is from 2 to 1" },
  { "_histogram", "endless range", "bin_cnt=3 range=(0, inf)", { "f32[3]" }, "range" },
  { "_histogram", "no interval", "bin_cnt=0 range=(0, 1)", { "f32[3]" }, "bin_cnt is 0" },
  { "_histogram", "one edge", NULL, { "f32[3]", "f32[1]" }, "one interval needs 2" },
  { "_histogram", "other type of edges", NULL, { "f32[3]", "i32[2] = 0,1" }, "int32" },
  { 0 },
};

static HybTensor *
count (const char *attributes, HybTensor *data, HybTensor *edges)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, data);
  if (edges)
    g_ptr_array_add (inputs, edges);
  outputs = op_run_all ("_histogram", attributes, FALSE, inputs);
  return hyb_tensor_ref (outputs->pdata[0]);
}

/* Counted by hand; MXNet 1.9.1 gives the same. */
static void
test_the_last_interval_contains_its_upper_edge (void)
{
  g_autoptr (HybTensor) even =
      count ("bin_cnt=2 range=(0, 2)", op_tensor ("f32[6]", 0., 1., 2., 2.5, -1., NAN), NULL);
  g_autoptr (HybTensor) given = count (NULL, op_tensor ("f32[6]", 0., 1., 2., 2.5, -1., NAN),
                                       op_tensor ("f32[3]", 0., 1., 2.));

  op_assert_near (even, 0, 1., 2.);
  op_assert_near (given, 0, 1., 2.);
}

static void
test_an_empty_range_is_widened (void)
{
  g_autoptr (HybTensor) y =
      count ("bin_cnt=5 range=(2, 2)", op_tensor ("f32[4]", 1., 2., 2., 3.), NULL);

  op_assert_near (y, 0, 0., 0., 2., 0., 0.);
}

/* Edges 0, 1, 2, 4 in integers, as in MXNet. */
static void
test_edges_of_integers_are_truncated (void)
{
  g_autoptr (HybTensor) y =
      count ("bin_cnt=3 range=(0, 4)", op_tensor ("i32[6]", 0., 1., 2., 2., 3., 4.), NULL);

  op_assert_near (y, 0, 1., 1., 4.);
}

TEST_PROGRAM (test_histogram)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("histogram", hyb_ops_histogram, samples, refusals);
  g_test_add_func ("/engine/ops/histogram/the-last-interval-contains-its-upper-edge",
                   test_the_last_interval_contains_its_upper_edge);
  g_test_add_func ("/engine/ops/histogram/an-empty-range-is-widened",
                   test_an_empty_range_is_widened);
  g_test_add_func ("/engine/ops/histogram/edges-of-integers-are-truncated",
                   test_edges_of_integers_are_truncated);
  return g_test_run ();
}
