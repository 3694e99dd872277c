/* test-topk.c — tests of topk: samples and refusals for op-check.h, stability, and integers that
 * float64 cannot represent.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "topk", "values", "k=2 ret_typ=value", { "f32[2,5]" } },
  { "topk", "values of the first axis", "k=2 ret_typ=value axis=0", { "f32[4,3]" } },
  { "topk", "indices", "k=2", { "f32[2,5]" } },
  { "topk", "mask", "k=2 ret_typ=mask axis=0", { "f32[4,3]" } },
  { "topk", "both", "k=2 ret_typ=both is_ascend=1", { "f32[2,5]" } },
  { "topk", "both flattened", "k=3 ret_typ=both axis=None dtype=int32", { "f32[2,4]" } },
  { "topk", "mask flattened", "k=3 ret_typ=mask axis=None", { "f32[2,4]" } },
  { "topk", "all", "k=0 ret_typ=value", { "f32[2,3]" } },
  { "topk", "the largest", "ret_typ=both", { "f32[3,4]" } }, /* k is 1 */
  { "topk", "many", "k=40 ret_typ=both", { "f32[1,50]" } },
  { "topk", "integers", "k=2 ret_typ=value", { "i64[2,5]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "topk", "more than there are", "k=6", { "f32[2,5]" }, "k is 6 but there are only 5" },
  { "topk", "axis outside", "axis=2", { "f32[2,5]" }, "axis 2 is outside" },
  { "topk",
    "indices too large",
    "dtype=uint8",
    { "f32[300]" },
    "uint8 cannot hold indices up to 299" },
  { "topk", "no dtype", "dtype=None", { "f32[3]" }, "dtype is None" },
  { 0 },
};

static void
test_equals_keep_their_order_in_both_directions (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[5]", 2., 3., 2., 3., 1.);
  g_autoptr (HybTensor) down = op_run ("topk", "k=5", hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) up = op_run ("topk", "k=5 is_ascend=True", hyb_tensor_ref (x), NULL);

  op_assert_near (down, 0, 1., 3., 0., 2., 4.);
  op_assert_near (up, 0, 4., 0., 2., 1., 3.);
}

/* Values are copied, not computed, so integers that float64 cannot tell apart stay exact. */
static void
test_large_integers_stay_exact (void)
{
  HybType    type = { hyb_shape_1d (2), HYB_I64 };
  HybTensor *x = hyb_tensor_new (&type, NULL);
  gint64    *data = hyb_tensor_get_data (x);
  g_autoptr (HybTensor) y = NULL;

  data[0] = 5;
  data[1] = G_MAXINT64 - 1;
  y = op_run ("topk", "k=1 ret_typ=value", x, NULL);
  g_assert_cmpint (*(gint64 *) hyb_tensor_get_data (y), ==, G_MAXINT64 - 1);
}

/* Few of many, in falling, rising, mixed and equal order: the first ones of the whole line in order. */
static void
test_few_of_many (void)
{
  static const gint64 factors[] = { 1, 1999, 7, 1000, 0 };

  for (guint f = 0; f < G_N_ELEMENTS (factors); f++)
    for (guint up = 0; up < 2; up++)
      {
        HybType type = { hyb_shape_1d (2000), HYB_F32 };
        g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
        g_autoptr (HybTensor) few = NULL;
        g_autoptr (HybTensor) all = NULL;

        for (gint64 i = 0; i < 2000; i++)
          ((float *) hyb_tensor_get_data (x))[i] = (float) (i * factors[f] % 2000);
        few = op_run ("topk", up ? "k=100 is_ascend=True" : "k=100", hyb_tensor_ref (x), NULL);
        all = op_run ("topk", up ? "k=0 is_ascend=True" : "k=0", hyb_tensor_ref (x), NULL);
        for (gint64 i = 0; i < 100; i++)
          g_assert_cmpfloat (hyb_tensor_get_value (few, i), ==, hyb_tensor_get_value (all, i));
      }
}

TEST_PROGRAM (test_topk)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("topk", hyb_ops_topk, samples, refusals);
  g_test_add_func ("/engine/ops/topk/equals-keep-their-order-in-both-directions",
                   test_equals_keep_their_order_in_both_directions);
  g_test_add_func ("/engine/ops/topk/few-of-many-are-the-first-of-all", test_few_of_many);
  g_test_add_func ("/engine/ops/topk/large-integers-stay-exact", test_large_integers_stay_exact);

  return g_test_run ();
}
