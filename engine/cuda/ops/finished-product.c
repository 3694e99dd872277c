/* finished-product.c — products to which cuBLASLt adds a bias, and which it rectifies, while it writes them.
 *
 * The algorithm is chosen when a plan is made.  If cuBLASLt offers none, the caller adds the bias, multiplies and rectifies
 * with one call each.  cuBLASLt stores matrices column by column, so it computes Cᵀ = B Aᵀ, whose rows have a bias each.
 * Start at hyb_finished_product_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/finished-product.h"

/* Bytes to which operands are aligned; parts of a larger value may not be. */
#define ALIGNMENT 16

struct _HybFinishedProduct
{
  const HybCuda         *cuda;
  cublasLtHandle_t       handle; /* of the device */
  cublasLtMatrixLayout_t a, b, c;
  HybCublasChoice        choice;
  int                    compute, scale, ending;
  gsize                  most_memory;
};

static gboolean
is_done (cublasStatus_t status)
{
  return status == 0;
}

/* The device's handle; NULL if it cannot be made. */
static cublasLtHandle_t
get_handle (HybDevice *device)
{
  cublasLtHandle_t handle;

  g_mutex_lock (&device->lock);
  device->cuda->call.cuCtxSetCurrent (device->context);
  if (!device->cublaslt && !is_done (device->cuda->call.cublasLtCreate (&device->cublaslt)))
    device->cublaslt = NULL;
  handle = device->cublaslt;
  g_mutex_unlock (&device->lock);
  return handle;
}

/* The description of the product; bias may be NULL.  NULL if cuBLASLt refuses it. */
static cublasLtMatmulDesc_t
describe (const HybFinishedProduct *finished, gconstpointer bias)
{
  const HybCudaFunctions *call = &finished->cuda->call;
  cublasLtMatmulDesc_t    product = NULL;
  gint32                  transposed = HYB_CUBLAS_T;
  guint32                 ending = (guint32) finished->ending;

  if (!is_done (call->cublasLtMatmulDescCreate (&product, finished->compute, finished->scale)))
    return NULL;
  if (is_done (call->cublasLtMatmulDescSetAttribute (product, HYB_CUBLASLT_TRANSPOSES_A,
                                                     &transposed, sizeof transposed)) &&
      is_done (call->cublasLtMatmulDescSetAttribute (product, HYB_CUBLASLT_ENDS_WITH, &ending,
                                                     sizeof ending)) &&
      is_done (
          call->cublasLtMatmulDescSetAttribute (product, HYB_CUBLASLT_BIAS_AT, &bias, sizeof bias)))
    return product;
  call->cublasLtMatmulDescDestroy (product);
  return NULL;
}

/* The limits and alignments of an algorithm; NULL if cuBLASLt refuses them. */
static cublasLtMatmulPreference_t
prefer (const HybFinishedProduct *finished)
{
  static const int alignments[] = { HYB_CUBLASLT_LEAST_ALIGNMENT_A, HYB_CUBLASLT_LEAST_ALIGNMENT_B,
                                    HYB_CUBLASLT_LEAST_ALIGNMENT_C,
                                    HYB_CUBLASLT_LEAST_ALIGNMENT_D };
  const HybCudaFunctions    *call = &finished->cuda->call;
  cublasLtMatmulPreference_t preference = NULL;
  guint64                    most = finished->most_memory;
  guint32                    least = ALIGNMENT;
  gboolean                   is_good;

  if (!is_done (call->cublasLtMatmulPreferenceCreate (&preference)))
    return NULL;
  is_good =
      is_done (call->cublasLtMatmulPreferenceSetAttribute (preference, HYB_CUBLASLT_MOST_WORKSPACE,
                                                           &most, sizeof most));
  for (guint i = 0; is_good && i < G_N_ELEMENTS (alignments); i++)
    is_good = is_done (call->cublasLtMatmulPreferenceSetAttribute (preference, alignments[i],
                                                                   &least, sizeof least));
  if (is_good)
    return preference;
  call->cublasLtMatmulPreferenceDestroy (preference);
  return NULL;
}

