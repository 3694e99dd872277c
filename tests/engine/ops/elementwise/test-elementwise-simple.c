/* test-elementwise-simple.c — tests of signs, rounding, squares and clip: samples and refusals for
 * op-check.h, and values at ties and limits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define UNARY                                                                                  \
  "sign round rint ceil floor trunc fix logical_not abs negative square zeros_like ones_like " \
  "_contrib_round_ste _contrib_sign_ste"

static const OpSample samples[] = {
  { UNARY, "both signs", NULL, { "f32[3,4]" } },
  { UNARY, "integers", NULL, { "i32[5] -2..2" } },
  { UNARY, "small integers", NULL, { "i8[5] -2..2" } },
  { UNARY, "bytes", NULL, { "u8[5]" } },
  { UNARY, "long integers", NULL, { "i64[5]" } },
  { UNARY, "truth values", NULL, { "bool[5]" } },
  { UNARY, "half floats", NULL, { "f16[3] 0.3..0.8" }, OP_SKIP_GRADIENT },
  { UNARY, "no element", NULL, { "f32[2,0]" } },
  { "clip", "floats", "a_min=-0.5 a_max=0.5", { "f32[3,4]" } },
  { "clip", "no upper bound", "a_min=-0.25 a_max=None", { "f32[4]" } },
  { "clip", "integers", "a_min=-1 a_max=2", { "i32[7] -3..3" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "clip", "bound missing", "a_min=0", { "f32[2]" }, "a_max" },
  { 0 },
};

#define HALVES op_tensor ("f32[8]", -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, NAN)

static void
test_halves (void)
{
  g_autoptr (HybTensor) a = op_run ("round", NULL, HALVES, NULL);
  g_autoptr (HybTensor) b = op_run ("rint", NULL, HALVES, NULL);
  g_autoptr (HybTensor) c = op_run ("fix", NULL, HALVES, NULL);

  op_assert_near (a, 0, -3., -2., -1., 1., 2., 3., 4., NAN);
  op_assert_near (b, 0, -3., -2., -1., 0., 1., 2., 3., NAN);
  op_assert_near (c, 0, -2., -1., 0., 0., 1., 2., 3., NAN);
}

static void
test_sign_of_nan_is_zero (void)
{
  g_autoptr (HybTensor) y = op_run ("sign", NULL, op_tensor ("f32[3]", NAN, -0., -INFINITY), NULL);

  op_assert_near (y, 0, 0., 0., -1.);
}

static void
test_the_lowest_integer_wraps (void)
{
  g_autoptr (HybTensor) a = op_run ("abs", NULL, op_tensor ("i8[2]", -128., -127.), NULL);
  g_autoptr (HybTensor) b = op_run ("negative", NULL, op_tensor ("u8[2]", 1., 0.), NULL);
  g_autoptr (HybTensor) c = op_run ("square", NULL, op_tensor ("i32[2]", 65536., -3.), NULL);

  op_assert_near (a, 0, -128., 127.);
  op_assert_near (b, 0, 255., 0.);
  op_assert_near (c, 0, 0., 9.);
}

static void
test_clip_keeps_nan_and_stays_in_small_types (void)
{
  g_autoptr (HybTensor) a =
      op_run ("clip", "a_min=-2 a_max=2", op_tensor ("f32[3]", NAN, -INFINITY, 1.), NULL);
  g_autoptr (HybTensor) b =
      op_run ("clip", "a_min=-1000 a_max=1000", op_tensor ("i8[2]", -128., 127.), NULL);
  g_autoptr (HybTensor) c =
      op_run ("clip", "a_min=-inf a_max=1.5", op_tensor ("i32[2]", -5., 5.), NULL);

  g_autoptr (HybTensor) d = op_run ("clip", "a_min=0.1 a_max=1", op_tensor ("f64[1]", 0.), NULL);

  op_assert_near (d, 0, (double) 0.1f);
  op_assert_near (a, 0, NAN, -2., 1.);
  op_assert_near (b, 0, -128., 127.);
  op_assert_near (c, 0, -5., 1.);
}

static void
test_clip_passes_the_gradient_at_its_bounds (void)
{
  g_autoptr (HybTensor) dx =
      op_run ("_backward_clip", "a_min=-1 a_max=1", op_tensor ("f32[5]", 3., 3., 3., 3., 3.),
              op_tensor ("f32[5]", -2., -1., 0., 1., NAN), NULL);

  op_assert_near (dx, 0, 0., 3., 3., 3., 3.);
}

TEST_PROGRAM (test_elementwise_simple)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("elementwise-simple", hyb_ops_elementwise_simple, samples, refusals);
#define ADD(name, function) g_test_add_func ("/engine/ops/elementwise-simple/" name, function)
  ADD ("halves", test_halves);
  ADD ("sign-of-nan-is-zero", test_sign_of_nan_is_zero);
  ADD ("the-lowest-integer-wraps", test_the_lowest_integer_wraps);
  ADD ("clip-keeps-nan-and-stays-in-small-types", test_clip_keeps_nan_and_stays_in_small_types);
  ADD ("clip-passes-the-gradient-at-its-bounds", test_clip_passes_the_gradient_at_its_bounds);
#undef ADD

  return g_test_run ();
}
