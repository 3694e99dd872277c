/* windows.h — exact convolutions of 8-bit integers with zero points:
 *
 *   S[n,f,p] = sum over channels c and taps t of (x[n,c,q] − xz)(w[f,c,t] − wz[f]),  q = p stride + t dilate − pad
 *
 * Padding has the value xz, so that it adds nothing.  Sums wrap modulo 2³².  Filters are packed once; windows are gathered
 * into panels, which the kernels of product.h multiply.  Start with hyb_integer_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"
#include "engine/kernels/integers/product.h"

/* Packed filters. */
typedef struct
{
  const HybIntegerKernels *kernels; /* that multiply them */
  HybConvolve              convolve;
  HybDType                 dtype; /* HYB_I8 or HYB_U8 */
  gpointer memory; /* hyb_integer_filters_size() bytes of the caller, 64-byte aligned */
} HybIntegerFilters;

/* One convolution. */
typedef struct
{
  HybDType      dtype; /* of x: HYB_I8 or HYB_U8 */
  gconstpointer x;
  gint32        zero;
} HybIntegerImage;

/* Returns the filters of a convolution for this processor, without memory. */
HybIntegerFilters hyb_integer_filters (const HybConvolve *convolve, HybDType dtype);
/* Changes the kernels of filters without memory to number `index` of those that this processor can run, the best first;
 * FALSE if it has fewer.  For tests. */
gboolean hyb_integer_filters_use (HybIntegerFilters *filters, guint index);
/* Returns the number of bytes that the filters take; G_MAXSIZE if that overflows. */
gsize hyb_integer_filters_size (const HybIntegerFilters *filters);
/* Packs filters w (filters, channels / groups, kernel…) with a zero point for all or, with stride 1, for each. */
void hyb_integer_filters_pack (const HybIntegerFilters *filters,
                               gconstpointer            w,
                               const gint32            *zero,
                               gint64                   zero_stride);

/* Returns the bytes of scratch memory that the convolution needs, 64-byte aligned; G_MAXSIZE if that overflows. */
gsize hyb_integer_convolve_workspace (const HybIntegerFilters *filters);
/* Computes the convolution.  result: y is laid out like a map; scale, bias and sum_bias are those of filters. */
void hyb_integer_convolve (const HybIntegerFilters *filters,
                           const HybIntegerImage   *image,
                           const HybIntegerResult  *result,
                           gpointer                 workspace);
