/* cublas-lt.c — the calls of the pretend cuBLASLt: products that end with a bias or a rectifier.
 *
 * It has one algorithm for each product, which needs a workspace and operands that are aligned as the preference says,
 * and complains of what it is not asked for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cublas-lt.h"

#include "tests/engine/cuda/pretend/product.h"
#include "tests/engine/cuda/pretend/state.h"

#include <string.h>

/* Bytes that an algorithm needs. */
#define WORKSPACE 4096
/* What marks an algorithm as one of ours. */
#define MARK G_GUINT64_CONSTANT (0x68797073636f7065)

struct cublasLtContext
{
  int unused;
};

struct cublasLtDesc
{
  int           compute, scale, ending;
  int           transposed[2];
  gconstpointer bias;
};

struct cublasLtLayout
{
  int    type;
  gint64 rows, columns, lead;
};

struct cublasLtPreference
{
  guint64 most;
  guint32 alignment[4];
};

static cublasStatus_t
end (cublasStatus_t status)
{
  pretend_end (CUDA_SUCCESS);
  return status;
}

#define BEGIN()                                                                                    \
  do                                                                                               \
    {                                                                                              \
      CUresult begun_ = pretend_begin (__func__);                                                  \
      if (begun_)                                                                                  \
        return end ((int) begun_ < 20 ? (cublasStatus_t) begun_ : CUBLAS_STATUS_EXECUTION_FAILED); \
    }                                                                                              \
  while (0)

#define BEGIN_WITH(thing, kind)                   \
  do                                              \
    {                                             \
      BEGIN ();                                   \
      if (!thing || !pretend_lives (thing, kind)) \
        return end (CUBLAS_STATUS_INVALID_VALUE); \
    }                                             \
  while (0)

