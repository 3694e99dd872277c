/* test-narrow.c — products with weights of 16 and 8 bits, compared with sums in double of the same
 * weights as floats.
 *
 * Every test runs at each level of vector instructions that this processor has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/narrow.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static const HybDType dtypes[] = { HYB_F16, HYB_BF16, HYB_I8 };

static float *
numbers (gsize n, guint64 seed)
{
  float *values = g_new (float, n + 1);

  for (gsize i = 0; i < n; i++)
    values[i] = (float) hyb_random_uniform (seed, i) - 0.5f;
  return values;
}

/* Random weights of this type.  (transfer full) */
static gpointer
make_weights (HybDType dtype, gint64 rows, gint64 columns)
{
  g_autofree float *values = numbers ((gsize) (rows * columns), 2);
  gpointer          weights = g_malloc0 ((gsize) rows * hyb_narrow_row_bytes (dtype, columns) + 1);

  if (dtype == HYB_I8)
    hyb_narrow_quantise (rows, columns, values, weights);
  else
    hyb_dtype_convert (weights, dtype, values, HYB_F32, (gsize) (rows * columns));
  return weights;
}

/* One weight as the header describes it, read without the kernels. */
static double
weight_at (const HybNarrow *weights, gint64 row, gint64 column)
{
  const guint8 *bytes = (const guint8 *) weights->data +
                        (gsize) row * hyb_narrow_row_bytes (weights->dtype, weights->columns);
  float scale;

  if (weights->dtype != HYB_I8)
    return hyb_dtype_get_double (bytes, weights->dtype, (gsize) column);
  memcpy (&scale, bytes, sizeof scale);
  return (double) scale * hyb_dtype_get_double (bytes + HYB_NARROW_HEAD, HYB_I8, (gsize) column);
}

static void
check_product (HybDType dtype, gint64 m, gint64 n, gint64 k, gboolean adds)
{
  g_autofree float  *x = numbers ((gsize) (m * (k + 1)), 1);
  g_autofree float  *bias = numbers ((gsize) n, 3);
  g_autofree float  *y = numbers ((gsize) (m * (n + 2)), 4);
  g_autofree float  *old = g_memdup2 (y, sizeof (float) * (gsize) (m * (n + 2)));
  g_autofree guint8 *data = make_weights (dtype, n, k);
  HybNarrow          weights = { dtype, n, k, data };

  hyb_narrow_multiply (&weights,
                       &(HybNarrowProduct){ .m = m,
                                            .ldx = k + 1,
                                            .ldy = n + 2,
                                            .bias = adds ? NULL : bias,
                                            .adds = adds },
                       x, y);
  for (gint64 i = 0; i < m; i++)
    {
      for (gint64 j = 0; j < n; j++)
        {
          double want = adds ? (double) old[i * (n + 2) + j] : (double) bias[j];

          for (gint64 l = 0; l < k; l++)
            want += (double) x[i * (k + 1) + l] * weight_at (&weights, j, l);
          g_assert_cmpfloat (fabs ((double) y[i * (n + 2) + j] - want), <=,
                             1e-6 * (double) (k + 4));
        }
      g_assert_cmpfloat (y[i * (n + 2) + n], ==, old[i * (n + 2) + n]);
    }
}

static void
check_products (void)
{
  static const gint64 rows[] = { 1, 2, 4, 7, 8, 9, 40 };
  static const gint64 sizes[][2] = { { 1, 1 },   { 5, 3 },     { 4, 0 },    { 32, 16 },
                                     { 33, 17 }, { 100, 130 }, { 70, 600 }, { 257, 64 } };

  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
        for (guint adds = 0; adds < 2; adds++)
          check_product (dtypes[t], rows[r], sizes[s][0], sizes[s][1], adds > 0);
}

/* Every number of 16 bits, with rows that end in parts of a vector. */
static void
check_all_numbers (HybDType dtype)
{
  g_autofree guint16 *bits = g_new (guint16, 65536);
  g_autofree float   *got = g_new (float, 65536), *want = g_new (float, 65536);

  for (guint i = 0; i < 65536; i++)
    bits[i] = (guint16) i;
  hyb_dtype_convert (want, HYB_F32, bits, dtype, 65536);
  hyb_narrow_expand (&(HybNarrow){ dtype, 1, 65533, bits }, got);
  for (guint i = 0; i < 65533; i++)
    if (isnan (want[i]))
      g_assert_true (isnan (got[i]));
    else
      g_assert_cmpmem (&got[i], sizeof (float), &want[i], sizeof (float));
}

static void
test_level (gconstpointer level)
{
  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  check_products ();
  check_all_numbers (HYB_F16);
  check_all_numbers (HYB_BF16);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The sizes are large enough for the work to be split over two threads. */
static void
test_threads (void)
{
  enum
  {
    N = 1000,
    K = 300,
    M = HYB_NARROW_FEW_ROWS + 1
  };
  g_autofree float *x = numbers (M * K, 1);

  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (gint64 m = 1; m <= M; m++)
      {
        g_autofree guint8 *data = make_weights (dtypes[t], N, K);
        g_autofree float  *one = g_new0 (float, M *N), *two = g_new0 (float, M *N);
        float             *results[] = { one, two };

        for (guint threads = 1; threads <= 2; threads++)
          {
            hyb_parallel_set_threads (threads);
            hyb_narrow_multiply (&(HybNarrow){ dtypes[t], N, K, data },
                                 &(HybNarrowProduct){ .m = m, .ldx = K, .ldy = N }, x,
                                 results[threads - 1]);
          }
        hyb_parallel_set_threads (0);
        g_assert_cmpmem (one, sizeof (float) * M * N, two, sizeof (float) * M * N);
      }
}

/* Half a level is the largest error; a row of zeros stays so, and one that is not finite is NaN. */
static void
test_quantise (void)
{
  enum
  {
    K = 50
  };
  g_autofree float *values = numbers (4 * K, 9);
  g_autofree float *back = g_new (float, 4 * K);
  g_autofree gint8 *rows = g_malloc (4 * hyb_narrow_row_bytes (HYB_I8, K));

  for (guint l = 0; l < K; l++)
    {
      values[K + l] *= 1e-3f;
      values[2 * K + l] = 0;
    }
  values[3 * K + 7] = NAN;
  hyb_narrow_quantise (4, K, values, rows);
  hyb_narrow_expand (&(HybNarrow){ HYB_I8, 4, K, rows }, back);
  for (guint i = 0; i < 3; i++)
    {
      float largest = 0;

      for (guint l = 0; l < K; l++)
        largest = fmaxf (largest, fabsf (values[i * K + l]));
      for (guint l = 0; l < K; l++)
        g_assert_cmpfloat (fabsf (back[i * K + l] - values[i * K + l]), <=, largest / 253);
    }
  for (guint l = 0; l < K; l++)
    {
      g_assert_cmpfloat (back[2 * K + l], ==, 0);
      g_assert_true (isnan (back[3 * K + l]));
    }
}

TEST_PROGRAM (test_narrow)
{
  static const char *const names[] = { "plain", "avx2", "avx512" };

  g_test_init (&argc, &argv, NULL);
  for (guint level = 0; level <= (guint) hyb_simd_level (); level++)
    {
      g_autofree char *path = g_strconcat ("/engine/kernels/narrow/", names[level], NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (level), test_level);
    }
  g_test_add_func ("/engine/kernels/narrow/any-number-of-threads-gives-the-same-bytes",
                   test_threads);
  g_test_add_func ("/engine/kernels/narrow/int8-is-right-to-half-a-level", test_quantise);
  return g_test_run ();
}
