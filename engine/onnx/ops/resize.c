/* resize.c — Resize and Upsample.
 *
 * Each axis is resampled on its own: which elements a result is made of, and their weights, follow from sizes and are
 * constants.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

#define MAX_TAPS 4
/* Elements of a matrix that filters an axis. */
#define MAX_FILTER 16777216
/* Elements of an axis of the result. */
#define MAX_SIZE 67108864

/* How output positions map to input positions along one axis. */
typedef struct
{
  gint64      from, to; /* elements */
  double      scale;
  double      roi_start, roi_end;
  const char *coordinates;
  const char *nearest; /* how positions are rounded */
  gboolean    is_cubic;
  gboolean    is_crop; /* positions are given by roi_start and roi_end */
} Axis;

/* The size of an axis that is scaled, in float32 as well. */
static gint64
floor_product (double scale, gint64 size)
{
  float product = (float) scale * (float) size;

  return product >= 0 && product < (float) G_MAXINT32 ? (gint64) product : -1;
}

/* In float32, as ONNX Runtime computes it: rounding to the nearest element depends on the last bit. */
static double
input_position (const Axis *axis, gint64 i)
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

/* Indices and weights of n_taps elements for each of axis->to results. */
typedef struct
{
  guint      n_taps;
  gboolean   excludes; /* elements outside of the axis do not count */
  HybTensor *index[MAX_TAPS];
  HybTensor *weight[MAX_TAPS];
} Taps;

static void
set_tap (Taps *taps, guint tap, gint64 i, gint64 index, double weight)
{
  ((gint64 *) hyb_tensor_get_data (taps->index[tap]))[i] = index;
  ((float *) hyb_tensor_get_data (taps->weight[tap]))[i] = (float) weight;
}

/* Sets the taps of result i to elements from `first` on.  Those outside of the axis are those at its ends, or taps->excludes
 * them, so that their weight goes to the others. */
static void
fill_taps (Taps *taps, const Axis *axis, const double *weights, gint64 first, gint64 i)
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

static gboolean
new_taps (Taps *taps, gint64 n)
{
  HybType index = { hyb_shape_1d (n), HYB_I64 }, weight = { hyb_shape_1d (n), HYB_F32 };

  for (guint tap = 0; tap < taps->n_taps; tap++)
    {
      taps->index[tap] = hyb_tensor_new (&index, NULL);
      taps->weight[tap] = hyb_tensor_new (&weight, NULL);
      if (!taps->index[tap] || !taps->weight[tap])
        return FALSE;
    }
  return TRUE;
}

