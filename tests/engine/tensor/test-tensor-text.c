/* test-tensor-text.c — tensors from short texts: their types and values, and texts that are refused.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/tensor-text.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static HybTensor *
read_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_from_text (text, 0, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
test_given_values (void)
{
  g_autoptr (HybTensor) tensor = read_text ("f64[2,2] = 1,nan,-3");

  g_assert_cmpint (hyb_tensor_get_dtype (tensor), ==, HYB_F64);
  g_assert_cmpint (hyb_tensor_get_type (tensor)->shape.rank, ==, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 0), ==, 1);
  g_assert_true (isnan (hyb_tensor_get_value (tensor, 1)));
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 2), ==, -3);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 3), ==, -3); /* the last is repeated */
}

static void
test_ranges (void)
{
  g_autoptr (HybTensor) floats = read_text ("f32[30] 0.5..2");
  g_autoptr (HybTensor) integers = read_text ("i8[5] -1..1");

  for (gint64 i = 0; i < 30; i++)
    {
      g_assert_cmpfloat (hyb_tensor_get_value (floats, i), >, 0.5);
      g_assert_cmpfloat (hyb_tensor_get_value (floats, i), <, 2);
      for (gint64 k = 0; k < i; k++)
        g_assert_cmpfloat (hyb_tensor_get_value (floats, i), !=, hyb_tensor_get_value (floats, k));
    }
  for (gint64 i = 0; i < 5; i++)
    g_assert_cmpfloat (hyb_tensor_get_value (integers, i), ==, (double) (i % 3 - 1));
}

static void
test_refusals (void)
{
  static const char *const rows[][2] = {
    { "f32", "is not a type" },
    { "f99[2]", "does not start with a dtype" },
    { "f32[2;3]", "something else than a number" },
    { "f32[2", "something else than a number" },
    { "f32[-2]", "something else than a number" },
    { "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
      "too many dimensions" },
    { "f32[2] = 1,2,3", "more values than elements" },
    { "f32[2] 5", "neither a range" },
    { "i32[2] 5..1", "ends are exchanged" },
    { "f32[99999999999,99999999999]", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_tensor_from_text (rows[i][0], 0, &error));
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, rows[i][1]));
    }
}

TEST_PROGRAM (test_tensor_text)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/tensor-text/values-that-are-given", test_given_values);
  g_test_add_func ("/engine/tensor-text/ranges-hold-distinct-floats-and-cyclic-integers",
                   test_ranges);
  g_test_add_func ("/engine/tensor-text/other-texts-are-refused", test_refusals);
  return g_test_run ();
}
