/* test-numpy-pad.c — tests of pads: samples and refusals for op-check.h, and every element against a walk to and fro.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <string.h>

static const OpSample samples[] = {

  { "_npi_pad", "zeros", "pad_width=((1,0),(2,1))", { "f32[2,3]" } },
  { "_npi_pad", "a constant", "pad_width=((1,1),) constant_value=2.5", { "f32[3]" } },
  { "_npi_pad", "less", "pad_width=((-1,0),(1,-2))", { "f32[2,3]" } },
  { "_npi_pad", "edges", "pad_width=((1,0),(2,1)) mode=edge", { "f32[2,3]" } },
  { "_npi_pad", "reflected", "pad_width=((1,0),(2,1)) mode=reflect", { "f32[2,3]" } },
  { "_npi_pad", "reflected often", "pad_width=((7,5),) mode=reflect", { "f32[3]" } },
  { "_npi_pad", "one reflected", "pad_width=((2,1),) mode=reflect", { "f32[1]" } },
  { "_npi_pad", "symmetric often", "pad_width=((0,0),(7,5)) mode=symmetric", { "f32[2,3]" } },
  { "_npi_pad",
    "largest",
    "pad_width=((1,0),(2,1)) mode=maximum",
    { "f32[2,3]" },
    OP_SKIP_GRADIENT },
  { "_npi_pad",
    "smallest",
    "pad_width=((1,1),(1,0),(0,1)) mode=minimum",
    { "f32[1,2,2]" },
    OP_SKIP_GRADIENT },
  { "_npi_pad", "cut on the left, zeros on the right", "pad_width=((1,0),(-2,3))", { "f32[2,5]" } },
  { "_npi_pad", "cut rows", "pad_width=((-1,2),(0,1),(-1,-1))", { "f32[2,2,4]" } },
  { "_npi_pad", "nothing of a row left", "pad_width=((0,1),(-3,2))", { "f32[2,3]" } },
  { "_npi_pad", "around nothing", "pad_width=((2,1),(0,0))", { "f32[0,2]" } },
  { "_npi_pad", "a number", "pad_width=()", { "f32[]" } },
  { 0 },
};

static const OpRefusal refusals[] = {

  { "_npi_pad", "a word", "pad_width=((a,1),)", { "f32[3]" }, "two numbers" },
  { "_npi_pad",
    "the smallest integer",
    "pad_width=((-9223372036854775808,1),)",
    { "f32[3]" },
    "two numbers" },
  { "_npi_pad", "one width", "pad_width=((1),)", { "f32[3]" }, "two numbers" },
  { "_npi_pad", "too few widths", "pad_width=((1,1),)", { "f32[3,2]" }, "2 widths for 2" },
  { "_npi_pad", "below nothing", "pad_width=((-2,-2),)", { "f32[3]" }, "cannot be padded" },
  { "_npi_pad", "less of edges", "pad_width=((-1,0),) mode=edge", { "f32[3]" }, "negative widths" },
  { "_npi_pad",
    "edges of nothing",
    "pad_width=((1,0),) mode=edge",
    { "f32[0]" },
    "nothing to repeat" },
  { 0 },
};

/* The index of an axis of n elements from which index i beside it comes, found by steps to and fro; -1: the constant. */
static gint64
walk (gint64 i, gint64 n, const char *mode)
{
  while (i < 0 || i >= n)
    if (strcmp (mode, "constant") == 0)
      return -1;
    else if (strcmp (mode, "edge") == 0)
      i = i < 0 ? 0 : n - 1;
    else if (strcmp (mode, "symmetric") == 0)
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
    else
      i = i < 0 ? -i : 2 * n - 2 - i;
  return i;
}

/* Rows are copied in runs of elements, for each size of an element. */
static void
test_each_element_comes_from_its_place (void)
{
  static const char *const modes[] = { "constant", "edge", "reflect", "symmetric" };
  static const HybDType    dtypes[] = { HYB_F32, HYB_F64, HYB_U8 };

  for (int round = 0; round < 400; round++)
    {
      const char *mode = modes[round % 4];
      HybType     type = { hyb_shape_3d (g_test_rand_int_range (2, 5), g_test_rand_int_range (2, 5),
                                         g_test_rand_int_range (2, 40)),
                           dtypes[round / 4 % 3] };
      int         low = round % 4 == 0 ? -1 : 0, width[6];
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) y = NULL;
      g_autofree char *attributes = NULL;
      const HybShape  *out;
      gint64           n = hyb_tensor_get_size (x), at = 0;

      for (int i = 0; i < 6; i++)
        width[i] = g_test_rand_int_range (low, 4);
      for (gint64 i = 0; i < n; i++)
        hyb_dtype_set_double (hyb_tensor_get_data (x), type.dtype, (gsize) i, (double) (i % 250));
      attributes =
          g_strdup_printf ("mode=%s constant_value=251 pad_width=((%d,%d),(%d,%d),(%d,%d))", mode,
                           width[0], width[1], width[2], width[3], width[4], width[5]);
      y = op_run ("_npi_pad", attributes, hyb_tensor_ref (x), NULL);
      out = hyb_tensor_get_shape (y);
      for (gint64 i = 0; i < out->dim[0]; i++)
        for (gint64 j = 0; j < out->dim[1]; j++)
          for (gint64 k = 0; k < out->dim[2]; k++, at++)
            {
              gint64 a = walk (i - width[0], type.shape.dim[0], mode);
              gint64 b = walk (j - width[2], type.shape.dim[1], mode);
              gint64 c = walk (k - width[4], type.shape.dim[2], mode);
              gint64 place = (a * type.shape.dim[1] + b) * type.shape.dim[2] + c;

              g_assert_cmpfloat (hyb_dtype_get_double (hyb_tensor_get_data (y), type.dtype,
                                                       (gsize) at),
                                 ==, a < 0 || b < 0 || c < 0 ? 251 : (double) (place % 250));
            }
    }
}

TEST_PROGRAM (test_numpy_pad)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-pad", hyb_ops_numpy_pad, samples, refusals);
  g_test_add_func ("/engine/ops/numpy-pad/each-element-comes-from-its-place",
                   test_each_element_comes_from_its_place);
  return g_test_run ();
}
