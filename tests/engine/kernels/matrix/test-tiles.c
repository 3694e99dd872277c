/* test-tiles.c — compares products by tiles with sums in double, at each level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/tiles.h"

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
dense (gint64 m, gint64 n, gint64 k, guint transposes)
{
  return hyb_gemm_dense (m, n, k, (transposes & 1) != 0, (transposes & 2) != 0);
}

static double
expected (const HybGemm *gemm, const float *a, const float *b, gint64 i, gint64 j)
{
  double sum = 0;

  for (gint64 l = 0; l < gemm->k; l++)
    sum += (double) a[gemm->transpose_a ? l * gemm->lda + i : i * gemm->lda + l] *
           (double) b[gemm->transpose_b ? j * gemm->ldb + l : l * gemm->ldb + j];
  return gemm->alpha * sum;
}

/* Rows of all three matrices lie apart, and what lies between those of C keeps its value. */
static void
check_product (HybGemm gemm, gboolean has_bias)
{
  gint64            n_a, n_b, n_c;
  g_autofree float *a = NULL, *b = NULL, *c = NULL, *old = NULL, *bias = numbers (gemm.n, 3);

  gemm.lda += 2;
  gemm.ldb += 1;
  gemm.ldc += 3;
  n_a = (gemm.transpose_a ? gemm.k : gemm.m) * gemm.lda;
  n_b = (gemm.transpose_b ? gemm.n : gemm.k) * gemm.ldb;
  n_c = gemm.m * gemm.ldc;
  a = numbers (n_a, 1);
  b = numbers (n_b, 2);
  c = numbers (n_c, 4);
  old = g_memdup2 (c, sizeof (float) * (gsize) n_c);
  hyb_tiles_multiply (&gemm, a, b, has_bias ? bias : NULL, c);
  for (gint64 i = 0; i < gemm.m; i++)
    for (gint64 j = 0; j < gemm.ldc; j++)
      {
        gint64 at = i * gemm.ldc + j;
        double want = old[at];

        if (j < gemm.n)
          want = expected (&gemm, a, b, i, j) + gemm.beta * (double) old[at] +
                 (has_bias ? (double) bias[j] : 0);
        g_assert_cmpfloat (fabs (c[at] - want), <=, j < gemm.n ? 1e-6 * (double) (gemm.k + 4) : 0);
      }
}

static void
check_forms (gint64 m, gint64 n, gint64 k)
{
  for (guint how = 0; how < 16; how++)
    {
      HybGemm gemm = dense (m, n, k, how);

      gemm.alpha = how & 4 ? -1.5 : 1;
      gemm.beta = how & 8 ? 0.5 : 0;
      check_product (gemm, how & 4);
    }
}

/* Every number of rows of a tile, whole vectors and parts of each, whole and broken blocks of B, several groups and
 * blocks of rows, rows of B whole pages apart, and columns of A quarters of pages apart. */
static void
test_level (gconstpointer level)
{
  static const gint64 columns[] = { 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 47, 48, 50, 64, 65, 97 };
  static const gint64 large[][3] = { { 25, 70, 192 },  { 26, 20, 193 },  { 385, 20, 30 },
                                     { 129, 33, 385 }, { 13, 1023, 9 },  { 61, 511, 5 },
                                     { 769, 5, 3 },    { 2, 3, 1000 },   { 254, 128, 193 },
                                     { 254, 127, 9 },  { 510, 129, 192 } };

  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  for (guint s = 0; s < G_N_ELEMENTS (columns); s++)
    for (gint64 m = 1; m <= 13; m++)
      check_forms (m, columns[s], 1 + m % 5);
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    check_forms (large[i][0], large[i][1], large[i][2]);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Row `last` of the product, alone or with others beside it, and by one to five threads, has the same bytes. */
static void
check_bytes (gint64 m, gint64 n, gint64 k, guint transposes)
{
  HybGemm           gemm = dense (m, n, k, transposes), last = gemm;
  g_autofree float *a = numbers (m * k, 1), *b = numbers (n * k, 2), *row = numbers (n, 3);
  g_autofree float *first = NULL;
  gsize             size = sizeof (float) * (gsize) (m * n);

  last.m = 1;
  hyb_tiles_multiply (&last, a + (m - 1) * (gemm.transpose_a ? 1 : k), b, NULL, row);
  for (guint threads = 1; threads <= 5; threads++)
    {
      g_autofree float *c = numbers (m * n, 4);

      hyb_parallel_set_threads (threads);
      hyb_tiles_multiply (&gemm, a, b, NULL, c);
      g_assert_cmpmem (c + (m - 1) * n, size / (gsize) m, row, size / (gsize) m);
      if (first)
        g_assert_cmpmem (c, size, first, size);
      else
        first = g_steal_pointer (&c);
    }
  hyb_parallel_set_threads (0);
}

static void
test_rows_and_threads_change_no_byte (void)
{
  for (guint transposes = 0; transposes < 4; transposes++)
    {
      check_bytes (67, 301, 203, transposes);
      check_bytes (419, 37, 101, transposes);
      check_bytes (256, 131, 199, transposes);
    }
}

/* NaN in one column of B reaches only that of the result, and a beta of 0 clears what was there. */
static void
test_nan_stays_in_its_column (void)
{
  for (guint transposes = 0; transposes < 4; transposes++)
    {
      HybGemm           gemm = dense (2, 5, 20, transposes);
      g_autofree float *a = numbers (2 * 20, 1), *b = numbers (5 * 20, 2);
      float             c[10];

      for (guint i = 0; i < G_N_ELEMENTS (c); i++)
        c[i] = NAN;
      b[gemm.transpose_b ? 2 * 20 + 19 : 19 * 5 + 2] = NAN;
      hyb_tiles_multiply (&gemm, a, b, NULL, c);
      for (guint i = 0; i < G_N_ELEMENTS (c); i++)
        g_assert_true (isnan (c[i]) == (i % 5 == 2));
    }
}

TEST_PROGRAM (test_tiles)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/engine/kernels/tiles/plain-loops-agree-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_PLAIN), test_level);
  g_test_add_data_func ("/engine/kernels/tiles/avx2-agrees-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_AVX2), test_level);
  g_test_add_data_func ("/engine/kernels/tiles/avx512-agrees-with-sums",
                        GUINT_TO_POINTER (HYB_SIMD_AVX512), test_level);
  g_test_add_func ("/engine/kernels/tiles/rows-and-threads-change-no-byte",
                   test_rows_and_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/tiles/nan-stays-in-its-column", test_nan_stays_in_its_column);

  return g_test_run ();
}
