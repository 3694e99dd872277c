/* test-quantise-linear.c — tests of _quantise_linear and _dequantise_linear: samples and refusals for op-check.h, and every
 * element beside its definition at each level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_quantise_linear", "one scale", NULL, { "f32[2,3]", "f32[] = 0.25", "f32[] = 7" } },
  { "_quantise_linear",
    "by channel",
    "out_type=int8",
    { "f32[2,3]", "f32[2,1]", "f32[2,1] = 1,-2" } },
  { "_quantise_linear", "by column", NULL, { "f32[2,3]", "f32[3]", "f32[3] = 0,1,2" } },
  { "_quantise_linear", "nothing", NULL, { "f32[0,3]", "f32[]", "f32[]" } },
  { "_dequantise_linear", "one scale", NULL, { "u8[2,3]", "f32[] = 0.25", "f32[] = 7" } },
  { "_dequantise_linear", "by column", NULL, { "i8[2,3]", "f32[3]", "f32[3] = 0,1,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_quantise_linear",
    "a scale of another size",
    NULL,
    { "f32[2,3]", "f32[2]", "f32[]" },
    "its scale has 2 elements along an axis of the data of 3" },
  { "_quantise_linear",
    "more axes",
    NULL,
    { "f32[3]", "f32[]", "f32[1,3]" },
    "its zero has 2 axes" },
  { "_dequantise_linear", "floats", NULL, { "f32[3]", "f32[]", "f32[]" }, "int8 and uint8" },
  { 0 },
};

/* round (x / scale) + zero, saturated. */
static double
quantised (float x, float scale, float zero, gboolean is_signed)
{
  double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  double value = (double) rintf (x / scale) + (double) zero;

  return isnan (value) ? low : CLAMP (value, low, high);
}

static void
test_each_element_is_rounded_and_limited (void)
{
  static const float special[] = { NAN, INFINITY, -INFINITY, 0.5f, 1.5f, -2.5f, 1e30f, -1e30f };

  for (int round = 0; round < 120; round++)
    {
      gboolean is_signed = round % 2, by_column = round / 2 % 2;
      HybType  type = { hyb_shape_2d (3, g_test_rand_int_range (1, 600)), HYB_F32 };
      HybType  one = { by_column ? hyb_shape_1d (type.shape.dim[1]) : hyb_shape_1d (1), HYB_F32 };
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) scale = hyb_tensor_new (&one, NULL);
      g_autoptr (HybTensor) zero = hyb_tensor_new (&one, NULL);
      g_autoptr (HybTensor) y = NULL;
      g_autoptr (HybTensor) back = NULL;
      float *from = hyb_tensor_get_data (x), *by = hyb_tensor_get_data (scale);
      float *plus = hyb_tensor_get_data (zero);
      gint64 n = type.shape.dim[1];

      hyb_simd_cap ((HybSimdLevel) (round / 4 % 3));
      for (gint64 i = 0; i < 3 * n; i++)
        from[i] = i % 11 == 3 ? special[i / 11 % G_N_ELEMENTS (special)]
                              : (float) g_test_rand_double_range (-200, 200);
      for (gint64 i = 0; i < one.shape.dim[0]; i++)
        {
          by[i] = i % 3 == 0 ? 1 : 0.37f;
          plus[i] = (float) g_test_rand_int_range (is_signed ? -128 : 0, is_signed ? 128 : 256);
        }
      y = op_run ("_quantise_linear", is_signed ? "out_type=int8" : "out_type=uint8",
                  hyb_tensor_ref (x), hyb_tensor_ref (scale), hyb_tensor_ref (zero), NULL);
      back = op_run ("_dequantise_linear", NULL, hyb_tensor_ref (y), hyb_tensor_ref (scale),
                     hyb_tensor_ref (zero), NULL);
      for (gint64 i = 0; i < 3 * n; i++)
        {
          gint64 at = by_column ? i % n : 0;
          double got = hyb_tensor_get_value (y, i);

          g_assert_cmpfloat (got, ==, quantised (from[i], by[at], plus[at], is_signed));
          g_assert_cmpfloat (hyb_tensor_get_value (back, i), ==,
                             (double) (((float) got - plus[at]) * by[at]));
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_quantise_linear)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("quantise-linear", hyb_ops_quantise_linear, samples, refusals);
  g_test_add_func ("/engine/ops/quantise-linear/each-element-is-rounded-and-limited",
                   test_each_element_is_rounded_and_limited);
  return g_test_run ();
}
