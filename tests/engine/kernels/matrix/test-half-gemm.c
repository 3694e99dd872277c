/* test-half-gemm.c — compares products of half floats with sums in double, at each level of vector instructions
 * that this processor has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/half-gemm.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>

static gpointer
halves (HybDType dtype, gsize n, guint64 seed)
{
  guint16 *values = g_new (guint16, n + 1);

  for (gsize i = 0; i < n; i++)
    hyb_dtype_set_double (values, dtype, i, hyb_random_uniform (seed, i) - 0.5);
  return values;
}

/* The workspace ends where its memory does, so that sanitizers see what is written behind it. */
static void
check_product (HybDType dtype, gint64 m, gint64 n, gint64 k)
{
  g_autofree guint16 *a = halves (dtype, (gsize) (m * k), 1),
                     *b = halves (dtype, (gsize) (n * k), 2);
  g_autofree guint16 *c = g_new (guint16, m * n + 1);
  g_autofree char    *workspace = g_malloc (hyb_half_gemm_workspace (m, n, k));
  double              unit = dtype == HYB_F16 ? 0x1p-11 : 0x1p-8;

  c[m * n] = 77;
  hyb_half_gemm (&(HybHalfGemm){ dtype, m, n, k, a, b, c, workspace });
  g_assert_cmpuint (c[m * n], ==, 77);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double got = hyb_dtype_get_double (c, dtype, (gsize) (i * n + j)), want = 0;

        for (gint64 l = 0; l < k; l++)
          want += hyb_dtype_get_double (a, dtype, (gsize) (i * k + l)) *
                  hyb_dtype_get_double (b, dtype, (gsize) (l * n + j));
        g_assert_cmpfloat (fabs (got - want), <=, unit * fabs (want) + 1e-6 * (double) (k + 4));
      }
}

static void
test_level (gconstpointer level)
{
  static const gint64 rows[] = { 0, 1, 2, 13, 128, 129 };
  static const gint64 sizes[][2] = { { 1, 1 },    { 5, 3 },    { 15, 16 },  { 16, 17 },
                                     { 31, 127 }, { 32, 128 }, { 33, 129 }, { 64, 300 },
                                     { 100, 37 }, { 40, 256 }, { 3, 0 },    { 0, 3 } };

  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
      {
        check_product (HYB_F16, rows[r], sizes[s][0], sizes[s][1]);
        check_product (HYB_BF16, rows[r], sizes[s][0], sizes[s][1]);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* A block of k is as long as keeps its part of A in the cache, so that 128 rows of 2000 numbers take two. */
static void
test_long_sums (void)
{
  check_product (HYB_F16, 128, 33, 2000);
}

static void
test_threads (void)
{
  enum
  {
    M = 20,
    N = 1000,
    K = 300
  };
  g_autofree guint16 *a = halves (HYB_F16, M * K, 1), *b = halves (HYB_F16, N * K, 2);
  g_autofree guint16 *one = g_new (guint16, M * N), *two = g_new (guint16, M * N);
  g_autofree char    *workspace = g_malloc (hyb_half_gemm_workspace (M, N, K));
  guint16            *results[] = { one, two };

  for (guint threads = 1; threads <= 2; threads++)
    {
      hyb_parallel_set_threads (threads);
      hyb_half_gemm (&(HybHalfGemm){ HYB_F16, M, N, K, a, b, results[threads - 1], workspace });
    }
  g_assert_cmpmem (one, sizeof (guint16) * M * N, two, sizeof (guint16) * M * N);
}

static void
test_sizes_beyond_memory (void)
{
  g_assert_cmpuint (hyb_half_gemm_workspace (128, G_MAXINT64, G_MAXINT64), ==, G_MAXSIZE);
  g_assert_cmpuint (hyb_half_gemm_workspace (G_MAXINT64, 3, 5), ==, 8 * 128 * sizeof (float));
}

TEST_PROGRAM (test_half_gemm)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/half-gemm/" name, function)
#define LEVEL(name, level) \
  g_test_add_data_func ("/engine/kernels/half-gemm/" name, GUINT_TO_POINTER (level), test_level)
  LEVEL ("plain", HYB_SIMD_PLAIN);
  LEVEL ("avx2", HYB_SIMD_AVX2);
  LEVEL ("avx512", HYB_SIMD_AVX512);
  TEST ("long-sums", test_long_sums);
  TEST ("threads-give-the-same-bytes", test_threads);
  TEST ("sizes-beyond-memory", test_sizes_beyond_memory);
#undef LEVEL
#undef TEST

  return g_test_run ();
}
