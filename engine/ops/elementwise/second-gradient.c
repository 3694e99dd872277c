/* second-gradient.c — gradients of the operators “_backward_…” of functions of one tensor.
 *
 * Such an operator computes (g, v) ↦ g d(v), where d is the derivative of a function f and v is the
 * input or the output of f.  Its own gradient needs d′, the derivative of d by v: slope_…() emits it
 * for each function, and `rows` lists them.  Start with hyb_second_gradient_unary().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/second-gradient.h"

#include <math.h>
#include <string.h>

/* --- Parts of formulas --- */

static HybValueId
unary (HybGrad *grad, const char *op, HybValueId x)
{
  return hyb_grad_emit (grad, op, x, HYB_NO_ID);
}

static HybValueId
times (HybGrad *grad, HybValueId x, double factor)
{
  return hyb_grad_emit_scalar (grad, "_mul_scalar", x, factor);
}

static HybValueId
plus (HybGrad *grad, HybValueId x, double term)
{
  return hyb_grad_emit_scalar (grad, "_plus_scalar", x, term);
}

static HybValueId
power (HybGrad *grad, HybValueId x, double exponent)
{
  return hyb_grad_emit_scalar (grad, "_power_scalar", x, exponent);
}

static HybValueId
product (HybGrad *grad, HybValueId a, HybValueId b)
{
  return hyb_grad_emit (grad, "elemwise_mul", a, b, HYB_NO_ID);
}

/* factor × x^exponent */
static HybValueId
monomial (HybGrad *grad, HybValueId x, double factor, double exponent)
{
  return times (grad, power (grad, x, exponent), factor);
}

/* factor × x × (1 + square × x²)^exponent */
static HybValueId
odd_power (HybGrad *grad, HybValueId x, double square, double factor, double exponent)
{
  HybValueId base = plus (grad, times (grad, unary (grad, "square", x), square), 1);

  return times (grad, product (grad, x, power (grad, base, exponent)), factor);
}

/* --- d′(x) or d′(y) of each function, as the parameter is called --- */

static HybValueId
slope_sigmoid (HybGrad *grad, HybValueId y)
{
  return plus (grad, times (grad, y, -2), 1);
}

static HybValueId
slope_tanh (HybGrad *grad, HybValueId y)
{
  return times (grad, y, -2);
}

static HybValueId
slope_exp (HybGrad *grad, HybValueId y)
{
  return unary (grad, "ones_like", y);
}

static HybValueId
slope_expm1 (HybGrad *grad, HybValueId x)
{
  return unary (grad, "exp", x);
}

static HybValueId
slope_square (HybGrad *grad, HybValueId x)
{
  return times (grad, unary (grad, "ones_like", x), 2);
}

static HybValueId
slope_sqrt (HybGrad *grad, HybValueId y)
{
  return monomial (grad, y, -0.5, -2);
}

static HybValueId
slope_rsqrt (HybGrad *grad, HybValueId x)
{
  return monomial (grad, x, 0.75, -2.5);
}

static HybValueId
slope_cbrt (HybGrad *grad, HybValueId y)
{
  return monomial (grad, y, -2.0 / 3, -3);
}

static HybValueId
slope_reciprocal (HybGrad *grad, HybValueId x)
{
  return monomial (grad, x, 2, -3);
}

static HybValueId
slope_log (HybGrad *grad, HybValueId x)
{
  return monomial (grad, x, -1, -2);
}

static HybValueId
slope_log10 (HybGrad *grad, HybValueId x)
{
  return monomial (grad, x, -1 / M_LN10, -2);
}

static HybValueId
slope_log2 (HybGrad *grad, HybValueId x)
{
  return monomial (grad, x, -1 / M_LN2, -2);
}

static HybValueId
slope_log1p (HybGrad *grad, HybValueId x)
{
  return monomial (grad, plus (grad, x, 1), -1, -2);
}

static HybValueId
slope_sin (HybGrad *grad, HybValueId x)
{
  return times (grad, unary (grad, "sin", x), -1);
}

static HybValueId
slope_cos (HybGrad *grad, HybValueId x)
{
  return times (grad, unary (grad, "cos", x), -1);
}

static HybValueId
slope_tan (HybGrad *grad, HybValueId y)
{
  return times (grad, y, 2);
}

static HybValueId
slope_arctan (HybGrad *grad, HybValueId x)
{
  return odd_power (grad, x, 1, -2, -2);
}

static HybValueId
slope_arcsin (HybGrad *grad, HybValueId x)
{
  return odd_power (grad, x, -1, 1, -1.5);
}

