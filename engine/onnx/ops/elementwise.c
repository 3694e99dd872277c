/* elementwise.c — functions of one, two or many arrays, element by element, and casts.
 *
 * Before version 7 the second operand was broadcast only with the attribute broadcast, from an axis of the first
 * on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

#include <math.h>
#include <string.h>

/* --- Two operands --- */

/* The second operand under a shape that NumPy broadcasts as version 6 does. */
static HybValueId
align_operand (HybLowering *lowering)
{
  const HybShape *a = &hyb_onnx_type (lowering, 0)->shape;
  const HybShape *b = &hyb_onnx_type (lowering, 1)->shape;
  HybValueId      y = hyb_onnx_input (lowering, 1);
  gint64          axis, dims[HYB_MAX_RANK];
  int             rank = b->rank;

  if (!hyb_onnx_int (lowering, "broadcast", 0) || !hyb_onnx_attribute (lowering, "axis") ||
      a->rank < 0 || rank < 0)
    return y;
  axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), a->rank);
  if (axis < 0 || axis + rank > a->rank)
    return y;
  for (int i = 0; i < a->rank - (int) axis; i++)
    {
      dims[i] = i < rank ? b->dim[i] : 1;
      if (dims[i] < 0)
        return y;
    }
  return hyb_onnx_reshape (lowering, y, (guint) (a->rank - (int) axis), dims);
}

static void
lower_old_binary (HybLowering *lowering)
{
  HybValueId y = align_operand (lowering);

  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_binary (lowering, hyb_onnx_engine (lowering),
                                            hyb_onnx_input (lowering, 0), y));
}

/* The result has the type of the base. */
static void
lower_pow (HybLowering *lowering)
{
  HybDType base = hyb_onnx_type (lowering, 0)->dtype, exponent = hyb_onnx_type (lowering, 1)->dtype;
  HybValueId x = hyb_onnx_input (lowering, 0), y = hyb_onnx_input (lowering, 1);

  if (base != HYB_DTYPE_UNKNOWN && exponent != HYB_DTYPE_UNKNOWN && base != exponent)
    {
      HybDType common = hyb_dtype_is_float (base)       ? base
                        : hyb_dtype_is_float (exponent) ? HYB_F64
                                                        : HYB_I64;

      x = hyb_onnx_cast (lowering, x, common);
      y = hyb_onnx_cast (lowering, y, common);
    }
  x = hyb_onnx_binary (lowering, "broadcast_power", x, y);
  hyb_lowering_set_output (lowering, 0,
                           base == HYB_DTYPE_UNKNOWN ? x : hyb_onnx_cast (lowering, x, base));
}

/* x − trunc (x / y) y for integers: the sign of the dividend. */
static HybValueId
integer_remainder (HybLowering *lowering, HybValueId x, HybValueId y)
{
  HybValueId quotient = hyb_onnx_binary (lowering, "broadcast_div", x, y);

  return hyb_onnx_binary (lowering, "broadcast_sub", x,
                          hyb_onnx_binary (lowering, "broadcast_mul", quotient, y));
}

/* The remainder of floats, with the sign of the dividend if has_sign, else of the divisor.  Nothing can be divided by 0. */
static HybValueId
float_remainder (HybLowering *lowering, HybValueId x, HybValueId y, gboolean has_sign)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  HybValueId rest;

  if (has_sign)
    rest = hyb_onnx_binary (lowering, "broadcast_mul", hyb_onnx_unary (lowering, "sign", x),
                            hyb_onnx_binary (lowering, "broadcast_mod",
                                             hyb_onnx_unary (lowering, "abs", x),
                                             hyb_onnx_unary (lowering, "abs", y)));
  else
    rest = hyb_onnx_binary (lowering, "broadcast_mod", x, y);
  return hyb_lowering_call (lowering, "_npi_where", 3,
                            (HybValueId[]){
                                hyb_onnx_with_scalar (lowering, "_npi_equal_scalar", y, 0),
                                hyb_onnx_scalar (lowering, NAN, dtype), rest },
                            NULL);
}

