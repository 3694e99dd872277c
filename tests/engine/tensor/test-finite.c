/* test-finite.c — one element that is not finite is found at every place, in every type.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/finite.h"
#include "tests/program.h"

#include <math.h>

#define BLOCK 1024

static HybTensor *
zeros (gint64 size, HybDType dtype)
{
  HybType    type = { hyb_shape_1d (size), dtype };
  HybTensor *tensor = hyb_tensor_new_zeros (&type, NULL);

  g_assert_nonnull (tensor);
  return tensor;
}

/* The last element of a block, the first of the next one, and the last of all. */
static void
test_one_element_is_found_at_the_edges_of_blocks (void)
{
  static const HybDType dtypes[] = { HYB_F16, HYB_BF16, HYB_F32, HYB_F64 };
  static const gint64   places[] = { 0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK };

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (guint p = 0; p < G_N_ELEMENTS (places); p++)
      {
        g_autoptr (HybTensor) tensor = zeros (2 * BLOCK + 1, dtypes[d]);

        g_assert_true (hyb_tensor_is_finite (tensor));
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtypes[d], (gsize) places[p],
                              p % 2 ? NAN : -INFINITY);
        g_assert_false (hyb_tensor_is_finite (tensor));
      }
}

static void
test_the_largest_numbers_and_the_smallest_are_finite (void)
{
  g_autoptr (HybTensor) tensor = zeros (4, HYB_F32);
  float *values = hyb_tensor_get_data (tensor);

  values[0] = 3.4028235e38f;
  values[1] = -3.4028235e38f;
  values[2] = 1e-45f;
  values[3] = -0.0f;
  g_assert_true (hyb_tensor_is_finite (tensor));
}

static void
test_integers_and_arrays_without_elements_are_finite (void)
{
  g_autoptr (HybTensor) integers = zeros (3, HYB_I32);
  g_autoptr (HybTensor) empty = zeros (0, HYB_F32);

  hyb_dtype_set_double (hyb_tensor_get_data (integers), HYB_I32, 1, 0x7f800000);
  g_assert_true (hyb_tensor_is_finite (integers));
  g_assert_true (hyb_tensor_is_finite (empty));
}

TEST_PROGRAM (test_finite)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/tensor/finite/one-element-is-found-at-the-edges-of-blocks",
                   test_one_element_is_found_at_the_edges_of_blocks);
  g_test_add_func ("/engine/tensor/finite/the-largest-numbers-and-the-smallest-are-finite",
                   test_the_largest_numbers_and_the_smallest_are_finite);
  g_test_add_func ("/engine/tensor/finite/integers-and-arrays-without-elements-are-finite",
                   test_integers_and_arrays_without_elements_are_finite);
  return g_test_run ();
}
