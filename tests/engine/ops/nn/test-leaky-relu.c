/* test-leaky-relu.c — LeakyReLU: the checks of op-check.h on samples and refusals; the range of the
 * random slopes of rrelu.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "LeakyReLU", "leaky", "slope=0.1", { "f32[3,4]" } },
  { "LeakyReLU", "slope a channel", "act_type=prelu", { "f32[2,3,2]", "f32[3]" } },
  { "LeakyReLU", "one slope", "act_type=prelu", { "f32[2,3,2]", "f32[1]" }, OP_OTHER_SHAPE },
  { "LeakyReLU", "slopes of a vector", "act_type=prelu", { "f32[3]", "f32[3]" } },
  { "LeakyReLU",
    "slopes of samples",
    "act_type=prelu",
    { "f32[2,3,2]", "f32[2,1]" },
    OP_OTHER_SHAPE },
  { "LeakyReLU",
    "slopes of samples and channels",
    "act_type=prelu",
    { "f32[2,3,2]", "f32[2,3]" },
    OP_OTHER_SHAPE },
  { "LeakyReLU", "exponential", "act_type=elu slope=1", { "f32[3,4]" } },
  { "LeakyReLU", "self-normalising", "act_type=selu", { "f32[3,4]" } },
  { "LeakyReLU", "gaussian", "act_type=gelu", { "f32[3,4] -3..3" } },
  { "LeakyReLU", "random", "act_type=rrelu", { "f32[3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "LeakyReLU",
    "bounds in the wrong order",
    "act_type=rrelu lower_bound=0.5 upper_bound=0.1",
    { "f32[3]" },
    "lower_bound" },
  { "LeakyReLU",
    "slopes of another number",
    "act_type=prelu",
    { "f32[2,3]", "f32[4]" },
    "gamma cannot" },
  { "LeakyReLU",
    "slopes of single elements",
    "act_type=prelu",
    { "f32[2,3,4]", "f32[2,3,4]" },
    "gamma cannot" },
  { 0 },
};

static void
test_random_slopes_stay_in_bounds (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  gboolean differ = FALSE;

  g_ptr_array_add (inputs, op_tensor_from_text ("f32[50] = -1", 0));
  outputs =
      op_run_all ("LeakyReLU", "act_type=rrelu lower_bound=0.2 upper_bound=0.4", TRUE, inputs);
  for (gint64 i = 0; i < 50; i++)
    {
      double slope = hyb_tensor_get_value (outputs->pdata[1], i);

      g_assert_cmpfloat (slope, >=, 0.2f);
      g_assert_cmpfloat (slope, <=, 0.4f);
      g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], i), ==, -slope);
      differ = differ || slope != hyb_tensor_get_value (outputs->pdata[1], 0);
    }
  g_assert_true (differ);
}

TEST_PROGRAM (test_leaky_relu)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("leaky-relu", hyb_ops_leaky_relu, samples, refusals);
  g_test_add_func ("/engine/ops/leaky-relu/random-slopes-stay-in-bounds",
                   test_random_slopes_stay_in_bounds);

  return g_test_run ();
}
