/* test-shape.c — shapes and types that may be partly unknown: sizes, axes, unification, texts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/shape.h"

#include "engine/base/error.h"
#include "tests/program.h"

#include <string.h>

static void
assert_text (HybShape shape, const char *want)
{
  g_autofree char *text = hyb_shape_to_string (&shape);

  g_assert_cmpstr (text, ==, want);
}

static void
assert_error (GError **error, int code, const char *part)
{
  g_assert_error (*error, HYB_GRAPH_ERROR, code);
  if (!strstr ((*error)->message, part))
    g_error ("“%s” does not contain “%s”", (*error)->message, part);
  g_clear_error (error);
}

static void
test_unknown_ranks_and_dimensions_are_shown_as_question_marks (void)
{
  const gint64     dims[] = { 2, HYB_UNKNOWN, 3 };
  HybType          type = { hyb_shape_2d (2, 3), HYB_F32 };
  g_autofree char *text = hyb_type_to_string (&type);
  g_autofree char *nothing = hyb_type_to_string (&HYB_TYPE_UNKNOWN);

  assert_text (hyb_shape_make (3, dims), "(2, ?, 3)");
  assert_text (hyb_shape_make (2, NULL), "(?, ?)");
  assert_text (hyb_shape_make (0, NULL), "()");
  assert_text (hyb_shape_1d (7), "(7,)");
  assert_text (hyb_shape_4d (1, 0, 2, 3), "(1, 0, 2, 3)");
  assert_text (HYB_SHAPE_UNKNOWN, "?");
  g_assert_cmpstr (text, ==, "float32 (2, 3)");
  g_assert_cmpstr (nothing, ==, "unknown ?");
}

static void
test_a_shape_has_a_size_only_if_all_of_it_is_known (void)
{
  HybShape scalar = hyb_shape_make (0, NULL), empty = hyb_shape_3d (4, 0, 5);
  HybShape partial = hyb_shape_2d (3, HYB_UNKNOWN), unknown = HYB_SHAPE_UNKNOWN;
  HybShape cube = hyb_shape_3d (2, 3, 4);

  g_assert_cmpint (hyb_shape_size (&scalar), ==, 1);
  g_assert_cmpint (hyb_shape_size (&empty), ==, 0);
  g_assert_cmpint (hyb_shape_size (&cube), ==, 24);
  g_assert_cmpint (hyb_shape_size (&partial), ==, HYB_UNKNOWN);
  g_assert_cmpint (hyb_shape_size (&unknown), ==, HYB_UNKNOWN);
  g_assert_true (hyb_shape_is_known (&scalar) && hyb_shape_is_known (&empty));
  g_assert_false (hyb_shape_is_known (&partial) || hyb_shape_is_known (&unknown));

  g_assert_cmpint (hyb_shape_count (&cube, 1, 3), ==, 12);
  g_assert_cmpint (hyb_shape_count (&cube, 2, 2), ==, 1); /* an empty range */
  g_assert_cmpint (hyb_shape_count (&cube, -5, 9), ==, 24);
}

static void
test_equality_compares_ranks_and_the_dimensions_in_use (void)
{
  HybShape a = hyb_shape_2d (2, 3), b = hyb_shape_3d (2, 3, 9);
  HybShape unknown = HYB_SHAPE_UNKNOWN, none = hyb_shape_make (0, NULL);

  g_assert_false (hyb_shape_equal (&a, &b));
  b.rank = 2; /* the 9 is no longer part of it */
  g_assert_true (hyb_shape_equal (&a, &b));
  b.dim[1] = HYB_UNKNOWN;
  g_assert_false (hyb_shape_equal (&a, &b));
  g_assert_true (hyb_shape_equal (&unknown, &HYB_SHAPE_UNKNOWN));
  g_assert_false (hyb_shape_equal (&unknown, &none));
}

