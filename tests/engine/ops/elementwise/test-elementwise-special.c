/* test-elementwise-special.c — tests of the gamma and error functions, softsign, relu and hard_sigmoid:
 * samples for op-check.h, limits, and the gradient of relu at zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_contrib_quadratic", "all terms", "a=2 b=-1 c=0.5", { "f32[3,4]" } },
  { "_contrib_quadratic", "no term", NULL, { "f32[3]" } },
  { "_contrib_quadratic", "whole numbers", "a=1.5 b=2 c=1", { "i32[3]" } },
  { "gamma gammaln", "positive", NULL, { "f32[6] 0.6..4" } },
  { "gamma", "negative", NULL, { "f32[2] = -0.5,-1.4" } },
  { "erf softsign relu hard_sigmoid", "both signs", NULL, { "f32[3,4]" } },
  { "erfinv", "inside the domain", NULL, { "f32[6] -0.9..0.9" } },
  { "_thresholded_relu", "both sides", "alpha=0.5", { "f32[6] = -2,-0.4,0,0.7,1,3" } },
  { "hard_sigmoid", "another line", "alpha=0.5 beta=0.3", { "f32[6] = -2,-0.4,0,0.5,1,3" } },
  { "*", "integers", NULL, { "i32[3] 1..1" } },
  { "*", "half floats", NULL, { "f16[3] 0.3..0.8" }, OP_SKIP_GRADIENT },
  { "*", "no element", NULL, { "f32[2,0]" } },
  { 0 },
};

static void
test_limits (void)
{
  g_autoptr (HybTensor) a = op_run ("gammaln", NULL, op_tensor ("f32[3]", 0., -1., -2.), NULL);
  g_autoptr (HybTensor) b = op_run ("erfinv", NULL, op_tensor ("f32[4]", 1., -1., 1.5, 0.), NULL);
  g_autoptr (HybTensor) c = op_run ("relu", NULL, op_tensor ("f32[3]", NAN, -1., INFINITY), NULL);
  g_autoptr (HybTensor) d = op_run ("hard_sigmoid", NULL, op_tensor ("f32[3]", NAN, -9., 9.), NULL);
  g_autoptr (HybTensor) e =
      op_run ("hard_sigmoid", "alpha=1e39", op_tensor ("f32[4]", 0., 1e-40, 1., -1.), NULL);
  g_autoptr (HybTensor) f =
      op_run ("hard_sigmoid", "alpha=2e39 beta=-2e39", op_tensor ("f32[3]", 1., 0.5, 2.), NULL);

  op_assert_near (a, 0, INFINITY, INFINITY, INFINITY);
  op_assert_near (b, 0, INFINITY, -INFINITY, NAN, 0.);
  op_assert_near (c, 0, NAN, 0., INFINITY);
  op_assert_near (d, 0, NAN, 0., 1.);
  op_assert_near (e, 1e-6, 0.5, 0.6, 1., 0.);
  op_assert_near (f, 0, 0., 0., 1.);
}

static void
test_relu_has_no_slope_at_zero (void)
{
  /* As in MXNet the gradient is NaN at NaN, and infinite at the poles of gammaln. */
  g_autoptr (HybTensor) nan =
      op_run ("_backward_relu", NULL, op_tensor ("f32[1]", 5.), op_tensor ("f32[1]", NAN), NULL);
  g_autoptr (HybTensor) pole = op_run ("_backward_gammaln", NULL, op_tensor ("f32[2]", 5., -1.),
                                       op_tensor ("f32[2]", 0., -1.), NULL);
  g_autoptr (HybTensor) dx = op_run ("_backward_relu", NULL, op_tensor ("f32[3]", 5., 5., 5.),
                                     op_tensor ("f32[3]", 0., 1., 0.), NULL);

  op_assert_near (dx, 0, 0., 5., 0.);
  op_assert_near (nan, 0, NAN);
  op_assert_near (pole, 0, INFINITY, -INFINITY);
}

TEST_PROGRAM (test_elementwise_special)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("elementwise-special", hyb_ops_elementwise_special, samples, NULL);
  g_test_add_func ("/engine/ops/elementwise-special/limits", test_limits);
  g_test_add_func ("/engine/ops/elementwise-special/relu-has-no-slope-at-zero",
                   test_relu_has_no_slope_at_zero);

  return g_test_run ();
}
