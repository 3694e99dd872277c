/* test-panels.c — compares products with packed weights, and with one vector, with sums in double.
 *
 * Every test runs at each level of vector instructions that this processor has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/panels.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/matrix/matrix-vector.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static float *
numbers (gsize n, guint64 seed)
{
  float *values = g_new (float, n + 1);

  for (gsize i = 0; i < n; i++)
    values[i] = (float) hyb_random_uniform (seed, i) - 0.5f;
  return values;
}

static void
assert_near (float got, double want, gint64 k)
{
  g_assert_cmpfloat (fabs (got - want), <=, 1e-6 * (double) (k + 4));
}

/* A product of `rows` rows of X, k + 1 floats apart; the weights lie as k × n and as n × k.  A product of fewer rows has the
 * same sums, at every level of instructions, so that they are computed once. */
typedef struct
{
  gint64  rows, n, k;
  float  *x, *weights[2]; /* [1]: transposed */
  float  *bias, *old;     /* old: Y before, n + 2 floats a row */
  double *sums;
} Sample;

static void
sample_init (Sample *this, gint64 rows, gint64 n, gint64 k)
{
  *this = (Sample){ .rows = rows, .n = n, .k = k };
  this->x = numbers ((gsize) (rows * (k + 1)), 1);
  this->weights[0] = g_new (float, n *k + 1);
  this->weights[1] = numbers ((gsize) (n * k), 2);
  this->bias = numbers ((gsize) n, 3);
  this->old = numbers ((gsize) (rows * (n + 2)), 4);
  this->sums = g_new (double, rows *n);
  for (gint64 j = 0; j < n; j++)
    for (gint64 l = 0; l < k; l++)
      this->weights[0][l * n + j] = this->weights[1][j * k + l];
  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < n; j++)
      {
        const float *x = this->x + i * (k + 1), *w = this->weights[1] + j * k;
        double       sum = 0;

        for (gint64 l = 0; l < k; l++)
          sum += (double) x[l] * (double) w[l];
        this->sums[i * n + j] = sum;
      }
}

static void
sample_clear (Sample *this)
{
  g_free (this->x);
  g_free (this->weights[0]);
  g_free (this->weights[1]);
  g_free (this->bias);
  g_free (this->old);
  g_free (this->sums);
}

/* Multiplies the first m rows. */
static void
check_panels (const Sample *sample, gint64 m, const float *panels, gboolean adds)
{
  gint64            n = sample->n, k = sample->k, ldy = n + 2;
  g_autofree float *y = g_memdup2 (sample->old, sizeof (float) * (gsize) (m * ldy));
  HybPanelProduct   product = { .m = m,
                                .n = n,
                                .k = k,
                                .ldx = k + 1,
                                .ldy = ldy,
                                .bias = adds ? NULL : sample->bias,
                                .adds = adds };

  hyb_panels_multiply (&product, sample->x, panels, y);
  for (gint64 i = 0; i < m; i++)
    {
      const float *row = y + i * ldy, *old = sample->old + i * ldy;

      for (gint64 j = 0; j < n; j++)
        assert_near (row[j], sample->sums[i * n + j] + (double) (adds ? old : sample->bias)[j], k);
      g_assert_cmpmem (row + n, 2 * sizeof (float), old + n, 2 * sizeof (float));
    }
}

static void
check_vector (gint64 n, gint64 k, gboolean transposed)
{
  gint64            ldw = (transposed ? n : k) + 3;
  g_autofree float *x = numbers ((gsize) k, 1);
  g_autofree float *w = numbers ((gsize) ((transposed ? k : n) * ldw), 2);
  g_autofree float *y = numbers ((gsize) n, 3);
  g_autofree float *old = g_memdup2 (y, sizeof (float) * (gsize) n);

  if (transposed)
    hyb_matrix_transposed_vector (&(HybMatrix){ w, k, n, ldw }, x, y);
  else
    hyb_matrix_vector (&(HybMatrix){ w, n, k, ldw }, x, y);
  for (gint64 j = 0; j < n; j++)
    {
      double sum = old[j];

      for (gint64 l = 0; l < k; l++)
        sum += (double) x[l] * (double) w[transposed ? l * ldw + j : j * ldw + l];
      assert_near (y[j], sum, k);
    }
}