static gboolean
choose (HybFinishedProduct *finished)
{
  const HybCudaFunctions    *call = &finished->cuda->call;
  cublasLtMatmulDesc_t       product = describe (finished, GSIZE_TO_POINTER (ALIGNMENT));
  cublasLtMatmulPreference_t preference = product ? prefer (finished) : NULL;
  int                        n = 0;
  gboolean                   is_chosen =
      preference &&
      is_done (call->cublasLtMatmulAlgoGetHeuristic (finished->handle, product, finished->b,
                                                     finished->a, finished->c, finished->c,
                                                     preference, 1,
                                                     (cublasLtMatmulHeuristicResult_t *) &finished
                                                         ->choice,
                                                     &n)) &&
      n == 1 && finished->choice.status == 0 && finished->choice.memory <= finished->most_memory;

  if (preference)
    call->cublasLtMatmulPreferenceDestroy (preference);
  if (product)
    call->cublasLtMatmulDescDestroy (product);
  return is_chosen;
}

static gboolean
lay_out (HybFinishedProduct *finished, const HybProduct *product)
{
  const HybCudaFunctions *call = &finished->cuda->call;
  int                     type = hyb_product_type (product->dtype);
  guint64 m = (guint64) product->m, n = (guint64) product->n, k = (guint64) product->k;

  return is_done (call->cublasLtMatrixLayoutCreate (&finished->a, type, k, m, product->lda)) &&
         is_done (call->cublasLtMatrixLayoutCreate (&finished->b, type, k, n, product->ldb)) &&
         is_done (call->cublasLtMatrixLayoutCreate (&finished->c, type, n, m, product->ldc));
}

HybFinishedProduct *
hyb_finished_product_new (HybDevice *device, const HybProduct *product, gboolean rectifies)
{
  HybFinishedProduct *finished;

  if (!device->cuda->ends_products || product->m == 0 || product->n == 0 || product->k == 0)
    return NULL;
  finished = g_new0 (HybFinishedProduct, 1);
  finished->cuda = device->cuda;
  finished->handle = get_handle (device);
  finished->compute = hyb_product_compute_type (device, product->dtype);
  finished->scale = product->dtype == HYB_F64 ? HYB_CUBLAS_R_64F : HYB_CUBLAS_R_32F;
  finished->ending = rectifies ? HYB_CUBLASLT_BIAS_RELU : HYB_CUBLASLT_BIAS;
  finished->most_memory = hyb_cuda_workspace_bytes (device);
  if (finished->handle && lay_out (finished, product) && choose (finished))
    return finished;
  hyb_finished_product_free (finished);
  return NULL;
}

void
hyb_finished_product_free (HybFinishedProduct *finished)
{
  if (!finished)
    return;
  if (finished->a)
    finished->cuda->call.cublasLtMatrixLayoutDestroy (finished->a);
  if (finished->b)
    finished->cuda->call.cublasLtMatrixLayoutDestroy (finished->b);
  if (finished->c)
    finished->cuda->call.cublasLtMatrixLayoutDestroy (finished->c);
  g_free (finished);
}

static gboolean
is_aligned (gconstpointer address)
{
  return GPOINTER_TO_SIZE (address) % ALIGNMENT == 0;
}

gboolean
hyb_finished_product_launch (HybQueue                  *queue,
                             const HybFinishedProduct  *finished,
                             const HybFinishedOperands *operands)
{
  static const double     one = 1, zero = 0;
  static const float      one_single = 1, zero_single = 0;
  const HybCudaFunctions *call = &finished->cuda->call;
  gboolean                is_double = finished->scale == HYB_CUBLAS_R_64F;
  cublasLtMatmulDesc_t    product;

  if (!is_aligned (operands->a) || !is_aligned (operands->b) || !is_aligned (operands->bias) ||
      !is_aligned (operands->c))
    return FALSE;
  /* It shares the workspace of cuBLAS in the same queue, where one product follows the other. */
  if (!hyb_cuda_queue_uses_cublas (queue))
    return TRUE;
  product = describe (finished, operands->bias);
  if (!product)
    return FALSE;
  hyb_cuda_queue_check_cublas (queue, "cublasLtMatmul",
                               call->cublasLtMatmul (finished->handle, product,
                                                     is_double ? (gconstpointer) &one : &one_single,
                                                     operands->b, finished->b, operands->a,
                                                     finished->a,
                                                     is_double ? (gconstpointer) &zero
                                                               : &zero_single,
                                                     operands->c, finished->c, operands->c,
                                                     finished->c,
                                                     (const cublasLtMatmulAlgo_t *)
                                                         finished->choice.algorithm,
                                                     (void *) (guintptr) queue->workspace,
                                                     finished->most_memory, queue->stream));
  call->cublasLtMatmulDescDestroy (product);
  return TRUE;
}
