/* test-scalar.c — tests of functions of a tensor and a number: samples for op-check.h, the type that the
 * number takes, and integer division by zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define SMOOTH                                                                                  \
  "_plus_scalar _minus_scalar _rminus_scalar _mul_scalar _div_scalar _rdiv_scalar _mod_scalar " \
  "_rmod_scalar _power_scalar _rpower_scalar _maximum_scalar _minimum_scalar _hypot_scalar "    \
  "_scatter_plus_scalar _scatter_minus_scalar"
#define STEP                                                                              \
  "_equal_scalar _not_equal_scalar _greater_scalar _greater_equal_scalar _lesser_scalar " \
  "_lesser_equal_scalar _logical_and_scalar _logical_or_scalar _logical_xor_scalar"

static const OpSample samples[] = {
  { SMOOTH, "fraction", "scalar=0.75 is_int=False", { "f32[3,4] 0.31..2" } },
  { SMOOTH, "attribute of old files alone", "scalar=1.3", { "f32[5] 0.31..2" } },
  { STEP, "floats", "scalar=1", { "f32[5] = 0,1,2,-1,nan" } },
  { SMOOTH, "integers", "scalar=2", { "i32[4] 1..4" } },
  { SMOOTH, "integers become doubles", "scalar=2.5 is_int=False", { "i32[4] 1..4" } },
  { STEP, "integers", "scalar=1", { "i64[3]" } },
  { SMOOTH, "truth values become integers", "scalar=2", { "bool[4]" } },
  { SMOOTH, "truth values become doubles", "scalar=2.5 is_int=False", { "bool[4]" } },
  { "_mul_scalar _plus_scalar", "half floats", "scalar=0.5", { "f16[3]" }, OP_SKIP_GRADIENT },
  { "_mul_scalar _equal_scalar", "no element", "scalar=2", { "f32[0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_mul_scalar", "no number", "scalar=two", { "f32[2]" }, "scalar" },
  { 0 },
};

static HybTensor *
run (const char *op, const char *attributes, const char *type)
{
  return op_run (op, attributes, op_tensor (type, 1., 2., -3.), NULL);
}

static void
test_the_scalar_takes_the_type_of_the_data (void)
{
  g_autoptr (HybTensor) a = run ("_mul_scalar", "scalar=1.5", "i32[3]");
  g_autoptr (HybTensor) b = run ("_mul_scalar", "scalar=1.5 is_int=False", "i32[3]");
  g_autoptr (HybTensor) c = run ("_greater_scalar", "scalar=1.5 is_int=False", "i8[3]");
  g_autoptr (HybTensor) d = run ("_plus_scalar", "scalar=2", "bool[3]");

  op_assert_type (a, "int32 (3,)");
  op_assert_near (a, 0, 1., 2., -3.);
  op_assert_type (b, "float64 (3,)");
  op_assert_near (b, 0, 1.5, 3., -4.5);
  op_assert_type (c, "float64 (3,)");
  op_assert_near (c, 0, 0., 1., 0.);
  op_assert_type (d, "int64 (3,)");
  op_assert_near (d, 0, 3., 3., 3.);
}

/* −1 is the largest number of an unsigned type, and bits above the type are lost, before anything is
 * compared: MXNet 1.9.1 does so with uint8. */
static void
test_a_scalar_outside_of_an_unsigned_type_wraps (void)
{
  static const struct
  {
    const char *type, *beyond; /* 2 more than the largest number, where that is a double */
    double      largest;
  } rows[] = {
    { "u8[2]", "scalar=257", 255 },
    { "u32[2]", "scalar=4294967297", 4294967295 },
    { "u64[2]", NULL, 0x1p64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      static const char *const names[] = { "_maximum_scalar", "_minimum_scalar", "_greater_scalar",
                                           "_lesser_scalar" };
      const double             want[][2] = {
                    { rows[i].largest, rows[i].largest }, { 5, 0 }, { 0, 0 }, { 1, 1 }
      };
      const double beyond[][2] = { { 5, 1 }, { 1, 0 }, { 1, 0 }, { 0, 1 } };

      for (guint k = 0; k < G_N_ELEMENTS (names); k++)
        {
          g_autoptr (HybTensor) x = op_tensor (rows[i].type, 5., 0.);
          g_autoptr (HybTensor) y = op_run (names[k], "scalar=-1", hyb_tensor_ref (x), NULL);
          g_autoptr (HybTensor) z = NULL;

          op_assert_near (y, 0, want[k][0], want[k][1]);
          if (!rows[i].beyond)
            continue;
          z = op_run (names[k], rows[i].beyond, hyb_tensor_ref (x), NULL);
          op_assert_near (z, 0, beyond[k][0], beyond[k][1]);
        }
    }
}

static void
test_integer_division_by_zero_gives_zero (void)
{
  g_autoptr (HybTensor) a = run ("_div_scalar", "scalar=0", "i32[3]");
  g_autoptr (HybTensor) b = run ("_mod_scalar", "scalar=-2", "i64[3]");

  op_assert_near (a, 0, 0., 0., 0.);
  op_assert_near (b, 0, -1., 0., -1.);
}

/* Long enough to be converted in several pieces. */
static void
test_long_conversion (void)
{
  const gint64 n = 70001;
  HybType      type = { hyb_shape_1d (n), HYB_I32 };
  HybTensor   *x = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) y = NULL;

  for (gint64 i = 0; i < n; i++)
    ((gint32 *) hyb_tensor_get_data (x))[i] = (gint32) i;
  y = op_run ("_plus_scalar", "scalar=0.5 is_int=False", x, NULL);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (y, i), ==, (double) i + 0.5);
}

TEST_PROGRAM (test_scalar)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("scalar", hyb_ops_scalar, samples, refusals);
  g_test_add_func ("/engine/ops/scalar/the-scalar-takes-the-type-of-the-data",
                   test_the_scalar_takes_the_type_of_the_data);
  g_test_add_func ("/engine/ops/scalar/a-scalar-outside-of-an-unsigned-type-wraps",
                   test_a_scalar_outside_of_an_unsigned_type_wraps);
  g_test_add_func ("/engine/ops/scalar/integer-division-by-zero-gives-zero",
                   test_integer_division_by_zero_gives_zero);
  g_test_add_func ("/engine/ops/scalar/long-conversion", test_long_conversion);

  return g_test_run ();
}
