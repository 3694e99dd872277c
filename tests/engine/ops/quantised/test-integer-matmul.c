/* test-integer-matmul.c — tests of _integer_matmul: samples and refusals for op-check.h, and every element beside sums of
 * 64-bit integers at each level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_integer_matmul", "sums", NULL, { "u8[2,3]", "i8[3,4]", "u8[] = 7", "i8[]" } },
  { "_integer_matmul",
    "a zero point for each row and column",
    NULL,
    { "i8[2,3]", "u8[3,4]", "i8[2,1] = -1,1", "u8[4] = 1,2,3,4" } },
  { "_integer_matmul", "vectors", NULL, { "u8[3]", "u8[3]", "u8[1]", "u8[1]" } },
  { "_integer_matmul", "batches", NULL, { "u8[2,1,2,3]", "u8[3,3,2]", "u8[]", "u8[]" } },
  { "_integer_matmul", "nothing to sum", NULL, { "u8[2,0]", "u8[0,2]", "u8[]", "u8[]" } },
  { "_integer_matmul", "no rows", NULL, { "u8[0,2]", "u8[2,2]", "u8[]", "u8[]" } },
  { "_integer_matmul",
    "floats",
    "out_type=float32",
    { "u8[2,3]", "i8[3,4]", "u8[]", "i8[]", "f32[] = 0.5" } },
  { "_integer_matmul",
    "floats with a bias",
    "out_type=float32 has_bias=True",
    { "u8[2,3]", "i8[3,4]", "u8[]", "i8[]", "f32[4]", "f32[4]" } },
  { "_integer_matmul",
    "bytes",
    "out_type=int8",
    { "u8[2,3]", "i8[3,4]", "u8[]", "i8[]", "f32[4]", "f32[] = -3" } },
  { "_integer_matmul",
    "bytes with a bias",
    "out_type=uint8 has_bias=True",
    { "u8[2,3]", "i8[3,4]", "u8[]", "i8[]", "f32[]", "f32[] = 3", "i32[4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_integer_matmul",
    "factors of floats",
    NULL,
    { "f32[2,3]", "i8[3,4]", "f32[]", "i8[]" },
    "int8 and uint8" },
  { "_integer_matmul",
    "another number of rows",
    NULL,
    { "u8[2,3]", "i8[4,4]", "u8[]", "i8[]" },
    "the columns of the first and the rows of the second operand" },
  { "_integer_matmul",
    "zero points of other columns",
    NULL,
    { "u8[2,3]", "i8[3,4]", "u8[]", "i8[3]" },
    "its b_zero has 3 elements" },
  { 0 },
};

/* Bytes that fill their type. */
static HybTensor *
make_bytes (HybDType dtype, HybShape shape)
{
  HybType    type = { shape, dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  guint8    *bytes = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    bytes[i] = (guint8) g_test_rand_int_range (0, 256);
  return tensor;
}

static HybTensor *
make_floats (HybShape shape, double low, double high)
{
  HybType    type = { shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) g_test_rand_double_range (low, high);
  return tensor;
}

static double
at (HybTensor *tensor, gint64 i)
{
  return hyb_tensor_get_value (tensor, hyb_tensor_get_size (tensor) == 1 ? 0 : i);
}

/* Two matrices b, the second one for every second matrix a. */
static void
test_each_element_is_exact (void)
{
  for (int round = 0; round < 60; round++)
    {
      HybDType a_type = round % 2 ? HYB_I8 : HYB_U8, b_type = round / 2 % 2 ? HYB_I8 : HYB_U8;
      gint64   m = g_test_rand_int_range (1, 9), n = g_test_rand_int_range (1, 80);
      gint64   k = g_test_rand_int_range (1, 90);
      gboolean is_vector = round / 4 % 2;
      g_autoptr (HybTensor) a = make_bytes (a_type, hyb_shape_make (4, (gint64[]){ 2, 1, m, k }));
      g_autoptr (HybTensor) b = make_bytes (b_type, hyb_shape_3d (2, k, n));
      g_autoptr (HybTensor) a_zero = make_bytes (a_type, hyb_shape_2d (is_vector ? m : 1, 1));
      g_autoptr (HybTensor) b_zero = make_bytes (b_type, hyb_shape_1d (is_vector ? n : 1));
      g_autoptr (HybTensor) scale = make_floats (hyb_shape_1d (is_vector ? n : 1), 1e-4, 2e-4);
      g_autoptr (HybTensor) bias = make_floats (hyb_shape_1d (n), -1, 1);
      g_autoptr (HybTensor) offset = make_floats (hyb_shape_1d (1), 0, 1);
      g_autoptr (HybTensor) sums = NULL;
      g_autoptr (HybTensor) floats = NULL;
      g_autoptr (HybTensor) bytes = NULL;

      ((float *) hyb_tensor_get_data (offset))[0] = 5;
      hyb_simd_cap ((HybSimdLevel) (round % 3));
#define OPERANDS \
  hyb_tensor_ref (a), hyb_tensor_ref (b), hyb_tensor_ref (a_zero), hyb_tensor_ref (b_zero)
      sums = op_run ("_integer_matmul", NULL, OPERANDS, NULL);
      floats = op_run ("_integer_matmul", "out_type=float32 has_bias=True", OPERANDS,
                       hyb_tensor_ref (scale), hyb_tensor_ref (bias), NULL);
      bytes = op_run ("_integer_matmul", "out_type=uint8", OPERANDS, hyb_tensor_ref (scale),
                      hyb_tensor_ref (offset), NULL);
#undef OPERANDS
      for (gint64 i = 0; i < 4 * m * n; i++)
        {
          gint64 column = i % n, row = i / n % m, pair = i / n / m, sum = 0;
          float  scaled;

          for (gint64 l = 0; l < k; l++)
            sum += (gint64) ((at (a, (pair / 2 * m + row) * k + l) - at (a_zero, row)) *
                             (at (b, (pair % 2 * k + l) * n + column) - at (b_zero, column)));
          scaled = (float) sum * (float) at (scale, column);
          g_assert_cmpfloat (hyb_tensor_get_value (sums, i), ==, (double) sum);
          g_assert_cmpfloat (hyb_tensor_get_value (floats, i), ==,
                             (double) (scaled + (float) hyb_tensor_get_value (bias, column)));
          g_assert_cmpfloat (hyb_tensor_get_value (bytes, i), ==,
                             CLAMP ((double) rintf (scaled) + 5, 0, 255));
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_integer_matmul)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("integer-matmul", hyb_ops_integer_matmul, samples, refusals);
  g_test_add_func ("/engine/ops/integer-matmul/each-element-is-exact", test_each_element_is_exact);
  return g_test_run ();
}
