/* rules-elementwise.c — operators that compute each element on its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The operator of ONNX, on the same inputs. */
static void
write_same (OnnxExport *export)
{
  guint                 n = onnx_node (export)->n_inputs;
  g_autofree OnnxValue *inputs = g_new (OnnxValue, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    inputs[i] = onnx_input (export, i);
  onnx_set_output (export, 0, onnx_emit (export, onnx_rule (export)->onnx, n, inputs, NULL));
}

/* A function of floats, which takes integers as the engine does: as doubles. */
static void
write_function (OnnxExport *export)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype, from = onnx_input_type (export, 0).dtype;
  HybDType  inner = hyb_dtype_is_float (dtype) ? dtype : HYB_F64;
  OnnxValue x = onnx_cast (export, onnx_input (export, 0), from, inner);

  onnx_set_output (export, 0,
                   onnx_cast (export, onnx_unary (export, onnx_rule (export)->onnx, x), inner,
                              dtype));
}

/* Input 0 alone; others are labels and the like. */
static void
write_first (OnnxExport *export)
{
  onnx_set_output (export, 0,
                   onnx_unary (export, onnx_rule (export)->onnx, onnx_input (export, 0)));
}

/* The type of the arithmetic: the type of the output, but ONNX has no arithmetic of truth values, and none of narrow
 * integers before version 14. */
static HybDType
arithmetic_type (OnnxExport *export)
{
  HybDType dtype = onnx_output_type (export, 0).dtype;

  if (dtype == HYB_BOOL ||
      (onnx_opset (export) < 14 && !hyb_dtype_is_float (dtype) && hyb_dtype_size (dtype) < 4))
    return HYB_I32;
  return dtype;
}

static OnnxValue
operand (OnnxExport *export, guint index)
{
  return onnx_cast (export, onnx_input (export, index), onnx_input_type (export, index).dtype,
                    arithmetic_type (export));
}

static void
set_arithmetic (OnnxExport *export, OnnxValue value)
{
  onnx_set_output (export, 0,
                   onnx_cast (export, value, arithmetic_type (export),
                              onnx_output_type (export, 0).dtype));
}

/* One of two operands: an array that is filled with a number becomes the number, if the other one has the shape of the output.
 * Zeros stay, since they may be the initial state of a cell, which is recognised by its shape. */
static OnnxValue
lean_operand (OnnxExport *export, guint index)
{
  HybType other = onnx_input_type (export, 1 - index), output = onnx_output_type (export, 0);
  double  number;

  if (onnx_is_filled (export, index, &number) && number != 0 &&
      hyb_shape_equal (&other.shape, &output.shape))
    return onnx_number (export, number, arithmetic_type (export));
  return operand (export, index);
}

/* Both inputs in the type of the output. */
static void
write_arithmetic (OnnxExport *export)
{
  OnnxValue x = lean_operand (export, 0), y = lean_operand (export, 1);

  set_arithmetic (export, onnx_binary (export, onnx_rule (export)->onnx, x, y));
}

/* ONNX has sums of floats only. */
static void
write_sum (OnnxExport *export)
{
  guint     n = onnx_node (export)->n_inputs;
  OnnxValue sum = operand (export, 0);

  if (hyb_dtype_is_float (onnx_output_type (export, 0).dtype))
    {
      write_same (export);
      return;
    }
  for (guint i = 1; i < n; i++)
    sum = onnx_binary (export, "Add", sum, operand (export, i));
  set_arithmetic (export, n > 1 ? sum : onnx_unary (export, "Identity", sum));
}

/* The engine's result has the sign of the divisor, for floats as well; the result of ONNX' fmod has the sign of the
 * dividend. */
static OnnxValue
write_modulo (OnnxExport *export, OnnxValue x, OnnxValue y)
{
  OnnxValue quotient = onnx_unary (export, "Floor", onnx_binary (export, "Div", x, y));

  return onnx_binary (export, "Sub", x, onnx_binary (export, "Mul", quotient, y));
}

static void
write_mod (OnnxExport *export)
{
  if (!hyb_dtype_is_float (onnx_output_type (export, 0).dtype))
    {
      write_arithmetic (export);
      return;
    }
  onnx_set_output (export, 0, write_modulo (export, operand (export, 0), operand (export, 1)));
}

