/* test-tensor.c — tensors: allocation, views, wrapped memory, conversion, statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/tensor.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static HybTensor *
one_to_n (gint64 n)
{
  HybTensor *tensor = hyb_tensor_new_float (1, &n, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (i + 1);
  return tensor;
}

/* Memory that was used before does not shine through. */
static void
test_floats_without_values_are_zeros (void)
{
  static const gint64 dims[] = { 64, 3 };

  hyb_tensor_unref (one_to_n (192));
  for (int i = 0; i < 8; i++)
    {
      g_autoptr (HybTensor) tensor = hyb_tensor_new_float (2, dims, NULL);
      float *values = hyb_tensor_get_data (tensor);

      for (gint64 k = 0; k < 192; k++)
        {
          g_assert_cmpfloat (values[k], ==, 0);
          values[k] = 7;
        }
    }
}

static void
test_memory_is_aligned_and_cleared_on_request (void)
{
  for (gint64 n = 0; n < 70; n += 3)
    {
      HybType type = { hyb_shape_2d (n, 3), HYB_F64 };
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, &error);

      g_assert_no_error (error);
      g_assert_cmpuint ((guintptr) hyb_tensor_get_data (tensor) % HYB_ALIGNMENT, ==, 0);
      g_assert_cmpuint (hyb_tensor_get_bytes (tensor), ==, (gsize) n * 24);
      g_assert_cmpint (hyb_tensor_get_size (tensor), ==, 3 * n);
      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (tensor), &type.shape));
      g_assert_true (hyb_tensor_get_dtype (tensor) == HYB_F64);
      for (gint64 i = 0; i < 3 * n; i++)
        g_assert_true (hyb_tensor_get_value (tensor, i) == 0);
    }
}

