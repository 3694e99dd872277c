/* test-reduce.c — tests of sum, mean, prod, max, min and their relatives: samples and refusals for
 * op-check.h, infinities and NaN, and the precision of sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "*", "everything", NULL, { "f32[2,3]" } },
  { "*", "last axis", "axis=1", { "f32[4,5]" } },
  { "*", "first axis", "axis=0", { "f32[4,5]" } },
  { "*", "middle axis kept", "axis=(0,2) keepdims=True", { "f32[2,3,2]" } },
  { "*", "middle axis", "axis=-2", { "f32[2,3,2]" } },
  { "*", "all but one", "axis=1 exclude=True", { "f32[2,3,2]" } },
  { "*", "alternating axes", "axis=(0,2,4)", { "f32[2,2,3,2,2]" } },
  { "*", "no axes listed", "axis=()", { "f32[3]" } },
  { "*", "axis of one element", "axis=0", { "f32[1,4]" } },
  { "*", "integers", "axis=0", { "i32[3,2] 1..3" } },
  { "sum mean max min prod", "negative integers", "axis=0", { "i32[3,2] = -7,-1,2,3,1,-9" } },
  { "*", "bytes", "axis=1", { "u8[2,20] 1..2" } },
  { "*", "truth values", "axis=0", { "bool[3,2]" } },
  { "*", "half floats", "axis=0", { "f16[3,2]" }, OP_SKIP_GRADIENT },
  { "*", "nothing left over", "axis=1", { "f32[0,3]" } },
  { "sum prod nansum nanprod", "nothing to reduce", "axis=1", { "f32[2,0]" } },
  { "mean", "no integers to reduce", "axis=1", { "i32[2,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "sum", "axis out of range", "axis=2", { "f32[2,3]" }, "axis 2" },
  { "sum", "axis listed twice", "axis=(0,-2)", { "f32[2,3]" }, "listed twice" },
  { 0 },
};

#define ROWS op_tensor ("f32[3,3]", 1., NAN, 2., INFINITY, 1., 2., -INFINITY, INFINITY, 0.)

static void
test_nan_and_infinity (void)
{
  g_autoptr (HybTensor) sum = op_run ("sum", "axis=1", ROWS, NULL);
  g_autoptr (HybTensor) max = op_run ("max", "axis=1", ROWS, NULL);
  g_autoptr (HybTensor) min = op_run ("min", "axis=1", ROWS, NULL);
  g_autoptr (HybTensor) nansum = op_run ("nansum", "axis=1", ROWS, NULL);
  /* As in MXNet, whose compensated sum becomes NaN if a number follows an infinity. */
  g_autoptr (HybTensor) late =
      op_run ("nansum", "axis=0",
              op_tensor ("f32[2,3]", INFINITY, 1., -INFINITY, 1., INFINITY, NAN), NULL);
  g_autoptr (HybTensor) nanprod = op_run ("nanprod", "axis=1", ROWS, NULL);

  op_assert_near (late, 0, NAN, INFINITY, -INFINITY);
  op_assert_near (sum, 0, NAN, INFINITY, NAN);
  op_assert_near (max, 0, NAN, INFINITY, INFINITY);
  op_assert_near (min, 0, NAN, 1., -INFINITY);
  op_assert_near (nansum, 0, 3., NAN, NAN);
  op_assert_near (nanprod, 0, 2., INFINITY, NAN);
}

static void
test_nothing_to_reduce (void)
{
  g_autoptr (HybTensor) sum = op_run ("sum", "axis=1", op_tensor ("f32[2,0]"), NULL);
  g_autoptr (HybTensor) prod = op_run ("prod", "axis=1", op_tensor ("i32[2,0]"), NULL);
  g_autoptr (HybTensor) mean = op_run ("mean", "axis=1", op_tensor ("i32[2,0]"), NULL);
  g_autoptr (HybTensor) max = op_run ("max", "axis=1", op_tensor ("f32[1,0]"), NULL);

  op_assert_near (sum, 0, 0., 0.);
  op_assert_near (prod, 0, 1., 1.);
  op_assert_near (mean, 0, 0., 0.);
  op_assert_near (max, 0, -INFINITY);
}

static void
test_means_of_integers_truncate (void)
{
  g_autoptr (HybTensor) y =
      op_run ("mean", "axis=1", op_tensor ("i32[2,2]", 1., 2., -1., -2.), NULL);

  op_assert_near (y, 0, 1., -1.);
}

static void
test_every_extremum_gets_the_gradient (void)
{
  g_autoptr (HybTensor) dx =
      op_run ("_backward_max", "axis=1", op_tensor ("f32[2]", 5., 7.),
              op_tensor ("f32[2,3]", 1., 2., 2., 0., 0., 0.), op_tensor ("f32[2]", 2., 0.), NULL);

  op_assert_near (dx, 0, 0., 5., 5., 7., 7., 7.);
}

/* 16777216 + 1 cannot be represented in float32.  Floats are added eight at a time before their sum
 * is a double, so that at most one of the ones is lost. */
static void
test_long_sums_keep_small_terms (void)
{
  const gint64 n = 300000;
  HybType      type = { hyb_shape_1d (n), HYB_F32 };
  HybTensor   *x = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) y = NULL;

  for (gint64 i = 0; i < n; i++)
    ((float *) hyb_tensor_get_data (x))[i] = i == 0 ? 16777216.f : i < 300 ? 1.f : 0.f;
  y = op_run ("sum", NULL, x, NULL);
  g_assert_cmpfloat (fabs ((double) *(float *) hyb_tensor_get_data (y) - (16777216. + 299)), <=, 2);
}

TEST_PROGRAM (test_reduce)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("reduce", hyb_ops_reduce, samples, refusals);
#define ADD(name, function) g_test_add_func ("/engine/ops/reduce/" name, function)
  ADD ("nan-and-infinity", test_nan_and_infinity);
  ADD ("nothing-to-reduce", test_nothing_to_reduce);
  ADD ("means-of-integers-truncate", test_means_of_integers_truncate);
  ADD ("every-extremum-gets-the-gradient", test_every_extremum_gets_the_gradient);
  ADD ("long-sums-keep-small-terms", test_long_sums_keep_small_terms);
#undef ADD

  return g_test_run ();
}
