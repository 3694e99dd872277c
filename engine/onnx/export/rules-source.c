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
  onnx_set_output (export, 0,
                   onnx_binary (export, "Expand", onnx_number (export, number, type.dtype),
                                onnx_output_shape (export, 0)));
}

static void
write_filled (OnnxExport *export)
{
  HybDType dtype = onnx_output_type (export, 0).dtype;

  /* A length that planning counted. */
  if (onnx_param_varies (export, "value"))
    {
      onnx_set_output (export, 0,
                       onnx_binary (export, "Expand",
                                    onnx_cast (export, onnx_param_size (export, "value"), HYB_I64,
                                               dtype),
                                    onnx_output_shape (export, 0)));
      return;
    }
  fill (export, onnx_param_double (export, "value", onnx_rule (export)->number));
}

/* The same, in the shape of the input. */
static void
write_filled_like (OnnxExport *export)
{
  fill (export, onnx_rule (export)->number);
}

/* Equally spaced numbers. */
typedef struct
{
  double start, step;
  gint64 repeat; /* how often each comes */
} Numbers;

static HybTensor *
count_numbers (const HybType *type, const Numbers *numbers)
{
  HybTensor *tensor = hyb_tensor_new (type, NULL);

  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i,
                          numbers->start + (double) (i / numbers->repeat) * numbers->step);
  return tensor;
}

/* As many numbers as a dimension of an input has elements. */
static OnnxValue
emit_numbers (OnnxExport *export, HybDType dtype, const Numbers *numbers)
{
  OnnxValue n = onnx_reshape (export, onnx_output_shape (export, 0), 0, NULL);
  OnnxValue x = onnx_emit (export, "Range", 3,
                           (OnnxValue[]){ onnx_number (export, 0, HYB_I64), n,
                                          onnx_number (export, 1, HYB_I64) },
                           NULL);

  x = onnx_cast (export, x, HYB_I64, dtype);
  if (numbers->step != 1)
    x = onnx_binary (export, "Mul", x, onnx_number (export, numbers->step, dtype));
  return numbers->start == 0
             ? x
             : onnx_binary (export, "Add", x, onnx_number (export, numbers->start, dtype));
}

static void
write_arange (OnnxExport *export)
{
  HybType type = onnx_output_type (export, 0);
  double  stop = onnx_param_double (export, "stop", NAN);
  /* With one number, that is the end. */
  Numbers numbers = { .start = isnan (stop) ? 0 : onnx_param_double (export, "start", 0),
                      .step = onnx_param_double (export, "step", 1),
                      .repeat = MAX (onnx_param_int (export, "repeat", 1), 1) };

  if (hyb_shape_is_known (&type.shape))
    onnx_set_output (export, 0,
                     onnx_tensor (export, onnx_node (export)->name,
                                  count_numbers (&type, &numbers)));
  else if (numbers.repeat == 1)
    onnx_set_output (export, 0, emit_numbers (export, type.dtype, &numbers));
  else
    onnx_fail (export, "the number of its elements follows from an open size");
}

const HybOnnxRule hyb_onnx_rules_source[] = {
  { .op = "_constant", .write = write_constant },
  { .op = "_zeros", .write = write_filled, .is_fill = TRUE },
  { .op = "_zeros_without_dtype", .write = write_filled, .is_fill = TRUE },
  { .op = "_npi_zeros", .write = write_filled, .is_fill = TRUE },
  { .op = "_ones", .write = write_filled, .is_fill = TRUE, .number = 1 },
  { .op = "_npi_ones", .write = write_filled, .is_fill = TRUE, .number = 1 },
  { .op = "_full", .write = write_filled, .is_fill = TRUE, .varying = "value" },
  { .op = "_npi_full", .write = write_filled, .is_fill = TRUE, .varying = "value" },
  { .op = "zeros_like", .write = write_filled_like, .is_fill = TRUE },
  { .op = "ones_like", .write = write_filled_like, .is_fill = TRUE, .number = 1 },
  { .op = "_arange", .write = write_arange },
  { .op = "_npi_arange", .write = write_arange },
  { .op = NULL },
};
