/* numpy-diff.c — _npi_diff and _npi_ediff1d: differences of neighbours.
 *
 * The n-th difference is a sum over n + 1 neighbours with binomial coefficients of alternating sign.
 * ediff1d takes the first differences of all elements as one row and puts other elements before and
 * after them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

#define DIFFERENCE_DTYPES (HYB_DTYPES_ALL & ~HYB_DTYPE_BIT (HYB_BOOL))

/* --- diff --- */

/* The coefficients of higher differences do not fit into 64 bits. */
#define MAX_ORDER 60

typedef struct
{
  gint64 n, axis;
} DiffParams;

static const HybParam diff_params[] = {
  { HYB_FIELD (DiffParams, n), HYB_PARAM_INT, "1", .low = 0, .high = G_MAXINT32,
    .doc = "how often differences are taken" },
  { HYB_FIELD (DiffParams, axis), HYB_PARAM_INT, "-1", .doc = "axis of the neighbours" },
  { 0 },
};

static gboolean
diff_infer_shape (HybCall *call, GError **error)
{
  const DiffParams *params = call->params;
  const HybShape   *in = &call->input[0].shape;
  HybShape          out = *in;
  int               axis;

  if (in->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (in, params->axis, error);
  if (axis < 0)
    return FALSE;
  if (in->dim[axis] != HYB_UNKNOWN)
    out.dim[axis] = MAX (0, in->dim[axis] - params->n);
  if (params->n > MAX_ORDER && out.dim[axis] > 0)
    return hyb_refuse_attribute (error, "Take differences of differences",
                                 "n is %" G_GINT64_FORMAT
                                 ", but differences up to the %dth are supported",
                                 params->n, MAX_ORDER);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* Sets coefficient[k] for the neighbour k behind the first. */
static void
binomials (gint64 n, gint64 *coefficient)
{
  gint64 value = 1;

  for (gint64 k = 0; k <= n; k++)
    {
      coefficient[k] = (n - k) % 2 == 0 ? value : -value;
      value = value * (n - k) / (k + 1);
    }
}

/* A row of differences: element i is the sum over k of coefficient[k] · from[first + (i + k) · step]. */
typedef struct
{
  HybDType      dtype;
  gint64        n; /* coefficients − 1 */
  const gint64 *coefficient;
  gconstpointer from;
  gpointer      to;
} Difference;

/* Sets element `at` of the result.  Integers wrap around. */
static void
set_difference (const Difference *difference, gsize first, gsize step, gsize at)
{
  double  sum = 0;
  guint64 whole = 0;

  for (gint64 k = 0; k <= difference->n; k++)
    {
      gsize own = first + (gsize) k * step;

      if (hyb_dtype_is_float (difference->dtype))
        sum += (double) difference->coefficient[k] *
               hyb_dtype_get_double (difference->from, difference->dtype, own);
      else
        whole += (guint64) difference->coefficient[k] *
                 (guint64) hyb_dtype_get_int (difference->from, difference->dtype, own);
    }
  if (hyb_dtype_is_float (difference->dtype))
    hyb_dtype_set_double (difference->to, difference->dtype, at, sum);
  else
    hyb_dtype_convert ((char *) difference->to + at * hyb_dtype_size (difference->dtype),
                       difference->dtype, &whole, HYB_I64, 1);
}

/* Adds the gradient of that element to the gradients of its neighbours. */
static void
add_difference (const Difference *difference, gsize first, gsize step, gsize at)
{
  double g = hyb_dtype_get_double (difference->from, difference->dtype, at);

  for (gint64 k = 0; k <= difference->n; k++)
    {
      gsize  own = first + (gsize) k * step;
      double sum = hyb_dtype_get_double (difference->to, difference->dtype, own);

      hyb_dtype_set_double (difference->to, difference->dtype, own,
                            sum + (double) difference->coefficient[k] * g);
    }
}

typedef void (*DifferenceStep) (const Difference *difference, gsize first, gsize step, gsize at);

/* Calls `each` for every difference of data with this shape. */
static void
walk_differences (const HybCall  *call,
                  const HybRun   *run,
                  const HybShape *shape,
                  DifferenceStep  each)
{
  const DiffParams *params = call->params;
  HybAxisView       view = hyb_axis_view (shape, hyb_shape_axis (shape, params->axis, NULL));
  gint64            length = view.length - params->n, coefficient[MAX_ORDER + 1];
  Difference        difference = {
           .dtype = call->output[0].dtype,
           .n = params->n,
           .coefficient = coefficient,
           .from = run->input[0],
           .to = run->output[0],
  };

  if (length <= 0)
    return;
  binomials (params->n, coefficient);
  for (gint64 outer = 0; outer < view.outer; outer++)
    for (gint64 i = 0; i < length; i++)
      for (gint64 inner = 0; inner < view.inner; inner++)
        each (&difference, (gsize) ((outer * view.length + i) * view.inner + inner),
              (gsize) view.inner, (gsize) ((outer * length + i) * view.inner + inner));
}

static void
diff_forward (const HybCall *call, const HybRun *run)
{
  walk_differences (call, run, &call->input[0].shape, set_difference);
}

/* Inputs: gradient, data (for its shape). */
static void
diff_backward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  walk_differences (call, run, &call->output[0].shape, add_difference);
}

/* --- ediff1d --- */

typedef struct
{
  gboolean to_begin_arr_given, to_end_arr_given;
  double   to_begin_scalar, to_end_scalar;
} RowParams;

static const HybParam row_params[] = {
  { HYB_FIELD (RowParams, to_begin_arr_given), HYB_PARAM_BOOL, "False",
    .doc = "an input goes before the differences" },
  { HYB_FIELD (RowParams, to_end_arr_given), HYB_PARAM_BOOL, "False",
    .doc = "an input goes behind them" },
  { HYB_FIELD (RowParams, to_begin_scalar), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "a number that goes before the differences" },
  { HYB_FIELD (RowParams, to_end_scalar), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "a number that goes behind them" },
  { 0 },
};

static void
row_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const RowParams *params = values;

  *n_inputs = 1 + (params->to_begin_arr_given ? 1 : 0) + (params->to_end_arr_given ? 1 : 0);
  *n_outputs = 1;
}

