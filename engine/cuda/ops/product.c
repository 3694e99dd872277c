/* product.c — products of matrices by cuBLAS.
 *
 * cuBLAS stores matrices column by column, so it computes Cᵀ = Bᵀ Aᵀ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/product.h"

const char *
hyb_product_refuses (const HybProduct *product)
{
  gint64 most = MAX (MAX (product->m, product->n), product->k);

  most = MAX (most, MAX (MAX (product->lda, product->ldb), product->ldc));
  if (most > G_MAXINT || product->batch > G_MAXINT)
    return "its matrices are larger than cuBLAS takes";
  if (product->dtype != HYB_F32 && product->dtype != HYB_F64 && product->dtype != HYB_F16 &&
      product->dtype != HYB_BF16)
    return "cuBLAS does not multiply elements of this type";
  return NULL;
}

static int
vendor_type (HybDType dtype)
{
  static const int types[HYB_N_DTYPES] = {
    [HYB_F32] = HYB_CUBLAS_R_32F,
    [HYB_F64] = HYB_CUBLAS_R_64F,
    [HYB_F16] = HYB_CUBLAS_R_16F,
    [HYB_BF16] = HYB_CUBLAS_R_16BF,
  };

  return types[dtype];
}

static int
compute_type (const HybQueue *queue, HybDType dtype)
{
  if (dtype == HYB_F64)
    return HYB_CUBLAS_COMPUTE_64F;
  return dtype == HYB_F32 && !queue->device->precise ? HYB_CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : HYB_CUBLAS_COMPUTE_32F;
}

/* cuBLAS wants leading dimensions of at least one row, and not of zero. */
static int
leading (gint64 ld, gint64 least)
{
  return (int) MAX (MAX (ld, least), 1);
}

void
hyb_product_launch (HybQueue         *queue,
                    const HybProduct *product,
                    gconstpointer     a,
                    gconstpointer     b,
                    gpointer          c)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;
  float                   single[] = { (float) product->alpha, (float) product->beta };
  double                  twice[] = { product->alpha, product->beta };
  gboolean                is_double = product->dtype == HYB_F64;
  gconstpointer           alpha = is_double ? (gconstpointer) &twice[0] : &single[0];
  gconstpointer           beta = is_double ? (gconstpointer) &twice[1] : &single[1];
  int                     type = vendor_type (product->dtype);
  int                     ta = product->transpose_a ? HYB_CUBLAS_T : HYB_CUBLAS_N;
  int                     tb = product->transpose_b ? HYB_CUBLAS_T : HYB_CUBLAS_N;
  int lda = leading (product->lda, product->transpose_a ? product->m : product->k);
  int ldb = leading (product->ldb, product->transpose_b ? product->k : product->n);
  int ldc = leading (product->ldc, product->n);
  int m = (int) product->m, n = (int) product->n, k = (int) product->k;
  int compute = compute_type (queue, product->dtype);

  if (m == 0 || n == 0 || !hyb_cuda_queue_wants_cublas (queue))
    return;
  if (product->batch <= 1)
    hyb_cuda_queue_check_cublas (queue,
                                 "cublasGemmEx",
                                 call->cublasGemmEx (queue->cublas,
                                                     tb,
                                                     ta,
                                                     n,
                                                     m,
                                                     k,
                                                     alpha,
                                                     b,
                                                     type,
                                                     ldb,
                                                     a,
                                                     type,
                                                     lda,
                                                     beta,
                                                     c,
                                                     type,
                                                     ldc,
                                                     compute,
                                                     HYB_CUBLAS_GEMM_DEFAULT));
  else
    hyb_cuda_queue_check_cublas (queue,
                                 "cublasGemmStridedBatchedEx",
                                 call->cublasGemmStridedBatchedEx (queue->cublas,
                                                                   tb,
                                                                   ta,
                                                                   n,
                                                                   m,
                                                                   k,
                                                                   alpha,
                                                                   b,
                                                                   type,
                                                                   ldb,
                                                                   product->stride_b,
                                                                   a,
                                                                   type,
                                                                   lda,
                                                                   product->stride_a,
                                                                   beta,
                                                                   c,
                                                                   type,
                                                                   ldc,
                                                                   product->stride_c,
                                                                   (int) product->batch,
                                                                   compute,
                                                                   HYB_CUBLAS_GEMM_DEFAULT));
}