/* --- With a number --- */

/* x ∘ number in the type of the output; rule->number 1: number ∘ x. */
static void
write_scalar (OnnxExport *export)
{
  OnnxValue x = operand (export, 0);
  OnnxValue number =
      onnx_number (export, onnx_param_double (export, "scalar", 0), arithmetic_type (export));

  set_arithmetic (export, onnx_rule (export)->number > 0
                              ? onnx_binary (export, onnx_rule (export)->onnx, number, x)
                              : onnx_binary (export, onnx_rule (export)->onnx, x, number));
}

static void
write_mod_scalar (OnnxExport *export)
{
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  OnnxValue number = onnx_number (export, onnx_param_double (export, "scalar", 0), dtype);

  if (hyb_dtype_is_float (dtype))
    onnx_set_output (export, 0, write_modulo (export, operand (export, 0), number));
  else
    write_scalar (export);
}

/* --- Single ones --- */

static void
write_square (OnnxExport *export)
{
  OnnxValue x = operand (export, 0);

  set_arithmetic (export, onnx_binary (export, "Mul", x, x));
}

/* The input as floats: as doubles if it has integers. */
static OnnxValue
float_input (OnnxExport *export)
{
  HybDType dtype = onnx_input_type (export, 0).dtype;

  return onnx_cast (export, onnx_input (export, 0), dtype,
                    hyb_dtype_is_float (dtype) ? dtype : HYB_F64);
}

static HybDType
float_type (OnnxExport *export)
{
  HybDType dtype = onnx_input_type (export, 0).dtype;

  return hyb_dtype_is_float (dtype) ? dtype : HYB_F64;
}

static void
set_float (OnnxExport *export, OnnxValue value)
{
  onnx_set_output (export, 0,
                   onnx_cast (export, value, float_type (export),
                              onnx_output_type (export, 0).dtype));
}

static void
write_rsqrt (OnnxExport *export)
{
  OnnxValue root = onnx_unary (export, "Sqrt", float_input (export));

  set_float (export, onnx_unary (export, "Reciprocal", root));
}

/* log (1 + x) and exp (x) − 1: where x is small, these lose digits that the engine's operators keep. */
static void
write_log1p (OnnxExport *export)
{
  OnnxValue one = onnx_number (export, 1, float_type (export));
  OnnxValue sum = onnx_binary (export, "Add", float_input (export), one);

  set_float (export, onnx_unary (export, "Log", sum));
}

static void
write_expm1 (OnnxExport *export)
{
  OnnxValue one = onnx_number (export, 1, float_type (export));
  OnnxValue power = onnx_unary (export, "Exp", float_input (export));

  set_float (export, onnx_binary (export, "Sub", power, one));
}

/* A bound that is missing is None, which is not a number. */
static OnnxValue
bound (OnnxExport *export, double number)
{
  return isnan (number) ? ONNX_NONE
                        : onnx_number (export, number, onnx_output_type (export, 0).dtype);
}

static void
write_bit_shift (OnnxExport *export)
{
  OnnxValue operands[] = { onnx_input (export, 0), onnx_input (export, 1) };

  onnx_set_output (export, 0,
                   onnx_emit (export, "BitShift", 2, operands,
                              ONNX_ATTRIBUTES (
                                  ONNX_STRING ("direction", onnx_param_bool (export, "right")
                                                                ? "RIGHT"
                                                                : "LEFT"))));
}

static void
write_clip (OnnxExport *export)
{
  double    low = onnx_param_double (export, "a_min", NAN);
  double    high = onnx_param_double (export, "a_max", NAN);
  OnnxValue x = onnx_input (export, 0);

  if (onnx_opset (export) < 11)
    x = onnx_emit (export, "Clip", 1, &x,
                   ONNX_ATTRIBUTES (ONNX_FLOAT ("min", isnan (low) ? -FLT_MAX : low),
                                    ONNX_FLOAT ("max", isnan (high) ? FLT_MAX : high)));
  else
    x = onnx_emit (export, "Clip", 3, (OnnxValue[]){ x, bound (export, low), bound (export, high) },
                   NULL);
  onnx_set_output (export, 0, x);
}

