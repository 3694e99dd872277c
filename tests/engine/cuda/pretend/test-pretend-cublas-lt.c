/* test-pretend-cublas-lt.c — products of the pretend cuBLASLt with a bias and a rectifier against sums written out here, and
 * what it refuses or complains of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cublas-lt.h"
#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  M = 4,
  K = 3,
  COLUMNS = 2,
  WORKSPACE = 1 << 16
};

/* A product as the module describes it: D = Aᵀ B + bias, column by column. */
typedef struct
{
  cublasLtHandle_t           handle;
  cublasLtMatmulDesc_t       product;
  cublasLtMatrixLayout_t     a, b, d;
  cublasLtMatmulPreference_t preference;
  guint64                    a_at, b_at, bias_at, d_at, workspace;
} Fixture;

static CUstream stream;
static Gpu      gpu;

#define GOOD(call)   g_assert_cmpint (call, ==, CUBLAS_STATUS_SUCCESS)
#define POINTER(at)  ((void *) (gsize) (at))
#define A_OF(i)      ((float) ((i) % 5) - 2)
#define B_OF(i)      ((float) ((i) % 3) - 1)
#define BIAS_OF(row) ((float) (row) -2)

static guint64
put (const void *host, gsize bytes)
{
  guint64 at = gpu_memory (bytes);

  OK (cuMemcpyHtoDAsync_v2 (at, host, bytes, stream));
  OK (cuStreamSynchronize (stream));
  return at;
}

static void
set (Fixture *f, int attribute, gint32 value)
{
  GOOD (cublasLtMatmulDescSetAttribute (f->product, attribute, &value, sizeof value));
}

