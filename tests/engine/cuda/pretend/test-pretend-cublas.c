/* test-pretend-cublas.c — products of the pretend cuBLAS against sums written out here, and what it
 * refuses or complains of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  M = 5,
  K = 7,
  COLUMNS = 4,
  LEAD = 9
};

static CUstream       stream;
static cublasHandle_t blas;
static Gpu            gpu;

static void
begin (const char *settings)
{
  gpu_begin (&gpu, settings);
  stream = gpu_stream ();
  g_assert_cmpint (cublasCreate_v2 (&blas), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (cublasSetStream_v2 (blas, stream), ==, CUBLAS_STATUS_SUCCESS);
}

static guint64
put (const void *host, gsize bytes)
{
  guint64 at = gpu_memory (bytes);

  OK (cuMemcpyHtoDAsync_v2 (at, host, bytes, stream));
  OK (cuStreamSynchronize (stream));
  return at;
}

#define POINTER(at) ((void *) (gsize) (at))

static void
test_products_are_sums (void)
{
  float a[LEAD * LEAD], b[LEAD * LEAD], c[LEAD * LEAD], got[LEAD * LEAD], alpha = 2, beta = -1;

  begin ("");
  for (guint i = 0; i < LEAD * LEAD; i++)
    {
      a[i] = (float) (i % 7) - 3;
      b[i] = (float) (i % 5) - 1;
      c[i] = (float) (i % 3);
    }
  for (int ta = 0; ta < 2; ta++)
    for (int tb = 0; tb < 2; tb++)
      {
        guint64 da = put (a, sizeof a), db = put (b, sizeof b), dc = put (c, sizeof c);

        g_assert_cmpint (cublasSgemm_v2 (blas, ta, tb, M, COLUMNS, K, &alpha, POINTER (da), LEAD,
                                         POINTER (db), LEAD, &beta, POINTER (dc), LEAD),
                         ==, CUBLAS_STATUS_SUCCESS);
        OK (cuMemcpyDtoHAsync_v2 (got, dc, sizeof got, stream));
        OK (cuStreamSynchronize (stream));
        for (guint i = 0; i < LEAD * LEAD; i++)
          {
            guint  row = i % LEAD, column = i / LEAD;
            double sum = 0;

            for (guint l = 0; l < K; l++)
              sum += (double) (ta ? a[l + row * LEAD] : a[row + l * LEAD]) *
                     (double) (tb ? b[column + l * LEAD] : b[l + column * LEAD]);
            /* What lies beside the matrix is left as it was. */
            g_assert_cmpfloat ((double) got[i], ==,
                               row < M && column < COLUMNS ? 2 * sum - (double) c[i]
                                                           : (double) c[i]);
          }
      }
  gpu_assert_content ();
}

static void
test_beta_of_zero_reads_nothing (void)
{
  float   ones[4] = { 1, 1, 1, 1 }, got[4], alpha = 1, zero = 0;
  guint64 a, c;

  begin ("");
  a = put (ones, sizeof ones);
  c = gpu_memory (sizeof ones); /* NaNs that were never written */
  g_assert_cmpint (cublasSgemm_v2 (blas, 0, 0, 2, 2, 2, &alpha, POINTER (a), 2, POINTER (a), 2,
                                   &zero, POINTER (c), 2),
                   ==, CUBLAS_STATUS_SUCCESS);
  OK (cuMemcpyDtoHAsync_v2 (got, c, sizeof got, stream));
  OK (cuStreamSynchronize (stream));
  g_assert_cmpfloat (got[3], ==, 2);
  gpu_assert_content ();
}

static void
test_batches_and_half_floats (void)
{
  /* Halves 1, 2, 3 … 8 as two 2 x 2 matrices; products with themselves in float. */
  static const guint16 half[8] = { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800 };
  static const float   want[8] = { 7, 10, 15, 22, 67, 78, 91, 106 };
  float                got[8], alpha = 1, zero = 0;
  guint64              a, c;

  begin ("");
  a = put (half, sizeof half);
  c = gpu_memory (sizeof got);
  g_assert_cmpint (cublasGemmStridedBatchedEx (blas, 0, 0, 2, 2, 2, &alpha, POINTER (a), CUDA_R_16F,
                                               2, 4, POINTER (a), CUDA_R_16F, 2, 4, &zero,
                                               POINTER (c), CUDA_R_32F, 2, 4, 2, CUBLAS_COMPUTE_32F,
                                               -1),
                   ==, CUBLAS_STATUS_SUCCESS);
  OK (cuMemcpyDtoHAsync_v2 (got, c, sizeof got, stream));
  OK (cuStreamSynchronize (stream));
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat (got[i], ==, want[i]);
  gpu_assert_content ();
}

/* C (2 x 2, in columns 4 apart) = 1 for two products whose results begin `stride` elements apart. */
static void
multiply_with_stride (gint64 stride)
{
  float   ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, alpha = 1, zero = 0;
  guint64 a, c;

  begin ("");
  a = put (ones, sizeof ones);
  c = gpu_memory (64);
  g_assert_cmpint (cublasSgemmStridedBatched (blas, 0, 0, 2, 2, 1, &alpha, POINTER (a), 2, 2,
                                              POINTER (a), 1, 2, &zero, POINTER (c), 4, stride, 2),
                   ==, CUBLAS_STATUS_SUCCESS);
  OK (cuStreamSynchronize (stream));
}

