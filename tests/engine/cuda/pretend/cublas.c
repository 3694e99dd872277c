/* cublas.c — the calls of the pretend cuBLAS: handles, streams, workspaces, and products with the
 * refusals of the vendor's library.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cublas.h"

#include "tests/engine/cuda/pretend/product.h"
#include "tests/engine/cuda/pretend/state.h"

struct cublasContext
{
  CUstream stream;
  guint64  workspace; /* 0: one of its own, for each stream */
  gsize    workspace_bytes;
  int      math, pointers;
};

static cublasStatus_t
end (cublasStatus_t status)
{
  pretend_end (CUDA_SUCCESS);
  return status;
}

/* An error of the driver as one of cuBLAS; a planned failure below 20 is meant as it is. */
static cublasStatus_t
status_of (CUresult result)
{
  return !result             ? CUBLAS_STATUS_SUCCESS
         : (int) result < 20 ? (cublasStatus_t) result
                             : CUBLAS_STATUS_EXECUTION_FAILED;
}

#define BEGIN()                                   \
  do                                              \
    {                                             \
      CUresult begun_ = pretend_begin (__func__); \
      if (begun_)                                 \
        return end (status_of (begun_));          \
    }                                             \
  while (0)

#define BEGIN_WITH(handle)                                  \
  do                                                        \
    {                                                       \
      BEGIN ();                                             \
      if (!handle || !pretend_lives (handle, PRETEND_BLAS)) \
        return end (CUBLAS_STATUS_NOT_INITIALIZED);         \
    }                                                       \
  while (0)

