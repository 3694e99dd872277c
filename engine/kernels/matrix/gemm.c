/* gemm.c — matrix products: C[m,n] = alpha sum_k op(A)[m,k] op(B)[k,n] + beta C[m,n].
 *
 * Products of floats with a vector go to matrix-vector.h, others to dots.h, tiny.h or tiles.h; those of doubles go to
 * OpenBLAS, which computes each slice of C with one thread.  Start reading at hyb_gemm_f32() and hyb_gemm_f64().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/gemm.h"

#include "engine/base/parallel.h"
#include "engine/base/translate.h"
#include "engine/kernels/matrix/blas.h"
#include "engine/kernels/matrix/dots.h"
#include "engine/kernels/matrix/matrix-vector.h"
#include "engine/kernels/matrix/tiles.h"
#include "engine/kernels/matrix/tiny.h"

#include <string.h>

/* OpenBLAS's products of up to this many multiplications use one thread: a second one costs more than it
 * gains. */
#define SERIAL_WORK (128.0 * 128 * 128)
/* Multiplications of a batch below which a slice is not worth a thread. */
#define GRAIN 262144.0
/* C is split over threads in multiples of this many rows or columns. */
#define UNIT 32

static double
gemm_work (const HybGemm *gemm)
{
  return (double) gemm->m * (double) gemm->n * (double) gemm->k;
}

/* OpenBLAS takes sizes as int. */
static gboolean
fits_library (const HybGemm *gemm)
{
  return MAX (gemm->m, gemm->n) <= G_MAXINT && gemm->k <= G_MAXINT &&
         MAX (gemm->lda, gemm->ldb) <= G_MAXINT && gemm->ldc <= G_MAXINT;
}

static CBLAS_TRANSPOSE
transposed (gboolean is)
{
  return is ? CblasTrans : CblasNoTrans;
}

/* How a product is computed. */
typedef enum
{
  METHOD_NOTHING, /* C is empty */
  METHOD_SCALE,   /* C = beta C: there is nothing to add */
  METHOD_DOTS,    /* of floats, like the next three */
  METHOD_VECTOR,
  METHOD_TINY,
  METHOD_TILES,
  METHOD_PLAIN, /* of doubles, like the next two: too large for OpenBLAS */
  METHOD_LIBRARY_VECTOR,
  METHOD_LIBRARY,
} Method;

/* Whether matrix-vector.h can compute a product with a vector: contiguous floats, alpha 1.  The vector is the column
 * of B if there is a single one, else the row of A. */
static gboolean
suits_matrix_vector (const HybGemm *gemm)
{
  gint64 x_stride =
      gemm->n == 1 ? (gemm->transpose_b ? 1 : gemm->ldb) : (gemm->transpose_a ? gemm->lda : 1);
  gint64 y_stride = gemm->n == 1 ? gemm->ldc : 1;

  return x_stride == 1 && y_stride == 1 && gemm->alpha == 1;
}

static Method
choose_for_floats (const HybGemm *gemm)
{
  if ((gemm->m == 1 || gemm->n == 1) && suits_matrix_vector (gemm))
    return METHOD_VECTOR;
  if (hyb_dots_is_faster (gemm))
    return METHOD_DOTS;
  return hyb_tiny_is_faster (gemm) ? METHOD_TINY : METHOD_TILES;
}

static Method
choose_for_doubles (const HybGemm *gemm)
{
  if (!fits_library (gemm))
    return METHOD_PLAIN;
  return gemm->m > 1 && gemm->n > 1 ? METHOD_LIBRARY : METHOD_LIBRARY_VECTOR;
}

static Method
choose_method (const HybGemm *gemm, HybDType dtype)
{
  if (gemm->m == 0 || gemm->n == 0)
    return METHOD_NOTHING;
  if (gemm->k == 0)
    return METHOD_SCALE;
  return dtype == HYB_F32 ? choose_for_floats (gemm) : choose_for_doubles (gemm);
}

/* Defines scale_<suffix>(): C = beta C; a beta of 0 clears C even where it holds NaN. */
#define SCALE(T, suffix)                                 \
  static void scale_##suffix (const HybGemm *gemm, T *c) \
  {                                                      \
    for (gint64 i = 0; i < gemm->m; i++, c += gemm->ldc) \
      if (gemm->beta == 0)                               \
        memset (c, 0, sizeof (T) * (gsize) gemm->n);     \
      else                                               \
        for (gint64 j = 0; j < gemm->n; j++)             \
          c[j] *= (T) gemm->beta;                        \
  }
SCALE (float, f32)
SCALE (double, f64)

/* --- Floats --- */

