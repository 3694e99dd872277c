/* test-quantise-dynamic.c — tests of _quantise_dynamically: samples for op-check.h, and ranges beside ONNX's definition at
 * each level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_quantise_dynamically", "numbers", NULL, { "f32[2,3]" } },
  { "_quantise_dynamically", "nothing", NULL, { "f32[0,3]" } },
  { 0 },
};

static void
check_range (gint64 n, double low, double high)
{
  HybType type = { hyb_shape_1d (n), HYB_F32 };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
  g_autoptr (GError) error = NULL;
  HybTensor        *y[3] = { NULL };
  float            *from = hyb_tensor_get_data (x), smallest = 0, largest = 0, scale, zero;
  HybImperativeCall call = { .op = hyb_op_find ("_quantise_dynamically"),
                             .n_inputs = 1,
                             .inputs = &x,
                             .outputs = y,
                             .has_scalars = TRUE };

  for (gint64 i = 0; i < n; i++)
    {
      from[i] = i % 97 == 96 ? NAN : (float) g_test_rand_double_range (low, high);
      smallest = fminf (smallest, from[i]);
      largest = fmaxf (largest, from[i]);
    }
  g_assert_true (hyb_imperative_call (&call, NULL, &error));
  g_assert_no_error (error);
  scale = (largest - smallest) / 255;
  scale = scale == 0 ? 1 : scale;
  zero = rintf (-smallest / scale);
  g_assert_cmpfloat (hyb_tensor_get_value (y[1], 0), ==, (double) scale);
  g_assert_cmpfloat (hyb_tensor_get_value (y[2], 0), ==, (double) zero);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (y[0], i), ==,
                       isnan (from[i])
                           ? 0
                           : CLAMP ((double) rintf (from[i] / scale) + (double) zero, 0, 255));
  for (guint i = 0; i < 3; i++)
    hyb_tensor_unref (y[i]);
}

/* Sizes below and above vectors, groups of four of them, and slices. */
static void
test_range_holds_zero (void)
{
  static const gint64 sizes[] = { 1, 3, 4, 15, 16, 17, 63, 64, 65, 300, 32768, 32769, 70001 };

  for (guint level = 0; level <= HYB_SIMD_AVX512; level++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        hyb_simd_cap ((HybSimdLevel) level);
        check_range (sizes[i], -3, 5);
        check_range (sizes[i], 2, 5);
        check_range (sizes[i], -7, -5);
      }
  check_range (5, 0, 0);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_quantise_dynamic)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("quantise-dynamic", hyb_ops_quantise_dynamic, samples, NULL);
  g_test_add_func ("/engine/ops/quantise-dynamic/range-holds-zero", test_range_holds_zero);
  return g_test_run ();
}
