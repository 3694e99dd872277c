/* cumsum.c — cumsum: running sums along one axis, or of the flattened array; _running_sum: those of ONNX, from either end;
 * and their gradients.
 *
 * The elements are converted to the type of the result first, and summed there: integers wrap, of floats eight are added as
 * floats before they are added to a sum in double.  The gradient is the running sum from the other end.  Start with run_groups().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/reduction/running-sums.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* Elements for each thread at least. */
#define GRAIN 16384
/* Lines of a group at least, if there are as many. */
#define MIN_COLUMNS 64

typedef struct
{
  gint64   axis;
  HybDType dtype;
} CumsumParams;

static const HybParam cumsum_params[] = {
  { HYB_FIELD (CumsumParams, axis), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "axis along which to sum; None: the flattened array" },
  { HYB_FIELD (CumsumParams, dtype), HYB_PARAM_DTYPE, "None",
    .doc = "element type of the result; None: same as the input" },
  { 0 },
};

static gboolean
cumsum_infer_shape (HybCall *call, GError **error)
{
  const CumsumParams *params = call->params;
  HybShape           *data = &call->input[0].shape;
  HybShape            flat = hyb_shape_1d (HYB_UNKNOWN);

  if (params->axis != HYB_NONE)
    return hyb_shape_unify (data, &call->output[0].shape, error) &&
           (data->rank == HYB_UNKNOWN || hyb_shape_axis (data, params->axis, error) >= 0);

  if (hyb_shape_is_known (data))
    flat.dim[0] = hyb_dims_product (data, 0, data->rank);
  return hyb_shape_assign (&call->output[0].shape, &flat, error);
}

static gboolean
cumsum_infer_dtype (HybCall *call, GError **error)
{
  const CumsumParams *params = call->params;

  if (params->dtype == HYB_DTYPE_UNKNOWN)
    return hyb_rule_same_dtype (call, error);
  return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);
}

typedef struct
{
  HybAxisView    view;
  HybRunningSums lines;   /* without their number and their elements */
  gint64         columns; /* lines of a group */
  gboolean       reverse; /* sum from the last element to the first */
  const char    *from;
  char          *to;
} CumsumJob;

/* Groups of lines that lie side by side. */
static void
run_groups (gint64 begin, gint64 end, gpointer data)
{
  const CumsumJob *job = data;
  HybRunningSums   lines = job->lines;
  gint64           n = job->view.length, inner = job->view.inner;
  gint64           n_groups = (inner + job->columns - 1) / job->columns;
  gint64           size = (gint64) hyb_dtype_size (lines.dtype);

  for (gint64 i = begin; i < end; i++)
    {
      gint64 column = i % n_groups * job->columns, first = i / n_groups * n * inner + column;

      if (job->reverse)
        first += (n - 1) * inner;
      lines.n_lines = MIN (job->columns, inner - column);
      lines.x = job->from + first * size;
      lines.y = job->to + first * size;
      hyb_running_sums (&lines);
    }
}

/* Returns the number of lines in a group: many, so that memory is read in long runs, but fewer where several threads share the
 * groups. */
static gint64
choose_columns (const HybAxisView *view)
{
  gint64 columns = HYB_RUNNING_LINES, n_threads = hyb_parallel_get_threads ();

  while (n_threads > 1 && columns > MIN_COLUMNS &&
         view->outer * (view->inner / columns) < 4 * n_threads)
    columns /= 2;
  return columns;
}

/* Sums from input 0 to output 0. */
static void
compute (const HybCall *call,
         const HybRun  *run,
         HybAxisView    view,
         gboolean       exclusive,
         gboolean       reverse)
{
  HybDType  dtype = call->output[0].dtype;
  CumsumJob job = {
    .view = view,
    .lines = { .dtype = dtype,
               .is_exclusive = exclusive,
               .length = view.length,
               .step = reverse ? -view.inner : view.inner },
    .columns = choose_columns (&view),
    .reverse = reverse,
    .from = run->input[0],
    .to = run->output[0],
  };
  gint64 n = view.outer * view.length * view.inner;

  if (n == 0)
    return;
  if (call->input[0].dtype != dtype)
    {
      hyb_dtype_convert (job.to, dtype, job.from, call->input[0].dtype, (gsize) n);
      job.from = job.to;
    }
  hyb_parallel_for (view.outer * ((view.inner + job.columns - 1) / job.columns),
                    MAX (1, GRAIN / (view.length * MIN (view.inner, job.columns))), run_groups,
                    &job);
}

