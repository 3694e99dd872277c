/* cumsum.c — cumsum: running sums along one axis, or of the flattened array, and their gradient.
 *
 * The elements are converted to the type of the result first, and summed there: integers wrap, floats
 * are summed in double.  The gradient is the running sum from the other end.  Start with run_groups().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/reduction/running-sums.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include "engine/kernels/vectorise.h"

/* Elements for each thread at least. */
#define GRAIN 16384

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
  HybAxisView view;
  HybDType    dtype;
  gboolean    reverse; /* sum from the last element to the first */
  gpointer    data;    /* replaced by the sums */
} CumsumJob;

/* Lines that are summed side by side, so that memory is read in order. */
#define COLUMNS 64

/* Sums n_lines lines that lie side by side.  Sum is unsigned for integers, because signed overflow is undefined. */
#define LINES(T, Sum, suffix)                                                         \
  static void lines_##suffix (gpointer data, gint64 n, gint64 stride, gint64 n_lines) \
  {                                                                                   \
    T  *at = data;                                                                    \
    Sum sums[COLUMNS] = { 0 }, sum = 0;                                               \
                                                                                      \
    for (gint64 i = 0; i < n && n_lines == 1; i++)                                    \
      {                                                                               \
        sum += (Sum) at[i * stride];                                                  \
        at[i * stride] = (T) sum;                                                     \
      }                                                                               \
    for (gint64 i = 0; i < n && n_lines > 1; i++, at += stride)                       \
      {                                                                               \
        HYB_INDEPENDENT                                                               \
        for (gint64 k = 0; k < n_lines; k++)                                          \
          {                                                                           \
            sums[k] += (Sum) at[k];                                                   \
            at[k] = (T) sums[k];                                                      \
          }                                                                           \
      }                                                                               \
  }
LINES (double, double, f64)
LINES (gint8, guint64, i8)
LINES (guint8, guint64, u8)
LINES (gint32, guint64, i32)
LINES (gint64, guint64, i64)

#undef LINES

#define CUMSUM_DTYPES                                                                             \
  (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | \
   HYB_DTYPE_BIT (HYB_I64))

static void
lines_f32 (gpointer data, gint64 n, gint64 stride, gint64 n_lines)
{
  float *at = data;
  double sum = 0;

  if (n_lines > 1)
    {
      hyb_running_sums_f32 (data, n, stride, n_lines);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      sum += at[i * stride];
      at[i * stride] = (float) sum;
    }
}

/* Groups of lines: up to COLUMNS that lie side by side. */
static void
run_groups (gint64 begin, gint64 end, gpointer data)
{
  static void (*const lines[HYB_N_DTYPES]) (gpointer, gint64, gint64, gint64) = {
    [HYB_F32] = lines_f32, [HYB_F64] = lines_f64, [HYB_U8] = lines_u8,
    [HYB_I8] = lines_i8,   [HYB_I32] = lines_i32, [HYB_I64] = lines_i64,
  };
  const CumsumJob *job = data;
  gint64           n = job->view.length, inner = job->view.inner;
  gint64           n_groups = (inner + COLUMNS - 1) / COLUMNS;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 column = i % n_groups * COLUMNS, first = i / n_groups * n * inner + column;

      if (job->reverse)
        first += (n - 1) * inner;
      lines[job->dtype]((char *) job->data + first * (gint64) hyb_dtype_size (job->dtype), n,
                        job->reverse ? -inner : inner, MIN (COLUMNS, inner - column));
    }
}

/* Inputs: the terms, and for the gradient the data, for its shape. */
static void
compute (const HybCall *call, const HybRun *run, const HybShape *shape, gboolean reverse)
{
  const CumsumParams *params = call->params;
  gint64              n = hyb_shape_size (shape);
  CumsumJob           job = { .view = hyb_axis_view_optional (shape, params->axis),
                              .dtype = call->output[0].dtype,
                              .reverse = reverse,
                              .data = run->output[0] };

  if (n == 0)
    return;
  hyb_dtype_convert (run->output[0], job.dtype, run->input[0], call->input[0].dtype, (gsize) n);
  hyb_parallel_for (job.view.outer * ((job.view.inner + COLUMNS - 1) / COLUMNS),
                    MAX (1, GRAIN / (job.view.length * MIN (job.view.inner, COLUMNS))), run_groups,
                    &job);
}

static void
cumsum_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, &call->input[0].shape, FALSE);
}

static void
cumsum_backward (const HybCall *call, const HybRun *run)
{
  compute (call, run, &call->input[1].shape, TRUE);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->output[0].dtype, &call->input[1].dtype, error);
}

static const char *const cumsum_inputs[] = { "a", NULL };
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
      .dtypes = CUMSUM_DTYPES,
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
      .dtypes = CUMSUM_DTYPES,
      .forward = cumsum_backward,
  },
  { 0 },
};

#undef CUMSUM_DTYPES
