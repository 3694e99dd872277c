/* rules-shape.c — operators that rearrange elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <string.h>

/* A dimension of 0 elements; a plain 0 means the size in x. */
static void
write_empty (OnnxExport *export, const HybType *to)
{
  OnnxValue inputs[] = { onnx_input (export, 0), ONNX_NONE };

  if (!hyb_shape_is_known (&to->shape) || onnx_opset (export) < 14)
    onnx_fail (export, "an empty array needs version 14 of the operators and fixed sizes");
  inputs[1] = onnx_ints (export, (guint) to->shape.rank, to->shape.dim);
  onnx_set_output (export, 0,
                   onnx_emit (export, "Reshape", 2, inputs,
                              ONNX_ATTRIBUTES (ONNX_INT ("allowzero", 1))));
}

/* x as the type of the output has it; at most one dimension is open, or open ones stand where they stood. */
static void
write_reshape (OnnxExport *export)
{
  HybType  to = onnx_output_type (export, 0);
  guint    rank = (guint) MAX (to.shape.rank, 0), n_open = 0;
  gboolean is_empty = FALSE;

  for (guint i = 0; i < rank; i++)
    {
      n_open += to.shape.dim[i] < 0;
      is_empty |= to.shape.dim[i] == 0;
    }
  if (is_empty)
    {
      write_empty (export, &to);
      return;
    }
  for (guint i = 0; i < rank && n_open > 1; i++)
    if (to.shape.dim[i] < 0 && onnx_is_same_dim (export, 0, i, i))
      {
        to.shape.dim[i] = 0;
        n_open--;
      }
  for (guint i = 0; i < rank; i++)
    if (to.shape.dim[i] < 0)
      to.shape.dim[i] = -1;
  if (n_open > 1)
    onnx_set_output (export, 0,
                     onnx_binary (export, "Reshape", onnx_input (export, 0),
                                  onnx_output_shape (export, 0)));
  else
    onnx_set_output (export, 0, onnx_reshape (export, onnx_input (export, 0), rank, to.shape.dim));
}

static void
write_flatten (OnnxExport *export)
{
  OnnxValue x = onnx_input (export, 0);

  onnx_set_output (export, 0,
                   onnx_emit (export, "Flatten", 1, &x, ONNX_ATTRIBUTES (ONNX_INT ("axis", 1))));
}

static void
write_expand_dims (OnnxExport *export)
{
  gint64 axis = onnx_param_int (export, "axis", 0);

  if (axis < 0)
    axis += onnx_output_type (export, 0).shape.rank;
  onnx_set_output (export, 0, onnx_unsqueeze (export, onnx_input (export, 0), axis));
}

static void
write_transpose (OnnxExport *export)
{
  int           rank = onnx_input_type (export, 0).shape.rank;
  guint         n;
  const gint64 *given = onnx_param_ints (export, "axes", &n);
  gint64        axes[HYB_MAX_RANK];

  for (int i = 0; i < rank; i++)
    axes[i] = n == 0 ? rank - 1 - i : given[i] < 0 ? given[i] + rank : given[i];
  onnx_set_output (export, 0, onnx_transpose (export, onnx_input (export, 0), (guint) rank, axes));
}

static void
write_swap (OnnxExport *export)
{
  int    rank = onnx_input_type (export, 0).shape.rank;
  gint64 a = onnx_param_axis (export, "dim1", 0, 0), b = onnx_param_axis (export, "dim2", 0, 0);
  gint64 axes[HYB_MAX_RANK];

  for (int i = 0; i < rank; i++)
    axes[i] = i == a ? b : i == b ? a : i;
  onnx_set_output (export, 0, onnx_transpose (export, onnx_input (export, 0), (guint) rank, axes));
}

/* An axis that is named twice keeps its order. */
static void
write_reverse (OnnxExport *export)
{
  guint         n;
  const gint64 *given = onnx_param_ints (export, "axis", &n);
  HybType       type = onnx_input_type (export, 0);
  gboolean      is_reversed[HYB_MAX_RANK] = { FALSE };
  OnnxValue     x = onnx_input (export, 0);

  for (guint i = 0; i < n; i++)
    is_reversed[given[i] < 0 ? given[i] + type.shape.rank : given[i]] ^= TRUE;
  for (int axis = 0; axis < type.shape.rank; axis++)
    if (is_reversed[axis])
      x = onnx_reversed (export, x, axis, type.shape.dim[axis]);
  onnx_set_output (export, 0, x == onnx_input (export, 0) ? onnx_unary (export, "Identity", x) : x);
}

/* --- Slices --- */

