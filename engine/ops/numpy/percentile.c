/* percentile.c — _npi_percentile: the values below which given parts of the elements lie.
 *
 * The elements behind each result are moved together and sorted.  The result of an array of percentages
 * has their axis first.  A percentage outside of 0 to 100 ends the run, as in MXNet; there is no gradient.
 * Start with percentile_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"

#include <math.h>
#include <stdlib.h>

typedef enum
{
  HIGHER,
  LINEAR,
  LOWER,
  MIDPOINT,
  NEAREST,
} Interpolation;

static const char *const interpolations[] = {
  "higher", "linear", "lower", "midpoint", "nearest", NULL,
};

typedef struct
{
  HybInts  axis;
  int      interpolation;
  gboolean keepdims;
  double   q_scalar; /* NaN: the percentages are an input */
} PercentileParams;

static const HybParam percentile_params[] = {
  { HYB_FIELD (PercentileParams, axis), HYB_PARAM_INTS, "None",
    .doc = "axes to reduce; None: all" },
  { HYB_FIELD (PercentileParams, interpolation), HYB_PARAM_ENUM, "linear",
    .choices = interpolations, .doc = "what is taken between two elements" },
  { HYB_FIELD (PercentileParams, keepdims), HYB_PARAM_BOOL, "False",
    .doc = "reduced axes stay, with length one" },
  { HYB_FIELD (PercentileParams, q_scalar), HYB_PARAM_OPTIONAL_FLOAT, "None", .low = 0, .high = 100,
    .doc = "the percentage; None: the second input" },
  { 0 },
};

static void
percentile_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = isnan (((const PercentileParams *) values)->q_scalar) ? 2 : 1;
  *n_outputs = 1;
}

static HybReduceAxes
percentile_axes (const PercentileParams *params)
{
  return (HybReduceAxes){ .axis = &params->axis, .keepdims = params->keepdims, .is_numpy = TRUE };
}

static gboolean
percentile_infer_shape (HybCall *call, GError **error)
{
  HybReduceAxes   axes = percentile_axes (call->params);
  const HybShape *q = call->n_inputs > 1 ? &call->input[1].shape : NULL;
  HybType         reduced = HYB_TYPE_UNKNOWN;
  HybCall         one = *call;
  HybShape        out = { .rank = 0 };

  if (q && q->rank > 1)
    return hyb_refuse_types (error, "Give one row of percentages",
                             "q has %d dimensions, but at most 1 is supported", q->rank);
  one.n_inputs = one.n_outputs = 1;
  one.output = &reduced;
  if (!hyb_reduce_infer_shape (&one, 0, &axes, error))
    return FALSE;
  if (hyb_shape_is_known (&call->input[0].shape) && hyb_shape_size (&call->input[0].shape) == 0)
    return hyb_refuse_types (error, NULL, "an empty array has no percentiles");
  if (reduced.shape.rank == HYB_UNKNOWN || (q && q->rank == HYB_UNKNOWN))
    return TRUE;
  if (q)
    out = *q;
  if (out.rank + reduced.shape.rank > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 0; i < reduced.shape.rank; i++)
    out.dim[out.rank++] = reduced.shape.dim[i];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* float64 stays, everything else gives float32. */
static gboolean
percentile_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  if (dtype == HYB_BOOL)
    return hyb_refuse_types (error, "Cast it", "the type bool is not supported, in MXNet neither");
  return dtype == HYB_DTYPE_UNKNOWN ||
         hyb_dtype_assign (&call->output[0].dtype, dtype == HYB_F64 ? HYB_F64 : HYB_F32, error);
}

/* The elements as double, twice: as they are, and with those behind one result together. */
static gsize
percentile_workspace (const HybCall *call)
{
  return 2 * (gsize) hyb_shape_size (&call->input[0].shape) * sizeof (double);
}

/* Moves reduced axes behind the others; returns the number of elements behind each result. */
static gint64
gather (const HybCall *call, const HybRun *run, double *to)
{
  const HybType *a = &call->input[0];
  HybReduceAxes  axes = percentile_axes (call->params);
  gint64         n = hyb_shape_size (&a->shape), stride[HYB_MAX_RANK], behind = 1, step = n;
  HybMove        move = { .item = sizeof (double) };
  guint32        mask = 0;

  hyb_reduce_mask (a->shape.rank, &axes, &mask, NULL);
  hyb_dims_strides (&a->shape, stride);
  for (int reduced = 0; reduced < 2; reduced++)
    for (int i = 0; i < a->shape.rank; i++)
      if ((int) (mask >> i & 1) == reduced)
        {
          step /= a->shape.dim[i];
          behind *= reduced ? a->shape.dim[i] : 1;
          hyb_move_axis (&move, a->shape.dim[i], stride[i], step);
        }
  hyb_dtype_get_doubles (run->input[0], a->dtype, 0, (gsize) n, run->workspace);
  hyb_move (&move, run->workspace, to);
  return behind;
}

/* For qsort(); NaN comes last. */
static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return (x > y) - (x < y);
}

/* The value at `place` (from 0) of n sorted elements; NaN if there is one among them. */
static double
take (const double *sorted, gint64 n, double place, Interpolation interpolation)
{
  double low = floor (place), high = ceil (place);
  double a = sorted[(gint64) low], b = sorted[(gint64) high];

  if (isnan (sorted[n - 1]))
    return NAN;
  switch (interpolation)
    {
    case HIGHER:
      return b;
    case LOWER:
      return a;
    case MIDPOINT:
      return (a + b) / 2;
    case NEAREST:
      return sorted[(gint64) round (place)];
    case LINEAR:
    default:
      return a + (b - a) * (place - low);
    }
}

static void
percentile_forward (const HybCall *call, const HybRun *run)
{
  const PercentileParams *params = call->params;
  const HybType          *q = call->n_inputs > 1 ? &call->input[1] : NULL;
  gint64                  n_q = q ? hyb_shape_size (&q->shape) : 1;
  gint64                  all = hyb_shape_size (&call->input[0].shape);
  double                 *sorted = (double *) run->workspace + all;
  gint64                  behind = gather (call, run, sorted);

  for (gint64 i = 0; i < all / behind; i++)
    qsort (sorted + i * behind, (size_t) behind, sizeof *sorted, compare);
  for (gint64 k = 0; k < n_q; k++)
    {
      double percent =
          q ? hyb_dtype_get_double (run->input[1], q->dtype, (gsize) k) : params->q_scalar;

      if (!(percent >= 0 && percent <= 100))
        {
          hyb_run_report (run, NULL, "the percentage %g is outside of 0 to 100", percent);
          percent = 0;
        }
      for (gint64 i = 0; i < all / behind; i++)
        hyb_dtype_set_double (run->output[0], call->output[0].dtype,
                              (gsize) (k * (all / behind) + i),
                              take (sorted + i * behind, behind,
                                    percent / 100 * (double) (behind - 1),
                                    (Interpolation) params->interpolation));
    }
}

static const char *const inputs[] = { "a", "q", NULL };

const HybOp hyb_ops_percentile[] = {
  {
      .name = "_npi_percentile",
      .doc = "Values below which given parts of the elements lie.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = inputs,
      HYB_PARAMS (percentile_params, PercentileParams),
      .arity = percentile_arity,
      .infer_shape = percentile_infer_shape,
      .infer_dtype = percentile_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = percentile_forward,
      .workspace = percentile_workspace,
  },
  { 0 },
};
