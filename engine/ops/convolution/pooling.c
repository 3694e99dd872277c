/* pooling.c — Pooling: maximum, average, sum or p-norm of windows over one to three spatial
 * axes, and the gradient.
 *
 * This file infers shapes and describes windows; pooling-kernel.h has the loops.  The data is
 * called image and the output map, as in kernels/convolution.  Start at pooling_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/convolution/volume-pool.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <math.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
  POOL_SUM,
  POOL_NORM, /* (Σ xᵖ)^(1/p), of x itself and not |x| */
} PoolType;

typedef enum
{
  CONVENTION_VALID, /* all windows lie within the padded data */
  CONVENTION_FULL,  /* the last window may extend beyond it */
  CONVENTION_SAME,  /* ⌈size / stride⌉ windows, which begin at the first cell; one axis only */
} PoolConvention;

typedef struct
{
  HybShape kernel, stride, pad, output_size;
  int      pool_type, pooling_convention, layout;
  gboolean global_pool, cudnn_off;
  gint64   p_value;
  int      count_include_pad;
} PoolingParams;

static const char *const pool_names[] = { "max", "avg", "sum", "lp", NULL };
static const char *const convention_names[] = { "valid", "full", "same", NULL };
static const char *const layout_names[] = {
  "None", "NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC", NULL,
};
/* Number of spatial axes of each layout; 0: any.  From FIRST_CHANNEL_LAST on, channels are last. */
static const int layout_axes[] = { 0, 1, 2, 3, 1, 2, 3 };
#define FIRST_CHANNEL_LAST 4

static const HybParam pooling_params[] = {
  { HYB_FIELD (PoolingParams, kernel), HYB_PARAM_SHAPE, "()", .doc = "size of the window" },
  { HYB_FIELD (PoolingParams, pool_type), HYB_PARAM_ENUM, "max", .choices = pool_names,
    .doc = "how a window is reduced to one value" },
  { HYB_FIELD (PoolingParams, global_pool), HYB_PARAM_BOOL, "False",
    .doc = "pool over all spatial positions" },
  { HYB_FIELD (PoolingParams, cudnn_off), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { HYB_FIELD (PoolingParams, pooling_convention), HYB_PARAM_ENUM, "valid",
    .choices = convention_names,
    .doc = "whether the last window may extend beyond the padding (full) or not (valid)" },
  { HYB_FIELD (PoolingParams, stride), HYB_PARAM_SHAPE, "()", .doc = "cells between windows" },
  { HYB_FIELD (PoolingParams, pad), HYB_PARAM_SHAPE, "()", .doc = "cells added on both sides" },
  { HYB_FIELD (PoolingParams, p_value), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "p of the p-norm: 1, 2 or 3" },
  { HYB_FIELD (PoolingParams, count_include_pad), HYB_PARAM_OPTIONAL_BOOL, "None",
    .doc = "count padding in averages" },
  { HYB_FIELD (PoolingParams, layout), HYB_PARAM_ENUM, "None", .choices = layout_names,
    .doc = "order of the axes" },
  { HYB_FIELD (PoolingParams, output_size), HYB_PARAM_SHAPE, "None", .doc = "has no effect" },
  { 0 },
};

/* MXNet built with oneDNN gives max pooling a second, hidden output, which files count. */
static guint
pooling_n_stored (gconstpointer values)
{
  const PoolingParams *params = values;

  return params->pool_type == POOL_MAX ? 2 : 1;
}

/* MXNet has “same” for one spatial axis only, where it requires a pad of three zeros. */
static gboolean
check_same (const PoolingParams *params, GError **error)
{
  const HybShape *pad = &params->pad;

  if (params->kernel.rank == 1 && pad->rank == 3 && pad->dim[0] == 0 && pad->dim[1] == 0 &&
      pad->dim[2] == 0)
    return hyb_window_check (&params->kernel, &params->stride, NULL, NULL, error);

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "pooling_convention",
                       "Use valid or full with padding",
                       "“same” needs a kernel over one axis and the pad (0, 0, 0), in MXNet too");
}

static gboolean
pooling_check (gconstpointer values, GError **error)
{
  const PoolingParams *params = values;

  if (params->pool_type == POOL_NORM && (params->p_value < 1 || params->p_value > 3))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "p_value", NULL,
                         "pool_type lp needs 1, 2 or 3, not %" G_GINT64_FORMAT, params->p_value);

  if (params->global_pool)
    return TRUE;

  if (params->pooling_convention == CONVENTION_SAME
          ? !check_same (params, error)
          : !hyb_window_check (&params->kernel, &params->stride, NULL, &params->pad, error))
    return FALSE;

  if (layout_axes[params->layout] != 0 && layout_axes[params->layout] != params->kernel.rank)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "layout", NULL,
                         "%s is for %d spatial axes but the kernel has %d",
                         layout_names[params->layout], layout_axes[params->layout],
                         params->kernel.rank);
  return TRUE;
}