static void
test_bytes_that_overflow_are_refused (void)
{
  HybShape fits = hyb_shape_2d (3, 5), empty = hyb_shape_2d (0, 5);
  HybShape large = hyb_shape_1d (G_MAXINT64 / 8), larger = hyb_shape_1d (G_MAXINT64 / 8 + 1);
  HybShape wraps = hyb_shape_2d (G_GINT64_CONSTANT (1) << 32, G_GINT64_CONSTANT (1) << 32);
  HybShape hidden = hyb_shape_3d (G_GINT64_CONSTANT (1) << 40, 0, G_GINT64_CONSTANT (1) << 40);
  gsize    bytes = 7;
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_shape_bytes (&fits, HYB_F64, &bytes, &error));
  g_assert_cmpuint (bytes, ==, 120);
  g_assert_true (hyb_shape_bytes (&empty, HYB_F64, &bytes, &error));
  g_assert_cmpuint (bytes, ==, 0);
  g_assert_true (hyb_shape_bytes (&large, HYB_I64, &bytes, &error));
  g_assert_cmpuint (bytes, ==, (gsize) (G_MAXINT64 / 8) * 8);

  bytes = 7;
  g_assert_false (hyb_shape_bytes (&larger, HYB_I64, &bytes, &error));
  assert_error (&error, HYB_GRAPH_ERROR_MEMORY, "(1152921504606846976,)");
  g_assert_false (hyb_shape_bytes (&wraps, HYB_U8, &bytes, &error)); /* 2^64 is 0 in 64 bits */
  assert_error (&error, HYB_GRAPH_ERROR_MEMORY, "would not fit");
  g_assert_false (hyb_shape_bytes (&hidden, HYB_U8, &bytes, &error)); /* empty, but 2^80 */
  assert_error (&error, HYB_GRAPH_ERROR_MEMORY, "would not fit");
  g_assert_cmpuint (bytes, ==, 7);
}

static void
test_axes_count_from_either_end (void)
{
  HybShape cube = hyb_shape_3d (2, 3, 4), scalar = hyb_shape_make (0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (hyb_shape_axis (&cube, 0, &error), ==, 0);
  g_assert_cmpint (hyb_shape_axis (&cube, 2, &error), ==, 2);
  g_assert_cmpint (hyb_shape_axis (&cube, -1, &error), ==, 2);
  g_assert_cmpint (hyb_shape_axis (&cube, -3, &error), ==, 0);
  g_assert_no_error (error);

  g_assert_cmpint (hyb_shape_axis (&cube, 3, &error), ==, -1); /* index == rank */
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "axis 3 is outside");
  g_assert_cmpint (hyb_shape_axis (&cube, -4, &error), ==, -1);
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "use -3 to 2");
  g_assert_cmpint (hyb_shape_axis (&cube, G_MININT64, NULL), ==, -1);
  g_assert_cmpint (hyb_shape_axis (&scalar, 0, &error), ==, -1);
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "axis 0 is outside");
}

static void
test_unification_fills_both_shapes (void)
{
  HybShape a = hyb_shape_3d (2, HYB_UNKNOWN, HYB_UNKNOWN);
  HybShape b = hyb_shape_3d (HYB_UNKNOWN, 3, HYB_UNKNOWN);
  HybShape unknown = HYB_SHAPE_UNKNOWN;
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_shape_unify (&a, &b, &error));
  assert_text (a, "(2, 3, ?)");
  assert_text (b, "(2, 3, ?)");
  g_assert_true (hyb_shape_unify (&unknown, &a, &error));
  assert_text (unknown, "(2, 3, ?)");

  unknown = HYB_SHAPE_UNKNOWN;
  g_assert_true (hyb_shape_unify (&a, &unknown, &error)); /* the other way round */
  assert_text (unknown, "(2, 3, ?)");
  g_assert_no_error (error);
}

static void
test_assignment_changes_only_its_target (void)
{
  HybShape to = hyb_shape_2d (HYB_UNKNOWN, 5), from = hyb_shape_2d (4, HYB_UNKNOWN);
  HybShape unknown = HYB_SHAPE_UNKNOWN;
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_shape_assign (&to, &from, &error));
  assert_text (to, "(4, 5)");
  assert_text (from, "(4, ?)");
  g_assert_true (hyb_shape_assign (&to, &unknown, &error));
  assert_text (to, "(4, 5)");
  g_assert_no_error (error);
}

