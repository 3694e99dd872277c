/* bilinear-resize.c — BilinearResize2D: resizes images by bilinear interpolation; and the gradient.
 *
 * Data is (batch, channels, height, width); the mode decides how the output size is found
 * (output_size), find_cells() which data cells an output cell mixes.  Planes of float32 are resampled by resample.h, others by
 * loops here.  Start at resize_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/moving/resample.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  MODE_SIZE,         /* scale × size, or height and width */
  MODE_ODD_SCALE,    /* scale × size; for odd sizes scale × (size − 1) + 1 */
  MODE_LIKE,         /* the size of a second input */
  MODE_TO_EVEN_DOWN, /* the next even or odd size */
  MODE_TO_EVEN_UP,
  MODE_TO_ODD_DOWN,
  MODE_TO_ODD_UP,
} ResizeMode;

typedef struct
{
  gint64   height, width;
  double   scale_height, scale_width;
  int      mode;
  gboolean align_corners;
} ResizeParams;

static const char *const mode_names[] = {
  "size", "odd_scale", "like", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up", NULL,
};

static const HybParam resize_params[] = {
  { HYB_FIELD (ResizeParams, height), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "height of the output" },
  { HYB_FIELD (ResizeParams, width), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "width of the output" },
  { HYB_FIELD (ResizeParams, scale_height), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "factor of the height, instead of height" },
  { HYB_FIELD (ResizeParams, scale_width), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "factor of the width, instead of width" },
  { HYB_FIELD (ResizeParams, mode), HYB_PARAM_ENUM, "size", .choices = mode_names,
    .doc = "how the output size is found" },
  { HYB_FIELD (ResizeParams, align_corners), HYB_PARAM_BOOL, "True",
    .doc = "map corner cells to corner cells" },
  { 0 },
};

static void
resize_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ResizeParams *params = values;

  *n_inputs = params->mode == MODE_LIKE ? 2 : 1;
  *n_outputs = 1;
}

static gboolean
resize_check (gconstpointer values, GError **error)
{
  const ResizeParams *params = values;
  gboolean            needs_scale = params->mode == MODE_ODD_SCALE;
  double              scales[] = { params->scale_height, params->scale_width };

  for (int i = 0; i < 2; i++)
    if ((needs_scale && isnan (scales[i])) || scales[i] <= 0 || scales[i] > 1e6)
      return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE,
                           i == 0 ? "scale_height" : "scale_width", NULL,
                           "%g is not a factor above 0 and up to 1e6", scales[i]);
  return TRUE;
}

/* Output height (axis 0) or width (axis 1) for `size` data cells; HYB_UNKNOWN in MODE_LIKE. */
static gint64
output_size (const ResizeParams *params, int axis, gint64 size)
{
  double scale = axis == 0 ? params->scale_height : params->scale_width;

  switch ((ResizeMode) params->mode)
    {
    case MODE_SIZE:
      if (!isnan (scale))
        return (gint64) (scale * (double) size);
      return axis == 0 ? params->height : params->width;
    case MODE_ODD_SCALE:
      return size % 2 == 0 ? (gint64) ((double) size * scale)
                           : (gint64) ((double) (size - 1) * scale) + 1;
    case MODE_TO_EVEN_DOWN:
      return size - size % 2;
    case MODE_TO_EVEN_UP:
      return size + size % 2;
    case MODE_TO_ODD_DOWN:
      return size - (size + 1) % 2;
    case MODE_TO_ODD_UP:
      return size + (size + 1) % 2;
    case MODE_LIKE:
      break;
    }
  return HYB_UNKNOWN;
}

static gboolean
resize_infer_shape (HybCall *call, GError **error)
{
  const ResizeParams *params = call->params;
  HybShape           *data = &call->input[0].shape;
  HybShape            want = hyb_shape_make (4, NULL);

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect_image (data, "data", 4, error) ||
      (params->mode == MODE_LIKE &&
       !hyb_layer_expect (&call->input[1].shape, "like", &want, error)))
    return FALSE;

  for (int axis = 0; axis < 4; axis++)
    if (axis < 2)
      want.dim[axis] = data->dim[axis];
    else if (params->mode == MODE_LIKE)
      want.dim[axis] = call->input[1].shape.dim[axis];
    else if (data->dim[axis] != HYB_UNKNOWN)
      want.dim[axis] = output_size (params, axis - 2, data->dim[axis]);

  for (int axis = 2; axis < 4; axis++)
    if (data->dim[axis] == 0 || want.dim[axis] == 0)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                           "%" G_GINT64_FORMAT
                           " cells along axis %d would become %" G_GINT64_FORMAT,
                           data->dim[axis], axis, want.dim[axis]);

  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* The data cells that an output cell mixes along one axis: (1 − share) · low + share · high. */
