/* reduce.c — reductions, positions of extremes, running sums and the largest elements.
 *
 * Axes are an attribute, from version 13 (ReduceSum) or 18 on an input.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

/* Axes that are reduced, as text for the engine: “None” means all. */
typedef struct
{
  const char *axes;
  const char *keeps;
  gboolean    is_noop;  /* no axes are given, and that means none */
  gboolean    is_empty; /* nothing is reduced, as an axis has no elements */
  HybShape    result;   /* with is_empty */
} Axes;

/* The shape of the result of reducing these axes, all if there are none; is_empty if an axis has no elements. */
static void
find_empty (Axes *axes, const HybShape *shape, guint n, const gint64 *values)
{
  gboolean keeps = strcmp (axes->keeps, "True") == 0;

  axes->is_empty = FALSE;
  axes->result.rank = 0;
  for (int i = 0; i < shape->rank; i++)
    {
      gboolean is_reduced = n == 0;

      for (guint k = 0; k < n; k++)
        is_reduced |= values[k] == i;
      axes->is_empty |= is_reduced && shape->dim[i] == 0;
      if (!is_reduced || keeps)
        axes->result.dim[axes->result.rank++] = is_reduced ? 1 : shape->dim[i];
    }
  axes->is_empty &= !axes->is_noop && hyb_shape_is_known (&axes->result);
}

/* An axis that is named again counts once, as in ONNX Runtime.  Returns how many there are then. */
static guint
drop_repeated (guint n, gint64 *values)
{
  guint n_kept = 0;

  for (guint i = 0; i < n; i++)
    {
      gboolean is_known = FALSE;

      for (guint k = 0; k < n_kept; k++)
        is_known |= values[k] == values[i];
      if (!is_known)
        values[n_kept++] = values[i];
    }
  return n_kept;
}

static gboolean
read_axes (HybLowering *lowering, Axes *axes)
{
  gint64        values[HYB_MAX_RANK];
  guint         n = 0;
  const gint64 *given;
  int           rank = hyb_onnx_type (lowering, 0)->shape.rank;

  axes->keeps = hyb_onnx_int (lowering, "keepdims", 1) ? "True" : "False";
  if (hyb_onnx_ints (lowering, "axes", &n, &given))
    for (guint i = 0; i < MIN (n, HYB_MAX_RANK); i++)
      values[i] = given[i];
  else if (hyb_onnx_has_input (lowering, 1) && !hyb_onnx_input_ints (lowering, 1, &n, values))
    return FALSE;
  axes->is_noop = n == 0 && hyb_onnx_int (lowering, "noop_with_empty_axes", 0);
  axes->axes = n == 0 ? "None" : NULL;
  n = MIN (n, HYB_MAX_RANK);
  for (guint i = 0; i < n; i++)
    if (rank >= 0 && (values[i] = hyb_onnx_axis (lowering, values[i], rank)) < 0)
      return FALSE;
  n = drop_repeated (n, values);
  if (!axes->axes)
    axes->axes = hyb_lowering_text_ints (lowering, n, values);
  find_empty (axes, &hyb_onnx_type (lowering, 0)->shape, n, values);
  return TRUE;
}

static HybValueId
emit (HybLowering *lowering, const char *op, const Axes *axes, HybValueId x)
{
  HybDType dtype = hyb_lowering_get_type (lowering, x)->dtype;
  /* Without the type a mean of integers would be one of float32, which has 24 bits. */
  gboolean is_exact = strcmp (op, "_npi_mean") == 0 && (dtype == HYB_I32 || dtype == HYB_I64);

  if (axes->is_noop)
    return x;
  x = hyb_lowering_emit (lowering, op, 1, &x, "axis", axes->axes, "keepdims", axes->keeps,
                         is_exact ? "dtype" : NULL, hyb_dtype_name (dtype), NULL);
  /* Sums and means of narrow integers are computed in wider types. */
  return dtype == HYB_DTYPE_UNKNOWN || x == HYB_NO_ID ? x : hyb_onnx_cast (lowering, x, dtype);
}

/* The functions applied before and after a sum. */
static void
lower_sum (HybLowering *lowering, const char *before, const char *after)
{
  Axes       axes;
  HybValueId x;

  if (!read_axes (lowering, &axes))
    {
      hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype,
                         strcmp (axes.keeps, "True") == 0 ? hyb_onnx_type (lowering, 0)->shape.rank
                                                          : HYB_UNKNOWN);
      return;
    }
  x = hyb_onnx_input (lowering, 0);
  if (before)
    x = hyb_onnx_unary (lowering, before, x);
  x = emit (lowering, "_np_sum", &axes, x);
  if (after)
    x = hyb_onnx_unary (lowering, after, x);
  if (!before && !after && axes.is_noop)
    x = hyb_onnx_unary (lowering, "_copy", x);
  hyb_lowering_set_output (lowering, 0, x);
}

