/* scalar.c — functions of a tensor and a number given as attribute.
 *
 * The number takes the element type of the result: int32 data times 1.5 is times 1, unless
 * is_int says that the number was no integer; then integer data give float64.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  double   scalar;
  gboolean is_int;
} ScalarParams;

static const HybParam scalar_params[] = {
  { HYB_FIELD (ScalarParams, scalar), HYB_PARAM_FLOAT, "1.0", .doc = "the other operand" },
  { HYB_FIELD (ScalarParams, is_int),
    HYB_PARAM_BOOL,
    "True",
    .doc = "whether the scalar was written as an integer" },
  { 0 },
};

static gboolean
scalar_infer_dtype (HybCall *call, GError **error)
{
  const ScalarParams *params = call->params;
  HybDType            dtype = call->input[0].dtype;

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
  gboolean      is_reversed;
  gconstpointer scalar;
  gconstpointer x;
  gpointer      y;
} ScalarWork;

/* Elements converted at once where input and output differ. */
#define PIECE 1024

static void
scalar_slice (gint64 begin, gint64 end, gpointer data)
{
  const ScalarWork *work = data;
  gint64            size_from = (gint64) hyb_dtype_size (work->from);
  gint64            size_to = (gint64) hyb_dtype_size (work->to);
  gint64            piece = work->from == work->to ? end - begin : PIECE;
  gint64            converted[PIECE];

  for (gint64 at = begin; at < end; at += piece)
    {
      gint64        n = MIN (piece, end - at);
      gconstpointer x = (const char *) work->x + at * size_from;
      char         *y = (char *) work->y + at * size_to;

      if (work->from != work->to)
        {
          hyb_dtype_convert (converted, work->to, x, work->from, (gsize) n);
          x = converted;
        }
      if (work->is_reversed)
        work->loop (work->scalar, 0, x, 1, y, n);
      else
        work->loop (x, 1, work->scalar, 0, y, n);
    }
}

static void
scalar_forward (const HybCall *call, const HybRun *run, HybBinary function, gboolean is_reversed)
{
  const ScalarParams *params = call->params;
  gint64              scalar;
  ScalarWork          work = {
             .loop = hyb_binary_loop (function, call->output[0].dtype),
             .from = call->input[0].dtype,
             .to = call->output[0].dtype,
             .is_reversed = is_reversed,
             .scalar = &scalar,
             .x = run->input[0],
             .y = run->output[0],
  };

  hyb_dtype_set_double (&scalar, work.to, 0, params->scalar);
  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN, scalar_slice, &work);
}

/* row name, function, scalar on the left, names in files, description */
#define DIFFERENTIABLE_ROWS(ROW)                                                               \
  ROW (plus, ADD, FALSE, "_plus_scalar", "_PlusScalar", "x + s")                               \
  ROW (minus, SUB, FALSE, "_minus_scalar", "_MinusScalar", "x − s")                            \
  ROW (rminus, SUB, TRUE, "_rminus_scalar", "_RMinusScalar", "s − x")                          \
  ROW (mul, MUL, FALSE, "_mul_scalar", "_MulScalar", "x s")                                    \
  ROW (div, DIV, FALSE, "_div_scalar", "_DivScalar", "x / s")                                  \
  ROW (rdiv, DIV, TRUE, "_rdiv_scalar", "_RDivScalar", "s / x")                                \
  ROW (mod, MOD, FALSE, "_mod_scalar", "_ModScalar", "x mod s, with the sign of s")            \
  ROW (rmod, MOD, TRUE, "_rmod_scalar", "_RModScalar", "s mod x, with the sign of x")          \
  ROW (power, POWER, FALSE, "_power_scalar", "_PowerScalar", "x to the power s")               \
  ROW (rpower, POWER, TRUE, "_rpower_scalar", "_RPowerScalar", "s to the power x")             \
  ROW (maximum, MAXIMUM, FALSE, "_maximum_scalar", "_MaximumScalar", "the larger of x and s")  \
  ROW (minimum, MINIMUM, FALSE, "_minimum_scalar", "_MinimumScalar", "the smaller of x and s") \
  ROW (hypot, HYPOT, FALSE, "_hypot_scalar", "_HypotScalar", "√(x² + s²)")                     \
  ROW (scatter_plus, ADD, FALSE, "_scatter_plus_scalar", NULL, "x + s where x is stored")      \
  ROW (scatter_minus, SUB, FALSE, "_scatter_minus_scalar", NULL, "x − s where x is stored")

#define STEP_ROWS(ROW)                                                                             \
  ROW (equal, EQUAL, FALSE, "_equal_scalar", "_EqualScalar", "x = s")                              \
  ROW (not_equal, NOT_EQUAL, FALSE, "_not_equal_scalar", "_NotEqualScalar", "x ≠ s")               \
  ROW (greater, GREATER, FALSE, "_greater_scalar", "_GreaterScalar", "x > s")                      \
  ROW (greater_equal,                                                                              \
       GREATER_EQUAL,                                                                              \
       FALSE,                                                                                      \
       "_greater_equal_scalar",                                                                    \
       "_GreaterEqualScalar",                                                                      \
       "x ≥ s")                                                                                    \
  ROW (lesser, LESSER, FALSE, "_lesser_scalar", "_LesserScalar", "x < s")                          \
  ROW (lesser_equal, LESSER_EQUAL, FALSE, "_lesser_equal_scalar", "_LesserEqualScalar", "x ≤ s")   \
  ROW (logical_and,                                                                                \
       LOGICAL_AND,                                                                                \
       FALSE,                                                                                      \
       "_logical_and_scalar",                                                                      \
       "_LogicalAndScalar",                                                                        \
       "x and s are not 0")                                                                        \
  ROW (logical_or, LOGICAL_OR, FALSE, "_logical_or_scalar", "_LogicalOrScalar", "x or s is not 0") \
  ROW (logical_xor,                                                                                \
       LOGICAL_XOR,                                                                                \
       FALSE,                                                                                      \
       "_logical_xor_scalar",                                                                      \
       "_LogicalXorScalar",                                                                        \
       "one of x and s is not 0")