typedef struct
{
  gint64 low, high;
  double share;
} CellPair;

static CellPair
find_cells (gboolean align_corners, gint64 i, gint64 size, gint64 output_size)
{
  double   at;
  CellPair place;

  if (align_corners)
    at = output_size > 1 ? (double) i * (double) (size - 1) / (double) (output_size - 1) : 0.0;
  else
    at = MAX (0.0, ((double) i + 0.5) * (double) size / (double) output_size - 0.5);

  place.low = MIN ((gint64) at, size - 1);
  place.high = MIN (place.low + 1, size - 1);
  place.share = at - (double) place.low;
  return place;
}

/* Arguments of mix_planes and spread_planes.  in, out: height and width of data and output. */
typedef struct
{
  gboolean      align_corners;
  gint64        in[2], out[2];
  gconstpointer from;
  gpointer      to;
} ResizeArgs;

/* A slice is a range of planes, one per sample and channel.  mix_planes interpolates;
 * spread_planes adds each output gradient to its four data cells. */
#define KERNELS(T, suffix)                                                                       \
  static void mix_planes_##suffix (gint64 begin, gint64 end, gpointer data)                      \
  {                                                                                              \
    const ResizeArgs *args = data;                                                               \
    gint64            width = args->in[1];                                                       \
                                                                                                 \
    for (gint64 row = begin * args->out[0]; row < end * args->out[0]; row++)                     \
      {                                                                                          \
        CellPair v =                                                                             \
            find_cells (args->align_corners, row % args->out[0], args->in[0], args->out[0]);     \
        const T *x = (const T *) args->from + row / args->out[0] * args->in[0] * width;          \
        T       *y = (T *) args->to + row * args->out[1];                                        \
                                                                                                 \
        for (gint64 j = 0; j < args->out[1]; j++)                                                \
          {                                                                                      \
            CellPair h = find_cells (args->align_corners, j, width, args->out[1]);               \
            T        a = (T) v.share, b = (T) h.share;                                           \
                                                                                                 \
            y[j] =                                                                               \
                (1 - a) * ((1 - b) * x[v.low * width + h.low] + b * x[v.low * width + h.high]) + \
                a * ((1 - b) * x[v.high * width + h.low] + b * x[v.high * width + h.high]);      \
          }                                                                                      \
      }                                                                                          \
  }                                                                                              \
                                                                                                 \
  static void spread_planes_##suffix (gint64 begin, gint64 end, gpointer data)                   \
  {                                                                                              \
    const ResizeArgs *args = data;                                                               \
    gint64            width = args->in[1], size = args->in[0] * width;                           \
                                                                                                 \
    for (gint64 i = begin * size; i < end * size; i++)                                           \
      ((T *) args->to)[i] = 0;                                                                   \
                                                                                                 \
    for (gint64 row = begin * args->out[0]; row < end * args->out[0]; row++)                     \
      {                                                                                          \
        CellPair v =                                                                             \
            find_cells (args->align_corners, row % args->out[0], args->in[0], args->out[0]);     \
        const T *dy = (const T *) args->from + row * args->out[1];                               \
        T       *dx = (T *) args->to + row / args->out[0] * size;                                \
                                                                                                 \
        for (gint64 j = 0; j < args->out[1]; j++)                                                \
          {                                                                                      \
            CellPair h = find_cells (args->align_corners, j, width, args->out[1]);               \
            T        a = (T) v.share, b = (T) h.share;                                           \
                                                                                                 \
            dx[v.low * width + h.low] += (1 - a) * (1 - b) * dy[j];                              \
            dx[v.low * width + h.high] += (1 - a) * b * dy[j];                                   \
            dx[v.high * width + h.low] += a * (1 - b) * dy[j];                                   \
            dx[v.high * width + h.high] += a * b * dy[j];                                        \
          }                                                                                      \
      }                                                                                          \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
run_planes (const HybCall  *call,
            const HybShape *data,
            const HybShape *output,
            ResizeArgs     *args,
            HybParallelFunc func)
{
  const ResizeParams *params = call->params;

  args->align_corners = params->align_corners;
  for (int i = 0; i < 2; i++)
    {
      args->in[i] = data->dim[2 + i];
      args->out[i] = output->dim[2 + i];
    }
  hyb_parallel_for (data->dim[0] * data->dim[1],
                    MAX (1, 4096 / MAX (1, args->out[0] * args->out[1])), func, args);
}

/* --- float32 --- */

#define N_TAPS 2

/* Whether resample.h computes it, in a workspace for the cells and shares of both axes. */
static gboolean
is_resampled (const HybCall *call, const HybShape *data, const HybShape *output)
{
  gboolean fits = call->output[0].dtype == HYB_F32;

  for (int i = 2; i < 4; i++)
    fits &= data->dim[i] <= HYB_RESAMPLE_MAX_SIZE && output->dim[i] <= HYB_RESAMPLE_MAX_SIZE;
  return fits;
}

static gsize
taps_bytes (const HybCall *call, const HybShape *data, const HybShape *output)
{
  gint64 n = output->dim[2] + output->dim[3];

  return is_resampled (call, data, output) ? (gsize) n * 2 * N_TAPS * sizeof (float) : 0;
}

/* Fills room for `to` cells of an axis. */
static HybTaps
find_taps (gboolean align_corners, gint64 from, gint64 to, float *room)
{
  float *weight = room + N_TAPS * to;

  for (gint64 i = 0; i < to; i++)
    {
      CellPair cells = find_cells (align_corners, i, from, to);

      room[i] = (float) cells.low;
      room[to + i] = (float) cells.high;
      weight[i] = (float) (1 - cells.share);
      weight[to + i] = (float) cells.share;
    }
  return (HybTaps){ from, to, N_TAPS, room, weight };
}

static HybResample
find_resample (const HybCall *call, const HybShape *data, const HybShape *output, float *room)
{
  gboolean    align_corners = ((const ResizeParams *) call->params)->align_corners;
  HybResample resample = { .n_planes = data->dim[0] * data->dim[1] };

  resample.rows = find_taps (align_corners, data->dim[2], output->dim[2], room);
  resample.columns =
      find_taps (align_corners, data->dim[3], output->dim[3], room + 2 * N_TAPS * output->dim[2]);
  return resample;
}

static gsize
resize_workspace (const HybCall *call)
{
  return taps_bytes (call, &call->input[0].shape, &call->output[0].shape);
}

static void
resize_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[0].shape, *output = &call->output[0].shape;
  ResizeArgs      args = { .from = run->input[0], .to = run->output[0] };

  if (is_resampled (call, data, output))
    {
      HybResample resample = find_resample (call, data, output, run->workspace);

      hyb_resample (&resample, run->input[0], run->output[0]);
    }
  else
    run_planes (call, data, output, &args,
                call->output[0].dtype == HYB_F64 ? mix_planes_f64 : mix_planes_f32);
}