cublasStatus_t
cublasCreate_v2 (cublasHandle_t *handle)
{
  BEGIN ();
  if (!handle)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  if (!pretend_has_context (__func__))
    return end (CUBLAS_STATUS_NOT_INITIALIZED);
  if (pretend_captures ())
    {
      pretend_problem ("a cuBLAS handle is made while a stream records: that allocates memory");
      pretend_break_captures ();
      return end (CUBLAS_STATUS_ALLOC_FAILED);
    }
  *handle = g_new0 (struct cublasContext, 1);
  pretend_made (*handle, PRETEND_BLAS);
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasDestroy_v2 (cublasHandle_t handle)
{
  BEGIN_WITH (handle);
  pretend_wait_all ();
  pretend_destroyed (handle, PRETEND_BLAS);
  g_free (handle);
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasGetVersion_v2 (cublasHandle_t handle, int *version)
{
  BEGIN ();
  *version = 130100;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasGetProperty (int property, int *value)
{
  static const int version[] = { 13, 1, 0 };

  BEGIN ();
  if (property < 0 || property > 2)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  *value = version[property];
  return end (CUBLAS_STATUS_SUCCESS);
}

gsize
cublasGetCudartVersion (void)
{
  return 13000;
}

const char *
cublasGetStatusName (cublasStatus_t status)
{
  return status == CUBLAS_STATUS_SUCCESS           ? "CUBLAS_STATUS_SUCCESS"
         : status == CUBLAS_STATUS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : status == CUBLAS_STATUS_ALLOC_FAILED    ? "CUBLAS_STATUS_ALLOC_FAILED"
         : status == CUBLAS_STATUS_INVALID_VALUE   ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == CUBLAS_STATUS_NOT_SUPPORTED   ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                                   : "CUBLAS_STATUS_EXECUTION_FAILED";
}

const char *
cublasGetStatusString (cublasStatus_t status)
{
  return cublasGetStatusName (status);
}

/* Another stream means the handle's own workspace again, as with the vendor's library. */
cublasStatus_t
cublasSetStream_v2 (cublasHandle_t handle, CUstream stream)
{
  BEGIN_WITH (handle);
  if (!pretend_stream (stream))
    return end (CUBLAS_STATUS_INVALID_VALUE);
  handle->stream = stream;
  handle->workspace = 0;
  handle->workspace_bytes = 0;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasGetStream_v2 (cublasHandle_t handle, CUstream *stream)
{
  BEGIN_WITH (handle);
  *stream = handle->stream;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasSetWorkspace_v2 (cublasHandle_t handle, void *workspace, gsize bytes)
{
  guint64 at = (guint64) (gsize) workspace;

  BEGIN_WITH (handle);
  if (bytes && (at % 256 || !ptx_memory_holds (pretend.memory, at)))
    {
      pretend_problem ("a workspace of cuBLAS is no device memory aligned to 256 bytes");
      return end (CUBLAS_STATUS_INVALID_VALUE);
    }
  handle->workspace = bytes ? at : 0;
  handle->workspace_bytes = bytes;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasSetMathMode (cublasHandle_t handle, int mode)
{
  BEGIN_WITH (handle);
  if (mode < 0 || mode > 0x1ff)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  handle->math = mode;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasGetMathMode (cublasHandle_t handle, int *mode)
{
  BEGIN_WITH (handle);
  *mode = handle->math;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasSetPointerMode_v2 (cublasHandle_t handle, int mode)
{
  BEGIN_WITH (handle);
  if (mode < 0 || mode > 1)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  handle->pointers = mode;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasGetPointerMode_v2 (cublasHandle_t handle, int *mode)
{
  BEGIN_WITH (handle);
  *mode = handle->pointers;
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasSetAtomicsMode (cublasHandle_t handle, int mode)
{
  BEGIN_WITH (handle);
  return end (mode < 0 || mode > 1 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS);
}

/* --- Products --- */

static gboolean
lead_fits (const ProductMatrix *x, int rows, int columns)
{
  return x->lead >= MAX (1, x->transposed ? columns : rows);
}

static gboolean
take_scalars (cublasHandle_t handle, Product *p, gconstpointer alpha, gconstpointer beta)
{
  guint64 alpha_at = (guint64) (gsize) alpha, beta_at = (guint64) (gsize) beta;

  if (!alpha || !beta)
    return FALSE;
  if (ptx_memory_holds (pretend.memory, alpha_at) != (handle->pointers == 1) ||
      ptx_memory_holds (pretend.memory, beta_at) != (handle->pointers == 1))
    {
      pretend_problem ("alpha and beta of a product do not lie where the pointer mode says");
      return FALSE;
    }
  if (handle->pointers)
    {
      p->alpha_at = alpha_at;
      p->beta_at = beta_at;
      return TRUE;
    }
  p->alpha = product_scalar (p->compute, alpha);
  p->beta = product_scalar (p->compute, beta);
  return TRUE;
}

/* TRUE unless the results of a batch lie one after the other, or side by side between the columns of the
 * first one. */
static gboolean
overlaps (const Product *p)
{
  gint64 stride = ABS (p->c.stride);

  return p->batch > 1 && p->m > 0 && p->n > 0 && stride < (gint64) p->c.lead * (p->n - 1) + p->m &&
         (stride < p->m || (p->batch - 1) * stride + p->m > p->c.lead);
}

static cublasStatus_t
add_product (cublasHandle_t handle, Product p, gconstpointer alpha, gconstpointer beta)
{
  PretendDeed *deed;
  CUstream     stream = pretend_stream (handle->stream);

  if (!product_is_known (&p))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0 || !lead_fits (&p.a, p.m, p.k) ||
      !lead_fits (&p.b, p.k, p.n) || !lead_fits (&p.c, p.m, p.n) ||
      !take_scalars (handle, &p, alpha, beta))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (overlaps (&p))
    pretend_problem ("the products of a batch overlap");
  if (!stream)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (!p.m || !p.n || !p.batch)
    return CUBLAS_STATUS_SUCCESS;
  p.workspace = handle->workspace;
  p.workspace_bytes = handle->workspace_bytes;
  p.coarse = p.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
             (handle->math == 3 && p.compute == CUBLAS_COMPUTE_32F && p.a.type == CUDA_R_32F);
  deed = pretend_deed_new (g_strdup_printf ("a product of %d x %d x %d", p.m, p.n, p.k),
                           product_run, g_memdup2 (&p, sizeof p));
  deed->facts = (PretendFacts){
    .kind = PRETEND_KERNEL, .kernel = "pretend_gemm", .grid = { 1, 1, 1 }, .block = { 128, 1, 1 }
  };
  deed->seconds = 5e-6 + 2.0 * p.m * p.n * p.k * p.batch / 1e12;
  return status_of (pretend_add (stream, deed));
}

/* OP: 0 as it lies, 1 transposed, 2 the same for real numbers. */
static ProductMatrix
matrix (gconstpointer at, int type, int lead, gint64 stride, int op)
{
  return (ProductMatrix){ (guint64) (gsize) at, type, lead, op != 0, stride };
}

#define PRODUCT(type_a, type_b, type_c, stride_a, stride_b, stride_c, batches, computed) \
  ((Product){ .a = matrix (a, type_a, lda, stride_a, ta),                                \
              .b = matrix (b, type_b, ldb, stride_b, tb),                                \
              .c = matrix (c, type_c, ldc, stride_c, 0),                                 \
              .m = m,                                                                    \
              .n = n,                                                                    \
              .k = k,                                                                    \
              .batch = batches,                                                          \
              .compute = computed })
#define RUN(product)                                           \
  do                                                           \
    {                                                          \
      BEGIN_WITH (handle);                                     \
      if (ta < 0 || ta > 2 || tb < 0 || tb > 2)                \
        return end (CUBLAS_STATUS_INVALID_VALUE);              \
      return end (add_product (handle, product, alpha, beta)); \
    }                                                          \
  while (0)

/* clang-format off */
cublasStatus_t
cublasSgemm_v2 (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const float *alpha,
                const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
  RUN (PRODUCT (CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0, 0, 0, 1, CUBLAS_COMPUTE_32F));
}

cublasStatus_t
cublasDgemm_v2 (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const double *alpha,
                const double *a, int lda, const double *b, int ldb, const double *beta, double *c, int ldc)
{
  RUN (PRODUCT (CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 0, 0, 0, 1, CUBLAS_COMPUTE_64F));
}

cublasStatus_t
cublasSgemmStridedBatched (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const float *alpha,
                           const float *a, int lda, long long stride_a, const float *b, int ldb,
                           long long stride_b, const float *beta, float *c, int ldc, long long stride_c,
                           int batch)
{
  RUN (PRODUCT (CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, stride_a, stride_b, stride_c, batch, CUBLAS_COMPUTE_32F));
}

cublasStatus_t
cublasDgemmStridedBatched (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const double *alpha,
                           const double *a, int lda, long long stride_a, const double *b, int ldb,
                           long long stride_b, const double *beta, double *c, int ldc, long long stride_c,
                           int batch)
{
  RUN (PRODUCT (CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, stride_a, stride_b, stride_c, batch, CUBLAS_COMPUTE_64F));
}

cublasStatus_t
cublasGemmEx (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
              int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c,
              int ldc, int compute, int algorithm)
{
  RUN (PRODUCT (type_a, type_b, type_c, 0, 0, 0, 1, compute));
}

cublasStatus_t
cublasGemmStridedBatchedEx (cublasHandle_t handle, int ta, int tb, int m, int n, int k, const void *alpha,
                            const void *a, int type_a, int lda, long long stride_a, const void *b, int type_b,
                            int ldb, long long stride_b, const void *beta, void *c, int type_c, int ldc,
                            long long stride_c, int batch, int compute, int algorithm)
{
  RUN (PRODUCT (type_a, type_b, type_c, stride_a, stride_b, stride_c, batch, compute));
}
/* clang-format on */
