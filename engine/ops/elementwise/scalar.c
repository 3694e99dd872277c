/* scalar.c — _plus_scalar, _equal_scalar …: functions of a tensor x and a number s, which is an
 * attribute.
 *
 * s is converted to the element type of the result, so int32 data times 1.5 is times 1, and −1 beside
 * uint8 data is 255; except if is_int is False, because then integer data give a float64 result.  The
 * tables of rows expand to one operator each.  Start with hyb_scalar_forward() and DIFFERENTIABLE_ROWS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/scalar-family.h"

#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

const HybParam hyb_scalar_params[] = {
  { HYB_FIELD (HybScalarParams, scalar), HYB_PARAM_FLOAT, "1.0", .doc = "the other operand" },
  { HYB_FIELD (HybScalarParams, is_int), HYB_PARAM_BOOL, "True",
    .doc = "whether the scalar was written as an integer" },
  { 0 },
};

gboolean
hyb_scalar_infer_dtype (HybCall *call, GError **error)
{
  const HybScalarParams *params = call->params;
  HybDType               dtype = call->input[0].dtype;

  if (dtype == HYB_BOOL)
    return hyb_dtype_assign (&call->output[0].dtype, params->is_int ? HYB_I64 : HYB_F64, error);
  if (dtype != HYB_DTYPE_UNKNOWN && !hyb_dtype_is_float (dtype) && !params->is_int)
    return hyb_dtype_assign (&call->output[0].dtype, HYB_F64, error);
  return hyb_rule_dtype_first (call, error);
}

typedef struct
{
  HybBinaryLoop loop;
  HybDType      from, to;
  gboolean      is_reversed; /* function (s, x), not function (x, s) */
  gconstpointer scalar;      /* one element of type `to` */
  gconstpointer x;
  gpointer      y;
} ScalarOperands;

/* Elements converted on the stack at once, where input and output differ in type. */
#define PIECE 1024

static void
scalar_slice (gint64 begin, gint64 end, gpointer data)
{
  const ScalarOperands *operands = data;
  gint64                size_from = (gint64) hyb_dtype_size (operands->from);
  gint64                size_to = (gint64) hyb_dtype_size (operands->to);
  gint64                piece = operands->from == operands->to ? end - begin : PIECE;
  gint64                converted[PIECE];

  for (gint64 at = begin; at < end; at += piece)
    {
      gint64        n = MIN (piece, end - at);
      gconstpointer x = (const char *) operands->x + at * size_from;
      char         *y = (char *) operands->y + at * size_to;

      if (operands->from != operands->to)
        {
          hyb_dtype_convert (converted, operands->to, x, operands->from, (gsize) n);
          x = converted;
        }
      if (operands->is_reversed)
        operands->loop (operands->scalar, 0, x, 1, y, n);
      else
        operands->loop (x, 1, operands->scalar, 0, y, n);
    }
}

void
hyb_scalar_forward (const HybCall *call,
                    const HybRun  *run,
                    HybBinary      function,
                    gboolean       is_reversed)
{
  const HybScalarParams *params = call->params;
  gint64                 scalar;
  ScalarOperands         operands = {
            .loop = hyb_binary_loop (function, call->output[0].dtype),
            .from = call->input[0].dtype,
            .to = call->output[0].dtype,
            .is_reversed = is_reversed,
            .scalar = &scalar,
            .x = run->input[0],
            .y = run->output[0],
  };

  hyb_dtype_set_double (&scalar, operands.to, 0, params->scalar);
  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN, scalar_slice,
                    &operands);
}

/* row name, HybBinary function, is_reversed, name in files, alias or NULL, description, gradient */
#define NONLINEAR(id) "_backward_" id "_scalar* (g0, i0) > i0"
#define DIFFERENTIABLE_ROWS(ROW)                                                                \
  ROW (plus, ADD, FALSE, "_plus_scalar", "_PlusScalar", "x + s", "g0 > i0")                     \
  ROW (minus, SUB, FALSE, "_minus_scalar", "_MinusScalar", "x − s", "g0 > i0")                  \
  ROW (rminus, SUB, TRUE, "_rminus_scalar", "_RMinusScalar", "s − x", "negative (g0) > i0")     \
  ROW (mul, MUL, FALSE, "_mul_scalar", "_MulScalar", "x s", "_mul_scalar* (g0) > i0")           \
  ROW (div, DIV, FALSE, "_div_scalar", "_DivScalar", "x / s", "_div_scalar* (g0) > i0")         \
  ROW (rdiv, DIV, TRUE, "_rdiv_scalar", "_RDivScalar", "s / x", NONLINEAR ("rdiv"))             \
  ROW (mod, MOD, FALSE, "_mod_scalar", "_ModScalar", "x mod s, with the sign of s", "g0 > i0")  \
  ROW (rmod, MOD, TRUE, "_rmod_scalar", "_RModScalar", "s mod x, with the sign of x",           \
       NONLINEAR ("rmod"))                                                                      \
  ROW (power, POWER, FALSE, "_power_scalar", "_PowerScalar", "x to the power s",                \
       NONLINEAR ("power"))                                                                     \
  ROW (rpower, POWER, TRUE, "_rpower_scalar", "_RPowerScalar", "s to the power x",              \
       NONLINEAR ("rpower"))                                                                    \
  ROW (maximum, MAXIMUM, FALSE, "_maximum_scalar", "_MaximumScalar", "the larger of x and s",   \
       NONLINEAR ("maximum"))                                                                   \
  ROW (minimum, MINIMUM, FALSE, "_minimum_scalar", "_MinimumScalar", "the smaller of x and s",  \
       NONLINEAR ("minimum"))                                                                   \
  ROW (hypot, HYPOT, FALSE, "_hypot_scalar", "_HypotScalar", "√(x² + s²)", NONLINEAR ("hypot")) \
  ROW (scatter_plus, ADD, FALSE, "_scatter_plus_scalar", NULL, "x + s for stored elements",     \
       "g0 > i0")                                                                               \
  ROW (scatter_minus, SUB, FALSE, "_scatter_minus_scalar", NULL, "x − s for stored elements",   \
       "g0 > i0")

