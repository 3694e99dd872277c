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

#include <math.h>

#include "engine/kernels/vectorise.h"

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

/* Indices up to here are as wide as floats, so that both fit the same vectors. */
#define MAX_SHORT_INDEX G_MAXINT32
/* Lines that are searched side by side, so that memory is read in order. */
#define COLUMNS 64
/* Elements of a line along the last axis that are compared side by side. */
#define LANES 16

/* Searches n_lines lines that lie side by side, `step` elements from one element to the next: extreme[i] becomes the
 * extreme element of line i and best[i] its index.  x != x is true for NaN, which stays. */
#define SEARCH(T, Index, suffix)                                                                           \
  static void search_columns_##suffix (const ArgJob *job, const T *x, gint64 length, gint64 step,          \
                                       gint64 n_lines, T *extreme, Index *best)                            \
  {                                                                                                        \
    gboolean smallest = job->smallest;                                                                     \
                                                                                                           \
    for (gint64 i = 0; i < n_lines; i++)                                                                   \
      {                                                                                                    \
        extreme[i] = x[i];                                                                                 \
        best[i] = 0;                                                                                       \
      }                                                                                                    \
    for (gint64 k = 1; k < length; k++)                                                                    \
      {                                                                                                    \
        const T *row = x + k * step;                                                                       \
        Index    at = (Index) k;                                                                           \
                                                                                                           \
        HYB_INDEPENDENT                                                                                    \
        for (gint64 i = 0; i < n_lines; i++)                                                               \
          {                                                                                                \
            T     value = row[i], old = extreme[i];                                                        \
            Index is_better = smallest ? value < old : value > old;                                        \
            Index wins = (is_better | (value != value)) & (old == old);                                    \
                                                                                                           \
            extreme[i] = wins ? value : old;                                                               \
            best[i] = wins ? at : best[i];                                                                 \
          }                                                                                                \
      }                                                                                                    \
  }                                                                                                        \
                                                                                                           \
  /* The extreme element of a line; NaN if there is one.  smallest is a constant where this is inlined. */ \
  static inline T extreme_##suffix (const T *x, gint64 n, const gboolean smallest)                         \
  {                                                                                                        \
    T        lane[LANES], extreme = x[0];                                                                  \
    gint64   even = n - n % LANES;                                                                         \
    unsigned n_unordered = 0;                                                                              \
                                                                                                           \
    for (gint64 i = 0; even > 0 && i < LANES; i++)                                                         \
      lane[i] = x[0];                                                                                      \
    for (gint64 k = 0; k < even; k += LANES)                                                               \
      {                                                                                                    \
        HYB_KEEP_LOOP                                                                                      \
        for (int i = 0; i < LANES; i++)                                                                    \
          {                                                                                                \
            T value = x[k + i], old = lane[i];                                                             \
                                                                                                           \
            n_unordered |= value != value;                                                                 \
            lane[i] = (smallest ? value < old : value > old) ? value : old;                                \
          }                                                                                                \
      }                                                                                                    \
    for (gint64 i = even; i < n; i++)                                                                      \
      {                                                                                                    \
        n_unordered |= x[i] != x[i];                                                                       \
        extreme = (smallest ? x[i] < extreme : x[i] > extreme) ? x[i] : extreme;                           \
      }                                                                                                    \
    for (int i = 0; even > 0 && i < LANES; i++)                                                            \
      extreme = (smallest ? lane[i] < extreme : lane[i] > extreme) ? lane[i] : extreme;                    \
    return n_unordered ? (T) NAN : extreme;                                                                \
  }                                                                                                        \
                                                                                                           \
  /* One line of the last axis: its extreme element, then the first place where it is. */                  \
  static gint64 search_row_##suffix (const ArgJob *job, const T *x)                                        \
  {                                                                                                        \
    gint64 n = job->view.length, i = 0;                                                                    \
    T      extreme = job->smallest ? extreme_##suffix (x, n, TRUE) : extreme_##suffix (x, n, FALSE);       \
    gboolean is_nan = extreme != extreme;                                                                  \
                                                                                                           \
    for (; i + LANES <= n && !is_nan; i += LANES)                                                          \
      {                                                                                                    \
        int n_equal = 0;                                                                                   \
                                                                                                           \
        HYB_KEEP_LOOP                                                                                      \
        for (int k = 0; k < LANES; k++)                                                                    \
          n_equal += x[i + k] == extreme;                                                                  \
        if (n_equal > 0)                                                                                   \
          break;                                                                                           \
      }                                                                                                    \
    while (i < n - 1 && !(is_nan ? x[i] != x[i] : x[i] == extreme))                                        \
      i++;                                                                                                 \
    return i;                                                                                              \
  }                                                                                                        \
  /* Groups [begin, end) of up to COLUMNS lines. */                                                        \
  static void search_slice_##suffix (gint64 begin, gint64 end, gpointer data)                              \
  {                                                                                                        \
    const ArgJob *job = data;                                                                              \
    gint64        inner = job->view.inner, length = job->view.length;                                      \
    gint64        n_groups = (inner + COLUMNS - 1) / COLUMNS;                                              \
    T             extreme[COLUMNS];                                                                        \
    Index         best[COLUMNS];                                                                           \
                                                                                                           \
    for (gint64 n = begin; n < end; n++)                                                                   \
      {                                                                                                    \
        gint64   outer = n / n_groups, column = n % n_groups * COLUMNS;                                    \
        gint64   n_lines = MIN (COLUMNS, inner - column);                                                  \
        const T *x = (const T *) job->from + outer * length * inner + column;                              \
                                                                                                           \
        if (inner > 1)                                                                                     \
          search_columns_##suffix (job, x, length, inner, n_lines, extreme, best);                         \
        for (gint64 i = 0; inner > 1 && i < n_lines; i++)                                                  \
          set_index (job, outer *inner + column + i, (gint64) best[i]);                                    \
        if (inner == 1)                                                                                    \
          set_index (job, n, search_row_##suffix (job, x));                                                \
      }                                                                                                    \
  }

SEARCH (float, gint32, f32)
SEARCH (float, gint64, long_f32)
SEARCH (double, gint64, f64)

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
  if (job.view.inner == 0)
    return;
  hyb_parallel_for (job.view.outer * ((job.view.inner + COLUMNS - 1) / COLUMNS),
                    MAX (1, GRAIN / (job.view.length * MIN (job.view.inner, COLUMNS))),
                    call->input[0].dtype == HYB_F64     ? search_slice_f64
                    : job.view.length > MAX_SHORT_INDEX ? search_slice_long_f32
                                                        : search_slice_f32,
                    &job);
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