static gboolean
row_check (gconstpointer values, GError **error)
{
  const RowParams *params = values;

  if ((!params->to_begin_arr_given || isnan (params->to_begin_scalar)) &&
      (!params->to_end_arr_given || isnan (params->to_end_scalar)))
    return TRUE;
  return hyb_refuse_attribute (error, "Leave out one of them",
                               "an end has both an input and a number");
}

/* The parts of the row: the prepended values, the differences, the appended values. */
typedef struct
{
  guint  begin_input, end_input; /* 0 where there is none */
  gint64 begin, middle, end;     /* elements */
} RowParts;

/* From the shapes of the inputs; those of unknown size give HYB_UNKNOWN. */
static RowParts
row_parts (const RowParams *params, const HybType *inputs)
{
  RowParts parts = { .begin_input = params->to_begin_arr_given ? 1 : 0 };

  parts.end_input = params->to_end_arr_given ? 1 + parts.begin_input : 0;
  parts.begin = parts.begin_input > 0 ? hyb_shape_size (&inputs[parts.begin_input].shape)
                                      : !isnan (params->to_begin_scalar);
  parts.end = parts.end_input > 0 ? hyb_shape_size (&inputs[parts.end_input].shape)
                                  : !isnan (params->to_end_scalar);
  parts.middle = hyb_shape_size (&inputs[0].shape);
  if (parts.middle != HYB_UNKNOWN)
    parts.middle = MAX (0, parts.middle - 1);
  return parts;
}

static gboolean
row_infer_shape (HybCall *call, GError **error)
{
  RowParts parts;
  gint64   n;
  HybShape out;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_is_known (&call->input[i].shape))
      return TRUE;
  parts = row_parts (call->params, call->input);
  if (__builtin_add_overflow (parts.begin, parts.middle, &n) ||
      __builtin_add_overflow (n, parts.end, &n))
    return hyb_refuse_types (error, NULL, "the row is too long");
  out = hyb_shape_1d (n);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
