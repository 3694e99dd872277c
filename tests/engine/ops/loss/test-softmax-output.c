/* test-softmax-output.c — SoftmaxOutput: the checks of op-check.h on samples and refusals; its
 * gradient, label smoothing, ignored labels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "SoftmaxOutput", "rows", NULL, { "f32[4,3]", "f32[4] = 0,2,1,1" } },
  { "SoftmaxOutput", "integer labels", NULL, { "f32[4,3]", "i32[4]" } },
  { "SoftmaxOutput",
    "probabilities as labels",
    NULL,
    { "f32[2,3]", "f32[2,3] 0..1" },
    OP_OTHER_SHAPE },
  { "SoftmaxOutput", "labels outside", NULL, { "f32[3,2]", "f32[3] = -1,5,1e30" } },
  { "SoftmaxOutput",
    "channels",
    "multi_output=True normalization=valid use_ignore=True ignore_label=0",
    { "f32[2,3,2,2]", "f32[2,2,2] = 0,1,2,1" },
    OP_OTHER_SHAPE },
  { "SoftmaxOutput",
    "flat labels of channels",
    "multi_output=True normalization=batch",
    { "f32[2,3,2,2]", "f32[2,4] = 0,1,2,1" } },
  { "SoftmaxOutput", "last axis", "preserve_shape=True", { "f32[2,3,4]", "f32[2,3] = 0,1,3" } },
  { "SoftmaxOutput",
    "a matrix by position",
    "multi_output=True",
    { "f32[3,4]", "f32[3] = 0,1,3" },
    OP_OTHER_SHAPE },
  { "SoftmaxOutput", "smooth", "smooth_alpha=0.1", { "f32[3,4]", "f32[3] = 0,1,2" } },
  { "SoftmaxOutput", "incoming gradient", "out_grad=True", { "f32[3,4]", "f32[3] = 0,1,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SoftmaxOutput", "labels of another number", NULL, { "f32[4,3]", "f32[3]" }, "label: " },
  { "SoftmaxOutput",
    "smoothing above 1",
    "smooth_alpha=2",
    { "f32[4,3]", "f32[4]" },
    "smooth_alpha" },
  { 0 },
};

static void
test_the_gradient_is_the_distance_to_the_label (void)
{
  g_autoptr (HybTensor) plain =
      op_run ("_backward_SoftmaxOutput", "grad_scale=2 use_ignore=True ignore_label=1",
              op_tensor ("f32[2,2]", 0.25, 0.75, 0.5, 0.5), op_tensor ("f32[2]", 0., 1.), NULL);
  g_autoptr (HybTensor) smooth =
      op_run ("_backward_SoftmaxOutput", "smooth_alpha=0.2 normalization=batch",
              op_tensor ("f32[2,3]", 0.5, 0.25, 0.25, 0.5, 0.25, 0.25),
              op_tensor ("f32[2]", 0., 2.), NULL);
  g_autoptr (HybTensor) whole =
      op_run ("_backward_SoftmaxOutput", NULL, op_tensor ("f32[1,2]", 0.25, 0.75),
              op_tensor ("f32[1,2]", 0.5, 0.5), NULL);

  op_assert_near (plain, 1e-6, -1.5, 1.5, 0., 0.);
  op_assert_near (smooth, 1e-6, -0.15, 0.075, 0.075, 0.2, 0.075, -0.275);
  op_assert_near (whole, 1e-6, -0.25, 0.25);
}

static void
test_channels_are_not_smoothed (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_backward_SoftmaxOutput", "multi_output=True smooth_alpha=0.2",
              op_tensor ("f32[1,2,2]", 0.25, 0.5, 0.75, 0.5), op_tensor ("f32[1,2]", 0., 1.), NULL);

  op_assert_near (y, 1e-6, -0.375, 0.25, 0.375, -0.25);
}

static void
test_valid_labels_are_counted (void)
{
  g_autoptr (HybTensor) y = op_run ("_backward_SoftmaxOutput", "normalization=valid",
                                    op_tensor ("f32[3,2]", 0.5, 0.5, 0.5, 0.5, 0.5, 0.5),
                                    op_tensor ("f32[3]", 0., -1., 1.), NULL);

  op_assert_near (y, 1e-6, -0.25, 0.25, 0.25, 0.25, 0.25, -0.25);
}

/* Labels of the data's rank are probabilities, also while some sizes are unknown. */
static void
test_probabilities_are_labels_of_data_that_is_not_known_yet (void)
{
  const HybShape data[] = { hyb_shape_2d (HYB_UNKNOWN, 3), hyb_shape_2d (4, HYB_UNKNOWN),
                            hyb_shape_2d (4, 3) };
  const HybShape labels[] = { hyb_shape_2d (4, 3), hyb_shape_2d (4, 3),
                              hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN) };

  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    {
      const HybOp *op = hyb_op_find ("SoftmaxOutput");
      g_autoptr (GError) error = NULL;
      gpointer params = hyb_params_parse (op->params, op->params_size, NULL, NULL, &error);
      HybType  input[] = { { data[i], HYB_F32 }, { labels[i], HYB_F32 } };
      HybType  output[] = { HYB_TYPE_UNKNOWN };
      HybCall  call = {
         .op = op, .params = params, .n_inputs = 2, .n_outputs = 1, .input = input, .output = output
      };

      op->infer_shape (&call, &error);
      g_assert_no_error (error);
      g_assert_true (hyb_shape_equal (&input[0].shape, &data[i]));
      g_assert_cmpint (input[1].shape.dim[0], ==, 4);
      g_assert_cmpint (input[1].shape.dim[1], ==, 3);
      hyb_params_unref (params);
    }
}

TEST_PROGRAM (test_softmax_output)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax-output", hyb_ops_softmax_output, samples, refusals);
  g_test_add_func ("/engine/ops/softmax-output/the-gradient-is-the-distance-to-the-label",
                   test_the_gradient_is_the_distance_to_the_label);
  g_test_add_func ("/engine/ops/softmax-output/channels-are-not-smoothed",
                   test_channels_are_not_smoothed);
  g_test_add_func ("/engine/ops/softmax-output/valid-labels-are-counted",
                   test_valid_labels_are_counted);
  g_test_add_func ("/engine/ops/softmax-output/"
                   "probabilities-are-labels-of-data-that-is-not-known-yet",
                   test_probabilities_are_labels_of_data_that_is_not_known_yet);

  return g_test_run ();
}
