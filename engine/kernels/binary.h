/* binary.h — binary functions over arrays, y[i] = f(a[i], b[i]), with broadcasting.
 *
 * Element-wise, broadcasting and scalar operators are built on it.  Comparisons and logical
 * functions give 0 or 1 in the element type.  Integers wrap; an integer division or remainder by
 * zero is 0.  In bool every result other than 0 is stored as 1.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/binary-function.h"
#include "engine/tensor/shape.h"

/* The element types for which hyb_binary_loop() has loops. */
#define HYB_DTYPES_ELEMENTWISE                                                  \
  (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64) | HYB_DTYPE_BIT (HYB_U8) | \
   HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64) | \
   HYB_DTYPE_BIT (HYB_U32) | HYB_DTYPE_BIT (HYB_U64) | HYB_DTYPE_BIT (HYB_BOOL))

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
