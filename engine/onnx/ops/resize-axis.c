/* resize-axis.c — resamples axes of arrays: which elements a result is made of, and their weights, follow from sizes and are
 * constants.
 *
 * Of one or two axes _resample computes all; operators that MXNet has do so where the graph is written to a file, and for
 * types that _resample does not compute in.  Weighted sums are of float64 or float32.  Start with onnx_resize_axes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/resize-axis.h"

#include <math.h>
#include <string.h>

#define MAX_TAPS 4
/* Elements of a matrix that filters an axis. */
#define MAX_FILTER 16777216
/* Elements of an axis that _resample counts. */
#define MAX_FUSED 16777216

/* What happens to all axes. */
typedef struct
{
  const ResizeAxis *axes;
  int               rank;
  guint             n_taps;    /* elements that a result is made of, along each axis */
  gboolean          is_filter; /* unless axes shrink: then more */
  gboolean          rounds;    /* the filter of each axis */
  gboolean          is_done[HYB_MAX_RANK];
} Plan;

/* In float32, as ONNX Runtime computes it: rounding to the nearest element depends on the last bit. */
static double
input_position (const ResizeAxis *axis, gint64 i)
{
  float x = (float) i, to = (float) axis->to, from = (float) axis->from,
        scale = (float) axis->scale;
  float start = (float) axis->roi_start, end = (float) axis->roi_end;

  if (strcmp (axis->coordinates, "asymmetric") == 0)
    return x / scale;
  if (strcmp (axis->coordinates, "align_corners") == 0)
    return to > 1 ? x * (from - 1) / (to - 1) : 0;
  if (strcmp (axis->coordinates, "pytorch_half_pixel") == 0)
    return to > 1 ? (x + 0.5f) / scale - 0.5f : 0;
  if (strcmp (axis->coordinates, "tf_half_pixel_for_nn") == 0)
    return (x + 0.5f) / scale;
  if (strcmp (axis->coordinates, "tf_crop_and_resize") == 0)
    return to > 1 ? start * (from - 1) + x * (end - start) * (from - 1) / (to - 1)
                  : 0.5f * (start + end) * (from - 1);
  if (strcmp (axis->coordinates, "half_pixel_symmetric") == 0)
    {
      float offset = from / 2 * (1 - to / (scale * from));

      return offset + (x + 0.5f) / scale - 0.5f;
    }
  return (x + 0.5f) / scale - 0.5f;
}

static gint64
round_nearest (const char *mode, double x)
{
  if (strcmp (mode, "floor") == 0)
    return (gint64) floor (x);
  if (strcmp (mode, "ceil") == 0)
    return (gint64) ceil (x);
  if (strcmp (mode, "round_prefer_ceil") == 0)
    return (gint64) floor (x + 0.5);
  return (gint64) ceil (x - 0.5);
}

