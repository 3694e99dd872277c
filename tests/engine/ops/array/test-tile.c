/* test-tile.c — tests of tile and repeat: samples and refusals for op-check.h, and the order of the
 * copies, in which the two differ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "tile", "all axes", "reps=(2, 3)", { "f32[2,2]" } },
  { "tile", "more than axes", "reps=(2, 1, 2)", { "f32[2,2]" } },
  { "tile", "fewer than axes", "reps=2", { "f32[2,3]" } },
  { "tile", "not at all", "reps=(1, 0)", { "f32[2,2]" } },
  { "tile", "integers", "reps=(2, 2)", { "i32[2,2]" } },
  { "repeat", "flattened", "repeats=2", { "f32[2,3]" } },
  { "repeat", "an axis", "repeats=3 axis=1", { "f32[2,2]" } },
  { "repeat", "negative axis", "repeats=2 axis=-2", { "f32[2,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "tile", "negative", "reps=(-1, 2)", { "f32[2,2]" }, "cannot be negative" },
  { "tile",
    "absurd size of nothing",
    "reps=(1, 9223372036854775807)",
    { "f32[0,2]" },
    "would not fit any memory" },
  { "repeat", "negative", "repeats=-1", { "f32[2,2]" }, "repeats" },
  { "repeat", "axis outside", "repeats=2 axis=2", { "f32[2,2]" }, "axis 2 is outside" },
  { 0 },
};

static void
test_tile_and_repeat_differ_in_order (void)
{
  g_autoptr (HybTensor) y = op_run ("tile", "reps=2", op_tensor ("f32[2]", 1., 2.), NULL);
  g_autoptr (HybTensor) z = op_run ("repeat", "repeats=2", op_tensor ("f32[2]", 1., 2.), NULL);

  op_assert_near (y, 0, 1., 2., 1., 2.);
  op_assert_near (z, 0, 1., 1., 2., 2.);
}

/* Blocks are filled once and then copied: every element beside the remainder of its indices. */
static void
test_each_element_comes_from_its_place (void)
{
  for (int round = 0; round < 200; round++)
    {
      HybType type = { hyb_shape_3d (g_test_rand_int_range (1, 4), g_test_rand_int_range (1, 5),
                                     g_test_rand_int_range (1, 6)),
                       round % 2 ? HYB_F32 : HYB_U8 };
      int     reps[4];
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) y = NULL;
      g_autofree char *attributes = NULL;
      const gint64    *dim = type.shape.dim;
      gint64           at = 0;

      for (int i = 0; i < 4; i++)
        reps[i] = g_test_rand_int_range (1, 4);
      for (gint64 i = 0; i < hyb_tensor_get_size (x); i++)
        hyb_dtype_set_double (hyb_tensor_get_data (x), type.dtype, (gsize) i, (double) i);
      attributes = g_strdup_printf ("reps=(%d,%d,%d,%d)", reps[0], reps[1], reps[2], reps[3]);
      y = op_run ("tile", attributes, hyb_tensor_ref (x), NULL);
      for (gint64 h = 0; h < reps[0]; h++)
        for (gint64 i = 0; i < dim[0] * reps[1]; i++)
          for (gint64 j = 0; j < dim[1] * reps[2]; j++)
            for (gint64 k = 0; k < dim[2] * reps[3]; k++)
              g_assert_cmpfloat (hyb_tensor_get_value (y, at++), ==,
                                 (double) ((i % dim[0] * dim[1] + j % dim[1]) * dim[2] +
                                           k % dim[2]));
    }
}

TEST_PROGRAM (test_tile)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("tile", hyb_ops_tile, samples, refusals);
  g_test_add_func ("/engine/ops/tile/tile-and-repeat-differ-in-order",
                   test_tile_and_repeat_differ_in_order);
  g_test_add_func ("/engine/ops/tile/each-element-comes-from-its-place",
                   test_each_element_comes_from_its_place);

  return g_test_run ();
}
