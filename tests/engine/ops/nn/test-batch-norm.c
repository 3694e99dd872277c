/* test-batch-norm.c — BatchNorm and its variants: the checks of op-check.h on samples and refusals;
 * when moving statistics are updated, the third output, fix_gamma.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "BatchNorm BatchNorm_v1",
    "scaled",
    "fix_gamma=False",
    { "f32[4,2,3]", "f32[2] 0.5..2", "f32[2]", "f32[2]", "f32[2] 0.5..2" } },
  { "BatchNorm BatchNorm_v1",
    "gamma fixed",
    NULL,
    { "f32[4,2,3]", "f32[2] 0.5..2", "f32[2]", "f32[2]", "f32[2] 0.5..2" } },
  { "_contrib_SyncBatchNorm",
    "scaled",
    "fix_gamma=False key=layer",
    { "f32[4,2,3]", "f32[2] 0.5..2", "f32[2]", "f32[2]", "f32[2] 0.5..2" } },
  { "_contrib_BatchNormWithReLU",
    "scaled",
    "fix_gamma=False",
    { "f32[3,2,3]", "f32[2] 0.5..2", "f32[2] 0.2..0.4", "f32[2]", "f32[2] 0.5..2" } },
  { "BatchNorm",
    "last axis",
    "fix_gamma=False axis=-1",
    { "f32[2,3,4]", "f32[4] 0.5..2", "f32[4]", "f32[4]", "f32[4] 0.5..2" } },
  { "BatchNorm",
    "moving statistics while training",
    "fix_gamma=False use_global_stats=True",
    { "f32[4,3]", "f32[3] 0.5..2", "f32[3]", "f32[3]", "f32[3] 0.5..2" } },
  { "BatchNorm",
    "statistics shown",
    "output_mean_var=True",
    { "f32[4,3]", "f32[3] 0.5..2", "f32[3]", "f32[3]", "f32[3] 0.5..2" },
    OP_SKIP_GRADIENT },
  { "BatchNorm",
    "half floats keep float32 statistics",
    "fix_gamma=False",
    { "f16[4,3]", "f32[3] 0.5..2", "f32[3]", "f32[3]", "f32[3] 0.5..2" },
    OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "BatchNorm",
    "axis out of range",
    "axis=5",
    { "f32[2,3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]" },
    "axis 5 is outside" },
  { "BatchNorm",
    "gamma of another size",
    NULL,
    { "f32[2,3]", "f32[2]", "f32[3]", "f32[3]", "f32[3]" },
    "gamma: " },
  { 0 },
};

static GPtrArray *
new_inputs (void)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_add (inputs, op_tensor ("f32[2,2]", 1., 10., 3., 30.));
  g_ptr_array_add (inputs, op_tensor ("f32[2]", 5., 5.));
  g_ptr_array_add (inputs, op_tensor ("f32[2]", 0., 1.));
  g_ptr_array_add (inputs, op_tensor ("f32[2]", 2., 0.));
  g_ptr_array_add (inputs, op_tensor ("f32[2]", 1., 4.));
  return inputs;
}

/* As in MXNet, whose backward pass updates the statistics. */
static void
test_training_with_gradients_moves_the_statistics (void)
{
  const HybOp *op = hyb_op_find ("BatchNorm");
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) outputs = op_run_all (op->recording, "eps=0 momentum=0.75", TRUE, inputs);

  op_assert_near (outputs->pdata[0], 1e-5, -1., 0., 1., 2.);
  op_assert_near (inputs->pdata[3], 1e-5, 2., 5.);
  op_assert_near (inputs->pdata[4], 1e-5, 1., 28.);
}

static void
test_training_without_gradients_leaves_the_statistics (void)
{
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) outputs = op_run_all ("BatchNorm", "eps=0 momentum=0.5", TRUE, inputs);

  op_assert_near (outputs->pdata[0], 1e-5, -1., 0., 1., 2.);
  op_assert_near (inputs->pdata[3], 0, 2., 0.);
  op_assert_near (inputs->pdata[4], 0, 1., 4.);
}

static void
test_inference_leaves_the_statistics (void)
{
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) outputs = op_run_all ("BatchNorm", "eps=0", FALSE, inputs);

  op_assert_near (outputs->pdata[0], 1e-5, -1., 6., 1., 16.);
  op_assert_near (inputs->pdata[3], 0, 2., 0.);
  op_assert_near (inputs->pdata[4], 0, 1., 4.);
}

static void
test_old_forms_show_the_variance (void)
{
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) now = op_run_all ("BatchNorm", "eps=0", FALSE, inputs);
  g_autoptr (GPtrArray) old = op_run_all ("BatchNorm_v1", "eps=0", FALSE, inputs);
  g_autoptr (GPtrArray) batch = op_run_all ("_contrib_SyncBatchNorm", "key=k", TRUE, inputs);

  op_assert_near (now->pdata[2], 1e-6, 1., 0.5);
  op_assert_near (old->pdata[2], 1e-6, 1., 4.);
  op_assert_near (batch->pdata[2], 1e-6, 1., 100.);
}

static void
test_a_fixed_gamma_is_one_whatever_is_stored (void)
{
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) fixed = op_run_all ("BatchNorm", "eps=0", FALSE, inputs);
  g_autoptr (GPtrArray) scaled = op_run_all ("BatchNorm", "eps=0 fix_gamma=False", FALSE, inputs);

  op_assert_near (fixed->pdata[0], 1e-5, -1., 6., 1., 16.);
  op_assert_near (scaled->pdata[0], 1e-5, -5., 26., 5., 76.);
}

TEST_PROGRAM (test_batch_norm)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("batch-norm", hyb_ops_batch_norm, samples, refusals);
  g_test_add_func ("/engine/ops/batch-norm/training-with-gradients-moves-the-statistics",
                   test_training_with_gradients_moves_the_statistics);
  g_test_add_func ("/engine/ops/batch-norm/training-without-gradients-leaves-the-statistics",
                   test_training_without_gradients_leaves_the_statistics);
  g_test_add_func ("/engine/ops/batch-norm/inference-leaves-the-statistics",
                   test_inference_leaves_the_statistics);
  g_test_add_func ("/engine/ops/batch-norm/old-forms-show-the-variance",
                   test_old_forms_show_the_variance);
  g_test_add_func ("/engine/ops/batch-norm/a-fixed-gamma-is-one-whatever-is-stored",
                   test_a_fixed_gamma_is_one_whatever_is_stored);

  return g_test_run ();
}
