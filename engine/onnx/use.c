/* use.c — reads the node that is being lowered: inputs as the specification counts them, and attributes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"
#include "engine/onnx/reader.h"

#include <string.h>

void
hyb_onnx_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  const HybOnnxUse *use = params;

  *n_inputs = use->n_inputs;
  *n_outputs = use->n_outputs;
}

const char *
hyb_onnx_value_name (gconstpointer params, guint index)
{
  const HybOnnxUse *use = params;

  return use->output_names[index];
}

const char *
hyb_onnx_input_name (gconstpointer params, guint index)
{
  const HybOnnxUse  *use = params;
  const char *const *names = use->row ? use->row->op.inputs : NULL;
  guint              slot = 0;

  while (slot < use->n_slots && use->slots[slot] != (int) index)
    slot++;
  if (!names || slot == use->n_slots)
    return NULL;
  for (guint i = 0; names[i]; i++)
    if (i == slot) /* the last name may cover many inputs, which are numbered */
      return names[i + 1] || use->n_slots <= i + 1 ? names[i] : NULL;
  return NULL;
}

gboolean
hyb_onnx_declared_type_of (gconstpointer params, guint index, HybType *type)
{
  const HybOnnxUse *use = params;

  if (!use->declared[index])
    return FALSE;
  *type = hyb_onnx_declared_type (use->declared[index]);
  return TRUE;
}

gboolean
hyb_onnx_is_default (gconstpointer params, const char *name, const char *value)
{
  const HybOnnxUse *use = params;
  g_autofree char  *text = use->schema ? hyb_onnx_schema_dup_default (use->schema, name) : NULL;

  return text && strcmp (text, value) == 0;
}

/* --- Bodies --- */

guint
hyb_onnx_body_variable (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  const HybOnnxUse *use = params;
  guint             captured, input = G_MAXUINT;
  HybPortKind       port;

  if (variable >= use->n_variables[body])
    return G_MAXUINT;
  captured = use->body_inputs[body][variable];
  if (captured == G_MAXUINT && use->row && use->row->formal_input)
    input = use->row->formal_input (use, variable, &port);
  if (captured == G_MAXUINT && input < use->n_slots && use->slots[input] >= 0)
    captured = (guint) use->slots[input];
  return captured;
}

HybPortKind
hyb_onnx_body_port (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  const HybOnnxUse *use = params;
  HybPortKind       port = HYB_PORT_VALUE;

  if (variable < use->n_variables[body] && use->body_inputs[body][variable] != G_MAXUINT)
    return HYB_PORT_CAPTURED;
  if (use->row && use->row->formal_input)
    use->row->formal_input (use, variable, &port);
  return port;
}

guint
hyb_onnx_no_head (gconstpointer params, guint body, guint head)
{
  return G_MAXUINT;
}

/* --- Inputs --- */

const HybOnnxUse *
hyb_onnx_use (const HybLowering *lowering)
{
  return hyb_lowering_get_node (lowering)->params;
}

gint64
hyb_onnx_opset (const HybLowering *lowering)
{
  return hyb_onnx_use (lowering)->opset;
}

guint
hyb_onnx_n_inputs (const HybLowering *lowering)
{
  return hyb_onnx_use (lowering)->n_slots;
}

gboolean
hyb_onnx_has_input (const HybLowering *lowering, guint index)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  return index < use->n_slots && use->slots[index] >= 0;
}

const HybType *
hyb_onnx_type (const HybLowering *lowering, guint index)
{
  static const HybType unknown = { .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN };

  return hyb_onnx_has_input (lowering, index)
             ? hyb_lowering_input_type (lowering, (guint) hyb_onnx_use (lowering)->slots[index])
             : &unknown;
}

HybTensor *
hyb_onnx_contents (const HybLowering *lowering, guint index)
{
  return hyb_onnx_has_input (lowering, index)
             ? hyb_lowering_input_contents (lowering, (guint) hyb_onnx_use (lowering)->slots[index])
             : NULL;
}

HybValueId
hyb_onnx_input (HybLowering *lowering, guint index)
{
  if (hyb_onnx_has_input (lowering, index))
    return hyb_lowering_input (lowering, (guint) hyb_onnx_use (lowering)->slots[index]);
  hyb_lowering_fail (lowering, NULL, "input %u is required but left out", index);
  return HYB_NO_ID;
}

