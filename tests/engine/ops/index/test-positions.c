/* test-positions.c — tests of _element_positions, _tuple_positions and _take_elements: samples and refusals for op-check.h,
 * and positions beside plain sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_element_positions", "last axis", "shape=(3,4) axis=1", { "i64[2,3] = 0,3,-4,-1,1,2" } },
  { "_element_positions", "first axis", "shape=(3,4) axis=0", { "i32[2,4] = 0,2,-3,-1,1,2,0,0" } },
  { "_element_positions", "no index", "shape=(3,4) axis=0", { "i64[2,0]" } },
  { "_take_elements", "last axis", "axis=1", { "f32[3,4]", "i64[2,3] = 0,3,-4,-1,1,1" } },
  { "_take_elements", "first axis", "axis=0", { "f64[3,4]", "i32[2,4] = 0,2,-3,-1,1,2,0,0" } },
  { "_take_elements", "bytes", "axis=0", { "u8[5]", "i64[3] = 4,-5,2" } },
  { "_take_elements", "half floats", "axis=0", { "f16[5]", "i64[3] = 4,-5,2" }, OP_SKIP_GRADIENT },
  { "_take_elements", "nothing", "axis=0", { "f32[3,4]", "i64[0,4]" } },
  { "_tuple_positions", "elements", "shape=(3,4)", { "i64[2,2] = 0,3,-3,-1" } },
  { "_tuple_positions", "with a batch", "shape=(2,3) batch=1", { "i32[2,2,1] = 0,2,-3,-1" } },
  { "_tuple_positions", "one tuple", "shape=(3,)", { "i64[1] = 2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_element_positions",
    "an index at the size",
    "shape=(3,4) axis=1",
    { "i64[1,2] = 3,4" },
    "index 4 is outside of axis 1, which has the size 4" },
  { "_element_positions",
    "an index below",
    "shape=(3,4) axis=0",
    { "i64[1,2] = -3,-4" },
    "index -4 is outside of axis 0" },
  { "_element_positions", "other axes", "shape=(3,4) axis=0", { "i64[2]" }, "have 1 axes" },
  { "_element_positions",
    "more rows",
    "shape=(3,4) axis=1",
    { "i64[4,2]" },
    "axis 0 of the indices" },
  { "_element_positions", "floats", "shape=(3,4) axis=0", { "f32[2,2]" }, "int32 or int64" },
  { "_element_positions", "axis outside", "shape=(3,) axis=1", { "i64[2]" }, "shape has 1 axes" },
  { "_element_positions",
    "sizes that overflow",
    "shape=(4611686018427387904,4) axis=0",
    { "i64[2,2]" },
    "out of range" },
  { "_take_elements",
    "an index at the size",
    "axis=1",
    { "f32[3,4]", "i64[1,2] = 3,4" },
    "index 4 is outside of axis 1, which has the size 4" },
  { "_take_elements", "nothing to take", "axis=0", { "f32[0,4]", "i64[1,4]" }, "which is empty" },
  { "_take_elements", "axis outside", "axis=2", { "f32[3,4]", "i64[1,2]" }, "axis 2 is outside" },
  { "_tuple_positions",
    "an index at the size",
    "shape=(3,4)",
    { "i64[2,2] = 2,3,3,0" },
    "index 3 is outside of axis 0, which has the size 3" },
  { "_tuple_positions",
    "longer tuples",
    "shape=(3,4)",
    { "i64[2,3]" },
    "its tuples have 3 indices, but 2 axes are indexed" },
  { "_tuple_positions",
    "no tuples",
    "shape=(2,3) batch=1",
    { "i64[2]" },
    "its indices need more than 1 axes, which are those of the batch, but have 1" },
  { "_tuple_positions", "a larger batch", "shape=(2,3) batch=1", { "i64[3,1]" }, "axis 0" },
  { 0 },
};

static void
test_positions_are_sums_of_strides (void)
{
  g_autoptr (HybTensor) rows = op_run ("_element_positions", "shape=(3,4,5) axis=1",
                                       op_tensor ("i64[2,1,3]", 0., -1., 2., 3., -4., 1.), NULL);
  g_autoptr (HybTensor) last = op_run ("_element_positions", "shape=(3,4) axis=1",
                                       op_tensor ("i32[2,2]", -1., 0., 2., -4.), NULL);
  g_autoptr (HybTensor) taken =
      op_run ("_take_elements", "axis=0", op_tensor ("f32[2,3]", 1., 2., 3., 4., 5., 6.),
              op_tensor ("i64[1,3]", -1., 0., 1.), NULL);
  g_autoptr (HybTensor) tuples =
      op_run ("_tuple_positions", "shape=(2,3,4) batch=1",
              op_tensor ("i64[2,2,2]", 0., 0., 2., -1., -3., 3., 1., 2.), NULL);

  op_assert_near (rows, 0, 0., 16., 12., 35., 21., 27.);
  op_assert_near (last, 0, 3., 0., 6., 4.);
  op_assert_near (taken, 0, 4., 2., 6.);
  op_assert_near (tuples, 0, 0., 11., 15., 18.);
}

/* An element that is taken twice gets both gradients. */
static void
test_gradients_of_an_element_are_added (void)
{
  static const char *const types[] = { "f32[2,3]", "f64[2,3]", "f16[2,3]" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (HybTensor) x = op_tensor (types[i], 0., 0., 0., 0., 0., 0.);
      g_autoptr (HybTensor) y =
          op_run ("_backward_take_elements", "axis=1", op_tensor (types[i], 1., 2., 3., 4., 5., 6.),
                  op_tensor ("i64[2,3]", 0., 2., -3., -1., 1., 1.), hyb_tensor_ref (x), NULL);

      op_assert_near (y, 0, 4., 0., 2., 0., 11., 4.);
    }
}

TEST_PROGRAM (test_positions)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("positions", hyb_ops_positions, samples, refusals);
  g_test_add_func ("/engine/ops/positions/positions-are-sums-of-strides",
                   test_positions_are_sums_of_strides);
  g_test_add_func ("/engine/ops/positions/gradients-of-an-element-are-added",
                   test_gradients_of_an_element_are_added);
  return g_test_run ();
}
