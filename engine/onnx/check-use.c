/* check-use.c — refuses nodes whose element types or form their operator has not in this version.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/onnx/onnx-op.h"

static void
check_types (HybLowering *lowering)
{
  const HybOnnxUse    *use = hyb_onnx_use (lowering);
  const HybOnnxNode   *node = use->node;
  g_autofree HybDType *dtypes = g_new (HybDType, MAX (node->n_inputs, 1));
  g_autofree char     *text = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    dtypes[i] = hyb_onnx_type (lowering, i)->dtype;
  text = use->schema ? hyb_onnx_schema_check_types (use->schema, node, dtypes) : NULL;
  if (text)
    hyb_lowering_refuse (lowering, HYB_OP_ERROR_DTYPE, "A Cast before it is missing", text);
}

static void
check_form (HybLowering *lowering)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);
  g_autofree char  *text = NULL;

  if (!use->is_misused || hyb_lowering_is_tolerant (lowering))
    return;
  text = g_strdup_printf ("%s has no such form in operator set %" G_GINT64_FORMAT
                          ", and the meaning of another form is not certain",
                          use->node->op_type, use->opset);
  hyb_lowering_refuse (lowering, HYB_OP_ERROR_ATTRIBUTE,
                       "hscope check lists the inputs that do not fit", text);
}

void
hyb_onnx_check_use (HybLowering *lowering)
{
  check_form (lowering);
  check_types (lowering);
}
