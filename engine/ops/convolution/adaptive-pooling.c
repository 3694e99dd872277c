/* adaptive-pooling.c — AdaptiveAvgPooling2D: averages over as many windows as the output has
 * cells, and the gradient.
 *
 * Data is (batch, channels, height, width).  Along an axis of `size` cells, window i of n covers
 * cells [⌊i · size / n⌋, ⌈(i + 1) · size / n⌉); windows may overlap.  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  HybShape output_size;
} AdaptiveParams;

static const HybParam adaptive_params[] = {
  { HYB_FIELD (AdaptiveParams, output_size), HYB_PARAM_SHAPE, "()",
    .doc = "height and width of the output; one number for both" },
  { 0 },
};

/* Output height (axis 0) or width (axis 1). */
static gint64
output_size (const AdaptiveParams *params, int axis)
{
  const HybShape *size = &params->output_size;

  return size->rank <= 0 ? 1 : size->dim[size->rank == 1 ? 0 : axis];
}

static gboolean
adaptive_check (gconstpointer values, GError **error)
{
  const AdaptiveParams *params = values;

  if (params->output_size.rank <= 2 && output_size (params, 0) >= 1 &&
      output_size (params, 1) >= 1 &&
      MAX (output_size (params, 0), output_size (params, 1)) < G_MAXINT32)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "output_size", NULL,
                       "it must be one or two positive numbers below 2³¹");
}

static gboolean
adaptive_infer_shape (HybCall *call, GError **error)
{
  const AdaptiveParams *params = call->params;
  HybShape             *data = &call->input[0].shape;
  HybShape              want = hyb_shape_make (4, NULL);

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect_image (data, "data", 4, error))
    return FALSE;

  for (int axis = 0; axis < 4; axis++)
    want.dim[axis] = axis < 2 ? data->dim[axis] : output_size (params, axis - 2);
  if (!hyb_layer_expect (&call->output[0].shape, "output", &want, error))
    return FALSE;

  for (int axis = 2; axis < 4; axis++)
    if (data->dim[axis] == 0)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                           "it has no cells along axis %d, so there is nothing to average", axis);
  return TRUE;
}

/* Arguments of mean_planes and spread_planes: height and width of data and output. */
typedef struct
{
  gint64        in[2], out[2];
  gconstpointer from;
  gpointer      to;
} AdaptiveArgs;

/* Window i of n over `size` cells covers [window_begin, window_end). */
static inline gint64
window_begin (gint64 i, gint64 n, gint64 size)
{
  return i * size / n;
}

static inline gint64
window_end (gint64 i, gint64 n, gint64 size)
{
  return ((i + 1) * size + n - 1) / n;
}

/* Cells of the input whose mean is one cell of the output: those of a plane from top and left up
 * to, but without, bottom and right. */
typedef struct
{
  gint64 plane, top, bottom, left, right;
} Window;

static inline Window
window_of (const AdaptiveArgs *args, gint64 cell)
{
  gint64 i = cell / args->out[1] % args->out[0], j = cell % args->out[1];

  return (Window){ .plane = cell / args->out[1] / args->out[0],
                   .top = window_begin (i, args->out[0], args->in[0]),
                   .bottom = window_end (i, args->out[0], args->in[0]),
                   .left = window_begin (j, args->out[1], args->in[1]),
                   .right = window_end (j, args->out[1], args->in[1]) };
}

/* A slice is a range of planes, one per sample and channel.  mean_planes averages each window;
 * spread_planes adds an equal share of each window's gradient to its cells. */
#define KERNELS(T, suffix)                                                                        \
  static void mean_planes_##suffix (gint64 begin, gint64 end, gpointer data)                      \
  {                                                                                               \
    const AdaptiveArgs *args = data;                                                              \
                                                                                                  \
    for (gint64 cell = begin * args->out[0] * args->out[1];                                       \
         cell < end * args->out[0] * args->out[1]; cell++)                                        \
      {                                                                                           \
        Window   w = window_of (args, cell);                                                      \
        const T *x = (const T *) args->from + w.plane * args->in[0] * args->in[1];                \
        T        sum = 0;                                                                         \
                                                                                                  \
        for (gint64 y = w.top; y < w.bottom; y++)                                                 \
          for (gint64 z = w.left; z < w.right; z++)                                               \
            sum += x[y * args->in[1] + z];                                                        \
        ((T *) args->to)[cell] = sum / (T) ((w.bottom - w.top) * (w.right - w.left));             \
      }                                                                                           \
  }                                                                                               \
                                                                                                  \
  static void spread_planes_##suffix (gint64 begin, gint64 end, gpointer data)                    \
  {                                                                                               \
    const AdaptiveArgs *args = data;                                                              \
    gint64              size = args->in[0] * args->in[1];                                         \
                                                                                                  \
    for (gint64 i = begin * size; i < end * size; i++)                                            \
      ((T *) args->to)[i] = 0;                                                                    \
                                                                                                  \
    for (gint64 cell = begin * args->out[0] * args->out[1];                                       \
         cell < end * args->out[0] * args->out[1]; cell++)                                        \
      {                                                                                           \
        Window w = window_of (args, cell);                                                        \
        T     *dx = (T *) args->to + w.plane * size;                                              \
        T share = ((const T *) args->from)[cell] / (T) ((w.bottom - w.top) * (w.right - w.left)); \
                                                                                                  \
        for (gint64 y = w.top; y < w.bottom; y++)                                                 \
          for (gint64 z = w.left; z < w.right; z++)                                               \
            dx[y * args->in[1] + z] += share;                                                     \
      }                                                                                           \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
run_planes (const HybShape *data, const HybShape *output, AdaptiveArgs *args, HybParallelFunc func)
{
  for (int i = 0; i < 2; i++)
    {
      args->in[i] = data->dim[2 + i];
      args->out[i] = output->dim[2 + i];
    }
  hyb_parallel_for (data->dim[0] * data->dim[1], MAX (1, 8192 / MAX (1, args->in[0] * args->in[1])),
                    func, args);
}

static void
adaptive_forward (const HybCall *call, const HybRun *run)
{
  AdaptiveArgs args = { .from = run->input[0], .to = run->output[0] };

  run_planes (&call->input[0].shape, &call->output[0].shape, &args,
              call->output[0].dtype == HYB_F64 ? mean_planes_f64 : mean_planes_f32);
}

/* Inputs: gradient, data (for its shape). */
static void
adaptive_backward (const HybCall *call, const HybRun *run)
{
  AdaptiveArgs args = { .from = run->input[0], .to = run->output[0] };

  run_planes (&call->input[1].shape, &call->input[0].shape, &args,
              call->output[0].dtype == HYB_F64 ? spread_planes_f64 : spread_planes_f32);
}

static const char *const adaptive_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_adaptive_pooling[] = {
  {
      .name = "_contrib_AdaptiveAvgPooling2D",
      .doc = "Averages over as many windows as the output has cells.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = adaptive_inputs,
      HYB_PARAMS (adaptive_params, AdaptiveParams),
      .check = adaptive_check,
      .infer_shape = adaptive_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = adaptive_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_input = 1,
  },
  {
      .name = "_backward_AdaptiveAvgPooling2D",
      .doc = "Gradient of AdaptiveAvgPooling2D.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_AdaptiveAvgPooling2D",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (adaptive_params, AdaptiveParams),
      .check = adaptive_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = adaptive_backward,
  },
  { 0 },
};
