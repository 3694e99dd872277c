/* resize.c — Resize and Upsample: what their attributes and inputs say about each axis, which resize-axis.c resamples.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/resize-axis.h"

#include <math.h>
#include <string.h>

/* Elements of an axis of the result. */
#define MAX_SIZE 67108864

/* The size of an axis that is scaled, in float32 as well. */
static gint64
floor_product (double scale, gint64 size)
{
  float product = (float) scale * (float) size;

  return product >= 0 && product < (float) G_MAXINT32 ? (gint64) product : -1;
}

/* --- Sizes --- */

/* Which axes change, with their sizes and scales; for each axis of the input. */
static gboolean
read_sizes (HybLowering   *lowering,
            guint          scales_input,
            guint          sizes_input,
            const HybType *type,
            ResizeAxis    *axes)
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
read_roi (HybLowering *lowering, const HybTensor *roi, int rank, ResizeAxis *axes)
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

static void
lower_resize (HybLowering *lowering)
{
  HybType     type = *hyb_onnx_type (lowering, 0);
  const char *coordinates =
      hyb_onnx_string (lowering, "coordinate_transformation_mode", "half_pixel");
  gboolean    is_crop = strcmp (coordinates, "tf_crop_and_resize") == 0;
  gboolean    is_empty = FALSE;
  HybValueId  x = hyb_onnx_input (lowering, 0);
  const char *mode = hyb_onnx_string (lowering, "mode", "nearest");
  gboolean    is_cubic = strcmp (mode, "cubic") == 0;
  ResizeAxis  axes[HYB_MAX_RANK];

  if (!is_known (lowering, &type, is_crop))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  for (int i = 0; i < type.shape.rank; i++)
    axes[i] =
        (ResizeAxis){ .from = type.shape.dim[i],
                      .to = type.shape.dim[i],
                      .scale = 1,
                      .roi_end = 1,
                      .coordinates = coordinates,
                      .nearest = hyb_onnx_string (lowering, "nearest_mode", "round_prefer_floor"),
                      .is_cubic = is_cubic };
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
    x = onnx_resize_axes (lowering, x, type.shape.rank, axes,
                          is_cubic                        ? 4
                          : strcmp (mode, "nearest") == 0 ? 1
                                                          : 2);
  if (!is_empty && x != HYB_NO_ID)
    hyb_lowering_set_output (lowering, 0, x);
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
  ResizeAxis    axes[HYB_MAX_RANK];

  hyb_onnx_floats (lowering, "scales", &n, &listed);
  if ((!scales && !listed) || !hyb_shape_is_known (&type.shape))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  for (int i = 0; i < type.shape.rank; i++)
    {
      double scale = scales ? hyb_tensor_get_value (scales, i) : i < (int) n ? listed[i] : 1;

      axes[i] = (ResizeAxis){
        .from = type.shape.dim[i], .scale = scale, .coordinates = "asymmetric", .nearest = "floor"
      };
      axes[i].to = floor_product (scale, axes[i].from);
      if (!(scale > 0) || axes[i].to < 0 || axes[i].to > MAX_SIZE || axes[i].from < 1)
        {
          hyb_lowering_fail (lowering, NULL, "its scale %g cannot be computed with", scale);
          return;
        }
      if (axes[i].to == axes[i].from)
        axes[i].scale = 1;
    }
  x = onnx_resize_axes (lowering, x, type.shape.rank, axes, is_linear ? 2 : 1);
  if (x != HYB_NO_ID)
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
