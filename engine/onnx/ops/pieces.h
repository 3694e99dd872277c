/* pieces.h — short names for the building blocks of compositions.
 *
 * Each adds one or two nodes and returns their value; after a failure they do nothing and return HYB_NO_ID.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* Two operands, broadcast. */
HybValueId onnx_add (HybLowering *lowering, HybValueId x, HybValueId y);
/* Likewise. */
HybValueId onnx_subtract (HybLowering *lowering, HybValueId x, HybValueId y);
/* Likewise. */
HybValueId onnx_multiply (HybLowering *lowering, HybValueId x, HybValueId y);
/* Likewise. */
HybValueId onnx_divide (HybLowering *lowering, HybValueId x, HybValueId y);
/* x times a number; x itself for 1. */
HybValueId onnx_scale (HybLowering *lowering, HybValueId x, double factor);
/* x plus a number; x itself for 0. */
HybValueId onnx_shift (HybLowering *lowering, HybValueId x, double number);
/* x limited to a range. */
HybValueId onnx_clamp (HybLowering *lowering, HybValueId x, double low, double high);
/* LeakyReLU of that kind: “leaky”, “elu” or “gelu”. */
HybValueId onnx_leaky (HybLowering *lowering, HybValueId x, const char *kind, double slope);
/* Elements of x where the condition holds, else of y; all are broadcast. */
HybValueId onnx_where (HybLowering *lowering, HybValueId condition, HybValueId x, HybValueId y);
/* Both conditions; HYB_NO_ID is a condition that always holds. */
HybValueId onnx_and (HybLowering *lowering, HybValueId x, HybValueId y);
/* NumPy's product of matrices. */
HybValueId onnx_matmul (HybLowering *lowering, HybValueId x, HybValueId y);
/* A reduction over one axis. */
HybValueId
onnx_reduce (HybLowering *lowering, const char *op, HybValueId x, int axis, gboolean keeps);
/* Slices of x along an axis. */
HybValueId onnx_take (HybLowering *lowering, HybValueId x, HybValueId indices, int axis);
/* data [n, …] with the rows at positions replaced by updates [m, …]. */
HybValueId
onnx_scatter (HybLowering *lowering, HybValueId data, HybValueId positions, HybValueId updates);
/* The slices of an axis in reverse order. */
HybValueId onnx_reverse (HybLowering *lowering, HybValueId x, int axis);
/* x, of that rank, with axis `from` at place `to`; the others keep their order. */
HybValueId onnx_move_axis (HybLowering *lowering, HybValueId x, int rank, int from, int to);
/* Each slice of an axis n times. */
HybValueId onnx_repeat (HybLowering *lowering, HybValueId x, int axis, gint64 n);
/* One number everywhere. */
HybValueId onnx_fill (HybLowering *lowering, const HybShape *shape, HybDType dtype, double number);
/* x with `before` and `after` slices of a number added to an axis. */
HybValueId
onnx_extend (HybLowering *lowering, HybValueId x, int axis, const gint64 *sizes, double number);
/* x as one axis. */
HybValueId onnx_flatten (HybLowering *lowering, HybValueId x);
/* The integers from 0 to n − 1 under a shape of that rank, along one of its axes; HYB_NO_ID if they are too many. */
HybValueId onnx_count (HybLowering *lowering, gint64 n, int axis, int rank);
/* x under the shape of a type whose dimensions are all known. */
HybValueId onnx_reshape_to (HybLowering *lowering, HybValueId x, const HybShape *shape);
/* The size of an axis of a value; HYB_UNKNOWN if it is not known or there is no such axis. */
gint64 onnx_size (const HybLowering *lowering, HybValueId x, int axis);
/* Input number `index`, or HYB_NO_ID if it is left out. */
HybValueId onnx_optional (HybLowering *lowering, guint index);
