/* elementwise-unary.c — roots, exponentials, logarithms and trigonometric functions of one tensor.
 *
 * unary-family.h explains the tables of formulas.  Rounding, signs and clipping are in
 * elementwise-simple.c, activations and special functions in elementwise-special.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/vector-doubles.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/ops/elementwise/unary-family.h"

/* row name, description, f(x), operand of the derivative (x or y), f′ × g */
#define ROWS(ROW)                                                      \
  ROW (sqrt, "Square root.", sqrt (x), y, g / (2 * y))                 \
  ROW (rsqrt, "1 / √x.", 1 / sqrt (x), x, -g / (2 * x * sqrt (x)))     \
  ROW (cbrt, "Cube root.", cbrt (x), y, g / (3 * y * y))               \
  ROW (rcbrt, "1 / ∛x.", 1 / cbrt (x), x, -g / (3 * x * cbrt (x)))     \
  ROW (reciprocal, "1 / x.", 1 / x, x, -g / (x * x))                   \
  ROW (log10, "Logarithm to base 10.", log10 (x), x, g / (x * M_LN10)) \
  ROW (log2, "Logarithm to base 2.", log2 (x), x, g / (x * M_LN2))

/* Linear functions: the gradient is the same function of the incoming gradient. */
#define LINEAR_ROWS(ROW)                                 \
  ROW (degrees, "Radians to degrees.", x / (M_PI / 180)) \
  ROW (radians, "Degrees to radians.", x / (180 / M_PI))

/* row name, description, vectorised loops for float and double, operand of the derivative, f′ × g */
#define DOUBLE_ROWS(ROW)                                                 \
  ROW (exp, "Exponential.", hyb_vector_exp, hyb_vector_exp_f64, y, y *g) \
  ROW (tanh, "Hyperbolic tangent.", hyb_vector_tanh, hyb_vector_tanh_f64, y, (1 - y * y) * g)

/* As ROWS, with the name of a vectorised loop for float before f(x). */
#define VECTOR_ROWS(ROW)                                                                          \
  ROW (sigmoid, "1 / (1 + exp −x).", hyb_vector_sigmoid, 1 / (1 + exp (-x)), y, (1 - y) * y * g)  \
  ROW (expm1, "exp x − 1, exact for small x.", hyb_vector_expm1, expm1 (x), x, exp (x) * g)       \
  ROW (log, "Natural logarithm.", hyb_vector_log, log (x), x, g / x)                              \
  ROW (sin, "Sine.", hyb_vector_sin, sin (x), x, cos (x) * g)                                     \
  ROW (cos, "Cosine.", hyb_vector_cos, cos (x), x, sin (x) * -g)                                  \
  ROW (tan, "Tangent.", hyb_vector_tan, tan (x), y, (y * y + 1) * g)                              \
  ROW (arcsin, "Inverse sine.", hyb_vector_asin, asin (x), x, g / sqrt (1 - x * x))               \
  ROW (arccos, "Inverse cosine.", hyb_vector_acos, acos (x), x, -g / sqrt (1 - x * x))            \
  ROW (arctan, "Inverse tangent.", hyb_vector_atan, atan (x), x, g / (1 + x * x))                 \
  ROW (log1p, "log (1 + x), exact for small x.", hyb_vector_log1p, log1p (x), x, g / (1 + x))     \
  ROW (sinh, "Hyperbolic sine.", hyb_vector_sinh, sinh (x), x, cosh (x) * g)                      \
  ROW (cosh, "Hyperbolic cosine.", hyb_vector_cosh, cosh (x), x, sinh (x) * g)                    \
  ROW (arcsinh, "Inverse hyperbolic sine.", hyb_vector_asinh, asinh (x), x, g / sqrt (1 + x * x)) \
  ROW (arccosh, "Inverse hyperbolic cosine.", hyb_vector_acosh, acosh (x), x,                     \
       g / sqrt (x * x - 1))                                                                      \
  ROW (arctanh, "Inverse hyperbolic tangent.", hyb_vector_atanh, atanh (x), x, g / (1 - x * x))

#define ROW(id, text, formula, variable, derivative) \
  UNARY_FORWARD (id, formula)                        \
  UNARY_BACKWARD (id, variable, derivative)
ROWS (ROW)
#undef ROW

#define ROW(id, text, function, formula, variable, derivative) \
  UNARY_FORWARD_VECTOR (id, function, formula)                 \
  UNARY_BACKWARD (id, variable, derivative)
VECTOR_ROWS (ROW)
#undef ROW

#define ROW(id, text, function, function_f64, variable, derivative)                \
  UNARY_VECTOR_LOOP (id, float, f32, function)                                     \
  UNARY_VECTOR_LOOP (id, double, f64, function_f64)                                \
  static void id##_forward (const HybCall *call, const HybRun *run)                \
  {                                                                                \
    unary_run (call, run, call->output[0].dtype == HYB_F64 ? id##_f64 : id##_f32); \
  }                                                                                \
  UNARY_BACKWARD (id, variable, derivative)
DOUBLE_ROWS (ROW)
#undef ROW

#define ROW(id, text, formula)                                                              \
  UNARY_FORWARD (id, formula)                                                               \
  static void id##_gradient (HybGrad *grad)                                                 \
  {                                                                                         \
    hyb_grad_set_input (grad, 0,                                                            \
                        hyb_grad_emit (grad, #id, hyb_grad_incoming (grad, 0), HYB_NO_ID)); \
  }
LINEAR_ROWS (ROW)
#undef ROW

#define LINEAR_OP(id, text, formula) UNARY_OP (id, text),
#define ROW(id, text, ...)           UNARY_OP (id, text), UNARY_BACKWARD_OP (id),

const HybOp hyb_ops_elementwise_unary[] = {
  ROWS (ROW)              //
  DOUBLE_ROWS (ROW)       //
  VECTOR_ROWS (ROW)       //
  LINEAR_ROWS (LINEAR_OP) //
  { 0 },
};

#undef ROW
#undef LINEAR_OP
#undef LINEAR_ROWS
#undef VECTOR_ROWS
#undef DOUBLE_ROWS
#undef ROWS
