/* quantise-linear.c — _quantise_linear and _dequantise_linear: between floats and 8-bit integers by a scale and a zero point.
 *
 * ONNX's QuantizeLinear and DequantizeLinear: round (x / scale) + zero, saturated, and (x − zero) scale.  Scale and zero
 * point are floats that are broadcast to x.  The loops are in engine/kernels/quantise-linear.h.  Start with
 * quantise_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/quantise-linear.h"

#include "engine/gradient/by-formula.h"
#include "engine/kernels/each.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

enum
{
  OUT_INT8,
  OUT_UINT8,
};

typedef struct
{
  int out_type;
} LinearParams;

static const char *const out_types[] = { "int8", "uint8", NULL };

static const HybParam linear_params[] = {
  { HYB_FIELD (LinearParams, out_type), HYB_PARAM_ENUM, "uint8", .choices = out_types,
    .doc = "type of the result" },
  { 0 },
};

/* Scale and zero point must not make the result larger than x. */
static gboolean
linear_infer_shape (HybCall *call, GError **error)
{
  const HybShape *x = &call->input[0].shape;

  for (guint i = 1; i < 3 && hyb_shape_is_known (x); i++)
    {
      const HybShape *shape = &call->input[i].shape;

      if (!hyb_shape_is_known (shape))
        continue;
      if (shape->rank > x->rank)
        return hyb_refuse_types (error, NULL, "its %s has %d axes, but the data has %d",
                                 call->op->inputs[i], shape->rank, x->rank);
      for (int k = 1; k <= shape->rank; k++)
        if (shape->dim[shape->rank - k] != 1 && shape->dim[shape->rank - k] != x->dim[x->rank - k])
          return hyb_refuse_types (error, NULL,
                                   "its %s has %" G_GINT64_FORMAT
                                   " elements along an axis of the data of %" G_GINT64_FORMAT,
                                   call->op->inputs[i], shape->dim[shape->rank - k],
                                   x->dim[x->rank - k]);
    }
  return hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error);
}

static gboolean
assign_parameters (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->input[1].dtype, HYB_F32, error) &&
         hyb_dtype_assign (&call->input[2].dtype, HYB_F32, error);
}

static gboolean
quantise_infer_dtype (HybCall *call, GError **error)
{
  const LinearParams *params = call->params;

  return assign_parameters (call, error) &&
         hyb_dtype_assign (&call->input[0].dtype, HYB_F32, error) &&
         hyb_dtype_assign (&call->output[0].dtype, params->out_type == OUT_UINT8 ? HYB_U8 : HYB_I8,
                           error);
}

static gboolean
dequantise_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  if (dtype != HYB_DTYPE_UNKNOWN && dtype != HYB_I8 && dtype != HYB_U8)
    return hyb_refuse_types (error, NULL, "its data is %s, but it takes int8 and uint8",
                             hyb_dtype_name (dtype));
  return assign_parameters (call, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

typedef struct
{
  HybLinearLoop loop;
  const char   *x;
  gsize         size; /* bytes of an element of x */
  const float  *scale, *zero;
  char         *y;
  gsize         size_y;
} Linear;

static void
run_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const Linear *linear = data;

  linear->loop (&(HybLinearRow){ .n = length,
                                 .scale = linear->scale + offset[2],
                                 .scale_stride = stride[2],
                                 .zero = linear->zero + offset[3],
                                 .zero_stride = stride[3] },
                linear->x + (gsize) offset[1] * linear->size,
                linear->y + (gsize) offset[0] * linear->size_y);
}

static void
run_linear (const HybCall *call, const HybRun *run, HybLinearLoop loop)
{
  const HybShape *shape = &call->output[0].shape;
  HybEach         each;
  Linear          linear = {
             .loop = loop,
             .x = run->input[0],
             .size = hyb_dtype_size (call->input[0].dtype),
             .scale = run->input[1],
             .zero = run->input[2],
             .y = run->output[0],
             .size_y = hyb_dtype_size (call->output[0].dtype),
  };

  hyb_each_init (&each, shape, 4,
                 (const HybShape *[]){ shape, &call->input[0].shape, &call->input[1].shape,
                                       &call->input[2].shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, run_row, &linear);
}

static void
quantise_forward (const HybCall *call, const HybRun *run)
{
  run_linear (call, run, hyb_quantise_loop (call->output[0].dtype));
}

static void
dequantise_forward (const HybCall *call, const HybRun *run)
{
  run_linear (call, run, hyb_dequantise_loop (call->input[0].dtype));
}

static const char *const inputs[] = { "data", "scale", "zero", NULL };

#define COMMON                                                                               \
  .category = HYB_CATEGORY_ELEMENTWISE, .inputs = inputs, .infer_shape = linear_infer_shape, \
  .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_U8),       \
  .flops_per_input = 1

const HybOp hyb_ops_quantise_linear[] = {
  { .name = "_quantise_linear",
    .doc = "8-bit integers nearest to x / scale + zero.",
    COMMON,
    .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
    HYB_PARAMS (linear_params, LinearParams),
    .infer_dtype = quantise_infer_dtype,
    .forward = quantise_forward },
  { .name = "_dequantise_linear",
    .doc = "Floats of 8-bit integers: (x − zero) scale.",
    COMMON,
    .flags = HYB_OP_INTERNAL,
    HYB_GRADIENT (
        "_reduce_like (broadcast_mul (g0, broadcast_sub (_cast_like (i0, i2), i2)), i1) > i1; "
        "_reduce_like (negative (broadcast_mul (g0, i1)), i2) > i2"),
    .infer_dtype = dequantise_infer_dtype,
    .forward = dequantise_forward },
  { 0 },
};

#undef COMMON