static void
begin (Fixture *f, const char *settings, gint32 ending)
{
  float   a[M * K], b[K * COLUMNS], bias[M];
  guint64 most = WORKSPACE;

  gpu_begin (&gpu, settings);
  stream = gpu_stream ();
  for (int i = 0; i < M * K; i++)
    a[i] = A_OF (i);
  for (int i = 0; i < K * COLUMNS; i++)
    b[i] = B_OF (i);
  for (int i = 0; i < M; i++)
    bias[i] = BIAS_OF (i);
  f->a_at = put (a, sizeof a);
  f->b_at = put (b, sizeof b);
  f->bias_at = put (bias, sizeof bias);
  f->d_at = gpu_memory (sizeof (float) * M * COLUMNS);
  f->workspace = gpu_memory (WORKSPACE);
  GOOD (cublasLtCreate (&f->handle));
  GOOD (cublasLtMatmulDescCreate (&f->product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set (f, CUBLASLT_MATMUL_DESC_TRANSA, 1);
  set (f, CUBLASLT_MATMUL_DESC_EPILOGUE, ending);
  GOOD (cublasLtMatmulDescSetAttribute (f->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &f->bias_at,
                                        sizeof f->bias_at));
  GOOD (cublasLtMatrixLayoutCreate (&f->a, CUDA_R_32F, K, M, K));
  GOOD (cublasLtMatrixLayoutCreate (&f->b, CUDA_R_32F, K, COLUMNS, K));
  GOOD (cublasLtMatrixLayoutCreate (&f->d, CUDA_R_32F, M, COLUMNS, M));
  GOOD (cublasLtMatmulPreferenceCreate (&f->preference));
  GOOD (cublasLtMatmulPreferenceSetAttribute (f->preference,
                                              CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                              sizeof most));
}

static void
finish (Fixture *f)
{
  GOOD (cublasLtMatmulPreferenceDestroy (f->preference));
  GOOD (cublasLtMatrixLayoutDestroy (f->a));
  GOOD (cublasLtMatrixLayoutDestroy (f->b));
  GOOD (cublasLtMatrixLayoutDestroy (f->d));
  GOOD (cublasLtMatmulDescDestroy (f->product));
  GOOD (cublasLtDestroy (f->handle));
}

static cublasStatus_t
choose (Fixture *f, cublasLtMatmulHeuristicResult_t *choice, int *n)
{
  return cublasLtMatmulAlgoGetHeuristic (f->handle, f->product, f->a, f->b, f->d, f->d,
                                         f->preference, 1, choice, n);
}

static cublasStatus_t
multiply (Fixture *f, const cublasLtMatmulAlgo_t *algorithm, guint64 d_at, gsize bytes)
{
  static const float one = 1, zero = 0;

  return cublasLtMatmul (f->handle, f->product, &one, POINTER (f->a_at), f->a, POINTER (f->b_at),
                         f->b, &zero, POINTER (d_at), f->d, POINTER (d_at), f->d, algorithm,
                         POINTER (f->workspace), bytes, stream);
}

static void
test_bias_and_rectifier_end_a_product (void)
{
  for (int rectifies = 0; rectifies < 2; rectifies++)
    {
      cublasLtMatmulHeuristicResult_t choice;
      Fixture                         f;
      float                           got[M * COLUMNS];
      int                             n;

      begin (&f, "", rectifies ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
      GOOD (choose (&f, &choice, &n));
      g_assert_cmpint (n, ==, 1);
      GOOD (multiply (&f, &choice.algo, f.d_at, WORKSPACE));
      OK (cuMemcpyDtoHAsync_v2 (got, f.d_at, sizeof got, stream));
      OK (cuStreamSynchronize (stream));
      for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < M; row++)
          {
            float sum = BIAS_OF (row);

            for (int k = 0; k < K; k++)
              sum += A_OF (row * K + k) * B_OF (column * K + k);
            g_assert_cmpfloat (got[column * M + row], ==, rectifies && sum < 0 ? 0 : sum);
          }
      finish (&f);
      gpu_assert_content ();
    }
}

static void
test_refusals (void)
{
  cublasLtMatmulHeuristicResult_t choice;
  Fixture                         f;
  gint32                          value = 1;
  int                             n = 7;
  g_autofree char                *problems = NULL;

  begin (&f, "endings=none", CUBLASLT_EPILOGUE_BIAS);
  g_assert_cmpint (choose (&f, &choice, &n), ==, CUBLAS_STATUS_NOT_SUPPORTED);
  g_assert_cmpint (n, ==, 0);
  finish (&f);

  begin (&f, "", CUBLASLT_EPILOGUE_BIAS);
  /* Sizes of attributes are checked. */
  g_assert_cmpint (cublasLtMatmulDescSetAttribute (f.product, CUBLASLT_MATMUL_DESC_TRANSA, &value,
                                                   8),
                   ==, CUBLAS_STATUS_INVALID_VALUE);
  GOOD (choose (&f, &choice, &n));
  g_assert_cmpint (multiply (&f, &choice.algo, f.d_at + 4, WORKSPACE), ==,
                   CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (multiply (&f, &choice.algo, f.d_at, 16), ==, CUBLAS_STATUS_INVALID_VALUE);
  set (&f, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS);
  g_assert_cmpint (multiply (&f, &choice.algo, f.d_at, WORKSPACE), ==, CUBLAS_STATUS_NOT_SUPPORTED);
  problems = pretend_problems ();
  g_assert_nonnull (strstr (problems, "is not aligned as its algorithm needs"));
  g_assert_nonnull (strstr (problems, "the workspace of a product of cuBLASLt is too small"));
  g_assert_nonnull (strstr (problems, "was chosen for another product"));
  finish (&f);
}

TEST_PROGRAM (test_pretend_cublas_lt)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/pretend/cublas-lt/bias-and-rectifier-end-a-product",
                   test_bias_and_rectifier_end_a_product);
  g_test_add_func ("/engine/cuda/pretend/cublas-lt/what-contradicts-itself-is-refused",
                   test_refusals);
  return g_test_run ();
}
