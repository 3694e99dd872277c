/* rules-linear.c — products of matrices.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

/* x with its last two axes swapped. */
static OnnxValue
swap_last (OnnxExport *export, OnnxValue x, int rank)
{
  gint64 axes[HYB_MAX_RANK];

  for (int i = 0; i < rank; i++)
    axes[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return onnx_transpose (export, x, (guint) rank, axes);
}

/* x wᵀ + bias over the last axis, or over all axes but the first. */
static void
write_fully_connected (OnnxExport *export)
{
  gboolean  has_bias = !onnx_param_bool (export, "no_bias");
  gboolean  is_flat = onnx_param_bool (export, "flatten");
  int       rank = onnx_input_type (export, 0).shape.rank;
  OnnxValue x = onnx_input (export, 0), w = onnx_input (export, 1);
  OnnxValue bias = has_bias ? onnx_input (export, 2) : ONNX_NONE;

  if (rank != 2 && is_flat)
    x = onnx_emit (export, "Flatten", 1, &x, ONNX_ATTRIBUTES (ONNX_INT ("axis", 1)));
  if ((rank == 2 || is_flat) && (has_bias || onnx_opset (export) >= 11))
    {
      onnx_set_output (export, 0,
                       onnx_emit (export, "Gemm", 3, (OnnxValue[]){ x, w, bias },
                                  ONNX_ATTRIBUTES (ONNX_INT ("transB", 1))));
      return;
    }
  x = onnx_binary (export, "MatMul", x, swap_last (export, w, 2));
  if (has_bias)
    x = onnx_binary (export, "Add", x, bias);
  onnx_set_output (export, 0, x);
}

static OnnxValue
operand (OnnxExport *export, guint index, gboolean is_transposed)
{
  OnnxValue x = onnx_input (export, index);

  return is_transposed ? swap_last (export, x, onnx_input_type (export, index).shape.rank) : x;
}

/* Under MXNet's legacy rules, the product of two vectors has one axis. */
static void
write_product (OnnxExport *export)
{
  OnnxValue x =
      onnx_binary (export, "MatMul", operand (export, 0, onnx_param_bool (export, "transpose_a")),
                   operand (export, 1, onnx_param_bool (export, "transpose_b")));

  if (onnx_input_type (export, 0).shape.rank == 1 && onnx_input_type (export, 1).shape.rank == 1 &&
      onnx_output_type (export, 0).shape.rank == 1)
    x = onnx_reshape (export, x, 1, (gint64[]){ 1 });
  onnx_set_output (export, 0, x);
}

/* dot() sums over the last axis of one array and the first of the other, which MatMul does for matrices and vectors. */
static void
write_dot (OnnxExport *export)
{
  int a = onnx_input_type (export, 0).shape.rank, b = onnx_input_type (export, 1).shape.rank;

  if (b > 2 || (onnx_param_bool (export, "transpose_a") && a != 2) ||
      (onnx_param_bool (export, "transpose_b") && b != 2))
    onnx_fail (export, "a dot of arrays with %d and %d axes cannot be written as ONNX", a, b);
  else
    write_product (export);
}

/* alpha a b, and with three inputs + beta c. */
static void
write_gemm (OnnxExport *export)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  double    alpha = onnx_param_double (export, "alpha", 1);
  double    beta = onnx_param_double (export, "beta", 1);
  OnnxValue x =
      onnx_binary (export, "MatMul", operand (export, 0, onnx_param_bool (export, "transpose_a")),
                   operand (export, 1, onnx_param_bool (export, "transpose_b")));

  if (onnx_param_int (export, "axis", -2) != -2)
    onnx_fail (export, "its axis is not the last but one");
  if (alpha != 1)
    x = onnx_binary (export, "Mul", x, onnx_number (export, alpha, dtype));
  if (onnx_node (export)->n_inputs == 3)
    {
      OnnxValue c = onnx_input (export, 2);

      if (beta != 1)
        c = onnx_binary (export, "Mul", c, onnx_number (export, beta, dtype));
      x = onnx_binary (export, "Add", x, c);
    }
  onnx_set_output (export, 0, x);
}

const HybOnnxRule hyb_onnx_rules_linear[] = {
  { .op = "FullyConnected", .write = write_fully_connected },
  { .op = "dot", .write = write_dot },
  { .op = "batch_dot", .write = write_product },
  { .op = "_npi_matmul", .write = write_product },
  { .op = "_linalg_gemm", .write = write_gemm },
  { .op = "_linalg_gemm2", .write = write_gemm },
  { .op = NULL },
};
