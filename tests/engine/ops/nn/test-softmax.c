/* test-softmax.c — softmax, softmin and log_softmax: the checks of op-check.h on samples and
 * refusals; large inputs, lengths, temperature.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "softmax softmin log_softmax", "last axis", NULL, { "f32[4,7]" } },
  { "softmax softmin log_softmax", "first axis", "axis=0", { "f32[4,7]" } },
  { "softmax", "cold", "temperature=0.1", { "f32[2,3,5]" } },
  { "softmin log_softmax", "warm", "temperature=2.5", { "f32[2,3,5]" } },
  { "softmax softmin log_softmax", "axis in the middle", "axis=1", { "f32[2,3,5]" } },
  { "softmax", "more rows side by side than a block", "axis=0", { "f32[2,40]" } },
  { "softmax softmin log_softmax", "single element", NULL, { "f32[1]" } },
  { "softmax softmin log_softmax", "no element", NULL, { "f32[0,3]" } },
  { "softmax", "lengths", "use_length=True", { "f32[3,4]", "i32[3] = 4,0,2" } },
  { "softmax",
    "lengths across an axis",
    "axis=1 use_length=True",
    { "f32[2,4,3]", "i64[2,3] = 1,2,3,4,0,9" } },
  { "softmax log_softmax", "wider output", "dtype=float64", { "f32[2,3]" }, OP_COARSE },
  { "softmax", "a vector and its length", "use_length=True", { "f32[5]", "i32[1] = 3" } },
  { "softmax softmin log_softmax", "half floats", NULL, { "f16[2,3]" }, OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "softmax", "axis out of range", "axis=3", { "f32[4,7]" }, "axis 3 is outside" },
  { "softmax", "axis is no number", "axis=first", { "f32[4,7]" }, "axis" },
  { "softmax",
    "length is no integer",
    "use_length=True",
    { "f32[4,7]", "f32[4]" },
    "must be int32 or int64" },
  { "softmax", "length of another shape", "use_length=True", { "f32[4,7]", "i32[7]" }, "length: " },
  { 0 },
};

static void
test_large_inputs_stay_finite (void)
{
  g_autoptr (HybTensor) y = op_run ("softmax", NULL, op_tensor ("f32[3]", 1e4, 1e4, 1e4), NULL);
  g_autoptr (HybTensor) z = op_run ("log_softmax", NULL, op_tensor ("f32[2]", 0., 1e4), NULL);

  op_assert_near (y, 1e-6, 1 / 3., 1 / 3., 1 / 3.);
  op_assert_near (z, 1e-6, -1e4, 0.);
}

static void
test_positions_past_the_length_are_zero (void)
{
  g_autoptr (HybTensor) y =
      op_run ("softmax", "use_length=True", op_tensor ("f32[2,3]", 1., 1., 5., 2., 3., 4.),
              op_tensor ("i32[2]", 2., 0.), NULL);

  op_assert_near (y, 1e-6, 0.5, 0.5, 0., 0., 0., 0.);
}

static void
test_temperature_divides_the_input (void)
{
  g_autoptr (HybTensor) y =
      op_run ("softmax", "temperature=2", op_tensor ("f32[2]", 0., 2.1972246), NULL);

  op_assert_near (y, 1e-6, 0.25, 0.75);
}

TEST_PROGRAM (test_softmax)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("softmax", hyb_ops_softmax, samples, refusals);
  g_test_add_func ("/engine/ops/softmax/large-inputs-stay-finite", test_large_inputs_stay_finite);
  g_test_add_func ("/engine/ops/softmax/positions-past-the-length-are-zero",
                   test_positions_past_the_length_are_zero);
  g_test_add_func ("/engine/ops/softmax/temperature-divides-the-input",
                   test_temperature_divides_the_input);

  return g_test_run ();
}
