/* test-moments.c — tests of moments: samples and refusals for op-check.h, and the precision of the
 * variance around a large mean.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "moments", "first axis", "axes=(0,)", { "f32[4,3]" } },
  { "moments", "two axes", "axes=(0,2)", { "f32[2,3,4]" } },
  { "moments", "axes stay", "axes=(0,-1) keepdims=True", { "f32[2,3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "moments", "no axes", NULL, { "f32[2]" }, "needs axes" },
  { "moments", "axis out of range", "axes=(1,)", { "f32[2]" }, "axis 1" },
  { 0 },
};

/* Computed as the mean of squares minus the square of the mean, the variance would cancel out. */
static void
test_a_large_mean_does_not_harm_the_variance (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, op_tensor ("f32[4]", 1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3));
  outputs = op_run_all ("moments", "axes=(0,)", FALSE, inputs);
  op_assert_near (outputs->pdata[0], 1e-6, 1e6 + 1.5);
  op_assert_near (outputs->pdata[1], 1e-6, 1.25);
}

TEST_PROGRAM (test_moments)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("moments", hyb_ops_moments, samples, refusals);
  g_test_add_func ("/engine/ops/moments/a-large-mean-does-not-harm-the-variance",
                   test_a_large_mean_does_not_harm_the_variance);

  return g_test_run ();
}
