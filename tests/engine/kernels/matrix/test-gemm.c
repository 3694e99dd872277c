/* test-gemm.c — compares matrix products and batches with plain sums in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/gemm.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/matrix/dots.h"
#include "engine/kernels/matrix/matrix-vector.h"
#include "engine/kernels/matrix/tiles.h"
#include "engine/kernels/matrix/tiny.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static void
fill (double *values, gsize n, guint64 seed)
{
  for (gsize i = 0; i < n; i++)
    values[i] = hyb_random_uniform (seed, i) - 0.5;
}

/* The definition in gemm.h, element by element. */
static void
multiply_plainly (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  for (gint64 i = 0; i < gemm->m; i++)
    for (gint64 j = 0; j < gemm->n; j++)
      {
        double sum = 0;

        for (gint64 l = 0; l < gemm->k; l++)
          sum += a[gemm->transpose_a ? l * gemm->lda + i : i * gemm->lda + l] *
                 b[gemm->transpose_b ? j * gemm->ldb + l : l * gemm->ldb + j];
        c[i * gemm->ldc + j] = gemm->alpha * sum + gemm->beta * c[i * gemm->ldc + j];
      }
}

/* All three matrices have strides larger than their rows. */
static void
check_product (HybGemm gemm)
{
  gint64  rows_a = gemm.transpose_a ? gemm.k : gemm.m;
  gint64  rows_b = gemm.transpose_b ? gemm.n : gemm.k;
  gsize   n_a, n_b, n_c;
  double *a, *b, *c, *want;
  float  *fa, *fb, *fc;

  gemm.lda = (gemm.transpose_a ? gemm.m : gemm.k) + 2;
  gemm.ldb = (gemm.transpose_b ? gemm.k : gemm.n) + 1;
  gemm.ldc = gemm.n + 3;
  n_a = (gsize) (rows_a * gemm.lda);
  n_b = (gsize) (rows_b * gemm.ldb);
  n_c = (gsize) (gemm.m * gemm.ldc);

  a = g_new (double, n_a + 1);
  b = g_new (double, n_b + 1);
  c = g_new (double, n_c + 1);
  fill (a, n_a, 1);
  fill (b, n_b, 2);
  fill (c, n_c, 3);
  want = g_memdup2 (c, n_c * sizeof (double));
  fa = g_new (float, n_a + 1);
  fb = g_new (float, n_b + 1);
  fc = g_new (float, n_c + 1);
  hyb_dtype_convert (fa, HYB_F32, a, HYB_F64, n_a);
  hyb_dtype_convert (fb, HYB_F32, b, HYB_F64, n_b);
  hyb_dtype_convert (fc, HYB_F32, c, HYB_F64, n_c);

  multiply_plainly (&gemm, a, b, want);
  hyb_gemm_f64 (&gemm, a, b, c);
  hyb_gemm_f32 (&gemm, fa, fb, fc);
  for (gsize i = 0; i < n_c; i++)
    {
      g_assert_cmpfloat (fabs (c[i] - want[i]), <, 1e-12);
      g_assert_cmpfloat (fabs ((double) fc[i] - want[i]), <, 1e-4);
    }

  g_free (a);
  g_free (b);
  g_free (c);
  g_free (want);
  g_free (fa);
  g_free (fb);
  g_free (fc);
}