static void
write_hard_sigmoid (OnnxExport *export)
{
  OnnxValue x = float_input (export);

  set_float (export,
             onnx_emit (export, "HardSigmoid", 1, &x,
                        ONNX_ATTRIBUTES (ONNX_FLOAT ("alpha",
                                                     onnx_param_double (export, "alpha", 0.2)),
                                         ONNX_FLOAT ("beta",
                                                     onnx_param_double (export, "beta", 0.5)))));
}

static void
write_around (OnnxExport *export)
{
  if (onnx_param_int (export, "decimals", 0) != 0)
    onnx_fail (export, "ONNX rounds to whole numbers only");
  set_float (export, onnx_unary (export, "Round", float_input (export)));
}

static void
write_cast (OnnxExport *export)
{
  HybDType  from = onnx_input_type (export, 0).dtype, to = onnx_output_type (export, 0).dtype;
  OnnxValue x = onnx_input (export, 0);

  if (from == to)
    onnx_set_output (export, 0, onnx_unary (export, "Identity", x));
  else
    onnx_set_output (export, 0, onnx_cast (export, x, from, to));
}

/* --- Table --- */

#define SAME(op_, onnx_)                              \
  {                                                   \
    .op = (op_), .write = write_same, .onnx = (onnx_) \
  }
#define FUNCTION(op_, onnx_)                              \
  {                                                       \
    .op = (op_), .write = write_function, .onnx = (onnx_) \
  }
#define ARITHMETIC(op_, onnx_)                              \
  {                                                         \
    .op = (op_), .write = write_arithmetic, .onnx = (onnx_) \
  }
#define SCALAR(op_, onnx_, is_reversed)                                          \
  {                                                                              \
    .op = (op_), .write = write_scalar, .onnx = (onnx_), .number = (is_reversed) \
  }