static gboolean
is_channel_last (const PoolingParams *params)
{
  return params->layout >= FIRST_CHANNEL_LAST;
}

/* Replaces the data size along a spatial axis in `out` by the number of windows. */
static gboolean
count_windows (const PoolingParams *params,
               const HybWindow     *window,
               int                  axis,
               HybShape            *out,
               GError             **error)
{
  int    at = (is_channel_last (params) ? 1 : 2) + axis;
  gint64 room = out->dim[at] + 2 * window->pad[axis] - window->kernel[axis];

  if (out->dim[at] == HYB_UNKNOWN)
    return TRUE;

  if (room < 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data",
                         "Use a smaller kernel or more padding",
                         "the kernel has %" G_GINT64_FORMAT
                         " cells along spatial axis %d but the padded data has %" G_GINT64_FORMAT,
                         window->kernel[axis], axis, room + window->kernel[axis]);

  if (params->pooling_convention == CONVENTION_FULL)
    room += window->stride[axis] - 1;
  if (params->pooling_convention == CONVENTION_SAME)
    room = out->dim[at] - 1;
  out->dim[at] = room / window->stride[axis] + 1;
  return TRUE;
}

static gboolean
pooling_infer_shape (HybCall *call, GError **error)
{
  const PoolingParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  int                  rank = params->kernel.rank + 2;
  HybShape             want;
  HybWindow            window;

  if (params->global_pool && layout_axes[params->layout] != 0)
    rank = layout_axes[params->layout] + 2;
  if (!hyb_layer_expect_rank (data, "data", params->global_pool && params->layout == 0 ? 3 : rank,
                              params->global_pool && params->layout == 0 ? 5 : rank, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_layer_expect_image (data, "data", data->rank, error))
    return FALSE;

  want = *data;
  hyb_window_init (&window, &params->kernel, &params->stride, NULL, &params->pad);
  for (int i = 0; i < data->rank - 2; i++)
    if (params->global_pool)
      want.dim[(is_channel_last (params) ? 1 : 2) + i] = 1;
    else if (!count_windows (params, &window, i, &want, error))
      return FALSE;

  if (!hyb_layer_expect (&call->output[0].shape, "output", &want, error))
    return FALSE;

  /* Batch and channels of the data follow from the output. */
  want = hyb_shape_make (data->rank, NULL);
  want.dim[0] = call->output[0].shape.dim[0];
  want.dim[is_channel_last (params) ? data->rank - 1 : 1] =
      call->output[0].shape.dim[is_channel_last (params) ? data->rank - 1 : 1];
  return hyb_layer_expect (data, "data", &want, error);
}

/* Arguments of pool_planes and spread_planes.  There are always three spatial axes: missing ones
 * are the first, of size 1.  A plane is one channel of one sample; its cells lie `step` elements
 * apart (1, or the number of channels if these are the last axis). */
typedef struct
{
  PoolType type;
  gboolean counts_padding;
  gint64   p;
  gint64   channels, planes, step;
  gint64   image[3], map[3], kernel[3], stride[3], pad[3];

  gconstpointer x, y, dy;
  gpointer      to;
} PoolingArgs;

static void
init_args (PoolingArgs *args, const HybCall *call, const HybShape *data, const HybShape *output)
{
  const PoolingParams *params = call->params;
  int                  spatial = data->rank - 2;
  int                  first = is_channel_last (params) ? 1 : 2;
  HybWindow            window;

  hyb_window_init (&window, &params->kernel, &params->stride, NULL, &params->pad);
  args->type = (PoolType) params->pool_type;
  args->counts_padding = params->count_include_pad != 0;
  args->p = params->p_value;
  args->channels = data->dim[is_channel_last (params) ? data->rank - 1 : 1];
  args->planes = data->dim[0] * args->channels;
  args->step = is_channel_last (params) ? args->channels : 1;

  for (int i = 0; i < 3; i++)
    {
      int from = i - (3 - spatial);

      args->image[i] = from < 0 ? 1 : data->dim[first + from];
      args->map[i] = from < 0 ? 1 : output->dim[first + from];
      args->kernel[i] = from < 0 ? 1 : params->global_pool ? args->image[i] : window.kernel[from];
      args->stride[i] = from < 0 || params->global_pool ? 1 : window.stride[from];
      args->pad[i] = from < 0 || params->global_pool ? 0 : window.pad[from];
    }
}

/* Element index of the first cell of a plane with `cells` cells. */
static gint64
plane_base (const PoolingArgs *args, gint64 plane, gint64 cells)
{
  if (args->step == 1)
    return plane * cells;

  return plane / args->channels * args->channels * cells + plane % args->channels;
}

/* `n` neighbouring windows of one row of the map. */
typedef struct
{
  gint64 place[2];        /* index of the row along the first two axes of the map */
  gint64 first, n;        /* columns [first, first + n) of the map */
  gint64 start;           /* index of the first window within the whole map */
  gint64 low[2], high[2]; /* cells [low, high) of the image along the first two axes */
  gint64 divisor;         /* number of the cells that an average counts */
} Row;

/* Sets [*low, *high) to the image cells under a window along one axis; returns how many cells an
 * average counts, which may include padding. */
static gint64
window_range (const PoolingArgs *args, int axis, gint64 position, gint64 *low, gint64 *high)
{
  gint64 start = position * args->stride[axis] - args->pad[axis];
  gint64 end = MIN (start + args->kernel[axis], args->image[axis] + args->pad[axis]);

  *low = MAX (start, 0);
  *high = MAX (MIN (end, args->image[axis]), *low);
  return args->counts_padding ? end - start : *high - *low;
}

/* The number of cells that an average counts along the last axis. */
static gint64
last_divisor (const PoolingArgs *args, gint64 column)
{
  gint64 low, high;

  return window_range (args, 2, column, &low, &high);
}

static void
enter_row (const PoolingArgs *args, Row *row, gint64 max_windows)
{
  row->divisor = window_range (args, 0, row->place[0], &row->low[0], &row->high[0]) *
                 window_range (args, 1, row->place[1], &row->low[1], &row->high[1]);
  row->n = MIN (max_windows, args->map[2] - row->first);
}

/* Starts with the first windows of the map, max_windows at most.  FALSE if the map is empty. */
static gboolean
first_row (const PoolingArgs *args, Row *row, gint64 max_windows)
{
  *row = (Row){ 0 };
  if (hyb_volume (args->map) == 0)
    return FALSE;

  enter_row (args, row, max_windows);
  return TRUE;
}

/* Moves on to the next windows of the row or the next row.  FALSE at the end. */
static gboolean
next_row (const PoolingArgs *args, Row *row, gint64 max_windows)
{
  row->first += row->n;
  row->start += row->n;
  if (row->first == args->map[2])
    {
      row->first = 0;
      if (++row->place[1] == args->map[1])
        {
          row->place[1] = 0;
          row->place[0]++;
        }
    }
  if (row->place[0] == args->map[0])
    return FALSE;

  enter_row (args, row, max_windows);
  return TRUE;
}

/* Sets [*low, *high) to the windows of a row whose cell at a tap of the last axis lies inside the
 * image. */
static void
tap_range (const PoolingArgs *args, const Row *row, gint64 tap, gint64 *low, gint64 *high)
{
  gint64 stride = args->stride[2];
  gint64 column = row->first * stride + tap - args->pad[2];

  *low = column >= 0 ? 0 : (-column + stride - 1) / stride;
  *high = column >= args->image[2] ? 0 : (args->image[2] - 1 - column) / stride + 1;
  *low = MIN (*low, row->n);
  *high = CLAMP (*high, *low, row->n);
}

/* Whether this is max pooling with windows of 2 × 2, stride 2 and no padding, which is common and
 * has kernels of its own. */
static gboolean
is_halving (const PoolingArgs *args)
{
  if (args->type != POOL_MAX || args->step != 1 || args->kernel[0] * args->stride[0] != 1 ||
      args->pad[0] != 0)
    return FALSE;
  for (int axis = 1; axis < 3; axis++)
    if (args->kernel[axis] != 2 || args->stride[axis] != 2 || args->pad[axis] != 0 ||
        2 * args->map[axis] > args->image[axis])
      return FALSE;
  return TRUE;
}

/* Whether the one window of a plane is the whole image, of which it is the mean. */
static gboolean
is_mean (const PoolingArgs *args)
{
  if (args->type != POOL_AVERAGE || args->step != 1 || hyb_volume (args->image) == 0)
    return FALSE;
  for (int axis = 0; axis < 3; axis++)
    if (args->map[axis] != 1 || args->kernel[axis] != args->image[axis] || args->pad[axis] != 0)
      return FALSE;
  return TRUE;
}

#define REAL_KERNEL "engine/ops/convolution/pooling-kernel.h"
#include "engine/kernels/each-real.h"

/* Fewest planes that are worth a thread. */
static gint64
plane_grain (const PoolingArgs *args)
{
  return MAX (1, 16384 / MAX (1, hyb_volume (args->map) * hyb_volume (args->kernel)));
}

/* Finds the windows for volume-pool.h.  FALSE if the loops of pooling-kernel.h are to compute them: there is another
 * type or order of axes, a norm, or windows that have faster loops there. */
static gboolean
find_windows (const HybCall *call, const PoolingArgs *args, HybWindowPool *pool)
{
  static const HybPoolKind kinds[] = {
    [POOL_MAX] = HYB_POOL_MAX, [POOL_AVERAGE] = HYB_POOL_AVERAGE, [POOL_SUM] = HYB_POOL_SUM
  };

  if (call->output[0].dtype != HYB_F32 || args->type == POOL_NORM || args->step != 1 ||
      is_halving (args) || is_mean (args))
    return FALSE;
  *pool = (HybWindowPool){ .kind = kinds[args->type],
                           .window = { .batch = args->planes, .groups = 1 },
                           .counts_padding = args->counts_padding };
  for (int axis = 0; axis < 3; axis++)
    {
      pool->window.image[axis] = args->image[axis];
      pool->window.map[axis] = args->map[axis];
      pool->window.kernel[axis] = args->kernel[axis];
      pool->window.stride[axis] = args->stride[axis];
      pool->window.dilate[axis] = 1;
      pool->window.pad[axis] = args->pad[axis];
    }
  return hyb_volume_pool_fits (&pool->window);
}

static gsize
pooling_workspace (const HybCall *call)
{
  PoolingArgs   args = { 0 };
  HybWindowPool pool;

  init_args (&args, call, &call->input[0].shape, &call->output[0].shape);
  return find_windows (call, &args, &pool) ? hyb_volume_pool_workspace (&pool.window) : 0;
}

static void
pooling_forward (const HybCall *call, const HybRun *run)
{
  PoolingArgs   args = { .x = run->input[0], .to = run->output[0] };
  HybWindowPool pool;

  init_args (&args, call, &call->input[0].shape, &call->output[0].shape);
  if (find_windows (call, &args, &pool))
    {
      pool.image = run->input[0];
      pool.map = run->output[0];
      pool.workspace = run->workspace;
      hyb_volume_pool (&pool);
      return;
    }
  hyb_parallel_for (args.planes, plane_grain (&args),
                    call->output[0].dtype == HYB_F64 ? pool_planes_f64 : pool_planes_f32, &args);
}

/* Inputs: gradient, data, output. */
static void
pooling_backward (const HybCall *call, const HybRun *run)
{
  PoolingArgs args = {
    .dy = run->input[0], .x = run->input[1], .y = run->input[2], .to = run->output[0]
  };

  init_args (&args, call, &call->input[1].shape, &call->input[0].shape);
  hyb_parallel_for (args.planes, plane_grain (&args),
                    call->output[0].dtype == HYB_F64 ? spread_planes_f64 : spread_planes_f32,
                    &args);
}

static void
set_cost (const HybCall *call, const HybShape *data, const HybShape *output, HybCost *cost)
{
  PoolingArgs args = { 0 };

  init_args (&args, call, data, output);
  cost->flops = (double) hyb_shape_size (output);
  for (int i = 0; i < 3; i++)
    cost->flops *= (double) args.kernel[i];
  hyb_rule_cost_bytes (call, cost);
}

static void
pooling_cost (const HybCall *call, HybCost *cost)
{
  set_cost (call, &call->input[0].shape, &call->output[0].shape, cost);
}

static void
backward_cost (const HybCall *call, HybCost *cost)
{
  set_cost (call, &call->input[1].shape, &call->input[0].shape, cost);
}

static const char *const pooling_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "output", NULL };

const HybOp hyb_ops_pooling[] = {
  {
      .name = "Pooling",
      .doc = "Maximum, average, sum or norm of each window.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = pooling_inputs,
      HYB_PARAMS (pooling_params, PoolingParams),
      .n_stored = pooling_n_stored,
      .check = pooling_check,
      .infer_shape = pooling_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .workspace = pooling_workspace,
      .forward = pooling_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = pooling_cost,
  },
  {
      .name = "_backward_Pooling",
      .doc = "Gradient of Pooling: distributes each window's gradient over its cells.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Pooling",
      .operands = "g0 i0 o0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (pooling_params, PoolingParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_backward,
      .cost = backward_cost,
  },
  { 0 },
};
