/* half-gemm.h — matrix products of half floats: C[m,n] = sum_k A[m,k] B[k,n], summed in float and rounded once.
 *
 * Converting B as a whole would take several times as long as a product of few rows, so B is converted
 * piece by piece while it is packed (panels.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm-shape.h"
#include "engine/tensor/dtype.h"

/* A, B and C of one product, row after row (lda = k, ldb = ldc = n). */
typedef struct
{
  HybDType      dtype; /* HYB_F16 or HYB_BF16 */
  gint64        m, n, k;
  gconstpointer a, b;
  gpointer      c;
  gpointer      workspace; /* hyb_half_gemm_workspace() bytes */
} HybHalfGemm;

/* Returns the bytes of workspace; G_MAXSIZE if that overflows. */
gsize hyb_half_gemm_workspace (gint64 m, gint64 n, gint64 k);
/* Computes C. */
void hyb_half_gemm (const HybHalfGemm *gemm);
