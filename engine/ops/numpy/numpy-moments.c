/* numpy-moments.c — _npi_var, _npi_std and _npi_average: variance, standard deviation and weighted mean.
 *
 * All sums are kept in double, one set for each element of the result (Sums).  MXNet's gradient of var and
 * std is zero, and that of average ignores the second output; here all are the true ones.  Start with
 * find_sums().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/each.h"
#include "engine/kernels/reduction/reduction-kinds.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HybInts  axis;
  HybDType dtype;
  gint64   ddof;
  gboolean keepdims;
  gboolean returned, weighted;
} MomentsParams;

#define AXIS_PARAM                                                                              \
  {                                                                                             \
    HYB_FIELD (MomentsParams, axis), HYB_PARAM_INTS, "None", .doc = "axes to reduce; None: all" \
  }

static const HybParam spread_params[] = {
  AXIS_PARAM,
  { HYB_FIELD (MomentsParams, dtype), HYB_PARAM_DTYPE, "None", .doc = "type of the result" },
  { HYB_FIELD (MomentsParams, ddof), HYB_PARAM_INT, "0", .low = G_MININT32, .high = G_MAXINT32,
    .doc = "subtracted from the number of elements" },
  { HYB_FIELD (MomentsParams, keepdims), HYB_PARAM_BOOL, "False",
    .doc = "reduced axes stay, with length one" },
  { 0 },
};

static const HybParam average_params[] = {
  AXIS_PARAM,
  { HYB_FIELD (MomentsParams, returned), HYB_PARAM_BOOL, "False",
    .doc = "the sum of the weights is a second output" },
  { HYB_FIELD (MomentsParams, weighted), HYB_PARAM_BOOL, "True", .doc = "there are weights" },
  { 0 },
};

#undef AXIS_PARAM

static HybReduceAxes
moments_axes (gconstpointer values)
{
  const MomentsParams *params = values;

  return (HybReduceAxes){ .axis = &params->axis, .keepdims = params->keepdims, .is_numpy = TRUE };
}

/* --- Sums --- */

/* Sums over the elements behind each element of the result, and a walk over the data. */
typedef struct
{
  HybEach       each;
  gint64        n;                      /* results */
  double        count;                  /* elements behind each */
  gconstpointer x, w;                   /* data and weights; w: NULL if all are 1 */
  HybDType      x_type;                 /* also of the weights */
  double       *mean, *weight, *square; /* square: the sum of the squared distances from the mean */
} Sums;

static gsize
sums_bytes (const HybShape *shape, const HybReduceAxes *axes)
{
  guint32  mask = 0;
  HybShape kept;

  hyb_reduce_mask (shape->rank, axes, &mask, NULL);
  kept = hyb_reduce_kept_shape (shape, mask);
  return (gsize) hyb_shape_size (&kept) * 3 * sizeof (double);
}

static void
add_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const Sums *sums = data;

  for (gint64 i = 0; i < length; i++)
    {
      gsize  at = (gsize) (offset[0] + i * stride[0]);
      double x = hyb_dtype_get_double (sums->x, sums->x_type, (gsize) (offset[1] + i * stride[1]));
      double w = sums->w ? hyb_dtype_get_double (sums->w, sums->x_type,
                                                 (gsize) (offset[2] + i * stride[2]))
                         : 1;

      sums->mean[at] += w * x;
      sums->weight[at] += w;
    }
}

static void
add_square_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const Sums *sums = data;

  for (gint64 i = 0; i < length; i++)
    {
      gsize  at = (gsize) (offset[0] + i * stride[0]);
      double x = hyb_dtype_get_double (sums->x, sums->x_type, (gsize) (offset[1] + i * stride[1]));
      double distance = x - sums->mean[at];

      sums->square[at] += distance * distance;
    }
}

/* The weights of one axis, as an array that is broadcast to the data. */
static HybShape
weights_shape (const HybShape *data, const HybShape *weights, guint32 mask)
{
  HybShape shape = *data;

  if (hyb_shape_equal (data, weights))
    return shape;
  for (int i = 0; i < shape.rank; i++)
    if (!(mask >> i & 1))
      shape.dim[i] = 1;
  return shape;
}

