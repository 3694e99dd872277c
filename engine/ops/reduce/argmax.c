/* argmax.c — argmax, argmin and argmax_channel: the index of the largest or smallest element along an
 * axis.
 *
 * Of equal elements the first wins, and NaN wins over every number.  The index has the dtype of the
 * input, as in MXNet's legacy operators, except in _npi_argmax and _npi_argmin.  Start with search().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
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
  HybAxisView   view;
  gconstpointer from;
  gpointer      to;
  HybDType      to_dtype; /* HYB_F32 or HYB_F64 */
  gboolean      smallest;
} ArgJob;

static void
set_index (const ArgJob *job, gint64 n, gint64 index)
{
  if (job->to_dtype == HYB_F64)
    ((double *) job->to)[n] = (double) index;
  else
    ((float *) job->to)[n] = (float) index;
}

/* search_…() returns the index of the extreme element of one line.  x != x is true for NaN, which
 * ends the search. */
#define SEARCH(T, suffix)                                                                      \
  static gint64 search_##suffix (const ArgJob *job, const T *x)                                \
  {                                                                                            \
    gint64 best = 0;                                                                           \
    T      extreme = x[0];                                                                     \
                                                                                               \
    for (gint64 k = 1; k < job->view.length && extreme == extreme; k++)                        \
      {                                                                                        \
        T value = x[k * job->view.inner];                                                      \
                                                                                               \
        if (value != value || (job->smallest ? value < extreme : value > extreme))             \
          {                                                                                    \
            best = k;                                                                          \
            extreme = value;                                                                   \
          }                                                                                    \
      }                                                                                        \
    return best;                                                                               \
  }                                                                                            \
                                                                                               \
  static void search_slice_##suffix (gint64 begin, gint64 end, gpointer data)                  \
  {                                                                                            \
    const ArgJob *job = data;                                                                  \
    gint64        inner = job->view.inner;                                                     \
                                                                                               \
    for (gint64 n = begin; n < end; n++)                                                       \
      set_index (job, n,                                                                       \
                 search_##suffix (job, (const T *) job->from +                                 \
                                           n / inner * job->view.length * inner + n % inner)); \
  }

SEARCH (float, f32)
SEARCH (double, f64)

#undef SEARCH

static void
search (const HybCall *call, const HybRun *run, gint64 axis, gboolean smallest)
{
  ArgJob job = {
    .view = hyb_axis_view_optional (&call->input[0].shape, axis),
    .from = run->input[0],
    .to = run->output[0],
    .to_dtype = call->output[0].dtype,
    .smallest = smallest,
  };

  if (job.view.length == 0)
    {
      /* Only a flattened array can be empty here (infer_searched() refuses empty axes); the
       * index is 0 then. */
      hyb_dtype_set_double (job.to, call->output[0].dtype, 0, 0);
      return;
    }
  hyb_parallel_for (job.view.outer * job.view.inner, MAX (1, GRAIN / job.view.length),
                    call->input[0].dtype == HYB_F64 ? search_slice_f64 : search_slice_f32, &job);
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
      .dtypes = HYB_DTYPES_FLOAT,
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
      .dtypes = HYB_DTYPES_FLOAT,
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
      .dtypes = HYB_DTYPES_FLOAT,
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
      .dtypes = HYB_DTYPES_FLOAT,
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
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = argmin_forward,
      .flops_per_input = 1,
  },
  { 0 },
};