gboolean
hyb_onnx_input_ints (HybLowering *lowering, guint index, guint *n, gint64 values[HYB_MAX_RANK])
{
  HybTensor *contents = hyb_onnx_contents (lowering, index);

  *n = 0;
  if (!hyb_onnx_has_input (lowering, index))
    return FALSE;
  if (!contents)
    {
      hyb_lowering_fail (lowering, NULL,
                         "the contents of input %u are only known while the model runs", index);
      return FALSE;
    }
  if (hyb_tensor_get_size (contents) > HYB_MAX_RANK)
    {
      hyb_lowering_fail (lowering, NULL,
                         "input %u has %" G_GINT64_FORMAT " elements; at most %u can be used",
                         index, hyb_tensor_get_size (contents), HYB_MAX_RANK);
      return FALSE;
    }
  *n = (guint) hyb_tensor_get_size (contents);
  for (guint i = 0; i < *n; i++)
    values[i] =
        hyb_dtype_get_int (hyb_tensor_get_data (contents), hyb_tensor_get_dtype (contents), i);
  return TRUE;
}

double
hyb_onnx_input_double (HybLowering *lowering, guint index, double fallback)
{
  HybTensor *contents = hyb_onnx_contents (lowering, index);

  if (!hyb_onnx_has_input (lowering, index))
    return fallback;
  if (contents && hyb_tensor_get_size (contents) == 1)
    return hyb_tensor_get_value (contents, 0);
  if (contents)
    hyb_lowering_fail (lowering, NULL, "input %u has %" G_GINT64_FORMAT " elements instead of one",
                       index, hyb_tensor_get_size (contents));
  else
    hyb_lowering_fail (lowering, NULL,
                       "the contents of input %u are only known while the model runs", index);
  return fallback;
}

/* --- Attributes --- */

const HybOnnxAttribute *
hyb_onnx_attribute (const HybLowering *lowering, const char *name)
{
  const HybOnnxNode *node = hyb_onnx_use (lowering)->node;

  for (guint i = 0; i < node->n_attributes; i++)
    if (strcmp (node->attributes[i].name, name) == 0)
      return &node->attributes[i];
  return NULL;
}

/* The attribute if it has this kind; a failure if it has another one. */
static const HybOnnxAttribute *
attribute_of_kind (HybLowering *lowering, const char *name, HybOnnxAttributeKind kind)
{
  const HybOnnxAttribute *attribute = hyb_onnx_attribute (lowering, name);

  if (!attribute || attribute->kind == kind)
    return attribute;
  hyb_lowering_fail (lowering, NULL, "the attribute %s is of type %u instead of %u", name,
                     attribute->kind, kind);
  return NULL;
}

gint64
hyb_onnx_int (HybLowering *lowering, const char *name, gint64 fallback)
{
  const HybOnnxAttribute *attribute = attribute_of_kind (lowering, name, HYB_ONNX_ATTRIBUTE_INT);

  return attribute ? attribute->i : fallback;
}

double
hyb_onnx_float (HybLowering *lowering, const char *name, double fallback)
{
  const HybOnnxAttribute *attribute = attribute_of_kind (lowering, name, HYB_ONNX_ATTRIBUTE_FLOAT);

  return attribute ? attribute->f : fallback;
}

const char *
hyb_onnx_string (HybLowering *lowering, const char *name, const char *fallback)
{
  const HybOnnxAttribute *attribute = attribute_of_kind (lowering, name, HYB_ONNX_ATTRIBUTE_STRING);

  return attribute ? hyb_lowering_text (lowering, "%.*s", (int) MIN (attribute->s.length, 256),
                                        (const char *) attribute->s.data)
                   : fallback;
}

gboolean
hyb_onnx_ints (HybLowering *lowering, const char *name, guint *n, const gint64 **values)
{
  const HybOnnxAttribute *attribute = attribute_of_kind (lowering, name, HYB_ONNX_ATTRIBUTE_INTS);

  *n = attribute ? attribute->n : 0;
  *values = attribute ? attribute->ints : NULL;
  return attribute != NULL;
}

gboolean
hyb_onnx_floats (HybLowering *lowering, const char *name, guint *n, const double **values)
{
  const HybOnnxAttribute *attribute = attribute_of_kind (lowering, name, HYB_ONNX_ATTRIBUTE_FLOATS);

  *n = attribute ? attribute->n : 0;
  *values = attribute ? attribute->floats : NULL;
  return attribute != NULL;
}
