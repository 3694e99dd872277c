/* gemm-shape.h — the description of one matrix product, C = alpha op(A) op(B) + beta C.
 *
 * Matrices are row-major; op() transposes or leaves the matrix as it is.  gemm.h computes such a
 * product with the fastest method; panels.h computes those with packed weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean transpose_a, transpose_b;
  gint64   m, n, k;       /* op(A) is m × k, op(B) is k × n, C is m × n */
  gint64   lda, ldb, ldc; /* elements from one row of A, B, C, as stored, to the next */
  double   alpha, beta;   /* with beta == 0 the old C is not read and may hold NaN */
} HybGemm;

/* Returns the product with alpha 1 and beta 0 of matrices whose rows, as stored, follow each other. */
static inline HybGemm
hyb_gemm_dense (gint64 m, gint64 n, gint64 k, gboolean transpose_a, gboolean transpose_b)
{
  return (HybGemm){ .transpose_a = transpose_a,
                    .transpose_b = transpose_b,
                    .m = m,
                    .n = n,
                    .k = k,
                    .lda = MAX (1, transpose_a ? m : k),
                    .ldb = MAX (1, transpose_b ? k : n),
                    .ldc = MAX (1, n),
                    .alpha = 1 };
}
