/* test-smooth-l1.c — smooth_l1: the checks of op-check.h on samples and refusals; the slope at NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "smooth_l1", "both branches", "scalar=1.0", { "f32[3,4] -3..3" } },
  { "smooth_l1", "narrow", "scalar=3.0", { "f32[3,4]" } },
  { 0 },
};

static void
test_nan_has_a_slope_of_nan (void)
{
  g_autoptr (HybTensor) dx = op_run ("_backward_smooth_l1", NULL, op_tensor ("f32[3]", 2., 2., 2.),
                                     op_tensor ("f32[3]", NAN, -INFINITY, 0.5), NULL);

  op_assert_near (dx, 0, NAN, -2., 1.);
}

TEST_PROGRAM (test_smooth_l1)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("smooth-l1", hyb_ops_smooth_l1, samples, NULL);
  g_test_add_func ("/engine/ops/smooth-l1/nan-has-a-slope-of-nan", test_nan_has_a_slope_of_nan);

  return g_test_run ();
}