static void
write_slice_axis (OnnxExport *export)
{
  gint64 axis = onnx_param_axis (export, "axis", 0, 0);
  gint64 end = onnx_param_int (export, "end", HYB_NONE);

  onnx_set_output (export, 0,
                   onnx_slice (export, onnx_input (export, 0), axis,
                               onnx_param_int (export, "begin", 0),
                               end == HYB_NONE ? G_MAXINT64 : end));
}

static void
write_slice (OnnxExport *export)
{
  guint         n, n_ends, n_steps;
  const gint64 *begin = onnx_param_ints (export, "begin", &n);
  const gint64 *end = onnx_param_ints (export, "end", &n_ends);
  const gint64 *step = onnx_param_ints (export, "step", &n_steps);
  gint64        axes[HYB_MAX_RANK], begins[HYB_MAX_RANK], ends[HYB_MAX_RANK], steps[HYB_MAX_RANK];
  gboolean      has_steps = FALSE;

  for (guint i = 0; i < n; i++)
    {
      axes[i] = i;
      steps[i] = i < n_steps && step[i] != HYB_NONE && step[i] != 0 ? step[i] : 1;
      begins[i] = begin[i] != HYB_NONE ? begin[i] : steps[i] < 0 ? -1 : 0;
      ends[i] = i < n_ends && end[i] != HYB_NONE ? end[i] : steps[i] < 0 ? G_MININT64 : G_MAXINT64;
      has_steps |= steps[i] != 1;
    }
  onnx_set_output (export, 0,
                   onnx_slices (export, onnx_input (export, 0),
                                &(OnnxSlices){ n, axes, begins, ends, has_steps ? steps : NULL }));
}

/* As many elements from the front as the output has. */
static void
write_slice_like (OnnxExport *export)
{
  HybType   to = onnx_output_type (export, 0), from = onnx_input_type (export, 0);
  OnnxValue x = onnx_input (export, 0);

  for (int i = 0; i < to.shape.rank; i++)
    {
      if (to.shape.dim[i] < 0 && !onnx_is_same_dim (export, 0, (guint) i, (guint) i))
        onnx_fail (export, "the size of axis %d is open", i);
      else if (to.shape.dim[i] >= 0 && to.shape.dim[i] != from.shape.dim[i])
        x = onnx_slice (export, x, i, 0, to.shape.dim[i]);
    }
  onnx_set_output (export, 0, onnx_unary (export, "Identity", x));
}

/* Parts with the sizes of the outputs. */
static void
write_split (OnnxExport *export)
{
  gint64             axis = onnx_param_axis (export, "axis", 1, 0);
  gboolean           squeezes = onnx_param_bool (export, "squeeze_axis");
  guint              n = onnx_node (export)->n_outputs;
  g_autofree gint64 *sizes = g_new (gint64, n);
  OnnxValue          first;

  for (guint i = 0; i < n; i++)
    {
      sizes[i] = squeezes ? 1 : onnx_output_type (export, i).shape.dim[axis];
      if (sizes[i] < 0)
        onnx_fail (export, "the size of its parts is open");
    }
  if (n == 1)
    first = onnx_unary (export, "Identity", onnx_input (export, 0));
  else
    first = onnx_split (export, onnx_input (export, 0), axis, n, sizes);
  for (guint i = 0; i < n; i++)
    onnx_set_output (export, i, squeezes ? onnx_squeeze (export, first + i, axis) : first + i);
}

