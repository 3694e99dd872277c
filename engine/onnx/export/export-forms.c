/* export-forms.c — nodes that many rules write, in the form of the file's operator set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

OnnxValue
onnx_cast (OnnxExport *export, OnnxValue x, HybDType from, HybDType to)
{
  if (from == to)
    return x;
  return onnx_emit (export, "Cast", 1, &x, ONNX_ATTRIBUTES (ONNX_INT ("to", onnx_dtype (to))));
}

OnnxValue
onnx_with_axes (OnnxExport *export, OnnxValue x, const OnnxAxes *axes)
{
  OnnxAttribute        own[4] = { { .name = NULL } };
  const OnnxAttribute *attribute = axes->attributes;
  guint                n_own = 0;

  for (; attribute && attribute->name && n_own < 2; attribute++)
    own[n_own++] = *attribute;
  if (onnx_opset (export) >= axes->since)
    return onnx_emit (export, axes->op, 2,
                      (OnnxValue[]){ x, onnx_ints (export, axes->n, axes->axes) }, own);
  own[n_own] = (OnnxAttribute) ONNX_INTS ("axes", axes->n, axes->axes);
  return onnx_emit (export, axes->op, 1, &x, own);
}

OnnxValue
onnx_unsqueeze (OnnxExport *export, OnnxValue x, gint64 axis)
{
  return onnx_with_axes (export, x, &(OnnxAxes){ "Unsqueeze", 13, 1, &axis, NULL });
}

OnnxValue
onnx_squeeze (OnnxExport *export, OnnxValue x, gint64 axis)
{
  return onnx_with_axes (export, x, &(OnnxAxes){ "Squeeze", 13, 1, &axis, NULL });
}

OnnxValue
onnx_slices (OnnxExport *export, OnnxValue x, const OnnxSlices *slices)
{
  guint     n = slices->n;
  OnnxValue inputs[5] = { x };

  if (onnx_opset (export) < 10)
    {
      if (slices->steps)
        onnx_fail (export, "slices with steps need version 10 of the operators");
      return onnx_emit (export, "Slice", 1, &x,
                        ONNX_ATTRIBUTES (ONNX_INTS ("axes", n, slices->axes),
                                         ONNX_INTS ("starts", n, slices->begins),
                                         ONNX_INTS ("ends", n, slices->ends)));
    }
  inputs[1] = onnx_ints (export, n, slices->begins);
  inputs[2] = onnx_ints (export, n, slices->ends);
  inputs[3] = onnx_ints (export, n, slices->axes);
  inputs[4] = slices->steps ? onnx_ints (export, n, slices->steps) : ONNX_NONE;
  return onnx_emit (export, "Slice", 5, inputs, NULL);
}

OnnxValue
onnx_reversed (OnnxExport *export, OnnxValue x, gint64 axis, gint64 size)
{
  gint64     last = -1, begin = G_MININT64;
  HybType    type = { hyb_shape_1d (size), HYB_I64 };
  HybTensor *order;

  if (onnx_opset (export) >= 10)
    return onnx_slices (export, x, &(OnnxSlices){ 1, &axis, &last, &begin, &last });
  if (size < 0)
    {
      onnx_fail (export,
                 "the order of an open number of elements cannot be reversed before version 10");
      return ONNX_NONE;
    }
  order = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; order && i < size; i++)
    ((gint64 *) hyb_tensor_get_data (order))[i] = size - 1 - i;
  return onnx_emit (export, "Gather", 2,
                    (OnnxValue[]){ x, onnx_tensor (export, "reversed", order) },
                    ONNX_ATTRIBUTES (ONNX_INT ("axis", axis)));
}

OnnxValue
onnx_slice (OnnxExport *export, OnnxValue x, gint64 axis, gint64 begin, gint64 end)
{
  return onnx_slices (export, x, &(OnnxSlices){ 1, &axis, &begin, &end, NULL });
}

OnnxValue
onnx_transpose (OnnxExport *export, OnnxValue x, guint rank, const gint64 *axes)
{
  return onnx_emit (export, "Transpose", 1, &x, ONNX_ATTRIBUTES (ONNX_INTS ("perm", rank, axes)));
}

OnnxValue
onnx_reshape (OnnxExport *export, OnnxValue x, guint rank, const gint64 *dims)
{
  return onnx_binary (export, "Reshape", x, onnx_ints (export, rank, dims));
}

OnnxValue
onnx_split (OnnxExport *export, OnnxValue x, gint64 axis, guint n, const gint64 *sizes)
{
  OnnxValue inputs[] = { x, ONNX_NONE };

  if (onnx_opset (export) < 13)
    return onnx_emit_many (export,
                           &(OnnxEmission){ "Split", 1, inputs, n,
                                            ONNX_ATTRIBUTES (ONNX_INT ("axis", axis),
                                                             ONNX_INTS ("split", n, sizes)) });
  inputs[1] = onnx_ints (export, n, sizes);
  return onnx_emit_many (export, &(OnnxEmission){ "Split", 2, inputs, n,
                                                  ONNX_ATTRIBUTES (ONNX_INT ("axis", axis)) });
}

OnnxValue
onnx_concat (OnnxExport *export, guint n, const OnnxValue *parts, gint64 axis)
{
  return onnx_emit (export, "Concat", n, parts, ONNX_ATTRIBUTES (ONNX_INT ("axis", axis)));
}

/* --- Shapes --- */

OnnxValue
onnx_input_size (OnnxExport *export, guint index, gint64 axis)
{
  HybType type = onnx_input_type (export, index);

  if (type.shape.dim[axis] >= 0)
    return onnx_ints (export, 1, &type.shape.dim[axis]);
  return onnx_slice (export, onnx_unary (export, "Shape", onnx_input (export, index)), 0, axis,
                     axis + 1);
}

OnnxValue
onnx_param_size (OnnxExport *export, const char *name)
{
  double    numbers[2];
  gint64    fixed;
  guint     axis = 0;
  OnnxValue of;

  onnx_param_numbers (export, name, numbers);
  fixed = (gint64) numbers[0];
  if (numbers[0] == numbers[1])
    return onnx_ints (export, 1, &fixed);
  of = onnx_find_size (export, numbers, &axis);
  if (of == ONNX_NONE)
    onnx_fail (export, "its %s follows from an open size in a way that cannot be written", name);
  return onnx_slice (export, onnx_unary (export, "Shape", of), 0, axis, axis + 1);
}

OnnxValue
onnx_output_shape (OnnxExport *export, guint index)
{
  HybType   type = onnx_output_type (export, index);
  guint     rank = (guint) MAX (type.shape.rank, 0);
  OnnxValue parts[HYB_MAX_RANK];

  if (hyb_shape_is_known (&type.shape))
    return onnx_ints (export, rank, type.shape.dim);
  for (guint i = 0; i < rank; i++)
    {
      OnnxValue of;
      guint     axis;

      if (type.shape.dim[i] >= 0)
        parts[i] = onnx_ints (export, 1, &type.shape.dim[i]);
      else if (onnx_find_dim (export, index, i, &of, &axis))
        parts[i] = onnx_slice (export, onnx_unary (export, "Shape", of), 0, axis, axis + 1);
      else
        {
          onnx_fail (export,
                     "dimension %u of its output follows from an open size in a way that cannot be "
                     "written; fix the size",
                     i);
          return ONNX_NONE;
        }
    }
  return onnx_concat (export, rank, parts, 0);
}
