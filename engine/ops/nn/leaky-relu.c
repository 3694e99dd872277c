/* leaky-relu.c — LeakyReLU: leaky, rrelu, prelu, elu, selu and gelu, and their gradients.
 *
 * The formulas are in leaky-relu-kernel.h.  rrelu has a second output, the slopes it drew;
 * prelu a second input, gamma, the learned slopes.  Start at leaky_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/simd/vector-gates.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/kernels/simd/vector-steps.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  LEAKY,
  RRELU, /* one random slope per element while training */
  PRELU, /* learned slopes: one per channel, or broadcast to the data */
  ELU,
  SELU,
  GELU,
} LeakyKind;

typedef struct
{
  int    act_type;
  double slope, lower_bound, upper_bound;
} LeakyParams;

static const char *const leaky_names[] = { "leaky", "rrelu", "prelu", "elu", "selu", "gelu", NULL };

static const HybParam leaky_params[] = {
  { HYB_FIELD (LeakyParams, act_type), HYB_PARAM_ENUM, "leaky", .choices = leaky_names,
    .doc = "function to apply" },
  { HYB_FIELD (LeakyParams, slope), HYB_PARAM_FLOAT, "0.25",
    .doc = "slope for negative values (leaky), or scale of the exponential (elu)" },
  { HYB_FIELD (LeakyParams, lower_bound), HYB_PARAM_FLOAT, "0.125",
    .doc = "lower bound of the random slopes (rrelu)" },
  { HYB_FIELD (LeakyParams, upper_bound), HYB_PARAM_FLOAT, "0.334",
    .doc = "upper bound of the random slopes (rrelu)" },
  { 0 },
};

/* Klambauer, Unterthiner, Mayr, Hochreiter, “Self-Normalizing Neural Networks” (2017). */
#define SELU_LAMBDA 1.0507009873554805
#define SELU_ALPHA  1.6732632423543772

static void
leaky_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const LeakyParams *params = values;

  *n_inputs = params->act_type == PRELU ? 2 : 1;
  *n_outputs = params->act_type == RRELU ? 2 : 1;
}

static gboolean
leaky_check (gconstpointer values, GError **error)
{
  const LeakyParams *params = values;

  if (params->act_type != RRELU || params->lower_bound <= params->upper_bound)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "lower_bound", NULL,
                       "%g is above upper_bound %g", params->lower_bound, params->upper_bound);
}

/* Element i of the data takes slope (i / inner) % slopes of gamma. */
typedef struct
{
  gint64 inner, slopes;
} SlopeView;

/* Broadcasts gamma to the first two axes of the data (the only axis of a vector) as MXNet does: from
 * the last axis to the first, an axis of the data takes the next size of gamma if that is 1 or equal,
 * else it has size 1.  FALSE if sizes of gamma are left over.  Both shapes are known. */
static gboolean
view_slopes (const HybShape *data, const HybShape *gamma, SlopeView *view)
{
  int next = gamma->rank - 1;

  *view = (SlopeView){ data->rank > 1 ? hyb_shape_count (data, 2, data->rank) : 1, 1 };
  for (int i = MIN (data->rank, 2) - 1; i >= 0; i--)
    {
      gint64 size = 1;

      if (next >= 0 && (gamma->dim[next] == 1 || gamma->dim[next] == data->dim[i]))
        size = gamma->dim[next--];
      if (size > 1)
        view->slopes *= size;
      else if (view->slopes == 1)
        view->inner *= data->dim[i];
    }
  return next < 0;
}

/* gamma is broadcast to the data; if it is not known, it has one element per channel: axis 1 of the
 * data, or axis 0 of a vector. */
