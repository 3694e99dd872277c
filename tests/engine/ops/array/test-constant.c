/* test-constant.c — tests of _constant, which returns an array that the graph contains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/imperative/imperative.h"
#include "engine/ops/array/constant.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static void
test_the_output_is_the_array (void)
{
  g_autoptr (HybTensor) contents = op_tensor ("f32[2,2]", 1., 2., 3., 4.);
  gpointer          params = hyb_constant_params_new (contents);
  HybTensor        *output = NULL;
  HybImperativeCall call = {
    .op = hyb_op_find ("_constant"), .params = params, .outputs = &output, .has_scalars = TRUE
  };
  g_autoptr (GError) error = NULL;

  hyb_imperative_call (&call, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (hyb_tensor_get_data (output), 16, hyb_tensor_get_data (contents), 16);
  hyb_tensor_unref (output);
  hyb_params_unref (params);
}

static void
test_nodes_are_equal_only_with_the_same_array (void)
{
  g_autoptr (HybTensor) a = op_tensor ("f32[1]", 1.);
  g_autoptr (HybTensor) b = op_tensor ("f32[1]", 1.);
  const HybParam *table = hyb_op_find ("_constant")->params;
  gpointer        x = hyb_constant_params_new (a), y = hyb_constant_params_new (a);
  gpointer        z = hyb_constant_params_new (b);

  g_assert_true (hyb_params_equal (table, x, y));
  g_assert_false (hyb_params_equal (table, x, z));
  hyb_params_unref (x);
  hyb_params_unref (y);
  hyb_params_unref (z);
}

TEST_PROGRAM (test_constant)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/constant/the-output-is-the-array", test_the_output_is_the_array);
  g_test_add_func ("/engine/ops/constant/nodes-are-equal-only-with-the-same-array",
                   test_nodes_are_equal_only_with_the_same_array);

  return g_test_run ();
}