/* Both layouts of the weights give the same panels. */
static void
check_sample (const Sample *sample, const gint64 *rows, guint n_rows)
{
  gsize             size = hyb_panels_size (sample->n, sample->k);
  g_autofree float *panels = g_new (float, size + 1), *transposed = g_new (float, size + 1);

  hyb_panels_pack (sample->n, sample->k, sample->weights[0], FALSE, panels);
  hyb_panels_pack (sample->n, sample->k, sample->weights[1], TRUE, transposed);
  g_assert_cmpmem (panels, size * sizeof (float), transposed, size * sizeof (float));
  for (guint r = 0; r < n_rows; r++)
    for (guint adds = 0; adds < 2; adds++)
      check_panels (sample, rows[r], panels, adds);
}

/* 400 rows are multiplied in two blocks of rows; unless vectors are loaded in halves, these and 100 rows by depth. */
static void
test_sums (void)
{
  static const gint64     rows[] = { 1, 2, 3, 4, 7, 8, 11, 12, 13, 25, 32, 100 }, many[] = { 400 };
  static const HybMachine halves = { .second_cache = 1e3, .last_cache = 2e3, .loads = 1 };
  static const gint64     sizes[][2] = { { 1, 1 },    { 5, 3 },    { 32, 16 },  { 33, 17 },
                                         { 64, 4 },   { 100, 37 }, { 130, 64 }, { 257, 129 },
                                         { 31, 127 }, { 64, 192 }, { 40, 193 }, { 65, 257 },
                                         { 3, 720 },  { 3, 721 },  { 3, 0 },    { 200, 0 } };
  Sample                  sample;

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      sample_init (&sample, 100, sizes[s][0], sizes[s][1]);
      for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
        {
          hyb_simd_cap ((HybSimdLevel) level);
          check_sample (&sample, rows, G_N_ELEMENTS (rows));
          check_vector (sizes[s][0], sizes[s][1], FALSE);
          check_vector (sizes[s][0], sizes[s][1], TRUE);
        }
      sample_clear (&sample);
    }
  sample_init (&sample, 400, 35, 200);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_sample (&sample, many, 1);
      hyb_machine_use (&halves); /* whose weights from memory are multiplied by depth */
      check_sample (&sample, many, 1);
      hyb_machine_use (NULL);
      check_vector (7, 0, FALSE);
      check_vector (7, 0, TRUE);
    }
  sample_clear (&sample);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The sizes are large enough for the work to be split over two threads. */
static void
test_threads (void)
{
  enum
  {
    M = 20,
    N = 1000,
    K = 300
  };
  g_autofree float *x = numbers (M * K, 1), *w = numbers (N * K, 2);
  g_autofree float *panels = g_new (float, hyb_panels_size (N, K));
  g_autofree float *one = g_new0 (float, M *N), *two = g_new0 (float, M *N);
  float            *results[] = { one, two };
  HybPanelProduct   product = { .m = M, .n = N, .k = K, .ldx = K, .ldy = N };
  HybMatrix         matrix = { w, N, K, K };

  hyb_panels_pack (N, K, w, TRUE, panels);
  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      hyb_panels_multiply (&product, x, panels, results[threads - 1]);
    }
  g_assert_cmpmem (one, sizeof (float) * M * N, two, sizeof (float) * M * N);

  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      hyb_matrix_vector (&matrix, x, results[threads - 1]);
      hyb_matrix_transposed_vector (&matrix, x, results[threads - 1] + N);
    }
  g_assert_cmpmem (one, sizeof (float) * M * N, two, sizeof (float) * M * N);
}

static void
check_again (gint64 n, gint64 k)
{
  g_autofree float *w = numbers ((gsize) (n * k), 1), *x = numbers ((gsize) k, 2);
  g_autofree float *first = g_new0 (float, n), *second = g_new0 (float, n);
  HybMatrix         matrix = { w, n, k, k };

  hyb_matrix_vector (&matrix, x, first);
  hyb_matrix_vector (&matrix, x, second);
  g_assert_cmpmem (first, sizeof (float) * (gsize) n, second, sizeof (float) * (gsize) n);
}

/* The second call reads every slice of the matrix from its last row.  38 rows leave two after
 * blocks of four; 2 MB are more than what is read as a cached matrix, and are split unevenly. */
static void
test_again (void)
{
  for (guint threads = 1; threads <= 3; threads++)
    {
      hyb_parallel_set_threads (threads);
      check_again (38, 50);
      check_again (500, 1000);
    }
  hyb_parallel_set_threads (1);
}

/* Numbers of rows of each size of a group, alone and beside others, and around the least that are multiplied by depth unless
 * vectors are loaded in halves. */
static gboolean
is_edge_of_rows (gint64 m)
{
  return m <= 27 || m == 36 || m == 37 || m >= 47;
}

/* Rows are multiplied in groups, whose size depends on their number, few rows with several panels at once, many by depth; nine
 * panels and a part of one leave some for each kernel, and 200 rows of weights are two blocks. */
