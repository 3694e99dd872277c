/* filters.h — packed filters of convolutions of 8-bit integers (windows.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolution-shape.h"
#include "engine/kernels/integers/product.h"

/* Packed filters. */
typedef struct
{
  const HybIntegerKernels *kernels; /* that multiply them */
  HybConvolve              convolve;
  HybDType                 dtype; /* HYB_I8 or HYB_U8 */
  gpointer memory; /* hyb_integer_filters_size() bytes of the caller, 64-byte aligned */
} HybIntegerFilters;

/* Returns the filters of a convolution for this processor, without memory. */
HybIntegerFilters hyb_integer_filters (const HybConvolve *convolve, HybDType dtype);
/* Changes the kernels of filters without memory to number `index` of those that this processor can run, the best first;
 * FALSE if it has fewer.  For tests. */
gboolean hyb_integer_filters_use (HybIntegerFilters *filters, guint index);
/* Returns the number of bytes that the filters take. */
gsize hyb_integer_filters_size (const HybIntegerFilters *filters);
/* Packs filters w (filters, channels / groups, kernel…) with a zero point for all or, with stride 1, for each. */
void hyb_integer_filters_pack (const HybIntegerFilters *filters,
                               gconstpointer            w,
                               const gint32            *zero,
                               gint64                   zero_stride);

/* Parts of the memory: words of filters, a row of words of ones behind them; by filter sums, what sums start with less, and zero
 * points; where taps start, by number that is multiplied. */
typedef struct
{
  guint8 *words;
  gint32 *sums, *pairs, *zeros;
  gint64 *offsets;
  gsize   size;
} HybIntegerFilterParts;

/* Returns the parts; without memory only their size. */
HybIntegerFilterParts hyb_integer_filter_parts (const HybIntegerFilters *filters);
/* Returns the numbers that a filter multiplies. */
gint64 hyb_integer_filter_depth (const HybConvolve *convolve);
/* Returns how many words they are. */
gint64 hyb_integer_filter_groups (const HybIntegerFilters *filters);
