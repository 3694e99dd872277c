/* numpy-binary.c — _npi_copysign, _npi_arctan2, _npi_ldexp, _npi_bitwise_and …, _npi_lcm: functions of
 * two tensors of one type, which are broadcast, or of a tensor and a number.
 *
 * binary-family.h has forward and gradients of two tensors, scalar-family.h those of a tensor x and a
 * number s.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/elementwise/binary-family.h"
#include "engine/ops/elementwise/scalar-family.h"

#include <math.h>

/* name after “_npi_”, HybBinary function, description */
#define SMOOTH_ROWS(ROW)                                            \
  ROW (copysign, COPYSIGN, "The first with the sign of the second") \
  ROW (arctan2, ARCTAN2, "Angle of the point (second, first)")      \
  ROW (ldexp, LDEXP, "The first times two to the power of the second")

#define INTEGER_ROWS(ROW)                                     \
  ROW (bitwise_and, BITWISE_AND, "Bits that both have")       \
  ROW (bitwise_or, BITWISE_OR, "Bits that one has")           \
  ROW (bitwise_xor, BITWISE_XOR, "Bits that exactly one has") \
  ROW (lcm, LCM, "Least common multiple")

/* As SMOOTH_ROWS for a tensor x and a number s, with whether the number comes first. */
#define SCALAR_ROWS(ROW)                                         \
  ROW (copysign, COPYSIGN, FALSE, "x with the sign of s")        \
  ROW (rcopysign, COPYSIGN, TRUE, "s with the sign of x")        \
  ROW (arctan2, ARCTAN2, FALSE, "angle of the point (s, x)")     \
  ROW (rarctan2, ARCTAN2, TRUE, "angle of the point (x, s)")     \
  ROW (ldexp, LDEXP, FALSE, "x times two to the power of s")     \
  ROW (rldexp, LDEXP, TRUE, "s times two to the power of x")     \
  ROW (true_divide, DIV, FALSE, "x / s, of integers in float32") \
  ROW (rtrue_divide, DIV, TRUE, "s / x, of integers in float32")

/* Types are checked while planning, not while they are inferred: the type of a variable that is
 * not given yet is taken to be float32. */
static gboolean
prepare_floats (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  return hyb_dtype_is_float (dtype) ||
         hyb_refuse_types (error, "Convert the operands to a float type first",
                           "this needs floats, but the operand has type %s",
                           hyb_dtype_name (dtype));
}

static gboolean
prepare_integers (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  return !hyb_dtype_is_float (dtype) ||
         hyb_refuse_types (error, "Convert the operands to an integer type first",
                           "this needs integers, but the operand has type %s",
                           hyb_dtype_name (dtype));
}

/* True divisions turn integers and bool into float32. */
static gboolean
divide_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  if (dtype != HYB_DTYPE_UNKNOWN && !hyb_dtype_is_float (dtype))
    return hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
  return hyb_rule_dtype_first (call, error);
}

#define copysign_prepare                NULL
#define ldexp_prepare                   NULL
#define arctan2_prepare                 prepare_floats
#define copysign_scalar_infer_dtype     hyb_scalar_infer_dtype
#define rcopysign_scalar_infer_dtype    hyb_scalar_infer_dtype
#define arctan2_scalar_infer_dtype      hyb_scalar_infer_dtype
#define rarctan2_scalar_infer_dtype     hyb_scalar_infer_dtype
#define ldexp_scalar_infer_dtype        hyb_scalar_infer_dtype
#define rldexp_scalar_infer_dtype       hyb_scalar_infer_dtype
#define true_divide_scalar_infer_dtype  divide_infer_dtype
#define rtrue_divide_scalar_infer_dtype divide_infer_dtype

#define ROW(id, FUNCTION, summary)                                  \
  static void id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                 \
    hyb_binary_forward (call, run, HYB_BINARY_##FUNCTION);          \
  }
SMOOTH_ROWS (ROW)
INTEGER_ROWS (ROW)
#undef ROW