static void
lower_mod (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), y = hyb_onnx_input (lowering, 1);
  gboolean   has_sign = hyb_onnx_int (lowering, "fmod", 0) != 0;

  if (hyb_dtype_is_float (hyb_onnx_type (lowering, 0)->dtype))
    x = float_remainder (lowering, x, y, has_sign);
  else
    x = has_sign ? integer_remainder (lowering, x, y)
                 : hyb_onnx_binary (lowering, "broadcast_mod", x, y);
  hyb_lowering_set_output (lowering, 0, x);
}

/* x / power, rounded toward −∞ as a shift of a negative number is. */
static HybValueId
floor_quotient (HybLowering *lowering, HybValueId x, HybValueId power)
{
  HybValueId rest = hyb_onnx_binary (lowering, "broadcast_mod", x, power);

  return hyb_onnx_binary (lowering, "broadcast_div",
                          hyb_onnx_binary (lowering, "broadcast_sub", x, rest), power);
}

/* 2 to the power of a count of bits. */
static HybValueId
power_of_two (HybLowering *lowering, HybValueId bits)
{
  return hyb_onnx_binary (lowering, "broadcast_power", hyb_onnx_scalar (lowering, 2, HYB_I64),
                          bits);
}

/* A negative count shifts all bits out.  In two steps, as 2 to the power of 63 is not an int64. */
static HybValueId
shift_right (HybLowering *lowering, HybValueId x, HybValueId bits)
{
  HybValueId step = hyb_onnx_scalar (lowering, 32, HYB_I64);
  HybValueId is_negative =
      hyb_onnx_binary (lowering, "_npi_less", bits, hyb_onnx_scalar (lowering, 0, HYB_I64));
  HybValueId first, rest;

  bits = hyb_lowering_call (lowering, "_npi_where", 3,
                            (HybValueId[]){ is_negative, hyb_onnx_scalar (lowering, 64, HYB_I64),
                                            bits },
                            NULL);
  first = hyb_onnx_binary (lowering, "broadcast_minimum", bits, step);
  rest = hyb_onnx_binary (lowering, "broadcast_minimum",
                          hyb_onnx_binary (lowering, "broadcast_sub", bits, first), step);
  x = floor_quotient (lowering, x, power_of_two (lowering, first));
  return floor_quotient (lowering, x, power_of_two (lowering, rest));
}

/* Of signed integers, which came later, shifts are products with powers of two, or quotients, which MXNet has, too. */
static void
lower_bit_shift (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  gboolean   is_left = strcmp (hyb_onnx_string (lowering, "direction", ""), "LEFT") == 0;
  HybValueId x = hyb_onnx_input (lowering, 0), bits = hyb_onnx_input (lowering, 1);

  if (hyb_lowering_is_for_run (lowering) && (type.dtype == HYB_U8 || type.dtype == HYB_U16 ||
                                             type.dtype == HYB_U32 || type.dtype == HYB_U64))
    {
      hyb_lowering_set_output (lowering, 0,
                               hyb_lowering_emit (lowering, "_bit_shift", 2,
                                                  (HybValueId[]){ x, bits }, "right",
                                                  is_left ? "False" : "True", NULL));
      return;
    }
  x = hyb_onnx_cast (lowering, x, HYB_I64);
  bits = hyb_onnx_cast (lowering, bits, HYB_I64);
  x = is_left ? hyb_onnx_binary (lowering, "broadcast_mul", x, power_of_two (lowering, bits))
              : shift_right (lowering, x, bits);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
}

/* --- Bits --- */

/* The engine has bits of these types; bits of others are part of a wider one. */
static HybDType
wide_type (HybDType dtype)
{
  if (dtype == HYB_I16 || dtype == HYB_U16)
    return HYB_I32;
  return dtype == HYB_U32 || dtype == HYB_U64 ? HYB_I64 : dtype;
}

