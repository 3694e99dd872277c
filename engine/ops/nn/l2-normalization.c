/* l2-normalization.c — L2Normalization: divides rows by their Euclidean norm; and the gradient.
 *
 * Data is seen as (outer, length, inner); a row has `length` elements, `inner` apart, and its
 * norm √(eps + Σ x²) is a hidden output for the gradient.  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  MODE_INSTANCE, /* a row is a whole sample */
  MODE_SPATIAL,  /* a row is one channel of a sample */
  MODE_CHANNEL,  /* a row is all channels at one position */
} NormalizationMode;

typedef struct
{
  double eps;
  int    mode;
} L2Params;

static const char *const mode_names[] = { "instance", "spatial", "channel", NULL };

static const HybParam l2_params[] = {
  { HYB_FIELD (L2Params, eps), HYB_PARAM_FLOAT, "1e-10",
    .doc = "added to the sum of squares to avoid division by zero" },
  { HYB_FIELD (L2Params, mode), HYB_PARAM_ENUM, "instance", .choices = mode_names,
    .doc = "which elements share a norm" },
  { 0 },
};

/* The norm is taken over the axes [*first, *last) and has the shape of the others. */
static void
summed_axes (const L2Params *params, const HybShape *data, int *first, int *last)
{
  *first = params->mode == MODE_SPATIAL ? 2 : 1;
  *last = params->mode == MODE_CHANNEL ? 2 : data->rank;
}

static gboolean
l2_infer_shape (HybCall *call, GError **error)
{
  const L2Params *params = call->params;
  HybShape       *data = &call->input[0].shape;
  HybShape        want = { .rank = 0 };
  int             first, last;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", params->mode == MODE_INSTANCE ? 1 : 3, HYB_MAX_RANK,
                              error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  summed_axes (params, data, &first, &last);
  for (int i = 0; i < data->rank; i++)
    if (i < first || i >= last)
      want.dim[want.rank++] = data->dim[i];

  return hyb_layer_expect (&call->output[1].shape, "norm", &want, error);
}

/* Arguments of normalise_rows and backward_rows. */
typedef struct
{
  gint64        outer, length, inner;
  double        eps;
  gconstpointer x, dy, y;
  gpointer      to, norm;
} L2Args;

static void
init_args (L2Args *args, const HybCall *call)
{
  const L2Params *params = call->params;
  const HybShape *data = &call->output[0].shape;
  int             first, last;

  summed_axes (params, data, &first, &last);
  args->outer = hyb_shape_count (data, 0, first);
  args->length = hyb_shape_count (data, first, last);
  args->inner = hyb_shape_count (data, last, data->rank);
  args->eps = params->eps;
}

#define KERNELS(T, suffix)                                                      \
  static void normalise_rows_##suffix (gint64 begin, gint64 end, gpointer data) \
  {                                                                             \
    const L2Args *args = data;                                                  \
    gint64        n = args->length, step = args->inner;                         \
                                                                                \
    for (gint64 row = begin; row < end; row++)                                  \
      {                                                                         \
        gint64   base = row / step * n * step + row % step;                     \
        const T *x = (const T *) args->x + base;                                \
        T       *y = (T *) args->to + base;                                     \
        double   sum = args->eps;                                               \
        T        norm;                                                          \
                                                                                \
        for (gint64 k = 0; k < n; k++)                                          \
          sum += (double) x[k * step] * (double) x[k * step];                   \
        ((T *) args->norm)[row] = norm = (T) sqrt (sum);                        \
        for (gint64 k = 0; k < n; k++)                                          \
          y[k * step] = x[k * step] / norm;                                     \
      }                                                                         \
  }                                                                             \
                                                                                \
  /* dx = (dy − y · Σ (y ∘ dy)) / norm. */                                \
  static void backward_rows_##suffix (gint64 begin, gint64 end, gpointer data)  \
  {                                                                             \
    const L2Args *args = data;                                                  \
    gint64        n = args->length, step = args->inner;                         \
                                                                                \
    for (gint64 row = begin; row < end; row++)                                  \
      {                                                                         \
        gint64   base = row / step * n * step + row % step;                     \
        const T *y = (const T *) args->y + base;                                \
        const T *dy = (const T *) args->dy + base;                              \
        T       *dx = (T *) args->to + base;                                    \
        T        norm = ((const T *) args->norm)[row];                          \
        double   sum = 0.0;                                                     \
                                                                                \
        for (gint64 k = 0; k < n; k++)                                          \
          sum += (double) y[k * step] * (double) dy[k * step];                  \
        for (gint64 k = 0; k < n; k++)                                          \
          dx[k * step] = (dy[k * step] - y[k * step] * (T) sum) / norm;         \
      }                                                                         \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
run_rows (const HybCall *call, L2Args *args, HybParallelFunc f32, HybParallelFunc f64)
{
  hyb_parallel_for (args->outer * args->inner, MAX (1, 8192 / MAX (1, args->length)),
                    call->output[0].dtype == HYB_F64 ? f64 : f32, args);
}

static void
l2_forward (const HybCall *call, const HybRun *run)
{
  L2Args args = { .x = run->input[0], .to = run->output[0], .norm = run->output[1] };

  init_args (&args, call);
  run_rows (call, &args, normalise_rows_f32, normalise_rows_f64);
}

/* Inputs: gradient, output, norm. */
static void
l2_backward (const HybCall *call, const HybRun *run)
{
  L2Args args = {
    .dy = run->input[0], .y = run->input[1], .norm = (gpointer) run->input[2], .to = run->output[0]
  };

  init_args (&args, call);
  run_rows (call, &args, backward_rows_f32, backward_rows_f64);
}

static const char *const l2_inputs[] = { "data", NULL };
static const char *const l2_outputs[] = { "output", "_norm", NULL };
static const char *const backward_inputs[] = { "gradient", "output", "norm", NULL };

const HybOp hyb_ops_l2_normalization[] = {
  {
      .name = "L2Normalization",
      .doc = "Divides rows by their Euclidean norm.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = l2_inputs,
      .outputs = l2_outputs,
      HYB_PARAMS (l2_params, L2Params),
      .infer_shape = l2_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = l2_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 3,
  },
  {
      .name = "_backward_L2Normalization",
      .doc = "Gradient of L2Normalization.",
      .category = HYB_CATEGORY_NORMALISATION,
      .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
      .gradient_of = "L2Normalization",
      .operands = "g0 o0 o1 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (l2_params, L2Params),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = l2_backward,
      .flops_per_output = 3,
  },
  { 0 },
};