/* Inputs: gradient, data (for its shape). */
static gsize
backward_workspace (const HybCall *call)
{
  return taps_bytes (call, &call->input[1].shape, &call->input[0].shape);
}

static void
resize_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[1].shape, *output = &call->input[0].shape;
  ResizeArgs      args = { .from = run->input[0], .to = run->output[0] };

  if (is_resampled (call, data, output))
    {
      HybResample resample = find_resample (call, data, output, run->workspace);

      hyb_resample_backward (&resample, run->input[0], run->output[0]);
    }
  else
    run_planes (call, data, output, &args,
                call->output[0].dtype == HYB_F64 ? spread_planes_f64 : spread_planes_f32);
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 2;
  *n_outputs = 1;
}

static const char *const resize_inputs[] = { "data", "like", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_bilinear_resize[] = {
  {
      .name = "_contrib_BilinearResize2D",
      .doc = "Resizes images by bilinear interpolation.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = resize_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (resize_params, ResizeParams),
      .arity = resize_arity,
      .check = resize_check,
      .infer_shape = resize_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = resize_forward,
      .workspace = resize_workspace,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 9,
  },
  {
      .name = "_backward_BilinearResize2D",
      .doc = "Gradient of BilinearResize2D.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_BilinearResize2D",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (resize_params, ResizeParams),
      .arity = backward_arity,
      .check = resize_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = resize_backward,
      .workspace = backward_workspace,
      .flops_per_output = 9,
  },
  { 0 },
};
