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

#define MAX_ROWS 40

/* A product of MAX_ROWS rows of X, k + 1 floats apart; that of fewer rows has the same sums, at every level. */
typedef struct
{
  float    *x, *bias, *old; /* old: Y before, n + 2 floats a row */
  guint8   *data;
  HybNarrow weights;
  double   *sums;
} Sample;

static void
sample_init (Sample *this, HybDType dtype, gint64 n, gint64 k)
{
  g_autofree double *w = g_new (double, n *k + 1);

  this->x = numbers ((gsize) (MAX_ROWS * (k + 1)), 1);
  this->bias = numbers ((gsize) n, 3);
  this->old = numbers ((gsize) (MAX_ROWS * (n + 2)), 4);
  this->data = make_weights (dtype, n, k);
  this->weights = (HybNarrow){ dtype, n, k, this->data };
  this->sums = g_new (double, MAX_ROWS *n);
  for (gint64 j = 0; j < n; j++)
    for (gint64 l = 0; l < k; l++)
      w[j * k + l] = weight_at (&this->weights, j, l);
  for (gint64 i = 0; i < MAX_ROWS; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double sum = 0;

        for (gint64 l = 0; l < k; l++)
          sum += (double) this->x[i * (k + 1) + l] * w[j * k + l];
        this->sums[i * n + j] = sum;
      }
}

static void
sample_clear (Sample *this)
{
  g_free (this->x);
  g_free (this->bias);
  g_free (this->old);
  g_free (this->data);
  g_free (this->sums);
}

static void
check_product (const Sample *sample, gint64 m, gboolean adds)
{
  gint64            n = sample->weights.rows, k = sample->weights.columns, ldy = n + 2;
  g_autofree float *y = g_memdup2 (sample->old, sizeof (float) * (gsize) (m * ldy));

  hyb_narrow_multiply (&sample->weights,
                       &(HybNarrowProduct){ .m = m,
                                            .ldx = k + 1,
                                            .ldy = ldy,
                                            .bias = adds ? NULL : sample->bias,
                                            .adds = adds },
                       sample->x, y);
  for (gint64 i = 0; i < m; i++)
    {
      const float *row = y + i * ldy, *old = sample->old + i * ldy;

      for (gint64 j = 0; j < n; j++)
        g_assert_cmpfloat (fabs ((double) row[j] - sample->sums[i * n + j] -
                                 (double) (adds ? old : sample->bias)[j]),
                           <=, 1e-6 * (double) (k + 4));
      g_assert_cmpmem (row + n, 2 * sizeof (float), old + n, 2 * sizeof (float));
    }
}

static void
check_levels (const Sample *sample)
{
  static const gint64 rows[] = { 1, 2, 4, 7, 8, 9, MAX_ROWS };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
      for (guint adds = 0; adds < 2; adds++)
        {
          hyb_simd_cap ((HybSimdLevel) level);
          check_product (sample, rows[r], adds > 0);
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_products (void)
{
  static const gint64 sizes[][2] = { { 1, 1 },   { 5, 3 },     { 4, 0 },    { 32, 16 },
                                     { 33, 17 }, { 100, 130 }, { 70, 600 }, { 257, 64 } };

  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        Sample sample;

        sample_init (&sample, dtypes[t], sizes[s][0], sizes[s][1]);
        check_levels (&sample);
        sample_clear (&sample);
      }
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
test_numbers (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_all_numbers (HYB_F16);
      check_all_numbers (HYB_BF16);
    }
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
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/kernels/narrow/every-level/sums-agree", test_products);
  g_test_add_func ("/engine/kernels/narrow/every-level/numbers-are-expanded", test_numbers);
  g_test_add_func ("/engine/kernels/narrow/any-number-of-threads-gives-the-same-bytes",
                   test_threads);
  g_test_add_func ("/engine/kernels/narrow/int8-is-right-to-half-a-level", test_quantise);
  return g_test_run ();
}
