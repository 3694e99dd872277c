/* test-argmax.c — tests of argmax, argmin and argmax_channel: samples and refusals for op-check.h, and
 * the treatment of equal elements and NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_npi_argmax _npi_argmin", "last axis", "axis=-1", { "f32[3,4]" } },
  { "_npi_argmax _npi_argmin", "vector", "axis=0", { "i32[4]" } },
  { "_npi_argmax _npi_argmin", "flattened", NULL, { "f32[3,4]" } },
  { "_npi_argmax _npi_argmin", "flattened, axes kept", "keepdims=True", { "f64[3,4]" } },
  { "_npi_argmax _npi_argmin", "no dimensions", NULL, { "f32[]" } },
  { "argmax argmin", "last axis", "axis=-1", { "f32[3,4]" } },
  { "argmax argmin", "kept axis", "axis=0 keepdims=True", { "f32[3,4]" } },
  { "argmax argmin", "flattened", NULL, { "f32[3,4]" } },
  { "argmax argmin", "flattened, axes kept", "keepdims=True", { "f32[3,4]" } },
  { "argmax argmin", "integers", "axis=1", { "i32[3,4]" } },
  { "argmax argmin", "half floats", "axis=1", { "f16[3,4]" } },
  { "argmax argmin", "no lines", "axis=1", { "f32[2,3,0]" } },
  { "argmax argmin", "no columns", "axis=1", { "f32[0,3]" } },
  { "argmax_channel", "matrix", NULL, { "f32[3,4]" } },
  { "argmax_channel", "images", NULL, { "f32[2,3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "argmax", "axis outside", "axis=2", { "f32[3,4]" }, "axis 2 is outside" },
  { "argmin", "empty axis", "axis=1", { "f32[3,0]" }, "axis 1 is empty" },
  { "argmax_channel", "one dimension", NULL, { "f32[3]" }, "axis 1 is outside" },
  { 0 },
};

static void
test_the_first_of_equals_counts (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[2,4]", 1., 3., 3., 1., 0., 0., -1., -1.);
  g_autoptr (HybTensor) most = op_run ("argmax", "axis=1", hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) least = op_run ("argmin", "axis=1", hyb_tensor_ref (x), NULL);

  op_assert_type (most, "float32 (2,)");
  op_assert_near (most, 0, 1., 0.);
  op_assert_near (least, 0, 0., 2.);
}

static void
test_the_first_nan_is_extreme (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[2,3]", 5., NAN, 9., NAN, -7., NAN);
  g_autoptr (HybTensor) most = op_run ("argmax", "axis=1", hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) least = op_run ("argmin", "axis=1", hyb_tensor_ref (x), NULL);

  op_assert_near (most, 0, 1., 0.);
  op_assert_near (least, 0, 1., 0.);
}

/* The index of the extreme element of a line whose elements, from x[at] on, are `stride` apart, by a plain loop. */
static gint64
find_extreme (HybTensor *x, gint64 at, gint64 length, gint64 stride, gboolean is_smallest)
{
  gconstpointer data = hyb_tensor_get_data (x);
  HybDType      dtype = hyb_tensor_get_dtype (x);
  gint64        best = 0;

  for (gint64 k = 0; k < length; k++)
    {
      double value = hyb_dtype_get_double (data, dtype, (gsize) (at + k * stride));
      double old = hyb_dtype_get_double (data, dtype, (gsize) (at + best * stride));

      if (isnan (value))
        return k;
      if (is_smallest ? value < old : value > old)
        best = k;
    }
  return best;
}

/* Small whole numbers, many of them equal, infinities and, in floats, some NaN. */
static HybTensor *
numbers (const HybShape *shape, HybDType dtype)
{
  HybType    type = { *shape, dtype };
  HybTensor *x = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_shape_size (shape); i++)
    {
      double value = g_test_rand_int_range (-3, 4);

      if (hyb_dtype_is_float (dtype) && g_test_rand_int_range (0, 150) == 0)
        value = value < 0 ? NAN : value == 0 ? -INFINITY : INFINITY;
      hyb_dtype_set_double (hyb_tensor_get_data (x), dtype, (gsize) i, value);
    }
  return x;
}

/* Lines are searched in groups of 64 that lie side by side, long ones of the last axis alone. */
static void
test_all_lengths_and_widths_are_searched (void)
{
  static const HybDType dtypes[] = { HYB_F32, HYB_F64, HYB_I32, HYB_I64, HYB_U8, HYB_F16 };

  for (int round = 0; round < 300; round++)
    {
      gint64   outer = g_test_rand_int_range (1, round % 4 == 1 ? 80 : 3);
      gint64   length = g_test_rand_int_range (1, 150);
      gint64   inner = round % 2 ? 1 : g_test_rand_int_range (1, 80);
      HybShape shape = hyb_shape_3d (outer, length, inner);
      g_autoptr (HybTensor) x = numbers (&shape, dtypes[round % G_N_ELEMENTS (dtypes)]);

      hyb_simd_cap ((HybSimdLevel) (round / 12 % 3));
      for (int is_smallest = 0; is_smallest < 2; is_smallest++)
        {
          g_autoptr (HybTensor) y = op_run (is_smallest ? "_npi_argmin" : "_npi_argmax", "axis=1",
                                            hyb_tensor_ref (x), NULL);

          for (gint64 i = 0; i < outer * inner; i++)
            g_assert_cmpint (((gint64 *) hyb_tensor_get_data (y))[i], ==,
                             find_extreme (x, i / inner * length * inner + i % inner, length, inner,
                                           is_smallest));
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* As doubles, these integers are equal. */
static void
test_long_integers_are_compared_exactly (void)
{
  for (gint64 inner = 1; inner <= 9; inner += 8)
    for (gint64 length = 2; length < 100; length++)
      {
        HybType type = { hyb_shape_2d (length, inner), HYB_I64 };
        g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
        g_autoptr (HybTensor) y = NULL;
        gint64 *data = hyb_tensor_get_data (x);

        for (gint64 i = 0; i < length * inner; i++)
          data[i] = G_MAXINT64 - 1 + (i / inner == length / 2);
        y = op_run ("_npi_argmax", "axis=0", hyb_tensor_ref (x), NULL);
        for (gint64 i = 0; i < inner; i++)
          g_assert_cmpint (((gint64 *) hyb_tensor_get_data (y))[i], ==, length / 2);
      }
}

TEST_PROGRAM (test_argmax)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("argmax", hyb_ops_argmax, samples, refusals);
  g_test_add_func ("/engine/ops/argmax/the-first-of-equals-counts",
                   test_the_first_of_equals_counts);
  g_test_add_func ("/engine/ops/argmax/the-first-nan-is-extreme", test_the_first_nan_is_extreme);
  g_test_add_func ("/engine/ops/argmax/all-lengths-and-widths-are-searched",
                   test_all_lengths_and_widths_are_searched);
  g_test_add_func ("/engine/ops/argmax/long-integers-are-compared-exactly",
                   test_long_integers_are_compared_exactly);

  return g_test_run ();
}