static void
test_contradictions_name_both_sides (void)
{
  HybShape a = hyb_shape_2d (2, 3), b = hyb_shape_2d (2, 4), c = hyb_shape_1d (2);
  HybShape zero = hyb_shape_2d (2, 0);
  HybDType dtype = HYB_F32;
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_shape_unify (&a, &b, &error));
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "(2, 3)");
  g_assert_false (hyb_shape_unify (&a, &b, &error));
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "(2, 4)");
  g_assert_false (hyb_shape_assign (&a, &c, &error)); /* ranks differ */
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "(2,)");
  g_assert_false (hyb_shape_assign (&a, &zero, &error)); /* 0 is a size, not unknown */
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "(2, 0)");
  g_assert_false (hyb_dtype_assign (&dtype, HYB_F16, &error));
  assert_error (&error, HYB_GRAPH_ERROR_TYPES, "float16");
  g_assert_true (dtype == HYB_F32);
}

/* 2⁶² · 2 is one more than the largest number; a dimension of 0 is a factor like any other. */
static void
test_products_that_overflow_are_the_largest_number (void)
{
  const gint64 half = (gint64) 1 << 62;
  HybShape     below = hyb_shape_2d (half - 1, 2), above = hyb_shape_2d (half, 2);
  HybShape     empty = hyb_shape_3d (half, half, 0);

  g_assert_cmpint (hyb_shape_size (&below), ==, G_MAXINT64 - 1);
  g_assert_cmpint (hyb_shape_size (&above), ==, G_MAXINT64);
  g_assert_cmpint (hyb_shape_count (&above, 0, 2), ==, G_MAXINT64);
  g_assert_cmpint (hyb_shape_size (&empty), ==, 0);
}

static void
test_dtypes_unify_if_one_is_unknown (void)
{
  HybDType a = HYB_DTYPE_UNKNOWN, b = HYB_I8, c = HYB_DTYPE_UNKNOWN;
  HybType  type = { hyb_shape_2d (2, 3), HYB_DTYPE_UNKNOWN };
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_dtype_unify (&a, &b, &error));
  g_assert_true (a == HYB_I8 && b == HYB_I8);
  g_assert_true (hyb_dtype_unify (&b, &c, &error));
  g_assert_true (c == HYB_I8);
  g_assert_true (hyb_dtype_assign (&a, HYB_DTYPE_UNKNOWN, &error));
  g_assert_true (a == HYB_I8);
  g_assert_no_error (error);

  g_assert_false (hyb_type_is_known (&type));
  type.dtype = HYB_F16;
  g_assert_true (hyb_type_is_known (&type));
  g_assert_cmpuint (hyb_type_bytes (&type), ==, 12);
  type.shape.dim[0] = HYB_UNKNOWN;
  g_assert_false (hyb_type_is_known (&type));
}

TEST_PROGRAM (test_shape)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/tensor/shape/" name, function)
  TEST ("unknown-ranks-and-dimensions-are-shown-as-question-marks",
        test_unknown_ranks_and_dimensions_are_shown_as_question_marks);
  TEST ("a-shape-has-a-size-only-if-all-of-it-is-known",
        test_a_shape_has_a_size_only_if_all_of_it_is_known);
  TEST ("equality-compares-ranks-and-the-dimensions-in-use",
        test_equality_compares_ranks_and_the_dimensions_in_use);
  TEST ("bytes-that-overflow-are-refused", test_bytes_that_overflow_are_refused);
  TEST ("products-that-overflow-are-the-largest-number",
        test_products_that_overflow_are_the_largest_number);
  TEST ("axes-count-from-either-end", test_axes_count_from_either_end);
  TEST ("unification-fills-both-shapes", test_unification_fills_both_shapes);
  TEST ("assignment-changes-only-its-target", test_assignment_changes_only_its_target);
  TEST ("contradictions-name-both-sides", test_contradictions_name_both_sides);
  TEST ("dtypes-unify-if-one-is-unknown", test_dtypes_unify_if_one_is_unknown);
#undef TEST

  return g_test_run ();
}
