/* region.c — RoiAlign, MaxRoiPool, DeformConv and Col2Im: operators of the engine with other attributes.
 *
 * RoiAlign with mode max is put together here: the largest of the four weighted neighbours of all samples, as ONNX Runtime
 * has it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/window.h"

#include <string.h>

/* --- RoiAlign --- */

typedef struct
{
  HybType  x;
  gint64   n_regions, height, width; /* of the result */
  gint64   n_samples;                /* of each of its elements, along an axis */
  double   scale;
  gboolean is_half_pixel;
} Regions;

/* Samples along one axis of the image, [regions, samples]. */
typedef struct
{
  HybValueId index[2], weight[2];
} Samples;

/* Positions of the samples of all regions along an axis: 0 is the axis of columns, as in rois. */
static Samples
find_samples (HybLowering *lowering, const Regions *regions, int axis)
{
  gint64     size = regions->x.shape.dim[3 - axis];
  gint64     n = (axis == 0 ? regions->width : regions->height) * regions->n_samples;
  HybValueId rois = hyb_onnx_input (lowering, 1), begin, extent, at, low, is_outside;
  Samples    samples;

  rois = onnx_scale (lowering, rois, regions->scale);
  begin = hyb_onnx_slice (lowering, rois, 1, axis, axis + 1);
  extent = onnx_subtract (lowering, hyb_onnx_slice (lowering, rois, 1, axis + 2, axis + 3), begin);
  if (regions->is_half_pixel)
    begin = onnx_shift (lowering, begin, -0.5);
  else
    extent = hyb_onnx_with_scalar (lowering, "_maximum_scalar", extent, 1);
  at = hyb_onnx_cast (lowering, onnx_count (lowering, n, 1, 2), regions->x.dtype);
  at = onnx_scale (lowering, onnx_shift (lowering, at, 0.5), 1 / (double) n);
  at = onnx_add (lowering, begin, onnx_multiply (lowering, extent, at));
  is_outside =
      hyb_onnx_binary (lowering, "broadcast_logical_or",
                       hyb_onnx_with_scalar (lowering, "_npi_less_scalar", at, -1),
                       hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", at, (double) size));
  at = onnx_clamp (lowering, at, 0, (double) size - 1);
  low = hyb_onnx_unary (lowering, "floor", at);
  samples.weight[1] = onnx_subtract (lowering, at, low);
  samples.weight[0] = hyb_onnx_with_scalar (lowering, "_rminus_scalar", samples.weight[1], 1);
  samples.index[0] = hyb_onnx_cast (lowering, low, HYB_I64);
  samples.index[1] =
      onnx_clamp (lowering, onnx_shift (lowering, samples.index[0], 1), 0, (double) size - 1);
  for (guint i = 0; i < 2; i++)
    samples.weight[i] =
        onnx_where (lowering, is_outside, hyb_onnx_scalar (lowering, 0, regions->x.dtype),
                    samples.weight[i]);
  return samples;
}

/* A value by region and sample along one axis, under a shape for both axes and channels. */
static HybValueId
spread (HybLowering *lowering, HybValueId x, int axis)
{
  gint64 n = onnx_size (lowering, x, 1);

  return hyb_onnx_reshape (lowering, x, 4,
                           (gint64[]){ -1, axis == 1 ? n : 1, axis == 0 ? n : 1, 1 });
}

/* The elements of all channels at one neighbour, times its weight: [regions, rows, columns, channels]. */
static HybValueId
weigh (HybLowering *lowering, const Regions *regions, const Samples *samples, guint y, guint x)
{
  static const gint64 channels_last[] = { 0, 2, 3, 1 };
  gint64              width = regions->x.shape.dim[3], height = regions->x.shape.dim[2];
  HybValueId images = hyb_onnx_transpose (lowering, hyb_onnx_input (lowering, 0), 4, channels_last);
  HybValueId at =
      hyb_onnx_reshape (lowering, hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 2), HYB_I64),
                        4, (gint64[]){ -1, 1, 1, 1 });

  images = hyb_onnx_reshape (lowering, images, 2, (gint64[]){ -1, regions->x.shape.dim[1] });
  at = onnx_add (lowering, onnx_scale (lowering, at, (double) height),
                 spread (lowering, samples[1].index[y], 1));
  at = onnx_add (lowering, onnx_scale (lowering, at, (double) width),
                 spread (lowering, samples[0].index[x], 0));
  at = hyb_onnx_reshape (lowering, at, 3,
                         (gint64[]){ regions->n_regions, regions->height * regions->n_samples,
                                     regions->width * regions->n_samples });
  return onnx_multiply (lowering, onnx_take (lowering, images, at, 0),
                        onnx_multiply (lowering, spread (lowering, samples[1].weight[y], 1),
                                       spread (lowering, samples[0].weight[x], 0)));
}

