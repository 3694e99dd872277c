/* resample.c — _resample: each element along one axis, or along two, is a weighted sum of a few; and the gradient.
 *
 * Indices and weights are inputs of (taps, elements of the result) for each axis, so that the graph decides what
 * interpolation it is.  The last of two axes is the last one of the data.  Start with find_resample().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/resample.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  gint64 axis, n_axes;
} ResampleParams;

static const HybParam resample_params[] = {
  { HYB_FIELD (ResampleParams, axis), HYB_PARAM_INT, "0", .low = 0, .high = HYB_MAX_RANK - 1,
    .doc = "the first axis that is resampled" },
  { HYB_FIELD (ResampleParams, n_axes), HYB_PARAM_INT, "1", .low = 1, .high = 2,
    .doc = "how many axes are resampled; of two the second is the last one of the data" },
  { 0 },
};

/* Inputs of an axis, counted from its first. */
enum
{
  INDEX,
  WEIGHT,
  N_AXIS_INPUTS,
};

/* Data, or gradient and data, then the inputs of each axis. */
static void
resample_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ResampleParams *params = values;

  *n_inputs = 1 + (guint) params->n_axes * N_AXIS_INPUTS;
  *n_outputs = 1;
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  resample_arity (values, n_inputs, n_outputs);
  *n_inputs += 1;
}

static gboolean
check_axis (const HybCall *call, const HybShape *data, int number, HybShape *out, GError **error)
{
  const ResampleParams *params = call->params;
  const HybType        *inputs = &call->input[1 + number * N_AXIS_INPUTS];
  int                   axis = (int) params->axis + number;
  const HybShape       *index = &inputs[INDEX].shape, *weight = &inputs[WEIGHT].shape;

  if (index->rank != 2 || weight->rank != 2 || index->dim[0] != weight->dim[0] ||
      index->dim[1] != weight->dim[1] || index->dim[0] < 1 || index->dim[0] > HYB_RESAMPLE_MAX_TAPS)
    return hyb_refuse_types (error, NULL,
                             "indices and weights of axis %d are not up to %d rows of equal length",
                             axis, HYB_RESAMPLE_MAX_TAPS);
  if (data->dim[axis] < 1 || data->dim[axis] > HYB_RESAMPLE_MAX_SIZE ||
      index->dim[1] > HYB_RESAMPLE_MAX_SIZE)
    return hyb_refuse_types (error, NULL,
                             "axis %d of %" G_GINT64_FORMAT
                             " elements cannot become one of %" G_GINT64_FORMAT,
                             axis, data->dim[axis], index->dim[1]);
  out->dim[axis] = index->dim[1];
  return TRUE;
}

static gboolean
resample_infer_shape (HybCall *call, GError **error)
{
  const ResampleParams *params = call->params;
  const HybShape       *data = &call->input[0].shape;
  int                   n = (int) params->n_axes;
  HybShape              out = *data;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_is_known (&call->input[i].shape))
      return TRUE;
  if (params->axis + n > data->rank || (n == 2 && params->axis + n != data->rank))
    return hyb_refuse_types (error, NULL,
                             "data of %d dimensions cannot be resampled along %d axes from axis %d "
                             "on",
                             data->rank, n, (int) params->axis);
  for (int i = 0; i < n; i++)
    if (!check_axis (call, data, i, &out, error))
      return FALSE;
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* Indices and weights, the inputs from `first` on, are float32, whatever the data are. */
static gboolean
infer_dtypes (HybCall *call, guint first, GError **error)
{
  guint32 except = 0;

  for (guint i = first; i < call->n_inputs; i++)
    {
      except |= 1u << i;
      if (!hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
        return FALSE;
    }
  return hyb_rule_dtype_except (call, except, error);
}

static gboolean
resample_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, 1, error);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, 2, error);
}

static HybTaps
find_taps (const HybCall *call, const HybRun *run, guint first_input, gint64 from)
{
  const HybShape *shape = &call->input[first_input].shape;

  return (HybTaps){ .from = from,
                    .to = shape->dim[1],
                    .n_taps = (int) shape->dim[0],
                    .index = run->input[first_input + INDEX],
                    .weight = run->input[first_input + WEIGHT] };
}

/* data: the shape before; first_input: of the first axis.  A single axis is that of rows of the elements behind it; the last
 * one is that of columns, in planes of one row. */
static HybResample
find_resample (const HybCall *call, const HybRun *run, const HybShape *data, guint first_input)
{
  const ResampleParams *params = call->params;
  int                   axis = (int) params->axis, rank = data->rank;
  HybTaps               taps = find_taps (call, run, first_input, data->dim[axis]);
  HybResample           resample = { .n_planes = hyb_shape_count (data, 0, axis), .rows = taps };
  gint64                inner = hyb_shape_count (data, axis + 1, rank);

  resample.columns = (HybTaps){ .from = inner, .to = inner };
  if (params->n_axes == 2)
    resample.columns = find_taps (call, run, first_input + N_AXIS_INPUTS, data->dim[axis + 1]);
  else if (axis == rank - 1)
    {
      resample.rows = (HybTaps){ .from = 1, .to = 1 };
      resample.columns = taps;
    }
  return resample;
}

static void
resample_forward (const HybCall *call, const HybRun *run)
{
  HybResample resample = find_resample (call, run, &call->input[0].shape, 1);

  hyb_resample (&resample, run->input[0], run->output[0]);
}

/* Inputs: gradient, data (for its shape), indices and weights. */
static void
resample_backward (const HybCall *call, const HybRun *run)
{
  HybResample resample = find_resample (call, run, &call->input[1].shape, 2);

  hyb_resample_backward (&resample, run->input[0], run->output[0]);
}

static const char *const resample_inputs[] = { "data",       "index",       "weight",
                                               "last_index", "last_weight", NULL };
static const char *const backward_inputs[] = { "gradient",   "data",        "index", "weight",
                                               "last_index", "last_weight", NULL };

#define COMMON(stem)                                                                    \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_INTERNAL, .inputs = stem##_inputs, \
  .arity = stem##_arity, HYB_PARAMS (resample_params, ResampleParams), .flops_per_output = 6

const HybOp hyb_ops_resample[] = {
  {
      .name = "_resample",
      .doc = "Elements along one or two axes as weighted sums of a few: linear or cubic "
             "interpolation.",
      COMMON (resample),
      .constant_inputs = 0x1e,
      .infer_shape = resample_infer_shape,
      .infer_dtype = resample_infer_dtype,
      .forward = resample_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_resample",
      .doc = "Gradient of _resample.",
      COMMON (backward),
      .gradient_of = "_resample",
      .operands = "g0 i* > i0",
      .infer_dtype = backward_infer_dtype,
      .forward = resample_backward,
  },
  { 0 },
};

#undef COMMON
