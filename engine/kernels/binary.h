/* binary.h — binary functions over arrays, y[i] = f(a[i], b[i]), with broadcasting.
 *
 * Element-wise, broadcasting and scalar operators are built on it.  Comparisons and logical
 * functions give 0 or 1 in the element type.  Integers wrap; an integer division or remainder by
 * zero is 0.  In bool every result other than 0 is stored as 1.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef enum
{
  HYB_BINARY_ADD,
  HYB_BINARY_SUB,
  HYB_BINARY_MUL,
  HYB_BINARY_DIV,
  HYB_BINARY_MOD, /* has the sign of the divisor, as in Python; 0 if the divisor is 0 */
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
  HYB_BINARY_COPYSIGN,
  HYB_BINARY_ARCTAN2,
  HYB_BINARY_LDEXP, /* a 2^b */
  /* The following have loops for integers and bool only. */
  HYB_BINARY_BITWISE_AND,
  HYB_BINARY_BITWISE_OR,
  HYB_BINARY_BITWISE_XOR,
  HYB_BINARY_LCM, /* least common multiple; 0 if an operand is 0 */
  HYB_N_BINARY,
} HybBinary;

/* The element types for which hyb_binary_loop() has loops. */
#define HYB_DTYPES_ELEMENTWISE                                                  \
  (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64) | HYB_DTYPE_BIT (HYB_U8) | \
   HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64) | \
   HYB_DTYPE_BIT (HYB_BOOL))

/* y[i] = f (a[i stride_a], b[i stride_b]) for i < n; strides are 0 or 1.  y is a, b or an array
 * that overlaps neither. */
typedef void (*HybBinaryLoop) (gconstpointer a,
                               gint64        stride_a,
                               gconstpointer b,
                               gint64        stride_b,
                               gpointer      y,
                               gint64        n);
/* Returns the loop for a function and an element type of HYB_DTYPES_ELEMENTWISE. */
HybBinaryLoop hyb_binary_loop (HybBinary function, HybDType dtype);

/* The tensors of a binary function: contiguous arrays of dtype, with their shapes. */
typedef struct
{
  HybDType        dtype;             /* one of HYB_DTYPES_ELEMENTWISE */
  const HybShape *shape_a, *shape_b; /* broadcast to shape_y */
  const HybShape *shape_y;
  gconstpointer   a, b;
  gpointer        y; /* a, b or an array that overlaps neither */
} HybBinaryOperands;

/* Computes y = f (a, b) for whole tensors on several threads. */
void hyb_binary_run (HybBinary function, const HybBinaryOperands *operands);