#define ROW(id, FUNCTION, is_reversed, text, alias, summary)        \
  static void id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                 \
    scalar_forward (call, run, HYB_BINARY_##FUNCTION, is_reversed); \
  }
DIFFERENTIABLE_ROWS (ROW)
STEP_ROWS (ROW)
#undef ROW

typedef struct
{
  gconstpointer g, x;
  gpointer      dx;
  double        scalar;
} GradientWork;

/* Gradients that need the data x, by the function's row. */
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
    const GradientWork *work = data;                                           \
    const T            *gs = work->g, *xs = work->x;                           \
    T                  *dx = work->dx, s = (T) work->scalar;                   \
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
    scalar_backward (call,                                                                      \
                     run,                                                                       \
                     call->output[0].dtype == HYB_F64 ? id##_gradient_f64 : id##_gradient_f32); \
  }

static void
scalar_backward (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  const ScalarParams *params = call->params;
  GradientWork        work = { run->input[0], run->input[1], run->output[0], params->scalar };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN / 4, slice, &work);
}

GRADIENT_ROWS (ROW)
#undef ROW
#undef GRADIENT_LOOP

/* _mul_scalar and _div_scalar do to the gradient what they did to the data. */
static void
linear_gradient (HybGrad *grad, const char *op)
{
  HybValueId g = hyb_grad_incoming (grad, 0);

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 1, &g));
}

static void
curved_gradient (HybGrad *grad, const char *op)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 2, inputs));
}

static void
plus_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0, hyb_grad_incoming (grad, 0));
}

#define minus_gradient         plus_gradient
#define mod_gradient           plus_gradient
#define scatter_plus_gradient  plus_gradient
#define scatter_minus_gradient plus_gradient

static void
rminus_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad,
                      0,
                      hyb_grad_emit (grad, "negative", hyb_grad_incoming (grad, 0), HYB_NO_ID));
}

static void
mul_gradient (HybGrad *grad)
{
  linear_gradient (grad, "_mul_scalar");
}

static void
div_gradient (HybGrad *grad)
{
  linear_gradient (grad, "_div_scalar");
}

#define ROW(id, text, formula)                          \
  static void id##_gradient (HybGrad *grad)             \
  {                                                     \
    curved_gradient (grad, "_backward_" #id "_scalar"); \
  }
GRADIENT_ROWS (ROW)
#undef ROW

/* --- Once more --- */

/* Linear in g; slope: the second derivative of the function at the data, NULL: zero. */
static void
second_gradient (HybGrad *grad, const char *op, HybValueId slope)
{
  HybValueId h = hyb_grad_incoming (grad, 0), g = hyb_grad_input (grad, 0);
  HybValueId x = hyb_grad_input (grad, 1);

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 2, (HybValueId[]){ h, x }));
  if (slope != HYB_NO_ID)
    hyb_grad_set_input (grad,
                        1,
                        hyb_grad_emit (grad,
                                       "elemwise_mul",
                                       hyb_grad_emit (grad, "elemwise_mul", h, g, HYB_NO_ID),
                                       slope,
                                       HYB_NO_ID));
}

/* factor · x^exponent */
static HybValueId
monomial (HybGrad *grad, double factor, double exponent)
{
  return hyb_grad_emit_scalar (grad,
                               "_mul_scalar",
                               hyb_grad_emit_scalar (grad,
                                                     "_power_scalar",
                                                     hyb_grad_input (grad, 1),
                                                     exponent),
                               factor);
}

static double
scalar_of (HybGrad *grad)
{
  return ((const ScalarParams *) hyb_grad_params (grad))->scalar;
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

  second_gradient (grad,
                   "_backward_rpower_scalar",
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

/* The others have none, and are refused by name. */
#define rmod_second_gradient  NULL
#define hypot_second_gradient NULL

static const char *const inputs[] = { "data", NULL };
static const char *const gradient_inputs[] = { "gradient", "data", NULL };

#define COMMON(id, text, alias, summary)                                                        \
  .name = text, .aliases = (const char *const[]){ alias, NULL },                                \
  .doc = summary ", with a number s given as attribute.", .category = HYB_CATEGORY_ELEMENTWISE, \
  .inputs = inputs, .params = scalar_params, .params_size = sizeof (ScalarParams),              \
  .infer_shape = hyb_rule_unary, .infer_dtype = scalar_infer_dtype,                             \
  .dtypes = HYB_DTYPES_ELEMENTWISE, .forward = id##_forward

#define SMOOTH(id, FUNCTION, is_reversed, text, alias, summary) \
  { COMMON (id, text, alias, summary),                          \
    .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,                \
    .gradient = id##_gradient },
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
    .params = scalar_params,                                       \
    .params_size = sizeof (ScalarParams),                          \
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
#undef STEP
#undef BACKWARD
#undef COMMON
#undef rmod_second_gradient
#undef hypot_second_gradient
#undef GRADIENT_ROWS
#undef STEP_ROWS
#undef DIFFERENTIABLE_ROWS