const HybOnnxRule hyb_onnx_rules_elementwise[] = {
  FUNCTION ("sigmoid", "Sigmoid"),
  FUNCTION ("tanh", "Tanh"),
  FUNCTION ("relu", "Relu"),
  FUNCTION ("softsign", "Softsign"),
  FUNCTION ("exp", "Exp"),
  FUNCTION ("log", "Log"),
  FUNCTION ("sqrt", "Sqrt"),
  FUNCTION ("abs", "Abs"),
  FUNCTION ("negative", "Neg"),
  FUNCTION ("reciprocal", "Reciprocal"),
  FUNCTION ("floor", "Floor"),
  FUNCTION ("ceil", "Ceil"),
  FUNCTION ("rint", "Round"),
  FUNCTION ("sign", "Sign"),
  FUNCTION ("erf", "Erf"),
  FUNCTION ("sin", "Sin"),
  FUNCTION ("cos", "Cos"),
  FUNCTION ("tan", "Tan"),
  FUNCTION ("arcsin", "Asin"),
  FUNCTION ("arccos", "Acos"),
  FUNCTION ("arctan", "Atan"),
  FUNCTION ("sinh", "Sinh"),
  FUNCTION ("cosh", "Cosh"),
  FUNCTION ("arcsinh", "Asinh"),
  FUNCTION ("arccosh", "Acosh"),
  FUNCTION ("arctanh", "Atanh"),
  FUNCTION ("_npi_tanh", "Tanh"),
  FUNCTION ("_npi_exp", "Exp"),
  FUNCTION ("_npi_log", "Log"),
  FUNCTION ("_npi_sqrt", "Sqrt"),
  FUNCTION ("_npi_absolute", "Abs"),
  FUNCTION ("_npi_negative", "Neg"),
  FUNCTION ("_npi_reciprocal", "Reciprocal"),
  FUNCTION ("_npi_floor", "Floor"),
  FUNCTION ("_npi_ceil", "Ceil"),
  FUNCTION ("_npi_rint", "Round"),
  FUNCTION ("_npi_sign", "Sign"),
  FUNCTION ("_npi_sin", "Sin"),
  FUNCTION ("_npi_cos", "Cos"),
  FUNCTION ("_npi_tan", "Tan"),
  FUNCTION ("_npi_arcsin", "Asin"),
  FUNCTION ("_npi_arccos", "Acos"),
  FUNCTION ("_npi_arctan", "Atan"),
  FUNCTION ("_npi_sinh", "Sinh"),
  FUNCTION ("_npi_cosh", "Cosh"),
  { .op = "add_n", .write = write_sum, .onnx = "Sum" },
  SAME ("_copy", "Identity"),
  SAME ("BlockGrad", "Identity"),
  SAME ("make_loss", "Identity"),
  { .op = "_identity_with_attr_like_rhs", .write = write_first, .onnx = "Identity" },
  { .op = "MakeLoss", .write = write_first, .onnx = "Identity" },
  { .op = "LinearRegressionOutput", .write = write_first, .onnx = "Identity" },
  { .op = "MAERegressionOutput", .write = write_first, .onnx = "Identity" },
  { .op = "LogisticRegressionOutput", .write = write_first, .onnx = "Sigmoid" },
  ARITHMETIC ("elemwise_add", "Add"),
  ARITHMETIC ("elemwise_sub", "Sub"),
  ARITHMETIC ("elemwise_mul", "Mul"),
  ARITHMETIC ("elemwise_div", "Div"),
  ARITHMETIC ("broadcast_add", "Add"),
  ARITHMETIC ("broadcast_sub", "Sub"),
  ARITHMETIC ("broadcast_mul", "Mul"),
  ARITHMETIC ("broadcast_div", "Div"),
  ARITHMETIC ("broadcast_power", "Pow"),
  ARITHMETIC ("broadcast_maximum", "Max"),
  ARITHMETIC ("broadcast_minimum", "Min"),
  ARITHMETIC ("_maximum", "Max"),
  ARITHMETIC ("_minimum", "Min"),
  ARITHMETIC ("_power", "Pow"),
  ARITHMETIC ("_npi_add", "Add"),
  ARITHMETIC ("_npi_subtract", "Sub"),
  ARITHMETIC ("_npi_multiply", "Mul"),
  ARITHMETIC ("_npi_true_divide", "Div"),
  ARITHMETIC ("_npi_power", "Pow"),
  ARITHMETIC ("_npi_maximum", "Max"),
  ARITHMETIC ("_npi_minimum", "Min"),
  { .op = "broadcast_mod", .write = write_mod, .onnx = "Mod" },
  { .op = "_npi_mod", .write = write_mod, .onnx = "Mod" },
  SCALAR ("_plus_scalar", "Add", 0),
  SCALAR ("_minus_scalar", "Sub", 0),
  SCALAR ("_rminus_scalar", "Sub", 1),
  SCALAR ("_mul_scalar", "Mul", 0),
  SCALAR ("_div_scalar", "Div", 0),
  SCALAR ("_rdiv_scalar", "Div", 1),
  SCALAR ("_power_scalar", "Pow", 0),
  SCALAR ("_rpower_scalar", "Pow", 1),
  SCALAR ("_maximum_scalar", "Max", 0),
  SCALAR ("_minimum_scalar", "Min", 0),
  SCALAR ("_npi_add_scalar", "Add", 0),
  SCALAR ("_npi_subtract_scalar", "Sub", 0),
  SCALAR ("_npi_rsubtract_scalar", "Sub", 1),
  SCALAR ("_npi_multiply_scalar", "Mul", 0),
  SCALAR ("_npi_true_divide_scalar", "Div", 0),
  SCALAR ("_npi_rtrue_divide_scalar", "Div", 1),
  SCALAR ("_npi_power_scalar", "Pow", 0),
  SCALAR ("_npi_maximum_scalar", "Max", 0),
  SCALAR ("_npi_minimum_scalar", "Min", 0),
  { .op = "_mod_scalar", .write = write_mod_scalar, .onnx = "Mod" },
  { .op = "_npi_mod_scalar", .write = write_mod_scalar, .onnx = "Mod" },
  { .op = "square", .write = write_square },
  { .op = "_npi_square", .write = write_square },
  { .op = "rsqrt", .write = write_rsqrt },
  { .op = "log1p", .write = write_log1p },
  { .op = "_npi_log1p", .write = write_log1p },
  { .op = "expm1", .write = write_expm1 },
  { .op = "_npi_expm1", .write = write_expm1 },
  { .op = "_npi_around", .write = write_around },
  { .op = "_bit_shift", .write = write_bit_shift },
  { .op = "clip", .write = write_clip },
  { .op = "hard_sigmoid", .write = write_hard_sigmoid },
  { .op = "Cast", .write = write_cast },
  { .op = "amp_cast", .write = write_cast },
  { .op = NULL },
};
