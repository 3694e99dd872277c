/* gemm.h — matrix products, row-major: C[m,n] = alpha sum_k op(A)[m,k] op(B)[k,n] + beta C[m,n].
 *
 * Large products are split over threads by rows or by columns of C, whichever are more; each
 * slice is computed by one thread.  An element of C is always summed over k by one thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/gemm-shape.h"
#include "engine/tensor/dtype.h"

/* Computes the product in float. */
void hyb_gemm_f32 (const HybGemm *gemm, const float *a, const float *b, float *c);
/* The same, of which beta is 0, and adds bias (n) to every row. */
void hyb_gemm_biased_f32 (const HybGemm *gemm,
                          const float   *a,
                          const float   *b,
                          const float   *bias,
                          float         *c);
/* Computes the product in double. */
void hyb_gemm_f64 (const HybGemm *gemm, const double *a, const double *b, double *c);
/* Computes the product in the given element type, HYB_F32 or HYB_F64. */
void hyb_gemm (const HybGemm *gemm, HybDType dtype, gconstpointer a, gconstpointer b, gpointer c);

/* Returns in a few words how hyb_gemm() computes the product on this processor, as a constant text; NULL if there is
 * nothing to multiply. */
const char *hyb_gemm_note (const HybGemm *gemm, HybDType dtype);

/* The same product for a two-dimensional batch of matrices (samples and heads, for example):
 * product (i, j), i < count[0], j < count[1], reads A from element i a[0] + j a[1] on, and
 * likewise B and C. */
typedef struct
{
  gint64 count[2];
  gint64 a[2], b[2], c[2]; /* elements from one matrix to the next along each batch axis */
} HybGemmBatch;

/* The arrays that hold the matrices of a batch. */
typedef struct
{
  HybDType      dtype; /* HYB_F32 or HYB_F64 */
  gconstpointer a, b;
  gpointer      c;
} HybGemmOperands;

/* Calls multiply (begin, end, data), which computes the products [begin, end) of n: threads share them if there are
 * enough or each is too small to be shared, else each product. */
void hyb_gemm_share (const HybGemm *gemm, gint64 n, HybParallelFunc multiply, gpointer data);

/* Computes all products of the batch. */
void
hyb_gemm_batch (const HybGemm *gemm, const HybGemmBatch *batch, const HybGemmOperands *operands);

/* Returns the name of the BLAS library, which multiplies doubles, and of the processor that it was tuned for, such
 * as "OpenBLAS 0.3.21, SkylakeX kernels".  (transfer full) */
char *hyb_gemm_describe (void);
