/* gemm.h — matrix products, row-major: C = alpha op(A) op(B) + beta C.
 *
 * One function decides how many threads the library takes: one inside a parallel
 * slice, all of them otherwise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean transpose_a, transpose_b;
  gint64   m, n, k; /* op(A) is m × k, op(B) is k × n */
  gint64   lda, ldb, ldc;
  double   alpha, beta;
} HybGemm;

void hyb_gemm_f32 (const HybGemm *gemm, const float *a, const float *b, float *c);
void hyb_gemm_f64 (const HybGemm *gemm, const double *a, const double *b, double *c);
