/* test-integer-convolution.c — tests of _integer_convolution: samples and refusals for op-check.h, and every element beside
 * Convolution on floats, which is exact for such sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define OP "_integer_convolution"

static const OpSample samples[] = {
  { OP, "sums", "kernel=(2,2)", { "u8[1,2,4,5]", "i8[3,2,2,2]", "u8[] = 7", "i8[]" } },
  { OP,
    "a zero point for each filter",
    "kernel=(3,3) pad=(1,1) pad_after=(1,1)",
    { "i8[2,2,4,5]", "u8[3,2,3,3]", "i8[] = -3", "u8[3] = 1,2,3" } },
  { OP,
    "depthwise, one axis",
    "kernel=(3,) stride=(2,) dilate=(2,) pad_after=(1,) num_group=4",
    { "u8[1,4,9]", "i8[4,1,3]", "u8[1] = 9", "i8[1]" } },
  { OP, "three axes", "kernel=(1,2,1)", { "u8[1,2,2,3,2]", "i8[2,2,1,2,1]", "u8[]", "i8[]" } },
  { OP, "no images", "kernel=(1,1)", { "u8[0,2,3,3]", "i8[2,2,1,1]", "u8[]", "i8[]" } },
  { OP,
    "floats with a bias",
    "kernel=(1,1) out_type=float32 has_bias=True",
    { "u8[1,2,3,3]", "i8[4,2,1,1]", "u8[]", "i8[]", "f32[4]", "f32[4]" } },
  { OP,
    "bytes with a bias",
    "kernel=(1,1) out_type=int8 has_bias=True",
    { "u8[1,2,3,3]", "i8[4,2,1,1]", "u8[]", "i8[]", "f32[]", "f32[] = -3", "i32[4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { OP,
    "factors of floats",
    "kernel=(1,1)",
    { "f32[1,2,3,3]", "i8[4,2,1,1]", "f32[]", "i8[]" },
    "int8 and uint8" },
  { OP,
    "a window that is too large",
    "kernel=(3,3)",
    { "u8[1,2,2,3]", "i8[4,2,3,3]", "u8[]", "i8[]" },
    "a window covers 3 cells" },
  { OP,
    "a zero point for each channel of the data",
    "kernel=(1,1)",
    { "u8[1,2,3,3]", "i8[4,2,1,1]", "u8[2]", "i8[]" },
    "its data_zero has 2 elements" },
  { OP,
    "groups that do not divide",
    "kernel=(1,1) num_group=2",
    { "u8[1,2,3,3]", "i8[3,1,1,1]", "u8[]", "i8[]" },
    "cannot be split into 2 groups" },
  { 0 },
};

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

/* The numbers of a tensor less zero points, each of which belongs to an equal part of it. */
static HybTensor *
without_zero (HybTensor *bytes, HybTensor *zero)
{
  HybType    type = { *hyb_tensor_get_shape (bytes), HYB_F32 };
  HybTensor *floats = hyb_tensor_new (&type, NULL);
  gint64     part = hyb_tensor_get_size (bytes) / hyb_tensor_get_size (zero);

  for (gint64 i = 0; i < hyb_tensor_get_size (bytes); i++)
    ((float *) hyb_tensor_get_data (floats))[i] =
        (float) (hyb_tensor_get_value (bytes, i) - hyb_tensor_get_value (zero, i / part));
  return floats;
}

static void
test_each_element_is_exact (void)
{
  for (int round = 0; round < 40; round++)
    {
      HybDType x_type = round % 2 ? HYB_I8 : HYB_U8, w_type = round / 2 % 2 ? HYB_I8 : HYB_U8;
      gint64   groups = g_test_rand_int_range (1, 4), depth = g_test_rand_int_range (1, 6);
      gint64 filters = groups * g_test_rand_int_range (1, 9), side = g_test_rand_int_range (5, 20);
      gint64 step = g_test_rand_int_range (1, 3);
      g_autoptr (HybTensor) x =
          make_bytes (x_type, hyb_shape_make (4, (gint64[]){ 2, groups * depth, 6, side }));
      g_autoptr (HybTensor) w =
          make_bytes (w_type, hyb_shape_make (4, (gint64[]){ filters, depth, 3, 2 }));
      g_autoptr (HybTensor) x_zero = make_bytes (x_type, hyb_shape_1d (1));
      g_autoptr (HybTensor) w_zero =
          make_bytes (w_type, hyb_shape_1d (round / 4 % 2 ? filters : 1));
      g_autofree char *window =
          g_strdup_printf ("kernel=(3,2) stride=(%d,1) pad=(1,2) num_group=%d", (int) step,
                           (int) groups);
      g_autofree char *after = g_strdup_printf ("%s pad_after=(1,2)", window);
      g_autofree char *plain =
          g_strdup_printf ("%s num_filter=%d no_bias=True", window, (int) filters);
      g_autoptr (HybTensor) sums = NULL;
      g_autoptr (HybTensor) floats = NULL;

      hyb_simd_cap ((HybSimdLevel) (round % 3));
      sums = op_run (OP, after, hyb_tensor_ref (x), hyb_tensor_ref (w), hyb_tensor_ref (x_zero),
                     hyb_tensor_ref (w_zero), NULL);
      floats =
          op_run ("Convolution", plain, without_zero (x, x_zero), without_zero (w, w_zero), NULL);
      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (sums), hyb_tensor_get_shape (floats)));
      for (gint64 i = 0; i < hyb_tensor_get_size (sums); i++)
        g_assert_cmpfloat (hyb_tensor_get_value (sums, i), ==, hyb_tensor_get_value (floats, i));
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_integer_convolution)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("integer-convolution", hyb_ops_integer_convolution, samples, refusals);
  g_test_add_func ("/engine/ops/integer-convolution/each-element-is-exact",
                   test_each_element_is_exact);
  return g_test_run ();
}
