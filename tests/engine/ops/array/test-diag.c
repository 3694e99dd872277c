/* test-diag.c — tests of diag: samples and refusals for op-check.h, and the values of diagonals above
 * and below the main one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "diag", "main", NULL, { "f32[3,4]" } },
  { "diag", "above", "k=1", { "f32[3,4]" } },
  { "diag", "below", "k=-2", { "f32[3,4]" } },
  { "diag", "built", NULL, { "f32[3]" } },
  { "diag", "built above", "k=2", { "f32[2]" } },
  { "diag", "built below", "k=-1", { "f32[2]" } },
  { "diag", "other axes", "axis1=0 axis2=2", { "f32[2,3,2]" } },
  { "diag", "axes in reverse", "axis1=-1 axis2=0 k=1", { "f32[3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "diag", "outside", "k=4", { "f32[3,4]" }, "has no diagonal 4" },
  { "diag", "one axis twice", "axis1=1 axis2=-1", { "f32[3,4]" }, "are both axis 1" },
  { 0 },
};

static void
test_diagonals_lie_above_or_below (void)
{
  g_autoptr (HybTensor) above =
      op_run ("diag", "k=1", op_tensor ("f32[2,3]", 1., 2., 3., 4., 5., 6.), NULL);
  g_autoptr (HybTensor) built = op_run ("diag", "k=-1", op_tensor ("f32[1]", 7.), NULL);

  op_assert_near (above, 0, 2., 6.);
  op_assert_near (built, 0, 0., 0., 7., 0.);
}

TEST_PROGRAM (test_diag)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("diag", hyb_ops_diag, samples, refusals);
  g_test_add_func ("/engine/ops/diag/diagonals-lie-above-or-below",
                   test_diagonals_lie_above_or_below);

  return g_test_run ();
}
