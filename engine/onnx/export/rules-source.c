/* rules-source.c — arrays that depend on nothing or only on a shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include "engine/ops/array/constant.h"

#include <math.h>

static void
write_constant (OnnxExport *export)
{
  const HybNode *node = onnx_node (export);
  HybTensor     *contents = hyb_constant_get_contents (node->op, node->params);

  onnx_set_output (export, 0, onnx_tensor (export, node->name, hyb_tensor_ref (contents)));
}

/* A number everywhere. */
static void
fill (OnnxExport *export, double number)
{
  HybType type = onnx_output_type (export, 0);

  if (hyb_shape_is_known (&type.shape))
    {
      HybTensor *tensor = hyb_tensor_new_zeros (&type, NULL);

      for (gint64 i = 0; tensor && number != 0 && i < hyb_tensor_get_size (tensor); i++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) i, number);
      onnx_set_output (export, 0, onnx_tensor (export, onnx_node (export)->name, tensor));
      return;
    }
  onnx_set_output (export,
                   0,
                   onnx_binary (export,
                                "Expand",
                                onnx_number (export, number, type.dtype),
                                onnx_output_shape (export, 0)));
}

static void
write_filled (OnnxExport *export)
{
  fill (export, onnx_param_double (export, "value", onnx_rule (export)->number));
}

/* The same, in the shape of the input. */
static void
write_filled_like (OnnxExport *export)
{
  fill (export, onnx_rule (export)->number);
}

static void
write_arange (OnnxExport *export)
{
  HybType type = onnx_output_type (export, 0);
  double  stop = onnx_param_double (export, "stop", NAN);
  /* With one number, that is the end. */
  double     start = isnan (stop) ? 0 : onnx_param_double (export, "start", 0);
  double     step = onnx_param_double (export, "step", 1);
  gint64     repeat = MAX (onnx_param_int (export, "repeat", 1), 1);
  HybTensor *tensor;

  if (!hyb_shape_is_known (&type.shape))
    {
      onnx_fail (export, "the number of its elements follows from an open size");
      return;
    }
  tensor = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          type.dtype,
                          (gsize) i,
                          start + (double) (i / repeat) * step);
  onnx_set_output (export, 0, onnx_tensor (export, onnx_node (export)->name, tensor));
}

const HybOnnxRule hyb_onnx_rules_source[] = {
  { .op = "_constant", .write = write_constant },
  { .op = "_zeros", .write = write_filled, .is_fill = TRUE },
  { .op = "_zeros_without_dtype", .write = write_filled, .is_fill = TRUE },
  { .op = "_npi_zeros", .write = write_filled, .is_fill = TRUE },
  { .op = "_ones", .write = write_filled, .is_fill = TRUE, .number = 1 },
  { .op = "_npi_ones", .write = write_filled, .is_fill = TRUE, .number = 1 },
  { .op = "_full", .write = write_filled, .is_fill = TRUE },
  { .op = "_npi_full", .write = write_filled, .is_fill = TRUE },
  { .op = "zeros_like", .write = write_filled_like, .is_fill = TRUE },
  { .op = "ones_like", .write = write_filled_like, .is_fill = TRUE, .number = 1 },
  { .op = "_arange", .write = write_arange },
  { .op = "_npi_arange", .write = write_arange },
  { .op = NULL },
};
