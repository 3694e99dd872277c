/* test-cumsum.c — tests of cumsum: samples and refusals for
 * op-check.h, sums that wrap, and lines beside each other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

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

/* Lines are summed in groups of 64 that lie side by side. */
static void
test_all_widths_are_summed_line_by_line (void)
{
  for (gint64 inner = 1; inner < 140; inner++)
    {
      HybType type = { hyb_shape_3d (2, 5, inner), HYB_F32 };
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) y = NULL;
      float *from = hyb_tensor_get_data (x), *to;

      for (gint64 i = 0; i < 10 * inner; i++)
        from[i] = (float) (i * 7919 % 23) - 11;
      hyb_simd_cap ((HybSimdLevel) (inner % 3));
      y = op_run ("cumsum", "axis=1", hyb_tensor_ref (x), NULL);
      to = hyb_tensor_get_data (y);
      for (gint64 i = 0; i < 10 * inner; i++)
        g_assert_cmpfloat (to[i], ==,
                           from[i] + (i / inner % 5 > 0 ? to[i - inner] : 0)); /* small integers */
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_cumsum)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("cumsum", hyb_ops_cumsum, samples, refusals);
  g_test_add_func ("/engine/ops/cumsum/elements-are-converted-before-they-are-added",
                   test_elements_are_converted_before_they_are_added);
  g_test_add_func ("/engine/ops/cumsum/all-widths-are-summed-line-by-line",
                   test_all_widths_are_summed_line_by_line);
  return g_test_run ();
}
