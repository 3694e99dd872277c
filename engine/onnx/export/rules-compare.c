/* rules-compare.c — comparisons, truth values and choices between elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include "engine/ops/numpy/operand-types.h"

#include <math.h>
#include <string.h>

/* The operator on these values; “Not” and a comparison for comparisons that ONNX lacks. */
static OnnxValue
compare (OnnxExport *export, OnnxValue x, OnnxValue y)
{
  const char *op = onnx_rule (export)->onnx;
  gboolean    is_late = g_str_has_suffix (op, "OrEqual");

  if (strcmp (op, "NotEqual") == 0)
    return onnx_unary (export, "Not", onnx_binary (export, "Equal", x, y));
  if (is_late && onnx_opset (export) < 12)
    return onnx_unary (export, "Not",
                       onnx_binary (export, op[0] == 'L' ? "Greater" : "Less", x, y));
  return onnx_binary (export, op, x, y);
}

static void
set_truth (OnnxExport *export, OnnxValue truth)
{
  onnx_set_output (export, 0,
                   onnx_cast (export, truth, HYB_BOOL, onnx_output_type (export, 0).dtype));
}

/* A type that holds the values of both; truth values are compared as numbers. */
static HybDType
common_type (HybDType a, HybDType b)
{
  HybDType common = hyb_dtype_common (a, b);

  return common == HYB_BOOL || common == HYB_DTYPE_UNKNOWN ? HYB_I32 : common;
}

/* Before version 9, Less and Greater compared floats alone. */
static HybDType
compared_type (OnnxExport *export, HybDType dtype)
{
  return onnx_opset (export) < 9 && !hyb_dtype_is_float (dtype) ? HYB_F32 : dtype;
}

static void
write_comparison (OnnxExport *export)
{
  HybDType  a = onnx_input_type (export, 0).dtype, b = onnx_input_type (export, 1).dtype;
  HybDType  common = compared_type (export, common_type (a, b));
  OnnxValue x = onnx_cast (export, onnx_input (export, 0), a, common);
  OnnxValue y = onnx_cast (export, onnx_input (export, 1), b, common);

  set_truth (export, compare (export, x, y));
}

/* A fraction is compared with integers as a double. */
static void
write_comparison_scalar (OnnxExport *export)
{
  HybDType  dtype = onnx_input_type (export, 0).dtype;
  double    scalar = onnx_param_double (export, "scalar", 0);
  HybDType  own = hyb_dtype_is_float (dtype) ? dtype : floor (scalar) == scalar ? HYB_I64 : HYB_F64;
  HybDType  common = compared_type (export, own);
  OnnxValue x = onnx_cast (export, onnx_input (export, 0), dtype, common);
  OnnxValue number = onnx_param_varies (export, "scalar")
                         ? onnx_cast (export, onnx_param_size (export, "scalar"), HYB_I64, common)
                         : onnx_number (export, scalar, common);

  set_truth (export, compare (export, x, number));
}

static OnnxValue
truth_of (OnnxExport *export, guint index)
{
  return onnx_cast (export, onnx_input (export, index), onnx_input_type (export, index).dtype,
                    HYB_BOOL);
}

static void
write_logical (OnnxExport *export)
{
  set_truth (export, onnx_binary (export, onnx_rule (export)->onnx, truth_of (export, 0),
                                  truth_of (export, 1)));
}

static void
write_not (OnnxExport *export)
{
  set_truth (export, onnx_unary (export, "Not", truth_of (export, 0)));
}

/* A condition of one axis chooses whole rows of larger arrays under MXNet's legacy rules. */
static OnnxValue
condition (OnnxExport *export)
{
  int       rank = onnx_input_type (export, 1).shape.rank;
  gint64    dims[HYB_MAX_RANK];
  OnnxValue truth = truth_of (export, 0);

  if (onnx_rule (export)->number == 0 || onnx_input_type (export, 0).shape.rank != 1 || rank < 2)
    return truth;
  for (int i = 0; i < rank; i++)
    dims[i] = i == 0 ? -1 : 1;
  return onnx_reshape (export, truth, (guint) rank, dims);
}

