/* moments.c — moments: the mean and the variance over axes.
 *
 * Two passes: the variance is the mean of the squared distances from the final mean, because the
 * difference of sums would cancel.  Start with moments_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/each.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"

#include <string.h>

typedef struct
{
  HybInts  axes;
  gboolean keepdims;
} MomentsParams;

static const HybParam moments_params[] = {
  { HYB_FIELD (MomentsParams, axes), HYB_PARAM_INTS, "None", .doc = "axes to reduce" },
  { HYB_FIELD (MomentsParams, keepdims), HYB_PARAM_BOOL, "False",
    .doc = "reduced axes stay, with length one" },
  { 0 },
};

static gboolean
moments_check (gconstpointer values, GError **error)
{
  const MomentsParams *params = values;

  if (params->axes.n > 0)
    return TRUE;
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL,
                       "List all axes to reduce all", "axes is empty, but moments needs axes");
}

static HybReduceAxes
moments_axes (const HybCall *call)
{
  const MomentsParams *params = call->params;

  return (HybReduceAxes){ &params->axes, FALSE, params->keepdims };
}

static gboolean
moments_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes axes = moments_axes (call);

  return hyb_reduce_infer_shape (call, 0, &axes, error) &&
         hyb_reduce_infer_shape (call, 1, &axes, error);
}

/* Operands of a HybEach walk over the data x. */
typedef struct
{
  HybDType      dtype;
  gconstpointer x, mean;
  double       *sums;               /* forward: of squared distances from the mean */
  gconstpointer g_mean, g_variance; /* backward: the incoming gradients */
  gpointer      dx;                 /* backward: the result */
  double        count;              /* number of elements of each mean */
} MomentsOperands;

#define SUM_LOOP(T)                                                       \
  {                                                                       \
    const T *x = (const T *) operands->x + offset[1];                     \
    const T *mean = (const T *) operands->mean + offset[0];               \
                                                                          \
    for (gint64 i = 0; i < length; i++)                                   \
      {                                                                   \
        double distance = (double) x[i] - mean[i * stride[0]];            \
                                                                          \
        operands->sums[offset[0] + i * stride[0]] += distance * distance; \
      }                                                                   \
  }

static void
sum_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const MomentsOperands *operands = data;

  if (operands->dtype == HYB_F64)
    SUM_LOOP (double)
  else
    SUM_LOOP (float)
}
#undef SUM_LOOP

/* Prepares a walk with the operands mean (stride 0 along reduced axes) and x, and sets count. */
static void
moments_walk (const HybCall *call, const HybShape *shape, MomentsOperands *operands, HybEach *each)
{
  HybReduceAxes axes = moments_axes (call);
  HybShape      kept;
  guint32       mask;

  hyb_reduce_mask (shape->rank, &axes, &mask, NULL);
  kept = hyb_reduce_kept_shape (shape, mask);
  operands->count = 1;
  for (int i = 0; i < shape->rank; i++)
    if (mask >> i & 1)
      operands->count *= (double) shape->dim[i];
  hyb_each_init (each, shape, 2, (const HybShape *[]){ &kept, shape });
}

static void
moments_forward (const HybCall *call, const HybRun *run)
{
  HybReduceAxes   axes = moments_axes (call);
  const HybShape *shape = &call->input[0].shape;
  HybDType        dtype = call->output[0].dtype;
  gsize           n = (gsize) hyb_shape_size (&call->output[0].shape);
  MomentsOperands operands = {
    .dtype = dtype, .x = run->input[0], .mean = run->output[0], .sums = run->workspace
  };
  HybEach each;
  guint32 mask;

  hyb_reduce_mask (shape->rank, &axes, &mask, NULL);
  hyb_reduce (&(HybReduction){ .kind = HYB_REDUCE_SUM,
                               .finish = HYB_REDUCE_MEAN,
                               .dtype = dtype,
                               .shape = shape,
                               .axes = mask,
                               .x = run->input[0],
                               .y = run->output[0] });
  memset (operands.sums, 0, n * sizeof (double));
  moments_walk (call, shape, &operands, &each);
  hyb_each_rows (&each, sum_row, &operands);
  for (gsize i = 0; i < n; i++)
    hyb_dtype_set_double (run->output[1], dtype, i, operands.sums[i] / operands.count);
}

static gsize
moments_workspace (const HybCall *call)
{
  return (gsize) hyb_shape_size (&call->output[0].shape) * sizeof (double);
}

#define BACKWARD_LOOP(T)                                                                  \
  {                                                                                       \
    const T *x = (const T *) operands->x + offset[1];                                     \
    T       *dx = (T *) operands->dx + offset[1];                                         \
    const T *mean = (const T *) operands->mean + offset[0];                               \
    const T *g_mean = (const T *) operands->g_mean + offset[0];                           \
    const T *g_variance = (const T *) operands->g_variance + offset[0];                   \
                                                                                          \
    for (gint64 i = 0; i < length; i++)                                                   \
      {                                                                                   \
        gint64 k = i * stride[0];                                                         \
                                                                                          \
        dx[i] = (g_mean[k] + 2 * (x[i] - mean[k]) * g_variance[k]) / (T) operands->count; \
      }                                                                                   \
  }

static void
backward_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const MomentsOperands *operands = data;

  if (operands->dtype == HYB_F64)
    BACKWARD_LOOP (double)
  else
    BACKWARD_LOOP (float)
}
#undef BACKWARD_LOOP

/* dx = (g_mean + 2 (x − mean) g_variance) / count */
static void
moments_backward (const HybCall *call, const HybRun *run)
{
  MomentsOperands operands = {
    .dtype = call->output[0].dtype,
    .g_mean = run->input[0],
    .g_variance = run->input[1],
    .x = run->input[2],
    .mean = run->input[3],
    .dx = run->output[0],
  };
  HybEach each;

  moments_walk (call, &call->output[0].shape, &operands, &each);
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, backward_row, &operands);
}

static const char *const inputs[] = { "data", NULL };
static const char *const outputs[] = { "output0", "output1", NULL };
static const char *const backward_inputs[] = { "mean_gradient", "var_gradient", "data", "mean",
                                               NULL };

const HybOp hyb_ops_moments[] = {
  {
      .name = "moments",
      .doc = "Mean and variance over axes.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = inputs,
      .outputs = outputs,
      HYB_PARAMS (moments_params, MomentsParams),
      .check = moments_check,
      .infer_shape = moments_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = moments_forward,
      .workspace = moments_workspace,
      .gradient = hyb_gradient_by_operands,
      .flops_per_input = 4, /* one for the mean, three for the variance */
  },
  {
      .name = "_backward_moments",
      .doc = "Gradient of moments.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "moments",
      .operands = "g0 g1 i0 o0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (moments_params, MomentsParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = moments_backward,
  },
  { 0 },
};
