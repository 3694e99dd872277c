/* windows.h — exact convolutions of 8-bit integers with zero points:
 *
 *   S[n,f,p] = sum over channels c and taps t of (x[n,c,q] − xz)(w[f,c,t] − wz[f]),  q = p stride + t dilate − pad
 *
 * Padding has the value xz, so that it adds nothing.  Sums wrap modulo 2³².  Filters are packed once; windows are gathered
 * into panels, which the kernels of product.h multiply.  A sample is divided into at most 32 slices, so no more threads share
 * it; each slice needs a panel in the scratch memory.  Start with hyb_integer_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/integers/filters.h"

/* One convolution. */
typedef struct
{
  HybDType      dtype; /* of x: HYB_I8 or HYB_U8 */
  gconstpointer x;
  gint32        zero;
} HybIntegerImage;

/* Returns the bytes of scratch memory that the convolution needs, 64-byte aligned; G_MAXSIZE if that overflows. */
gsize hyb_integer_convolve_workspace (const HybIntegerFilters *filters);
/* Computes the convolution.  result: y is laid out like a map; scale, bias and sum_bias are those of filters. */
void hyb_integer_convolve (const HybIntegerFilters *filters,
                           const HybIntegerImage   *image,
                           const HybIntegerResult  *result,
                           gpointer                 workspace);