static gboolean
expect_slopes (const HybShape *data, HybShape *gamma, GError **error)
{
  SlopeView view;

  if (data->rank < 1)
    return TRUE;
  if (hyb_shape_is_known (gamma) && hyb_shape_is_known (data) && view_slopes (data, gamma, &view))
    return TRUE;
  if (gamma->rank > 1 || (gamma->rank == 1 && gamma->dim[0] != HYB_UNKNOWN))
    return !hyb_shape_is_known (gamma) || !hyb_shape_is_known (data) ||
           hyb_refuse_types (error, NULL,
                             "gamma cannot be broadcast to the first axes of the data");

  return hyb_layer_expect_vector (gamma, "gamma", data->dim[data->rank > 1 ? 1 : 0], error);
}

static gboolean
leaky_infer_shape (HybCall *call, GError **error)
{
  const LeakyParams *params = call->params;

  if (!hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error))
    return FALSE;
  if (params->act_type == RRELU)
    return hyb_shape_unify (&call->output[0].shape, &call->output[1].shape, error);
  if (params->act_type != PRELU)
    return TRUE;

  return expect_slopes (&call->input[0].shape, &call->input[1].shape, error);
}

/* Arguments of leaky_slice, backward_slice and gamma_sums.  mask: the slopes of rrelu. */
typedef struct
{
  const LeakyParams *params;
  gboolean           training;
  guint64            seed;
  SlopeView          slopes;
  gconstpointer      x, gamma, y, dy;
  gpointer           to, mask;
} LeakyArgs;

/* ½ x (1 + erf (x/√2)); y may be x. */
static void
gelu_f32 (gsize n, const float *x, float *y)
{
  hyb_vector_gelu (n, x, y);
}

static void
gelu_f64 (gsize n, const double *x, double *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = 0.5 * x[i] * (1 + erf (x[i] * M_SQRT1_2));
}

static void
expm1_of_f32 (gsize n, const float *x, float *y)
{
  hyb_vector_expm1 (n, x, y);
}

static void
expm1_of_f64 (gsize n, const double *x, double *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = expm1 (x[i]);
}

/* x where positive, else slope x; y may be x. */
static void
leaky_f32 (gsize n, const float *x, float slope, float *y)
{
  hyb_vector_leaky (n, x, slope, y);
}

static void
leaky_f64 (gsize n, const double *x, double slope, double *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

#define REAL_KERNEL "engine/ops/nn/leaky-relu-kernel.h"
#include "engine/kernels/each-real.h"

/* Elements of a slice that are worth a thread: 2,048 of those that need an exponential or an error function take a
 * microsecond with AVX-512. */
static gint64
grain_of (const LeakyParams *params)
{
  return params->act_type == ELU || params->act_type == SELU || params->act_type == GELU ? 2048
                                                                                         : 8192;
}

static void
leaky_forward (const HybCall *call, const HybRun *run)
{
  const LeakyParams *params = call->params;
  LeakyArgs          args = {
             .params = params, .training = run->training, .x = run->input[0], .to = run->output[0]
  };

  if (params->act_type == RRELU)
    {
      args.mask = run->output[1];
      args.seed = hyb_run_random_seed (run);
    }
  if (params->act_type == PRELU)
    {
      args.gamma = run->input[1];
      view_slopes (&call->input[0].shape, &call->input[1].shape, &args.slopes);
    }

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), grain_of (params),
                    call->output[0].dtype == HYB_F64 ? leaky_slice_f64 : leaky_slice_f32, &args);
}

/* Inputs: gradient, data, and a third one: the mask (rrelu), gamma (prelu) or the output (selu). */
static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const LeakyParams *params = values;

  *n_inputs =
      params->act_type == RRELU || params->act_type == PRELU || params->act_type == SELU ? 3 : 2;
  *n_outputs = 1;
}

static void
backward_forward (const HybCall *call, const HybRun *run)
{
  const LeakyParams *params = call->params;
  LeakyArgs          args = {
             .params = params, .x = run->input[1], .dy = run->input[0], .to = run->output[0]
  };

  if (params->act_type == RRELU)
    args.mask = (gpointer) run->input[2];
  if (params->act_type == SELU)
    args.y = run->input[2];
  if (params->act_type == PRELU)
    {
      args.gamma = run->input[2];
      view_slopes (&call->input[1].shape, &call->input[2].shape, &args.slopes);
    }

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), grain_of (params),
                    call->output[0].dtype == HYB_F64 ? backward_slice_f64 : backward_slice_f32,
                    &args);
}