#define STEP_ROWS(ROW)                                                                             \
  ROW (equal, EQUAL, FALSE, "_equal_scalar", "_EqualScalar", "x = s")                              \
  ROW (not_equal, NOT_EQUAL, FALSE, "_not_equal_scalar", "_NotEqualScalar", "x ≠ s")               \
  ROW (greater, GREATER, FALSE, "_greater_scalar", "_GreaterScalar", "x > s")                      \
  ROW (greater_equal, GREATER_EQUAL, FALSE, "_greater_equal_scalar", "_GreaterEqualScalar",        \
       "x ≥ s")                                                                                    \
  ROW (lesser, LESSER, FALSE, "_lesser_scalar", "_LesserScalar", "x < s")                          \
  ROW (lesser_equal, LESSER_EQUAL, FALSE, "_lesser_equal_scalar", "_LesserEqualScalar", "x ≤ s")   \
  ROW (logical_and, LOGICAL_AND, FALSE, "_logical_and_scalar", "_LogicalAndScalar",                \
       "x and s are not 0")                                                                        \
  ROW (logical_or, LOGICAL_OR, FALSE, "_logical_or_scalar", "_LogicalOrScalar", "x or s is not 0") \
  ROW (logical_xor, LOGICAL_XOR, FALSE, "_logical_xor_scalar", "_LogicalXorScalar",                \
       "one of x and s is not 0")

#define ROW(id, FUNCTION, is_reversed, ...)                             \
  static void id##_forward (const HybCall *call, const HybRun *run)     \
  {                                                                     \
    hyb_scalar_forward (call, run, HYB_BINARY_##FUNCTION, is_reversed); \
  }
DIFFERENTIABLE_ROWS (ROW)
STEP_ROWS (ROW)
#undef ROW

typedef struct
{
  gconstpointer g, x;
  gpointer      dx;
  double        scalar;
} GradientOperands;

/* Gradients that depend on the data x: row name of the function, formula as text, formula in C of
 * the incoming gradient g, x and s. */
#define GRADIENT_ROWS(ROW)                                          \
  ROW (rdiv, "−g s / x²", s / (x * x) * -g)                         \
  ROW (rmod, "−g ⌊s / x⌋", floor (s / x) * -g)                      \
  ROW (power, "g s x^(s−1)", (s == 2 ? x : pow (x, s - 1)) * s * g) \
  ROW (rpower, "g s^x log s", pow (s, x) * log (s) * g)             \
  ROW (maximum, "g where x ≥ s", x >= s ? g : 0)                    \
  ROW (minimum, "g where x ≤ s", x <= s ? g : 0)                    \
  ROW (hypot, "g x / √(x² + s²)", x / hypot (x, s) * g)

#define GRADIENT_LOOP(id, T, suffix, formula)                                  \
  static void id##_gradient_##suffix (gint64 begin, gint64 end, gpointer data) \
  {                                                                            \
    const GradientOperands *operands = data;                                   \
    const T                *gs = operands->g, *xs = operands->x;               \
    T                      *dx = operands->dx, s = (T) operands->scalar;       \
                                                                               \
    HYB_INDEPENDENT                                                            \
    for (gint64 i = begin; i < end; i++)                                       \
      {                                                                        \
        T g = gs[i], x = xs[i];                                                \
        dx[i] = formula;                                                       \
      }                                                                        \
  }

#define ROW(id, text, formula)                                                                  \
  GRADIENT_LOOP (id, float, f32, formula)                                                       \
  GRADIENT_LOOP (id, double, f64, formula)                                                      \
  static void id##_backward (const HybCall *call, const HybRun *run)                            \
  {                                                                                             \
    scalar_backward (call, run,                                                                 \
                     call->output[0].dtype == HYB_F64 ? id##_gradient_f64 : id##_gradient_f32); \
  }

static void
scalar_backward (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  const HybScalarParams *params = call->params;
  GradientOperands operands = { run->input[0], run->input[1], run->output[0], params->scalar };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN / 4, slice, &operands);
}

GRADIENT_ROWS (ROW)
#undef ROW
#undef GRADIENT_LOOP

/* --- Second gradients --- */

/* The gradient operator `op` maps (g, x) to g f′(x).  From its incoming gradient h follow
 * dg = h f′(x), the same operator, and dx = h g f″(x); slope is f″(x), or HYB_NO_ID if it is 0. */
static void
second_gradient (HybGrad *grad, const char *op, HybValueId slope)
{
  HybValueId h = hyb_grad_incoming (grad, 0), g = hyb_grad_input (grad, 0);
  HybValueId x = hyb_grad_input (grad, 1);

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 2, (HybValueId[]){ h, x }));
  if (slope != HYB_NO_ID)
    hyb_grad_set_input (grad, 1,
                        hyb_grad_emit (grad, "elemwise_mul",
                                       hyb_grad_emit (grad, "elemwise_mul", h, g, HYB_NO_ID), slope,
                                       HYB_NO_ID));
}