static HybValueId
slope_arccos (HybGrad *grad, HybValueId x)
{
  return odd_power (grad, x, -1, -1, -1.5);
}

static HybValueId
slope_sinh (HybGrad *grad, HybValueId x)
{
  return unary (grad, "sinh", x);
}

static HybValueId
slope_cosh (HybGrad *grad, HybValueId x)
{
  return unary (grad, "cosh", x);
}

static HybValueId
slope_arcsinh (HybGrad *grad, HybValueId x)
{
  return odd_power (grad, x, 1, -1, -1.5);
}

static HybValueId
slope_arctanh (HybGrad *grad, HybValueId x)
{
  return odd_power (grad, x, -1, 2, -2);
}

static HybValueId
slope_erf (HybGrad *grad, HybValueId x)
{
  HybValueId bell = unary (grad, "exp", times (grad, unary (grad, "square", x), -1));

  return times (grad, product (grad, x, bell), -2 * M_2_SQRTPI);
}

/* y = log (1 + exp x), d = 1 − exp (−y) */
static HybValueId
slope_softrelu (HybGrad *grad, HybValueId y)
{
  return unary (grad, "exp", times (grad, y, -1));
}

/* x / (1 + |x|), d = (1 + |x|)^−2 */
static HybValueId
slope_softsign (HybGrad *grad, HybValueId x)
{
  HybValueId base = plus (grad, unary (grad, "abs", x), 1);

  return product (grad, unary (grad, "sign", x), monomial (grad, base, -2, -3));
}

/* The same as a function of the output: d = (1 − |y|)² */
static HybValueId
slope_softsign_output (HybGrad *grad, HybValueId y)
{
  HybValueId base = plus (grad, times (grad, unary (grad, "abs", y), -1), 1);

  return product (grad, unary (grad, "sign", y), times (grad, base, -2));
}

typedef struct
{
  const char *function;
  HybValueId (*slope) (HybGrad *grad, HybValueId v); /* NULL: d is constant almost everywhere */
} Row;

static const Row rows[] = {
  { "abs", NULL },
  { "arccos", slope_arccos },
  { "arcsin", slope_arcsin },
  { "arcsinh", slope_arcsinh },
  { "arctan", slope_arctan },
  { "arctanh", slope_arctanh },
  { "cbrt", slope_cbrt },
  { "clip", NULL },
  { "cos", slope_cos },
  { "cosh", slope_cosh },
  { "erf", slope_erf },
  { "exp", slope_exp },
  { "expm1", slope_expm1 },
  { "hard_sigmoid", NULL },
  { "log", slope_log },
  { "log10", slope_log10 },
  { "log1p", slope_log1p },
  { "log2", slope_log2 },
  { "reciprocal", slope_reciprocal },
  { "relu", NULL },
  { "rsqrt", slope_rsqrt },
  { "sigmoid", slope_sigmoid },
  { "sin", slope_sin },
  { "sinh", slope_sinh },
  { "softrelu", slope_softrelu },
  { "softsign", slope_softsign },
  { "softsign-output", slope_softsign_output },
  { "sqrt", slope_sqrt },
  { "square", slope_square },
  { "tan", slope_tan },
  { "tanh", slope_tanh },
};

static const Row *
find_row (const char *function)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].function, function) == 0)
      return &rows[i];
  return NULL;
}

void
hyb_second_gradient_unary (HybGrad *grad, const char *function, const char *backward)
{
  const Row *row = find_row (function);
  HybValueId h = hyb_grad_incoming (grad, 0);
  HybValueId g = hyb_grad_input (grad, 0), v = hyb_grad_input (grad, 1);

  if (!row)
    {
      hyb_grad_refuse (grad, "%s has no gradient", backward);
      return;
    }
  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, backward, 2, (HybValueId[]){ h, v }));
  if (hyb_grad_needs_input (grad, 1) && row->slope)
    hyb_grad_set_input (grad, 1, product (grad, product (grad, h, g), row->slope (grad, v)));
}

void
hyb_second_gradient_linear (HybGrad *grad, const char *backward)
{
  guint                  n = hyb_grad_n_inputs (grad);
  g_autofree HybValueId *inputs = g_new (HybValueId, n);

  if (!hyb_grad_needs_input (grad, 0))
    return;
  inputs[0] = hyb_grad_incoming (grad, 0);
  for (guint i = 1; i < n; i++)
    inputs[i] = hyb_grad_input (grad, i);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, backward, n, inputs));
}
