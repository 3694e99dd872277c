/* source-range.c — _arange, _linspace and _contrib_arange_like: evenly spaced numbers.
 *
 * All of them compute start + ⌊i / repeat⌋ × step in double precision and convert it to the output
 * dtype.  Start with range_fill().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

/* Shared by all operators; the table of each lists the members that it has. */
typedef struct
{
  double   start, stop, step;
  gint64   repeat, num, axis;
  gboolean infer_range, endpoint;
  char    *ctx;
  HybDType dtype;
} RangeParams;

#define STEP_PARAM                                                                           \
  {                                                                                          \
    HYB_FIELD (RangeParams, step), HYB_PARAM_FLOAT, "1.0", .doc = "difference of neighbours" \
  }
#define REPEAT_PARAM                                                                           \
  {                                                                                            \
    HYB_FIELD (RangeParams, repeat), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,         \
                                                         .doc = "how often each number occurs" \
  }
#define INFER_PARAM                                                \
  {                                                                \
    HYB_FIELD (RangeParams, infer_range), HYB_PARAM_BOOL, "False", \
        .doc = "infer the length from the consumers"               \
  }
#define DEVICE_PARAM                                                                       \
  {                                                                                        \
    HYB_FIELD (RangeParams, ctx), HYB_PARAM_STRING, "", .doc = "device in MXNet; not used" \
  }
#define DTYPE_PARAM                                                                   \
  {                                                                                   \
    HYB_FIELD (RangeParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "element type" \
  }

static const HybParam arange_params[] = {
  { HYB_FIELD (RangeParams, start), HYB_PARAM_FLOAT, NULL, .doc = "first number" },
  { HYB_FIELD (RangeParams, stop), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "end, not included; None: start is the end, and 0 the start" },
  STEP_PARAM,
  REPEAT_PARAM,
  INFER_PARAM,
  DEVICE_PARAM,
  DTYPE_PARAM,
  { 0 },
};

static const HybParam linspace_params[] = {
  { HYB_FIELD (RangeParams, start), HYB_PARAM_FLOAT, NULL, .doc = "first number" },
  { HYB_FIELD (RangeParams, stop), HYB_PARAM_FLOAT, NULL, .doc = "last number" },
  STEP_PARAM,
  REPEAT_PARAM,
  INFER_PARAM,
  { HYB_FIELD (RangeParams, num), HYB_PARAM_INT, NULL, .low = 0, .high = G_MAXINT32,
    .doc = "how many numbers" },
  { HYB_FIELD (RangeParams, endpoint), HYB_PARAM_BOOL, "True",
    .doc = "whether stop is the last number" },
  DEVICE_PARAM,
  DTYPE_PARAM,
  { 0 },
};

static const HybParam arange_like_params[] = {
  { HYB_FIELD (RangeParams, start), HYB_PARAM_FLOAT, "0.0", .doc = "first number" },
  STEP_PARAM,
  REPEAT_PARAM,
  DEVICE_PARAM,
  { HYB_FIELD (RangeParams, axis), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "as long as this axis of the input; None: as the whole" },
  { 0 },
};

#undef STEP_PARAM
#undef REPEAT_PARAM
#undef INFER_PARAM
#undef DEVICE_PARAM
#undef DTYPE_PARAM

typedef struct
{
  double   start, step;
  gint64   repeat;
  HybDType dtype;
  char    *to;
} RangeFill;

/* Numbers computed on the stack before they are converted. */
#define PIECE 512

/* Numbers [begin, end); number i is start + ⌊i / repeat⌋ × step. */
static void
range_slice (gint64 begin, gint64 end, gpointer data)
{
  const RangeFill *fill = data;
  double           values[PIECE];

  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      for (gint64 i = 0; i < n; i++)
        values[i] = fill->start + (double) ((at + i) / fill->repeat) * fill->step;
      hyb_dtype_convert (fill->to + at * (gint64) hyb_dtype_size (fill->dtype), fill->dtype, values,
                         HYB_F64, (gsize) n);
    }
}

static void
range_fill (const HybCall *call, const HybRun *run, double start, double step, gint64 repeat)
{
  RangeFill fill = { start, step, repeat, call->output[0].dtype, run->output[0] };
  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN / 4, range_slice,
                    &fill);
}

/* As in MXNet, start and step are whole numbers unless the type is float32 or float64. */
static void
arange_fill (const HybCall *call, const HybRun *run, double start)
{
  const RangeParams *params = call->params;
  gboolean           is_real = HYB_DTYPE_BIT (call->output[0].dtype) & HYB_DTYPES_FLOAT;

  range_fill (call, run, is_real ? start : trunc (start),
              is_real ? params->step : trunc (params->step), params->repeat);
}

