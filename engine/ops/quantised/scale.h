/* scale.h — the arithmetic of quantised values: scales, rounding and ranges, as MXNet's CPU kernels
 * (oneDNN) compute them.
 *
 * A real number x is stored as the integer nearest to x · scale.  A range is given by its lower and
 * upper limit; only the limit farther from 0, the extent, matters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* The levels between 0 and the end of a range. */
#define HYB_INT8_LEVELS  127.5f
#define HYB_UINT8_LEVELS 255.5f
#define HYB_INT32_LEVELS 2147483648.0f /* 2³¹ */

/* Limits of a range; both are float32 in files. */
typedef struct
{
  float low, high;
} HybRange;

/* The distance from 0 of the limit that is farther from it. */
float hyb_range_extent (HybRange range);
/* Levels for one unit of the real number, for int8, uint8 or int32; 2³¹ − 1 if the range is empty. */
float hyb_range_scale (HybRange range, HybDType dtype);
/* The range that the integer product of values of two ranges has as int32.  is_signed: both factors
 * are int8, else one of them is uint8. */
HybRange hyb_range_of_product (HybRange a, HybRange b, gboolean is_signed);

/* Types [first, n) are limits of ranges: one float32 each.  FALSE if one of them is not. */
gboolean hyb_range_infer_limits (HybType *types, guint first, guint n, GError **error);

/* The range given by inputs `input` and input + 1 of a call. */
HybRange hyb_range_read (const HybRun *run, guint input);
/* Stores a range in outputs 1 and 2. */
void hyb_range_write (const HybRun *run, HybRange range);

/* The nearest integer to value, ties to even, within the limits of dtype (int8, uint8, int32); 0 for
 * NaN. */
gint32 hyb_quantise (double value, HybDType dtype);
/* Stores value as element `index`: for int8, uint8 and int32 as hyb_quantise() says, else as float32. */
void hyb_quantise_to (gpointer to, HybDType dtype, gint64 index, double value);
/* Element `index` of an int8, uint8, int32 or float32 array. */
double hyb_quantised_get (gconstpointer from, HybDType dtype, gint64 index);
