/* test-div-sqrt-dim.c — tests of div_sqrt_dim: samples and refusals for op-check.h, and that the last
 * axis sets the divisor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_contrib_div_sqrt_dim", "matrix", NULL, { "f32[3,4]" } },
  { "_contrib_div_sqrt_dim", "no element", NULL, { "f32[0,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_div_sqrt_dim", "no dimension", NULL, { "f32[]" }, "has no last axis" },
  { 0 },
};

static void
test_the_last_dimension_decides (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_div_sqrt_dim", NULL, op_tensor ("f32[1,4]", 1., 2., 3., 4.), NULL);

  op_assert_near (y, 1e-6, 0.5, 1., 1.5, 2.);
}

TEST_PROGRAM (test_div_sqrt_dim)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("div-sqrt-dim", hyb_ops_div_sqrt_dim, samples, refusals);
  g_test_add_func ("/engine/ops/div-sqrt-dim/the-last-dimension-decides",
                   test_the_last_dimension_decides);

  return g_test_run ();
}