static void
lower_bits (HybLowering *lowering)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype, wide = wide_type (dtype);
  HybValueId inputs[2];
  guint      n = MIN (hyb_onnx_n_inputs (lowering), 2);

  for (guint i = 0; i < n; i++)
    {
      inputs[i] = hyb_onnx_input (lowering, i);
      if (wide != dtype)
        inputs[i] = hyb_onnx_cast (lowering, inputs[i], wide);
    }
  inputs[0] = hyb_lowering_call (lowering, hyb_onnx_engine (lowering), n, inputs, NULL);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, inputs[0], dtype));
}

/* --- Many operands --- */

static HybValueId
fold_inputs (HybLowering *lowering, const char *op)
{
  HybValueId result = hyb_onnx_input (lowering, 0);

  for (guint i = 1; i < hyb_onnx_n_inputs (lowering); i++)
    result = hyb_onnx_binary (lowering, op, result, hyb_onnx_input (lowering, i));
  return result;
}

static void
lower_many (HybLowering *lowering)
{
  hyb_lowering_set_output (lowering, 0, fold_inputs (lowering, hyb_onnx_engine (lowering)));
}

static void
lower_mean (HybLowering *lowering)
{
  HybValueId sum = fold_inputs (lowering, "broadcast_add");

  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_with_scalar (lowering, "_div_scalar", sum,
                                                 hyb_onnx_n_inputs (lowering)));
}

/* --- Clip --- */

/* Whether clip_floats() takes these bounds, which it rounds to float32.  Where they have changed places, the upper one
 * counts, which it does not know. */
static gboolean
is_range_of_floats (HybLowering *lowering, double low, double high)
{
  HybDType dtype = hyb_onnx_type (lowering, 0)->dtype;
  gboolean is_exact = (double) (float) low == low && (double) (float) high == high;

  return (dtype == HYB_F32 || (dtype == HYB_F64 && is_exact)) && low <= high && low < INFINITY &&
         high > -INFINITY;
}

/* Limits floats to known bounds in one pass; a bound of ±∞ is none. */
static HybValueId
clip_floats (HybLowering *lowering, HybValueId x, double low, double high)
{
  return hyb_lowering_emit (lowering, "clip", 1, &x, "a_min",
                            low == -INFINITY ? "None" : hyb_lowering_text (lowering, "%.9g", low),
                            "a_max",
                            high == INFINITY ? "None" : hyb_lowering_text (lowering, "%.9g", high),
                            NULL);
}

static void
lower_old_clip (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  double     low = hyb_onnx_float (lowering, "min", -3.402823466e38);
  double     high = hyb_onnx_float (lowering, "max", 3.402823466e38);

  if (is_range_of_floats (lowering, low, high))
    x = clip_floats (lowering, x, low, high);
  else
    {
      x = hyb_onnx_with_scalar (lowering, "_maximum_scalar", x, low);
      x = hyb_onnx_with_scalar (lowering, "_minimum_scalar", x, high);
    }
  hyb_lowering_set_output (lowering, 0, x);
}

/* FALSE if the bound is only known while running, or is no number.  fallback: for a bound that is left out. */
static gboolean
find_bound (HybLowering *lowering, guint input, double fallback, double *bound)
{
  HybTensor *contents;

  *bound = fallback;
  if (!hyb_onnx_has_input (lowering, input))
    return TRUE;
  contents = hyb_onnx_contents (lowering, input);
  if (!contents || hyb_tensor_get_size (contents) != 1)
    return FALSE;
  *bound = hyb_tensor_get_value (contents, 0);
  return !isnan (*bound);
}

static void
lower_clip (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0);
  gboolean has_low = hyb_onnx_has_input (lowering, 1), has_high = hyb_onnx_has_input (lowering, 2);
  gboolean is_limited = has_low || has_high;
  double   low, high;

  if (is_limited && find_bound (lowering, 1, -INFINITY, &low) &&
      find_bound (lowering, 2, INFINITY, &high) && is_range_of_floats (lowering, low, high))
    x = clip_floats (lowering, x, low, high);
  else
    {
      if (has_low)
        x = hyb_onnx_binary (lowering, "broadcast_maximum", x, hyb_onnx_input (lowering, 1));
      if (has_high)
        x = hyb_onnx_binary (lowering, "broadcast_minimum", x, hyb_onnx_input (lowering, 2));
      if (!is_limited)
        x = hyb_onnx_unary (lowering, "_copy", x);
    }
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Tests --- */

