/* test-regression-output.c — the regression outputs: the checks of op-check.h on samples and
 * refusals; the divisor of the gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "*", "rows", NULL, { "f32[3,4]", "f32[3,4]" } },
  { "*", "as many labels in another shape", NULL, { "f32[2,3]", "f32[2,3,1]" } },
  { "*", "a column and a vector", "grad_scale=0.5", { "f32[4,1]", "f32[4]" } },
  { "*", "equal to the label", NULL, { "f32[2,2] = 1", "f32[2,2] = 1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "LinearRegressionOutput", "labels of more samples", NULL, { "f32[2,3]", "f32[6]" }, "label: " },
  { "LinearRegressionOutput", "label of another shape", NULL, { "f32[3,4]", "f32[3]" }, "label: " },
  { 0 },
};

static void
test_gradients_are_divided_by_outputs_per_sample (void)
{
  g_autoptr (HybTensor) difference = op_run ("_backward_RegressionOutput_difference",
                                             "grad_scale=3",
                                             op_tensor ("f32[1,2]", 3., 1.),
                                             op_tensor ("f32[1,2]", 1., 2.),
                                             NULL);
  g_autoptr (HybTensor) sign = op_run ("_backward_RegressionOutput_sign",
                                       NULL,
                                       op_tensor ("f32[3,1]", 3., 1., 1.),
                                       op_tensor ("f32[3]", 1., 2., 1.),
                                       NULL);

  op_assert_near (difference, 1e-6, 3., -1.5);
  op_assert_near (sign, 1e-6, 1., -1., -1.);
}

TEST_PROGRAM (test_regression_output)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("regression-output", hyb_ops_regression_output, samples, refusals);
  g_test_add_func ("/engine/ops/regression-output/gradients-are-divided-by-outputs-per-sample",
                   test_gradients_are_divided_by_outputs_per_sample);

  return g_test_run ();
}
