/* bilinear-sampler.c — BilinearSampler (samples images at the positions of a grid), GridGenerator
 * (makes grids from matrices or flows), SpatialTransformer (both in one), and their gradients.
 *
 * A grid (batch, 2, h, w) holds x and y of each output cell, from −1 to 1 across the image.
 * kernels/sampling.h has the loops.  Start at sampler_forward() and grid_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/sampling.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* --- BilinearSampler --- */

typedef struct
{
  int cudnn_off;
} SamplerParams;

static const HybParam sampler_params[] = {
  { HYB_FIELD (SamplerParams, cudnn_off), HYB_PARAM_OPTIONAL_BOOL, "None", .doc = "has no effect" },
  { 0 },
};

/* data (batch, channels, H, W), grid (batch, 2, h, w), output (batch, channels, h, w). */
static gboolean
infer_sampling (HybShape *data, HybShape *grid, HybShape *output, GError **error)
{
  HybShape want = hyb_shape_make (4, NULL);

  if (!hyb_layer_expect (data, "data", &want, error))
    return FALSE;

  want.dim[0] = data->dim[0];
  want.dim[1] = 2;
  if (!hyb_layer_expect (grid, "grid", &want, error))
    return FALSE;

  want = hyb_shape_4d (grid->dim[0], data->dim[1], grid->dim[2], grid->dim[3]);
  return hyb_layer_expect (output, "output", &want, error);
}

static gboolean
sampler_infer_shape (HybCall *call, GError **error)
{
  return infer_sampling (&call->input[0].shape, &call->input[1].shape, &call->output[0].shape,
                         error);
}

static HybSampling
view_sampling (const HybShape *data, const HybShape *grid)
{
  return (HybSampling){
    .batch = grid->dim[0],
    .channels = data->dim[1],
    .height = data->dim[2],
    .width = data->dim[3],
    .grid_height = grid->dim[2],
    .grid_width = grid->dim[3],
  };
}

static void
sampler_forward (const HybCall *call, const HybRun *run)
{
  HybSampling sampling = view_sampling (&call->input[0].shape, &call->input[1].shape);

  if (call->output[0].dtype == HYB_F64)
    hyb_sample_f64 (&sampling, run->input[0], run->input[1], run->output[0]);
  else
    hyb_sample_f32 (&sampling, run->input[0], run->input[1], run->output[0]);
}

/* Inputs: gradient, data, grid.  Outputs: gradients of data and grid. */
static void
sampler_backward (const HybCall *call, const HybRun *run)
{
  HybSampling sampling = view_sampling (&call->input[1].shape, &call->input[2].shape);

  if (call->output[0].dtype == HYB_F64)
    hyb_sample_backward_f64 (&sampling, run->input[1], run->input[2], run->input[0], run->output[0],
                             run->output[1]);
  else
    hyb_sample_backward_f32 (&sampling, run->input[1], run->input[2], run->input[0], run->output[0],
                             run->output[1]);
}

/* --- GridGenerator --- */

typedef enum
{
  TRANSFORM_AFFINE, /* data (batch, 6): a 2 × 3 matrix */
  TRANSFORM_WARP,   /* data (batch, 2, h, w): a flow, x and y offsets in cells */
} TransformType;

typedef struct
{
  int      transform_type;
  HybShape target_shape;
} GridParams;

static const char *const transform_names[] = { "affine", "warp", NULL };

static const HybParam grid_params[] = {
  { HYB_FIELD (GridParams, transform_type), HYB_PARAM_ENUM, NULL, .choices = transform_names,
    .doc = "source of the grid: a matrix (affine) or a flow (warp)" },
  { HYB_FIELD (GridParams, target_shape), HYB_PARAM_SHAPE, "(0, 0)",
    .doc = "height and width of the grid (affine)" },
  { 0 },
};

static gboolean
check_target (const HybShape *target, GError **error)
{
  if (target->rank == 2 && target->dim[0] >= 1 && target->dim[1] >= 1)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "target_shape", NULL,
                       "an affine grid needs two positive numbers, height and width");
}

static gboolean
grid_check (gconstpointer values, GError **error)
{
  const GridParams *params = values;

  return params->transform_type == TRANSFORM_WARP || check_target (&params->target_shape, error);
}