/* Adds the product with a vector to C. */
static void
add_vector_product (const HybGemm *gemm, const float *a, const float *b, float *c)
{
  gboolean  of_column = gemm->n == 1;
  gboolean  transposed = of_column ? gemm->transpose_a : !gemm->transpose_b;
  gint64    n = of_column ? gemm->m : gemm->n; /* results */
  HybMatrix matrix = { of_column ? a : b, transposed ? gemm->k : n, transposed ? n : gemm->k,
                       of_column ? gemm->lda : gemm->ldb };

  (transposed ? hyb_matrix_transposed_vector : hyb_matrix_vector) (&matrix, of_column ? b : a, c);
}

void
hyb_gemm_f32 (const HybGemm *gemm, const float *a, const float *b, float *c)
{
  Method method = choose_method (gemm, HYB_F32);

  if (method == METHOD_DOTS)
    hyb_dots_multiply (gemm, a, b, NULL, c);
  else if (method == METHOD_TILES)
    hyb_tiles_multiply (gemm, a, b, NULL, c);
  else if (method == METHOD_TINY)
    hyb_tiny_gemm (gemm, a, b, c);
  else if (method == METHOD_VECTOR)
    {
      if (gemm->beta != 1)
        scale_f32 (gemm, c);
      add_vector_product (gemm, a, b, c);
    }
  else if (method == METHOD_SCALE)
    scale_f32 (gemm, c);
}

/* Sets each row of C to the bias, to which the product is added where its kernel does not add a bias itself. */
static void
add_to_bias (const HybGemm *gemm, const float *a, const float *b, const float *bias, float *c)
{
  HybGemm adding = *gemm;

  for (gint64 i = 0; i < gemm->m; i++)
    memcpy (c + i * gemm->ldc, bias, sizeof (float) * (gsize) gemm->n);
  adding.beta = 1;
  hyb_gemm_f32 (&adding, a, b, c);
}

void
hyb_gemm_biased_f32 (const HybGemm *gemm,
                     const float   *a,
                     const float   *b,
                     const float   *bias,
                     float         *c)
{
  Method method = choose_method (gemm, HYB_F32);

  if (method == METHOD_DOTS)
    hyb_dots_multiply (gemm, a, b, bias, c);
  else if (method == METHOD_TILES)
    hyb_tiles_multiply (gemm, a, b, bias, c);
  else
    add_to_bias (gemm, a, b, bias, c);
}

/* --- Doubles --- */

/* Three plain loops, for sizes that OpenBLAS cannot take. */
static void
multiply_plainly (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  scale_f64 (gemm, c);
  for (gint64 i = 0; i < gemm->m; i++)
    for (gint64 l = 0; l < gemm->k; l++)
      {
        double x = gemm->alpha * a[gemm->transpose_a ? l * gemm->lda + i : i * gemm->lda + l];

        for (gint64 j = 0; j < gemm->n; j++)
          c[i * gemm->ldc + j] += x * b[gemm->transpose_b ? j * gemm->ldb + l : l * gemm->ldb + j];
      }
}

/* C += op(A) b, where C is a single column (n == 1). */
static void
add_column (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  hyb_blas ()->cblas_dgemv (CblasRowMajor, transposed (gemm->transpose_a),
                            (int) (gemm->transpose_a ? gemm->k : gemm->m),
                            (int) (gemm->transpose_a ? gemm->m : gemm->k), gemm->alpha, a,
                            (int) gemm->lda, b, gemm->transpose_b ? 1 : (int) gemm->ldb, 1, c,
                            (int) gemm->ldc);
}

/* C += op(B)ᵀ a, where C is a single row (m == 1). */
static void
add_row (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  hyb_blas ()->cblas_dgemv (CblasRowMajor, transposed (!gemm->transpose_b),
                            (int) (gemm->transpose_b ? gemm->n : gemm->k),
                            (int) (gemm->transpose_b ? gemm->k : gemm->n), gemm->alpha, b,
                            (int) gemm->ldb, a, gemm->transpose_a ? (int) gemm->lda : 1, 1, c, 1);
}

/* C = alpha op(A) op(B) + beta C by OpenBLAS in this thread. */
static void
multiply_by_library (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  hyb_blas ()->cblas_dgemm (CblasRowMajor, transposed (gemm->transpose_a),
                            transposed (gemm->transpose_b), (int) gemm->m, (int) gemm->n,
                            (int) gemm->k, gemm->alpha, a, (int) gemm->lda, b, (int) gemm->ldb,
                            gemm->beta, c, (int) gemm->ldc);
}

typedef struct
{
  const HybGemm *gemm;
  const double  *a, *b;
  double        *c;
} SharedGemm;

static void
rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const SharedGemm *job = data;
  HybGemm           part = *job->gemm;
  gint64            first = begin * UNIT;

  part.m = MIN (end * UNIT, part.m) - first;
  multiply_by_library (&part, job->a + (part.transpose_a ? first : first * part.lda), job->b,
                       job->c + first * part.ldc);
}

