/* test-elementwise-unary.c — tests of roots, exponentials, logarithms and trigonometric functions:
 * samples for op-check.h, and values outside of their domains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "sqrt rsqrt cbrt rcbrt reciprocal log log10 log2 log1p",
    "positive",
    NULL,
    { "f32[2,5] 0.4..3" } },
  { "cbrt rcbrt reciprocal", "negative", NULL, { "f32[4] -3..-0.4" } },
  { "exp expm1 sigmoid tanh sin cos tan arctan sinh cosh arcsinh degrees radians",
    "both signs",
    NULL,
    { "f32[3,4]" } },
  { "arcsin arccos arctanh", "inside the domain", NULL, { "f32[7] -0.8..0.8" } },
  { "arccosh", "above one", NULL, { "f32[5] 1.3..4" } },
  { "*", "integers", NULL, { "i32[3] 1..1" } },
  { "*", "half floats", NULL, { "f16[3] 0.3..0.8" }, OP_SKIP_GRADIENT },
  { "*", "no element", NULL, { "f32[2,0]" } },
  { 0 },
};

static void
test_outside_the_domain (void)
{
  g_autoptr (HybTensor) a = op_run ("sqrt", NULL, op_tensor ("f32[3]", -1., 0., INFINITY), NULL);
  g_autoptr (HybTensor) b = op_run ("log", NULL, op_tensor ("f32[3]", -1., 0., NAN), NULL);
  g_autoptr (HybTensor) c = op_run ("rsqrt", NULL, op_tensor ("f32[2]", -0., 0.), NULL);
  g_autoptr (HybTensor) d =
      op_run ("sigmoid", NULL, op_tensor ("f32[3]", -1000., 1000., NAN), NULL);

  op_assert_near (a, 0, NAN, 0., INFINITY);
  op_assert_near (b, 0, NAN, -INFINITY, NAN);
  op_assert_near (c, 0, -INFINITY, INFINITY);
  op_assert_near (d, 1e-7, 0., 1., NAN);
}

TEST_PROGRAM (test_elementwise_unary)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("elementwise-unary", hyb_ops_elementwise_unary, samples, NULL);
  g_test_add_func ("/engine/ops/elementwise-unary/outside-the-domain", test_outside_the_domain);

  return g_test_run ();
}
