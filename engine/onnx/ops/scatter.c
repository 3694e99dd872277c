/* scatter.c — TensorScatter and MaxUnpool: values put into an array at places that another input names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/window.h"

#include <string.h>

/* --- TensorScatter --- */

/* For each slice of updates along an axis its number in the array seen as rows: [batch, others before the axis, slices]. */
static HybValueId
find_slices (HybLowering *lowering, const HybShape *shape, int axis, gint64 n)
{
  gint64     n_others = hyb_shape_count (shape, 1, axis), size = shape->dim[axis];
  gboolean   is_circular = strcmp (hyb_onnx_string (lowering, "mode", "linear"), "circular") == 0;
  HybValueId at = onnx_count (lowering, n, 2, 3), begin;

  if (hyb_onnx_has_input (lowering, 2))
    {
      begin = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 2), HYB_I64);
      at = onnx_add (lowering, at, hyb_onnx_reshape (lowering, begin, 3, (gint64[]){ -1, 1, 1 }));
    }
  if (is_circular)
    at = hyb_onnx_with_scalar (lowering, "_mod_scalar", at, (double) size);
  at = onnx_add (lowering, at,
                 onnx_scale (lowering, onnx_count (lowering, n_others, 1, 3), (double) size));
  return onnx_add (lowering, at,
                   onnx_scale (lowering, onnx_count (lowering, shape->dim[0], 0, 3),
                               (double) n_others * (double) size));
}

static void
lower_tensor_scatter (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0), update = *hyb_onnx_type (lowering, 1);
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -2), type.shape.rank);
  gint64     row;
  HybValueId y;

  hyb_lowering_set_type (lowering, 0, &type);
  if (axis < 0 || !hyb_type_is_known (&type) || !hyb_type_is_known (&update))
    return;
  if (axis == 0 || update.shape.rank != type.shape.rank)
    {
      hyb_lowering_fail (lowering, NULL, "the shape of its update does not fit its cache");
      return;
    }
  row = hyb_shape_count (&type.shape, axis + 1, type.shape.rank);
  y = onnx_scatter (lowering,
                    hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 2,
                                      (gint64[]){ -1, row }),
                    find_slices (lowering, &type.shape, axis, update.shape.dim[axis]),
                    hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 1), 2,
                                      (gint64[]){ -1, row }));
  hyb_lowering_set_output (lowering, 0, onnx_reshape_to (lowering, y, &type.shape));
}

/* --- MaxUnpool --- */

/* The shape of the pooled array, by the attributes. */
static gboolean
find_pooled_shape (HybLowering *lowering, const HybType *x, HybShape *shape)
{
  OnnxWindow window;

  *shape = x->shape;
  if (!onnx_window_read (lowering, &window, x, NULL))
    return FALSE;
  for (guint i = 0; i < window.n; i++)
    if (x->shape.dim[i + 2] > G_MAXINT32 || window.stride[i] > G_MAXINT32)
      {
        hyb_lowering_fail (lowering, NULL, "its strides cannot be computed with");
        return FALSE;
      }
    else
      shape->dim[i + 2] = (x->shape.dim[i + 2] - 1) * window.stride[i] + window.kernel[i] -
                          window.before[i] - window.after[i];
  return TRUE;
}

/* Indices count the elements of the pooled array, all images and channels together.  With another output shape they keep their
 * place in that count. */
static void
lower_max_unpool (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybShape   shape;
  HybValueId zeros;
  gint64     dims[HYB_MAX_RANK];
  guint      n;

  if (!hyb_type_is_known (&type) ||
      (hyb_onnx_has_input (lowering, 2) && !hyb_onnx_contents (lowering, 2)))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  if (!find_pooled_shape (lowering, &type, &shape))
    return;
  if (hyb_onnx_input_ints (lowering, 2, &n, dims))
    shape = hyb_shape_make ((int) n, dims);
  if (hyb_lowering_has_failed (lowering))
    return;
  zeros = onnx_fill (lowering, &shape, type.dtype, 0);
  zeros = onnx_scatter (lowering, onnx_flatten (lowering, zeros), hyb_onnx_input (lowering, 1),
                        onnx_flatten (lowering, hyb_onnx_input (lowering, 0)));
  hyb_lowering_set_output (lowering, 0, onnx_reshape_to (lowering, zeros, &shape));
}

static const char *const inputs[] = { "past_cache", "update", "write_indices", NULL };
static const char *const unpool_inputs[] = { "X", "I", "output_shape", NULL };
static const char *const outputs[] = { "present_cache", NULL };
static const char *const unpool_outputs[] = { "output", NULL };

const HybOnnxOp hyb_onnx_ops_scatter[] = {
  { .op = { HYB_ONNX_ROW, .name = "TensorScatter",
            .doc = "Writes slices into a cache, starting at a position of its own for each batch.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = inputs, .outputs = outputs,
            .lower = lower_tensor_scatter },
    .since = 24 },
  { .op = { HYB_ONNX_ROW, .name = "MaxUnpool",
            .doc = "Puts the largest elements of windows back to where they were.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = unpool_inputs, .outputs = unpool_outputs,
            .lower = lower_max_unpool },
    .since = 9 },
  { .since = 0 },
};
