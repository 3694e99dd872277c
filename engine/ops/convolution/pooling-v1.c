/* pooling-v1.c — Pooling_v1 of old models, over two spatial axes, and the gradient.
 *
 * Unlike in Pooling, padding counts as zeros, even for the maximum; averages divide by the size
 * of the kernel; and every cell that equals the maximum gets the gradient.
 * Start at pooling_forward(); the loops are in pooling-v1-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <float.h>
#include <string.h>

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
  POOL_SUM,
} PoolType;

typedef struct
{
  HybShape kernel, stride, pad;
  int      pool_type, pooling_convention;
  gboolean global_pool;
} PoolingParams;

static const char *const pool_names[] = { "max", "avg", "sum", NULL };
static const char *const convention_names[] = { "valid", "full", NULL };

static const HybParam pooling_params[] = {
  { HYB_FIELD (PoolingParams, kernel), HYB_PARAM_SHAPE, "()", .doc = "size of the window" },
  { HYB_FIELD (PoolingParams, stride), HYB_PARAM_SHAPE, "()", .doc = "cells between windows" },
  { HYB_FIELD (PoolingParams, pad), HYB_PARAM_SHAPE, "()", .doc = "zeros added on both sides" },
  { HYB_FIELD (PoolingParams, pool_type), HYB_PARAM_ENUM, "max", .choices = pool_names,
    .doc = "how a window is reduced to one value" },
  { HYB_FIELD (PoolingParams, pooling_convention), HYB_PARAM_ENUM, "valid",
    .choices = convention_names,
    .doc = "whether the last window may extend beyond the padding (full) or not (valid)" },
  { HYB_FIELD (PoolingParams, global_pool), HYB_PARAM_BOOL, "False",
    .doc = "pool over all spatial positions" },
  { 0 },
};

static gboolean
pooling_check (gconstpointer values, GError **error)
{
  const PoolingParams *params = values;

  if (params->global_pool)
    return TRUE;
  if (!hyb_window_check (&params->kernel, &params->stride, NULL, &params->pad, error))
    return FALSE;
  return params->kernel.rank == 2 ||
         hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "kernel",
                       "Use Pooling for other kernels", "it has %d sizes, but Pooling_v1 needs 2",
                       params->kernel.rank);
}

/* Replaces *size, the data cells along a spatial axis, by the number of windows. */
static gboolean
count_windows (const PoolingParams *params, int axis, gint64 *size, GError **error)
{
  HybWindow window;
  gint64    padded, room;

  hyb_window_init (&window, &params->kernel, &params->stride, NULL, &params->pad);
  padded = *size + 2 * window.pad[axis];
  room = padded - window.kernel[axis];
  if (room < 0)
    return hyb_refuse_types (error, "Use a smaller kernel or more padding",
                             "the kernel has %" G_GINT64_FORMAT
                             " cells along spatial axis %d but the padded data has "
                             "%" G_GINT64_FORMAT,
                             window.kernel[axis], axis, padded);
  if (params->pooling_convention == 1)
    room += window.stride[axis] - 1;
  *size = room / window.stride[axis] + 1;
  return TRUE;
}

static gboolean
pooling_infer_shape (HybCall *call, GError **error)
{
  const PoolingParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  HybShape             want;

  if (!hyb_layer_expect_image (data, "data", 4, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  want = *data;
  for (int i = 0; i < 2; i++)
    if (params->global_pool)
      want.dim[2 + i] = 1;
    else if (want.dim[2 + i] != HYB_UNKNOWN && !count_windows (params, i, &want.dim[2 + i], error))
      return FALSE;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* Arguments of pool and spread.  image: data size; map: output size. */
typedef struct
{
  PoolType      type;
  gint64        planes, image[2], map[2], kernel[2], stride[2], pad[2];
  double        share; /* weight of a cell in an average: 1 / kernel size */
  gconstpointer x, y, dy;
  gpointer      to;
} PoolingArgs;

static void
init_args (PoolingArgs *args, const HybCall *call, const HybShape *data, const HybShape *output)
{
  const PoolingParams *params = call->params;
  HybWindow            window;

  hyb_window_init (&window, &params->kernel, &params->stride, NULL, &params->pad);
  args->type = (PoolType) params->pool_type;
  args->planes = data->dim[0] * data->dim[1];
  for (int i = 0; i < 2; i++)
    {
      args->image[i] = data->dim[2 + i];
      args->map[i] = output->dim[2 + i];
      args->kernel[i] = params->global_pool ? args->image[i] : window.kernel[i];
      args->stride[i] = params->global_pool ? 1 : window.stride[i];
      args->pad[i] = params->global_pool ? 0 : window.pad[i];
    }
  args->share = 1.0 / (double) MAX (args->kernel[0] * args->kernel[1], 1);
}

/* Rows and columns [begin, end) of the window at (h, w); negative ones lie in the padding. */
static void
find_window (const PoolingArgs *args, gint64 h, gint64 w, gint64 begin[2], gint64 end[2])
{
  gint64 position[] = { h, w };

  for (int i = 0; i < 2; i++)
    {
      begin[i] = position[i] * args->stride[i] - args->pad[i];
      end[i] = MIN (begin[i] + args->kernel[i], args->image[i] + args->pad[i]);
    }
}

static gboolean
is_inside (const PoolingArgs *args, gint64 i, gint64 j)
{
  return i >= 0 && i < args->image[0] && j >= 0 && j < args->image[1];
}

static gint64
cell_index (const PoolingArgs *args, gint64 i, gint64 j)
{
  return i * args->image[1] + j;
}

#define REAL_KERNEL "engine/ops/convolution/pooling-v1-kernel.h"
#include "engine/kernels/each-real.h"

static void
pooling_forward (const HybCall *call, const HybRun *run)
{
  PoolingArgs args = { .x = run->input[0], .to = run->output[0] };

  init_args (&args, call, &call->input[0].shape, &call->output[0].shape);
  hyb_parallel_for (args.planes, 1, call->output[0].dtype == HYB_F64 ? pool_f64 : pool_f32, &args);
}

/* Inputs: gradient, data, output. */
static void
pooling_backward (const HybCall *call, const HybRun *run)
{
  PoolingArgs args = {
    .dy = run->input[0], .x = run->input[1], .y = run->input[2], .to = run->output[0]
  };

  init_args (&args, call, &call->input[1].shape, &call->input[0].shape);
  hyb_parallel_for (args.planes, 1, call->output[0].dtype == HYB_F64 ? spread_f64 : spread_f32,
                    &args);
}

static void
pooling_cost (const HybCall *call, HybCost *cost)
{
  PoolingArgs args = { 0 };

  init_args (&args, call, &call->input[0].shape, &call->output[0].shape);
  cost->flops = (double) hyb_shape_size (&call->output[0].shape) / args.share;
  hyb_rule_cost_bytes (call, cost);
}

static const char *const pooling_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "output", NULL };

const HybOp hyb_ops_pooling_v1[] = {
  {
      .name = "Pooling_v1",
      .doc = "Pooling as in old models, where padding counts as zeros.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = pooling_inputs,
      HYB_PARAMS (pooling_params, PoolingParams),
      .check = pooling_check,
      .infer_shape = pooling_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = pooling_cost,
  },
  {
      .name = "_backward_Pooling_v1",
      .doc = "Gradient of Pooling_v1; every cell that equals the maximum gets all of it.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Pooling_v1",
      .operands = "g0 i0 o0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (pooling_params, PoolingParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pooling_backward,
  },
  { 0 },
};
