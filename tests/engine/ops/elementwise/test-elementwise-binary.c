/* test-elementwise-binary.c — tests of functions of two tensors of the same shape and of add_n: samples
 * and refusals for op-check.h, and special values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "elemwise_add elemwise_sub elemwise_mul _maximum _minimum _grad_add",
    "two axes",
    NULL,
    { "f32[3,4]", "f32[3,4]" } },
  { "elemwise_div _scatter_elemwise_div _hypot _power _mod",
    "positive",
    NULL,
    { "f32[3,4] 0.3..2", "f32[3,4] 0.5..1.5" } },
  { "_equal _not_equal _greater _greater_equal _lesser _lesser_equal",
    "floats",
    NULL,
    { "f32[5]", "f32[5]" } },
  { "_logical_and _logical_or _logical_xor",
    "floats",
    NULL,
    { "f32[4] = 0,0,2,-1", "f32[4] = 0,3,0,1" } },
  { "elemwise_add elemwise_mul elemwise_div _mod _power _maximum _equal _logical_xor",
    "integers",
    NULL,
    { "i32[2,3] 0..5", "i32[2,3] 1..3" } },
  { "elemwise_add elemwise_sub elemwise_mul _lesser", "bytes", NULL, { "u8[7]", "u8[7]" } },
  { "elemwise_add elemwise_mul _logical_or", "truth values", NULL, { "bool[4]", "bool[4]" } },
  { "elemwise_add _maximum", "16-bit integers", NULL, { "i16[3]", "i16[3]" } },
  { "elemwise_add elemwise_mul", "half floats", NULL, { "f16[3]", "f16[3]" }, OP_SKIP_GRADIENT },
  { "elemwise_add elemwise_mul _greater", "no element", NULL, { "f32[0,3]", "f32[0,3]" } },
  { "elemwise_add", "no axis", NULL, { "f32[]", "f32[]" } },
  { "add_n", "one", "num_args=1", { "f32[2,3]" } },
  { "add_n", "three", "num_args=3", { "f32[2,3]", "f32[2,3]", "f32[2,3]" } },
  { "add_n", "integers", "num_args=2", { "i64[5]", "i64[5]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "elemwise_add", "two shapes", NULL, { "f32[2,3]", "f32[3,2]" }, "(2, 3)" },
  { "elemwise_mul", "two types", NULL, { "f32[2]", "i32[2]" }, "int32" },
  { "add_n", "no input", "num_args=0", { NULL }, "num_args" },
  { 0 },
};

static HybTensor *
run_triples (const char *op, const char *type, const double *a, const double *b)
{
  return op_run (op, NULL, op_tensor (type, a[0], a[1], a[2]), op_tensor (type, b[0], b[1], b[2]),
                 NULL);
}

static void
test_integer_division_truncates_and_never_traps (void)
{
  g_autoptr (HybTensor) y = run_triples ("elemwise_div", "i32[3]", (double[]){ 7, -7, G_MININT32 },
                                         (double[]){ 2, 2, -1 });
  g_autoptr (HybTensor) z =
      run_triples ("elemwise_div", "i64[3]", (double[]){ 5, 0, -9 }, (double[]){ 0, 0, 4 });

  op_assert_near (y, 0, 3., -3., (double) G_MININT32);
  op_assert_near (z, 0, 0., 0., -2.);
}

static void
test_remainder_has_the_sign_of_the_divisor (void)
{
  g_autoptr (HybTensor) y =
      run_triples ("_mod", "i32[3]", (double[]){ 5, -5, 5 }, (double[]){ 3, 3, -3 });
  g_autoptr (HybTensor) z =
      run_triples ("_mod", "i8[3]", (double[]){ -128, -128, 7 }, (double[]){ -1, 0, 4 });
  g_autoptr (HybTensor) w =
      run_triples ("_mod", "f64[3]", (double[]){ -0.5, 4, 7.5 }, (double[]){ 2, 0, -2 });

  op_assert_near (y, 0, 2., 1., -1.);
  op_assert_near (z, 0, 0., 0., 3.);
  op_assert_near (w, 0, 1.5, 0., -0.5);
}

static void
test_integers_wrap (void)
{
  g_autoptr (HybTensor) y =
      run_triples ("elemwise_add", "i32[3]", (double[]){ G_MAXINT32, 1, 0 }, (double[]){ 1, 1, 0 });
  g_autoptr (HybTensor) z =
      run_triples ("elemwise_mul", "u8[3]", (double[]){ 16, 255, 3 }, (double[]){ 16, 255, 3 });
  g_autoptr (HybTensor) w =
      run_triples ("_power", "i32[3]", (double[]){ 2, -2, 10 }, (double[]){ 10, 3, 40 });

  op_assert_near (y, 0, (double) G_MININT32, 2., 0.);
  op_assert_near (z, 0, 0., 1., 9.);
  g_assert_cmpfloat (hyb_tensor_get_value (w, 0), ==, 1024);
  g_assert_cmpfloat (hyb_tensor_get_value (w, 1), ==, -8);
}

static void
test_extrema_keep_nan_from_either_side (void)
{
  g_autoptr (HybTensor) y =
      run_triples ("_maximum", "f32[3]", (double[]){ NAN, 1, 2 }, (double[]){ 1, NAN, 3 });
  g_autoptr (HybTensor) z =
      run_triples ("_minimum", "f64[3]", (double[]){ NAN, 1, 2 }, (double[]){ 1, NAN, 3 });

  op_assert_near (y, 0, NAN, NAN, 3.);
  op_assert_near (z, 0, NAN, NAN, 2.);
}

static void
test_truth_values_stay_zero_or_one (void)
{
  g_autoptr (HybTensor) y =
      run_triples ("elemwise_add", "bool[3]", (double[]){ 0, 1, 1 }, (double[]){ 0, 0, 1 });

  op_assert_near (y, 0, 0., 1., 1.);
}

/* Longer than one piece of add_n and than one thread's share. */
static void
test_many_terms_of_a_long_array (void)
{
  const gint64 n = 100003;
  HybType      type = { hyb_shape_1d (n), HYB_F32 };
  HybTensor   *a = hyb_tensor_new (&type, NULL), *b = hyb_tensor_new (&type, NULL);
  HybTensor   *c = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) y = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      ((float *) hyb_tensor_get_data (a))[i] = (float) (i % 1000);
      ((float *) hyb_tensor_get_data (b))[i] = (float) (i % 7);
      ((float *) hyb_tensor_get_data (c))[i] = 0.5f;
    }
  y = op_run ("add_n", "num_args=3", a, b, c, NULL);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (y, i), ==, (double) (i % 1000 + i % 7) + 0.5);
}

TEST_PROGRAM (test_elementwise_binary)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("elementwise-binary", hyb_ops_elementwise_binary, samples, refusals);
#define ADD(name, function) g_test_add_func ("/engine/ops/elementwise-binary/" name, function)
  ADD ("integer-division-truncates-and-never-traps",
       test_integer_division_truncates_and_never_traps);
  ADD ("remainder-has-the-sign-of-the-divisor", test_remainder_has_the_sign_of_the_divisor);
  ADD ("integers-wrap", test_integers_wrap);
  ADD ("extrema-keep-nan-from-either-side", test_extrema_keep_nan_from_either_side);
  ADD ("truth-values-stay-zero-or-one", test_truth_values_stay_zero_or_one);
  ADD ("many-terms-of-a-long-array", test_many_terms_of_a_long_array);
#undef ADD

  return g_test_run ();
}