static void
lower_is_inf (HybLowering *lowering)
{
  gboolean    negative = hyb_onnx_int (lowering, "detect_negative", 1) != 0;
  gboolean    positive = hyb_onnx_int (lowering, "detect_positive", 1) != 0;
  HybValueId  x = hyb_onnx_input (lowering, 0);
  const char *op = positive && negative ? "_npi_isinf"
                   : positive           ? "_npi_isposinf"
                                        : "_npi_isneginf";

  x = hyb_onnx_unary (lowering, op, x);
  if (!positive && !negative)
    x = hyb_onnx_binary (lowering, "broadcast_logical_and", x,
                         hyb_onnx_scalar (lowering, 0, HYB_BOOL));
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Casts --- */

static void
cast_to (HybLowering *lowering, HybDType dtype)
{
  HybValueId x = hyb_onnx_input (lowering, 0);

  if (dtype == HYB_DTYPE_UNKNOWN)
    {
      HybType type = { hyb_onnx_type (lowering, 0)->shape, HYB_DTYPE_UNKNOWN };

      hyb_lowering_set_type (lowering, 0, &type);
      hyb_lowering_fail (lowering, NULL, "it casts to a type that this program does not support");
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "Cast", 1, &x, "dtype",
                                              hyb_dtype_name (dtype), NULL));
}

static void
lower_cast (HybLowering *lowering)
{
  gint64 to = hyb_onnx_int (lowering, "to", 0);

  cast_to (lowering, hyb_onnx_dtype_to_engine ((HybOnnxDType) CLAMP (to, 0, G_MAXINT16)));
}

/* The same bits as another type. */
static void
lower_bit_cast (HybLowering *lowering)
{
  gint64     to = hyb_onnx_int (lowering, "to", 0);
  HybDType   dtype = hyb_onnx_dtype_to_engine ((HybOnnxDType) CLAMP (to, 0, G_MAXINT16));
  HybValueId x = hyb_onnx_input (lowering, 0);

  if (dtype == HYB_DTYPE_UNKNOWN)
    hyb_lowering_fail (lowering, NULL,
                       "it reads bits as a type that this program does not support");
  else
    hyb_lowering_set_output (lowering, 0,
                             hyb_lowering_emit (lowering, "_bit_cast", 1, &x, "dtype",
                                                hyb_dtype_name (dtype), NULL));
}

/* Version 1 names the type. */
static void
lower_named_cast (HybLowering *lowering)
{
  g_autofree char *name = g_ascii_strdown (hyb_onnx_string (lowering, "to", ""), -1);
  HybDType         dtype = HYB_DTYPE_UNKNOWN;

  for (int i = 0; i <= HYB_ONNX_INT2; i++)
    if (g_strcmp0 (hyb_onnx_dtype_name ((HybOnnxDType) i), name) == 0)
      dtype = hyb_onnx_dtype_to_engine ((HybOnnxDType) i);
  cast_to (lowering, dtype);
}

static void
lower_cast_like (HybLowering *lowering)
{
  cast_to (lowering, hyb_onnx_type (lowering, 1)->dtype);
}

