/* argmax.c — argmax, argmin and argmax_channel: the index of the largest or smallest element along an
 * axis.
 *
 * Of equal elements the first wins, and NaN wins over every number.  The index has the dtype of the
 * input, as in MXNet's legacy operators, except in _npi_argmax and _npi_argmin.  Start with search().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/kernels/reduction/places.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* Elements for each thread at least. */
#define GRAIN 16384

typedef struct
{
  gint64   axis;
  gboolean keepdims;
} ArgParams;

static const HybParam arg_params[] = {
  { HYB_FIELD (ArgParams, axis), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "axis searched; None: the flattened array" },
  { HYB_FIELD (ArgParams, keepdims), HYB_PARAM_BOOL, "False", .doc = "keep the axis, of size 1" },
  { 0 },
};

/* The shape without the searched axis; HYB_NONE searches the flattened array.  Results of a lower rank
 * than least_rank get an axis of size 1. */
static gboolean
infer_searched (HybCall *call,
                gint64   wanted_axis,
                gboolean keepdims,
                int      least_rank,
                GError **error)
{
  const HybShape *data = &call->input[0].shape;
  HybShape        out = *data;
  int             axis;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (wanted_axis == HYB_NONE)
    {
      out = hyb_shape_1d (1);
      for (int i = 0; keepdims && i < data->rank; i++)
        out.dim[i] = 1;
      out.rank = keepdims ? data->rank : least_rank;
      return hyb_shape_assign (&call->output[0].shape, &out, error);
    }

  axis = hyb_shape_axis (data, wanted_axis, error);
  if (axis < 0)
    return FALSE;
  if (data->dim[axis] == 0)
    return hyb_refuse_types (error, NULL, "axis %d is empty and has no extreme element", axis);

  if (keepdims)
    out.dim[axis] = 1;
  else
    out = data->rank == 1 && least_rank == 1 ? hyb_shape_1d (1) : hyb_dims_without (data, axis);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static gboolean
arg_infer_shape (HybCall *call, GError **error)
{
  const ArgParams *params = call->params;

  return infer_searched (call, params->axis, params->keepdims, 1, error);
}

/* In the NumPy interface the result may have no dimensions, and is int64. */
static gboolean
numpy_infer_shape (HybCall *call, GError **error)
{
  const ArgParams *params = call->params;

  return infer_searched (call, params->axis, params->keepdims, 0, error);
}

static gboolean
numpy_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error);
}

static gboolean
channel_infer_shape (HybCall *call, GError **error)
{
  return infer_searched (call, 1, FALSE, 1, error);
}

typedef struct
{
  HybAxisView    view;
  HybPlaceSearch lines; /* without their number and their elements */
  const char    *from;
  gpointer       to;
  HybDType       to_dtype; /* one of HYB_DTYPES_PLACES */
} ArgJob;

static void
set_indices (const ArgJob *job, gint64 at, const gint64 *places, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (job->to_dtype == HYB_I64)
      ((gint64 *) job->to)[at + i] = places[i];
    else if (job->to_dtype == HYB_I32)
      ((gint32 *) job->to)[at + i] = (gint32) places[i];
    else if (job->to_dtype == HYB_F64)
      ((double *) job->to)[at + i] = (double) places[i];
    else
      ((float *) job->to)[at + i] = (float) places[i];
}

/* Groups [begin, end) of up to HYB_PLACES lines: rows one behind the other, or lines side by side. */
static void
search_groups (gint64 begin, gint64 end, gpointer data)
{
  const ArgJob  *job = data;
  gint64         inner = job->view.inner, length = job->view.length;
  gint64         width = inner == 1 ? job->view.outer : inner; /* lines that groups are made of */
  gint64         n_groups = (width + HYB_PLACES - 1) / HYB_PLACES;
  gint64         places[HYB_PLACES];
  HybPlaceSearch lines = job->lines;

  for (gint64 n = begin; n < end; n++)
    {
      gint64 outer = n / n_groups, first = n % n_groups * HYB_PLACES;
      gint64 at = outer * length * inner + (inner == 1 ? first * length : first);

      lines.n_lines = MIN (HYB_PLACES, width - first);
      lines.x = job->from + at * (gint64) hyb_dtype_size (lines.dtype);
      hyb_find_places (&lines, places);
      set_indices (job, outer * inner + first, places, lines.n_lines);
    }
}

static void
search (const HybCall *call, const HybRun *run, gint64 axis, gboolean smallest)
{
  ArgJob job = {
    .view = hyb_axis_view_optional (&call->input[0].shape, axis),
    .lines = { .dtype = call->input[0].dtype, .is_smallest = smallest },
    .from = run->input[0],
    .to = run->output[0],
    .to_dtype = call->output[0].dtype,
  };
  gint64 width = job.view.inner == 1 ? job.view.outer : job.view.inner;

  if (job.view.length == 0)
    {
      /* Only a flattened array can be empty here (infer_searched() refuses empty axes); the
       * index is 0 then. */
      hyb_dtype_set_double (job.to, call->output[0].dtype, 0, 0);
      return;
    }
  job.lines.length = job.view.length;
  job.lines.step = job.view.inner;
  hyb_parallel_for ((job.view.inner == 1 ? 1 : job.view.outer) *
                        ((width + HYB_PLACES - 1) / HYB_PLACES),
                    MAX (1, GRAIN / (job.view.length * CLAMP (width, 1, HYB_PLACES))),
                    search_groups, &job);
}

static void
argmax_forward (const HybCall *call, const HybRun *run)
{
  search (call, run, ((const ArgParams *) call->params)->axis, FALSE);
}

static void
argmin_forward (const HybCall *call, const HybRun *run)
{
  search (call, run, ((const ArgParams *) call->params)->axis, TRUE);
}

static void
channel_forward (const HybCall *call, const HybRun *run)
{
  search (call, run, 1, FALSE);
}

static const char *const data_input[] = { "data", NULL };

const HybOp hyb_ops_argmax[] = {
  {
      .name = "argmax",
      .doc = "Index of the largest element along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (arg_params, ArgParams),
      .infer_shape = arg_infer_shape,
      .dtypes = HYB_DTYPES_PLACES,
      .forward = argmax_forward,
      .flops_per_input = 1,
  },
  {
      .name = "argmin",
      .doc = "Index of the smallest element along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (arg_params, ArgParams),
      .infer_shape = arg_infer_shape,
      .dtypes = HYB_DTYPES_PLACES,
      .forward = argmin_forward,
      .flops_per_input = 1,
  },
  {
      .name = "argmax_channel",
      .doc = "Index of the largest element along the second axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .infer_shape = channel_infer_shape,
      .dtypes = HYB_DTYPES_PLACES,
      .forward = channel_forward,
      .flops_per_input = 1,
  },
  {
      .name = "_npi_argmax",
      .doc = "Index of the largest element along an axis, as int64.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (arg_params, ArgParams),
      .infer_shape = numpy_infer_shape,
      .infer_dtype = numpy_infer_dtype,
      .dtypes = HYB_DTYPES_PLACES,
      .forward = argmax_forward,
      .flops_per_input = 1,
  },
  {
      .name = "_npi_argmin",
      .doc = "Index of the smallest element along an axis, as int64.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (arg_params, ArgParams),
      .infer_shape = numpy_infer_shape,
      .infer_dtype = numpy_infer_dtype,
      .dtypes = HYB_DTYPES_PLACES,
      .forward = argmin_forward,
      .flops_per_input = 1,
  },
  { 0 },
};
