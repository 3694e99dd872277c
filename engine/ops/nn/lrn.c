/* lrn.c — LRN, local response normalisation across channels, and the gradient.
 *
 * out = x · norm^(−beta) with norm = knorm + alpha / nsize · Σ x² over the nsize channels around
 * that of x, at the same position.  Data is (batch, channels, height, width); norm is a hidden
 * output for the gradient.  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  double alpha, beta, knorm;
  gint64 nsize;
} LrnParams;

static const HybParam lrn_params[] = {
  { HYB_FIELD (LrnParams, alpha), HYB_PARAM_FLOAT, "0.0001",
    .doc = "weight of the sum of squares" },
  { HYB_FIELD (LrnParams, beta), HYB_PARAM_FLOAT, "0.75", .doc = "exponent of the norm" },
  { HYB_FIELD (LrnParams, knorm), HYB_PARAM_FLOAT, "2", .doc = "constant term of the norm" },
  { HYB_FIELD (LrnParams, nsize), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of channels to sum over, odd" },
  { 0 },
};

static gboolean
lrn_check (gconstpointer values, GError **error)
{
  const LrnParams *params = values;

  if (params->nsize % 2 == 1)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "nsize", NULL,
                       "%" G_GINT64_FORMAT " is even, so the window has no centre", params->nsize);
}

/* A window may be wider than the channels, as MXNet allows with oneDNN: it ends with them. */
static gboolean
lrn_infer_shape (HybCall *call, GError **error)
{
  return hyb_rule_same_shape (call, error) &&
         hyb_layer_expect_rank (&call->input[0].shape, "data", 4, 4, error);
}

/* Arguments of normalise_planes and backward_planes. */
typedef struct
{
  const LrnParams *params;
  gint64           channels, positions; /* positions: height × width */
  gconstpointer    x, dy, norm_in;
  gpointer         to, norm;
} LrnArgs;

/* A slice is a range of planes, one per sample and channel, of `positions` elements each. */
#define KERNELS(T, suffix)                                                                                       \
  static void normalise_planes_##suffix (gint64 begin, gint64 end, gpointer data)                                \
  {                                                                                                              \
    const LrnArgs *args = data;                                                                                  \
    gint64         radius = args->params->nsize / 2, n = args->positions;                                        \
    T              alpha = (T) (args->params->alpha / (double) args->params->nsize);                             \
    T              beta = (T) args->params->beta;                                                                \
                                                                                                                 \
    for (gint64 plane = begin; plane < end; plane++)                                                             \
      {                                                                                                          \
        gint64   channel = plane % args->channels;                                                               \
        gint64   low = MAX (-channel, -radius), high = MIN (args->channels - 1 - channel, radius);               \
        const T *x = (const T *) args->x + plane * n;                                                            \
        T       *y = (T *) args->to + plane * n;                                                                 \
        T       *norm = (T *) args->norm + plane * n;                                                            \
                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                           \
          norm[i] = 0;                                                                                           \
        for (gint64 k = low; k <= high; k++)                                                                     \
          for (gint64 i = 0; i < n; i++)                                                                         \
            norm[i] += x[k * n + i] * x[k * n + i];                                                              \
        for (gint64 i = 0; i < n; i++)                                                                           \
          {                                                                                                      \
            norm[i] = (T) args->params->knorm + alpha * norm[i];                                                 \
            y[i] = x[i] * pow (norm[i], -beta);                                                                  \
          }                                                                                                      \
      }                                                                                                          \
  }                                                                                                              \
                                                                                                                 \
  /* dx = dy norm^(−beta) − 2 alpha beta / nsize · x · Σ dy x norm^(−beta − 1), summed over the     \
   * channels whose window holds x. */ \
  static void backward_planes_##suffix (gint64 begin, gint64 end, gpointer data)                                 \
  {                                                                                                              \
    const LrnArgs *args = data;                                                                                  \
    gint64         radius = args->params->nsize / 2, n = args->positions;                                        \
    T              beta = (T) args->params->beta;                                                                \
    T factor = (T) (2 * args->params->alpha * args->params->beta / (double) args->params->nsize);                \
                                                                                                                 \
    for (gint64 plane = begin; plane < end; plane++)                                                             \
      {                                                                                                          \
        gint64   channel = plane % args->channels;                                                               \
        gint64   low = MAX (-channel, -radius), high = MIN (args->channels - 1 - channel, radius);               \
        const T *x = (const T *) args->x + plane * n;                                                            \
        const T *dy = (const T *) args->dy + plane * n;                                                          \
        const T *norm = (const T *) args->norm_in + plane * n;                                                   \
        T       *dx = (T *) args->to + plane * n;                                                                \
                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                           \
          {                                                                                                      \
            T sum = 0;                                                                                           \
                                                                                                                 \
            for (gint64 k = low; k <= high; k++)                                                                 \
              sum += dy[k * n + i] * x[k * n + i] * pow (norm[k * n + i], -beta - 1);                            \
            dx[i] = dy[i] * pow (norm[i], -beta) - factor * x[i] * sum;                                          \
          }                                                                                                      \
      }                                                                                                          \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
run_planes (const HybCall *call, LrnArgs *args, HybParallelFunc f32, HybParallelFunc f64)
{
  const HybShape *shape = &call->output[0].shape;

  args->params = call->params;
  args->channels = shape->dim[1];
  args->positions = hyb_shape_count (shape, 2, 4);
  hyb_parallel_for (shape->dim[0] * args->channels, MAX (1, 4096 / MAX (1, args->positions)),
                    call->output[0].dtype == HYB_F64 ? f64 : f32, args);
}

static void
lrn_forward (const HybCall *call, const HybRun *run)
{
  LrnArgs args = { .x = run->input[0], .to = run->output[0], .norm = run->output[1] };

  run_planes (call, &args, normalise_planes_f32, normalise_planes_f64);
}

/* Inputs: gradient, data, norm. */
static void
lrn_backward (const HybCall *call, const HybRun *run)
{
  LrnArgs args = {
    .dy = run->input[0], .x = run->input[1], .norm_in = run->input[2], .to = run->output[0]
  };

  run_planes (call, &args, backward_planes_f32, backward_planes_f64);
}

static void
lrn_cost (const HybCall *call, HybCost *cost)
{
  const LrnParams *params = call->params;

  hyb_rule_cost_elementwise (call, 2.0 * (double) params->nsize + 4.0, cost);
}

static const char *const lrn_inputs[] = { "data", NULL };
static const char *const lrn_outputs[] = { "output", "_norm", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "norm", NULL };

const HybOp hyb_ops_lrn[] = {
  {
      .name = "LRN",
      .doc = "Local response normalisation across channels.",
      .category = HYB_CATEGORY_NORMALISATION,
      .inputs = lrn_inputs,
      .outputs = lrn_outputs,
      HYB_PARAMS (lrn_params, LrnParams),
      .check = lrn_check,
      .infer_shape = lrn_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = lrn_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = lrn_cost,
  },
  {
      .name = "_backward_LRN",
      .doc = "Gradient of LRN.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "LRN",
      .operands = "g0 i0 o1 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (lrn_params, LrnParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = lrn_backward,
      .cost = lrn_cost,
  },
  { 0 },
};
