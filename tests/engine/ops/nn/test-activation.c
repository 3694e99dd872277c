/* test-activation.c — Activation: the checks of op-check.h on samples and refusals; NaN through
 * relu, large inputs of softrelu.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "Activation", "rectifier", "act_type=relu", { "f32[3,4]" } },
  { "Activation", "sigmoid", "act_type=sigmoid", { "f32[3,4] -4..4" } },
  { "Activation", "tangent", "act_type=tanh", { "f32[3,4] -3..3" } },
  { "Activation", "soft rectifier", "act_type=softrelu", { "f32[3,4] -5..5" } },
  { "Activation", "soft sign", "act_type=softsign", { "f32[3,4] -3..3" } },
  { "Activation", "half floats", "act_type=relu", { "f16[3]" }, OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Activation", "no function", NULL, { "f32[3]" }, "act_type" },
  { "Activation", "unknown function", "act_type=swish", { "f32[3]" }, "act_type" },
  { 0 },
};

static void
test_a_rectifier_lets_nan_through (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Activation", "act_type=relu", op_tensor ("f32[3]", NAN, -1., 0.), NULL);

  g_assert_true (isnan (hyb_tensor_get_value (y, 0)));
  g_assert_cmpfloat (hyb_tensor_get_value (y, 1), ==, 0);
}

static void
test_softrelu_does_not_overflow (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Activation", "act_type=softrelu", op_tensor ("f32[2]", 1e4, -1e4), NULL);

  op_assert_near (y, 0, 1e4, 0.);
}

TEST_PROGRAM (test_activation)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("activation", hyb_ops_activation, samples, refusals);
  g_test_add_func ("/engine/ops/activation/a-rectifier-lets-nan-through",
                   test_a_rectifier_lets_nan_through);
  g_test_add_func ("/engine/ops/activation/softrelu-does-not-overflow",
                   test_softrelu_does_not_overflow);

  return g_test_run ();
}