/* Weights of the four neighbours at a distance of t from the second. */
static void
cubic_weights (double t, double a, double *w)
{
  w[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
  w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  w[2] = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1;
  w[3] = ((a * (2 - t) - 5 * a) * (2 - t) + 8 * a) * (2 - t) - 4 * a;
}

/* Indices and weights of n_taps elements for each of n results: those of the first tap come first. */
typedef struct
{
  guint    n_taps;
  gint64   n;
  gboolean excludes; /* elements outside of the axis do not count */
  gint64  *index;
  float   *weight;
} Taps;

static void
clear_taps (Taps *taps)
{
  g_free (taps->index);
  g_free (taps->weight);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Taps, clear_taps)

static void
set_tap (Taps *taps, guint tap, gint64 i, gint64 index, double weight)
{
  taps->index[tap * taps->n + i] = index;
  taps->weight[tap * taps->n + i] = (float) weight;
}

/* Sets the taps of result i to elements from `first` on.  Those outside of the axis are those at its ends, or taps->excludes
 * them, so that their weight goes to the others. */
static void
fill_taps (Taps *taps, const ResizeAxis *axis, const double *weights, gint64 first, gint64 i)
{
  gboolean excludes = taps->excludes;
  double   sum = 0;

  for (guint tap = 0; tap < taps->n_taps; tap++)
    {
      gboolean is_inside = first + tap >= 0 && first + tap < axis->from;

      sum += !excludes || is_inside ? weights[tap] : 0;
    }
  for (guint tap = 0; tap < taps->n_taps; tap++)
    {
      gint64   index = first + (gint64) tap;
      gboolean is_inside = index >= 0 && index < axis->from;

      set_tap (taps, tap, i, CLAMP (index, 0, axis->from - 1),
               excludes ? (is_inside ? weights[tap] / sum : 0) : weights[tap]);
    }
}

/* FALSE and a failure if memory is short. */
static gboolean
compute_taps (HybLowering *lowering, const ResizeAxis *axis, guint n_taps, Taps *taps)
{
  double a = hyb_onnx_float (lowering, "cubic_coeff_a", -0.75);

  *taps = (Taps){ .n_taps = n_taps, .n = axis->to };
  taps->index = g_try_new (gint64, n_taps * (gsize) MAX (axis->to, 1));
  taps->weight = g_try_new (float, n_taps *(gsize) MAX (axis->to, 1));
  if (!taps->index || !taps->weight)
    {
      hyb_lowering_fail (lowering, NULL, "memory is short for its weights");
      return FALSE;
    }
  taps->excludes = n_taps == MAX_TAPS && hyb_onnx_int (lowering, "exclude_outside", 0) != 0;
  for (gint64 i = 0; i < axis->to; i++)
    {
      double x = input_position (axis, i), w[MAX_TAPS];

      if (n_taps == 1)
        set_tap (taps, 0, i, CLAMP (round_nearest (axis->nearest, x), 0, axis->from - 1), 1);
      else if (n_taps == 2)
        {
          x = CLAMP (x, 0, (double) axis->from - 1);
          w[1] = x - floor (x);
          w[0] = 1 - w[1];
          fill_taps (taps, axis, w, (gint64) floor (x), i);
        }
      else
        {
          cubic_weights (x - floor (x), a, w);
          fill_taps (taps, axis, w, (gint64) floor (x) - 1, i);
        }
    }
  return TRUE;
}

/* The indices of one tap as a constant. */
static HybValueId
add_index (HybLowering *lowering, const Taps *taps, guint tap)
{
  return hyb_onnx_int64s (lowering, (guint) taps->n, taps->index + tap * taps->n);
}

/* The weights of one tap as a constant of a shape. */
static HybValueId
add_weight (HybLowering *lowering, const Taps *taps, guint tap, const HybShape *shape)
{
  HybType    type = { *shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  if (tensor && taps->n > 0)
    memcpy (hyb_tensor_get_data (tensor), taps->weight + tap * taps->n,
            (gsize) taps->n * sizeof (float));
  return hyb_lowering_constant (lowering, tensor);
}

/* x in the type that weights are multiplied in. */
static HybValueId
as_floats (HybLowering *lowering, HybValueId x)
{
  if (x == HYB_NO_ID || hyb_lowering_get_type (lowering, x)->dtype == HYB_F64)
    return x;
  return hyb_onnx_cast (lowering, x, HYB_F32);
}

/* One axis of x resampled, by operators that MXNet has; floats if there are weights. */
static HybValueId
resample (HybLowering *lowering, HybValueId x, int number, const ResizeAxis *axis, guint n_taps)
{
  g_auto (Taps) taps = { 0 };
  HybType     type = *hyb_lowering_get_type (lowering, x);
  HybDType    dtype = type.dtype == HYB_F64 ? HYB_F64 : HYB_F32; /* of weights */
  HybValueId  sum = HYB_NO_ID;
  HybShape    shape = { .rank = type.shape.rank };
  const char *text = hyb_lowering_text (lowering, "%d", number);

  for (int i = 0; i < type.shape.rank; i++)
    shape.dim[i] = i == number ? axis->to : 1;
  if (!compute_taps (lowering, axis, n_taps, &taps))
    return HYB_NO_ID;
  if (n_taps > 1)
    x = as_floats (lowering, x);
  for (guint tap = 0; tap < n_taps; tap++)
    {
      HybValueId part = hyb_lowering_emit (lowering, "take", 2,
                                           (HybValueId[]){ x, add_index (lowering, &taps, tap) },
                                           "axis", text, NULL);

      if (n_taps > 1)
        part = hyb_onnx_binary (lowering, "broadcast_mul", part,
                                hyb_onnx_cast (lowering, add_weight (lowering, &taps, tap, &shape),
                                               dtype));
      sum = tap == 0 ? part : hyb_onnx_binary (lowering, "broadcast_add", sum, part);
    }
  return sum;
}

/* Adds indices and weights of an axis as inputs of _resample.  FALSE and a failure if memory is short. */
static gboolean
add_taps (HybLowering *lowering, const ResizeAxis *axis, guint n_taps, HybValueId *inputs)
{
  g_auto (Taps) taps = { 0 };
  HybType    type = { hyb_shape_2d (n_taps, axis->to), HYB_F32 };
  HybTensor *index = hyb_tensor_new (&type, NULL), *weight = hyb_tensor_new (&type, NULL);

  if (!index || !weight)
    hyb_lowering_fail (lowering, NULL, "memory is short for its weights");
  if (!index || !weight || !compute_taps (lowering, axis, n_taps, &taps))
    {
      g_clear_pointer (&index, hyb_tensor_unref);
      g_clear_pointer (&weight, hyb_tensor_unref);
      return FALSE;
    }
  for (gint64 i = 0; i < n_taps * axis->to; i++)
    {
      ((float *) hyb_tensor_get_data (index))[i] = (float) taps.index[i];
      ((float *) hyb_tensor_get_data (weight))[i] = taps.weight[i];
    }
  inputs[0] = hyb_lowering_constant (lowering, index);
  inputs[1] = hyb_lowering_constant (lowering, weight);
  return TRUE;
}

/* Axis `number`, and the next one if n_axes is 2, resampled by one operator. */
static HybValueId
resample_fused (HybLowering *lowering, HybValueId x, const Plan *plan, int number, int n_axes)
{
  HybValueId inputs[5] = { x };

  for (int i = 0; i < n_axes; i++)
    if (!add_taps (lowering, &plan->axes[number + i], plan->n_taps, inputs + 1 + 2 * i))
      return HYB_NO_ID;
  return hyb_lowering_emit (lowering, "_resample", 1 + 2 * (guint) n_axes, inputs, "axis",
                            hyb_lowering_text (lowering, "%d", number), "n_axes",
                            n_axes == 2 ? "2" : "1", NULL);
}

/* Whether _resample computes an axis: it counts and weighs by float32. */
static gboolean
is_fused (HybLowering *lowering, HybValueId x, const ResizeAxis *axis, guint n_taps)
{
  HybDType dtype = hyb_lowering_get_type (lowering, x)->dtype;

  return (dtype == HYB_F32 || (dtype != HYB_F64 && n_taps > 1)) &&
         !hyb_lowering_is_portable (lowering) && axis->from <= MAX_FUSED && axis->to <= MAX_FUSED;
}

/* --- Filters that grow when an axis shrinks --- */

/* The weight of an element at a distance from the position. */
static double
filter_weight (double distance, gboolean is_cubic, double a)
{
  double x = fabs (distance);

  if (!is_cubic)
    return MAX (1 - x, 0);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* One row of the matrix: elements beyond the ends are those at the ends, unless they are left out. */
static void
fill_filter (float *row, const ResizeAxis *axis, double x, double a, gboolean excludes)
{
  gboolean is_cubic = axis->is_cubic;
  double   scale = MIN (axis->scale, 1), reach = (is_cubic ? 2 : 1) / scale, sum = 0;
  gint64   first = (gint64) ceil (x - reach), last = (gint64) floor (x + reach);

  for (gint64 i = first; i <= last; i++)
    {
      double weight = filter_weight (((double) i - x) * scale, is_cubic, a);

      if (excludes && (i < 0 || i >= axis->from))
        continue;
      row[CLAMP (i, 0, axis->from - 1)] += (float) weight;
      sum += weight;
    }
  for (gint64 i = 0; i < axis->from; i++)
    row[i] = (float) (row[i] / sum);
}

/* The nearest numbers of an integer type, limited to those that types of up to 16 bits have. */
static HybValueId
round_to_type (HybLowering *lowering, HybValueId x, HybDType dtype)
{
  int      n_bits = 8 * (int) hyb_dtype_size (dtype);
  gboolean is_signed = dtype == HYB_I8 || dtype == HYB_I16;
  double   size = ldexp (1, n_bits), low = is_signed ? -size / 2 : 0;

  x = hyb_onnx_unary (lowering, "floor", onnx_shift (lowering, x, 0.5));
  return n_bits <= 16 ? onnx_clamp (lowering, x, low, low + size - 1) : x;
}

/* x times a matrix along an axis, in floats; rounded if the result of all axes is of integers. */
static HybValueId
filter_axis (HybLowering *lowering, HybValueId x, int number, const ResizeAxis *axis)
{
  HybType    type = { hyb_shape_2d (axis->to, axis->from), HYB_F32 };
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  gboolean   excludes = hyb_onnx_int (lowering, "exclude_outside", 0) != 0;
  double     a = hyb_onnx_float (lowering, "cubic_coeff_a", -0.75);
  int        rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  HybTensor *matrix;
  HybValueId filter;
  gint64     swapped[HYB_MAX_RANK];

  if (axis->from > MAX_FILTER || axis->to * axis->from > MAX_FILTER || !(axis->scale > 0))
    {
      hyb_lowering_fail (lowering, NULL, "axis %d is too long to be filtered", number);
      return HYB_NO_ID;
    }
  matrix = hyb_tensor_new_zeros (&type, NULL);
  for (gint64 i = 0; matrix && i < axis->to; i++)
    fill_filter ((float *) hyb_tensor_get_data (matrix) + i * axis->from, axis,
                 input_position (axis, i), a, excludes);
  for (int i = 0; i < rank; i++)
    swapped[i] = i;
  swapped[number] = rank - 1;
  swapped[rank - 1] = number;
  filter = hyb_onnx_cast (lowering, hyb_lowering_constant (lowering, matrix),
                          dtype == HYB_F64 ? HYB_F64 : HYB_F32);
  x = hyb_onnx_transpose (lowering, as_floats (lowering, x), (guint) rank, swapped);
  x = onnx_matmul (lowering, x, hyb_onnx_transpose (lowering, filter, 2, (gint64[]){ 1, 0 }));
  x = hyb_onnx_transpose (lowering, x, (guint) rank, swapped);
  return hyb_dtype_is_float (dtype) ? x : round_to_type (lowering, x, dtype);
}

/* --- Crops --- */

/* The extrapolation value where a position lies outside of an axis. */
static HybValueId
extrapolate (HybLowering *lowering, HybValueId x, int number, const ResizeAxis *axis)
{
  HybType    type = { .dtype = HYB_BOOL, .shape.rank = 0 };
  HybDType   dtype = hyb_lowering_get_type (lowering, x)->dtype;
  gboolean   is_needed = FALSE;
  HybTensor *outside;

  type.shape.rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] = i == number ? axis->to : 1;
  outside = hyb_tensor_new (&type, NULL);
  for (gint64 i = 0; outside && i < axis->to; i++)
    {
      double   at = input_position (axis, i);
      gboolean is_outside = at < 0 || at > (double) axis->from - 1;

      ((guint8 *) hyb_tensor_get_data (outside))[i] = (guint8) is_outside;
      is_needed |= is_outside;
    }
  if (is_needed)
    return onnx_where (lowering, hyb_lowering_constant (lowering, outside),
                       hyb_onnx_scalar (lowering,
                                        hyb_onnx_float (lowering, "extrapolation_value", 0), dtype),
                       x);
  hyb_tensor_unref (outside);
  return x;
}

/* --- All axes --- */

static Plan
plan_axes (HybLowering *lowering, const ResizeAxis *axes, int rank, guint n_taps)
{
  Plan plan = { .axes = axes, .rank = rank, .n_taps = n_taps };

  plan.is_filter = n_taps > 1 && hyb_onnx_int (lowering, "antialias", 0) != 0;
  plan.rounds = plan.is_filter && !hyb_dtype_is_float (hyb_onnx_type (lowering, 0)->dtype);
  for (int i = 0; i < rank; i++)
    plan.is_done[i] = !axes[i].is_crop && axes[i].from == axes[i].to && axes[i].scale == 1;
  return plan;
}

/* Of the axes that are left the one that shrinks most, so that the others have less to do, or the last one where each rounds,
 * as in ONNX Runtime; −1 if there is none. */
static int
next_axis (const Plan *plan)
{
  const ResizeAxis *axes = plan->axes;
  int               next = -1;

  for (int i = 0; i < plan->rank; i++)
    if (!plan->is_done[i] &&
        (next < 0 || plan->rounds || axes[i].to * axes[next].from < axes[next].to * axes[i].from))
      next = i;
  return next;
}

static int
count_left (const Plan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->rank; i++)
    n += !plan->is_done[i];
  return n;
}

/* An axis resampled; the last two together if both are left. */
static HybValueId
resize_axis (HybLowering *lowering, HybValueId x, int number, Plan *plan)
{
  const ResizeAxis *axes = plan->axes;
  int               first = plan->rank - 2, n_axes = 1;
  gboolean          is_pair =
      number >= first && first >= 0 && !plan->is_done[first] && !plan->is_done[first + 1];

  plan->is_done[number] = TRUE;
  if (plan->is_filter)
    return filter_axis (lowering, x, number, &axes[number]);
  if (!is_fused (lowering, x, &axes[number], plan->n_taps))
    return resample (lowering, x, number, &axes[number], plan->n_taps);
  if (is_pair && is_fused (lowering, x, &axes[first], plan->n_taps) &&
      is_fused (lowering, x, &axes[first + 1], plan->n_taps))
    {
      plan->is_done[first] = plan->is_done[first + 1] = TRUE;
      number = first;
      n_axes = 2;
    }
  return resample_fused (lowering, x, plan, number, n_axes);
}

HybValueId
onnx_resize_axes (HybLowering      *lowering,
                  HybValueId        x,
                  int               rank,
                  const ResizeAxis *axes,
                  guint             n_taps)
{
  Plan plan = plan_axes (lowering, axes, rank, n_taps);
  int  next = next_axis (&plan);

  if (n_taps > 1 && count_left (&plan) > 2) /* more than _resample computes at once */
    x = as_floats (lowering, x);
  for (; next >= 0 && x != HYB_NO_ID; next = next_axis (&plan))
    x = resize_axis (lowering, x, next, &plan);
  for (int i = 0; i < rank && x != HYB_NO_ID && !plan.is_filter; i++)
    if (axes[i].is_crop)
      x = extrapolate (lowering, x, i, &axes[i]);
  return x == HYB_NO_ID ? x : hyb_onnx_cast (lowering, x, hyb_onnx_type (lowering, 0)->dtype);
}