static void
compute_taps (HybLowering *lowering, Taps *taps, const Axis *axis)
{
  double a = hyb_onnx_float (lowering, "cubic_coeff_a", -0.75);

  taps->excludes = taps->n_taps == MAX_TAPS && hyb_onnx_int (lowering, "exclude_outside", 0) != 0;
  for (gint64 i = 0; i < axis->to; i++)
    {
      double x = input_position (axis, i), w[MAX_TAPS];

      if (taps->n_taps == 1)
        set_tap (taps, 0, i, CLAMP (round_nearest (axis->nearest, x), 0, axis->from - 1), 1);
      else if (taps->n_taps == 2)
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
}

/* One axis of x resampled. */
static HybValueId
resample (HybLowering *lowering, HybValueId x, int number, const Axis *axis, guint n_taps)
{
  Taps        taps = { .n_taps = n_taps };
  HybType     type = *hyb_lowering_get_type (lowering, x);
  HybValueId  sum = HYB_NO_ID;
  gint64      dims[HYB_MAX_RANK];
  const char *text = hyb_lowering_text (lowering, "%d", number);

  for (int i = 0; i < type.shape.rank; i++)
    dims[i] = i == number ? axis->to : 1;
  if (!new_taps (&taps, axis->to))
    {
      for (guint tap = 0; tap < n_taps; tap++)
        {
          hyb_tensor_unref (taps.index[tap]);
          hyb_tensor_unref (taps.weight[tap]);
        }
      hyb_lowering_fail (lowering, NULL, "memory is short for its weights");
      return HYB_NO_ID;
    }
  compute_taps (lowering, &taps, axis);
  for (guint tap = 0; tap < n_taps; tap++)
    {
      HybValueId index = hyb_lowering_constant (lowering, taps.index[tap]);
      HybValueId weight = hyb_lowering_constant (lowering, taps.weight[tap]);
      HybValueId part =
          hyb_lowering_emit (lowering, "take", 2, (HybValueId[]){ x, index }, "axis", text, NULL);

      if (n_taps > 1)
        part = hyb_onnx_binary (lowering, "broadcast_mul", part,
                                hyb_onnx_cast (lowering,
                                               hyb_onnx_reshape (lowering, weight,
                                                                 (guint) type.shape.rank, dims),
                                               type.dtype));
      sum = tap == 0 ? part : hyb_onnx_binary (lowering, "broadcast_add", sum, part);
    }
  return sum;
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
fill_filter (float *row, const Axis *axis, double x, double a, gboolean excludes)
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

/* x times a matrix along an axis. */
static HybValueId
filter_axis (HybLowering *lowering, HybValueId x, int number, const Axis *axis)
{
  HybType    type = { hyb_shape_2d (axis->to, axis->from), HYB_F32 };
  HybDType   dtype = hyb_lowering_get_type (lowering, x)->dtype;
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
  filter = hyb_onnx_cast (lowering, hyb_lowering_constant (lowering, matrix), dtype);
  x = hyb_onnx_transpose (lowering, x, (guint) rank, swapped);
  x = onnx_matmul (lowering, x, hyb_onnx_transpose (lowering, filter, 2, (gint64[]){ 1, 0 }));
  return hyb_onnx_transpose (lowering, x, (guint) rank, swapped);
}

/* --- Crops --- */

/* The extrapolation value where a position lies outside of an axis. */
static HybValueId
extrapolate (HybLowering *lowering, HybValueId x, int number, const Axis *axis)
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

/* --- Sizes --- */

/* Which axes change, with their sizes and scales; for each axis of the input. */
static gboolean
read_sizes (HybLowering   *lowering,
            guint          scales_input,
            guint          sizes_input,
            const HybType *type,
            Axis          *axes)
{
  HybTensor    *scales = hyb_onnx_contents (lowering, scales_input);
  HybTensor    *sizes = hyb_onnx_contents (lowering, sizes_input);
  const char   *policy = hyb_onnx_string (lowering, "keep_aspect_ratio_policy", "stretch");
  guint         n_listed = (guint) type->shape.rank;
  const gint64 *listed = NULL;
  double        common = NAN;
  gint64        n = sizes ? hyb_tensor_get_size (sizes) : hyb_tensor_get_size (scales);

  hyb_onnx_ints (lowering, "axes", &n_listed, &listed);
  if (!listed)
    n_listed = (guint) type->shape.rank;
  if (n != n_listed)
    {
      hyb_lowering_fail (lowering, NULL, "it has %" G_GINT64_FORMAT " sizes or scales for %u axes",
                         n, n_listed);
      return FALSE;
    }
  /* With an aspect ratio to keep, all axes share the smallest or the largest of their scales. */
  for (guint i = 0; sizes && i < n_listed && strcmp (policy, "stretch") != 0; i++)
    {
      int    axis = listed ? hyb_onnx_axis (lowering, listed[i], type->shape.rank) : (int) i;
      double scale = axis < 0 ? 1 : hyb_tensor_get_value (sizes, i) / (double) axes[axis].from;

      common = isnan (common)                       ? scale
               : strcmp (policy, "not_larger") == 0 ? MIN (common, scale)
                                                    : MAX (common, scale);
    }
  for (guint i = 0; i < n_listed; i++)
    {
      int axis = listed ? hyb_onnx_axis (lowering, listed[i], type->shape.rank) : (int) i;

      if (axis < 0)
        return FALSE;
      if (sizes && isnan (common))
        {
          axes[axis].to = (gint64) hyb_tensor_get_value (sizes, i);
          axes[axis].scale = (double) axes[axis].to / (double) axes[axis].from;
        }
      else
        {
          axes[axis].scale = sizes ? common : hyb_tensor_get_value (scales, i);
          /* Sizes from a common scale are rounded, sizes from given scales are cut, as the specification defines. */
          axes[axis].to =
              (gint64) (sizes ? floor (axes[axis].scale * (double) axes[axis].from + 0.5)
                              : floor_product (axes[axis].scale *
                                                   (axes[axis].roi_end - axes[axis].roi_start),
                                               axes[axis].from));
        }
      if (axes[axis].to < 0 || axes[axis].to > MAX_SIZE)
        {
          hyb_lowering_fail (lowering, NULL, "the size of axis %d cannot be computed with", axis);
          return FALSE;
        }
    }
  return TRUE;
}

/* The part of each axis that is resampled, for all axes of the input or the listed ones. */
static gboolean
read_roi (HybLowering *lowering, const HybTensor *roi, int rank, Axis *axes)
{
  guint         n;
  const gint64 *listed;

  hyb_onnx_ints (lowering, "axes", &n, &listed);
  if (!listed || hyb_tensor_get_size (roi) == 2 * rank)
    {
      n = (guint) rank;
      listed = NULL;
    }
  if (hyb_tensor_get_size (roi) != 2 * (gint64) n)
    {
      hyb_lowering_fail (lowering, NULL, "its roi does not fit its input");
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      int axis = listed ? hyb_onnx_axis (lowering, listed[i], rank) : (int) i;

      if (axis < 0)
        return FALSE;
      axes[axis].is_crop = TRUE;
      axes[axis].roi_start = hyb_tensor_get_value (roi, i);
      axes[axis].roi_end = hyb_tensor_get_value (roi, i + n);
      if (!(fabs (axes[axis].roi_start) < 1e9 && fabs (axes[axis].roi_end) < 1e9))
        {
          hyb_lowering_fail (lowering, NULL, "its roi cannot be computed with");
          return FALSE;
        }
    }
  return TRUE;
}

/* FALSE if the sizes, or the parts of a crop, are only known while running. */
static gboolean
is_known (HybLowering *lowering, const HybType *type, gboolean is_crop)
{
  return (hyb_onnx_contents (lowering, 2) || hyb_onnx_contents (lowering, 3)) &&
         (!is_crop || hyb_onnx_contents (lowering, 1)) && hyb_shape_is_known (&type->shape);
}

static HybValueId
resize_axis (HybLowering *lowering, HybValueId x, int number, const Axis *axis)
{
  const char *mode = hyb_onnx_string (lowering, "mode", "nearest");
  guint       n_taps = strcmp (mode, "nearest") == 0 ? 1 : axis->is_cubic ? 4 : 2;

  if (!axis->is_crop && axis->from == axis->to && axis->scale == 1)
    return x;
  if (hyb_onnx_int (lowering, "antialias", 0) && n_taps > 1)
    return filter_axis (lowering, x, number, axis);
  x = resample (lowering, x, number, axis, n_taps);
  return axis->is_crop && x != HYB_NO_ID ? extrapolate (lowering, x, number, axis) : x;
}

/* All axes resampled: those that shrink most come first, so that the others have less to do; axes that shrink alike keep
 * their order. */
static HybValueId
resize_axes (HybLowering *lowering, HybValueId x, int rank, const Axis *axes)
{
  gboolean is_done[HYB_MAX_RANK] = { FALSE };

  for (int turn = 0; turn < rank && x != HYB_NO_ID; turn++)
    {
      int next = -1;

      for (int i = 0; i < rank; i++)
        if (!is_done[i] &&
            (next < 0 || axes[i].to * axes[next].from < axes[next].to * axes[i].from))
          next = i;
      is_done[next] = TRUE;
      x = resize_axis (lowering, x, next, &axes[next]);
    }
  return x;
}

static void
lower_resize (HybLowering *lowering)
{
  HybType     type = *hyb_onnx_type (lowering, 0);
  const char *coordinates =
      hyb_onnx_string (lowering, "coordinate_transformation_mode", "half_pixel");
  gboolean   is_crop = strcmp (coordinates, "tf_crop_and_resize") == 0;
  gboolean   is_empty = FALSE;
  HybValueId x = hyb_onnx_input (lowering, 0);
  Axis       axes[HYB_MAX_RANK];

  if (!is_known (lowering, &type, is_crop))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  for (int i = 0; i < type.shape.rank; i++)
    axes[i] =
        (Axis){ .from = type.shape.dim[i],
                .to = type.shape.dim[i],
                .scale = 1,
                .roi_end = 1,
                .coordinates = coordinates,
                .nearest = hyb_onnx_string (lowering, "nearest_mode", "round_prefer_floor"),
                .is_cubic = strcmp (hyb_onnx_string (lowering, "mode", "nearest"), "cubic") == 0 };
  if ((is_crop && !read_roi (lowering, hyb_onnx_contents (lowering, 1), type.shape.rank, axes)) ||
      !read_sizes (lowering, 2, 3, &type, axes))
    return;
  for (int i = 0; i < type.shape.rank; i++)
    {
      type.shape.dim[i] = axes[i].to;
      is_empty |= axes[i].from < 1;
    }
  hyb_lowering_set_type (lowering, 0, &type);
  if (!is_empty)
    x = resize_axes (lowering, x, type.shape.rank, axes);
  if (!is_empty && x != HYB_NO_ID)
    hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, type.dtype));
}