static OnnxValue *
all_inputs (OnnxExport *export)
{
  guint      n = onnx_node (export)->n_inputs;
  OnnxValue *inputs = g_new (OnnxValue, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    inputs[i] = onnx_cast (export, onnx_input (export, i), onnx_input_type (export, i).dtype,
                           onnx_output_type (export, 0).dtype);
  return inputs;
}

/* The rule's name of the axis. */
static void
write_concat (OnnxExport *export)
{
  g_autofree OnnxValue *inputs = all_inputs (export);
  gint64                axis = onnx_param_axis (export, onnx_rule (export)->onnx, 1, 0);

  onnx_set_output (export, 0, onnx_concat (export, onnx_node (export)->n_inputs, inputs, axis));
}

static void
write_stack (OnnxExport *export)
{
  g_autofree OnnxValue *inputs = all_inputs (export);
  guint                 n = onnx_node (export)->n_inputs;
  gint64                axis = onnx_param_int (export, "axis", 0);

  if (axis < 0)
    axis += onnx_output_type (export, 0).shape.rank;
  for (guint i = 0; i < n; i++)
    inputs[i] = onnx_unsqueeze (export, inputs[i], axis);
  onnx_set_output (export, 0, onnx_concat (export, n, inputs, axis));
}

/* --- Repetition --- */

static void
write_broadcast (OnnxExport *export)
{
  OnnxValue shape = onnx_output_shape (export, 0);

  onnx_set_output (export, 0, onnx_binary (export, "Expand", onnx_input (export, 0), shape));
}

static void
write_tile (OnnxExport *export)
{
  guint         n;
  const gint64 *given = onnx_param_ints (export, "reps", &n);
  int           rank = onnx_input_type (export, 0).shape.rank;
  gint64        reps[HYB_MAX_RANK];

  if ((int) n > rank)
    {
      onnx_fail (export, "tile adds axes");
      return;
    }
  for (int i = 0; i < rank; i++)
    reps[i] = i < rank - (int) n ? 1 : given[i - (rank - (int) n)];
  onnx_set_output (export, 0,
                   onnx_binary (export, "Tile", onnx_input (export, 0),
                                onnx_ints (export, (guint) rank, reps)));
}

/* Blocks of an image's channels; rule->onnx: the operator. */
static void
write_blocks (OnnxExport *export)
{
  OnnxValue x = onnx_input (export, 0);

  onnx_set_output (export, 0,
                   onnx_emit (export, onnx_rule (export)->onnx, 1, &x,
                              ONNX_ATTRIBUTES (
                                  ONNX_INT ("blocksize",
                                            onnx_param_int (export, "block_size", 1)))));
}

static void
write_pad (OnnxExport *export)
{
  guint         n, rank;
  const gint64 *width = onnx_param_ints (export, "pad_width", &n);
  const char   *mode = onnx_param_text (export, "mode");
  double        value = onnx_param_double (export, "constant_value", 0);
  gint64        pads[2 * HYB_MAX_RANK];
  OnnxValue     x = onnx_input (export, 0);

  rank = n / 2;
  for (guint i = 0; i < rank; i++)
    {
      pads[i] = width[2 * i];
      pads[rank + i] = width[2 * i + 1];
    }
  if (onnx_opset (export) < 11)
    x = onnx_emit (export, "Pad", 1, &x,
                   ONNX_ATTRIBUTES (ONNX_STRING ("mode", mode), ONNX_INTS ("pads", 2 * rank, pads),
                                    ONNX_FLOAT ("value", value)));
  else
    x = onnx_emit (export, "Pad", 3,
                   (OnnxValue[]){ x, onnx_ints (export, 2 * rank, pads),
                                  onnx_number (export, value, onnx_output_type (export, 0).dtype) },
                   ONNX_ATTRIBUTES (ONNX_STRING ("mode", mode)));
  onnx_set_output (export, 0, x);
}

static void
write_shape_array (OnnxExport *export)
{
  onnx_set_output (export, 0, onnx_unary (export, "Shape", onnx_input (export, 0)));
}

const HybOnnxRule hyb_onnx_rules_shape[] = {
  { .op = "Reshape", .write = write_reshape },
  { .op = "_np_reshape", .write = write_reshape },
  { .op = "_npx_reshape", .write = write_reshape },
  { .op = "reshape_like", .write = write_reshape },
  { .op = "squeeze", .write = write_reshape },
  { .op = "_np_squeeze", .write = write_reshape },
  { .op = "Flatten", .write = write_flatten },
  { .op = "expand_dims", .write = write_expand_dims },
  { .op = "transpose", .write = write_transpose },
  { .op = "_np_transpose", .write = write_transpose },
  { .op = "SwapAxis", .write = write_swap },
  { .op = "reverse", .write = write_reverse },
  { .op = "slice_axis", .write = write_slice_axis },
  { .op = "slice", .write = write_slice },
  { .op = "slice_like", .write = write_slice_like },
  { .op = "SliceChannel", .write = write_split },
  { .op = "_split_v2", .write = write_split },
  { .op = "Concat", .write = write_concat, .onnx = "dim" },
  { .op = "_rnn_param_concat", .write = write_concat, .onnx = "dim" },
  { .op = "_npi_concatenate", .write = write_concat, .onnx = "axis" },
  { .op = "stack", .write = write_stack },
  { .op = "_npi_stack", .write = write_stack },
  { .op = "broadcast_to", .write = write_broadcast },
  { .op = "broadcast_axis", .write = write_broadcast },
  { .op = "broadcast_like", .write = write_broadcast },
  { .op = "_npi_broadcast_to", .write = write_broadcast },
  { .op = "tile", .write = write_tile },
  { .op = "depth_to_space", .write = write_blocks, .onnx = "DepthToSpace" },
  { .op = "space_to_depth", .write = write_blocks, .onnx = "SpaceToDepth" },
  { .op = "Pad", .write = write_pad },
  { .op = "shape_array", .write = write_shape_array },
  { .op = NULL },
};
