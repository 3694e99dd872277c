/* test-sort.c — tests of sort and argsort: samples and refusals for op-check.h, stability, NaN, and
 * lines long enough to be merged from several runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "sort argsort", "last axis", NULL, { "f32[2,5]" } },
  { "sort argsort", "descending", "is_ascend=False", { "f32[2,5]" } },
  { "sort argsort", "first axis", "axis=0", { "f32[4,2]" } },
  { "sort argsort", "flattened", "axis=None", { "f32[2,3]" } },
  { "sort argsort", "long lines", NULL, { "f32[1,90]" } },
  { "sort argsort", "bytes", NULL, { "u8[2,5]" } },
  { "argsort", "integers as indices", "dtype=int32", { "f32[2,5]" } },
  { "sort argsort", "no element", NULL, { "f32[2,0]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "sort", "axis outside", "axis=2", { "f32[2,5]" }, "axis 2 is outside" },
  { "argsort",
    "indices too large",
    "dtype=uint8",
    { "f32[300]" },
    "uint8 cannot hold indices up to 299" },
  { "argsort", "no dtype", "dtype=None", { "f32[3]" }, "dtype is None" },
  { 0 },
};

static void
test_equals_keep_their_order (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[5]", 2., 1., 2., 1., 2.);
  g_autoptr (HybTensor) up = op_run ("argsort", NULL, hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) down = op_run ("argsort", "is_ascend=False", hyb_tensor_ref (x), NULL);

  op_assert_near (up, 0, 1., 3., 0., 2., 4.);
  op_assert_near (down, 0, 0., 2., 4., 1., 3.);
}

/* Merging runs must keep equal elements in their order. */
static void
test_equals_keep_their_order_in_long_lines (void)
{
  g_autoptr (HybTensor) x = op_tensor_from_text ("i32[500] 0..3", 0);
  g_autoptr (HybTensor) y = op_run ("argsort", "dtype=int32", hyb_tensor_ref (x), NULL);
  const gint32 *index = hyb_tensor_get_data (y);

  for (gint64 i = 1; i < 500; i++)
    if (hyb_tensor_get_value (x, index[i]) == hyb_tensor_get_value (x, index[i - 1]))
      g_assert_cmpint (index[i - 1], <, index[i]);
}

static void
test_nan_comes_last (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[4]", NAN, 2., NAN, 1.);
  g_autoptr (HybTensor) up = op_run ("argsort", NULL, hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) down = op_run ("argsort", "is_ascend=False", hyb_tensor_ref (x), NULL);

  op_assert_near (up, 0, 3., 1., 0., 2.);
  op_assert_near (down, 0, 1., 3., 0., 2.);
}

static void
test_long_lines_come_out_in_order (void)
{
  g_autoptr (HybTensor) x = op_tensor_from_text ("f32[3,1000]", 0);
  g_autoptr (HybTensor) y = op_run ("sort", NULL, hyb_tensor_ref (x), NULL);
  double before = 0, after = 0;

  for (gint64 i = 0; i < 3000; i++)
    {
      before += hyb_tensor_get_value (x, i);
      after += hyb_tensor_get_value (y, i);
      if (i % 1000 > 0)
        g_assert_cmpfloat (hyb_tensor_get_value (y, i - 1), <=, hyb_tensor_get_value (y, i));
    }
  g_assert_cmpfloat_with_epsilon (before, after, 1e-6);
}

TEST_PROGRAM (test_sort)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("sort", hyb_ops_sort, samples, refusals);
  g_test_add_func ("/engine/ops/sort/equals-keep-their-order", test_equals_keep_their_order);
  g_test_add_func ("/engine/ops/sort/nan-comes-last", test_nan_comes_last);
  g_test_add_func ("/engine/ops/sort/long-lines-come-out-in-order",
                   test_long_lines_come_out_in_order);

  g_test_add_func ("/engine/ops/sort/equals-keep-their-order-in-long-lines",
                   test_equals_keep_their_order_in_long_lines);

  return g_test_run ();
}
