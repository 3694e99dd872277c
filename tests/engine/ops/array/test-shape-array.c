/* test-shape-array.c — tests of shape_array and size_array: samples for op-check.h, and the values
 * and dtype of their results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "shape_array size_array", "three axes", NULL, { "f32[2,3,4]" } },
  { "shape_array size_array", "integers", NULL, { "i32[5]" } },
  { "shape_array size_array", "no element", NULL, { "f32[0,3]" } },
  { 0 },
};

static void
test_sizes_are_integers (void)
{
  g_autoptr (HybTensor) shape =
      op_run ("shape_array", NULL, op_tensor_from_text ("f32[2,3]", 0), NULL);
  g_autoptr (HybTensor) size =
      op_run ("size_array", NULL, op_tensor_from_text ("f32[2,3]", 0), NULL);

  op_assert_type (shape, "int64 (2,)");
  op_assert_near (shape, 0, 2., 3.);
  op_assert_type (size, "int64 (1,)");
  op_assert_near (size, 0, 6.);
}

TEST_PROGRAM (test_shape_array)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("shape-array", hyb_ops_shape_array, samples, NULL);
  g_test_add_func ("/engine/ops/shape-array/sizes-are-integers", test_sizes_are_integers);

  return g_test_run ();
}