static void
check_rows (gint64 ldx)
{
  enum
  {
    M = 50,
    N = 300,
    K = 200
  };
  g_autofree float *x = numbers ((gsize) (M * ldx), 1), *w = numbers (N * K, 2),
                   *bias = numbers (N, 3);
  g_autofree float *panels = g_new (float, hyb_panels_size (N, K));
  g_autofree float *all = g_new0 (float, M *N), *some = g_new0 (float, M *N);
  HybPanelProduct   product = { .m = M, .n = N, .k = K, .ldx = ldx, .ldy = N, .bias = bias };

  hyb_panels_pack (N, K, w, TRUE, panels);
  hyb_panels_multiply (&product, x, panels, all);
  for (product.m = 1; product.m < M; product.m++)
    for (guint again = 0; again < 2 && is_edge_of_rows (product.m); again++)
      {
        hyb_panels_multiply (&product, x, panels, some);
        g_assert_cmpmem (some, sizeof (float) * (gsize) (product.m * N), all,
                         sizeof (float) * (gsize) (product.m * N));
      }
}

static void
test_rows (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_rows (200);
      check_rows (1024); /* whole pages apart: smaller groups */
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Long panels are multiplied in blocks of fewer rows with AVX2, whether alone, in groups or by depth. */
static void
check_long (void)
{
  enum
  {
    M = 48,
    N = 64,
    K = 721
  };
  static const gint64 rows[] = { 1, 2, 13, M };
  g_autofree float   *x = numbers (M * K, 1), *w = numbers (N * K, 2), *bias = numbers (N, 3);
  g_autofree float   *panels = g_new (float, hyb_panels_size (N, K));
  g_autofree float   *alone = g_new (float, M *N), *some = g_new (float, M *N);
  HybPanelProduct     product = { .m = 1, .n = N, .k = K, .ldx = K, .ldy = N, .bias = bias };

  hyb_panels_pack (N, K, w, TRUE, panels);
  for (gint64 i = 0; i < M; i++)
    hyb_panels_multiply (&product, x + i * K, panels, alone + i * N);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    for (guint threads = 1; threads <= 2; threads++)
      {
        gsize size = sizeof (float) * (gsize) (rows[r] * N);

        hyb_parallel_set_threads (threads);
        product.m = rows[r];
        hyb_panels_multiply (&product, x, panels, some);
        g_assert_cmpmem (some, size, alone, size);
      }
  hyb_parallel_set_threads (1);
}

static void
test_long (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_long ();
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Every number of columns of the last panel, alone and after a whole one, and the ends of panels after more of them; one row
 * is multiplied with the last panel and up to four before it at once. */
static gboolean
is_edge_of_columns (gint64 m, gint64 n)
{
  return m == 1 || n <= 64 || (n + 1) % 32 <= 2;
}

/* The first n columns of a wider product; what lies after them keeps its value. */
static void
check_columns (gint64 m, gint64 k, gboolean adds)
{
  enum
  {
    N = 170
  };
  g_autofree float *x = numbers ((gsize) (m * k), 1), *w = numbers ((gsize) (N * k), 2);
  g_autofree float *bias = numbers (N, 3), *panels = g_new (float, hyb_panels_size (N, k));
  g_autofree float *old = numbers ((gsize) (m * N), 4), *some = g_new (float, m *N);
  g_autofree float *all = g_memdup2 (old, sizeof (float) * (gsize) (m * N));
  HybPanelProduct   product = {
      .m = m, .n = N, .k = k, .ldx = k, .ldy = N, .bias = adds ? NULL : bias, .adds = adds
  };

  hyb_panels_pack (N, k, w, TRUE, panels);
  hyb_panels_multiply (&product, x, panels, all);
  for (product.n = 1; product.n < N; product.n++)
    {
      gsize inside = sizeof (float) * (gsize) product.n, row = sizeof (float) * N;

      if (!is_edge_of_columns (m, product.n))
        continue;
      hyb_panels_pack (product.n, k, w, TRUE, panels);
      memcpy (some, old, (gsize) m * row);
      hyb_panels_multiply (&product, x, panels, some);
      for (gint64 at = 0; at < m * N; at += N)
        {
          g_assert_cmpmem (some + at, inside, all + at, inside);
          g_assert_cmpmem (some + at + product.n, row - inside, old + at + product.n, row - inside);
        }
    }
}

/* Of the last panel only the vectors are multiplied in which Y has columns, in groups of as many rows as then fit the
 * registers. */
static void
test_columns (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (gint64 m = 1; m <= 14; m++)
      for (guint adds = 0; adds < 2; adds++)
        {
          hyb_simd_cap ((HybSimdLevel) level);
          check_columns (m, 19, adds);
          if (m == 1 || m == 13)
            check_columns (m, 200, adds);
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* What kernels choose by the machine: prefetching, streams, the end that is read first, and whether many rows go by depth. */
static void
check_machines (void)
{
  enum
  {
    ALL = 27, /* numbers of rows that are all tried */
    M = 48,
    N = 236,
    K = 200
  };
  /* From 32 rows on, or 48, they are multiplied by depth. */
  static const gint64     more[] = { 31, 32, 33, M };
  static const HybMachine machines[] = {
    { .second_cache = 1e9,
      .last_cache = 2e9,
      .loads = 2,
      .last = { { 2, 1 }, { 2, 1 }, { 2, 1 } } },
    { .second_cache = 1e3,
      .last_cache = 2e9,
      .loads = 2,
      .last = { { 1, 2 }, { 1, 2 }, { 1, 2 } } },
    { .second_cache = 1e3, .last_cache = 2e3, .loads = 1 },
    { .second_cache = 1e9, .last_cache = 2e9, .loads = 1 },
    { .second_cache = 1e3, .last_cache = 2e3, .memory = { { 2, 1 }, { 2, 1 }, { 2, 1 } } },
  };
  g_autofree float *x = numbers (M * K, 1), *w = numbers (N * K, 2);
  g_autofree float *panels = g_new (float, hyb_panels_size (N, K));
  g_autofree float *want = g_new0 (float, M *N), *got = g_new0 (float, M *N);
  HybPanelProduct   product = { .m = M, .n = N, .k = K, .ldx = K, .ldy = N };
  HybMatrix         matrix = { w, N, K, K };

  hyb_panels_pack (N, K, w, TRUE, panels);
  for (guint r = 0; r < ALL + G_N_ELEMENTS (more); r++)
    {
      gint64 m = r < ALL ? r + 1 : more[r - ALL];
      gsize  size = sizeof (float) * (gsize) (m * N);

      product.m = m;
      hyb_machine_use (NULL);
      hyb_panels_multiply (&product, x, panels, want);
      for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
        {
          hyb_machine_use (&machines[i]);
          hyb_panels_multiply (&product, x, panels, got);
          g_assert_cmpmem (got, size, want, size);
        }
    }
  memset (want, 0, sizeof (float) * N);
  hyb_machine_use (NULL);
  hyb_matrix_vector (&matrix, x, want);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (machines);
       i++) /* twice, so that each end is read first */
    {
      memset (got, 0, sizeof (float) * N);
      hyb_machine_use (&machines[i / 2]);
      hyb_matrix_vector (&matrix, x, got);
      g_assert_cmpmem (got, sizeof (float) * N, want, sizeof (float) * N);
    }
  hyb_machine_use (NULL);
}

static void
test_machines (void)
{
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_machines ();
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* NaN in one row of the weights reaches only its column of the result, even in a padded panel. */
static void
test_nan (void)
{
  g_autofree float *w = numbers (5 * 4, 1), *x = numbers (2 * 4, 2);
  g_autofree float *panels = g_new (float, hyb_panels_size (5, 4));
  float             y[10];
  HybPanelProduct   product = { .m = 2, .n = 5, .k = 4, .ldx = 4, .ldy = 5 };

  for (guint i = 0; i < G_N_ELEMENTS (y); i++)
    y[i] = NAN; /* must be overwritten */
  w[2 * 4 + 1] = NAN;
  hyb_panels_pack (5, 4, w, TRUE, panels);
  hyb_panels_multiply (&product, x, panels, y);
  for (guint i = 0; i < G_N_ELEMENTS (y); i++)
    g_assert_true (isnan (y[i]) == (i % 5 == 2));
}

TEST_PROGRAM (test_panels)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/panels/every-level/sums-agree", test_sums);
  g_test_add_func ("/engine/kernels/panels/threads-change-no-byte", test_threads);
  g_test_add_func ("/engine/kernels/panels/every-level/other-rows-change-no-byte", test_rows);
  g_test_add_func ("/engine/kernels/panels/every-level/long-panels-change-no-byte", test_long);
  g_test_add_func ("/engine/kernels/panels/every-level/other-columns-change-no-byte", test_columns);
  g_test_add_func ("/engine/kernels/panels/every-level/other-machines-change-no-byte",
                   test_machines);
  g_test_add_func ("/engine/kernels/panels/reading-from-either-end-changes-no-byte", test_again);
  g_test_add_func ("/engine/kernels/panels/nan-stays-in-its-column", test_nan);

  return g_test_run ();
}