cublasStatus_t
cublasLtCreate (cublasLtHandle_t *handle)
{
  BEGIN ();
  if (!handle)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  if (!pretend_has_context (__func__))
    return end (CUBLAS_STATUS_NOT_INITIALIZED);
  *handle = g_new0 (struct cublasLtContext, 1);
  pretend_made (*handle, PRETEND_BLASLT);
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasLtDestroy (cublasLtHandle_t handle)
{
  BEGIN_WITH (handle, PRETEND_BLASLT);
  pretend_destroyed (handle, PRETEND_BLASLT);
  g_free (handle);
  return end (CUBLAS_STATUS_SUCCESS);
}

/* --- Descriptions --- */

cublasStatus_t
cublasLtMatmulDescCreate (cublasLtMatmulDesc_t *product, int compute, int scale)
{
  BEGIN ();
  if (!product)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  *product = g_new0 (struct cublasLtDesc, 1);
  (*product)->compute = compute;
  (*product)->scale = scale;
  (*product)->ending = CUBLASLT_EPILOGUE_DEFAULT;
  pretend_made (*product, PRETEND_BLASLT_DESCRIPTOR);
  return end (CUBLAS_STATUS_SUCCESS);
}

/* Copies the value of an attribute, whose size must be that of the vendor's. */
static cublasStatus_t
take_value (void *to, gsize size, const void *value, gsize bytes)
{
  if (!value || bytes != size)
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy (to, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute (cublasLtMatmulDesc_t product,
                                int                  attribute,
                                const void          *value,
                                gsize                bytes)
{
  BEGIN_WITH (product, PRETEND_BLASLT_DESCRIPTOR);
  switch (attribute)
    {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return end (take_value (&product->transposed[0], sizeof (gint32), value, bytes));
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return end (take_value (&product->transposed[1], sizeof (gint32), value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return end (take_value (&product->ending, sizeof (guint32), value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return end (take_value (&product->bias, sizeof (gconstpointer), value, bytes));
    default:
      return end (CUBLAS_STATUS_INVALID_VALUE);
    }
}

#define DESTROY(thing)                                      \
  do                                                        \
    {                                                       \
      BEGIN_WITH (thing, PRETEND_BLASLT_DESCRIPTOR);        \
      pretend_destroyed (thing, PRETEND_BLASLT_DESCRIPTOR); \
      g_free (thing);                                       \
      return end (CUBLAS_STATUS_SUCCESS);                   \
    }                                                       \
  while (0)

cublasStatus_t
cublasLtMatmulDescDestroy (cublasLtMatmulDesc_t product)
{
  DESTROY (product);
}

cublasStatus_t
cublasLtMatrixLayoutCreate (cublasLtMatrixLayout_t *matrix,
                            int                     type,
                            guint64                 rows,
                            guint64                 columns,
                            gint64                  lead)
{
  BEGIN ();
  if (!matrix || rows > G_MAXINT || columns > G_MAXINT || lead < (gint64) rows)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  *matrix = g_new0 (struct cublasLtLayout, 1);
  **matrix = (struct cublasLtLayout){ type, (gint64) rows, (gint64) columns, lead };
  pretend_made (*matrix, PRETEND_BLASLT_DESCRIPTOR);
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasLtMatrixLayoutDestroy (cublasLtMatrixLayout_t matrix)
{
  DESTROY (matrix);
}

cublasStatus_t
cublasLtMatmulPreferenceCreate (cublasLtMatmulPreference_t *preference)
{
  BEGIN ();
  if (!preference)
    return end (CUBLAS_STATUS_INVALID_VALUE);
  *preference = g_new0 (struct cublasLtPreference, 1);
  for (guint i = 0; i < 4; i++)
    (*preference)->alignment[i] = 256;
  pretend_made (*preference, PRETEND_BLASLT_DESCRIPTOR);
  return end (CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute (cublasLtMatmulPreference_t preference,
                                      int                        attribute,
                                      const void                *value,
                                      gsize                      bytes)
{
  BEGIN_WITH (preference, PRETEND_BLASLT_DESCRIPTOR);
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return end (take_value (&preference->most, sizeof (guint64), value, bytes));
  if (attribute >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
      attribute <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
    return end (
        take_value (&preference->alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
                    sizeof (guint32), value, bytes));
  return end (CUBLAS_STATUS_INVALID_VALUE);
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy (cublasLtMatmulPreference_t preference)
{
  DESTROY (preference);
}

/* --- Products --- */

/* The product of these descriptions, with sizes and types; FALSE if they contradict each other. */
static gboolean
lay_product (cublasLtMatmulDesc_t product, const cublasLtMatrixLayout_t *matrices, Product *p)
{
  const struct cublasLtLayout *a = matrices[0], *b = matrices[1], *c = matrices[2],
                              *d = matrices[3];
  gboolean ta = product->transposed[0] != 0, tb = product->transposed[1] != 0;

  for (guint i = 0; i < 4; i++)
    if (!matrices[i] || !pretend_lives (matrices[i], PRETEND_BLASLT_DESCRIPTOR))
      return FALSE;
  *p = (Product){ .a = { .type = a->type, .lead = (int) a->lead, .transposed = ta },
                  .b = { .type = b->type, .lead = (int) b->lead, .transposed = tb },
                  .c = { .type = d->type, .lead = (int) d->lead },
                  .m = (int) d->rows,
                  .n = (int) d->columns,
                  .k = (int) (ta ? a->rows : a->columns),
                  .batch = 1,
                  .compute = product->compute };
  return (ta ? a->columns : a->rows) == d->rows && (tb ? b->rows : b->columns) == d->columns &&
         (tb ? b->columns : b->rows) == p->k && c->rows == d->rows && c->columns == d->columns &&
         c->type == d->type &&
         product->scale == (product->compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F);
}

/* An algorithm knows for what it was chosen. */
static void
mark_algorithm (cublasLtMatmulAlgo_t *algorithm,
                const Product        *p,
                cublasLtMatmulDesc_t  product,
                guint32               alignment)
{
  const guint64 data[] = {
    MARK, (guint64) p->m, (guint64) p->n, (guint64) p->k, (guint64) product->ending, alignment
  };

  memset (algorithm, 0, sizeof *algorithm);
  memcpy (algorithm->data, data, sizeof data);
}

cublasStatus_t
cublasLtMatmulAlgoGetHeuristic (cublasLtHandle_t                 handle,
                                cublasLtMatmulDesc_t             product,
                                cublasLtMatrixLayout_t           a,
                                cublasLtMatrixLayout_t           b,
                                cublasLtMatrixLayout_t           c,
                                cublasLtMatrixLayout_t           d,
                                cublasLtMatmulPreference_t       preference,
                                int                              most,
                                cublasLtMatmulHeuristicResult_t *results,
                                int                             *n)
{
  cublasLtMatrixLayout_t matrices[] = { a, b, c, d };
  guint32                alignment = 256;
  Product                p;

  BEGIN_WITH (handle, PRETEND_BLASLT);
  if (!product || !pretend_lives (product, PRETEND_BLASLT_DESCRIPTOR) || !preference ||
      !pretend_lives (preference, PRETEND_BLASLT_DESCRIPTOR) || most < 1 || !results || !n ||
      !lay_product (product, matrices, &p))
    return end (CUBLAS_STATUS_INVALID_VALUE);
  *n = 0;
  if (!product_is_known (&p) || preference->most < WORKSPACE ||
      (pretend.no_endings && product->ending != CUBLASLT_EPILOGUE_DEFAULT))
    return end (CUBLAS_STATUS_NOT_SUPPORTED);
  for (guint i = 0; i < 4; i++)
    alignment = MIN (alignment, preference->alignment[i]);
  memset (results, 0, sizeof *results);
  mark_algorithm (&results->algo, &p, product, alignment);
  results->workspaceSize = WORKSPACE;
  results->wavesCount = 1;
  *n = 1;
  return end (CUBLAS_STATUS_SUCCESS);
}

/* TRUE if the operands lie where the algorithm was told that they do. */
static gboolean
is_aligned (const Product *p, guint64 alignment)
{
  if (p->a.at % alignment == 0 && p->b.at % alignment == 0 && p->c.at % alignment == 0 &&
      p->bias % 16 == 0)
    return TRUE;
  pretend_problem ("an operand of a product of cuBLASLt is not aligned as its algorithm needs");
  return FALSE;
}

static gboolean
has_workspace (void *workspace, gsize bytes)
{
  guint64 at = (guint64) (gsize) workspace;

  if (bytes >= WORKSPACE && at % 256 == 0 && ptx_memory_holds (pretend.memory, at))
    return TRUE;
  pretend_problem (
      "the workspace of a product of cuBLASLt is too small, or no aligned memory of the device");
  return FALSE;
}

static cublasStatus_t
add_product (CUstream asked, Product p)
{
  CUstream     stream = pretend_stream (asked);
  PretendDeed *deed;
  CUresult     result;

  if (!stream)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  deed = pretend_deed_new (g_strdup_printf ("a finished product of %d x %d x %d", p.m, p.n, p.k),
                           product_run, g_memdup2 (&p, sizeof p));
  deed->facts = (PretendFacts){
    .kind = PRETEND_KERNEL, .kernel = "pretend_gemm", .grid = { 1, 1, 1 }, .block = { 128, 1, 1 }
  };
  deed->seconds = 5e-6 + 2.0 * p.m * p.n * p.k / 1e12;
  result = pretend_add (stream, deed);
  return !result ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t
cublasLtMatmul (cublasLtHandle_t            handle,
                cublasLtMatmulDesc_t        product,
                const void                 *alpha,
                const void                 *a,
                cublasLtMatrixLayout_t      a_layout,
                const void                 *b,
                cublasLtMatrixLayout_t      b_layout,
                const void                 *beta,
                const void                 *c,
                cublasLtMatrixLayout_t      c_layout,
                void                       *d,
                cublasLtMatrixLayout_t      d_layout,
                const cublasLtMatmulAlgo_t *algorithm,
                void                       *workspace,
                gsize                       bytes,
                CUstream                    stream)
{
  cublasLtMatrixLayout_t matrices[] = { a_layout, b_layout, c_layout, d_layout };
  cublasLtMatmulAlgo_t   expected;
  Product                p;

  BEGIN_WITH (handle, PRETEND_BLASLT);
  if (!product || !pretend_lives (product, PRETEND_BLASLT_DESCRIPTOR) || !alpha || !beta ||
      !algorithm || c != d || !lay_product (product, matrices, &p) || !product_is_known (&p))
    return end (CUBLAS_STATUS_INVALID_VALUE);
  mark_algorithm (&expected, &p, product, (guint32) algorithm->data[5]);
  if (memcmp (&expected, algorithm, sizeof expected) != 0)
    {
      pretend_problem ("the algorithm of a product of cuBLASLt was chosen for another product");
      return end (CUBLAS_STATUS_NOT_SUPPORTED);
    }
  p.a.at = (guint64) (gsize) a;
  p.b.at = (guint64) (gsize) b;
  p.c.at = (guint64) (gsize) d;
  p.bias = product->ending & CUBLASLT_EPILOGUE_BIAS ? (guint64) (gsize) product->bias : 0;
  p.rectifies = (product->ending & CUBLASLT_EPILOGUE_RELU) != 0;
  p.alpha = product_scalar (p.compute, alpha);
  p.beta = product_scalar (p.compute, beta);
  p.workspace = (guint64) (gsize) workspace;
  p.workspace_bytes = bytes;
  p.coarse = p.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if ((product->ending & CUBLASLT_EPILOGUE_BIAS && !p.bias) ||
      !is_aligned (&p, algorithm->data[5]) || !has_workspace (workspace, bytes))
    return end (CUBLAS_STATUS_INVALID_VALUE);
  return end (add_product (stream, p));
}