static void
test_all_shapes_and_transposes_agree_with_sums (void)
{
  static const gint64 sizes[][3] = { { 3, 4, 5 },    { 1, 6, 4 },     { 6, 1, 4 }, { 1, 1, 7 },
                                     { 5, 3, 1 },    { 4, 3, 0 },     { 1, 3, 0 }, { 0, 3, 2 },
                                     { 70, 65, 90 }, { 260, 68, 90 }, { 5, 7, 7 }, { 3, 11, 6 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint how = 0; how < 8; how++)
      check_product ((HybGemm){
          .transpose_a = (how & 1) != 0,
          .transpose_b = (how & 2) != 0,
          .m = sizes[i][0],
          .n = sizes[i][1],
          .k = sizes[i][2],
          .alpha = how & 4 ? -1.5 : 1,
          .beta = how & 4 ? 0.5 : 0,
      });
}

/* Sizes with whole panels, a padded panel, several pieces per panel, and several blocks of k. */
static void
test_large_products_agree_with_sums (gconstpointer level)
{
  static const gint64 sizes[][3] = { { 2, 608, 900 }, { 41, 290, 130 }, { 128, 256, 1300 } };

  hyb_simd_cap ((HybSimdLevel) GPOINTER_TO_UINT (level));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint how = 0; how < 4; how++)
      {
        HybGemm gemm = { .transpose_b = (how & 1) != 0,
                         .m = sizes[i][0],
                         .n = sizes[i][1],
                         .k = sizes[i][2],
                         .alpha = 1,
                         .beta = how >> 1 };

        check_product (gemm);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* By each kernel: a product with a bias gives the same as one that is added to rows filled with the bias. */
static void
test_a_bias_is_added_once (void)
{
  static const gint64 sizes[][3] = { { 1, 40, 30 },   { 40, 1, 30 },  { 2, 3, 4 },
                                     { 10, 20, 300 }, { 70, 50, 60 }, { 300, 2, 80 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      gint64  m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
      HybGemm gemm = {
        .transpose_b = TRUE, .m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = n, .alpha = 1
      };
      g_autofree double *values = g_new (double, m *k + n * k);
      g_autofree float  *a = g_new (float, m *k), *b = g_new (float, n *k),
                       *with = g_new (float, m *n), *over = g_new (float, m *n);

      fill (values, (gsize) (m * k + n * k), 1);
      hyb_dtype_convert (a, HYB_F32, values, HYB_F64, (gsize) (m * k));
      hyb_dtype_convert (b, HYB_F32, values + m * k, HYB_F64, (gsize) (n * k));
      for (gint64 i = 0; i < m * n; i++)
        over[i] = b[i % n]; /* any numbers will do for a bias */
      for (gint64 i = 0; i < m * n; i++)
        with[i] = NAN;
      hyb_gemm_biased_f32 (&gemm, a, b, b, with);
      gemm.beta = 1;
      hyb_gemm_f32 (&gemm, a, b, over);
      for (gint64 i = 0; i < m * n; i++)
        g_assert_cmpfloat (fabsf (with[i] - over[i]), <=, 1e-5f);
    }
}

static void
test_a_beta_of_zero_clears_nan (void)
{
  static const gint64 sizes[][3] = { { 2, 2, 2 }, { 1, 2, 2 }, { 2, 1, 2 }, { 2, 2, 0 } };
  float               ones[] = { 1, 1, 1, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      float   c[] = { NAN, NAN, NAN, NAN };
      HybGemm gemm = {
        .m = sizes[i][0],
        .n = sizes[i][1],
        .k = sizes[i][2],
        .lda = 2,
        .ldb = 2,
        .ldc = 2,
        .alpha = 1,
      };

      hyb_gemm_f32 (&gemm, ones, ones, c);
      for (gint64 row = 0; row < gemm.m; row++)
        for (gint64 column = 0; column < gemm.n; column++)
          g_assert_cmpfloat (c[row * 2 + column], ==, (float) gemm.k);
    }
}

static void
test_batches_find_their_matrices (void)
{
  /* 2 × 3 products of 1 × 1 matrices; the batch axes of C are in column-major order. */
  double       a[] = { 1, 2 }, b[] = { 3, 4, 5 }, c[6];
  HybGemm      gemm = { .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .alpha = 1 };
  HybGemmBatch batch = { .count = { 2, 3 }, .a = { 1, 0 }, .b = { 0, 1 }, .c = { 1, 2 } };

  hyb_gemm_batch (&gemm, &batch, &(HybGemmOperands){ .dtype = HYB_F64, .a = a, .b = b, .c = c });
  g_assert_cmpfloat (c[0], ==, 3);
  g_assert_cmpfloat (c[1], ==, 6);
  g_assert_cmpfloat (c[2], ==, 4);
  g_assert_cmpfloat (c[3], ==, 8);
  g_assert_cmpfloat (c[4], ==, 5);
  g_assert_cmpfloat (c[5], ==, 10);
}

/* Computes the product as the note says; FALSE if the note names no kernel of floats. */
static gboolean
compute_as_noted (const char *note, const HybGemm *gemm, const float *a, const float *b, float *c)
{
  gint64    n = gemm->n == 1 ? gemm->m : gemm->n;
  HybMatrix w = { gemm->n == 1 ? a : b, n, gemm->k, gemm->k };

  if (strstr (note, "sums row by row"))
    hyb_dots_multiply (gemm, a, b, NULL, c);
  else if (strstr (note, "tiles"))
    hyb_tiles_multiply (gemm, a, b, NULL, c);
  else if (strstr (note, "matrix times vector"))
    hyb_matrix_vector (&w, gemm->n == 1 ? b : a, c);
  else if (strstr (note, "sums of four columns"))
    hyb_tiny_gemm (gemm, a, b, c);
  else
    return FALSE;
  return TRUE;
}

static void
check_note (gint64 m, gint64 n, gint64 k, double alpha, GHashTable *seen)
{
  HybGemm gemm = {
    .transpose_b = TRUE, .m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = n, .alpha = alpha
  };
  gsize              n_a = (gsize) (m * k), n_b = (gsize) (n * k), n_c = (gsize) (m * n);
  g_autofree double *numbers = g_new (double, n_a + n_b);
  g_autofree float  *a = g_new (float, n_a), *b = g_new (float, n_b);
  g_autofree float  *got = g_new0 (float, n_c), *want = g_new0 (float, n_c);
  const char        *note = hyb_gemm_note (&gemm, HYB_F32);

  fill (numbers, n_a + n_b, 5);
  hyb_dtype_convert (a, HYB_F32, numbers, HYB_F64, n_a);
  hyb_dtype_convert (b, HYB_F32, numbers + n_a, HYB_F64, n_b);
  hyb_gemm_f32 (&gemm, a, b, got);
  g_assert_true (compute_as_noted (note, &gemm, a, b, want));
  g_assert_cmpmem (got, n_c * sizeof (float), want, n_c * sizeof (float));
  g_hash_table_add (seen, (gpointer) note);
}

/* The kernels give different bytes. */
static void
test_the_note_names_the_kernel (void)
{
  static const gint64 sizes[] = { 1, 2, 5, 12, 40, 96, 200 };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  HybGemm empty = { .m = 3, .n = 4, .lda = 1, .ldb = 4, .ldc = 4, .alpha = 1 };

  hyb_parallel_set_threads (1);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
      for (guint alpha = 1; alpha < 3; alpha++)
        {
          check_note (sizes[i], sizes[j], 70, alpha, seen);
          check_note (sizes[i], sizes[j], 300, alpha, seen);
        }
  g_assert_cmpuint (g_hash_table_size (seen), >=, hyb_simd_level () == HYB_SIMD_PLAIN ? 3 : 4);
  g_assert_null (hyb_gemm_note (&empty, HYB_F32));
  g_assert_cmpstr (hyb_gemm_note (&(HybGemm){ .m = 2, .n = 2, .k = 2, .alpha = 2 }, HYB_F32), ==,
                   "sums of four columns, weights as they lie");
  g_assert_cmpstr (hyb_gemm_note (&(HybGemm){ .m = 2, .n = 2, .k = 2 }, HYB_F64), ==,
                   "OpenBLAS dgemm");
  g_assert_cmpstr (hyb_gemm_note (&(HybGemm){ .m = 1, .n = 2, .k = 2, .alpha = 1 }, HYB_F64), ==,
                   "OpenBLAS dgemv");
}

TEST_PROGRAM (test_gemm)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/gemm/all-shapes-and-transposes-agree-with-sums",
                   test_all_shapes_and_transposes_agree_with_sums);
  g_test_add_data_func ("/engine/kernels/gemm/large-products-agree-with-sums-with-plain-loops",
                        GUINT_TO_POINTER (HYB_SIMD_PLAIN), test_large_products_agree_with_sums);
  g_test_add_data_func ("/engine/kernels/gemm/large-products-agree-with-sums-with-avx2",
                        GUINT_TO_POINTER (HYB_SIMD_AVX2), test_large_products_agree_with_sums);
  g_test_add_data_func ("/engine/kernels/gemm/large-products-agree-with-sums-with-avx512",
                        GUINT_TO_POINTER (HYB_SIMD_AVX512), test_large_products_agree_with_sums);
  g_test_add_func ("/engine/kernels/gemm/a-bias-is-added-once", test_a_bias_is_added_once);
  g_test_add_func ("/engine/kernels/gemm/a-beta-of-zero-clears-nan",
                   test_a_beta_of_zero_clears_nan);
  g_test_add_func ("/engine/kernels/gemm/the-note-names-the-kernel",
                   test_the_note_names_the_kernel);
  g_test_add_func ("/engine/kernels/gemm/batches-find-their-matrices",
                   test_batches_find_their_matrices);

  return g_test_run ();
}