static void
columns_slice (gint64 begin, gint64 end, gpointer data)
{
  const SharedGemm *job = data;
  HybGemm           part = *job->gemm;
  gint64            first = begin * UNIT;

  part.n = MIN (end * UNIT, part.n) - first;
  multiply_by_library (&part, job->a, job->b + (part.transpose_b ? first * part.ldb : first),
                       job->c + first);
}

/* The same by several threads if it is large. */
static void
share_product (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  SharedGemm job = { gemm, a, b, c };
  gint64     longest = MAX (gemm->m, gemm->n);

  if (gemm_work (gemm) <= SERIAL_WORK)
    multiply_by_library (gemm, a, b, c);
  else
    hyb_parallel_for ((longest + UNIT - 1) / UNIT, 1,
                      gemm->m >= gemm->n ? rows_slice : columns_slice, &job);
}

static void
multiply_vector (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  /* Products with a vector add to C, so beta is applied first (and clears NaN if 0). */
  if (gemm->beta != 1)
    scale_f64 (gemm, c);
  (gemm->n == 1 ? add_column : add_row) (gemm, a, b, c);
}

void
hyb_gemm_f64 (const HybGemm *gemm, const double *a, const double *b, double *c)
{
  Method method = choose_method (gemm, HYB_F64);

  if (method == METHOD_SCALE)
    scale_f64 (gemm, c);
  else if (method == METHOD_PLAIN)
    multiply_plainly (gemm, a, b, c);
  else if (method == METHOD_LIBRARY_VECTOR)
    multiply_vector (gemm, a, b, c);
  else if (method == METHOD_LIBRARY)
    share_product (gemm, a, b, c);
}

void
hyb_gemm (const HybGemm *gemm, HybDType dtype, gconstpointer a, gconstpointer b, gpointer c)
{
  if (dtype == HYB_F64)
    hyb_gemm_f64 (gemm, a, b, c);
  else
    hyb_gemm_f32 (gemm, a, b, c);
}

const char *
hyb_gemm_note (const HybGemm *gemm, HybDType dtype)
{
  static const char *const notes[] = {
    [METHOD_NOTHING] = NULL,
    [METHOD_SCALE] = NULL,
    [METHOD_DOTS] = N_ ("sums row by row, weights as they lie"),
    [METHOD_VECTOR] = N_ ("matrix times vector, weights as they lie"),
    [METHOD_TINY] = N_ ("sums of four columns, weights as they lie"),
    [METHOD_TILES] = N_ ("tiles of the result, in registers"),
    [METHOD_PLAIN] = N_ ("plain loops, too large for OpenBLAS"),
    [METHOD_LIBRARY_VECTOR] = N_ ("OpenBLAS dgemv"),
    [METHOD_LIBRARY] = N_ ("OpenBLAS dgemm"),
  };

  return notes[choose_method (gemm, dtype)];
}

typedef struct
{
  const HybGemm         *gemm;
  const HybGemmBatch    *batch;
  const HybGemmOperands *operands;
} BatchJob;

static void
multiply_slice (gint64 begin, gint64 end, gpointer data)
{
  const BatchJob     *job = data;
  const HybGemmBatch *batch = job->batch;
  HybDType            dtype = job->operands->dtype;
  const char         *a = job->operands->a, *b = job->operands->b;
  char               *c = job->operands->c;
  gint64              item = (gint64) hyb_dtype_size (dtype);

  for (gint64 n = begin; n < end; n++)
    {
      gint64 i = n / batch->count[1];
      gint64 j = n % batch->count[1];

      hyb_gemm (job->gemm, dtype, a + (i * batch->a[0] + j * batch->a[1]) * item,
                b + (i * batch->b[0] + j * batch->b[1]) * item,
                c + (i * batch->c[0] + j * batch->c[1]) * item);
    }
}

void
hyb_gemm_share (const HybGemm *gemm, gint64 n, HybParallelFunc multiply, gpointer data)
{
  double work = gemm_work (gemm);

  if (work <= GRAIN || n >= (gint64) hyb_parallel_get_threads ())
    hyb_parallel_for (n, MAX (1, (gint64) (GRAIN / MAX (1.0, work))), multiply, data);
  else
    multiply (0, n, data);
}

void
hyb_gemm_batch (const HybGemm *gemm, const HybGemmBatch *batch, const HybGemmOperands *operands)
{
  BatchJob job = { gemm, batch, operands };

  hyb_gemm_share (gemm, batch->count[0] * batch->count[1], multiply_slice, &job);
}

/* openblas_get_config() returns a text such as "OpenBLAS 0.3.21 NO_LAPACKE …". */
char *
hyb_gemm_describe (void)
{
  g_auto (GStrv) words = g_strsplit (hyb_blas ()->openblas_get_config (), " ", 3);

  return g_strdup_printf ("%s %s, %s kernels", words[0] ? words[0] : "OpenBLAS",
                          words[0] && words[1] ? words[1] : "",
                          hyb_blas ()->openblas_get_corename ());
}
