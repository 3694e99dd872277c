/* test-rows.c — compares sums, softmax and normalisation of rows with plain loops in double.
 *
 * Every test runs for each length around those of vectors, at each level of vector instructions
 * that this processor has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/rows.h"

#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define MOST 700

static float x[MOST], gamma_[MOST], beta[MOST];

static void
fill (void)
{
  for (guint i = 0; i < MOST; i++)
    {
      x[i] = (float) (8 * hyb_random_uniform (3, i) - 3);
      gamma_[i] = (float) (2 * hyb_random_uniform (4, i) - 1);
      beta[i] = (float) (2 * hyb_random_uniform (5, i) - 1);
    }
}

/* Calls check (n, data) for each length and instruction set. */
static void
for_each_length (void (*check) (gint64 n))
{
  fill ();
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (gint64 n = 1; n < 300; n++)
        check (n);
      check (MOST);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
check_sums (gint64 n)
{
  double sum = 0, sizes = 0, squares = 0;

  for (gint64 i = 0; i < n; i++)
    {
      sum += (double) x[i];
      sizes += fabs ((double) x[i]);
      squares += ((double) x[i] - 0.75) * ((double) x[i] - 0.75);
    }
  g_assert_cmpfloat (fabs (hyb_row_sum_f32 (n, x) - sum), <=, sizes * 2e-7);
  g_assert_cmpfloat (fabs (hyb_row_sum_pieces_f32 (n, x) - sum), <=, sizes * 2e-7);
  g_assert_cmpfloat (fabs (hyb_row_squares_f32 (n, x, 0.75) - squares), <=, squares * 5e-7);
}

static void
test_sums_of_every_length (void)
{
  for_each_length (check_sums);
}

static void
check_softmax (gint64 n)
{
  float  y[MOST + 1], in_place[MOST];
  double sum = 0;

  y[n] = 5;
  hyb_row_softmax_f32 (n, x, -0.5f, y);
  memcpy (in_place, x, sizeof x);
  hyb_row_softmax_f32 (n, in_place, -0.5f, in_place);
  g_assert_cmpmem (in_place, sizeof (float) * (gsize) n, y, sizeof (float) * (gsize) n);
  g_assert_cmpmem (in_place + n, sizeof (float) * (gsize) (MOST - n), x + n,
                   sizeof (float) * (gsize) (MOST - n));
  g_assert_cmpfloat ((double) y[n], ==, 5);

  for (gint64 i = 0; i < n; i++)
    sum += exp (-0.5 * (double) x[i]);
  for (gint64 i = 0; i < n; i++)
    {
      double want = exp (-0.5 * (double) x[i]) / sum;

      g_assert_cmpfloat (fabs ((double) y[i] - want), <=, want * 1e-6);
    }
}

static void
test_softmax_of_every_length (void)
{
  for_each_length (check_softmax);
}

/* Differences from −∞ to 0: exponentials that round to 0 and below the normal range, too.  The
 * differences are rounded to float, as in the kernel. */
static void
check_wide_softmax (gint64 n)
{
  float  wide[MOST] = { 0 }, y[MOST], largest = -INFINITY;
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      wide[i] = i % 97 == 5 ? -INFINITY : x[i] * 30;
      largest = MAX (largest, wide[i]);
    }
  hyb_row_softmax_f32 (n, wide, 1, y);
  for (gint64 i = 0; i < n; i++)
    sum += exp ((double) (wide[i] - largest));
  for (gint64 i = 0; i < n; i++)
    {
      double want = exp ((double) (wide[i] - largest)) / sum;

      g_assert_cmpfloat (fabs ((double) y[i] - want), <=, want * 1e-6 + 3e-45);
    }
}

static void
test_softmax_of_wide_rows (void)
{
  for_each_length (check_wide_softmax);
}

/* One NaN makes the whole row NaN, wherever it is. */
static void
check_softmax_of_nan (gint64 n)
{
  float with_nan[MOST], y[MOST];

  for (gint64 place = 0; place < n; place += MAX (1, n / 7))
    {
      memcpy (with_nan, x, sizeof x);
      with_nan[place] = NAN;
      hyb_row_softmax_f32 (n, with_nan, 1, y);
      for (gint64 i = 0; i < n; i++)
        g_assert_true (isnan (y[i]));
    }
}

static void
test_softmax_of_nan (void)
{
  for_each_length (check_softmax_of_nan);
}

static void
check_normalise (gint64 n)
{
  float y[MOST + 1];

  y[n] = 5;
  hyb_row_normalise_f32 (n, x, &(HybNormalisation_f32){ 0.75f, 1.5f, gamma_, beta }, y);
  g_assert_cmpfloat ((double) y[n], ==, 5);
  for (gint64 i = 0; i < n; i++)
    {
      double want = ((double) x[i] - 0.75) * 1.5 * (double) gamma_[i] + (double) beta[i];

      g_assert_cmpfloat (fabs ((double) y[i] - want), <=, 2e-6);
    }
}

static void
test_normalise_every_length (void)
{
  for_each_length (check_normalise);
}

/* Squares that overflow or underflow in float are summed in double. */
static void
test_extremes_stay_in_range (void)
{
  float huge[200], tiny[200];

  for (guint i = 0; i < 200; i++)
    {
      huge[i] = i % 2 ? 3e38f : 1e38f;
      tiny[i] = i % 2 ? 3e-30f : 1e-30f;
    }
  g_assert_cmpfloat_with_epsilon (hyb_row_sum_f32 (200, huge) / 4e40, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (hyb_row_sum_pieces_f32 (200, huge) / 4e40, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (hyb_row_squares_f32 (200, huge, 2e38) / 2e78, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (hyb_row_squares_f32 (200, tiny, 2e-30) / 2e-58, 1, 1e-6);

  huge[3] = NAN;
  g_assert_true (isnan (hyb_row_sum_f32 (200, huge)));
  g_assert_true (isnan (hyb_row_sum_pieces_f32 (200, huge)));
  huge[3] = INFINITY;
  g_assert_true (isinf (hyb_row_sum_f32 (200, huge)));
  g_assert_true (isinf (hyb_row_sum_pieces_f32 (200, huge)));
}

/* One sum of floats stays at 2²⁴ when ones are added to it. */
static void
test_long_rows_do_not_saturate (void)
{
  const gint64 n = 1 << 25;
  float       *ones = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    ones[i] = 1;
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      g_assert_cmpfloat (hyb_row_sum_f32 (n, ones), ==, (double) n);
      g_assert_cmpfloat (hyb_row_sum_pieces_f32 (n, ones), ==, (double) n);
    }
  g_free (ones);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_rows)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/rows/sums-of-every-length", test_sums_of_every_length);
  g_test_add_func ("/engine/kernels/rows/softmax-of-every-length", test_softmax_of_every_length);
  g_test_add_func ("/engine/kernels/rows/softmax-of-wide-rows", test_softmax_of_wide_rows);
  g_test_add_func ("/engine/kernels/rows/softmax-of-nan", test_softmax_of_nan);
  g_test_add_func ("/engine/kernels/rows/normalise-every-length", test_normalise_every_length);
  g_test_add_func ("/engine/kernels/rows/extremes-stay-in-range", test_extremes_stay_in_range);
  g_test_add_func ("/engine/kernels/rows/long-rows-do-not-saturate",
                   test_long_rows_do_not_saturate);

  return g_test_run ();
}