static void
write_where (OnnxExport *export)
{
  OnnxValue inputs[] = { condition (export), onnx_input (export, 1), onnx_input (export, 2) };

  for (guint i = 1; i < 3; i++)
    inputs[i] = onnx_cast (export, inputs[i], onnx_input_type (export, i).dtype,
                           onnx_output_type (export, 0).dtype);
  onnx_set_output (export, 0, onnx_emit (export, "Where", 3, inputs, NULL));
}

#define COMPARISON(op_, onnx_)                              \
  {                                                         \
    .op = (op_), .write = write_comparison, .onnx = (onnx_) \
  }
#define COMPARISON_SCALAR(op_, onnx_)                                                   \
  {                                                                                     \
    .op = (op_), .write = write_comparison_scalar, .onnx = (onnx_), .varying = "scalar" \
  }
#define LOGICAL(op_, onnx_)                              \
  {                                                      \
    .op = (op_), .write = write_logical, .onnx = (onnx_) \
  }

const HybOnnxRule hyb_onnx_rules_compare[] = {
  COMPARISON ("broadcast_equal", "Equal"),
  COMPARISON ("broadcast_not_equal", "NotEqual"),
  COMPARISON ("broadcast_greater", "Greater"),
  COMPARISON ("broadcast_greater_equal", "GreaterOrEqual"),
  COMPARISON ("broadcast_lesser", "Less"),
  COMPARISON ("broadcast_lesser_equal", "LessOrEqual"),
  COMPARISON ("_equal", "Equal"),
  COMPARISON ("_not_equal", "NotEqual"),
  COMPARISON ("_greater", "Greater"),
  COMPARISON ("_greater_equal", "GreaterOrEqual"),
  COMPARISON ("_lesser", "Less"),
  COMPARISON ("_lesser_equal", "LessOrEqual"),
  COMPARISON ("_npi_equal", "Equal"),
  COMPARISON ("_npi_not_equal", "NotEqual"),
  COMPARISON ("_npi_greater", "Greater"),
  COMPARISON ("_npi_greater_equal", "GreaterOrEqual"),
  COMPARISON ("_npi_less", "Less"),
  COMPARISON ("_npi_less_equal", "LessOrEqual"),
  COMPARISON_SCALAR ("_equal_scalar", "Equal"),
  COMPARISON_SCALAR ("_not_equal_scalar", "NotEqual"),
  COMPARISON_SCALAR ("_greater_scalar", "Greater"),
  COMPARISON_SCALAR ("_greater_equal_scalar", "GreaterOrEqual"),
  COMPARISON_SCALAR ("_lesser_scalar", "Less"),
  COMPARISON_SCALAR ("_lesser_equal_scalar", "LessOrEqual"),
  COMPARISON_SCALAR ("_npi_equal_scalar", "Equal"),
  COMPARISON_SCALAR ("_npi_not_equal_scalar", "NotEqual"),
  COMPARISON_SCALAR ("_npi_greater_scalar", "Greater"),
  COMPARISON_SCALAR ("_npi_greater_equal_scalar", "GreaterOrEqual"),
  COMPARISON_SCALAR ("_npi_less_scalar", "Less"),
  COMPARISON_SCALAR ("_npi_less_equal_scalar", "LessOrEqual"),
  LOGICAL ("broadcast_logical_and", "And"),
  LOGICAL ("broadcast_logical_or", "Or"),
  LOGICAL ("broadcast_logical_xor", "Xor"),
  LOGICAL ("_npi_logical_and", "And"),
  LOGICAL ("_npi_logical_or", "Or"),
  LOGICAL ("_npi_logical_xor", "Xor"),
  { .op = "logical_not", .write = write_not },
  { .op = "_npi_logical_not", .write = write_not },
  { .op = "where", .write = write_where, .number = 1 },
  { .op = "_npi_where", .write = write_where },
  { .op = NULL },
};