static void
test_products_of_a_batch_may_lie_side_by_side (void)
{
  multiply_with_stride (2); /* between the columns */
  gpu_assert_content ();
  multiply_with_stride (6); /* behind the last column */
  gpu_assert_content ();
  multiply_with_stride (1);
  g_assert_true (gpu_complained ("the products of a batch overlap"));
  multiply_with_stride (3); /* the second ends behind the next column */
  g_assert_true (gpu_complained ("the products of a batch overlap"));
}

static void
test_wrong_calls_are_refused (void)
{
  float   one = 1;
  guint64 a;
  int     mode;

  begin ("");
  a = put (&one, sizeof one);
#define PRODUCT(handle, m, lead, alpha, type)                                                      \
  cublasGemmEx (handle, 0, 0, m, 1, 1, alpha, POINTER (a), type, lead, POINTER (a), type, 1, &one, \
                POINTER (a), type, lead, CUBLAS_COMPUTE_32F, -1)
  g_assert_cmpint (PRODUCT (NULL, 1, 1, &one, CUDA_R_32F), ==, CUBLAS_STATUS_NOT_INITIALIZED);
  g_assert_cmpint (PRODUCT (blas, -1, 1, &one, CUDA_R_32F), ==, CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (PRODUCT (blas, 2, 1, &one, CUDA_R_32F), ==, CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (PRODUCT (blas, 1, 1, NULL, CUDA_R_32F), ==, CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (PRODUCT (blas, 1, 1, &one, CUDA_R_32I), ==, CUBLAS_STATUS_NOT_SUPPORTED);
  g_assert_cmpint (PRODUCT (blas, 1, 1, POINTER (a), CUDA_R_32F), ==, CUBLAS_STATUS_INVALID_VALUE);
  g_assert_true (
      gpu_complained ("alpha and beta of a product do not lie where the pointer mode says"));
  g_assert_cmpint (cublasSetWorkspace_v2 (blas, POINTER (a + 4), 64), ==,
                   CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (cublasSetPointerMode_v2 (blas, 1), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (cublasGetPointerMode_v2 (blas, &mode), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (mode, ==, 1);
  g_assert_cmpint (cublasDestroy_v2 (blas), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (cublasDestroy_v2 (blas), ==, CUBLAS_STATUS_NOT_INITIALIZED);
}

/* Two handles, each with its stream, and one workspace for both. */
static void
share_workspace (const char *settings)
{
  float          zeros[4] = { 0 }, alpha = 1, beta = 0;
  CUstream       second;
  cublasHandle_t other;
  guint64        a, c, d, room;

  begin (settings);
  second = gpu_stream ();
  g_assert_cmpint (cublasCreate_v2 (&other), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (cublasSetStream_v2 (other, second), ==, CUBLAS_STATUS_SUCCESS);
  a = put (zeros, sizeof zeros);
  c = gpu_memory (16);
  d = gpu_memory (16);
  room = gpu_memory (4096);
  g_assert_cmpint (cublasSetWorkspace_v2 (blas, POINTER (room), 4096), ==, CUBLAS_STATUS_SUCCESS);
  g_assert_cmpint (cublasSetWorkspace_v2 (other, POINTER (room), 4096), ==, CUBLAS_STATUS_SUCCESS);
  cublasSgemm_v2 (blas, 0, 0, 2, 2, 2, &alpha, POINTER (a), 2, POINTER (a), 2, &beta, POINTER (c),
                  2);
  cublasSgemm_v2 (other, 0, 0, 2, 2, 2, &alpha, POINTER (a), 2, POINTER (a), 2, &beta, POINTER (d),
                  2);
  cuCtxSynchronize ();
}

static void
test_a_workspace_belongs_to_one_stream (void)
{
  share_workspace ("");
  g_assert_true (gpu_complained ("a product of 2 x 2 x 2 in stream"));
  g_assert_true (gpu_complained ("and no event puts one before the other"));
  share_workspace ("without=order");
  gpu_assert_content ();
}

TEST_PROGRAM (test_pretend_cublas)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/cublas/products-are-sums", test_products_are_sums);
  g_test_add_func ("/cuda/pretend/cublas/beta-of-zero-reads-nothing",
                   test_beta_of_zero_reads_nothing);
  g_test_add_func ("/cuda/pretend/cublas/batches-and-half-floats", test_batches_and_half_floats);
  g_test_add_func ("/cuda/pretend/cublas/products-of-a-batch-may-lie-side-by-side",
                   test_products_of_a_batch_may_lie_side_by_side);
  g_test_add_func ("/cuda/pretend/cublas/wrong-calls-are-refused", test_wrong_calls_are_refused);
  g_test_add_func ("/cuda/pretend/cublas/a-workspace-belongs-to-one-stream",
                   test_a_workspace_belongs_to_one_stream);
  return g_test_run ();
}
