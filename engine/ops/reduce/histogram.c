/* histogram.c — _histogram: how many elements fall into each of a row of intervals.
 *
 * The edges of the intervals are an input, or are spaced evenly over a range.  An interval contains its
 * lower edge; the last one contains both.  NaN and elements outside are not counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64    bin_cnt;
  HybFloats range;
} HistogramParams;

static const HybParam histogram_params[] = {
  { HYB_FIELD (HistogramParams, bin_cnt), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "number of intervals of equal width; None: the edges are an input" },
  { HYB_FIELD (HistogramParams, range), HYB_PARAM_FLOATS, "None",
    .doc = "lower and upper end of all intervals" },
  { 0 },
};

static gboolean
has_edges (const HistogramParams *params)
{
  return params->bin_cnt == HYB_NONE;
}

static gboolean
histogram_check (gconstpointer values, GError **error)
{
  const HistogramParams *params = values;

  if (has_edges (params) != (params->range.n == HYB_UNKNOWN))
    return hyb_refuse_attribute (error, "Give both, or give the edges as an input",
                                 "only one of bin_cnt and range is given");
  if (has_edges (params))
    return TRUE;
  if (params->bin_cnt < 1 || params->bin_cnt >= G_MAXINT32)
    return hyb_refuse_attribute (error, NULL,
                                 "bin_cnt is %" G_GINT64_FORMAT
                                 ", but should be 1 or more, below 2³¹",
                                 params->bin_cnt);
  if (params->range.n != 2)
    return hyb_refuse_attribute (error, NULL, "range has %d numbers, but should have 2",
                                 params->range.n);
  return (isfinite (params->range.value[0]) && isfinite (params->range.value[1]) &&
          params->range.value[0] <= params->range.value[1]) ||
         hyb_refuse_attribute (error, "Give two finite numbers, the smaller one first",
                               "range is from %g to %g", params->range.value[0],
                               params->range.value[1]);
}

static void
histogram_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = has_edges (params) ? 2 : 1;
  *n_outputs = 2;
}

static gboolean
histogram_infer_shape (HybCall *call, GError **error)
{
  const HistogramParams *params = call->params;
  HybShape               edges = hyb_shape_1d (HYB_UNKNOWN), counts = edges;

  if (!has_edges (params))
    edges.dim[0] = params->bin_cnt + 1;
  else if (!hyb_shape_unify (&edges, &call->input[1].shape, error))
    return FALSE;
  if (edges.dim[0] != HYB_UNKNOWN && edges.dim[0] < 2)
    return hyb_refuse_types (error, "Give one more edge than there are intervals",
                             "bins has %" G_GINT64_FORMAT " edges, but one interval needs 2",
                             edges.dim[0]);
  if (edges.dim[0] != HYB_UNKNOWN)
    counts.dim[0] = edges.dim[0] - 1;
  return hyb_shape_assign (&call->output[0].shape, &counts, error) &&
         hyb_shape_assign (&call->output[1].shape, &edges, error);
}

static gboolean
histogram_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error) &&
         hyb_dtype_unify (&call->input[0].dtype, &call->output[1].dtype, error) &&
         (call->n_inputs < 2 ||
          hyb_dtype_unify (&call->input[0].dtype, &call->input[1].dtype, error));
}

/* The intervals of a call. */
typedef struct
{
  gint64        n;     /* intervals */
  gconstpointer edges; /* n + 1 in the type of the data, which truncates them for integers */
  HybDType      dtype;
  double        low, high; /* of the whole range */
} Intervals;

static double
edge (const Intervals *intervals, gint64 i)
{
  return hyb_dtype_get_double (intervals->edges, intervals->dtype, (gsize) i);
}

/* The interval by division, corrected by one where rounding made it the neighbour. */
static gint64
find_even (const Intervals *intervals, double x)
{
  gint64 last = intervals->n - 1;
  gint64 at =
      (gint64) ((x - intervals->low) * (double) intervals->n / (intervals->high - intervals->low));

  at = MIN (at, last);
  if (x < edge (intervals, at) && at > 0)
    at--;
  if (at != last && x >= edge (intervals, at + 1))
    at++;
  return at;
}

/* The last interval whose lower edge is not above x, by bisection. */
static gint64
find_between (const Intervals *intervals, double x)
{
  gint64 low = 0, high = intervals->n;

  while (high - low > 1)
    {
      gint64 middle = low + (high - low) / 2;

      if (x < edge (intervals, middle))
        high = middle;
      else
        low = middle;
    }
  return low;
}

static void
write_edges (const HybCall *call, const HybRun *run, Intervals *intervals)
{
  const HistogramParams *params = call->params;

  if (has_edges (params))
    {
      memmove (run->output[1], run->input[1], hyb_type_bytes (&call->output[1]));
      intervals->low = edge (intervals, 0);
      intervals->high = edge (intervals, intervals->n);
      return;
    }

  intervals->low = params->range.value[0];
  intervals->high = params->range.value[1];
  if (intervals->low == intervals->high)
    {
      intervals->low -= 0.5;
      intervals->high += 0.5;
    }
  for (gint64 i = 0; i <= intervals->n; i++)
    hyb_dtype_set_double (run->output[1], intervals->dtype, (gsize) i,
                          (intervals->high * (double) i +
                           intervals->low * (double) (intervals->n - i)) /
                              (double) intervals->n);
}

static void
histogram_forward (const HybCall *call, const HybRun *run)
{
  Intervals intervals = { .n = call->output[0].shape.dim[0],
                          .edges = run->output[1],
                          .dtype = call->input[0].dtype };
  gint64   *counts = run->output[0];
  gint64    n = hyb_shape_size (&call->input[0].shape);

  memset (counts, 0, hyb_type_bytes (&call->output[0]));
  write_edges (call, run, &intervals);
  for (gint64 i = 0; i < n; i++)
    {
      double x = hyb_dtype_get_double (run->input[0], intervals.dtype, (gsize) i);

      if (x >= intervals.low && x <= intervals.high)
        counts[call->n_inputs > 1 ? find_between (&intervals, x) : find_even (&intervals, x)]++;
    }
}

static const char *const histogram_inputs[] = { "data", "bins", NULL };

const HybOp hyb_ops_histogram[] = {
  {
      .name = "_histogram",
      .doc = "Counts the elements in each of several intervals; the second output are their edges.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = histogram_inputs,
      HYB_PARAMS (histogram_params, HistogramParams),
      .arity = histogram_arity,
      .check = histogram_check,
      .infer_shape = histogram_infer_shape,
      .infer_dtype = histogram_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = histogram_forward,
      .flops_per_input = 4,
  },
  { 0 },
};
