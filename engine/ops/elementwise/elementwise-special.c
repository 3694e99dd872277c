/* elementwise-special.c — gamma and error functions, and the activations softsign, relu and
 * hard_sigmoid.
 *
 * unary-family.h explains the tables of formulas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/vector-math.h"
#include "engine/kernels/simd/vector-steps.h"
#include "engine/kernels/special.h"
#include "engine/ops/elementwise/unary-family.h"

#include <float.h>

/* row name, description, f(x), operand of the derivative (x or y), f′ × g */
#define ROWS(ROW)                                                                  \
  ROW (gamma, "Gamma function.", tgamma (x), x, tgamma (x) * hyb_digamma (x) * g)  \
  ROW (gammaln, "Logarithm of the absolute gamma function.", hyb_log_gamma (x), x, \
       hyb_digamma (x) * g)                                                        \
  ROW (erfinv, "Inverse of the error function.", hyb_erf_inverse (x), y,           \
       exp (y *y) / M_2_SQRTPI * g)                                                \
  ROW (softsign, "x / (1 + |x|).", x / (1 + fabs (x)), x, g / ((1 + fabs (x)) * (1 + fabs (x))))

#define ROW(id, text, formula, variable, derivative) \
  UNARY_FORWARD (id, formula)                        \
  UNARY_BACKWARD (id, variable, derivative)
ROWS (ROW)
#undef ROW

UNARY_FORWARD_VECTOR (relu, hyb_vector_relu, x > 0 || x != x ? x : 0)
UNARY_BACKWARD (relu, y, y > 0 ? g : y != y ? y : 0)

UNARY_FORWARD_VECTOR (erf, hyb_vector_erf, erf (x))
UNARY_BACKWARD (erf, x, exp (-x *x) * M_2_SQRTPI * g)

typedef struct
{
  double alpha, beta;
} HardSigmoidParams;

static const HybParam hard_sigmoid_params[] = {
  { HYB_FIELD (HardSigmoidParams, alpha), HYB_PARAM_FLOAT, "0.2", .doc = "slope" },
  { HYB_FIELD (HardSigmoidParams, beta), HYB_PARAM_FLOAT, "0.5", .doc = "value at zero" },
  { 0 },
};

static inline double
hard_sigmoid_line (const UnaryOperands *operands, double x)
{
  const HardSigmoidParams *params = operands->params;

  return params->alpha * x + params->beta;
}

/* Limits to [0, 1].  NaN fails both comparisons and stays NaN. */
#define CUT(line) ((line) < 0 ? 0 : (line) > 1 ? 1 : (line))
#define SLOPE     ((const HardSigmoidParams *) operands->params)->alpha

UNARY_LOOP (hard_sigmoid_wide, float, f32, CUT (hard_sigmoid_line (operands, x)))

/* Numbers that a float does not hold are taken as doubles. */
static void
hard_sigmoid_f32 (gint64 begin, gint64 end, gpointer data)
{
  const UnaryOperands     *operands = data;
  const HardSigmoidParams *params = operands->params;

  if (fabs (params->alpha) > FLT_MAX || fabs (params->beta) > FLT_MAX)
    hard_sigmoid_wide_f32 (begin, end, data);
  else
    hyb_vector_hard_sigmoid ((gsize) (end - begin), (const float *) operands->x + begin,
                             (float) params->alpha, (float) params->beta,
                             (float *) operands->y + begin);
}

UNARY_LOOP (hard_sigmoid, double, f64, CUT (hard_sigmoid_line (operands, x)))

/* Memory takes most of the time, so a thread gets more elements than of other functions. */
static void
hard_sigmoid_forward (const HybCall *call, const HybRun *run)
{
  UnaryOperands operands = { NULL, run->input[0], run->output[0], call->params };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN,
                    call->output[0].dtype == HYB_F64 ? hard_sigmoid_f64 : hard_sigmoid_f32,
                    &operands);
}

UNARY_BACKWARD (hard_sigmoid, y, y > 0 && y < 1 ? g * SLOPE : 0)