/* Fills the sums of data of type x and weights of type w, or NULL; pointers are set by the caller. */
static void
find_sums (Sums *sums, const HybType *x, const HybType *w, const HybReduceAxes *axes, gpointer room)
{
  static double nothing;
  guint32       mask = 0;
  HybShape      kept, weights;

  hyb_reduce_mask (x->shape.rank, axes, &mask, NULL);
  kept = hyb_reduce_kept_shape (&x->shape, mask);
  weights = w ? weights_shape (&x->shape, &w->shape, mask) : kept;
  sums->x_type = x->dtype;
  sums->n = hyb_shape_size (&kept);
  sums->mean = sums->n > 0 ? room : &nothing; /* without sums there is no room */
  sums->weight = sums->mean + sums->n;
  sums->square = sums->weight + sums->n;
  sums->count = 1;
  for (int i = 0; i < x->shape.rank; i++)
    if (mask >> i & 1)
      sums->count *= (double) x->shape.dim[i];
  memset (sums->mean, 0, (gsize) sums->n * 3 * sizeof (double));
  hyb_each_init (&sums->each, &x->shape, 3, (const HybShape *[]){ &kept, &x->shape, &weights });
  hyb_each_rows (&sums->each, add_row, sums);
  for (gint64 i = 0; i < sums->n; i++)
    sums->mean[i] /= sums->weight[i];
}

/* --- var and std --- */

static gboolean
spread_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes axes = moments_axes (call->params);

  return hyb_reduce_infer_shape (call, 0, &axes, error);
}

static gboolean
spread_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = ((const MomentsParams *) call->params)->dtype;

  return dtype == HYB_DTYPE_UNKNOWN ? hyb_rule_same_dtype (call, error)
                                    : hyb_dtype_assign (&call->output[0].dtype, dtype, error);
}

/* The number of elements must not be below ddof. */
static gboolean
spread_prepare (HybCall *call, GError **error)
{
  const MomentsParams *params = call->params;
  const HybShape      *shape = &call->input[0].shape;
  HybReduceAxes        axes = moments_axes (params);
  guint32              mask = 0;
  gint64               count = 1;

  if (!hyb_reduce_mask (shape->rank, &axes, &mask, error))
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if (mask >> i & 1)
      count = hyb_dim_multiply (count, shape->dim[i]);
  return params->ddof <= count ||
         hyb_refuse_attribute (error, "Use a smaller ddof",
                               "ddof is %" G_GINT64_FORMAT ", but each result has %" G_GINT64_FORMAT
                               " elements",
                               params->ddof, count);
}

static gsize
spread_workspace (const HybCall *call)
{
  HybReduceAxes axes = moments_axes (call->params);

  return sums_bytes (&call->input[0].shape, &axes);
}

static void
spread_forward (const HybCall *call, const HybRun *run, gboolean is_root)
{
  const MomentsParams *params = call->params;
  HybReduceAxes        axes = moments_axes (params);
  Sums                 sums = { .x = run->input[0] };

  find_sums (&sums, &call->input[0], NULL, &axes, run->workspace);
  hyb_each_rows (&sums.each, add_square_row, &sums);
  for (gint64 i = 0; i < sums.n; i++)
    {
      double variance = sums.square[i] / (sums.count - (double) params->ddof);

      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i,
                            is_root ? sqrt (variance) : variance);
    }
}

static void
var_forward (const HybCall *call, const HybRun *run)
{
  spread_forward (call, run, FALSE);
}

static void
std_forward (const HybCall *call, const HybRun *run)
{
  spread_forward (call, run, TRUE);
}

/* The gradient of x is factor · (x − mean), with one factor for each result. */
typedef struct
{
  const Sums   *sums;
  const double *factor;
  gpointer      dx;
} SpreadRow;

static void
spread_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const SpreadRow *row = data;
  const Sums      *sums = row->sums;

  for (gint64 i = 0; i < length; i++)
    {
      gsize  at = (gsize) (offset[0] + i * stride[0]);
      gsize  own = (gsize) (offset[1] + i * stride[1]);
      double x = hyb_dtype_get_double (sums->x, sums->x_type, own);

      hyb_dtype_set_double (row->dx, sums->x_type, own, row->factor[at] * (x - sums->mean[at]));
    }
}

static gsize
spread_backward_workspace (const HybCall *call)
{
  HybReduceAxes axes = moments_axes (call->params);

  return sums_bytes (&call->input[1].shape, &axes);
}

/* Inputs: gradient, data. */
static void
spread_backward (const HybCall *call, const HybRun *run, gboolean is_root)
{
  const MomentsParams *params = call->params;
  HybReduceAxes        axes = moments_axes (params);
  Sums                 sums = { .x = run->input[1] };
  SpreadRow            row = { .sums = &sums, .dx = run->output[0] };
  double              *factor;

  find_sums (&sums, &call->input[1], NULL, &axes, run->workspace);
  hyb_each_rows (&sums.each, add_square_row, &sums);
  factor = sums.weight;
  for (gint64 i = 0; i < sums.n; i++)
    {
      double divisor = sums.count - (double) params->ddof;
      double g = hyb_dtype_get_double (run->input[0], call->input[0].dtype, (gsize) i);

      factor[i] = is_root ? g / sqrt (divisor * sums.square[i]) : 2 * g / divisor;
    }
  row.factor = factor;
  hyb_each_rows_parallel (&sums.each, HYB_EACH_GRAIN, spread_row, &row);
}

