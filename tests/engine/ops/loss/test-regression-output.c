/* test-regression-output.c — the regression outputs: the checks of op-check.h on samples and
 * refusals; the divisor of the gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "*", "rows", NULL, { "f32[3,4]", "f32[3,4]" } },
  { "*", "as many labels in another shape", NULL, { "f32[2,3]", "f32[2,3,1]" }, OP_OTHER_SHAPE },
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
  g_autoptr (HybTensor) difference =
      op_run ("_backward_RegressionOutput_difference", "grad_scale=3",
              op_tensor ("f32[1,2]", 3., 1.), op_tensor ("f32[1,2]", 1., 2.), NULL);
  g_autoptr (HybTensor) sign =
      op_run ("_backward_RegressionOutput_sign", NULL, op_tensor ("f32[3,1]", 3., 1., 1.),
              op_tensor ("f32[3]", 1., 2., 1.), NULL);

  op_assert_near (difference, 1e-6, 3., -1.5);
  op_assert_near (sign, 1e-6, 1., -1., -1.);
}

/* Rows of data whose number is not known yet, and labels of another rank. */
static void
test_labels_may_have_another_shape_than_data_that_is_not_known_yet (void)
{
  const HybShape data[] = { hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN), hyb_shape_2d (5, 3) };
  const HybShape labels[] = { hyb_shape_3d (2, 3, 1), hyb_shape_3d (HYB_UNKNOWN, HYB_UNKNOWN, 1) };

  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    {
      const HybOp *op = hyb_op_find ("MAERegressionOutput");
      HybType      input[] = { { data[i], HYB_F32 }, { labels[i], HYB_F32 } };
      HybType      output[] = { HYB_TYPE_UNKNOWN };
      HybCall call = { .op = op, .n_inputs = 2, .n_outputs = 1, .input = input, .output = output };
      g_autoptr (GError) error = NULL;

      op->infer_shape (&call, &error);
      g_assert_no_error (error);
      g_assert_cmpint (output[0].shape.rank, ==, 2);
    }
}

/* MXNet 1.9.1 infers nothing either: the data of a label (4, 3, 1) may have the shape (4, 3). */
static void
test_labels_say_nothing_about_the_rank_of_the_data (void)
{
  const HybOp *op = hyb_op_find ("LinearRegressionOutput");
  HybType      input[] = { HYB_TYPE_UNKNOWN, { hyb_shape_3d (4, 3, 1), HYB_F32 } };
  HybType      output[] = { HYB_TYPE_UNKNOWN };
  HybCall      call = { .op = op, .n_inputs = 2, .n_outputs = 1, .input = input, .output = output };
  g_autoptr (GError) error = NULL;

  op->infer_shape (&call, &error);
  g_assert_no_error (error);
  g_assert_cmpint (input[0].shape.rank, ==, HYB_UNKNOWN);
  g_assert_cmpint (output[0].shape.rank, ==, HYB_UNKNOWN);
}

TEST_PROGRAM (test_regression_output)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("regression-output", hyb_ops_regression_output, samples, refusals);
  g_test_add_func ("/engine/ops/regression-output/gradients-are-divided-by-outputs-per-sample",
                   test_gradients_are_divided_by_outputs_per_sample);
  g_test_add_func ("/engine/ops/regression-output/"
                   "labels-may-have-another-shape-than-data-that-is-not-known-yet",
                   test_labels_may_have_another_shape_than_data_that_is_not_known_yet);
  g_test_add_func ("/engine/ops/regression-output/"
                   "labels-say-nothing-about-the-rank-of-the-data",
                   test_labels_say_nothing_about_the_rank_of_the_data);

  return g_test_run ();
}
