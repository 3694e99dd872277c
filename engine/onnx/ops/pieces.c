/* pieces.c — building blocks of compositions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* Longer rows of numbers are not laid out while planning. */
#define MAX_COUNT 16777216

/* --- Element by element --- */

HybValueId
onnx_add (HybLowering *lowering, HybValueId x, HybValueId y)
{
  return hyb_onnx_binary (lowering, "broadcast_add", x, y);
}

HybValueId
onnx_subtract (HybLowering *lowering, HybValueId x, HybValueId y)
{
  return hyb_onnx_binary (lowering, "broadcast_sub", x, y);
}

HybValueId
onnx_multiply (HybLowering *lowering, HybValueId x, HybValueId y)
{
  return hyb_onnx_binary (lowering, "broadcast_mul", x, y);
}

HybValueId
onnx_divide (HybLowering *lowering, HybValueId x, HybValueId y)
{
  return hyb_onnx_binary (lowering, "broadcast_div", x, y);
}

HybValueId
onnx_scale (HybLowering *lowering, HybValueId x, double factor)
{
  return factor == 1 ? x : hyb_onnx_with_scalar (lowering, "_mul_scalar", x, factor);
}

HybValueId
onnx_shift (HybLowering *lowering, HybValueId x, double number)
{
  return number == 0 ? x : hyb_onnx_with_scalar (lowering, "_plus_scalar", x, number);
}

HybValueId
onnx_clamp (HybLowering *lowering, HybValueId x, double low, double high)
{
  x = hyb_onnx_with_scalar (lowering, "_maximum_scalar", x, low);
  return hyb_onnx_with_scalar (lowering, "_minimum_scalar", x, high);
}

HybValueId
onnx_leaky (HybLowering *lowering, HybValueId x, const char *kind, double slope)
{
  return hyb_lowering_emit (lowering, "LeakyReLU", 1, &x, "act_type", kind, "slope",
                            hyb_lowering_text (lowering, "%.9g", slope), NULL);
}

HybValueId
onnx_where (HybLowering *lowering, HybValueId condition, HybValueId x, HybValueId y)
{
  return hyb_lowering_call (lowering, "_npi_where", 3, (HybValueId[]){ condition, x, y }, NULL);
}

HybValueId
onnx_and (HybLowering *lowering, HybValueId x, HybValueId y)
{
  if (x == HYB_NO_ID || y == HYB_NO_ID)
    return x == HYB_NO_ID ? y : x;
  return hyb_onnx_binary (lowering, "broadcast_logical_and", x, y);
}

/* --- Along axes --- */

HybValueId
onnx_matmul (HybLowering *lowering, HybValueId x, HybValueId y)
{
  return hyb_onnx_binary (lowering, "_npi_matmul", x, y);
}

HybValueId
onnx_reduce (HybLowering *lowering, const char *op, HybValueId x, int axis, gboolean keeps)
{
  return hyb_lowering_emit (lowering, op, 1, &x, "axis", hyb_lowering_text (lowering, "%d", axis),
                            "keepdims", keeps ? "True" : "False", NULL);
}

HybValueId
onnx_take (HybLowering *lowering, HybValueId x, HybValueId indices, int axis)
{
  return hyb_lowering_emit (lowering, "take", 2, (HybValueId[]){ x, indices }, "axis",
                            hyb_lowering_text (lowering, "%d", axis), NULL);
}

HybValueId
onnx_scatter (HybLowering *lowering, HybValueId data, HybValueId positions, HybValueId updates)
{
  HybType type = *hyb_lowering_get_type (lowering, data);

  if (!hyb_shape_is_known (&type.shape) || positions == HYB_NO_ID || updates == HYB_NO_ID)
    return HYB_NO_ID;
  positions = hyb_onnx_reshape (lowering, positions, 2, (gint64[]){ 1, -1 });
  return hyb_lowering_emit (lowering, "_scatter_set_nd", 3,
                            (HybValueId[]){ data, updates, positions }, "shape",
                            hyb_lowering_text_ints (lowering, (guint) type.shape.rank,
                                                    type.shape.dim),
                            NULL);
}

