/* pointwise-formulas.c — the formulas of pointwise operators for the GPU, as text.
 *
 * They are those of engine/ops/elementwise and engine/ops/nn; the functions are in
 * kernels/prelude.cuh.  tests/engine/cuda compares each with the processor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/leaky-relu.h"
#include "engine/cuda/ops/pointwise.h"
#include "engine/cuda/ops/reductions.h"

#include <math.h>
#include <string.h>

/* A function, and the operator that multiplies its derivative by the gradient x; the derivative is
 * written in w, which is the input or the output of the function. */
#define PAIR(name, value, derivative) \
  { #name, value },                   \
  {                                   \
    "_backward_" #name, derivative    \
  }
/* The same function of two tensors, of shapes that are broadcast, and of a number. */
#define TWO(same, broadcast, scalar, value, with_s) \
  { same, value }, { broadcast, value },            \
  {                                                 \
    scalar, with_s, "scalar"                        \
  }
#define COMPARE(name, sign)                                            \
  { "_" name, "x " sign " w" }, { "broadcast_" name, "x " sign " w" }, \
  {                                                                    \
    "_" name "_scalar", "x " sign " s", "scalar"                       \
  }
#define LOGICAL(name, sign)                                                                        \
  { "_" name, "(x != 0) " sign " (w != 0)" }, { "broadcast_" name, "(x != 0) " sign " (w != 0)" }, \
  {                                                                                                \
    "_" name "_scalar", "(x != 0) " sign " (s != 0)", "scalar"                                     \
  }
/* A function that an attribute chooses; of which `slope` may be another. */
#define CHOICE(name, key, number, text)        \
  {                                            \
    name, text, .choice = key, .value = number \
  }
#define SLOPED(name, key, number, text) \
  {                                     \
    name, text, "slope", key, number    \
  }

/* --- Numbers that are computed from attributes --- */

static double
get_double (const HybOp *op, gconstpointer params, const char *name)
{
  return hyb_params_get_double (op->params, params, name, NAN);
}

static double
get_int (const HybOp *op, gconstpointer params, const char *name)
{
  return (double) hyb_params_get_int (op->params, params, name, 0);
}

/* MXNet keeps the bounds as float32; None is not a bound. */
static void
clip_numbers (const HybOp *op, gconstpointer params, HybDType stored, double *numbers)
{
  double low = get_double (op, params, "a_min"), high = get_double (op, params, "a_max");

  numbers[0] = isnan (low) ? -INFINITY : (double) (float) low;
  numbers[1] = isnan (high) ? INFINITY : (double) (float) high;
}

/* Start, step and repetitions.  A single number is the end, unless the length is inferred.  Start and
 * step are whole numbers unless the type is float32 or float64. */
static void
arange_numbers (const HybOp *op, gconstpointer params, HybDType stored, double *numbers)
{
  gboolean has_stop = hyb_params_find (op->params, "stop") != NULL;
  gboolean is_end = has_stop && isnan (get_double (op, params, "stop")) &&
                    !hyb_params_get_bool (op->params, params, "infer_range");

  numbers[0] = is_end ? 0 : get_double (op, params, "start");
  numbers[1] = get_double (op, params, "step");
  numbers[2] = get_int (op, params, "repeat");
  if (!(HYB_DTYPE_BIT (stored) & HYB_DTYPES_FLOAT))
    for (guint i = 0; i < 2; i++)
      numbers[i] = trunc (numbers[i]);
}

/* Start, step and the last number. */
static void
linspace_numbers (const HybOp *op, gconstpointer params, HybDType stored, double *numbers)
{
  double   start = get_double (op, params, "start"), stop = get_double (op, params, "stop");
  double   n = get_int (op, params, "num");
  gboolean has_end = hyb_params_get_bool (op->params, params, "endpoint");
  double   gaps = has_end ? n - 1 : n;

  numbers[0] = start;
  numbers[1] = gaps > 0 ? (stop - start) / gaps : 0;
  numbers[2] = has_end && n > 1 ? stop : start + (n - 1) * numbers[1];
}

/* Columns, and the number of the diagonal. */
static void
eye_numbers (const HybOp *op, gconstpointer params, HybDType stored, double *numbers)
{
  double columns = get_int (op, params, "M");

  numbers[0] = columns > 0 ? columns : get_int (op, params, "N");
  numbers[1] = get_int (op, params, "k");
}

/* The elements of the data for each one of the result, which is input 0. */
static double
count_reduced (const HybCall *call)
{
  return (double) (hyb_shape_size (&call->output[0].shape) /
                   MAX (1, hyb_shape_size (&call->input[0].shape)));
}

/* grad_scale for each element of a sample. */
static double
regression_scale (const HybCall *call)
{
  const HybShape *shape = &call->output[0].shape;
  double          batch = shape->rank > 0 ? (double) shape->dim[0] : 1;

  return get_double (call->op, call->params, "grad_scale") * batch /
         (double) MAX (hyb_shape_size (shape), 1);
}

/* --- Inputs that are broadcast in another way --- */

/* All have as many elements as the output. */
static void
lay_in_order (const HybCall *call, HybAxes *axes)
{
  for (guint k = 0; k < call->n_inputs; k++)
    hyb_axes_contiguous (&call->output[0].shape, axes->stride[k]);
}

/* The condition of `where` is aligned at the first axis. */
static void
lay_condition (const HybCall *call, HybAxes *axes)
{
  memset (axes->stride[0], 0, sizeof axes->stride[0]);
  hyb_axes_broadcast (axes, 0, &call->input[0].shape, TRUE);
}

/* The last input is gamma, the slopes of PReLU. */
static void
lay_slopes (const HybCall *call, HybAxes *axes)
{
  HybSlopes slopes =
      hyb_cuda_slopes (&call->output[0].shape, &call->input[call->n_inputs - 1].shape);

  axes->rank = 3;
  axes->dim[0] = slopes.outer;
  axes->dim[1] = slopes.n;
  axes->dim[2] = slopes.inner;
  for (guint k = 0; k < call->n_inputs; k++)
    {
      gboolean is_data = k + 1 < call->n_inputs;

      axes->stride[k][0] = is_data ? slopes.n * slopes.inner : 0;
      axes->stride[k][1] = is_data ? slopes.inner : 1;
      axes->stride[k][2] = is_data ? 1 : 0;
    }
}

/* --- The formulas --- */

const HybPointwise hyb_pointwise_formulas[] = {
  /* --- Roots, exponentials, logarithms, trigonometry --- */
  PAIR (sqrt, "m_sqrt (x)", "x / (2 * w)"),
  PAIR (rsqrt, "1 / m_sqrt (x)", "-x / (2 * w * m_sqrt (w))"),
  PAIR (cbrt, "m_cbrt (x)", "x / (3 * w * w)"),
  PAIR (rcbrt, "1 / m_cbrt (x)", "-x / (3 * w * m_cbrt (w))"),
  PAIR (reciprocal, "1 / x", "-x / (w * w)"),
  PAIR (exp, "m_exp (x)", "w * x"),
  PAIR (expm1, "m_expm1 (x)", "m_exp (w) * x"),
  PAIR (log, "m_log (x)", "x / w"),
  PAIR (log10, "m_log10 (x)", "x / (w * LN10_)"),
  PAIR (log2, "m_log2 (x)", "x / (w * LN2_)"),
  PAIR (log1p, "m_log1p (x)", "x / (1 + w)"),
  PAIR (sin, "m_sin (x)", "m_cos (w) * x"),
  PAIR (cos, "m_cos (x)", "m_sin (w) * -x"),
  PAIR (tan, "m_tan (x)", "(w * w + 1) * x"),
  PAIR (arcsin, "m_asin (x)", "x / m_sqrt (1 - w * w)"),
  PAIR (arccos, "m_acos (x)", "-x / m_sqrt (1 - w * w)"),
  PAIR (arctan, "m_atan (x)", "x / (1 + w * w)"),
  PAIR (sinh, "m_sinh (x)", "m_cosh (w) * x"),
  PAIR (cosh, "m_cosh (x)", "m_sinh (w) * x"),
  PAIR (tanh, "m_tanh (x)", "(1 - w * w) * x"),
  PAIR (arcsinh, "m_asinh (x)", "x / m_sqrt (1 + w * w)"),
  PAIR (arccosh, "m_acosh (x)", "x / m_sqrt (w * w - 1)"),
  PAIR (arctanh, "m_atanh (x)", "x / (1 - w * w)"),
  PAIR (sigmoid, "1 / (1 + m_exp (-x))", "(1 - w) * w * x"),
  { "degrees", "x / (PI_ / 180)" },
  { "radians", "x / (180 / PI_)" },

  /* --- Signs and rounding --- */
  { "sign", "(x > 0) - (x < 0)" },
  { "round", "m_round (x)" },
  { "rint", "m_rint (x)" },
  { "ceil", "m_ceil (x)" },
  { "floor", "m_floor (x)" },
  { "trunc", "m_trunc (x)" },
  { "fix", "m_trunc (x)" },
  { "logical_not", "x == 0" },
  { "_contrib_round_ste", "m_round (x)" },
  { "_contrib_sign_ste", "(x > 0) - (x < 0)" },
  { "negative", "m_neg (x)" },
  PAIR (abs, "m_abs (x)", "((w > 0) - (w < 0)) * x"),
  PAIR (square, "m_square (x)", "2 * w * x"),
  { "clip",
    "(Bound<T>::type) x > (Bound<T>::type) t   ? (T) To<Result>::from (t)"
    " : (Bound<T>::type) x < (Bound<T>::type) s ? (T) To<Result>::from (s)"
    " : x",
    .find_numbers = clip_numbers },
  { "_backward_clip", "w < (T) s || w > (T) t ? 0 : x", .find_numbers = clip_numbers },

  /* --- Error functions, and activations without attributes --- */
  PAIR (gamma, "m_gamma (x)", "(double) m_gamma (w) * m_digamma (w) * x"),
  PAIR (gammaln, "m_lgamma (x)", "m_digamma (w) * x"),
  PAIR (erf, "m_erf (x)", "m_exp (-w * w) * TWO_OVER_SQRT_PI * x"),
  PAIR (erfinv, "m_erfinv (x)", "m_exp (w * w) / TWO_OVER_SQRT_PI * x"),
  PAIR (softsign, "x / (1 + m_abs (x))", "x / ((1 + m_abs (w)) * (1 + m_abs (w)))"),
  PAIR (relu, "x > 0 || x != x ? x : 0", "w > 0 ? x : w != w ? w : 0"),
  { "_thresholded_relu", "x > s ? x : 0", .numbers = "alpha" },
  { "_backward__thresholded_relu", "w > s ? x : 0", .numbers = "alpha" },
  { "hard_sigmoid", "(s * x + t < 0 ? 0 : s * x + t > 1 ? 1 : s * x + t)",
    .numbers = "alpha beta" },
  { "_backward_Dropout", "x * w" },
  { "_backward_hard_sigmoid", "w > 0 && w < 1 ? x * s : 0", .numbers = "alpha" },
  { "_contrib_quadratic", "(s * x + t) * x + u", .numbers = "a b c" },
  { "_backward__contrib_quadratic", "(2 * s * w + t) * x", .numbers = "a b" },

  /* --- Functions of two numbers --- */
  TWO ("elemwise_add", "broadcast_add", "_plus_scalar", "m_add (x, w)", "m_add (x, s)"),
  TWO ("elemwise_sub", "broadcast_sub", "_minus_scalar", "m_sub (x, w)", "m_sub (x, s)"),
  TWO ("elemwise_mul", "broadcast_mul", "_mul_scalar", "m_mul (x, w)", "m_mul (x, s)"),
  TWO ("elemwise_div", "broadcast_div", "_div_scalar", "m_div (x, w)", "m_div (x, s)"),
  TWO ("_mod", "broadcast_mod", "_mod_scalar", "m_mod (x, w)", "m_mod (x, s)"),
  TWO ("_power",
       "broadcast_power",
       "_power_scalar",
       "Power<Result>::of (x, w)",
       "Power<Result>::of (x, s)"),
  TWO ("_maximum", "broadcast_maximum", "_maximum_scalar", "m_max (x, w)", "m_max (x, s)"),
  TWO ("_minimum", "broadcast_minimum", "_minimum_scalar", "m_min (x, w)", "m_min (x, s)"),
  TWO ("_hypot", "broadcast_hypot", "_hypot_scalar", "m_hypot (x, w)", "m_hypot (x, s)"),
  { "_grad_add", "m_add (x, w)" },
  { "_scatter_elemwise_div", "m_div (x, w)" },
  { "_scatter_plus_scalar", "m_add (x, s)", "scalar" },
  { "_scatter_minus_scalar", "m_sub (x, s)", "scalar" },
  { "_rminus_scalar", "m_sub (s, x)", "scalar" },
  { "_rdiv_scalar", "m_div (s, x)", "scalar" },
  { "_rmod_scalar", "m_mod (s, x)", "scalar" },
  { "_rpower_scalar", "Power<Result>::of (s, x)", "scalar" },
  COMPARE ("equal", "=="),
  COMPARE ("not_equal", "!="),
  COMPARE ("greater", ">"),
  COMPARE ("greater_equal", ">="),
  COMPARE ("lesser", "<"),
  COMPARE ("lesser_equal", "<="),
  LOGICAL ("logical_and", "&"),
  LOGICAL ("logical_or", "|"),
  LOGICAL ("logical_xor", "^"),
  { "add_n", NULL },

  /* --- Their gradients: x is the incoming gradient --- */
  { "_backward_div_rhs", "w / (v * v) * -x" },
  { "_backward_mod_rhs", "m_floor (w / v) * -x" },
  { "_backward_power_lhs", "f_pow (w, v - 1) * v * x" },
  { "_backward_power_rhs", "f_pow (w, v) * m_log (w) * x" },
  { "_backward_maximum_lhs", "w >= v ? x : 0" },
  { "_backward_maximum_rhs", "w < v ? x : 0" },
  { "_backward_minimum_lhs", "w <= v ? x : 0" },
  { "_backward_minimum_rhs", "w > v ? x : 0" },
  { "_backward_hypot_lhs", "w / f_hypot (w, v) * x" },
  { "_backward_hypot_rhs", "v / f_hypot (w, v) * x" },
  { "_backward_copysign_lhs", "(w < 0) != (v < 0 || (v == 0 && 1 / v < 0)) ? -x : x" },
  { "_backward_arctan2_lhs", "v / (w * w + v * v) * x" },
  { "_backward_arctan2_rhs", "w / (w * w + v * v) * -x" },
  { "_backward_ldexp_lhs", "m_exp2 (v) * x" },
  { "_backward_ldexp_rhs", "m_exp2 (v) * w * x * (T) LN2_" },
  { "_backward_rdiv_scalar", "s / (w * w) * -x", "scalar" },
  { "_backward_rmod_scalar", "m_floor (s / w) * -x", "scalar" },
  { "_backward_power_scalar", "(s == 2 ? w : f_pow (w, s - 1)) * s * x", "scalar" },
  { "_backward_rpower_scalar", "f_pow (s, w) * m_log (s) * x", "scalar" },
  { "_backward_maximum_scalar", "w >= s ? x : 0", "scalar" },
  { "_backward_minimum_scalar", "w <= s ? x : 0", "scalar" },
  { "_backward_hypot_scalar", "w / f_hypot (w, s) * x", "scalar" },

  /* --- Activations by attribute --- */
  CHOICE ("Activation", "act_type", 0, "x <= 0 ? 0 : x"),
  CHOICE ("Activation", "act_type", 1, "1 / (1 + m_exp (-x))"),
  CHOICE ("Activation", "act_type", 2, "m_tanh (x)"),
  CHOICE ("Activation", "act_type", 3, "x > 20 ? x : m_log1p (m_exp (x))"),
  CHOICE ("Activation", "act_type", 4, "x / (1 + m_abs (x))"),
  CHOICE ("_backward_Activation", "act_type", 0, "x * (w > 0 ? 1 : 0)"),
  CHOICE ("_backward_Activation", "act_type", 1, "x * (w * (1 - w))"),
  CHOICE ("_backward_Activation", "act_type", 2, "x * (1 - w * w)"),
  CHOICE ("_backward_Activation", "act_type", 3, "x * -m_expm1 (-w)"),
  CHOICE ("_backward_Activation", "act_type", 4, "x * ((1 - m_abs (w)) * (1 - m_abs (w)))"),
  SLOPED ("LeakyReLU", "act_type", 0, "x > 0 ? x : s * x"),
  { "LeakyReLU", "x > 0 ? x : w * x", .choice = "act_type", .value = 2, .lay = lay_slopes },
  SLOPED ("LeakyReLU", "act_type", 3, "x > 0 ? x : s * m_expm1 (x)"),
  CHOICE ("LeakyReLU",
          "act_type",
          4,
          "(T) 1.0507009873554805 * (x > 0 ? x : (T) 1.6732632423543772 * m_expm1 (x))"),
  CHOICE ("LeakyReLU", "act_type", 5, "(T) 0.5 * x * (1 + m_erf (x * (T) SQRT_HALF))"),
  SLOPED ("_backward_LeakyReLU", "act_type", 0, "w > 0 ? x : s * x"),
  CHOICE ("_backward_LeakyReLU", "act_type", 1, "w > 0 ? x : v * x"),
  { "_backward_LeakyReLU", "w > 0 ? x : v * x", .choice = "act_type", .value = 2,
    .lay = lay_slopes },
  SLOPED ("_backward_LeakyReLU", "act_type", 3, "w > 0 ? x : s * m_exp (w) * x"),
  CHOICE ("_backward_LeakyReLU",
          "act_type",
          4,
          "(T) 1.0507009873554805 * (w > 0 ? 1 : (T) 1.6732632423543772 + v) * x"),
  CHOICE ("_backward_LeakyReLU",
          "act_type",
          5,
          "((T) 0.5 * (1 + m_erf (w * (T) SQRT_HALF)) +"
          " w * (m_exp (-w * w / 2) * (T) (SQRT_HALF * TWO_OVER_SQRT_PI / 2))) * x"),

  /* --- Gradients of reductions: x is that of the result, w an element of the data --- */
  { "_backward_prod", "v / w * x", .lay = hyb_cuda_lay_reduced },
  { "_backward_max", "w == v ? x : 0", .lay = hyb_cuda_lay_reduced },
  { "_backward_min", "w == v ? x : 0", .lay = hyb_cuda_lay_reduced },
  { "_backward_nansum", "w == w ? x : 0", .lay = hyb_cuda_lay_reduced },
  { "_backward_nanprod", "w == w ? v / w * x : 0", .lay = hyb_cuda_lay_reduced },
  { "_backward_square_sum", "2 * w * x", .lay = hyb_cuda_lay_reduced },
  { "_backward_norm", "(T) ((w > 0) - (w < 0)) * x", .choice = "ord", .value = 1,
    .lay = hyb_cuda_lay_reduced },
  { "_backward_norm", "v == 0 ? 0 : w / v * x", .choice = "ord", .value = 2,
    .lay = hyb_cuda_lay_reduced },
  { "_backward_moments", "(x + 2 * (v - p) * w) / s", .measure = count_reduced,
    .lay = hyb_cuda_lay_reduced },

  /* --- Regression: the label may have another shape of the same size --- */
  { "LinearRegressionOutput", "x", .unread = 1 << 1 },
  { "LogisticRegressionOutput", "1 / (1 + m_exp (-x))", .unread = 1 << 1 },
  { "MAERegressionOutput", "x", .unread = 1 << 1 },
  { "_backward_RegressionOutput_difference", "(x - w) * s", .measure = regression_scale,
    .lay = lay_in_order },
  { "_backward_RegressionOutput_sign", "x > w ? s : -s", .measure = regression_scale,
    .lay = lay_in_order },

  /* --- Selection, conversion, constants --- */
  { "where", "x != 0 ? w : v", .raw = 1, .lay = lay_condition },
  { "Cast", "To<Result>::from (x)", .raw = 1 },
  { "amp_cast", "To<Result>::from (x)", .raw = 1 },
  { "_cast_like", "To<Result>::from (x)", .raw = 1, .unread = 1 << 1 },
  { "zeros_like", "0" },
  { "ones_like", "1" },
  { "_zeros", "0" },
  { "_ones", "1" },
  { "_zeros_without_dtype", "0" },
  { "_full", "s", .numbers = "value" },
  { "_eye", "i % (I64) s == i / (I64) s + (I64) t", .find_numbers = eye_numbers },
  { "_arange", "To<Result>::from (evenly (s, t, i / (I64) u))", .find_numbers = arange_numbers },
  { "_contrib_arange_like", "To<Result>::from (evenly (s, t, i / (I64) u))", .unread = 1,
    .find_numbers = arange_numbers },
  { "_linspace", "To<Result>::from (i == a.n - 1 ? u : evenly (s, t, i))",
    .find_numbers = linspace_numbers },
  { NULL },
};

const HybPointwise *
hyb_pointwise_find (const HybOp *op, gconstpointer params)
{
  for (const HybPointwise *row = hyb_pointwise_formulas; row->op; row++)
    if (strcmp (row->op, op->name) == 0 &&
        (!row->choice || hyb_params_get_int (op->params, params, row->choice, -1) == row->value))
      return row;
  return NULL;
}