/* Version 10 of Resize and Upsample have scales alone, and divide positions by them, rounding down. */
static void
lower_scaled (HybLowering *lowering)
{
  HybType       type = *hyb_onnx_type (lowering, 0);
  HybValueId    x = hyb_onnx_input (lowering, 0);
  HybTensor    *scales = hyb_onnx_contents (lowering, 1);
  guint         n = 0;
  const double *listed = NULL;
  gboolean      is_linear = strcmp (hyb_onnx_string (lowering, "mode", "nearest"), "nearest") != 0;

  hyb_onnx_floats (lowering, "scales", &n, &listed);
  if ((!scales && !listed) || !hyb_shape_is_known (&type.shape))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  for (int i = 0; i < type.shape.rank && x != HYB_NO_ID; i++)
    {
      double scale = scales ? hyb_tensor_get_value (scales, i) : i < (int) n ? listed[i] : 1;
      Axis   axis = {
          .from = type.shape.dim[i], .scale = scale, .coordinates = "asymmetric", .nearest = "floor"
      };

      axis.to = floor_product (scale, axis.from);
      if (!(scale > 0) || axis.to < 0 || axis.to > MAX_SIZE || axis.from < 1)
        {
          hyb_lowering_fail (lowering, NULL, "its scale %g cannot be computed with", scale);
          return;
        }
      if (axis.to != axis.from)
        x = resample (lowering, x, i, &axis, is_linear ? 2 : 1);
    }
  hyb_lowering_set_output (lowering, 0, x);
}

static const char *const inputs[] = { "X", "roi", "scales", "sizes", NULL };
static const char *const scaled_inputs[] = { "X", "scales", NULL };
static const char *const outputs[] = { "Y", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, DOC)                                                        \
  {                                                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_MOVEMENT, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                                 \
    .since = SINCE                                                                                  \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_resize[] = {
  ROW ("Upsample", 1, scaled_inputs, lower_scaled, "Resamples an array to a multiple of its size."),
  ROW ("Resize", 10, scaled_inputs, lower_scaled, "Resamples an array to another size."),
  ROW ("Resize", 11, inputs, lower_resize, "Resamples an array to another size."),
  { .since = 0 },
};
/* clang-format on */
