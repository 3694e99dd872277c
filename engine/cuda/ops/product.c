/* product.c — products of matrices by cuBLAS.
 *
 * cuBLAS stores matrices column by column, so it computes Cᵀ = Bᵀ Aᵀ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/product.h"

/* Maximum number of calls of cuBLAS for one operator; the host computes larger ones. */
#define MOST_GROUPS 1024

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
  if (product->outer > MOST_GROUPS)
    return "it needs more than 1024 calls of cuBLAS";
  return NULL;
}

int
hyb_product_type (HybDType dtype)
{
  static const int types[HYB_N_DTYPES] = {
    [HYB_F32] = HYB_CUBLAS_R_32F,
    [HYB_F64] = HYB_CUBLAS_R_64F,
    [HYB_F16] = HYB_CUBLAS_R_16F,
    [HYB_BF16] = HYB_CUBLAS_R_16BF,
  };

  return types[dtype];
}

int
hyb_product_compute_type (const HybDevice *device, HybDType dtype)
{
  if (dtype == HYB_F64)
    return HYB_CUBLAS_COMPUTE_64F;
  /* Products of 16 bits are exact in float32; of float32 this takes no TF32, as the pedantic type, which leaves out more
   * algorithms. */
  return dtype != HYB_F32 || device->precise ? HYB_CUBLAS_COMPUTE_32F
                                             : HYB_CUBLAS_COMPUTE_32F_FAST_TF32;
}

/* cuBLAS requires leading dimensions of at least one row, and not of zero. */
static int
leading (gint64 ld, gint64 least)
{
  return (int) MAX (MAX (ld, least), 1);
}

/* The products of one group. */
static void
launch_group (HybQueue         *queue,
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
  int                     type = hyb_product_type (product->dtype);
  int                     ta = product->transpose_a ? HYB_CUBLAS_T : HYB_CUBLAS_N;
  int                     tb = product->transpose_b ? HYB_CUBLAS_T : HYB_CUBLAS_N;
  int lda = leading (product->lda, product->transpose_a ? product->m : product->k);
  int ldb = leading (product->ldb, product->transpose_b ? product->k : product->n);
  int ldc = leading (product->ldc, product->n);
  int m = (int) product->m, n = (int) product->n, k = (int) product->k;
  int compute = hyb_product_compute_type (queue->device, product->dtype);

  if (m == 0 || n == 0 || !hyb_cuda_queue_uses_cublas (queue))
    return;
  if (product->batch <= 1)
    hyb_cuda_queue_check_cublas (queue, "cublasGemmEx",
                                 call->cublasGemmEx (queue->cublas, tb, ta, n, m, k, alpha, b, type,
                                                     ldb, a, type, lda, beta, c, type, ldc, compute,
                                                     HYB_CUBLAS_GEMM_DEFAULT));
  else
    hyb_cuda_queue_check_cublas (queue, "cublasGemmStridedBatchedEx",
                                 call->cublasGemmStridedBatchedEx (queue->cublas, tb, ta, n, m, k,
                                                                   alpha, b, type, ldb,
                                                                   product->stride_b, a, type, lda,
                                                                   product->stride_a, beta, c, type,
                                                                   ldc, product->stride_c,
                                                                   (int) product->batch, compute,
                                                                   HYB_CUBLAS_GEMM_DEFAULT));
}

void
hyb_product_launch (HybQueue         *queue,
                    const HybProduct *product,
                    gconstpointer     a,
                    gconstpointer     b,
                    gpointer          c)
{
  gint64 item = (gint64) hyb_dtype_size (product->dtype);

  for (gint64 i = 0; i < MAX (product->outer, 1); i++)
    launch_group (queue, product, (const char *) a + i * product->outer_a * item,
                  (const char *) b + i * product->outer_b * item,
                  (char *) c + i * product->outer_c * item);
}

static void
exchange (gint64 *a, gint64 *b)
{
  gint64 kept = *a;

  *a = *b;
  *b = kept;
}

void
hyb_product_join (HybProduct *product)
{
  gint64 n = MAX (product->batch, 1);

  if (product->outer > 1 && (n == 1 || (product->outer_a == n * product->stride_a &&
                                        product->outer_b == n * product->stride_b &&
                                        product->outer_c == n * product->stride_c)))
    {
      if (n == 1)
        {
          product->stride_a = product->outer_a;
          product->stride_b = product->outer_b;
          product->stride_c = product->outer_c;
        }
      product->batch = n * product->outer;
      product->outer = 1;
    }
  if (product->outer > product->batch)
    {
      exchange (&product->outer, &product->batch);
      exchange (&product->outer_a, &product->stride_a);
      exchange (&product->outer_b, &product->stride_b);
      exchange (&product->outer_c, &product->stride_c);
    }
}
