/* test-slice-assign.c — tests of _slice_assign and _slice_assign_scalar: samples and refusals for
 * op-check.h, and boxes with negative steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_slice_assign", "box", "begin=(0, 1) end=(2, 3)", { "f32[3,4]", "f32[2,2]" } },
  { "_slice_assign",
    "steps",
    "begin=(None, 3) end=(None, None) step=(2, -2)",
    { "f32[3,4]", "f32[2,2]" } },
  { "_slice_assign", "nothing", "begin=(2,) end=(2,)", { "f32[3,4]", "f32[0,4]" } },
  { "_slice_assign", "integers", "begin=(1,) end=(3,)", { "i8[4]", "i8[2]" } },
  { "_slice_assign_scalar", "box", "begin=(0, 1) end=(2, 3) scalar=2.5", { "f32[3,4]" } },
  { "_slice_assign_scalar", "default", "begin=(-1,) end=(None,)", { "f32[3,4]" } },
  { "_slice_assign_scalar", "nothing", "begin=(2,) end=(2,) scalar=1", { "f32[3,4]" } },
  { "_slice_assign_scalar", "half floats", "begin=(1,) end=(2,) scalar=0.5", { "f16[3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_slice_assign",
    "other shape",
    "begin=(0,) end=(2,)",
    { "f32[3]", "f32[3]" },
    "does not match" },
  { "_slice_assign",
    "too many axes",
    "begin=(0, 0) end=(1, 1)",
    { "f32[3]", "f32[1]" },
    "begin names 2 axes" },
  { "_slice_assign_scalar",
    "no step",
    "begin=(0,) end=(2,) step=(0,)",
    { "f32[3]" },
    "a step cannot be 0" },
  { "_slice_assign_scalar",
    "one end",
    "begin=(0, 0) end=(2,)",
    { "f32[3,2]" },
    "begin has 2 elements but end has 1" },
  { 0 },
};

/* MXNet 1.9.1 gives these numbers. */
static void
test_a_negative_step_writes_from_the_end (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_slice_assign", "begin=(None,) end=(None,) step=(-2,)",
              op_tensor ("f32[5]", 0., 0., 0., 0., 0.), op_tensor ("f32[3]", 1., 2., 3.), NULL);

  op_assert_near (y, 0, 3., 0., 2., 0., 1.);
}

static void
test_a_number_is_truncated_for_integers (void)
{
  g_autoptr (HybTensor) y = op_run ("_slice_assign_scalar", "begin=(1,) end=(2,) scalar=7.5",
                                    op_tensor ("i32[3]", 1., 2., 3.), NULL);

  op_assert_near (y, 0, 1., 7., 3.);
}

TEST_PROGRAM (test_slice_assign)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("slice-assign", hyb_ops_slice_assign, samples, refusals);
  g_test_add_func ("/engine/ops/slice-assign/a-negative-step-writes-from-the-end",
                   test_a_negative_step_writes_from_the_end);
  g_test_add_func ("/engine/ops/slice-assign/a-number-is-truncated-for-integers",
                   test_a_number_is_truncated_for_integers);
  return g_test_run ();
}
