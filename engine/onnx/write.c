/* write.c — nodes that lower() of many operators writes: constants, reshapes, transpositions, casts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

int
hyb_onnx_axis (HybLowering *lowering, gint64 axis, int rank)
{
  if (rank >= 0 && axis >= -rank && axis < rank)
    return (int) (axis < 0 ? axis + rank : axis);
  if (rank < 0)
    hyb_lowering_fail (lowering, NULL, "the rank of its input is not known");
  else
    hyb_lowering_fail (lowering, NULL,
                       "axis %" G_GINT64_FORMAT " is outside an input of %d dimension%s", axis,
                       rank, rank == 1 ? "" : "s");
  return -1;
}

HybValueId
hyb_onnx_scalar (HybLowering *lowering, double value, HybDType dtype)
{
  HybType    type = { .shape.rank = 0, .dtype = dtype };
  HybTensor *tensor = dtype == HYB_DTYPE_UNKNOWN ? NULL : hyb_tensor_new (&type, NULL);

  if (tensor)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, 0, value);
  return hyb_lowering_constant (lowering, tensor);
}

HybValueId
hyb_onnx_int64s (HybLowering *lowering, guint n, const gint64 *values)
{
  HybType    type = { .shape = hyb_shape_1d (n), .dtype = HYB_I64 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (guint i = 0; tensor && i < n; i++)
    ((gint64 *) hyb_tensor_get_data (tensor))[i] = values[i];
  return hyb_lowering_constant (lowering, tensor);
}

HybValueId
hyb_onnx_unary (HybLowering *lowering, const char *op, HybValueId x)
{
  return hyb_lowering_call (lowering, op, 1, &x, NULL);
}

HybValueId
hyb_onnx_binary (HybLowering *lowering, const char *op, HybValueId x, HybValueId y)
{
  return hyb_lowering_call (lowering, op, 2, (HybValueId[]){ x, y }, NULL);
}

HybValueId
hyb_onnx_reshape (HybLowering *lowering, HybValueId x, guint rank, const gint64 *dims)
{
  return hyb_lowering_emit (lowering, "_np_reshape", 1, &x, "newshape",
                            hyb_lowering_text_ints (lowering, rank, dims), NULL);
}

HybValueId
hyb_onnx_transpose (HybLowering *lowering, HybValueId x, guint rank, const gint64 *axes)
{
  return hyb_lowering_emit (lowering, "transpose", 1, &x, "axes",
                            hyb_lowering_text_ints (lowering, rank, axes), NULL);
}

HybValueId
hyb_onnx_cast (HybLowering *lowering, HybValueId x, HybDType dtype)
{
  if (hyb_lowering_get_type (lowering, x)->dtype == dtype)
    return x;
  return hyb_lowering_emit (lowering, "Cast", 1, &x, "dtype", hyb_dtype_name (dtype), NULL);
}

const char *
hyb_onnx_engine (const HybLowering *lowering)
{
  return hyb_onnx_use (lowering)->row->engine;
}

void
hyb_onnx_lower_same (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering);
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    inputs[i] = hyb_onnx_input (lowering, i);
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_call (lowering, hyb_onnx_engine (lowering), n, inputs,
                                              NULL));
}

HybValueId
hyb_onnx_with_scalar (HybLowering *lowering, const char *op, HybValueId x, double scalar)
{
  return hyb_lowering_emit (lowering, op, 1, &x, "scalar",
                            hyb_lowering_text (lowering, "%.17g", scalar), NULL);
}

HybValueId
hyb_onnx_slice (HybLowering *lowering, HybValueId x, int axis, gint64 begin, gint64 end)
{
  HybType type = *hyb_lowering_get_type (lowering, x);

  /* The engine's slice_axis refuses to select nothing, as in MXNet. */
  if (begin == end && axis >= 0 && axis < type.shape.rank && hyb_type_is_known (&type))
    {
      type.shape.dim[axis] = 0;
      return hyb_lowering_constant (lowering, hyb_tensor_new (&type, NULL));
    }
  return hyb_lowering_emit (lowering, "slice_axis", 1, &x, "axis",
                            hyb_lowering_text (lowering, "%d", axis), "begin",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, begin), "end",
                            end == G_MAXINT64
                                ? "None"
                                : hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, end),
                            NULL);
}

HybValueId
hyb_onnx_concat (HybLowering *lowering, guint n, const HybValueId *parts, int axis)
{
  return hyb_lowering_emit (lowering, "_npi_concatenate", n, parts, "num_args",
                            hyb_lowering_text (lowering, "%u", n), "axis",
                            hyb_lowering_text (lowering, "%d", axis), NULL);
}

void
hyb_onnx_set_rank (HybLowering *lowering, guint index, HybDType dtype, int rank)
{
  HybType type = { .shape.rank = HYB_UNKNOWN, .dtype = dtype };

  if (rank >= 0 && rank <= HYB_MAX_RANK)
    type.shape = hyb_shape_make (rank, NULL);
  hyb_lowering_set_type (lowering, index, &type);
}