/* Unifies matrix (batch, 6) and grid (batch, 2, target height, target width); name: of matrix. */
static gboolean
infer_affine (HybShape       *matrix,
              HybShape       *grid,
              const char     *name,
              const HybShape *target,
              GError        **error)
{
  HybShape want = hyb_shape_2d (grid->rank == 4 ? grid->dim[0] : HYB_UNKNOWN, 6);

  if (!hyb_layer_expect (matrix, name, &want, error))
    return FALSE;

  want = hyb_shape_4d (matrix->dim[0], 2, target->dim[0], target->dim[1]);
  return hyb_layer_expect (grid, "grid", &want, error);
}

static gboolean
grid_infer_shape (HybCall *call, GError **error)
{
  const GridParams *params = call->params;
  HybShape         *data = &call->input[0].shape;
  HybShape          want = hyb_shape_4d (HYB_UNKNOWN, 2, HYB_UNKNOWN, HYB_UNKNOWN);

  if (params->transform_type == TRANSFORM_AFFINE)
    return infer_affine (data, &call->output[0].shape, "data", &params->target_shape, error);

  return hyb_layer_expect (data, "data", &want, error) &&
         hyb_shape_unify (data, &call->output[0].shape, error);
}

/* x = (flow + j) · 2 / (width − 1) − 1, and likewise y; the gradient is scaled only. */
#define WARP(T, suffix)                                                                          \
  static void warp_##suffix (const HybShape *shape, const T *flow, T *grid, gboolean backward)   \
  {                                                                                              \
    gint64 height = shape->dim[2], width = shape->dim[3];                                        \
                                                                                                 \
    for (gint64 plane = 0; plane < 2 * shape->dim[0]; plane++)                                   \
      {                                                                                          \
        gint64 size = plane % 2 == 0 ? width : height;                                           \
        T      scale = size > 1 ? 2 / (T) (size - 1) : 2;                                        \
                                                                                                 \
        for (gint64 k = 0; k < height * width; k++, flow++, grid++)                              \
          *grid = backward ? *flow * scale                                                       \
                           : (*flow + (T) (plane % 2 == 0 ? k % width : k / width)) * scale - 1; \
      }                                                                                          \
  }

WARP (float, f32)
WARP (double, f64)

#undef WARP

static void
grid_forward (const HybCall *call, const HybRun *run)
{
  const GridParams *params = call->params;
  const HybShape   *shape = &call->output[0].shape;
  gboolean          is_double = call->output[0].dtype == HYB_F64;
  HybSampling       sampling = view_sampling (shape, shape);

  if (params->transform_type == TRANSFORM_AFFINE)
    is_double ? hyb_affine_grid_f64 (&sampling, run->input[0], run->output[0])
              : hyb_affine_grid_f32 (&sampling, run->input[0], run->output[0]);
  else
    is_double ? warp_f64 (shape, run->input[0], run->output[0], FALSE)
              : warp_f32 (shape, run->input[0], run->output[0], FALSE);
}

/* data is (batch, 6), a matrix per sample, or a flow of the shape of the grid. */
static gboolean
grid_backward_infer_shape (HybCall *call, GError **error)
{
  const HybShape *data = &call->input[1].shape;
  HybShape        want = hyb_shape_4d (HYB_UNKNOWN, 2, HYB_UNKNOWN, HYB_UNKNOWN);

  if (!hyb_layer_like_last_inputs (call, error) ||
      !hyb_layer_expect (&call->input[0].shape, "gradient", &want, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank != 2)
    return hyb_layer_expect (&call->input[1].shape, "data", &call->input[0].shape, error);

  want = hyb_shape_2d (call->input[0].shape.dim[0], 6);
  return hyb_layer_expect (&call->input[1].shape, "data", &want, error);
}

/* Gradient of the matrix or the flow.  Inputs: gradient of the grid, data (for its shape). */
static void
grid_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->input[0].shape;
  gboolean        is_double = call->output[0].dtype == HYB_F64;
  HybSampling     sampling = view_sampling (shape, shape);

  if (call->output[0].shape.rank == 2)
    is_double ? hyb_affine_grid_backward_f64 (&sampling, run->input[0], run->output[0])
              : hyb_affine_grid_backward_f32 (&sampling, run->input[0], run->output[0]);
  else
    is_double ? warp_f64 (shape, run->input[0], run->output[0], TRUE)
              : warp_f32 (shape, run->input[0], run->output[0], TRUE);
}

/* --- SpatialTransformer --- */

