/* quantise-linear.h — conversions between rows of floats and of 8-bit integers by a scale and a zero point.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* The parameters of one row of n elements; strides are 0 or 1. */
typedef struct
{
  gint64       n;
  const float *scale, *zero;
  gint64       scale_stride, zero_stride;
} HybLinearRow;

typedef void (*HybLinearLoop) (const HybLinearRow *row, gconstpointer x, gpointer y);

/* Returns the loop y = round (x / scale) + zero, saturated, for HYB_I8 or HYB_U8; halves are rounded to even and NaN becomes
 * the lowest integer. */
HybLinearLoop hyb_quantise_loop (HybDType to);
/* Returns the loop y = (x − zero) scale for HYB_I8 or HYB_U8. */
HybLinearLoop hyb_dequantise_loop (HybDType from);
/* Sets limits[0] and limits[1] to the smallest and the largest of n numbers and 0; NaN does not count. */
void hyb_float_limits (gint64 n, const float *x, float *limits);