static HybValueId
align_largest (HybLowering *lowering, const Regions *regions)
{
  static const gint64 channels_first[] = { 0, 3, 1, 2 };
  Samples             samples[2];
  HybValueId          largest = HYB_NO_ID;
  gint64              dims[] = { regions->n_regions, regions->height,    regions->n_samples,
                                 regions->width,     regions->n_samples, -1 };

  for (int axis = 0; axis < 2; axis++)
    samples[axis] = find_samples (lowering, regions, axis);
  for (guint i = 0; i < 4; i++)
    {
      HybValueId one = weigh (lowering, regions, samples, i / 2, i % 2);

      largest = i == 0 ? one : hyb_onnx_binary (lowering, "broadcast_maximum", largest, one);
    }
  largest = hyb_onnx_reshape (lowering, largest, 6, dims);
  largest = onnx_reduce (lowering, "_np_max", largest, 4, FALSE);
  largest = onnx_reduce (lowering, "_np_max", largest, 2, FALSE);
  return hyb_onnx_transpose (lowering, largest, 4, channels_first);
}

static HybValueId
align_mean (HybLowering *lowering, const Regions *regions)
{
  HybValueId batch = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 2), regions->x.dtype);
  HybValueId rois = hyb_onnx_reshape (lowering, batch, 2, (gint64[]){ -1, 1 });
  gint64     size[] = { regions->height, regions->width };

  rois = hyb_onnx_concat (lowering, 2, (HybValueId[]){ rois, hyb_onnx_input (lowering, 1) }, 1);
  return hyb_lowering_emit (lowering, "_contrib_ROIAlign", 2,
                            (HybValueId[]){ hyb_onnx_input (lowering, 0), rois }, "pooled_size",
                            hyb_lowering_text_ints (lowering, 2, size), "spatial_scale",
                            hyb_lowering_text (lowering, "%.9g", regions->scale), "sample_ratio",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               regions->n_samples > 0 ? regions->n_samples : -1),
                            "aligned", regions->is_half_pixel ? "True" : "False", NULL);
}

static void
lower_roi_align (HybLowering *lowering)
{
  const char *fallback = hyb_onnx_opset (lowering) >= 16 ? "half_pixel" : "output_half_pixel";
  Regions     regions = { .x = *hyb_onnx_type (lowering, 0),
                          .n_regions = HYB_UNKNOWN,
                          .height = hyb_onnx_int (lowering, "output_height", 1),
                          .width = hyb_onnx_int (lowering, "output_width", 1),
                          .n_samples = hyb_onnx_int (lowering, "sampling_ratio", 0),
                          .scale = hyb_onnx_float (lowering, "spatial_scale", 1) };
  HybType     rois = *hyb_onnx_type (lowering, 1), type = { .dtype = regions.x.dtype };

  regions.is_half_pixel =
      strcmp (hyb_onnx_string (lowering, "coordinate_transformation_mode", fallback),
              "half_pixel") == 0;
  if (rois.shape.rank == 2)
    regions.n_regions = rois.shape.dim[0];
  type.shape = hyb_shape_4d (regions.n_regions,
                             regions.x.shape.rank == 4 ? regions.x.shape.dim[1] : HYB_UNKNOWN,
                             regions.height, regions.width);
  hyb_lowering_set_type (lowering, 0, &type);
  if (!hyb_type_is_known (&regions.x) || regions.x.shape.rank != 4 || regions.n_regions < 0 ||
      regions.height < 1 || regions.width < 1 || regions.n_samples > G_MAXINT16)
    return;
  if (strcmp (hyb_onnx_string (lowering, "mode", "avg"), "max") != 0)
    hyb_lowering_set_output (lowering, 0, align_mean (lowering, &regions));
  else if (regions.n_samples > 0)
    hyb_lowering_set_output (lowering, 0, align_largest (lowering, &regions));
  else
    hyb_lowering_fail (lowering, "Export the model with a sampling_ratio",
                       "the largest elements of regions whose number of samples differs are not "
                       "computed");
}