/* factor × x^exponent */
static HybValueId
monomial (HybGrad *grad, double factor, double exponent)
{
  return hyb_grad_emit_scalar (grad, "_mul_scalar",
                               hyb_grad_emit_scalar (grad, "_power_scalar",
                                                     hyb_grad_input (grad, 1), exponent),
                               factor);
}

static double
scalar_of (HybGrad *grad)
{
  return ((const HybScalarParams *) hyb_grad_params (grad))->scalar;
}

static void
power_second_gradient (HybGrad *grad)
{
  double s = scalar_of (grad);

  second_gradient (grad, "_backward_power_scalar", monomial (grad, s * (s - 1), s - 2));
}

static void
rdiv_second_gradient (HybGrad *grad)
{
  second_gradient (grad, "_backward_rdiv_scalar", monomial (grad, 2 * scalar_of (grad), -3));
}

static void
rpower_second_gradient (HybGrad *grad)
{
  double     s = scalar_of (grad), log_s = log (s);
  HybValueId value = hyb_grad_emit_scalar (grad, "_rpower_scalar", hyb_grad_input (grad, 1), s);

  second_gradient (grad, "_backward_rpower_scalar",
                   hyb_grad_emit_scalar (grad, "_mul_scalar", value, log_s * log_s));
}

static void
maximum_second_gradient (HybGrad *grad)
{
  second_gradient (grad, "_backward_maximum_scalar", HYB_NO_ID);
}

static void
minimum_second_gradient (HybGrad *grad)
{
  second_gradient (grad, "_backward_minimum_scalar", HYB_NO_ID);
}

/* The others cannot be differentiated again; asking for it is an error that names the operator. */
#define rmod_second_gradient  NULL
#define hypot_second_gradient NULL

static const char *const inputs[] = { "data", NULL };
static const char *const gradient_inputs[] = { "gradient", "data", NULL };

#define COMMON(id, text, alias, summary)                                                        \
  .name = text, .aliases = (const char *const[]){ alias, NULL },                                \
  .doc = summary ", with a number s given as attribute.", .category = HYB_CATEGORY_ELEMENTWISE, \
  .inputs = inputs, .params = hyb_scalar_params, .params_size = sizeof (HybScalarParams),       \
  .infer_shape = hyb_rule_unary, .infer_dtype = hyb_scalar_infer_dtype,                         \
  .dtypes = HYB_DTYPES_ELEMENTWISE, .forward = id##_forward

#define SMOOTH(id, FUNCTION, is_reversed, text, alias, summary, derivative)         \
  { COMMON (id, text, alias, summary), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE, \
    HYB_GRADIENT (derivative) },
#define STEP(id, FUNCTION, is_reversed, text, alias, summary) \
  { COMMON (id, text, alias, "1 where " summary),             \
    .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT },
#define BACKWARD(id, text, formula)                                \
  {                                                                \
    .name = "_backward_" #id "_scalar",                            \
    .doc = "Gradient of the data: " text ".",                      \
    .category = HYB_CATEGORY_ELEMENTWISE,                          \
    .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE, \
    .inputs = gradient_inputs,                                     \
    .params = hyb_scalar_params,                                   \
    .params_size = sizeof (HybScalarParams),                       \
    .infer_shape = hyb_rule_same_shape,                            \
    .dtypes = HYB_DTYPES_FLOAT,                                    \
    .forward = id##_backward,                                      \
    .gradient = id##_second_gradient,                              \
  },

const HybOp hyb_ops_scalar[] = {
  DIFFERENTIABLE_ROWS (SMOOTH) //
  STEP_ROWS (STEP)             //
  GRADIENT_ROWS (BACKWARD)     //
  { 0 },
};

#undef SMOOTH
#undef NONLINEAR
#undef STEP
#undef BACKWARD
#undef COMMON
#undef rmod_second_gradient
#undef hypot_second_gradient
#undef GRADIENT_ROWS
#undef STEP_ROWS
#undef DIFFERENTIABLE_ROWS
