/* rules-index.c — operators that read elements by their numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <string.h>

/* Indices of the engine may be floats; ONNX has integers. */
static OnnxValue
indices (OnnxExport *export, guint index)
{
  return onnx_cast (export, onnx_input (export, index), onnx_input_type (export, index).dtype,
                    HYB_I64);
}

/* Indices outside of an axis of an input moved to the nearest element.  ONNX refuses them, or counts negative ones from
 * the end.  A scalar broadcasts to scalar indices as well. */
static OnnxValue
limit (OnnxExport *export, OnnxValue x, guint index, gint64 axis)
{
  gint64    size = onnx_input_type (export, index).shape.dim[axis];
  OnnxValue last =
      size >= 0 ? onnx_number (export, (double) size - 1, HYB_I64)
                : onnx_reshape (export,
                                onnx_binary (export, "Sub", onnx_input_size (export, index, axis),
                                             onnx_number (export, 1, HYB_I64)),
                                0, NULL);

  if (onnx_opset (export) < 12)
    return x;
  x = onnx_binary (export, "Min", x, last);
  return onnx_binary (export, "Max", x, onnx_number (export, 0, HYB_I64));
}

static OnnxValue
gather (OnnxExport *export, OnnxValue x, OnnxValue index, gint64 axis)
{
  return onnx_emit (export, "Gather", 2, (OnnxValue[]){ x, index },
                    ONNX_ATTRIBUTES (ONNX_INT ("axis", axis)));
}

/* Rows of a table; indices outside of it are moved to the nearest row. */
static void
write_embedding (OnnxExport *export)
{
  onnx_set_output (export, 0,
                   gather (export, onnx_input (export, 1),
                           limit (export, indices (export, 0), 1, 0), 0));
}

/* Input 1 as indices of an axis of input 0; the mode treats indices outside of the axis. */
static OnnxValue
place (OnnxExport *export, const char *mode, gint64 axis)
{
  OnnxValue index = indices (export, 1);

  if (strcmp (mode, "clip") == 0)
    return limit (export, index, 0, axis);
  if (strcmp (mode, "wrap") == 0)
    return onnx_binary (export, "Mod", index,
                        onnx_reshape (export, onnx_input_size (export, 0, axis), 0, NULL));
  return index;
}

static void
write_take (OnnxExport *export)
{
  gint64    axis = onnx_param_axis (export, "axis", 0, 0);
  OnnxValue index = place (export, onnx_param_text (export, "mode"), axis);

  onnx_set_output (export, 0, gather (export, onnx_input (export, 0), index, axis));
}

static void
write_one_hot (OnnxExport *export)
{
  HybDType   dtype = onnx_output_type (export, 0).dtype;
  HybType    type = { hyb_shape_1d (2), dtype };
  HybTensor *values = hyb_tensor_new (&type, NULL);
  gint64     depth = onnx_param_int (export, "depth", 1);

  if (values)
    {
      hyb_dtype_set_double (hyb_tensor_get_data (values), dtype, 0,
                            onnx_param_double (export, "off_value", 0));
      hyb_dtype_set_double (hyb_tensor_get_data (values), dtype, 1,
                            onnx_param_double (export, "on_value", 1));
    }
  onnx_set_output (export, 0,
                   onnx_emit (export, "OneHot", 3,
                              (OnnxValue[]){ indices (export, 0), onnx_ints (export, 1, &depth),
                                             onnx_tensor (export, "one_hot_values", values) },
                              ONNX_ATTRIBUTES (ONNX_INT ("axis", -1))));
}

/* Input number `index` as coordinates.  The first axis of the engine's indices, which counts coordinates, is the last one of
 * ONNX'. */
static OnnxValue
coordinates (OnnxExport *export, guint index)
{
  int    rank = onnx_input_type (export, index).shape.rank;
  gint64 axes[HYB_MAX_RANK];

  for (int i = 0; i < rank; i++)
    axes[i] = (i + 1) % rank;
  return onnx_transpose (export, indices (export, index), (guint) rank, axes);
}

static void
write_gather_nd (OnnxExport *export)
{
  onnx_set_output (export, 0,
                   onnx_binary (export, "GatherND", onnx_input (export, 0),
                                coordinates (export, 1)));
}

static void
write_scatter_set_nd (OnnxExport *export)
{
  onnx_set_output (export, 0,
                   onnx_emit (export, "ScatterND", 3,
                              (OnnxValue[]){ onnx_input (export, 0), coordinates (export, 2),
                                             onnx_input (export, 1) },
                              NULL));
}

/* The largest or smallest elements, in order, as values, indices or both. */
static void
write_topk (OnnxExport *export)
{
  static const gint64 all_axes[] = { -1 };
  gint64              k = onnx_param_int (export, "k", 1);
  gint64              axis = onnx_param_int (export, "axis", -1);
  const char         *returned = onnx_param_text (export, "ret_typ");
  OnnxValue           x = onnx_input (export, 0), first, places;
  HybType             type = onnx_input_type (export, 0);

  if (axis == HYB_NONE)
    {
      x = onnx_reshape (export, x, 1, all_axes);
      type.shape = hyb_shape_1d (hyb_shape_count (&type.shape, 0, type.shape.rank));
      axis = 0;
    }
  axis = axis < 0 ? axis + type.shape.rank : axis;
  if (strcmp (returned, "mask") == 0 || k < 1 || type.shape.dim[axis] < k)
    {
      onnx_fail (export, "ONNX' TopK gives no mask, and needs a number of elements that is known");
      return;
    }
  first =
      onnx_emit_many (export,
                      &(OnnxEmission){
                          "TopK", 2, (OnnxValue[]){ x, onnx_ints (export, 1, &k) }, 2,
                          ONNX_ATTRIBUTES (ONNX_INT ("axis", axis),
                                           ONNX_INT ("largest",
                                                     !onnx_param_bool (export, "is_ascend"))) });
  if (strcmp (returned, "value") == 0)
    {
      onnx_set_output (export, 0, first);
      return;
    }
  places = strcmp (returned, "both") == 0 ? 1 : 0;
  onnx_set_output (export, places,
                   onnx_cast (export, first + 1, HYB_I64, onnx_output_type (export, places).dtype));
  if (places == 1)
    onnx_set_output (export, 0, first);
}

/* One element of each row. */
static void
write_pick (OnnxExport *export)
{
  gint64    axis = onnx_param_axis (export, "axis", -1, 0);
  gboolean  is_kept = onnx_param_bool (export, "keepdims");
  int       rank = onnx_input_type (export, 0).shape.rank;
  OnnxValue index = place (export, onnx_param_text (export, "mode"), axis);
  OnnxValue y;

  if (onnx_input_type (export, 1).shape.rank != rank)
    index = onnx_unsqueeze (export, index, axis);
  y = onnx_emit (export, "GatherElements", 2, (OnnxValue[]){ onnx_input (export, 0), index },
                 ONNX_ATTRIBUTES (ONNX_INT ("axis", axis)));
  onnx_set_output (export, 0, is_kept ? y : onnx_squeeze (export, y, axis));
}

const HybOnnxRule hyb_onnx_rules_index[] = {
  { .op = "Embedding", .write = write_embedding },
  { .op = "take", .write = write_take },
  { .op = "one_hot", .write = write_one_hot },
  { .op = "gather_nd", .write = write_gather_nd },
  { .op = "pick", .write = write_pick },
  { .op = "_scatter_set_nd", .write = write_scatter_set_nd },
  { .op = "topk", .write = write_topk },
  { .op = NULL },
};
