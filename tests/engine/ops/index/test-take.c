/* test-take.c — tests of take, pick and batch_take: samples and refusals for op-check.h, float
 * indices, and indices outside of the axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "take", "rows", NULL, { "f32[4,3]", "f32[3] = 0,3,0" } },
  { "take", "inner axis", "axis=1", { "f32[2,4]", "i32[3] = 1,1,3" } },
  { "take", "negative axis", "axis=-1", { "f32[2,2,3]", "i64[2] = 2,0" } },
  { "take", "table of indices", NULL, { "f32[5,2]", "f32[2,3] = 0,1,2,3,4,1" } },
  { "take", "clipped", NULL, { "f32[3,2]", "f32[4] = -2,0,2,9" } },
  { "take", "wrapped", "mode=wrap", { "f32[3,2]", "f32[4] = -1,0,3,7" } },
  { "take", "bytes", NULL, { "u8[4,3]", "u8[2] = 3,1" } },
  { "take", "nothing", NULL, { "f32[4,3]", "f32[0]" } },
  { "batch_take", "one of each row", NULL, { "f32[3,4]", "i32[3] = 0,3,2" } },
  { "pick", "last axis", NULL, { "f32[3,4]", "f32[3] = 0,2,3" } },
  { "pick", "kept axis", "keepdims=True", { "f32[3,4]", "f32[3] = 1,1,1" } },
  { "pick", "first axis", "axis=0", { "f32[3,4]", "f32[4] = 0,2,1,0" } },
  { "pick", "in the middle", "axis=1", { "f32[2,3,2]", "i32[2,2] = 0,2,1,1" } },
  { "take", "indices that are checked", "mode=raise", { "f32[4,3]", "f32[2] = 0,3" } },
  { "pick", "wrapped", "mode=wrap", { "f32[3,4]", "f32[3] = -1,4,9" } },
  { "pick",
    "index with the axis kept",
    "axis=1",
    { "f32[3,4]", "f32[3,1] = 1,2,3" },
    OP_OTHER_SHAPE },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "take", "axis outside", "axis=2", { "f32[4,3]", "f32[3]" }, "axis 2 is outside" },
  { "take", "unknown mode", "mode=none", { "f32[4,3]", "f32[3]" }, "mode" },
  { "take", "from nothing", NULL, { "f32[0,3]", "f32[3]" }, "nothing can be taken" },
  { "pick", "all axes", "axis=None", { "f32[3,4]", "f32[3]" }, "pick needs an axis" },
  { "pick", "index of another shape", NULL, { "f32[3,4]", "f32[4]" }, "the index: " },
  { 0 },
};

static void
test_float_indices_are_truncated (void)
{
  g_autoptr (HybTensor) y = op_run ("take", NULL, op_tensor ("f32[4]", 10., 11., 12., 13.),
                                    op_tensor ("f32[4]", 0.9, 1.2, 2.999, -0.7), NULL);
  g_autoptr (HybTensor) z =
      op_run ("pick", NULL, op_tensor ("f32[1,3]", 1., 2., 3.), op_tensor ("f32[1]", 1.7), NULL);

  op_assert_near (y, 0, 10., 11., 12., 10.);
  op_assert_near (z, 0, 2.);
}

/* Indices are resolved in pieces of 256; slices of 1 to 12 bytes are copied by loops of their own. */
static void
test_many_indices_in_several_rows (void)
{
  enum
  {
    OUTER = 3,
    LENGTH = 50,
    N = 600
  };
  static const HybDType dtypes[] = { HYB_U8, HYB_F16, HYB_F32, HYB_F64 };

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 inner = 1; inner < 4; inner++)
      {
        HybType type = { hyb_shape_make (3, (const gint64[]){ OUTER, LENGTH, inner }), dtypes[d] };
        HybType index_type = { hyb_shape_1d (N), HYB_I64 };
        HybTensor *data = hyb_tensor_new (&type, NULL), *index = hyb_tensor_new (&index_type, NULL);
        gint64    *indices = hyb_tensor_get_data (index);
        g_autoptr (HybTensor) y = NULL;

        for (gint64 i = 0; i < OUTER * LENGTH * inner; i++)
          hyb_dtype_set_double (hyb_tensor_get_data (data), dtypes[d], (gsize) i,
                                (double) (i % 251));
        for (gint64 i = 0; i < N; i++)
          indices[i] = i * 37 % LENGTH;
        y = op_run ("take", "axis=1", data, index, NULL);
        for (gint64 i = 0; i < OUTER * N * inner; i++)
          {
            gint64 outer = i / inner / N, at = i / inner % N * 37 % LENGTH;
            gint64 from = (outer * LENGTH + at) * inner + i % inner;

            g_assert_cmpfloat (hyb_dtype_get_double (hyb_tensor_get_data (y), dtypes[d], (gsize) i),
                               ==, (double) (from % 251));
          }
      }
}

static void
test_indices_outside_clip_or_wrap (void)
{
  g_autoptr (HybTensor) data = op_tensor ("f32[3]", 10., 11., 12.);
  g_autoptr (HybTensor) index = op_tensor ("i64[4]", -5., -1., 3., 7.);
  g_autoptr (HybTensor) clip =
      op_run ("take", NULL, hyb_tensor_ref (data), hyb_tensor_ref (index), NULL);
  g_autoptr (HybTensor) wrap =
      op_run ("take", "mode=wrap", hyb_tensor_ref (data), hyb_tensor_ref (index), NULL);

  op_assert_near (clip, 0, 10., 10., 12., 12.);
  op_assert_near (wrap, 0, 11., 12., 10., 11.);
}

TEST_PROGRAM (test_take)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("take", hyb_ops_take, samples, refusals);
  g_test_add_func ("/engine/ops/take/many-indices-in-several-rows",
                   test_many_indices_in_several_rows);
  g_test_add_func ("/engine/ops/take/float-indices-are-truncated",
                   test_float_indices_are_truncated);
  g_test_add_func ("/engine/ops/take/indices-outside-clip-or-wrap",
                   test_indices_outside_clip_or_wrap);

  return g_test_run ();
}
