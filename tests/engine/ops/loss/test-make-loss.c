/* test-make-loss.c — MakeLoss and make_loss: the checks of op-check.h on samples and refusals; the
 * divisors of the gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "MakeLoss", "scaled", "grad_scale=0.1", { "f32[2,3]" } },
  { "MakeLoss", "by batch", "normalization=batch", { "f32[4,2]" } },
  { "MakeLoss", "by valid values", "normalization=valid valid_thresh=0.5", { "f32[2,3]" } },
  { "make_loss", "plain", NULL, { "f32[2,3]" } },
  { 0 },
};

static void
test_only_valid_values_are_counted (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_backward_MakeLoss", "normalization=valid valid_thresh=0.5 grad_scale=3",
              op_tensor ("f32[3]", 0.5, 0.6, 2.), NULL);

  op_assert_near (y, 1e-6, 1.5, 1.5, 1.5);
}

/* MXNet takes the data as a matrix: all axes but the last are rows, a vector is one. */
static void
test_a_batch_is_the_rows_of_a_matrix (void)
{
  g_autoptr (HybTensor) vector =
      op_run ("_backward_MakeLoss", "normalization=batch", op_tensor ("f32[3]", 1., 2., 3.), NULL);
  g_autoptr (HybTensor) cube = op_run ("_backward_MakeLoss", "normalization=batch grad_scale=3",
                                       op_tensor ("f32[2,3,1]", 1., 2., 3., 4., 5., 6.), NULL);

  op_assert_near (vector, 1e-6, 1., 1., 1.);
  op_assert_near (cube, 1e-6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
}

TEST_PROGRAM (test_make_loss)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("make-loss", hyb_ops_make_loss, samples, NULL);
  g_test_add_func ("/engine/ops/make-loss/only-valid-values-are-counted",
                   test_only_valid_values_are_counted);
  g_test_add_func ("/engine/ops/make-loss/a-batch-is-the-rows-of-a-matrix",
                   test_a_batch_is_the_rows_of_a_matrix);

  return g_test_run ();
}
