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

/* Factors as they lie ([0]) and transposed ([1]), and the sums of their product, which are the same for all forms and levels.
 * Rows of all matrices lie apart. */
typedef struct
{
  gint64  m, n, k;
  float  *a[2], *b[2], *c, *bias;
  double *sums;
} Sample;

/* Two layouts of random rows × columns numbers, the rows of both `gap` apart. */
static void
make_factor (gint64 rows, gint64 columns, gint64 gap, guint64 seed, float *layouts[2])
{
  layouts[0] = numbers (rows * (columns + gap), seed);
  layouts[1] = numbers (columns * (rows + gap), seed);
  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < columns; j++)
      layouts[1][j * (rows + gap) + i] = layouts[0][i * (columns + gap) + j];
}

static void
sample_init (Sample *this, gint64 m, gint64 n, gint64 k)
{
  *this = (Sample){ .m = m, .n = n, .k = k };
  make_factor (m, k, 2, 1, this->a);
  make_factor (k, n, 1, 2, this->b);
  this->bias = numbers (n, 3);
  this->c = numbers (m * (n + 3), 4);
  this->sums = g_new (double, m *n);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++)
      {
        const float *row = this->a[0] + i * (k + 2), *column = this->b[1] + j * (k + 1);
        double       sum = 0;

        for (gint64 l = 0; l < k; l++)
          sum += (double) row[l] * (double) column[l];
        this->sums[i * n + j] = sum;
      }
}

static void
sample_clear (Sample *this)
{
  for (guint i = 0; i < 2; i++)
    {
      g_free (this->a[i]);
      g_free (this->b[i]);
    }
  g_free (this->c);
  g_free (this->bias);
  g_free (this->sums);
}

/* What lies between the rows of C keeps its value. */
static void
check_product (const Sample *sample, guint transposes, gboolean scales, gboolean adds)
{
  HybGemm           gemm = dense (sample->m, sample->n, sample->k, transposes);
  gint64            ldc = sample->n + 3;
  g_autofree float *c = g_memdup2 (sample->c, sizeof (float) * (gsize) (sample->m * ldc));

  gemm.lda += 2;
  gemm.ldb += 1;
  gemm.ldc = ldc;
  gemm.alpha = scales ? -1.5 : 1;
  gemm.beta = adds ? 0.5 : 0;
  hyb_tiles_multiply (&gemm, sample->a[transposes & 1], sample->b[transposes >> 1],
                      scales ? sample->bias : NULL, c);
  for (gint64 i = 0; i < gemm.m; i++)
    {
      const float *row = c + i * ldc, *old = sample->c + i * ldc;

      for (gint64 j = 0; j < gemm.n; j++)
        {
          double want = gemm.alpha * sample->sums[i * gemm.n + j] + gemm.beta * (double) old[j] +
                        (scales ? (double) sample->bias[j] : 0);

          g_assert_cmpfloat (fabs ((double) row[j] - want), <=, 1e-6 * (double) (gemm.k + 4));
        }
      g_assert_cmpmem (row + gemm.n, 3 * sizeof (float), old + gemm.n, 3 * sizeof (float));
    }
}

/* Scales and adds in all combinations, or neither and both. */
static void
check_forms (gint64 m, gint64 n, gint64 k, gboolean all)
{
  Sample sample;

  sample_init (&sample, m, n, k);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint how = 0; how < 16; how++)
      {
        gboolean scales = (how & 4) != 0, adds = (how & 8) != 0;

        hyb_simd_cap ((HybSimdLevel) level);
        if (all || scales == adds)
          check_product (&sample, how & 3, scales, adds);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
  sample_clear (&sample);
}

/* Every number of rows of a tile, whole vectors and parts of each, whole and broken blocks of B, several groups and
 * blocks of rows, rows of B whole pages apart, and columns of A quarters of pages apart, at each level. */
static void
test_sums (void)
{
  static const gint64 columns[] = { 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 47, 48, 50, 64, 65, 97 };
  static const gint64 large[][3] = { { 25, 70, 192 },  { 26, 20, 193 }, { 385, 20, 30 },
                                     { 129, 33, 385 }, { 13, 1023, 9 }, { 61, 511, 5 },
                                     { 769, 5, 3 },    { 2, 3, 1000 },  { 254, 128, 193 },
                                     { 254, 127, 9 },  { 766, 129, 9 } };

  for (guint s = 0; s < G_N_ELEMENTS (columns); s++)
    for (gint64 m = 1; m <= 13; m++)
      check_forms (m, columns[s], 1 + m % 5, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    check_forms (large[i][0], large[i][1], large[i][2], FALSE);
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

  g_test_add_func ("/engine/kernels/tiles/every-level/sums-agree", test_sums);
  g_test_add_func ("/engine/kernels/tiles/rows-and-threads-change-no-byte",
                   test_rows_and_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/tiles/nan-stays-in-its-column", test_nan_stays_in_its_column);

  return g_test_run ();
}
