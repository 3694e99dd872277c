/* panels.h — products of few rows with weights that were laid out for it once.
 *
 * Recurrent cells multiply a handful of rows by the same weights in every step.  A general
 * product lays its operands out anew each time; here that is done once, and every step
 * reads one panel of columns after the other, front to back.
 *
 * Which instructions run is decided at run time.  An element of the result depends neither
 * on the number of threads nor on the other rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm.h"

/* Columns of one panel. */
#define HYB_PANEL_WIDTH 32

/* Elements of k × n weights in panels. */
gsize hyb_panels_size (gint64 n, gint64 k);

/* W is n × k if transposed (products are with Wᵀ), else k × n. */
void hyb_panels_pack (gint64 n, gint64 k, const float *weights, gboolean transposed, float *panels);

typedef struct
{
  gint64       m, n, k;
  gint64       ldx, ldy;
  const float *bias; /* (n), added to every row; NULL: none */
  gboolean     adds; /* to what y holds */
} HybPanelProduct;

/* Y (m × n) = X (m × k) · W, plus what the product says. */
void
hyb_panels_multiply (const HybPanelProduct *product, const float *x, const float *panels, float *y);

/* A product whose weights are laid out on the way, a piece at a time, plus bias (n) in every row
 * (NULL: none; then beta counts).  It is asked for where hyb_panels_is_faster(): there it is faster
 * than the library. */
gboolean hyb_panels_is_faster (const HybGemm *gemm);
void
hyb_panels_gemm (const HybGemm *gemm, const float *a, const float *b, const float *bias, float *c);