/* --- MaxRoiPool --- */

static void
lower_max_roi_pool (HybLowering *lowering)
{
  guint         n;
  const gint64 *size;

  if (!hyb_onnx_ints (lowering, "pooled_shape", &n, &size) || n != 2)
    {
      hyb_lowering_fail (lowering, NULL, "its pooled_shape is not the size of an image");
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "ROIPooling", 2,
                                              (HybValueId[]){ hyb_onnx_input (lowering, 0),
                                                              hyb_onnx_input (lowering, 1) },
                                              "pooled_size",
                                              hyb_lowering_text_ints (lowering, 2, size),
                                              "spatial_scale",
                                              hyb_lowering_text (lowering, "%.9g",
                                                                 hyb_onnx_float (lowering,
                                                                                 "spatial_scale",
                                                                                 1)),
                                              NULL));
}

/* --- DeformConv --- */

/* A mask that keeps everything: half as many channels as the offsets. */
static HybValueId
full_mask (HybLowering *lowering, const HybShape *weight)
{
  HybValueId offset = hyb_onnx_input (lowering, 2);
  gint64     n = weight->dim[2] * weight->dim[3] * hyb_onnx_int (lowering, "offset_group", 1);
  HybValueId half =
      hyb_lowering_emit (lowering, "slice_axis", 1, &offset, "axis", "1", "begin", "0", "end",
                         hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n), NULL);

  return hyb_lowering_emit (lowering, "ones_like", 1, &half, NULL);
}

/* Always the modulated operator of the engine: only that one reads zeros around the image, as ONNX does; the plain one
 * repeats the last row and column. */
static void
lower_deform_conv (HybLowering *lowering)
{
  HybType    x = *hyb_onnx_type (lowering, 0), weight = *hyb_onnx_type (lowering, 1);
  gboolean   has_bias = hyb_onnx_has_input (lowering, 3);
  HybValueId inputs[5];
  OnnxWindow window;
  guint      n = 0;

  if (!onnx_window_read (lowering, &window, &x,
                         weight.shape.rank > 2 ? weight.shape.dim + 2 : NULL))
    return;
  if (weight.shape.rank != 4 || weight.shape.dim[0] < 1)
    {
      hyb_lowering_fail (lowering, NULL, "it is computed for images of two dimensions");
      return;
    }
  /* The order of the engine: data, offsets, mask, weight, bias.  Padding is a node of its own, since pads may differ by side. */
  inputs[n++] = onnx_window_pad (lowering, &window, hyb_onnx_input (lowering, 0), 0);
  inputs[n++] = hyb_onnx_input (lowering, 2);
  inputs[n++] = hyb_onnx_has_input (lowering, 4) ? hyb_onnx_input (lowering, 4)
                                                 : full_mask (lowering, &weight.shape);
  inputs[n++] = hyb_onnx_input (lowering, 1);
  if (has_bias)
    inputs[n++] = hyb_onnx_input (lowering, 3);
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_contrib_ModulatedDeformableConvolution",
                                              n, inputs, "kernel",
                                              onnx_window_text (lowering, &window, window.kernel),
                                              "stride",
                                              onnx_window_text (lowering, &window, window.stride),
                                              "dilate",
                                              onnx_window_text (lowering, &window, window.dilation),
                                              "num_filter",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 weight.shape.dim[0]),
                                              "num_group",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 hyb_onnx_int (lowering, "group",
                                                                               1)),
                                              "num_deformable_group",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 hyb_onnx_int (lowering,
                                                                               "offset_group", 1)),
                                              "im2col_step", "1", "no_bias",
                                              has_bias ? "False" : "True", NULL));
}