static void
test_absurd_sizes_are_errors (void)
{
  HybType overflow = { hyb_shape_2d (G_MAXINT64 / 2, 4), HYB_F32 };
  HybType too_much = { hyb_shape_1d (G_MAXINT64 / 8), HYB_F64 };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_tensor_new (&overflow, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_clear_error (&error);
  g_assert_null (hyb_tensor_new_zeros (&too_much, &error)); /* no machine has so much */
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
}

static void
test_a_view_keeps_its_storage_alive (void)
{
  HybTensor *parent = one_to_n (12);
  HybType    row = { hyb_shape_1d (4), HYB_F32 }, nothing = { hyb_shape_1d (0), HYB_F32 };
  HybTensor *view = hyb_tensor_new_view (parent, &row, 4 * sizeof (float));
  HybTensor *end = hyb_tensor_new_view (parent, &nothing, 12 * sizeof (float));
  HybTensor *part;

  g_assert_true (hyb_tensor_get_data (view) == (float *) hyb_tensor_get_data (parent) + 4);
  ((float *) hyb_tensor_get_data (parent))[4] = 50; /* the memory is shared */
  hyb_tensor_unref (parent);
  g_assert_true (hyb_tensor_get_value (view, 0) == 50 && hyb_tensor_get_value (view, 3) == 8);

  row.shape.dim[0] = 2;
  part = hyb_tensor_new_view (view, &row, 2 * sizeof (float));
  hyb_tensor_unref (view);
  g_assert_true (hyb_tensor_get_value (part, 0) == 7 && hyb_tensor_get_value (part, 1) == 8);
  hyb_tensor_unref (part);
  g_assert_cmpint (hyb_tensor_get_size (end), ==, 0); /* empty, at the very end */
  hyb_tensor_unref (end);
}

static void
test_a_view_beyond_its_parent_is_refused (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (HybTensor) parent = one_to_n (4);
      HybType row = { hyb_shape_1d (2), HYB_F32 };

      g_assert_nonnull (hyb_tensor_new_view (parent, &row, 2 * sizeof (float)));
      hyb_tensor_new_view (parent, &row, 3 * sizeof (float));
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*hyb_tensor_new_view*");
}

static void
test_a_view_reads_the_same_bytes_as_another_type (void)
{
  g_autoptr (HybTensor) ones = one_to_n (1);
  HybType bits = { hyb_shape_1d (1), HYB_U32 };
  g_autoptr (HybTensor) view = hyb_tensor_new_view (ones, &bits, 0);

  g_assert_true (hyb_tensor_get_value (view, 0) == 0x3f800000);
}

static void
count_call (gpointer data)
{
  (*(guint *) data)++;
}

static void
test_wrapped_memory_is_released_with_the_last_reference (void)
{
  float      values[] = { 1, 2, 3 };
  HybType    type = { hyb_shape_1d (3), HYB_F32 }, last = { hyb_shape_1d (1), HYB_F32 };
  guint      n_released = 0;
  HybTensor *tensor = hyb_tensor_new_wrapped (&type, values, &n_released, count_call);
  HybTensor *view = hyb_tensor_new_view (tensor, &last, 2 * sizeof (float));
  HybTensor *borrowed = hyb_tensor_new_wrapped (&type, values, NULL, NULL);

  g_assert_true (hyb_tensor_get_data (tensor) == values);
  g_assert_true (hyb_tensor_ref (tensor) == tensor);
  hyb_tensor_unref (tensor);
  hyb_tensor_unref (tensor);
  g_assert_cmpuint (n_released, ==, 0); /* the view still needs it */
  hyb_tensor_unref (view);
  g_assert_cmpuint (n_released, ==, 1);
  hyb_tensor_unref (borrowed); /* frees nothing of the caller's */
  hyb_tensor_unref (NULL);
  g_assert_true (values[2] == 3);
}

static void
test_copies_and_conversions_have_memory_of_their_own (void)
{
  g_autoptr (HybTensor) tensor = one_to_n (5);
  g_autoptr (HybTensor) copy = hyb_tensor_copy (tensor);
  g_autoptr (HybTensor) half = hyb_tensor_convert (tensor, HYB_F16);
  g_autoptr (HybTensor) same = hyb_tensor_convert (tensor, HYB_F32);
  g_autoptr (HybTensor) empty = one_to_n (0);
  g_autoptr (HybTensor) empty_copy = hyb_tensor_copy (empty);

  g_assert_true (same == tensor);
  g_assert_true (hyb_tensor_get_dtype (half) == HYB_F16);
  g_assert_cmpuint (hyb_tensor_get_bytes (half), ==, 10);
  ((float *) hyb_tensor_get_data (tensor))[0] = 100;
  g_assert_true (hyb_tensor_get_value (copy, 0) == 1);
  for (gint64 i = 1; i < 5; i++)
    g_assert_true (hyb_tensor_get_value (half, i) == hyb_tensor_get_value (copy, i));
  g_assert_cmpint (hyb_tensor_get_size (empty_copy), ==, 0);
}

static void
test_ranges_of_values_end_with_the_tensor (void)
{
  g_autoptr (HybTensor) tensor = one_to_n (5);
  double values[8] = { 0 };

  g_assert_cmpint (hyb_tensor_get_values (tensor, 0, 8, values), ==, 5);
  g_assert_true (values[4] == 5 && values[5] == 0);
  g_assert_cmpint (hyb_tensor_get_values (tensor, 3, 1, values), ==, 1);
  g_assert_true (values[0] == 4);
  g_assert_cmpint (hyb_tensor_get_values (tensor, 4, 8, values), ==, 1);
  g_assert_true (values[0] == 5);
  g_assert_cmpint (hyb_tensor_get_values (tensor, 5, 8, values), ==, 0); /* index == size */
  g_assert_cmpint (hyb_tensor_get_values (tensor, 6, 8, values), ==, 0);
  g_assert_cmpint (hyb_tensor_get_values (tensor, 0, 0, values), ==, 0);
}

static void
test_scalars_and_float_tensors_hold_their_values (void)
{
  const gint64 dims[] = { 2, 2 };
  const float  values[] = { 1.5f, -2, 0, 8 };
  g_autoptr (HybTensor) scalar = hyb_tensor_new_scalar (2.5);
  g_autoptr (HybTensor) square = hyb_tensor_new_float (2, dims, values);
  g_autofree char *text = hyb_type_to_string (hyb_tensor_get_type (scalar));

  g_assert_cmpstr (text, ==, "float32 (1,)");
  g_assert_true (hyb_tensor_get_value (scalar, 0) == 2.5);
  g_assert_cmpmem (hyb_tensor_get_data (square), hyb_tensor_get_bytes (square), values,
                   sizeof values);
}

static void
test_statistics_count_what_is_not_finite_apart (void)
{
  const float  values[] = { 1, NAN, 3, INFINITY, -4, -INFINITY, NAN };
  const gint64 n = G_N_ELEMENTS (values), two = 2, zero = 0;
  g_autoptr (HybTensor) mixed = hyb_tensor_new_float (1, &n, values);
  g_autoptr (HybTensor) nothing = hyb_tensor_new_float (1, &two, (const float[]){ NAN, INFINITY });
  g_autoptr (HybTensor) empty = hyb_tensor_new_float (1, &zero, NULL);
  HybStatistics statistics;

  hyb_tensor_statistics (mixed, &statistics);
  g_assert_true (statistics.minimum == -4 && statistics.maximum == 3 && statistics.mean == 0);
  g_assert_cmpfloat_with_epsilon (statistics.deviation, sqrt (26.0 / 3), 1e-12);
  g_assert_cmpint (statistics.n_nan, ==, 2);
  g_assert_cmpint (statistics.n_infinite, ==, 2);

  hyb_tensor_statistics (nothing, &statistics);
  g_assert_true (isnan (statistics.minimum) && isnan (statistics.maximum));
  g_assert_true (isnan (statistics.mean) && isnan (statistics.deviation));
  g_assert_cmpint (statistics.n_nan + statistics.n_infinite, ==, 2);

  hyb_tensor_statistics (empty, &statistics);
  g_assert_true (isnan (statistics.mean) && statistics.n_nan == 0 && statistics.n_infinite == 0);
}

/* More elements than are converted at a time, far from zero: Σ x² would cancel. */
static void
test_statistics_do_not_cancel_far_from_zero (void)
{
  HybType type = { hyb_shape_1d (1001), HYB_F64 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);
  double       *values = hyb_tensor_get_data (tensor);
  HybStatistics statistics;

  for (gint64 i = 0; i < 1001; i++)
    values[i] = 1e9 + (double) (i - 500);
  hyb_tensor_statistics (tensor, &statistics);
  g_assert_true (statistics.minimum == 1e9 - 500 && statistics.maximum == 1e9 + 500);
  g_assert_cmpfloat_with_epsilon (statistics.mean, 1e9, 1e-6);
  /* Σ k² for k from −500 to 500 is 2 · 500 · 501 · 1001 / 6. */
  g_assert_cmpfloat_with_epsilon (statistics.deviation, sqrt (500.0 * 501 / 3), 1e-6);
}

static void
test_arrays_beyond_the_limit_are_refused (void)
{
  HybType type = { hyb_shape_1d (2 << 20), HYB_U8 };
  g_autoptr (HybTensor) fits = NULL;
  g_autoptr (GError) error = NULL;

  hyb_limits_set (2 << 20, 0);
  fits = hyb_tensor_new (&type, &error);
  g_assert_no_error (error);
  type.shape.dim[0]++;
  g_assert_null (hyb_tensor_new (&type, &error));
  hyb_limits_set (0, 0);
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_SMALLER);
}