static void
lower_reduce_sum (HybLowering *lowering)
{
  lower_sum (lowering, NULL, NULL);
}

/* Sums of absolute values or squares of floats, by an operator that computes them in one pass; FALSE if it has other
 * rules.  It gives at least one axis.  MXNet's takes few axes, or no dense arrays. */
static gboolean
lower_norm (HybLowering *lowering, const char *op, const char *order)
{
  const HybType *type = hyb_onnx_type (lowering, 0);
  HybValueId     x = hyb_onnx_input (lowering, 0);
  Axes           axes;

  if (hyb_lowering_is_portable (lowering) || (type->dtype != HYB_F32 && type->dtype != HYB_F64) ||
      type->shape.rank < 1 || !hyb_shape_is_known (&type->shape) ||
      hyb_shape_size (&type->shape) == 0 || !read_axes (lowering, &axes) || axes.is_noop)
    return FALSE;
  x = hyb_lowering_emit (lowering, op, 1, &x, "axis", axes.axes, "keepdims", axes.keeps,
                         order ? "ord" : NULL, order, NULL);
  if (axes.result.rank == 0)
    x = hyb_onnx_reshape (lowering, x, 0, NULL);
  hyb_lowering_set_output (lowering, 0, x);
  return TRUE;
}

static void
lower_l1 (HybLowering *lowering)
{
  if (!lower_norm (lowering, "norm", "1"))
    lower_sum (lowering, "abs", NULL);
}

static void
lower_l2 (HybLowering *lowering)
{
  if (!lower_norm (lowering, "norm", "2"))
    lower_sum (lowering, "square", "sqrt");
}

static void
lower_sum_square (HybLowering *lowering)
{
  if (!lower_norm (lowering, "_square_sum", NULL))
    lower_sum (lowering, "square", NULL);
}

static void
lower_log_sum (HybLowering *lowering)
{
  lower_sum (lowering, NULL, "log");
}

/* The value of a reduction over no elements. */
typedef struct
{
  const char *engine;
  double      number; /* infinity: the limit of the type */
} Neutral;

static const Neutral neutrals[] = {
  { "_npi_mean", NAN },
  { "_np_max", -INFINITY },
  { "_np_min", INFINITY },
  { "_np_prod", 1 },
};

static double
find_neutral (const char *engine, HybDType dtype)
{
  double number = -INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (neutrals); i++)
    if (g_strcmp0 (neutrals[i].engine, engine) == 0)
      number = neutrals[i].number;
  if (hyb_dtype_is_float (dtype) || isfinite (number))
    return number;
  if (dtype == HYB_BOOL)
    return number > 0;
  if (dtype == HYB_U8 || dtype == HYB_I8)
    return dtype == HYB_U8 ? (number > 0 ? 255 : 0) : number > 0 ? 127 : -128;
  return dtype == HYB_I32 ? (number > 0 ? G_MAXINT32 : G_MININT32) : 0;
}

static void
set_neutral (HybLowering *lowering, const Axes *axes)
{
  HybDType dtype = hyb_onnx_type (lowering, 0)->dtype;

  hyb_lowering_set_output (lowering, 0,
                           onnx_fill (lowering, &axes->result, dtype,
                                      find_neutral (hyb_onnx_engine (lowering), dtype)));
}

/* Other reductions: `engine` is the operator. */
static void
lower_reduce (HybLowering *lowering)
{
  Axes       axes;
  HybValueId x;
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;

  if (!read_axes (lowering, &axes))
    return;
  if (axes.is_empty)
    {
      set_neutral (lowering, &axes);
      return;
    }
  x = hyb_onnx_input (lowering, 0);
  if (axes.is_noop)
    x = hyb_onnx_unary (lowering, "_copy", x);
  else if (dtype == HYB_BOOL)
    x = hyb_onnx_cast (lowering,
                       emit (lowering, hyb_onnx_engine (lowering), &axes,
                             hyb_onnx_cast (lowering, x, HYB_U8)),
                       HYB_BOOL);
  else
    x = emit (lowering, hyb_onnx_engine (lowering), &axes, x);
  hyb_lowering_set_output (lowering, 0, x);
}

