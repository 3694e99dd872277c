/* norm.c — norm: the L1 norm (sum of absolute values) or L2 norm (root of the sum of squares) over
 * axes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/gradient.h"
#include "engine/kernels/each.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"

typedef struct
{
  gint64   ord;
  HybInts  axis;
  HybDType out_dtype;
  gboolean keepdims;
} NormParams;

static const HybParam norm_params[] = {
  { HYB_FIELD (NormParams, ord), HYB_PARAM_INT, "2", .low = 1, .high = 2,
    .doc = "1: sum of absolute values, 2: root of the sum of squares" },
  { HYB_FIELD (NormParams, axis), HYB_PARAM_INTS, "None", .doc = "axes to reduce; None: all" },
  { HYB_FIELD (NormParams, out_dtype), HYB_PARAM_DTYPE, "None", .doc = "type of the result" },
  { HYB_FIELD (NormParams, keepdims), HYB_PARAM_BOOL, "False",
    .doc = "reduced axes stay, with length one" },
  { 0 },
};

static HybReduceAxes
norm_axes (const HybCall *call)
{
  const NormParams *params = call->params;

  return (HybReduceAxes){ &params->axis, FALSE, params->keepdims };
}

static gboolean
norm_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes axes = norm_axes (call);

  return hyb_reduce_infer_shape (call, 0, &axes, error);
}

static gboolean
norm_infer_dtype (HybCall *call, GError **error)
{
  const NormParams *params = call->params;

  if (params->out_dtype != HYB_DTYPE_UNKNOWN)
    return hyb_dtype_assign (&call->output[0].dtype, params->out_dtype, error);
  return hyb_rule_dtype_first (call, error);
}

/* If out_dtype differs from the type of the data, the result is computed in the latter first. */
static gsize
norm_workspace (const HybCall *call)
{
  if (call->input[0].dtype == call->output[0].dtype)
    return 0;
  return (gsize) hyb_shape_size (&call->output[0].shape) * hyb_dtype_size (call->input[0].dtype);
}

static void
norm_forward (const HybCall *call, const HybRun *run)
{
  const NormParams *params = call->params;
  const HybType    *in = &call->input[0], *out = &call->output[0];
  gpointer          y = in->dtype == out->dtype ? run->output[0] : run->workspace;
  HybReduceAxes     axes = norm_axes (call);
  guint32           mask;

  hyb_reduce_mask (in->shape.rank, &axes, &mask, NULL);
  hyb_reduce (
      &(HybReduction){ .kind = params->ord == 1 ? HYB_REDUCE_SUM_ABS : HYB_REDUCE_SUM_SQUARE,
                       .finish = params->ord == 1 ? HYB_REDUCE_PLAIN : HYB_REDUCE_ROOT,
                       .dtype = in->dtype,
                       .shape = &in->shape,
                       .axes = mask,
                       .x = run->input[0],
                       .y = y });
  if (y != run->output[0])
    hyb_dtype_convert (run->output[0], out->dtype, y, in->dtype,
                       (gsize) hyb_shape_size (&out->shape));
}

typedef struct
{
  gpointer      dx;
  gconstpointer g, x, y;
  gboolean      is_l1;
} BackwardOperands;

/* dx = g sign (x) for L1, g x / y for L2; 0 where y is 0 and the derivative does not exist. */
#define BACKWARD_LOOP(T, suffix)                                                            \
  static void norm_backward_##suffix (const gint64 *offset, const gint64 *stride, gint64 n, \
                                      gpointer data)                                        \
  {                                                                                         \
    const BackwardOperands *operands = data;                                                \
    T                      *dx = (T *) operands->dx + offset[0];                            \
    const T                *gs = (const T *) operands->g + offset[1];                       \
    const T                *xs = (const T *) operands->x + offset[2];                       \
    const T                *ys = (const T *) operands->y + offset[3];                       \
                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                          \
      {                                                                                     \
        T g = gs[i * stride[1]], x = xs[i], y = ys[i * stride[3]];                          \
                                                                                            \
        if (operands->is_l1)                                                                \
          dx[i] = (T) ((x > 0) - (x < 0)) * g;                                              \
        else                                                                                \
          dx[i] = y == 0 ? 0 : x / y * g;                                                   \
      }                                                                                     \
  }

BACKWARD_LOOP (float, f32)
BACKWARD_LOOP (double, f64)
#undef BACKWARD_LOOP

static void
norm_backward (const HybCall *call, const HybRun *run)
{
  const NormParams *params = call->params;
  const HybShape   *shape = &call->output[0].shape;
  BackwardOperands  operands = { run->output[0], run->input[0], run->input[1], run->input[2],
                                 params->ord == 1 };
  HybReduceAxes     axes = norm_axes (call);
  HybShape          kept;
  HybEach           each;
  guint32           mask;

  hyb_reduce_mask (shape->rank, &axes, &mask, NULL);
  kept = hyb_reduce_kept_shape (shape, mask);
  hyb_each_init (&each, shape, 4, (const HybShape *[]){ shape, &kept, shape, &kept });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN,
                          call->output[0].dtype == HYB_F64 ? norm_backward_f64 : norm_backward_f32,
                          &operands);
}

/* The gradient operator needs all operands in the type of the data. */
static void
norm_gradient (HybGrad *grad)
{
  const NormParams *params = hyb_grad_params (grad);
  HybValueId        x = hyb_grad_input (grad, 0);
  HybValueId        operands[] = { hyb_grad_incoming (grad, 0), x, hyb_grad_output (grad, 0) };

  if (params->out_dtype != HYB_DTYPE_UNKNOWN)
    {
      operands[0] = hyb_grad_emit (grad, "_cast_like", operands[0], x, HYB_NO_ID);
      operands[2] = hyb_grad_emit (grad, "_cast_like", operands[2], x, HYB_NO_ID);
    }
  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_norm", 3, operands));
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "output", NULL };

const HybOp hyb_ops_norm[] = {
  {
      .name = "norm",
      .doc = "L1 or L2 norm over axes.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = inputs,
      HYB_PARAMS (norm_params, NormParams),
      .infer_shape = norm_infer_shape,
      .infer_dtype = norm_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = norm_forward,
      .workspace = norm_workspace,
      .gradient = norm_gradient,
      .flops_per_input = 2, /* product or absolute value, sum */
  },
  {
      .name = "_backward_norm",
      .doc = "Gradient of norm.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "norm",
      .operands = "g0 i0 o0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (norm_params, NormParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = norm_backward,
  },
  { 0 },
};