TEST_PROGRAM (test_tensor)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/tensor/tensor/" name, function)
  TEST ("floats-without-values-are-zeros", test_floats_without_values_are_zeros);
  TEST ("memory-is-aligned-and-cleared-on-request", test_memory_is_aligned_and_cleared_on_request);
  TEST ("absurd-sizes-are-errors", test_absurd_sizes_are_errors);
  TEST ("arrays-beyond-the-limit-are-refused", test_arrays_beyond_the_limit_are_refused);
  TEST ("a-view-keeps-its-storage-alive", test_a_view_keeps_its_storage_alive);
  TEST ("a-view-beyond-its-parent-is-refused", test_a_view_beyond_its_parent_is_refused);
  TEST ("a-view-reads-the-same-bytes-as-another-type",
        test_a_view_reads_the_same_bytes_as_another_type);
  TEST ("wrapped-memory-is-released-with-the-last-reference",
        test_wrapped_memory_is_released_with_the_last_reference);
  TEST ("copies-and-conversions-have-memory-of-their-own",
        test_copies_and_conversions_have_memory_of_their_own);
  TEST ("ranges-of-values-end-with-the-tensor", test_ranges_of_values_end_with_the_tensor);
  TEST ("scalars-and-float-tensors-hold-their-values",
        test_scalars_and_float_tensors_hold_their_values);
  TEST ("statistics-count-what-is-not-finite-apart",
        test_statistics_count_what_is_not_finite_apart);
  TEST ("statistics-do-not-cancel-far-from-zero", test_statistics_do_not_cancel_far_from_zero);
#undef TEST

  return g_test_run ();
}