typedef struct
{
  HybShape target_shape;
  int      transform_type, sampler_type, cudnn_off;
} TransformerParams;

static const char *const affine_names[] = { "affine", NULL };
static const char *const bilinear_names[] = { "bilinear", NULL };

static const HybParam transformer_params[] = {
  { HYB_FIELD (TransformerParams, target_shape), HYB_PARAM_SHAPE, "(0, 0)",
    .doc = "height and width of the output" },
  { HYB_FIELD (TransformerParams, transform_type), HYB_PARAM_ENUM, NULL, .choices = affine_names,
    .doc = "source of the grid" },
  { HYB_FIELD (TransformerParams, sampler_type), HYB_PARAM_ENUM, NULL, .choices = bilinear_names,
    .doc = "interpolation between cells" },
  { HYB_FIELD (TransformerParams, cudnn_off), HYB_PARAM_OPTIONAL_BOOL, "None",
    .doc = "has no effect" },
  { 0 },
};

static gboolean
transformer_check (gconstpointer values, GError **error)
{
  const TransformerParams *params = values;

  return check_target (&params->target_shape, error);
}

static gboolean
transformer_infer_shape (HybCall *call, GError **error)
{
  const TransformerParams *params = call->params;

  return infer_affine (&call->input[1].shape, &call->output[1].shape, "loc", &params->target_shape,
                       error) &&
         infer_sampling (&call->input[0].shape, &call->output[1].shape, &call->output[0].shape,
                         error);
}

static void
transformer_forward (const HybCall *call, const HybRun *run)
{
  HybSampling sampling = view_sampling (&call->input[0].shape, &call->output[1].shape);

  if (call->output[0].dtype == HYB_F64)
    {
      hyb_affine_grid_f64 (&sampling, run->input[1], run->output[1]);
      hyb_sample_f64 (&sampling, run->input[0], run->output[1], run->output[0]);
    }
  else
    {
      hyb_affine_grid_f32 (&sampling, run->input[1], run->output[1]);
      hyb_sample_f32 (&sampling, run->input[0], run->output[1], run->output[0]);
    }
}

static const char *const sampler_inputs[] = { "data", "grid", NULL };
static const char *const sampler_backward_inputs[] = { "gradient", "data", "grid", NULL };
static const char *const sampler_backward_outputs[] = { "data", "grid", NULL };
static const char *const grid_inputs[] = { "data", NULL };
static const char *const grid_backward_inputs[] = { "gradient", "data", NULL };
static const char *const transformer_inputs[] = { "data", "loc", NULL };
static const char *const transformer_outputs[] = { "output", "_grid", NULL };

const HybOp hyb_ops_bilinear_sampler[] = {
  {
      .name = "BilinearSampler",
      .doc = "Samples images at the positions of a grid.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = sampler_inputs,
      HYB_PARAMS (sampler_params, SamplerParams),
      .infer_shape = sampler_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sampler_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_output = 12,
  },
  {
      .name = "GridGenerator",
      .doc = "Makes a grid of positions from a matrix or a flow.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = grid_inputs,
      HYB_PARAMS (grid_params, GridParams),
      .check = grid_check,
      .infer_shape = grid_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = grid_forward,
      HYB_GRADIENT ("_backward_GridGenerator (g0, i0) > i0"),
      .flops_per_output = 4,
  },
  {
      .name = "SpatialTransformer",
      .doc = "Samples images at the positions of a grid made from an affine matrix.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = transformer_inputs,
      .outputs = transformer_outputs,
      HYB_PARAMS (transformer_params, TransformerParams),
      .check = transformer_check,
      .infer_shape = transformer_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = transformer_forward,
      HYB_GRADIENT ("_backward_BilinearSampler (g0, i0, o1) > i0 x; "
                    "_backward_GridGenerator (x, i1) > i1"),
      .flops_per_output = 12,
  },
  {
      .name = "_backward_BilinearSampler",
      .doc = "Gradients of BilinearSampler with respect to data and grid.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "BilinearSampler",
      .operands = "g0 i0 i1 > i0 i1",
      .inputs = sampler_backward_inputs,
      .outputs = sampler_backward_outputs,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sampler_backward,
      .flops_per_input = 30,
  },
  {
      .name = "_backward_GridGenerator",
      .doc = "Gradient of GridGenerator with respect to the matrix or the flow.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = grid_backward_inputs,
      .infer_shape = grid_backward_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = grid_backward,
  },
  { 0 },
};
