/* test-softmax.c — what the common operator checks cannot know about softmax.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "softmax", "last axis", NULL, { "f32[4,7]" } },
  { "softmax", "first axis", "axis=0", { "f32[4,7]" } },
  { "softmax", "cold", "temperature=0.1", { "f32[2,3,5]" } },
  { "softmax", "axis in the middle", "axis=1", { "f32[2,3,5]" } },
  { "softmax", "single element", NULL, { "f32[1]" } },
  { "softmax", "no element", NULL, { "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "softmax", "axis out of range", "axis=3", { "f32[4,7]" }, "axis 3 is outside" },
  { "softmax", "axis is no number", "axis=first", { "f32[4,7]" }, "axis" },
  { 0 },
};

static void
test_large_inputs_stay_finite (void)
{
  g_autoptr (HybTensor) y = op_run ("softmax", NULL, op_tensor ("f32[3]", 1e4, 1e4, 1e4), NULL);

  op_assert_near (y, 1e-6, 1 / 3., 1 / 3., 1 / 3.);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax", hyb_ops_softmax, samples, refusals);
  g_test_add_func ("/engine/ops/softmax/large-inputs-stay-finite", test_large_inputs_stay_finite);

  return g_test_run ();
}
