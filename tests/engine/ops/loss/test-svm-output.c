/* test-svm-output.c — SVMOutput: the checks of op-check.h on samples and refusals; its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "SVMOutput", "squared hinge", NULL, { "f32[3,4]", "f32[3] = 0,3,1" } },
  { "SVMOutput", "hinge", "use_linear=True margin=0.5", { "f32[3,4]", "f32[3] = 0,3,1" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SVMOutput", "labels of another number", NULL, { "f32[3,4]", "f32[4]" }, "label: " },
  { 0 },
};

static void
test_gradients_are_those_of_a_hinge (void)
{
  g_autoptr (HybTensor) squared =
      op_run ("_backward_SVMOutput", NULL, op_tensor ("f32[1,3]", 0.5, -2., 0.25),
              op_tensor ("f32[1]", 0.), NULL);
  g_autoptr (HybTensor) linear =
      op_run ("_backward_SVMOutput", "use_linear=True regularization_coefficient=2",
              op_tensor ("f32[1,3]", 0.5, -2., 0.25), op_tensor ("f32[1]", 0.), NULL);

  op_assert_near (squared, 1e-6, -1., 0., 2.5);
  op_assert_near (linear, 1e-6, -2., 0., 2.);
}

TEST_PROGRAM (test_svm_output)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("svm-output", hyb_ops_svm_output, samples, refusals);
  g_test_add_func ("/engine/ops/svm-output/gradients-are-those-of-a-hinge",
                   test_gradients_are_those_of_a_hinge);

  return g_test_run ();
}