/* m + log Σ exp (x − m), with the largest element m. */
static void
lower_log_sum_exp (HybLowering *lowering)
{
  Axes       axes, kept;
  HybValueId x, largest, y;

  if (!read_axes (lowering, &axes))
    return;
  if (axes.is_empty)
    {
      set_neutral (lowering, &axes);
      return;
    }
  x = hyb_onnx_input (lowering, 0);
  kept = axes;
  kept.keeps = "True";
  largest = emit (lowering, "_np_max", &kept, x);
  y = hyb_onnx_unary (lowering, "exp", hyb_onnx_binary (lowering, "broadcast_sub", x, largest));
  y = hyb_onnx_unary (lowering, "log", emit (lowering, "_np_sum", &axes, y));
  if (axes.keeps != kept.keeps)
    largest = emit (lowering, "_np_max", &axes, x);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_binary (lowering, "broadcast_add", y, largest));
}

/* --- ArgMax, ArgMin --- */

static void
lower_arg (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0), y;
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), type.shape.rank);
  gboolean   is_last = hyb_onnx_int (lowering, "select_last_index", 0) != 0;

  if (axis < 0)
    return;
  if (is_last)
    x = hyb_lowering_emit (lowering, "reverse", 1, &x, "axis",
                           hyb_lowering_text (lowering, "(%d,)", axis), NULL);
  y = hyb_lowering_emit (lowering, hyb_onnx_engine (lowering), 1, &x, "axis",
                         hyb_lowering_text (lowering, "%d", axis), "keepdims",
                         hyb_onnx_int (lowering, "keepdims", 1) ? "True" : "False", NULL);
  y = hyb_onnx_cast (lowering, y, HYB_I64);
  if (is_last)
    y = hyb_onnx_with_scalar (lowering, "_rminus_scalar", y, (double) type.shape.dim[axis] - 1);
  hyb_lowering_set_output (lowering, 0, y);
}

/* --- CumSum --- */

/* By operators that MXNet has. */
static HybValueId
sum_by_mxnet (HybLowering *lowering,
              HybValueId   x,
              int          axis,
              gboolean     is_exclusive,
              gboolean     is_reverse)
{
  const char *axes_text = hyb_lowering_text (lowering, "(%d,)", axis);
  HybValueId  y;

  if (is_reverse)
    x = hyb_lowering_emit (lowering, "reverse", 1, &x, "axis", axes_text, NULL);
  y = hyb_lowering_emit (lowering, "cumsum", 1, &x, "axis",
                         hyb_lowering_text (lowering, "%d", axis), NULL);
  if (is_exclusive)
    y = hyb_onnx_binary (lowering, "broadcast_sub", y, x);
  if (is_reverse)
    y = hyb_lowering_emit (lowering, "reverse", 1, &y, "axis", axes_text, NULL);
  return y;
}

static void
lower_cumsum (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0), y;
  int        axis =
      hyb_onnx_axis (lowering, (gint64) hyb_onnx_input_double (lowering, 1, 0), type.shape.rank);
  const char *axis_text = hyb_lowering_text (lowering, "%d", axis);
  gboolean    is_reverse = hyb_onnx_int (lowering, "reverse", 0) != 0;
  gboolean    is_exclusive = hyb_onnx_int (lowering, "exclusive", 0) != 0;

  if (axis < 0)
    return;
  if ((is_reverse || is_exclusive) && hyb_lowering_is_for_run (lowering))
    y = hyb_lowering_emit (lowering, "_running_sum", 1, &x, "axis", axis_text, "exclusive",
                           is_exclusive ? "True" : "False", "reverse",
                           is_reverse ? "True" : "False", NULL);
  else
    y = sum_by_mxnet (lowering, x, axis, is_exclusive, is_reverse);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, type.dtype));
}

/* --- CumProd --- */

/* In as many steps as the axis can be halved: each element times the one a power of two before it, for which 1 stands where
 * there is none. */
static HybValueId
running_product (HybLowering *lowering, HybValueId x, int axis)
{
  gint64 n = onnx_size (lowering, x, axis);

  for (gint64 distance = 1; distance < n; distance *= 2)
    {
      HybValueId before = hyb_onnx_slice (lowering, x, axis, 0, n - distance);

      before = onnx_extend (lowering, before, axis, (gint64[]){ distance, 0 }, 1);
      x = onnx_multiply (lowering, x, before);
    }
  return x;
}