/* Gradient with respect to gamma: Σ dy · x over the negative elements that each slope is for.
 * Inputs: gradient, data, gamma (for its shape). */
static void
backward_gamma_forward (const HybCall *call, const HybRun *run)
{
  LeakyArgs args = {
    .x = run->input[1],
    .dy = run->input[0],
    .to = run->output[0],
  };
  gint64 size = hyb_shape_size (&call->input[1].shape);

  view_slopes (&call->input[1].shape, &call->input[2].shape, &args.slopes);
  if (call->output[0].dtype == HYB_F64)
    gamma_sums_f64 (&args, size);
  else
    gamma_sums_f32 (&args, size);
}

static void
leaky_gradient (HybGrad *grad)
{
  const LeakyParams *params = hyb_grad_params (grad);
  HybValueId inputs[3] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0), HYB_NO_ID };
  guint      n_inputs, n_outputs;

  if (params->act_type == RRELU)
    inputs[2] = hyb_grad_output (grad, 1);
  else if (params->act_type == SELU)
    inputs[2] = hyb_grad_output (grad, 0);
  else if (params->act_type == PRELU)
    inputs[2] = hyb_grad_input (grad, 1);

  backward_arity (params, &n_inputs, &n_outputs);
  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        hyb_grad_emit_same (grad, "_backward_LeakyReLU", n_inputs, inputs));

  /* Both gradients read the incoming gradient.  MXNet's CPU kernel may overwrite that with the
   * data gradient first, which scales the gradient of gamma by the slope. */
  if (params->act_type == PRELU && hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1, hyb_grad_emit_same (grad, "_backward_LeakyReLU_gamma", 3, inputs));
}

static void
leaky_cost (const HybCall *call, HybCost *cost)
{
  const LeakyParams *params = call->params;

  hyb_rule_cost_elementwise (call, params->act_type >= ELU ? 6 : 2, cost);
}

static const char *const leaky_inputs[] = { "data", "gamma", NULL };
static const char *const leaky_outputs[] = { "output", "mask", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "further", NULL };
static const char *const backward_gamma_inputs[] = { "gradient", "data", "gamma", NULL };

const HybOp hyb_ops_leaky_relu[] = {
  {
      .name = "LeakyReLU",
      .doc = "Rectifiers that scale negative values instead of cutting them off.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      /* MODAL and RANDOM because of rrelu.  OWN_GRADIENT because of selu: on the negative side
       * MXNet uses lambda · (alpha + output), which is not the derivative. */
      .flags = HYB_OP_RANDOM | HYB_OP_TRAINING_DEPENDENT | HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE,
      .inputs = leaky_inputs,
      .outputs = leaky_outputs,
      HYB_PARAMS (leaky_params, LeakyParams),
      .arity = leaky_arity,
      .check = leaky_check,
      .infer_shape = leaky_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = leaky_forward,
      .gradient = leaky_gradient,
      .cost = leaky_cost,
  },
  {
      .name = "_backward_LeakyReLU",
      .doc = "Gradient of LeakyReLU with respect to its data.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
      .gradient_of = "LeakyReLU",
      .operands = "g0 i0 - > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (leaky_params, LeakyParams),
      .arity = backward_arity,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_forward,
      .cost = leaky_cost,
  },
  {
      .name = "_backward_LeakyReLU_gamma",
      .doc = "Gradient of LeakyReLU with respect to the learned slopes.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "LeakyReLU",
      .operands = "g0 i0 i1 > i1",
      .inputs = backward_gamma_inputs,
      HYB_PARAMS (leaky_params, LeakyParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = backward_gamma_forward,
  },
  { 0 },
};
