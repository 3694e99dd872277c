/* test-dots.c — compares products of few rows, computed as dot products, with sums in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/dots.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static float *
numbers (gint64 n, guint64 seed)
{
  float *values = g_new (float, (gsize) n + 1);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) hyb_random_uniform (seed, (guint64) i) - 0.5f;
  return values;
}

static HybGemm
few_rows (gint64 m, gint64 n, gint64 k)
{
  return (HybGemm){
    .transpose_b = TRUE, .m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = n, .alpha = 1
  };
}

/* Rows of all three matrices lie apart, and what lies between those of C keeps its value. */
static void
check_product (gint64 m, gint64 n, gint64 k, gboolean adds)
{
  HybGemm           gemm = few_rows (m, n, k);
  g_autofree float *a = numbers (m * (k + 1), 1), *b = numbers (n * (k + 2), 2);
  g_autofree float *bias = numbers (n, 3), *c = numbers (m * (n + 3), 4);
  g_autofree float *old = g_memdup2 (c, sizeof (float) * (gsize) (m * (n + 3)));

  gemm.lda = k + 1;
  gemm.ldb = k + 2;
  gemm.ldc = n + 3;
  gemm.beta = adds;
  hyb_dots_multiply (&gemm, a, b, adds ? NULL : bias, c);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n + 3; j++)
      {
        gint64 at = i * (n + 3) + j;
        double want = j >= n || adds ? old[at] : bias[j];

        for (gint64 l = 0; j < n && l < k; l++)
          want += (double) a[i * (k + 1) + l] * (double) b[j * (k + 2) + l];
        g_assert_cmpfloat (fabs (c[at] - want), <=, j < n ? 1e-6 * (double) (k + 4) : 0);
      }
}

/* The same with a B that is not transposed and has few columns. */
static void
check_narrow (gint64 m, gint64 n, gint64 k, gboolean adds)
{
  HybGemm           gemm = few_rows (m, n, k);
  g_autofree float *a = numbers (m * k, 1), *b = numbers (k * (n + 2), 2), *bias = numbers (n, 3);
  g_autofree float *c = numbers (m * n, 4), *old = g_memdup2 (c, sizeof (float) * (gsize) (m * n));

  gemm.transpose_b = FALSE;
  gemm.ldb = n + 2;
  gemm.beta = adds;
  hyb_dots_multiply (&gemm, a, b, adds ? NULL : bias, c);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double want = adds ? old[i * n + j] : bias[j];

        for (gint64 l = 0; l < k; l++)
          want += (double) a[i * k + l] * (double) b[l * (n + 2) + j];
        g_assert_cmpfloat (fabs (c[i * n + j] - want), <=, 1e-6 * (double) (k + 4));
      }
}

/* Whole and broken tiles, rows that one call of a kernel multiplies and more, whole and broken vectors,
 * and more rows of B than a block has. */
static void
test_level (gconstpointer level)
{
  static const gint64 sizes[][2] = { { 1, 1 },   { 3, 15 },  { 4, 16 },   { 5, 17 },
                                     { 8, 100 }, { 33, 40 }, { 130, 257 } };

  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (gint64 m = 1; m <= 9; m++)
      for (guint adds = 0; adds < 2; adds++)
        {
          check_product (m, sizes[s][0], sizes[s][1], adds);
          check_narrow (m, MIN (sizes[s][0], 8), sizes[s][1], adds);
        }
  for (gint64 m = 1; m <= 9; m++)
    for (guint adds = 0; adds < 2; adds++)
      check_narrow (30 * m, m - m / 9, 1021 + m, adds);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The last row, alone or with others beside it, and by one thread or two, has the same bytes. */
static void
check_bytes (gint64 m, gint64 n, gint64 k)
{
  HybGemm           gemm = few_rows (m, n, k), last = few_rows (1, n, k);
  g_autofree float *a = numbers (m * k, 1), *b = numbers (n * k, 2), *row = numbers (n, 3);
  gsize             size = sizeof (float) * (gsize) n;

  for (guint threads = 1; threads <= 2; threads++)
    {
      g_autofree float *c = numbers (m * n, 4);

      hyb_parallel_set_threads (threads);
      hyb_dots_multiply (&gemm, a, b, NULL, c);
      if (threads == 1)
        hyb_dots_multiply (&last, a + (m - 1) * k, b, NULL, row);
      g_assert_cmpmem (c + (m - 1) * n, size, row, size);
    }
  hyb_parallel_set_threads (0);
}

static void
test_rows_and_threads_change_no_byte (void)
{
  check_bytes (11, 602, 303);
  check_bytes (403, 7, 303);
}

/* NaN in one row of B reaches only its column of the result, also beside rows that B lacks. */
static void
test_nan_stays_in_its_column (void)
{
  HybGemm           gemm = few_rows (2, 5, 20);
  g_autofree float *a = numbers (2 * 20, 1), *b = numbers (5 * 20, 2);
  float             c[10];

  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    c[i] = NAN; /* must be overwritten */
  b[2 * 20 + 19] = NAN;
  hyb_dots_multiply (&gemm, a, b, NULL, c);
  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    g_assert_true (isnan (c[i]) == (i % 5 == 2));
}

static void
test_only_what_suits_is_faster (void)
{
  gboolean has_vectors = hyb_simd_level () != HYB_SIMD_PLAIN;
  HybGemm  plain = few_rows (32, 2048, 512), adds = plain, scaled = plain;
  HybGemm  untransposed = plain, slender = few_rows (258, 4, 256), first_transposed = plain,
          most = few_rows (48, 2048, 512);
  HybGemm too_many = few_rows (49, 2048, 512), too_short = few_rows (33, 2048, 40);
  HybGemm one = few_rows (1, 2048, 512), narrow = few_rows (2, 2, 93),
          single_block = few_rows (300, 4, 64);

  adds.beta = 1;
  scaled.beta = 0.5;
  untransposed.transpose_b = slender.transpose_b = FALSE;
  first_transposed.transpose_a = TRUE;
  g_assert_true (hyb_dots_is_faster (&plain) == has_vectors);
  g_assert_true (hyb_dots_is_faster (&adds) == has_vectors);
  g_assert_true (hyb_dots_is_faster (&most) == has_vectors);
  g_assert_true (hyb_dots_is_faster (&narrow) == has_vectors);
  g_assert_true (hyb_dots_is_faster (&single_block) == has_vectors);
  g_assert_true (hyb_dots_is_faster (&slender) == has_vectors);
  g_assert_false (hyb_dots_is_faster (&scaled));
  g_assert_false (hyb_dots_is_faster (&untransposed));
  g_assert_false (hyb_dots_is_faster (&first_transposed));
  g_assert_false (hyb_dots_is_faster (&too_many));
  g_assert_false (hyb_dots_is_faster (&too_short));
  g_assert_false (hyb_dots_is_faster (&one));
}

TEST_PROGRAM (test_dots)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/kernels/dots/every-level/plain-loops-agree-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_PLAIN), test_level);
  g_test_add_data_func ("/engine/kernels/dots/every-level/avx2-agrees-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_AVX2), test_level);
  g_test_add_data_func ("/engine/kernels/dots/every-level/avx512-agrees-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_AVX512), test_level);
  g_test_add_func ("/engine/kernels/dots/rows-and-threads-change-no-byte",
                   test_rows_and_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/dots/nan-stays-in-its-column", test_nan_stays_in_its_column);
  g_test_add_func ("/engine/kernels/dots/only-what-suits-is-faster",
                   test_only_what_suits_is_faster);

  return g_test_run ();
}
