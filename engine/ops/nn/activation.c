/* activation.c — Activation: one function applied to every element, and its gradient.
 *
 * A function is two formulas (FORWARD, BACKWARD) and a row of the table `functions`.  The
 * backward formulas use the output y, so that the input need not be kept.
 * Start at activation_forward() and activation_backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/elementwise/second-gradient.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  int act_type;
} ActivationParams;

static const char *const activation_names[] = {
  "relu", "sigmoid", "tanh", "softrelu", "softsign", NULL,
};

static const HybParam activation_params[] = {
  { HYB_FIELD (ActivationParams, act_type), HYB_PARAM_ENUM, NULL, .choices = activation_names,
    .doc = "function to apply" },
  { 0 },
};

/* y = f (x). */
#define FORWARD(name, T, VALUE)                    \
  static void name (gsize n, const T *from, T *to) \
  {                                                \
    for (gsize i = 0; i < n; i++)                  \
      {                                            \
        T x = from[i];                             \
                                                   \
        to[i] = VALUE;                             \
      }                                            \
  }

/* dx = f′ · dy where f′ is written in terms of y. */
#define BACKWARD(name, T, SLOPE)                                \
  static void name (gsize n, const T *from, const T *dy, T *dx) \
  {                                                             \
    for (gsize i = 0; i < n; i++)                               \
      {                                                         \
        T y = from[i];                                          \
                                                                \
        dx[i] = dy[i] * (SLOPE);                                \
      }                                                         \
  }

/* Propagates NaN, as NaN <= 0 is false. */
FORWARD (relu_f32, float, x <= 0 ? 0 : x)
FORWARD (relu_f64, double, x <= 0 ? 0 : x)
FORWARD (sigmoid_f64, double, 1 / (1 + exp (-x)))
FORWARD (tanh_f64, double, tanh (x))
/* log (1 + eˣ). */
FORWARD (softrelu_f64, double, x > 20 ? x : log1p (exp (x)))
FORWARD (softsign_f32, float, x / (1 + fabs (x)))
FORWARD (softsign_f64, double, x / (1 + fabs (x)))

BACKWARD (relu_backward_f32, float, (y > 0 ? 1 : 0))
BACKWARD (relu_backward_f64, double, (y > 0 ? 1 : 0))
BACKWARD (sigmoid_backward_f32, float, y *(1 - y))
BACKWARD (sigmoid_backward_f64, double, y *(1 - y))
BACKWARD (tanh_backward_f32, float, 1 - y * y)
BACKWARD (tanh_backward_f64, double, 1 - y * y)
BACKWARD (softrelu_backward_f32, float, -expm1 (-y))
BACKWARD (softrelu_backward_f64, double, -expm1 (-y))
/* 1 − |y| is 1 / (1 + |x|), whose square is the slope. */
BACKWARD (softsign_backward_f32, float, (1 - fabs (y)) * (1 - fabs (y)))
BACKWARD (softsign_backward_f64, double, (1 - fabs (y)) * (1 - fabs (y)))

#undef FORWARD
#undef BACKWARD

/* In the order of activation_names. */
static const struct
{
  void (*forward_f32) (gsize n, const float *x, float *y);
  void (*forward_f64) (gsize n, const double *x, double *y);
  void (*backward_f32) (gsize n, const float *y, const float *dy, float *dx);
  void (*backward_f64) (gsize n, const double *y, const double *dy, double *dx);
} functions[] = {
  { relu_f32, relu_f64, relu_backward_f32, relu_backward_f64 },
  { hyb_vector_sigmoid, sigmoid_f64, sigmoid_backward_f32, sigmoid_backward_f64 },
  { hyb_vector_tanh, tanh_f64, tanh_backward_f32, tanh_backward_f64 },
  { hyb_vector_softplus, softrelu_f64, softrelu_backward_f32, softrelu_backward_f64 },
  { softsign_f32, softsign_f64, softsign_backward_f32, softsign_backward_f64 },
};

/* Arguments of forward_slice (from: x, to: y) and backward_slice (from: y, to: dx). */
typedef struct
{
  int           function; /* index into `functions` */
  HybDType      dtype;
  gconstpointer from, dy;
  gpointer      to;
} ActivationArgs;

static void
forward_slice (gint64 begin, gint64 end, gpointer data)
{
  const ActivationArgs *args = data;
  gsize                 n = (gsize) (end - begin);

  if (args->dtype == HYB_F64)
    functions[args->function].forward_f64 (n, (const double *) args->from + begin,
                                           (double *) args->to + begin);
  else
    functions[args->function].forward_f32 (n, (const float *) args->from + begin,
                                           (float *) args->to + begin);
}

static void
backward_slice (gint64 begin, gint64 end, gpointer data)
{
  const ActivationArgs *args = data;
  gsize                 n = (gsize) (end - begin);

  if (args->dtype == HYB_F64)
    functions[args->function].backward_f64 (n, (const double *) args->from + begin,
                                            (const double *) args->dy + begin,
                                            (double *) args->to + begin);
  else
    functions[args->function].backward_f32 (n, (const float *) args->from + begin,
                                            (const float *) args->dy + begin,
                                            (float *) args->to + begin);
}

static void
activation_forward (const HybCall *call, const HybRun *run)
{
  const ActivationParams *params = call->params;
  ActivationArgs          args = { params->act_type, call->output[0].dtype, run->input[0], NULL,
                                   run->output[0] };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), 8192, forward_slice, &args);
}

/* Inputs: gradient of the output, output. */
static void
activation_backward (const HybCall *call, const HybRun *run)
{
  const ActivationParams *params = call->params;
  ActivationArgs args = { params->act_type, call->output[0].dtype, run->input[1], run->input[0],
                          run->output[0] };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), 8192, backward_slice, &args);
}

static void
activation_second_gradient (HybGrad *grad)
{
  /* In the order of act_type: rows of second-gradient.c whose derivative is a function of y. */
  static const char *const names[] = { "relu", "sigmoid", "tanh", "softrelu", "softsign-output" };
  const ActivationParams  *params = hyb_grad_params (grad);

  hyb_second_gradient_unary (grad, names[params->act_type], "_backward_Activation");
}

static const char *const activation_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "output", NULL };

const HybOp hyb_ops_activation[] = {
  {
      .name = "Activation",
      .doc = "Applies one function to every element.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .inputs = activation_inputs,
      HYB_PARAMS (activation_params, ActivationParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = activation_forward,
      HYB_GRADIENT ("_backward_Activation* (g0, o0) > i0"),
  },
  {
      .name = "_backward_Activation",
      .doc = "Gradient of Activation, computed from its output.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .inputs = backward_inputs,
      HYB_PARAMS (activation_params, ActivationParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = activation_backward,
      .gradient = activation_second_gradient,
  },
  { 0 },
};