row_forward (const HybCall *call, const HybRun *run)
{
  static const gint64 coefficient[] = { -1, 1 };
  const RowParams    *params = call->params;
  RowParts            parts = row_parts (params, call->input);
  HybDType            dtype = call->output[0].dtype;
  gsize               item = hyb_dtype_size (dtype);
  char               *to = run->output[0];
  Difference          difference = {
             .dtype = dtype,
             .n = 1,
             .coefficient = coefficient,
             .from = run->input[0],
             .to = to + (gsize) parts.begin * item,
  };

  if (parts.begin_input > 0)
    memcpy (to, run->input[parts.begin_input], (gsize) parts.begin * item);
  else if (parts.begin > 0)
    hyb_dtype_set_double (to, dtype, 0, params->to_begin_scalar);
  for (gint64 i = 0; i < parts.middle; i++)
    set_difference (&difference, (gsize) i, 1, (gsize) i);
  to += (gsize) (parts.begin + parts.middle) * item;
  if (parts.end_input > 0)
    memcpy (to, run->input[parts.end_input], (gsize) parts.end * item);
  else if (parts.end > 0)
    hyb_dtype_set_double (to, dtype, 0, params->to_end_scalar);
}

static void
row_backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  guint one;

  row_arity (values, n_outputs, &one);
  *n_inputs = *n_outputs + one;
}

/* Inputs: gradient, then the inputs (for their shapes). */
static void
row_backward (const HybCall *call, const HybRun *run)
{
  static const gint64 coefficient[] = { -1, 1 };
  RowParts            parts = row_parts (call->params, call->input + 1);
  HybDType            dtype = call->output[0].dtype;
  gsize               item = hyb_dtype_size (dtype);
  const char         *gradient = run->input[0];
  Difference          difference = {
             .dtype = dtype,
             .n = 1,
             .coefficient = coefficient,
             .from = gradient + (gsize) parts.begin * item,
             .to = run->output[0],
  };

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < parts.middle; i++)
    add_difference (&difference, (gsize) i, 1, (gsize) i);
  if (parts.begin_input > 0)
    memcpy (run->output[parts.begin_input], gradient, (gsize) parts.begin * item);
  if (parts.end_input > 0)
    memcpy (run->output[parts.end_input], gradient + (gsize) (parts.begin + parts.middle) * item,
            (gsize) parts.end * item);
}

static const char *const diff_inputs[] = { "a", NULL };
static const char *const diff_backward_inputs[] = { "gradient", "data", NULL };
static const char *const row_inputs[] = { "input1", "input2", "input3", NULL };
static const char *const row_backward_inputs[] = { "gradient", "input1", "input2", "input3", NULL };
static const char *const row_backward_outputs[] = { "input1", "input2", "input3", NULL };

#define COMMON(id, Params) \
  .category = HYB_CATEGORY_ELEMENTWISE, .params = id##_params, .params_size = sizeof (Params)

const HybOp hyb_ops_numpy_diff[] = {
  {
      .name = "_npi_diff",
      .doc = "Differences of neighbours along an axis, repeated n times.",
      COMMON (diff, DiffParams),
      .inputs = diff_inputs,
      .infer_shape = diff_infer_shape,
      .dtypes = DIFFERENCE_DTYPES,
      .forward = diff_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_np_diff",
      .doc = "Gradient of _npi_diff.",
      COMMON (diff, DiffParams),
      .flags = HYB_OP_INTERNAL,
      .inputs = diff_backward_inputs,
      .gradient_of = "_npi_diff",
      .operands = "g0 i0 > i0",
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = diff_backward,
  },
  {
      .name = "_npi_ediff1d",
      .doc = "Differences of all elements as one row, with other elements at its ends.",
      COMMON (row, RowParams),
      .inputs = row_inputs,
      .arity = row_arity,
      .check = row_check,
      .infer_shape = row_infer_shape,
      .dtypes = DIFFERENCE_DTYPES,
      .forward = row_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_np_ediff1d",
      .doc = "Gradients of _npi_ediff1d.",
      COMMON (row, RowParams),
      .flags = HYB_OP_INTERNAL,
      .inputs = row_backward_inputs,
      .outputs = row_backward_outputs,
      .arity = row_backward_arity,
      .gradient_of = "_npi_ediff1d",
      .operands = "g0 i* > i*",
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = row_backward,
  },
  { 0 },
};

#undef COMMON
