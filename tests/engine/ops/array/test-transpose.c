/* test-transpose.c — tests of transpose, SwapAxis, reverse, depth_to_space and space_to_depth:
 * samples and refusals for op-check.h, and values of large arrays in every dtype.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "transpose", "reversed", NULL, { "f32[2,3,4]" } },
  { "transpose", "named axes", "axes=(1, 2, 0)", { "f32[2,3,4]" } },
  { "transpose", "negative axes", "axes=(-1, 0, 1)", { "f32[2,3,2]" } },
  { "transpose", "four axes", "axes=(0, 2, 3, 1)", { "f32[2,3,2,4]" } },
  { "transpose", "identity", "axes=(0, 1)", { "f32[2,3]" } },
  { "transpose", "only a size of one moves", "axes=(1, 0, 2)", { "f32[1,3,2]" } },
  { "transpose", "bytes", "axes=(1, 0)", { "u8[5,3]" } },
  { "transpose", "wide integers", "axes=(1, 0)", { "i64[5,3]" } },
  { "transpose", "half floats", "axes=(1, 0)", { "f16[5,3]" }, OP_SKIP_GRADIENT },
  { "transpose", "no element", NULL, { "f32[0,3]" } },
  { "SwapAxis", "outer and inner", "dim1=0 dim2=2", { "f32[2,3,4]" } },
  { "SwapAxis", "default", NULL, { "f32[2,3]" } },
  { "SwapAxis", "negative", "dim1=-1 dim2=-2", { "f32[2,3,4]" } },
  { "reverse", "first axis", "axis=0", { "f32[3,2]" } },
  { "reverse", "two axes", "axis=(0, -1)", { "f32[2,2,3]" } },
  { "reverse", "an axis twice", "axis=(1, 0, 1)", { "f32[2,3]" } },
  { "reverse", "no element", "axis=0", { "f32[0,3]" } },
  { "depth_to_space", "blocks of 2", "block_size=2", { "f32[1,8,2,3]" } },
  { "space_to_depth", "blocks of 2", "block_size=2", { "f32[2,2,4,2]" } },
  { "depth_to_space space_to_depth", "blocks of 1", "block_size=1", { "f32[1,2,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "transpose",
    "another number of axes",
    "axes=(0, 1, 2)",
    { "f32[2,3]" },
    "axes names 3 axes but the input has 2" },
  { "transpose", "axis twice", "axes=(0, 0)", { "f32[2,3]" }, "names axis 0 twice" },
  { "transpose", "axis outside", "axes=(0, 2)", { "f32[2,3]" }, "axis 2 is outside" },
  { "SwapAxis", "axis outside", "dim1=0 dim2=2", { "f32[2,3]" }, "axis 2 is outside" },
  { "reverse", "axis outside", "axis=2", { "f32[2,3]" }, "axis 2 is outside" },
  { "depth_to_space",
    "channels do not divide",
    "block_size=2",
    { "f32[1,6,2,2]" },
    "is not divisible by 4" },
  { "space_to_depth",
    "height does not divide",
    "block_size=2",
    { "f32[1,2,3,2]" },
    "the height, 3, is not divisible by 2" },
  { "depth_to_space", "three dimensions", "block_size=2", { "f32[4,2,2]" }, "3 dimensions, not 4" },
  { 0 },
};

static void
test_large_transposes_are_right_in_every_dtype (void)
{
  static const char *const dtypes[] = { "u8", "f16", "f32", "f64" };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autofree char *text = g_strdup_printf ("%s[70,3,45] 0..100", dtypes[i]);
      g_autoptr (HybTensor) x = op_tensor_from_text (text, 0);
      g_autoptr (HybTensor) y = op_run ("transpose", "axes=(2, 1, 0)", hyb_tensor_ref (x), NULL);

      for (gint64 a = 0; a < 70; a++)
        for (gint64 b = 0; b < 3; b++)
          for (gint64 c = 0; c < 45; c++)
            g_assert_true (hyb_tensor_get_value (x, (a * 3 + b) * 45 + c) ==
                           hyb_tensor_get_value (y, (c * 3 + b) * 70 + a));
    }
}

/* Where pairs of elements stay together, the kernel moves each pair as one element. */
static void
test_short_runs_move_together (void)
{
  g_autoptr (HybTensor) y =
      op_run ("transpose", "axes=(1, 0, 2)",
              op_tensor ("f32[2,3,2]", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.), NULL);

  op_assert_near (y, 0, 1., 2., 7., 8., 3., 4., 9., 10., 5., 6., 11., 12.);
}

static void
test_blocks_have_rows_first (void)
{
  g_autoptr (HybTensor) y =
      op_run ("depth_to_space", "block_size=2", op_tensor ("f32[1,4,1,1]", 1., 2., 3., 4.), NULL);

  op_assert_type (y, "float32 (1, 1, 2, 2)");
  op_assert_near (y, 0, 1., 2., 3., 4.);
}

TEST_PROGRAM (test_transpose)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("transpose", hyb_ops_transpose, samples, refusals);
  g_test_add_func ("/engine/ops/transpose/large-transposes-are-right-in-every-dtype",
                   test_large_transposes_are_right_in_every_dtype);
  g_test_add_func ("/engine/ops/transpose/short-runs-move-together", test_short_runs_move_together);
  g_test_add_func ("/engine/ops/transpose/blocks-have-rows-first", test_blocks_have_rows_first);

  return g_test_run ();
}
