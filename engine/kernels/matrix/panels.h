/* panels.h — products of few rows with packed weights: Y[m,n] = sum_k X[m,k] W[k,n] + bias[n].
 *
 * Packed weights are panels of HYB_PANEL_WIDTH columns: panel p holds W[0 … k-1, 32 p … 32 p + 31]
 * row after row.  Recurrent cells multiply a few rows by the same weights at every time step.  A
 * general matrix product packs its operands on every call; here the weights are packed once, and
 * every step reads them front to back.
 *
 * The instruction set is chosen at run time.  An element of the result depends neither on the
 * number of threads nor on the other rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm-shape.h"
#include "engine/tensor/dtype.h"

/* Columns of one panel. */
#define HYB_PANEL_WIDTH 32

/* Returns the number of floats that k × n weights take in panels. */
gsize hyb_panels_size (gint64 n, gint64 k);

/* Packs weights, n × k if transposed (products are then with Wᵀ), else k × n, into panels, which
 * have room for hyb_panels_size() floats. */
void hyb_panels_pack (gint64 n, gint64 k, const float *weights, gboolean transposed, float *panels);

/* One product with packed weights. */
typedef struct
{
  gint64       m, n, k;  /* X is m × k, W is k × n, Y is m × n */
  gint64       ldx, ldy; /* floats from one row of X, Y to the next */
  const float *bias;     /* (n), added to every row; NULL for no bias */
  gboolean     adds;     /* adds the result to Y instead of replacing Y */
} HybPanelProduct;

/* Computes Y = X W, plus the bias and the old Y if the product says so. */
void
hyb_panels_multiply (const HybPanelProduct *product, const float *x, const float *panels, float *y);

/* Returns for people how hyb_panels_multiply() reads n × k weights for m rows on this processor: how many panels
 * at once, and from where it prefetches them.  The caller frees the text. */
char *hyb_panels_describe (gint64 m, gint64 n, gint64 k);

/* Rows that hyb_panels_gemm_half() multiplies at most. */
#define HYB_PANELS_MAX_ROWS 128
/* Computes C = A B + beta C with weights B of half floats, HYB_F16 or HYB_BF16: pieces of B are converted and packed on
 * the stack just before they are multiplied.  1 ≤ m ≤ HYB_PANELS_MAX_ROWS, n ≥ 1, k ≥ 1, alpha is 1 and beta 0 or 1. */
void hyb_panels_gemm_half (const HybGemm *gemm,
                           const float   *a,
                           HybDType       dtype,
                           gconstpointer  b,
                           float         *c);