HybValueId
onnx_reverse (HybLowering *lowering, HybValueId x, int axis)
{
  return hyb_lowering_emit (lowering, "reverse", 1, &x, "axis",
                            hyb_lowering_text (lowering, "(%d,)", axis), NULL);
}

HybValueId
onnx_move_axis (HybLowering *lowering, HybValueId x, int rank, int from, int to)
{
  gint64 order[HYB_MAX_RANK + 1];
  int    next = 0;

  if (from == to)
    return x;
  for (int i = 0; i < rank; i++)
    {
      next += next == from;
      order[i] = i == to ? from : next++;
    }
  return hyb_onnx_transpose (lowering, x, (guint) rank, order);
}

HybValueId
onnx_repeat (HybLowering *lowering, HybValueId x, int axis, gint64 n)
{
  if (n == 1)
    return x;
  return hyb_lowering_emit (lowering, "repeat", 1, &x, "repeats",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n), "axis",
                            hyb_lowering_text (lowering, "%d", axis), NULL);
}

HybValueId
onnx_extend (HybLowering *lowering, HybValueId x, int axis, const gint64 *sizes, double number)
{
  HybType    type = *hyb_lowering_get_type (lowering, x);
  HybValueId parts[3];
  guint      n = 0;

  if (axis < 0 || axis >= type.shape.rank)
    return HYB_NO_ID;
  for (int side = 0; side < 2; side++)
    {
      if (side == 1)
        parts[n++] = x;
      if (sizes[side] < 1)
        continue;
      type.shape.dim[axis] = sizes[side];
      parts[n++] = onnx_fill (lowering, &type.shape, type.dtype, number);
    }
  return n == 1 ? x : hyb_onnx_concat (lowering, n, parts, axis);
}

/* --- Sources and shapes --- */

HybValueId
onnx_fill (HybLowering *lowering, const HybShape *shape, HybDType dtype, double number)
{
  HybValueId x = hyb_onnx_scalar (lowering, number, dtype);

  if (!hyb_shape_is_known (shape))
    return HYB_NO_ID;
  return hyb_lowering_emit (lowering, "_npi_broadcast_to", 1, &x, "shape",
                            hyb_lowering_text_ints (lowering, (guint) shape->rank, shape->dim),
                            NULL);
}

HybValueId
onnx_flatten (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_reshape (lowering, x, 1, (gint64[]){ -1 });
}

HybValueId
onnx_count (HybLowering *lowering, gint64 n, int axis, int rank)
{
  HybType    type = { .shape.rank = rank, .dtype = HYB_I64 };
  HybTensor *tensor;

  if (n < 0 || n > MAX_COUNT)
    return HYB_NO_ID;
  for (int i = 0; i < rank; i++)
    type.shape.dim[i] = i == axis ? n : 1;
  tensor = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; tensor && i < n; i++)
    ((gint64 *) hyb_tensor_get_data (tensor))[i] = i;
  return hyb_lowering_constant (lowering, tensor);
}

HybValueId
onnx_reshape_to (HybLowering *lowering, HybValueId x, const HybShape *shape)
{
  return hyb_shape_is_known (shape)
             ? hyb_onnx_reshape (lowering, x, (guint) shape->rank, shape->dim)
             : HYB_NO_ID;
}

gint64
onnx_size (const HybLowering *lowering, HybValueId x, int axis)
{
  const HybShape *shape = x == HYB_NO_ID ? NULL : &hyb_lowering_get_type (lowering, x)->shape;

  return shape && axis >= 0 && axis < shape->rank ? shape->dim[axis] : HYB_UNKNOWN;
}

HybValueId
onnx_optional (HybLowering *lowering, guint index)
{
  return hyb_onnx_has_input (lowering, index) ? hyb_onnx_input (lowering, index) : HYB_NO_ID;
}