#undef CUT
#undef SLOPE

typedef struct
{
  double alpha;
} ThresholdParams;

static const HybParam threshold_params[] = {
  { HYB_FIELD (ThresholdParams, alpha), HYB_PARAM_FLOAT, "1.0", .doc = "the threshold" },
  { 0 },
};

/* NaN is not above it. */
#define IS_ABOVE(T) (x > (T) ((const ThresholdParams *) operands->params)->alpha)

UNARY_LOOP (_thresholded_relu, float, f32, IS_ABOVE (float) ? x : 0)
UNARY_LOOP (_thresholded_relu, double, f64, IS_ABOVE (double) ? x : 0)

static void
_thresholded_relu_forward (const HybCall *call, const HybRun *run)
{
  unary_run (call, run,
             call->output[0].dtype == HYB_F64 ? _thresholded_relu_f64 : _thresholded_relu_f32);
}

UNARY_BACKWARD (_thresholded_relu, x, IS_ABOVE (__typeof__ (x)) ? g : 0)

#undef IS_ABOVE

typedef struct
{
  double a, b, c;
} QuadraticParams;

static const HybParam quadratic_params[] = {
  { HYB_FIELD (QuadraticParams, a), HYB_PARAM_FLOAT, "0", .doc = "factor of x²" },
  { HYB_FIELD (QuadraticParams, b), HYB_PARAM_FLOAT, "0", .doc = "factor of x" },
  { HYB_FIELD (QuadraticParams, c), HYB_PARAM_FLOAT, "0", .doc = "constant term" },
  { 0 },
};

static inline double
quadratic_value (const UnaryOperands *operands, double x)
{
  const QuadraticParams *params = operands->params;

  return (params->a * x + params->b) * x + params->c;
}

static inline double
quadratic_slope (const UnaryOperands *operands, double x)
{
  const QuadraticParams *params = operands->params;

  return 2 * params->a * x + params->b;
}

UNARY_FORWARD (_contrib_quadratic, quadratic_value (operands, x))
UNARY_BACKWARD (_contrib_quadratic, x, quadratic_slope (operands, x) * g)

#define ROW(id, text, ...) UNARY_OP (id, text), UNARY_BACKWARD_OP (id),

const HybOp hyb_ops_elementwise_special[] = {
  ROWS (ROW) //
  UNARY_OP (relu, "x where positive, else 0; NaN stays."),
  UNARY_BACKWARD_OP (relu),
  UNARY_OP (erf, "Error function."),
  UNARY_BACKWARD_OP (erf),
  {
      UNARY_COMMON (hard_sigmoid, "alpha x + beta, limited to 0 … 1."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .dtypes = HYB_DTYPES_FLOAT,
      HYB_PARAMS (hard_sigmoid_params, HardSigmoidParams),
      .gradient = hard_sigmoid_gradient,
  },
  {
      UNARY_BACKWARD_COMMON (hard_sigmoid),
      HYB_PARAMS (hard_sigmoid_params, HardSigmoidParams),
  },
  {
      UNARY_COMMON (_thresholded_relu, "x above a threshold, else 0."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_INTERNAL,
      .dtypes = HYB_DTYPES_FLOAT,
      HYB_PARAMS (threshold_params, ThresholdParams),
      .gradient = _thresholded_relu_gradient,
  },
  {
      UNARY_BACKWARD_COMMON (_thresholded_relu),
      HYB_PARAMS (threshold_params, ThresholdParams),
  },
  {
      UNARY_COMMON (_contrib_quadratic, "a x² + b x + c."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .dtypes = HYB_DTYPES_FLOAT,
      HYB_PARAMS (quadratic_params, QuadraticParams),
      .gradient = _contrib_quadratic_gradient,
  },
  {
      UNARY_BACKWARD_COMMON (_contrib_quadratic),
      HYB_PARAMS (quadratic_params, QuadraticParams),
  },
  { 0 },
};

#undef ROW
#undef ROWS
