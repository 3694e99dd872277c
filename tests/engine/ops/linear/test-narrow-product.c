/* test-narrow-product.c — _narrow_product, compared with FullyConnected of the same weights as floats, and
 * floats of int8 rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_narrow_product",
    "half floats, one row",
    "num_hidden=5",
    { "f32[1,7]", "f16[5,7]", "f32[5]" } },
  { "_narrow_product", "no bias", "num_hidden=5 no_bias=1", { "f32[3,7]", "bf16[5,7]" } },
  { "_hybridscope_int8_rows", "three rows", NULL, { "i8[3,9]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_narrow_product",
    "weights of other data",
    "num_hidden=5",
    { "f32[1,7]", "f16[5,6]", "f32[5]" },
    "weight" },
  { "_narrow_product",
    "int8 rows without a scale",
    "num_hidden=5",
    { "f32[1,7]", "i8[5,7]", "f32[5]" },
    "weight" },
  { "_hybridscope_int8_rows", "no room for a scale", NULL, { "i8[2,3]" }, "scale" },
  { 0 },
};

static void
check_like_fully_connected (const char *weight, const char *data)
{
  HybTensor *narrow = op_tensor_from_text (weight, 1);
  HybTensor *floats = hyb_tensor_convert (narrow, HYB_F32);
  g_autoptr (HybTensor) got =
      op_run ("_narrow_product", "num_hidden=9", op_tensor_from_text (data, 0), narrow,
              op_tensor_from_text ("f32[9]", 2), NULL);
  g_autoptr (HybTensor) want =
      op_run ("FullyConnected", "num_hidden=9", op_tensor_from_text (data, 0), floats,
              op_tensor_from_text ("f32[9]", 2), NULL);

  op_assert_same (got, want, 1e-5);
}

static void
test_like_fully_connected (void)
{
  check_like_fully_connected ("f16[9,37]", "f32[1,37]");
  check_like_fully_connected ("bf16[9,37]", "f32[1,37]");
  check_like_fully_connected ("f16[9,37]", "f32[4,37]");
  check_like_fully_connected ("bf16[9,37]", "f32[4,37]");
}

/* Rows of 0.5 × (1, -2, 3) and 2 × (4, 0, -127); 0.5 and 2 as little-endian floats. */
static HybTensor *
two_rows (void)
{
  return op_tensor ("i8[2,7]", 0.0, 0.0, 0.0, 63.0, 1.0, -2.0, 3.0, 0.0, 0.0, 0.0, 64.0, 4.0, 0.0,
                    -127.0);
}

static void
test_int8_rows (void)
{
  g_autoptr (HybTensor) floats = op_run ("_hybridscope_int8_rows", NULL, two_rows (), NULL);
  g_autoptr (HybTensor) product =
      op_run ("_narrow_product", "num_hidden=2 no_bias=1", op_tensor ("f32[1,3]", 1.0, 10.0, 100.0),
              two_rows (), NULL);

  op_assert_type (floats, "float32 (2, 3)");
  op_assert_near (floats, 0, 0.5, -1.0, 1.5, 8.0, 0.0, -254.0);
  op_assert_near (product, 1e-6, 140.5, -25392.0);
}

TEST_PROGRAM (test_narrow_product)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("narrow-product", hyb_ops_narrow_product, samples, refusals);
  g_test_add_func ("/engine/ops/narrow-product/like-fully-connected", test_like_fully_connected);
  g_test_add_func ("/engine/ops/narrow-product/int8-rows", test_int8_rows);
  return g_test_run ();
}