static void
cumsum_forward (const HybCall *call, const HybRun *run)
{
  const CumsumParams *params = call->params;

  compute (call, run, hyb_axis_view_optional (&call->input[0].shape, params->axis), FALSE, FALSE);
}

static void
cumsum_backward (const HybCall *call, const HybRun *run)
{
  const CumsumParams *params = call->params;

  compute (call, run, hyb_axis_view_optional (&call->input[1].shape, params->axis), FALSE, TRUE);
}

/* --- _running_sum --- */

typedef struct
{
  gint64   axis;
  gboolean exclusive, reverse;
} RunningParams;

static const HybParam running_params[] = {
  { HYB_FIELD (RunningParams, axis), HYB_PARAM_INT, "0", .doc = "axis along which to sum" },
  { HYB_FIELD (RunningParams, exclusive), HYB_PARAM_BOOL, "False",
    .doc = "do not add an element to its own sum" },
  { HYB_FIELD (RunningParams, reverse), HYB_PARAM_BOOL, "False",
    .doc = "sum from the last element to the first" },
  { 0 },
};

static gboolean
running_infer_shape (HybCall *call, GError **error)
{
  const RunningParams *params = call->params;
  HybShape            *data = &call->input[0].shape;

  return hyb_shape_unify (data, &call->output[0].shape, error) &&
         (data->rank == HYB_UNKNOWN || hyb_shape_axis (data, params->axis, error) >= 0);
}

static void
running_forward (const HybCall *call, const HybRun *run)
{
  const RunningParams *params = call->params;

  compute (call, run, hyb_axis_view_optional (&call->input[0].shape, params->axis),
           params->exclusive, params->reverse);
}

static void
running_backward (const HybCall *call, const HybRun *run)
{
  const RunningParams *params = call->params;

  compute (call, run, hyb_axis_view_optional (&call->input[0].shape, params->axis),
           params->exclusive, !params->reverse);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->output[0].dtype, &call->input[1].dtype, error);
}

static const char *const cumsum_inputs[] = { "a", NULL };
static const char *const running_backward_inputs[] = { "gradient", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_cumsum[] = {
  {
      .name = "cumsum",
      .aliases = (const char *const[]){ "_np_cumsum", NULL },
      .doc = "Running sums along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = cumsum_inputs,
      HYB_PARAMS (cumsum_params, CumsumParams),
      .infer_shape = cumsum_infer_shape,
      .infer_dtype = cumsum_infer_dtype,
      .dtypes = HYB_DTYPES_RUNNING_SUMS,
      .forward = cumsum_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_cumsum",
      .doc = "Gradient of cumsum: running sums from the last element to the first.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "cumsum",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (cumsum_params, CumsumParams),
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_RUNNING_SUMS,
      .forward = cumsum_backward,
  },
  {
      .name = "_running_sum",
      .doc = "Running sums along an axis, from either end, with or without the element itself.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = cumsum_inputs,
      HYB_PARAMS (running_params, RunningParams),
      .infer_shape = running_infer_shape,
      .dtypes = HYB_DTYPES_RUNNING_SUMS,
      .forward = running_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_running_sum",
      .doc = "Gradient of _running_sum: running sums from the other end.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_running_sum",
      .operands = "g0 > i0",
      .inputs = running_backward_inputs,
      HYB_PARAMS (running_params, RunningParams),
      .infer_shape = running_infer_shape,
      .dtypes = HYB_DTYPES_RUNNING_SUMS,
      .forward = running_backward,
  },
  { 0 },
};
