/* index.c — elements and rows by index: GatherElements, GatherND, ScatterElements, ScatterND, ReverseSequence.
 *
 * Indices become positions in the flattened array, for which the engine has operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* Indices as int32 or int64. */
static HybValueId
integer_indices (HybLowering *lowering, HybValueId indices)
{
  return indices == HYB_NO_ID || hyb_lowering_get_type (lowering, indices)->dtype == HYB_I32
             ? indices
             : hyb_onnx_cast (lowering, indices, HYB_I64);
}

/* Positions in the flattened data of the elements that indices along an axis name.  HYB_NO_ID: only the type is known. */
static HybValueId
positions_along (HybLowering *lowering, int axis)
{
  HybType    data = *hyb_onnx_type (lowering, 0), indices = *hyb_onnx_type (lowering, 1);
  HybValueId values;

  if (!hyb_shape_is_known (&data.shape) || !hyb_shape_is_known (&indices.shape) ||
      data.shape.rank != indices.shape.rank)
    return HYB_NO_ID;
  values = integer_indices (lowering, hyb_onnx_input (lowering, 1));
  return hyb_lowering_emit (lowering, "_element_positions", 1, &values, "shape",
                            hyb_lowering_text_ints (lowering, (guint) data.shape.rank,
                                                    data.shape.dim),
                            "axis", hyb_lowering_text (lowering, "%d", axis), NULL);
}

static void
lower_gather_elements (HybLowering *lowering)
{
  HybType type = { hyb_onnx_type (lowering, 1)->shape, hyb_onnx_type (lowering, 0)->dtype };
  int     axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0),
                                hyb_onnx_type (lowering, 0)->shape.rank);

  hyb_lowering_set_type (lowering, 0, &type);
  if (axis < 0)
    return;
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_take_elements", 2,
                                              (HybValueId[]){
                                                  hyb_onnx_input (lowering, 0),
                                                  integer_indices (lowering,
                                                                   hyb_onnx_input (lowering, 1)) },
                                              "axis", hyb_lowering_text (lowering, "%d", axis),
                                              NULL));
}

/* data [n, …] with rows at positions replaced by updates, or combined with them. */
static HybValueId
scatter_rows (HybLowering *lowering, HybValueId data, HybValueId positions, HybValueId updates)
{
  const char *reduction = hyb_onnx_string (lowering, "reduction", "none");

  if (data == HYB_NO_ID || positions == HYB_NO_ID)
    return HYB_NO_ID;
  if (strcmp (reduction, "none") == 0)
    return onnx_scatter (lowering, data, positions, updates);
  positions = hyb_onnx_reshape (lowering, positions, 2, (gint64[]){ 1, -1 });
  if (strcmp (reduction, "add") == 0)
    return hyb_onnx_binary (lowering, "broadcast_add", data,
                            hyb_lowering_emit (lowering, "_backward_gather_nd", 3,
                                               (HybValueId[]){ updates, positions, data }, NULL));
  return hyb_lowering_emit (lowering, "_scatter_combine", 3,
                            (HybValueId[]){ data, onnx_flatten (lowering, positions), updates },
                            "reduction", reduction, NULL);
}

static void
lower_scatter_elements (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), type.shape.rank);
  HybValueId positions, y;

  hyb_lowering_set_type (lowering, 0, &type);
  if (axis < 0)
    return;
  positions = positions_along (lowering, axis);
  if (positions == HYB_NO_ID)
    return;
  y = scatter_rows (lowering, onnx_flatten (lowering, hyb_onnx_input (lowering, 0)),
                    onnx_flatten (lowering, positions),
                    onnx_flatten (lowering, hyb_onnx_input (lowering, 2)));
  if (y != HYB_NO_ID)
    hyb_lowering_set_output (lowering, 0,
                             hyb_onnx_reshape (lowering, y, (guint) type.shape.rank,
                                               type.shape.dim));
}

/* --- GatherND, ScatterND --- */

/* Rows that tuples of indices name: data is seen as [n, row]. */
typedef struct
{
  gint64     n_rows;
  gint64     row;       /* elements */
  HybValueId positions; /* by tuple */
} Rows;

/* FALSE if only types are known, or after a failure. */
static gboolean
find_rows (HybLowering *lowering, int n_batch, Rows *rows)
{
  HybType    data = *hyb_onnx_type (lowering, 0), indices = *hyb_onnx_type (lowering, 1);
  int        n_coordinates, last = indices.shape.rank - 1;
  HybValueId values;

  if (!hyb_shape_is_known (&data.shape) || !hyb_shape_is_known (&indices.shape) || last < 0)
    return FALSE;
  if (indices.shape.dim[last] < 1 || indices.shape.dim[last] > data.shape.rank - n_batch ||
      n_batch > last)
    {
      hyb_lowering_fail (lowering, NULL,
                         "its tuples have %" G_GINT64_FORMAT
                         " indices for an input of %d dimensions",
                         indices.shape.dim[last], data.shape.rank);
      return FALSE;
    }
  n_coordinates = (int) indices.shape.dim[last];
  rows->row = hyb_shape_count (&data.shape, n_batch + n_coordinates, data.shape.rank);
  rows->n_rows = hyb_shape_count (&data.shape, 0, n_batch + n_coordinates);
  values = integer_indices (lowering, hyb_onnx_input (lowering, 1));
  rows->positions =
      hyb_lowering_emit (lowering, "_tuple_positions", 1, &values, "shape",
                         hyb_lowering_text_ints (lowering, (guint) (n_batch + n_coordinates),
                                                 data.shape.dim),
                         "batch", hyb_lowering_text (lowering, "%d", n_batch), NULL);
  return rows->positions != HYB_NO_ID;
}