/* Inference returns the data unchanged; nothing is dropped.  While training, the engine's operator has a mask, too. */
static void
lower_dropout (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  HybTensor *training = hyb_onnx_contents (lowering, 2);
  gboolean   drops = training && hyb_tensor_get_value (training, 0) != 0;
  double     ratio = drops && hyb_onnx_has_input (lowering, 1)
                         ? hyb_onnx_input_double (lowering, 1, 0.5)
                         : hyb_onnx_float (lowering, "ratio", 0.5);

  type.dtype = hyb_onnx_opset (lowering) >= 10 ? HYB_BOOL : type.dtype;
  hyb_lowering_set_type (lowering, 1, &type);
  if (drops && ratio > 0)
    {
      x = hyb_lowering_emit (lowering, "Dropout", 1, &x, "p",
                             hyb_lowering_text (lowering, "%.9g", MIN (ratio, 0.999999)), "mode",
                             "always", NULL);
      hyb_lowering_set_output (lowering, 0, x);
      if (x != HYB_NO_ID && hyb_lowering_get_node (lowering)->n_outputs > 1)
        hyb_lowering_set_output (lowering, 1,
                                 hyb_onnx_cast (lowering,
                                                hyb_onnx_with_scalar (lowering,
                                                                      "_npi_not_equal_scalar",
                                                                      x + 1, 0),
                                                type.dtype));
      return;
    }
  hyb_lowering_set_output (lowering, 0, hyb_onnx_unary (lowering, "_copy", x));
  if (hyb_lowering_get_node (lowering)->n_outputs > 1 && hyb_shape_is_known (&type.shape))
    hyb_lowering_set_output (lowering, 1,
                             hyb_lowering_emit (lowering, "_ones", 0, NULL, "shape",
                                                hyb_lowering_text_ints (lowering,
                                                                        (guint) type.shape.rank,
                                                                        type.shape.dim),
                                                "dtype", hyb_dtype_name (type.dtype), NULL));
}

static const char *const one[] = { "X", NULL };
static const char *const two[] = { "A", "B", NULL };
static const char *const three[] = { "condition", "X", "Y", NULL };
static const char *const clip_inputs[] = { "input", "min", "max", NULL };
static const char *const dropout_inputs[] = { "data", "ratio", "training_mode", NULL };
static const char *const outputs[] = { "Y", "mask", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, ENGINE, DOC)                \
  {                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,                         \
            .doc = DOC,       .category = HYB_CATEGORY_ELEMENTWISE, \
            .inputs = INPUTS, .outputs = outputs,                   \
            .lower = LOWER },                                       \
    .since = SINCE, .engine = ENGINE                                \
  }