static void
lower_cumprod (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gboolean   is_reverse = hyb_onnx_int (lowering, "reverse", 0) != 0;
  gint64     n;
  int        axis;

  hyb_lowering_set_type (lowering, 0, &type);
  if (!hyb_type_is_known (&type) || !hyb_onnx_contents (lowering, 1))
    return;
  axis = hyb_onnx_axis (lowering, (gint64) hyb_onnx_input_double (lowering, 1, 0), type.shape.rank);
  if (axis < 0)
    return;
  n = type.shape.dim[axis];
  if (is_reverse)
    x = onnx_reverse (lowering, x, axis);
  if (hyb_onnx_int (lowering, "exclusive", 0) && n > 0)
    x = onnx_extend (lowering, hyb_onnx_slice (lowering, x, axis, 0, n - 1), axis,
                     (gint64[]){ 1, 0 }, 1);
  x = running_product (lowering, x, axis);
  if (is_reverse)
    x = onnx_reverse (lowering, x, axis);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_unary (lowering, "_copy", x));
}

/* --- TopK --- */

static void
lower_topk (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -1), type.shape.rank);
  gint64     k;
  HybValueId x = hyb_onnx_input (lowering, 0), y;

  if (axis < 0)
    return;
  if (hyb_onnx_has_input (lowering, 1) && !hyb_onnx_contents (lowering, 1))
    {
      type.shape.dim[axis] = HYB_UNKNOWN;
      hyb_lowering_set_type (lowering, 0, &type);
      type.dtype = HYB_I64;
      hyb_lowering_set_type (lowering, 1, &type);
      return;
    }
  k = hyb_onnx_has_input (lowering, 1) ? (gint64) hyb_onnx_input_double (lowering, 1, 1)
                                       : hyb_onnx_int (lowering, "k", 1);
  if (k < 1 || (type.shape.dim[axis] >= 0 && k > type.shape.dim[axis]))
    {
      hyb_lowering_fail (lowering, NULL,
                         "k is %" G_GINT64_FORMAT " for an axis of %" G_GINT64_FORMAT " elements",
                         k, type.shape.dim[axis]);
      return;
    }
  y = hyb_lowering_emit (lowering, "topk", 1, &x, "axis", hyb_lowering_text (lowering, "%d", axis),
                         "k", hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, k), "ret_typ",
                         "both", "is_ascend",
                         hyb_onnx_int (lowering, "largest", 1) ? "False" : "True", "dtype", "int64",
                         NULL);
  if (y == HYB_NO_ID)
    return;
  hyb_lowering_set_output (lowering, 0, y);
  hyb_lowering_set_output (lowering, 1, y + 1);
}

static const char *const inputs[] = { "data", "axes", NULL };
static const char *const topk_inputs[] = { "X", "K", NULL };
static const char *const outputs[] = { "reduced", NULL };
static const char *const topk_outputs[] = { "Values", "Indices", NULL };

#define ROW(NAME, SINCE, LOWER, ENGINE, DOC)                                                         \
  {                                                                                                  \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_REDUCTION, \
            .inputs = inputs, .outputs = outputs, .lower = LOWER },                                  \
    .since = SINCE, .engine = ENGINE                                                                 \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_reduce[] = {
  ROW ("ReduceSum", 1, lower_reduce_sum, NULL, "The sum over axes."),
  ROW ("ReduceMean", 1, lower_reduce, "_npi_mean", "The mean over axes."),
  ROW ("ReduceMax", 1, lower_reduce, "_np_max", "The largest element over axes."),
  ROW ("ReduceMin", 1, lower_reduce, "_np_min", "The smallest element over axes."),
  ROW ("ReduceProd", 1, lower_reduce, "_np_prod", "The product over axes."),
  ROW ("ReduceL1", 1, lower_l1, NULL, "The sum of absolute values over axes."),
  ROW ("ReduceL2", 1, lower_l2, NULL, "The Euclidean norm over axes."),
  ROW ("ReduceSumSquare", 1, lower_sum_square, NULL, "The sum of squares over axes."),
  ROW ("ReduceLogSum", 1, lower_log_sum, NULL, "The logarithm of the sum over axes."),
  ROW ("ReduceLogSumExp", 1, lower_log_sum_exp, NULL, "The logarithm of the sum of exponentials over axes."),
  ROW ("ArgMax", 1, lower_arg, "_npi_argmax", "The position of the largest element."),
  ROW ("ArgMin", 1, lower_arg, "_npi_argmin", "The position of the smallest element."),
  ROW ("CumSum", 11, lower_cumsum, NULL, "Running sums along an axis."),
  ROW ("CumProd", 26, lower_cumprod, NULL, "Running products along an axis."),
  { .op = { HYB_ONNX_ROW, .name = "TopK", .doc = "The largest or smallest elements.",
            .category = HYB_CATEGORY_REDUCTION, .inputs = topk_inputs, .outputs = topk_outputs,
            .lower = lower_topk },
    .since = 1 },
  { .since = 0 },
};
/* clang-format on */