/* --- Col2Im --- */

/* The image with its padding is put together, and the padding cut off. */
static void
lower_col2im (HybLowering *lowering)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  gint64     image[HYB_MAX_RANK], block[HYB_MAX_RANK], padded[HYB_MAX_RANK];
  gint64     dilations[HYB_MAX_RANK], strides[HYB_MAX_RANK], pads[2 * HYB_MAX_RANK];
  guint      n, n_block;
  HybValueId y;

  if (!hyb_onnx_contents (lowering, 1) || !hyb_onnx_contents (lowering, 2))
    {
      hyb_onnx_set_rank (lowering, 0, dtype, HYB_UNKNOWN);
      return;
    }
  if (!hyb_onnx_input_ints (lowering, 1, &n, image) ||
      !hyb_onnx_input_ints (lowering, 2, &n_block, block) ||
      !onnx_window_numbers (lowering, "dilations", n, 1, dilations) ||
      !onnx_window_numbers (lowering, "strides", n, 1, strides) ||
      !onnx_window_numbers (lowering, "pads", 2 * n, 0, pads))
    return;
  if (n_block != n)
    {
      hyb_lowering_fail (lowering, NULL, "its image has %u axes, but its block %u", n, n_block);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      if (pads[i] < 0 || pads[i + n] < 0)
        {
          hyb_lowering_fail (lowering, NULL, "the attribute pads has a negative value");
          return;
        }
      /* Halved, since ABS (G_MININT64) overflows.  The sum below then has 34 bits at most. */
      if (ABS (image[i] / 2) > G_MAXINT32 || pads[i] / 2 > G_MAXINT32 ||
          pads[i + n] / 2 > G_MAXINT32)
        {
          hyb_lowering_fail (lowering, NULL, "the size of axis %u cannot be computed with", i);
          return;
        }
      padded[i] = image[i] + pads[i] + pads[i + n];
    }
  y = hyb_onnx_input (lowering, 0);
  y = hyb_lowering_emit (lowering, "col2im", 1, &y, "output_size",
                         hyb_lowering_text_ints (lowering, n, padded), "kernel",
                         hyb_lowering_text_ints (lowering, n, block), "stride",
                         hyb_lowering_text_ints (lowering, n, strides), "dilate",
                         hyb_lowering_text_ints (lowering, n, dilations), NULL);
  /* Axes 0 and 1 are images and channels. */
  for (guint i = 0; i < n && y != HYB_NO_ID; i++)
    if (padded[i] != image[i])
      y = hyb_onnx_slice (lowering, y, (int) i + 2, pads[i], pads[i] + image[i]);
  hyb_lowering_set_output (lowering, 0, y);
}

static const char *const roi_inputs[] = { "X", "rois", "batch_indices", NULL };
static const char *const deform_inputs[] = { "X", "W", "offset", "B", "mask", NULL };
static const char *const column_inputs[] = { "input", "image_shape", "block_shape", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_region[] = {
  { .op = { HYB_ONNX_ROW, .name = "RoiAlign",
            .doc = "Means or largest elements of the cells that each region is divided into.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = roi_inputs, .outputs = outputs,
            .lower = lower_roi_align },
    .since = 10 },
  { .op = { HYB_ONNX_ROW, .name = "MaxRoiPool",
            .doc = "The largest elements of the cells that each region is divided into.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = roi_inputs, .outputs = outputs,
            .lower = lower_max_roi_pool },
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "DeformConv",
            .doc = "A convolution whose taps are moved by offsets.",
            .category = HYB_CATEGORY_CONVOLUTION, .inputs = deform_inputs, .outputs = outputs,
            .lower = lower_deform_conv },
    .since = 19 },
  { .op = { HYB_ONNX_ROW, .name = "Col2Im",
            .doc = "Puts the columns of a convolution back into an image.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = column_inputs, .outputs = outputs,
            .lower = lower_col2im },
    .since = 18 },
  { .since = 0 },
};
