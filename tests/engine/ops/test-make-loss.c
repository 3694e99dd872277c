/* test-make-loss.c — MakeLoss and make_loss from their declarations.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

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
  g_autoptr (HybTensor) y = op_run ("_backward_MakeLoss",
                                    "normalization=valid valid_thresh=0.5 grad_scale=3",
                                    op_tensor ("f32[3]", 0.5, 0.6, 2.),
                                    NULL);

  op_assert_near (y, 1e-6, 1.5, 1.5, 1.5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("make-loss", hyb_ops_make_loss, samples, NULL);
  g_test_add_func ("/engine/ops/make-loss/only-valid-values-are-counted",
                   test_only_valid_values_are_counted);

  return g_test_run ();
}
