/* test-cumsum.c — tests of cumsum and _running_sum: samples and refusals for
 * op-check.h, sums that wrap, and lines beside each other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "cumsum", "flattened", NULL, { "f32[2,3]" } },
  { "cumsum", "first axis", "axis=0", { "f32[3,2,2]" } },
  { "cumsum", "middle axis", "axis=1", { "f32[2,3,2]" } },
  { "cumsum", "last axis, from the end", "axis=-1", { "f32[2,3]" } },
  { "cumsum", "one element", "axis=0", { "f32[1]" } },
  { "cumsum", "no element", "axis=1", { "f32[2,0]" } },
  { "cumsum", "integers", "axis=0", { "i32[4,2]" } },
  { "cumsum", "long integers", NULL, { "i64[4,2]" } },
  { "cumsum", "bytes", NULL, { "u8[5]" } },
  { "cumsum", "half floats", "axis=0", { "f16[3]" }, OP_SKIP_GRADIENT },
  { "cumsum", "wider result", "axis=0 dtype=float64", { "f32[3,2]" } },
  { "cumsum", "integers of floats", "axis=0 dtype=int32", { "f32[3,2] -3..3" }, OP_SKIP_GRADIENT },
  { "_running_sum", "to the end", "axis=1", { "f32[2,3,2]" } },
  { "_running_sum", "without the element", "axis=-1 exclusive=True", { "f32[2,3]" } },
  { "_running_sum", "from the end", "axis=0 reverse=True", { "i32[3,2]" } },
  { "_running_sum", "both", "axis=1 exclusive=True reverse=True", { "f64[2,3]" } },
  { "_running_sum", "no element", "axis=1 exclusive=True", { "f32[2,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "cumsum", "axis out of range", "axis=2", { "f32[2,3]" }, "axis 2 is outside" },
  { "cumsum", "unknown type", "dtype=text", { "f32[2]" }, "dtype" },
  { 0 },
};

/* MXNet 1.9.1: cumsum ([[3.5, 400]], axis=1, dtype=int8). */
static void
test_elements_are_converted_before_they_are_added (void)
{
  g_autoptr (HybTensor) y =
      op_run ("cumsum", "axis=1 dtype=int8", op_tensor ("f32[2,2]", 3.5, 400., -1.6, 2.9), NULL);

  op_assert_near (y, 0, 3., -109., -1., 1.);
}

/* Sums of lines of five elements, `inner` of which lie side by side, are those of small integers. */
static void
check_lines (gint64 inner)
{
  HybType type = { hyb_shape_3d (2, 5, inner), HYB_F32 };
  g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
  g_autoptr (HybTensor) y = NULL;
  float *from = hyb_tensor_get_data (x), *to;

  for (gint64 i = 0; i < 10 * inner; i++)
    from[i] = (float) (i * 7919 % 23) - 11;
  y = op_run ("cumsum", "axis=1", hyb_tensor_ref (x), NULL);
  to = hyb_tensor_get_data (y);
  for (gint64 i = 0; i < 10 * inner; i++)
    g_assert_cmpfloat (to[i], ==, from[i] + (i / inner % 5 > 0 ? to[i - inner] : 0));
}

/* 1024 lines are summed at once. */
static void
test_all_widths_are_summed_line_by_line (void)
{
  for (gint64 inner = 1; inner < 140; inner++)
    {
      hyb_simd_cap ((HybSimdLevel) (inner % 3));
      check_lines (inner);
    }
  for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_lines (1023);
      check_lines (1025);
      check_lines (2051);
    }
}

/* Checks one element against the sum of those before it, all small whole numbers, or behind it. */
static void
check_sum (HybTensor *x, HybTensor *y, gint64 at, guint how)
{
  gboolean exclusive = how & 1, reverse = how >> 1 & 1;
  HybDType dtype = hyb_tensor_get_dtype (x);
  gint64   length = hyb_tensor_get_shape (x)->dim[1], inner = hyb_tensor_get_shape (x)->dim[2];
  gint64   k = at / inner % length, base = at - k * inner;
  double   sum = 0;

  for (gint64 j = 0; j < length; j++)
    if (reverse ? j > k : j < k)
      sum += hyb_dtype_get_double (hyb_tensor_get_data (x), dtype, (gsize) (base + j * inner));
  if (!exclusive)
    sum += hyb_dtype_get_double (hyb_tensor_get_data (x), dtype, (gsize) at);
  g_assert_cmpfloat (hyb_dtype_get_double (hyb_tensor_get_data (y), dtype, (gsize) at), ==, sum);
}

static void
test_all_types_are_summed_from_both_ends (void)
{
  static const HybDType    dtypes[] = { HYB_F32, HYB_F64, HYB_I8, HYB_I32, HYB_I64 };
  static const char *const attributes[] = { "axis=1", "axis=1 exclusive=True",
                                            "axis=1 reverse=True",
                                            "axis=1 exclusive=True reverse=True" };

  for (guint round = 0; round < 240; round++)
    {
      gint64  length = 1 + round / 3 % 3 * 8, inner = 1 + round * 7 % 139;
      HybType type = { hyb_shape_3d (3, length, inner), dtypes[round % G_N_ELEMENTS (dtypes)] };
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) y = NULL;

      for (gint64 i = 0; i < 3 * length * inner; i++)
        hyb_dtype_set_double (hyb_tensor_get_data (x), type.dtype, (gsize) i,
                              (double) (i * 7919 % 13) - 6);
      hyb_simd_cap ((HybSimdLevel) (round % 3));
      y = op_run ("_running_sum", attributes[round / 5 % 4], hyb_tensor_ref (x), NULL);
      for (gint64 i = 0; i < 3 * length * inner; i++)
        check_sum (x, y, i, round / 5 % 4);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* A sum minus the element itself would be NaN, and 0. */
static void
test_an_excluded_element_does_not_change_its_sum (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_running_sum", "axis=1 exclusive=True",
              op_tensor ("f32[2,3]", 1., INFINITY, 2., 1., 0x1p90, -0x1p90), NULL);

  op_assert_near (y, 0, 0., 1., INFINITY, 0., 1., 0x1p90);
}

TEST_PROGRAM (test_cumsum)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("cumsum", hyb_ops_cumsum, samples, refusals);
  g_test_add_func ("/engine/ops/cumsum/elements-are-converted-before-they-are-added",
                   test_elements_are_converted_before_they_are_added);
  g_test_add_func ("/engine/ops/cumsum/all-widths-are-summed-line-by-line",
                   test_all_widths_are_summed_line_by_line);
  g_test_add_func ("/engine/ops/cumsum/all-types-are-summed-from-both-ends",
                   test_all_types_are_summed_from_both_ends);
  g_test_add_func ("/engine/ops/cumsum/an-excluded-element-does-not-change-its-sum",
                   test_an_excluded_element_does_not_change_its_sum);
  return g_test_run ();
}
