/* direct.c — inputs and attributes of operators that compute themselves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/direct.h"

#include "engine/base/error.h"

#include <string.h>

HybTensor *
onnx_direct_input (const HybCall *call, HybTensor *const *inputs, guint slot)
{
  const HybOnnxUse *use = call->params;

  return slot < use->n_slots && use->slots[slot] >= 0 ? inputs[use->slots[slot]] : NULL;
}

double
onnx_direct_number (const HybCall *call, HybTensor *const *inputs, guint slot, double fallback)
{
  HybTensor *tensor = onnx_direct_input (call, inputs, slot);

  return tensor && hyb_tensor_get_size (tensor) == 1 ? hyb_tensor_get_value (tensor, 0) : fallback;
}

const HybOnnxAttribute *
onnx_direct_attribute (const HybCall *call, const char *name, HybOnnxAttributeKind kind)
{
  const HybOnnxNode *node = ((const HybOnnxUse *) call->params)->node;

  for (guint i = 0; i < node->n_attributes; i++)
    if (strcmp (node->attributes[i].name, name) == 0 && node->attributes[i].kind == kind)
      return &node->attributes[i];
  return NULL;
}

gint64
onnx_direct_int (const HybCall *call, const char *name, gint64 fallback)
{
  const HybOnnxAttribute *attribute = onnx_direct_attribute (call, name, HYB_ONNX_ATTRIBUTE_INT);

  return attribute ? attribute->i : fallback;
}

gboolean
onnx_direct_is (const HybCall *call, const char *name, const char *text, const char *fallback)
{
  const HybOnnxAttribute *attribute = onnx_direct_attribute (call, name, HYB_ONNX_ATTRIBUTE_STRING);

  if (!attribute)
    return strcmp (text, fallback) == 0;
  return attribute->s.length == strlen (text) &&
         memcmp (attribute->s.data, text, attribute->s.length) == 0;
}

HybTensor *
onnx_direct_ints (const GArray *values, gint64 n_columns, GError **error)
{
  HybType    type = { hyb_shape_1d (values->len), HYB_I64 };
  HybTensor *tensor;

  if (n_columns > 1)
    type.shape = hyb_shape_2d (values->len / n_columns, n_columns);
  tensor = hyb_tensor_new (&type, error);
  if (tensor && values->len > 0)
    memcpy (hyb_tensor_get_data (tensor), values->data, values->len * sizeof (gint64));
  return tensor;
}

gboolean
onnx_direct_refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL, "%s", what);
}