/* If only one number is given it is the end, and the start is 0; unless the length is inferred from
 * the consumers. */
static void
arange_ends (const RangeParams *params, double *start, double *stop)
{
  gboolean from_zero = isnan (params->stop) && !params->infer_range;

  *start = from_zero ? 0 : params->start;
  *stop = from_zero ? params->start : params->stop;
}

static gboolean
arange_check (gconstpointer values, GError **error)
{
  const RangeParams *params = values;
  double             start, stop, count;

  arange_ends (params, &start, &stop);
  if (params->step == 0 || !isfinite (params->step))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL,
                         "Give a positive or negative number", "step is %g", params->step);
  if (params->infer_range)
    return TRUE;

  count = ceil ((stop - start) / params->step);
  if (!(count >= 0 && count * (double) params->repeat < 9e15))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL,
                         "Choose a step that leads from start to stop",
                         "a range from %g to %g in steps of %g is not possible", start, stop,
                         params->step);
  return TRUE;
}

static gboolean
arange_infer_shape (HybCall *call, GError **error)
{
  const RangeParams *params = call->params;
  HybShape           shape = hyb_shape_1d (HYB_UNKNOWN);
  double             start, stop;

  arange_ends (params, &start, &stop);
  if (!params->infer_range)
    shape.dim[0] = (gint64) ceil ((stop - start) / params->step) * params->repeat;
  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static void
arange_forward (const HybCall *call, const HybRun *run)
{
  double start, stop;

  arange_ends (call->params, &start, &stop);
  arange_fill (call, run, start);
}

static gboolean
linspace_infer_shape (HybCall *call, GError **error)
{
  HybShape shape = hyb_shape_1d (((const RangeParams *) call->params)->num);

  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static void
linspace_forward (const HybCall *call, const HybRun *run)
{
  const RangeParams *params = call->params;
  gint64             gaps = params->endpoint ? params->num - 1 : params->num;

  range_fill (call, run, params->start,
              gaps > 0 ? (params->stop - params->start) / (double) gaps : 0, 1);
  /* Because of rounding errors the last number may differ from stop. */
  if (params->endpoint && params->num > 1)
    hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) params->num - 1,
                          params->stop);
}

static gboolean
range_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, ((const RangeParams *) call->params)->dtype,
                           error);
}

static gboolean
arange_like_infer_shape (HybCall *call, GError **error)
{
  const RangeParams *params = call->params;
  HybShape          *in = &call->input[0].shape;
  HybShape           out;
  int                axis;

  if (params->axis == HYB_NONE)
    return hyb_rule_unary (call, error);
  if (in->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (in, params->axis, error);
  if (axis < 0)
    return FALSE;

  out = hyb_shape_1d (in->dim[axis]);
  if (!hyb_shape_unify (&out, &call->output[0].shape, error))
    return FALSE;
  in->dim[axis] = out.dim[0];
  return TRUE;
}

static void
arange_like_forward (const HybCall *call, const HybRun *run)
{
  arange_fill (call, run, ((const RangeParams *) call->params)->start);
}

static const char *const no_inputs[] = { NULL };
static const char *const like_inputs[] = { "data", NULL };

#define COMMON                                                                          \
  .category = HYB_CATEGORY_DATA, .flags = HYB_OP_NO_GRADIENT, .dtypes = HYB_DTYPES_ALL, \
  .params_size = sizeof (RangeParams)

const HybOp hyb_ops_source_range[] = {
  {
      .name = "_arange",
      .doc = "Numbers from start to stop (excluded) in equal steps.",
      COMMON,
      .inputs = no_inputs,
      .params = arange_params,
      .check = arange_check,
      .infer_shape = arange_infer_shape,
      .infer_dtype = range_infer_dtype,
      .forward = arange_forward,
  },
  {
      .name = "_linspace",
      .doc = "A given number of evenly spaced numbers from start to stop.",
      COMMON,
      .inputs = no_inputs,
      .params = linspace_params,
      .infer_shape = linspace_infer_shape,
      .infer_dtype = range_infer_dtype,
      .forward = linspace_forward,
  },
  {
      .name = "_contrib_arange_like",
      .doc = "Numbers in equal steps, as many as the input has elements.",
      COMMON,
      .inputs = like_inputs,
      .constant_inputs = 1,
      .params = arange_like_params,
      .infer_shape = arange_like_infer_shape,
      .forward = arange_like_forward,
  },
  { 0 },
};

#undef COMMON
