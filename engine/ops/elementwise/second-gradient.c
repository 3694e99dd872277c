/* second-gradient.c — gradients of the operators “_backward_…” of functions of one tensor.
 *
 * Such an operator computes (g, v) ↦ g d(v), where d is the derivative of a function f and v is the
 * input or the output of f.  Its own gradient needs d′, the derivative of d by v: `rows` lists its formula for
 * each function.  Start with hyb_second_gradient_unary().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/second-gradient.h"

#include "engine/gradient/by-formula.h"

#include <string.h>

/* --- Parts of formulas; v is i1 in the language of HybOp.formula --- */

#define V                  "i1"
#define TIMES(x, factor)   "_mul_scalar (" x ", " factor ")"
#define PLUS(x, term)      "_plus_scalar (" x ", " term ")"
#define POWER(x, exponent) "_power_scalar (" x ", " exponent ")"
#define PRODUCT(a, b)      "elemwise_mul (" a ", " b ")"
/* factor × x^exponent */
#define MONOMIAL(x, factor, exponent) TIMES (POWER (x, exponent), factor)
/* factor × v × (1 + square × v²)^exponent */
#define ODD_POWER(square, factor, exponent) \
  TIMES (PRODUCT (V, POWER (PLUS (TIMES ("square (" V ")", square), "1"), exponent)), factor)

typedef struct
{
  const char *function;
  const char *slope; /* d′(v); NULL: d is constant almost everywhere */
} Row;

static const Row rows[] = {
  { "abs", NULL },
  { "arccos", ODD_POWER ("-1", "-1", "-1.5") },
  { "arcsin", ODD_POWER ("-1", "1", "-1.5") },
  { "arcsinh", ODD_POWER ("1", "-1", "-1.5") },
  { "arctan", ODD_POWER ("1", "-2", "-2") },
  { "arctanh", ODD_POWER ("-1", "2", "-2") },
  { "cbrt", MONOMIAL (V, "-0.66666666666666663", "-3") }, /* −2 / 3 */
  { "clip", NULL },
  { "cos", TIMES ("cos (" V ")", "-1") },
  { "cosh", "cosh (" V ")" },
  /* −4 / √π */
  { "erf", TIMES (PRODUCT (V, "exp (" TIMES ("square (" V ")", "-1") ")"), "-2.2567583341910251") },
  { "exp", "ones_like (" V ")" },
  { "expm1", "exp (" V ")" },
  { "hard_sigmoid", NULL },
  { "log", MONOMIAL (V, "-1", "-2") },
  { "log10", MONOMIAL (V, "-0.43429448190325176", "-2") }, /* −1 / log 10 */
  { "log1p", MONOMIAL (PLUS (V, "1"), "-1", "-2") },
  { "log2", MONOMIAL (V, "-1.4426950408889634", "-2") }, /* −1 / log 2 */
  { "reciprocal", MONOMIAL (V, "2", "-3") },
  { "relu", NULL },
  { "rsqrt", MONOMIAL (V, "0.75", "-2.5") },
  { "sigmoid", PLUS (TIMES (V, "-2"), "1") },
  { "sin", TIMES ("sin (" V ")", "-1") },
  { "sinh", "sinh (" V ")" },
  /* v = log (1 + exp x), d = 1 − exp (−v) */
  { "softrelu", "exp (" TIMES (V, "-1") ")" },
  /* d = (1 + |v|)^−2 */
  { "softsign", PRODUCT ("sign (" V ")", MONOMIAL (PLUS ("abs (" V ")", "1"), "-2", "-3")) },
  /* The same as a function of the output: d = (1 − |v|)² */
  { "softsign-output",
    PRODUCT ("sign (" V ")", TIMES (PLUS (TIMES ("abs (" V ")", "-1"), "1"), "-2")) },
  { "sqrt", MONOMIAL (V, "-0.5", "-2") },
  { "square", TIMES ("ones_like (" V ")", "2") },
  { "tan", TIMES (V, "2") },
  { "tanh", TIMES (V, "-2") },
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
  HybValueId h = hyb_grad_incoming (grad, 0), v = hyb_grad_input (grad, 1), slope, product;

  if (!row)
    {
      hyb_grad_refuse (grad, "%s has no gradient", backward);
      return;
    }
  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, backward, 2, (HybValueId[]){ h, v }));
  if (!hyb_grad_needs_input (grad, 1) || !row->slope)
    return;
  slope = hyb_gradient_emit_formula (grad, row->slope);
  product = hyb_gradient_emit_formula (grad, PRODUCT ("g0", "i0"));
  hyb_grad_set_input (grad, 1, hyb_grad_emit (grad, "elemwise_mul", product, slope, HYB_NO_ID));
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
