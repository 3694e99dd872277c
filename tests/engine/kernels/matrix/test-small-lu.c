/* test-small-lu.c — multiplies factors of small matrices and compares the product with the matrix, at each level of vector
 * instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/small-lu.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

enum
{
  MOST = HYB_SMALL_LU_MAX
};

static void
fill (gint64 n, float *a)
{
  for (gint64 i = 0; i < n * n; i++)
    a[i] = (float) (i * i * 31 % 97) / 48.f - 1.f;
}

/* The element of the product of the factors in row i and column j. */
static double
multiply (const float *lu, gint64 n, gint64 i, gint64 j)
{
  double sum = 0;

  for (gint64 k = 0; k <= MIN (i, j); k++)
    sum += (k == i ? 1. : (double) lu[k * n + i]) * (double) lu[j * n + k];
  return sum;
}

static void
check_factors (gint64 n, const float *a)
{
  static float lu[MOST * MOST];
  gint32       pivot[MOST];
  gint64       row[MOST];
  int          first_zero;

  memcpy (lu, a, (gsize) (n * n) * sizeof *a);
  g_assert_true (hyb_small_lu (n, lu, pivot, &first_zero));
  g_assert_cmpint (first_zero, ==, 0);
  for (gint64 i = 0; i < n; i++)
    row[i] = i;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 swap = row[i];

      g_assert_cmpint (pivot[i], >, i);
      g_assert_cmpint (pivot[i], <=, n);
      row[i] = row[pivot[i] - 1];
      row[pivot[i] - 1] = swap;
    }
  for (gint64 j = 0; j < n; j++)
    for (gint64 i = 0; i < n; i++)
      {
        g_assert_cmpfloat_with_epsilon (multiply (lu, n, i, j), (double) a[j * n + row[i]], 1e-5);
        g_assert_true (i <= j || fabsf (lu[j * n + i]) <= 1);
      }
}

static void
test_product (void)
{
  const gint64 sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 25, MOST };
  static float a[MOST * MOST];

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          fill (sizes[i], a);
          check_factors (sizes[i], a);
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Element 1 of the last column of U is 0 or the rounding error of a product; element 2 is −½ of the same number. */
static void
test_stored_factors_are_those_that_are_subtracted (void)
{
  const float    third = 1.f / 3, below = 0.7f;
  volatile float product = third * below;
  float          a[] = { 1, below, 0, 0, 1, 0.5f, third, product, 0 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      float  lu[G_N_ELEMENTS (a)];
      gint32 pivot[3];
      int    first_zero;

      memcpy (lu, a, sizeof lu);
      hyb_simd_cap ((HybSimdLevel) level);
      g_assert_true (hyb_small_lu (3, lu, pivot, &first_zero));
      g_assert_true (pivot[0] == 1 && pivot[1] == 2 && pivot[2] == 3);
      g_assert_cmpfloat (lu[8], ==, -0.5f * lu[7]);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* LAPACK numbers the first pivot that is 0, and goes on. */
static void
test_singular (void)
{
  float  equal[] = { 1, 2, 4, 2, 4, 8, 1, 0, 5 }, none[] = { 0, 0, 0, 0 };
  gint32 pivot[3];
  int    first_zero;

  g_assert_true (hyb_small_lu (3, equal, pivot, &first_zero));
  g_assert_cmpint (first_zero, ==, 2);
  g_assert_true (hyb_small_lu (2, none, pivot, &first_zero));
  g_assert_cmpint (first_zero, ==, 1);
  g_assert_cmpint (pivot[0], ==, 1);
  g_assert_cmpint (pivot[1], ==, 2);
}

static void
test_infinite_numbers_are_refused (void)
{
  float  infinite[] = { 1, 2, INFINITY, 4 }, unknown[] = { 1, NAN, 3, 4 };
  gint32 pivot[2];
  int    first_zero;

  g_assert_false (hyb_small_lu (2, infinite, pivot, &first_zero));
  g_assert_false (hyb_small_lu (2, unknown, pivot, &first_zero));
  g_assert_true (infinite[0] == 1 && infinite[1] == 2 && infinite[3] == 4);
}

TEST_PROGRAM (test_small_lu)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/small-lu/product-of-factors-is-the-matrix", test_product);
  g_test_add_func ("/engine/kernels/small-lu/stored-factors-are-those-that-are-subtracted",
                   test_stored_factors_are_those_that_are_subtracted);
  g_test_add_func ("/engine/kernels/small-lu/singular-matrices", test_singular);
  g_test_add_func ("/engine/kernels/small-lu/infinite-numbers-are-refused",
                   test_infinite_numbers_are_refused);

  return g_test_run ();
}
