/* binary.h — functions of two numbers over arrays: the loops behind element-wise,
 * broadcasting and scalar operators.
 *
 * Comparisons and logic give 0 or 1 in the element type.  Integers wrap; a
 * division or remainder by integer zero is 0.  In bool everything but 0 is stored as 1.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef enum
{
  HYB_BINARY_ADD,
  HYB_BINARY_SUB,
  HYB_BINARY_MUL,
  HYB_BINARY_DIV,
  HYB_BINARY_MOD, /* the sign of the divisor; 0 where that is 0 */
  HYB_BINARY_POWER,
  HYB_BINARY_MAXIMUM, /* NaN if either is */
  HYB_BINARY_MINIMUM,
  HYB_BINARY_HYPOT,
  HYB_BINARY_EQUAL,
  HYB_BINARY_NOT_EQUAL,
  HYB_BINARY_GREATER,
  HYB_BINARY_GREATER_EQUAL,
  HYB_BINARY_LESSER,
  HYB_BINARY_LESSER_EQUAL,
  HYB_BINARY_LOGICAL_AND,
  HYB_BINARY_LOGICAL_OR,
  HYB_BINARY_LOGICAL_XOR,
  HYB_N_BINARY,
} HybBinary;

/* The element types that element-wise kernels compute in. */
#define HYB_DTYPES_ELEMENTWISE                                                  \
  (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64) | HYB_DTYPE_BIT (HYB_U8) | \
   HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64) | \
   HYB_DTYPE_BIT (HYB_BOOL))

/* y[i] = f (a[i stride_a], b[i stride_b]); strides are 0 or 1.  y is a, b or neither. */
typedef void (*HybBinaryLoop) (gconstpointer a,
                               gint64        stride_a,
                               gconstpointer b,
                               gint64        stride_b,
                               gpointer      y,
                               gint64        n);
HybBinaryLoop hyb_binary_loop (HybBinary function, HybDType dtype);

/* The same over whole tensors, a and b broadcast to y, in parallel. */
void hyb_binary_run (HybBinary       function,
                     HybDType        dtype,
                     const HybShape *shape_a,
                     gconstpointer   a,
                     const HybShape *shape_b,
                     gconstpointer   b,
                     const HybShape *shape_y,
                     gpointer        y);