#define UNARY(NAME, ENGINE, DOC)         ROW (NAME, 1, one, hyb_onnx_lower_same, ENGINE, DOC)
#define BINARY(NAME, SINCE, ENGINE, DOC) ROW (NAME, SINCE, two, hyb_onnx_lower_same, ENGINE, DOC)
#define OLD_BINARY(NAME, ENGINE, DOC)    ROW (NAME, 1, two, lower_old_binary, ENGINE, DOC)

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_elementwise[] = {
  UNARY ("Abs", "abs", "The absolute value."),
  UNARY ("Acos", "arccos", "The arc cosine."),
  UNARY ("Acosh", "arccosh", "The inverse hyperbolic cosine."),
  UNARY ("Asin", "arcsin", "The arc sine."),
  UNARY ("Asinh", "arcsinh", "The inverse hyperbolic sine."),
  UNARY ("Atan", "arctan", "The arc tangent."),
  UNARY ("Atanh", "arctanh", "The inverse hyperbolic tangent."),
  UNARY ("Ceil", "ceil", "The next integer above."),
  UNARY ("Cos", "cos", "The cosine."),
  UNARY ("Cosh", "cosh", "The hyperbolic cosine."),
  UNARY ("Erf", "erf", "The error function."),
  UNARY ("Exp", "exp", "The exponential."),
  UNARY ("Floor", "floor", "The next integer below."),
  UNARY ("Identity", "_copy", "Returns its input."),
  UNARY ("IsNaN", "_npi_isnan", "Whether each element is not a number."),
  UNARY ("Log", "log", "The natural logarithm."),
  UNARY ("Neg", "negative", "The negative."),
  UNARY ("Not", "_npi_logical_not", "The negation."),
  UNARY ("Reciprocal", "reciprocal", "One divided by each element."),
  UNARY ("Round", "_npi_around", "The nearest integer, halves to even."),
  UNARY ("Sign", "sign", "The sign."),
  UNARY ("Sin", "sin", "The sine."),
  UNARY ("Sinh", "sinh", "The hyperbolic sine."),
  UNARY ("Sqrt", "sqrt", "The square root."),
  UNARY ("Tan", "tan", "The tangent."),
  ROW ("BitCast", 26, one, lower_bit_cast, NULL, "The same bits as another type."),
  ROW ("BitwiseNot", 18, one, lower_bits, "_npi_bitwise_not", "Every bit inverted."),
  OLD_BINARY ("Add", "broadcast_add", "The sum."),
  BINARY ("Add", 7, "broadcast_add", "The sum."),
  OLD_BINARY ("Sub", "broadcast_sub", "The difference."),
  BINARY ("Sub", 7, "broadcast_sub", "The difference."),
  OLD_BINARY ("Mul", "broadcast_mul", "The product."),
  BINARY ("Mul", 7, "broadcast_mul", "The product."),
  OLD_BINARY ("Div", "broadcast_div", "The quotient; integer quotients are truncated."),
  BINARY ("Div", 7, "broadcast_div", "The quotient; integer quotients are truncated."),
  OLD_BINARY ("Pow", "broadcast_power", "The power."),
  BINARY ("Pow", 7, "broadcast_power", "The power."),
  ROW ("Pow", 12, two, lower_pow, NULL, "The power; exponents may be of another type."),
  ROW ("Mod", 10, two, lower_mod, NULL, "The remainder."),
  ROW ("BitShift", 11, two, lower_bit_shift, NULL, "Bits moved to the left or right."),
  OLD_BINARY ("And", "broadcast_logical_and", "Whether both hold."),
  BINARY ("And", 7, "broadcast_logical_and", "Whether both hold."),
  OLD_BINARY ("Or", "broadcast_logical_or", "Whether one holds."),
  BINARY ("Or", 7, "broadcast_logical_or", "Whether one holds."),
  OLD_BINARY ("Xor", "broadcast_logical_xor", "Whether exactly one holds."),
  BINARY ("Xor", 7, "broadcast_logical_xor", "Whether exactly one holds."),
  ROW ("BitwiseAnd", 18, two, lower_bits, "_npi_bitwise_and", "Bits that both have."),
  ROW ("BitwiseOr", 18, two, lower_bits, "_npi_bitwise_or", "Bits that one has."),
  ROW ("BitwiseXor", 18, two, lower_bits, "_npi_bitwise_xor", "Bits that exactly one has."),
  OLD_BINARY ("Equal", "_npi_equal", "Whether both are equal."),
  BINARY ("Equal", 11, "_npi_equal", "Whether both are equal."),
  OLD_BINARY ("Greater", "_npi_greater", "Whether the first is greater."),
  BINARY ("Greater", 9, "_npi_greater", "Whether the first is greater."),
  OLD_BINARY ("Less", "_npi_less", "Whether the first is less."),
  BINARY ("Less", 9, "_npi_less", "Whether the first is less."),
  BINARY ("GreaterOrEqual", 12, "_npi_greater_equal", "Whether the first is not less."),
  BINARY ("LessOrEqual", 12, "_npi_less_equal", "Whether the first is not greater."),
  ROW ("Min", 1, two, lower_many, "broadcast_minimum", "The smallest of several."),
  ROW ("Max", 1, two, lower_many, "broadcast_maximum", "The largest of several."),
  ROW ("Sum", 1, two, lower_many, "broadcast_add", "The sum of several."),
  ROW ("Mean", 1, two, lower_mean, NULL, "The mean of several."),
  ROW ("Where", 9, three, hyb_onnx_lower_same, "_npi_where", "One of two, by a condition."),
  ROW ("IsInf", 10, one, lower_is_inf, NULL, "Whether each element is infinite."),
  ROW ("Clip", 1, clip_inputs, lower_old_clip, NULL, "Limits values to a range."),
  ROW ("Clip", 11, clip_inputs, lower_clip, NULL, "Limits values to a range."),
  ROW ("Cast", 1, one, lower_named_cast, NULL, "Converts to another type."),
  ROW ("Cast", 6, one, lower_cast, NULL, "Converts to another type."),
  ROW ("CastLike", 15, two, lower_cast_like, NULL, "Converts to the type of another value."),
  ROW ("Dropout", 1, dropout_inputs, lower_dropout, NULL, "Drops elements while training."),
  { .since = 0 },
};
/* clang-format on */