static void
lower_gather_nd (HybLowering *lowering)
{
  HybType    data = *hyb_onnx_type (lowering, 0), indices = *hyb_onnx_type (lowering, 1);
  int        n_batch = (int) CLAMP (hyb_onnx_int (lowering, "batch_dims", 0), 0, HYB_MAX_RANK);
  Rows       rows;
  gint64     dims[2 * HYB_MAX_RANK];
  guint      n = 0;
  HybValueId y;

  if (!find_rows (lowering, n_batch, &rows))
    {
      gint64 k = indices.shape.rank > 0 ? indices.shape.dim[indices.shape.rank - 1] : HYB_UNKNOWN;

      hyb_onnx_set_rank (lowering, 0, data.dtype,
                         k >= 0 && k <= data.shape.rank
                             ? indices.shape.rank - 1 + data.shape.rank - (int) k - n_batch
                             : HYB_UNKNOWN);
      return;
    }
  for (int i = 0; i < indices.shape.rank - 1; i++)
    dims[n++] = indices.shape.dim[i];
  for (int i = n_batch + (int) indices.shape.dim[indices.shape.rank - 1]; i < data.shape.rank; i++)
    dims[n++] = data.shape.dim[i];
  if (n > HYB_MAX_RANK)
    return;
  y = hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 2,
                        (gint64[]){ rows.n_rows, rows.row });
  y = hyb_lowering_emit (lowering, "take", 2, (HybValueId[]){ y, rows.positions }, "axis", "0",
                         NULL);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_reshape (lowering, y, n, dims));
}

static void
lower_scatter_nd (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  Rows       rows;
  HybValueId y;

  hyb_lowering_set_type (lowering, 0, &type);
  if (!find_rows (lowering, 0, &rows))
    return;
  y = scatter_rows (lowering,
                    hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 2,
                                      (gint64[]){ rows.n_rows, rows.row }),
                    rows.positions,
                    hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 2), 2,
                                      (gint64[]){ -1, rows.row }));
  if (y != HYB_NO_ID)
    hyb_lowering_set_output (lowering, 0,
                             hyb_onnx_reshape (lowering, y, (guint) type.shape.rank,
                                               type.shape.dim));
}

/* --- ReverseSequence --- */

static void
lower_reverse_sequence (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  gint64     axes[HYB_MAX_RANK];
  gboolean   is_batch_first = hyb_onnx_int (lowering, "time_axis", 0) == 1;
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_type (lowering, 0, &type);
  if (type.shape.rank < 2)
    return;
  for (int i = 0; i < type.shape.rank; i++)
    axes[i] = is_batch_first && i < 2 ? 1 - i : i;
  if (is_batch_first)
    x = hyb_onnx_transpose (lowering, x, (guint) type.shape.rank, axes);
  x = hyb_lowering_emit (lowering, "SequenceReverse", 2,
                         (HybValueId[]){ x, hyb_onnx_input (lowering, 1) }, "use_sequence_length",
                         "True", NULL);
  if (is_batch_first)
    x = hyb_onnx_transpose (lowering, x, (guint) type.shape.rank, axes);
  hyb_lowering_set_output (lowering, 0, x);
}

static const char *const two[] = { "data", "indices", NULL };
static const char *const three[] = { "data", "indices", "updates", NULL };
static const char *const sequence[] = { "input", "sequence_lens", NULL };
static const char *const outputs[] = { "output", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, DOC)                                                        \
  {                                                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_MOVEMENT, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                                 \
    .since = SINCE                                                                                  \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_index[] = {
  ROW ("GatherElements", 11, two, lower_gather_elements, "Elements along an axis, by index."),
  ROW ("GatherND", 11, two, lower_gather_nd, "Rows by tuples of indices."),
  { .op = { HYB_ONNX_ROW, .name = "Scatter", .doc = "Replaces elements along an axis, by index.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = three, .outputs = outputs,
            .lower = lower_scatter_elements },
    .since = 9, .until = 10 },
  ROW ("ScatterElements", 11, three, lower_scatter_elements, "Replaces elements along an axis, by index."),
  ROW ("ScatterND", 11, three, lower_scatter_nd, "Replaces rows by tuples of indices."),
  ROW ("ReverseSequence", 10, sequence, lower_reverse_sequence, "Reverses the steps of each sequence."),
  { .since = 0 },
};
/* clang-format on */