static void
var_backward (const HybCall *call, const HybRun *run)
{
  spread_backward (call, run, FALSE);
}

static void
std_backward (const HybCall *call, const HybRun *run)
{
  spread_backward (call, run, TRUE);
}

/* --- average --- */

static void
average_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = ((const MomentsParams *) values)->weighted ? 2 : 1;
  *n_outputs = 2;
}

static guint
average_n_visible (gconstpointer values)
{
  return ((const MomentsParams *) values)->returned ? 2 : 1;
}

/* Weights are those of all elements, or of one axis; the sum of the latter is one number. */
static gboolean
average_infer_shape (HybCall *call, GError **error)
{
  const MomentsParams *params = call->params;
  const HybShape      *x = &call->input[0].shape;
  HybShape            *w = params->weighted ? &call->input[1].shape : NULL, scale = { .rank = 0 };
  HybReduceAxes        axes = moments_axes (params);

  if (!hyb_reduce_infer_shape (call, 0, &axes, error))
    return FALSE;
  if (!w)
    return hyb_shape_assign (&call->output[1].shape, &scale, error);
  if (!hyb_shape_is_known (x) || !hyb_shape_is_known (w))
    return TRUE;
  if (hyb_shape_equal (x, w))
    return hyb_shape_assign (&call->output[1].shape, &call->output[0].shape, error);
  if (w->rank != 1 || params->axis.n != 1)
    return hyb_refuse_types (error,
                             "Give one axis and a vector of weights, or as many weights as "
                             "elements",
                             "the weights have %d dimensions for %d axes", w->rank,
                             MAX (0, params->axis.n));
  if (x->dim[hyb_shape_axis (x, params->axis.value[0], NULL)] != w->dim[0])
    return hyb_refuse_types (error, NULL,
                             "there are %" G_GINT64_FORMAT " weights for %" G_GINT64_FORMAT
                             " elements of the axis",
                             w->dim[0], x->dim[hyb_shape_axis (x, params->axis.value[0], NULL)]);
  return hyb_shape_assign (&call->output[1].shape, &scale, error);
}

static void
average_forward (const HybCall *call, const HybRun *run)
{
  const MomentsParams *params = call->params;
  HybReduceAxes        axes = moments_axes (params);
  Sums                 sums = { .x = run->input[0], .w = params->weighted ? run->input[1] : NULL };
  gint64               n_scales = hyb_shape_size (&call->output[1].shape);

  find_sums (&sums, &call->input[0], sums.w ? &call->input[1] : NULL, &axes, run->workspace);
  for (gint64 i = 0; i < sums.n; i++)
    hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i, sums.mean[i]);
  for (gint64 i = 0; i < n_scales; i++)
    hyb_dtype_set_double (run->output[1], call->output[1].dtype, (gsize) i,
                          sums.n > 0 ? sums.weight[i] : sums.count);
}

typedef struct
{
  const Sums   *sums;
  gpointer      dx, dw; /* dw is NULL without weights */
  double       *added;  /* gradient of each weight */
  gint64        n_scales;
  const HybRun *run;
} AverageRow;

static void
average_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const AverageRow *row = data;
  const Sums       *sums = row->sums;

  for (gint64 i = 0; i < length; i++)
    {
      gsize  at = (gsize) (offset[0] + i * stride[0]);
      gsize  own = (gsize) (offset[1] + i * stride[1]);
      gsize  weight = (gsize) (offset[2] + i * stride[2]);
      double g = hyb_dtype_get_double (row->run->input[0], sums->x_type, at) / sums->weight[at];

      hyb_dtype_set_double (row->dx, sums->x_type, own,
                            sums->w ? g * hyb_dtype_get_double (sums->w, sums->x_type, weight) : g);
      if (sums->w)
        row->added[weight] +=
            g * (hyb_dtype_get_double (sums->x, sums->x_type, own) - sums->mean[at]);
      if (sums->w && row->n_scales > 1)
        row->added[weight] += hyb_dtype_get_double (row->run->input[1], sums->x_type, at);
    }
}

static gsize
average_workspace (const HybCall *call)
{
  HybReduceAxes axes = moments_axes (call->params);

  return sums_bytes (&call->input[0].shape, &axes);
}

