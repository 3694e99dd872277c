/* crop.c — CenterCropPad: cuts or extends axes at both ends.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

/* One axis with a new size; an odd element is cut or added at the end. */
static HybValueId
fit_axis (HybLowering *lowering, HybValueId x, int axis, gint64 size)
{
  gint64 old = onnx_size (lowering, x, axis), difference = size - old;
  gint64 added[] = { difference / 2, difference - difference / 2 };

  if (difference == 0)
    return x;
  if (difference > 0)
    return onnx_extend (lowering, x, axis, added, 0);
  return hyb_onnx_slice (lowering, x, axis, -difference / 2, -difference / 2 + size);
}

static void
lower_center_crop_pad (HybLowering *lowering)
{
  HybType       type = *hyb_onnx_type (lowering, 0);
  HybValueId    x = hyb_onnx_input (lowering, 0);
  gint64        sizes[HYB_MAX_RANK];
  guint         n, n_axes;
  const gint64 *axes;

  if (!hyb_type_is_known (&type) || !hyb_onnx_contents (lowering, 1))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  if (!hyb_onnx_input_ints (lowering, 1, &n, sizes))
    return;
  if (!hyb_onnx_ints (lowering, "axes", &n_axes, &axes))
    n_axes = (guint) type.shape.rank;
  if (n != n_axes)
    {
      hyb_lowering_fail (lowering, NULL, "it has sizes for %u axes of %u", n, n_axes);
      return;
    }
  for (guint i = 0; i < n && x != HYB_NO_ID; i++)
    {
      int axis = hyb_onnx_axis (lowering, axes ? axes[i] : (gint64) i, type.shape.rank);

      if (axis < 0)
        return;
      if (sizes[i] < 0 || sizes[i] > G_MAXINT32)
        {
          hyb_lowering_fail (lowering, NULL, "the size of axis %d cannot be computed with", axis);
          return;
        }
      x = fit_axis (lowering, x, axis, sizes[i]);
    }
  hyb_lowering_set_output (lowering, 0, hyb_onnx_unary (lowering, "_copy", x));
}

static const char *const inputs[] = { "input_data", "shape", NULL };
static const char *const outputs[] = { "output_data", NULL };

const HybOnnxOp hyb_onnx_ops_crop[] = {
  { .op = { HYB_ONNX_ROW, .name = "CenterCropPad", .doc = "Cuts or extends axes at both ends.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = inputs, .outputs = outputs,
            .lower = lower_center_crop_pad },
    .since = 18 },
  { .since = 0 },
};
