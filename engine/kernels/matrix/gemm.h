/* gemm.h — matrix products, row-major: C = alpha op(A) op(B) + beta C.
 *
 * Large ones are shared out by rows or columns of C, whichever are more; the library itself
 * computes with one thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef struct
{
  gboolean transpose_a, transpose_b;
  gint64   m, n, k; /* op(A) is m × k, op(B) is k × n */
  gint64   lda, ldb, ldc;
  double   alpha, beta;
} HybGemm;

void hyb_gemm_f32 (const HybGemm *gemm, const float *a, const float *b, float *c);
void hyb_gemm_f64 (const HybGemm *gemm, const double *a, const double *b, double *c);
/* By dtype: HYB_F32 or HYB_F64. */
void hyb_gemm (const HybGemm *gemm, HybDType dtype, gconstpointer a, gconstpointer b, gpointer c);

/* The same product of many matrices, in two nested loops (samples and heads,
 * say): product (i, j) starts i × a[0] + j × a[1] elements into A, and so on. */
typedef struct
{
  gint64 count[2];
  gint64 a[2], b[2], c[2];
} HybGemmBatch;

void hyb_gemm_batch (const HybGemm      *gemm,
                     const HybGemmBatch *batch,
                     HybDType            dtype,
                     gconstpointer       a,
                     gconstpointer       b,
                     gpointer            c);

/* Who computes the products, and for which processor: "OpenBLAS 0.3.21, SkylakeX kernels".
 * (transfer full) */
char *hyb_gemm_describe (void);
