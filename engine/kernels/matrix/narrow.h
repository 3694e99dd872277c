/* narrow.h — products with weights of fewer bits than a float: Y[m,n] = sum_k X[m,k] W[n,k] + bias[n].
 *
 * A product with few rows is as fast as its weights can be read, so weights of 16 or 8 bits are what
 * makes it faster.  All arithmetic is in float: weights are converted as they are read.
 *
 *   HYB_F16, HYB_BF16  a row of W is k numbers
 *   HYB_I8             a row of W is HYB_NARROW_HEAD bytes with a float, the scale, then k bytes;
 *                      a weight is scale × byte
 *
 * The instruction set is chosen at run time.  An element of the result does not depend on the number
 * of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* Bytes in front of a row of int8 weights, its scale. */
#define HYB_NARROW_HEAD 4

/* Products with at most this number of rows of X read the weights once, and convert them as they are read.  Those with
 * more convert pieces of the weights first. */
#define HYB_NARROW_FEW_ROWS 8

/* A matrix of weights, row after row. */
typedef struct
{
  HybDType      dtype; /* HYB_F16, HYB_BF16 or HYB_I8 */
  gint64        rows, columns;
  gconstpointer data;
} HybNarrow;

/* One product with such a matrix. */
typedef struct
{
  gint64       m;        /* rows of X and Y */
  gint64       ldx, ldy; /* floats from one row of X, Y to the next */
  const float *bias;     /* by row of W, added to every row of Y; NULL for no bias */
  gboolean     adds;     /* adds the result to Y instead of replacing Y */
} HybNarrowProduct;

/* Whether weights can have this type. */
gboolean hyb_narrow_is_type (HybDType dtype);
/* Returns the bytes of one row, with its scale if it has one. */
gsize hyb_narrow_row_bytes (HybDType dtype, gint64 columns);

/* Computes Y = X Wᵀ, plus the bias and the old Y if the product says so. */
void hyb_narrow_multiply (const HybNarrow        *weights,
                          const HybNarrowProduct *product,
                          const float            *x,
                          float                  *y);
/* Returns in a few words how hyb_narrow_multiply() computes a product of m rows, as a constant text. */
const char *hyb_narrow_note (gint64 m);
/* Writes the weights as floats. */
void hyb_narrow_expand (const HybNarrow *weights, float *to);
/* Rounds rows × columns floats to int8 rows with a scale each, which is 1/127 of the row's largest
 * magnitude; a number that is not finite makes its row's scale NaN. */
void hyb_narrow_quantise (gint64 rows, gint64 columns, const float *from, gint8 *to);
