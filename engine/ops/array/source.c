/* source.c — _zeros, _ones, _full, _zeros_without_dtype and _eye: constant tensors from attributes.
 *
 * Ranges are in source-range.c, random numbers in ../random/random.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/fill.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/array/source-shape.h"

#include <string.h>

/* Shared by all operators, so that they can share inference; the table of each lists the members
 * that it has. */
typedef struct
{
  HybShape shape;
  char    *ctx;
  HybDType dtype;
  gint64   dtype_code;
  double   value;
  gint64   N, M, k;
} SourceParams;

#define SHAPE_PARAM                                         \
  {                                                         \
    HYB_FIELD (SourceParams, shape), HYB_PARAM_SHAPE, "()", \
        .doc = "shape; 0 is inferred from the consumers"    \
  }
#define DEVICE_PARAM                                                                        \
  {                                                                                         \
    HYB_FIELD (SourceParams, ctx), HYB_PARAM_STRING, "", .doc = "device in MXNet; not used" \
  }
#define DTYPE_PARAM                                                                    \
  {                                                                                    \
    HYB_FIELD (SourceParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "element type" \
  }

static const HybParam constant_params[] = { SHAPE_PARAM, DEVICE_PARAM, DTYPE_PARAM, { 0 } };

static const HybParam full_params[] = {
  SHAPE_PARAM,
  DEVICE_PARAM,
  DTYPE_PARAM,
  { HYB_FIELD (SourceParams, value), HYB_PARAM_FLOAT, NULL, .doc = "value of all elements" },
  { 0 },
};

static const HybParam without_dtype_params[] = {
  SHAPE_PARAM,
  DEVICE_PARAM,
  { .name = "dtype",
    .offset = G_STRUCT_OFFSET (SourceParams, dtype_code),
    HYB_PARAM_INT,
    "-1",
    .low = -1,
    .high = HYB_N_DTYPES - 1,
    .doc = "code of the element type; -1 is inferred from the consumers" },
  { 0 },
};

static const HybParam eye_params[] = {
  { HYB_FIELD (SourceParams, N), HYB_PARAM_INT, NULL, .low = 0, .high = G_MAXINT32, .doc = "rows" },
  { HYB_FIELD (SourceParams, M), HYB_PARAM_INT, "0", .low = 0, .high = G_MAXINT32,
    .doc = "columns; 0: as many as rows" },
  { HYB_FIELD (SourceParams, k), HYB_PARAM_INT, "0", .low = -(double) G_MAXINT32,
    .high = G_MAXINT32, .doc = "number of the diagonal; positive ones are above the main one" },
  DEVICE_PARAM,
  DTYPE_PARAM,
  { 0 },
};

static gboolean
constant_infer_shape (HybCall *call, GError **error)
{
  return source_infer_shape (call, &((const SourceParams *) call->params)->shape, error);
}

static gboolean
constant_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, ((const SourceParams *) call->params)->dtype,
                           error);
}

static gboolean
without_dtype_infer_dtype (HybCall *call, GError **error)
{
  const SourceParams *params = call->params;

  return params->dtype_code < 0 ||
         hyb_dtype_assign (&call->output[0].dtype, (HybDType) params->dtype_code, error);
}

static void
fill_forward (const HybCall *call, const HybRun *run, double value)
{
  const HybType *type = &call->output[0];

  hyb_fill (run->output[0], type->dtype, value, (gsize) hyb_shape_size (&type->shape));
}

static void
zeros_forward (const HybCall *call, const HybRun *run)
{
  fill_forward (call, run, 0);
}

static void
ones_forward (const HybCall *call, const HybRun *run)
{
  fill_forward (call, run, 1);
}

static void
full_forward (const HybCall *call, const HybRun *run)
{
  fill_forward (call, run, ((const SourceParams *) call->params)->value);
}

static gboolean
eye_infer_shape (HybCall *call, GError **error)
{
  const SourceParams *params = call->params;
  HybShape            shape = hyb_shape_2d (params->N, params->M == 0 ? params->N : params->M);

  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static void
eye_forward (const HybCall *call, const HybRun *run)
{
  const SourceParams *params = call->params;

  hyb_fill_diagonal (run->output[0], &call->output[0], params->k);
}

static const char *const no_inputs[] = { NULL };

#define COMMON                                                                     \
  .category = HYB_CATEGORY_DATA, .flags = HYB_OP_NO_GRADIENT, .inputs = no_inputs, \
  .params_size = sizeof (SourceParams), .dtypes = HYB_DTYPES_ALL, .cost = hyb_rule_cost_move

const HybOp hyb_ops_source[] = {
  {
      .name = "_zeros",
      .doc = "A tensor of zeros.",
      COMMON,
      .params = constant_params,
      .infer_shape = constant_infer_shape,
      .infer_dtype = constant_infer_dtype,
      .forward = zeros_forward,
  },
  {
      .name = "_ones",
      .doc = "A tensor of ones.",
      COMMON,
      .params = constant_params,
      .infer_shape = constant_infer_shape,
      .infer_dtype = constant_infer_dtype,
      .forward = ones_forward,
  },
  {
      .name = "_full",
      .doc = "A tensor filled with one value.",
      COMMON,
      .params = full_params,
      .infer_shape = constant_infer_shape,
      .infer_dtype = constant_infer_dtype,
      .forward = full_forward,
  },
  {
      .name = "_zeros_without_dtype",
      .doc = "A tensor of zeros whose element type is inferred from its consumers.",
      COMMON,
      .params = without_dtype_params,
      .infer_shape = constant_infer_shape,
      .infer_dtype = without_dtype_infer_dtype,
      .forward = zeros_forward,
  },
  {
      .name = "_eye",
      .doc = "A matrix with ones on one diagonal.",
      COMMON,
      .params = eye_params,
      .infer_shape = eye_infer_shape,
      .infer_dtype = constant_infer_dtype,
      .forward = eye_forward,
  },
  { 0 },
};

#undef COMMON
#undef DTYPE_PARAM
#undef DEVICE_PARAM
#undef SHAPE_PARAM
