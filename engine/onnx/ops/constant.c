/* constant.c — Constant, whose output is written in the file, and Identity.
 *
 * The output of a Constant is an attribute, of which it has one out of several forms.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

#include <string.h>

static HybTensor *
new_tensor (HybDType dtype, gboolean is_list, guint n)
{
  HybType type = { .dtype = dtype };

  if (is_list)
    type.shape = hyb_shape_1d (n);
  return hyb_tensor_new (&type, NULL);
}

static HybTensor *
from_ints (const gint64 *values, gboolean is_list, guint n)
{
  HybTensor *tensor = new_tensor (HYB_I64, is_list, n);

  if (tensor && n > 0)
    memcpy (hyb_tensor_get_data (tensor), values, n * sizeof *values);
  return tensor;
}

static HybTensor *
from_floats (const double *values, gboolean is_list, guint n)
{
  HybTensor *tensor = new_tensor (HYB_F32, is_list, n);

  for (guint i = 0; tensor && i < n; i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = (float) values[i];
  return tensor;
}

static HybTensor *
read_attribute (OnnxReader *reader, const HybOnnxAttribute *attribute, GError **error)
{
  switch (attribute->kind)
    {
    case HYB_ONNX_ATTRIBUTE_TENSOR:
      return hyb_onnx_load_tensor (reader, attribute->tensor, error);
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR:
      return hyb_onnx_load_sparse (reader, attribute->sparse, error);
    case HYB_ONNX_ATTRIBUTE_INT:
      return from_ints (&attribute->i, FALSE, 1);
    case HYB_ONNX_ATTRIBUTE_INTS:
      return from_ints (attribute->ints, TRUE, attribute->n);
    case HYB_ONNX_ATTRIBUTE_FLOAT:
      return from_floats (&attribute->f, FALSE, 1);
    case HYB_ONNX_ATTRIBUTE_FLOATS:
      return from_floats (attribute->floats, TRUE, attribute->n);
    case HYB_ONNX_ATTRIBUTE_NONE:
    case HYB_ONNX_ATTRIBUTE_STRING:
    case HYB_ONNX_ATTRIBUTE_GRAPH:
    case HYB_ONNX_ATTRIBUTE_STRINGS:
    case HYB_ONNX_ATTRIBUTE_TENSORS:
    case HYB_ONNX_ATTRIBUTE_GRAPHS:
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS:
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTO:
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTOS:
      break;
    }
  return NULL;
}

HybTensor *
hyb_onnx_literal (OnnxReader *reader, const HybOnnxNode *node)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (g_str_has_prefix (node->attributes[i].name, "value") ||
        g_str_has_prefix (node->attributes[i].name, "sparse_value"))
      return read_attribute (reader, &node->attributes[i], NULL);
  return NULL;
}

static void
lower_constant (HybLowering *lowering)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  if (use->literal)
    hyb_lowering_set_output (lowering, 0,
                             hyb_lowering_constant (lowering, hyb_tensor_ref (use->literal)));
  else
    hyb_lowering_fail (lowering, NULL, "its value has a type that this program does not support");
}

static const char *const no_inputs[] = { NULL };
static const char *const outputs[] = { "output", NULL };

const HybOnnxOp hyb_onnx_ops_constant[] = {
  { .op = { .flags = HYB_OP_FOREIGN | HYB_OP_LITERAL,
            .arity = hyb_onnx_arity,
            .value_name = hyb_onnx_value_name,
            .declared_type = hyb_onnx_declared_type_of,
            .check_use = hyb_onnx_check_use,
            .origin = hyb_onnx_origin,
            .compute = hyb_onnx_compute,
            .name = "Constant",
            .doc = "An array that is written in the file.",
            .category = HYB_CATEGORY_DATA,
            .inputs = no_inputs,
            .outputs = outputs,
            .lower = lower_constant },
    .since = 1,
    .has_value = TRUE },
  { .since = 0 },
};