#define ROW(id, FUNCTION, summary)                           \
  static void id##_gradient (HybGrad *grad)                  \
  {                                                          \
    hyb_binary_gradient (grad, HYB_BINARY_##FUNCTION, TRUE); \
  }
SMOOTH_ROWS (ROW)
#undef ROW

#define ROW(id, FUNCTION, is_reversed, summary)                            \
  static void id##_scalar_forward (const HybCall *call, const HybRun *run) \
  {                                                                        \
    hyb_scalar_forward (call, run, HYB_BINARY_##FUNCTION, is_reversed);    \
  }
SCALAR_ROWS (ROW)
#undef ROW

#define ROW(id, FUNCTION, summary)                                         \
  static void id##_scalar_forward (const HybCall *call, const HybRun *run) \
  {                                                                        \
    hyb_scalar_forward (call, run, HYB_BINARY_##FUNCTION, FALSE);          \
  }
INTEGER_ROWS (ROW)
#undef ROW

/* --- Gradients of a tensor x and a number s, from the incoming gradient g --- */

static double
scalar_of (HybGrad *grad)
{
  return ((const HybScalarParams *) hyb_grad_params (grad))->scalar;
}

/* factor × g */
static void
set_multiple (HybGrad *grad, HybValueId g, double factor)
{
  hyb_grad_set_input (grad, 0, hyb_grad_emit_scalar (grad, "_mul_scalar", g, factor));
}

/* ± sign(x) g */
static void
copysign_scalar_gradient (HybGrad *grad)
{
  HybValueId one = hyb_grad_emit (grad, "ones_like", hyb_grad_input (grad, 0), HYB_NO_ID);
  HybValueId sign =
      hyb_grad_emit (grad, "_backward_copysign_lhs", one, hyb_grad_input (grad, 0), one, HYB_NO_ID);

  set_multiple (grad,
                hyb_grad_emit (grad, "elemwise_mul", sign, hyb_grad_incoming (grad, 0), HYB_NO_ID),
                signbit (scalar_of (grad)) ? -1 : 1);
}

/* Constant almost everywhere. */
static void
rcopysign_scalar_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit (grad, "zeros_like", hyb_grad_input (grad, 0), HYB_NO_ID));
}

/* factor × g / (x² + s²) */
static void
set_angle_gradient (HybGrad *grad, double factor)
{
  double     s = scalar_of (grad);
  HybValueId square = hyb_grad_emit (grad, "square", hyb_grad_input (grad, 0), HYB_NO_ID);
  HybValueId sum = hyb_grad_emit_scalar (grad, "_plus_scalar", square, s * s);

  set_multiple (grad,
                hyb_grad_emit (grad, "elemwise_div", hyb_grad_incoming (grad, 0), sum, HYB_NO_ID),
                factor);
}

static void
arctan2_scalar_gradient (HybGrad *grad)
{
  set_angle_gradient (grad, scalar_of (grad));
}

static void
rarctan2_scalar_gradient (HybGrad *grad)
{
  set_angle_gradient (grad, -scalar_of (grad));
}

static void
ldexp_scalar_gradient (HybGrad *grad)
{
  set_multiple (grad, hyb_grad_incoming (grad, 0), exp2 (scalar_of (grad)));
}

static void
rldexp_scalar_gradient (HybGrad *grad)
{
  set_multiple (grad,
                hyb_grad_emit (grad, "elemwise_mul", hyb_grad_incoming (grad, 0),
                               hyb_grad_output (grad, 0), HYB_NO_ID),
                M_LN2);
}

static void
true_divide_scalar_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit_scalar (grad, "_div_scalar", hyb_grad_incoming (grad, 0),
                                            scalar_of (grad)));
}

static void
rtrue_divide_scalar_gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_rdiv_scalar", 2, inputs));
}

static const char *const two_inputs[] = { "lhs", "rhs", NULL };
static const char *const one_input[] = { "data", NULL };

#define TENSORS(id, summary)                                                                     \
  .name = "_npi_" #id, .doc = summary ", element by element; axes of size one are repeated.",    \
  .category = HYB_CATEGORY_ELEMENTWISE, .inputs = two_inputs, .infer_shape = hyb_rule_broadcast, \
  .forward = id##_forward
#define NUMBER(id, summary)                                                                  \
  .name = "_npi_" #id "_scalar", .doc = summary, .category = HYB_CATEGORY_ELEMENTWISE,       \
  .inputs = one_input, .params = hyb_scalar_params, .params_size = sizeof (HybScalarParams), \
  .infer_shape = hyb_rule_unary, .forward = id##_scalar_forward

#define SMOOTH(id, FUNCTION, summary)                                         \
  { TENSORS (id, summary), .flags = HYB_OP_IN_PLACE, .prepare = id##_prepare, \
    .dtypes = HYB_DTYPES_ELEMENTWISE, .gradient = id##_gradient },
#define INTEGER(id, FUNCTION, summary)                                              \
  { TENSORS (id, summary), .flags = HYB_OP_IN_PLACE | HYB_OP_NO_GRADIENT,           \
    .prepare = prepare_integers, .dtypes = HYB_DTYPES_ELEMENTWISE },                \
      { NUMBER (id, summary ", of each element and a number."),                     \
        .flags = HYB_OP_IN_PLACE | HYB_OP_NO_GRADIENT, .prepare = prepare_integers, \
        .dtypes = HYB_DTYPES_ELEMENTWISE },
#define SCALAR(id, FUNCTION, is_reversed, summary)                                            \
  { NUMBER (id, "For each element x and a number s, " summary "."), .flags = HYB_OP_IN_PLACE, \
    .infer_dtype = id##_scalar_infer_dtype, .dtypes = HYB_DTYPES_ELEMENTWISE,                 \
    .gradient = id##_scalar_gradient },

const HybOp hyb_ops_numpy_binary[] = {
  SMOOTH_ROWS (SMOOTH)   //
  INTEGER_ROWS (INTEGER) //
  SCALAR_ROWS (SCALAR)   //
  { 0 },
};

#undef SMOOTH
#undef INTEGER
#undef SCALAR
#undef TENSORS
#undef NUMBER
#undef SCALAR_ROWS
#undef INTEGER_ROWS
#undef SMOOTH_ROWS