static gsize
average_backward_workspace (const HybCall *call)
{
  HybReduceAxes axes = moments_axes (call->params);
  gsize         bytes = 0;

  hyb_workspace_take (&bytes, sums_bytes (&call->input[2].shape, &axes));
  if (call->n_inputs > 3)
    hyb_workspace_take (&bytes, (gsize) hyb_shape_size (&call->input[3].shape) * sizeof (double));
  return bytes;
}

/* Inputs: gradients of both outputs, data, weights if there are any. */
static void
average_backward (const HybCall *call, const HybRun *run)
{
  gboolean      is_weighted = call->n_inputs > 3;
  HybReduceAxes axes = moments_axes (call->params);
  Sums          sums = { .x = run->input[2], .w = is_weighted ? run->input[3] : NULL };
  AverageRow    row = { .sums = &sums, .dx = run->output[0], .run = run };
  gsize         n = is_weighted ? (gsize) hyb_shape_size (&call->input[3].shape) : 0, bytes = 0;

  find_sums (&sums, &call->input[2], is_weighted ? &call->input[3] : NULL, &axes, run->workspace);
  hyb_workspace_take (&bytes, sums_bytes (&call->input[2].shape, &axes));
  row.added = (gpointer) ((char *) run->workspace + bytes);
  row.n_scales = hyb_shape_size (&call->input[1].shape);
  memset (row.added, 0, n * sizeof (double));
  hyb_each_rows (&sums.each, average_row, &row);
  for (gsize i = 0; i < n; i++)
    hyb_dtype_set_double (run->output[1], sums.x_type, i,
                          row.added[i] + (row.n_scales == 1
                                              ? hyb_dtype_get_double (run->input[1], sums.x_type, 0)
                                              : 0));
}

static void
average_backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_outputs = ((const MomentsParams *) values)->weighted ? 2 : 1;
  *n_inputs = *n_outputs + 2;
}

static const char *const spread_inputs[] = { "a", NULL };
static const char *const var_outputs[] = { "var", NULL };
static const char *const std_outputs[] = { "std", NULL };
static const char *const spread_backward_inputs[] = { "gradient", "data", NULL };
static const char *const average_inputs[] = { "a", "weights", NULL };
static const char *const average_outputs[] = { "output0", "output1", NULL };
static const char *const average_backward_inputs[] = { "gradient0", "gradient1", "data", "weights",
                                                       NULL };
static const char *const average_backward_outputs[] = { "data", "weights", NULL };

#define COMMON(table)                                           \
  .category = HYB_CATEGORY_REDUCTION, .params = table##_params, \
  .params_size = sizeof (MomentsParams), .dtypes = HYB_DTYPES_REDUCE

#define SPREAD(id, summary)                                                                     \
  {                                                                                             \
    .name = "_npi_" #id,                                                                        \
    .doc = summary,                                                                             \
    COMMON (spread),                                                                            \
    .inputs = spread_inputs,                                                                    \
    .outputs = id##_outputs,                                                                    \
    .infer_shape = spread_infer_shape,                                                          \
    .infer_dtype = spread_infer_dtype,                                                          \
    .prepare = spread_prepare,                                                                  \
    .workspace = spread_workspace,                                                              \
    .forward = id##_forward,                                                                    \
    HYB_GRADIENT ("_backward_np_" #id "* (_cast_like (g0, i0), i0) > i0"),                      \
  },                                                                                            \
  {                                                                                             \
    .name = "_backward_np_" #id, .doc = "Gradient of _npi_" #id ".", COMMON (spread),           \
    .flags = HYB_OP_INTERNAL, .inputs = spread_backward_inputs, .gradient_of = "_npi_" #id,     \
    .operands = "g0 i0 > i0", .workspace = spread_backward_workspace, .forward = id##_backward, \
  }

const HybOp hyb_ops_numpy_moments[] = {
  SPREAD (var, "Variance."),
  SPREAD (std, "Standard deviation."),
  {
      .name = "_npi_average",
      .doc = "Weighted mean, and the sum of the weights.",
      COMMON (average),
      .inputs = average_inputs,
      .outputs = average_outputs,
      .arity = average_arity,
      .n_visible = average_n_visible,
      .infer_shape = average_infer_shape,
      .workspace = average_workspace,
      .forward = average_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_np_average",
      .doc = "Gradients of _npi_average.",
      COMMON (average),
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_npi_average",
      .operands = "g0 g1 i* > i*",
      .inputs = average_backward_inputs,
      .outputs = average_backward_outputs,
      .arity = average_backward_arity,
      .workspace = average_backward_workspace,
      .forward = average_backward,
  },
  { 0 },
};

#undef SPREAD
#undef COMMON
