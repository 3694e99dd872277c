/* slice.c — parts of arrays, and arrays joined or extended: Slice, Split, Concat, Gather, Pad.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"
#include "engine/onnx/ops/padded-rows.h"

#include <string.h>

/* --- Slice --- */

/* A range of each axis. */
typedef struct
{
  guint  n;
  gint64 start[HYB_MAX_RANK], end[HYB_MAX_RANK], axis[HYB_MAX_RANK], step[HYB_MAX_RANK];
} Ranges;

static gboolean
read_list (HybLowering *lowering, const char *name, guint input, guint *n, gint64 *values)
{
  const gint64 *given;

  if (hyb_onnx_has_input (lowering, input))
    return hyb_onnx_input_ints (lowering, input, n, values);
  if (!hyb_onnx_ints (lowering, name, n, &given))
    return FALSE;
  *n = MIN (*n, HYB_MAX_RANK);
  memcpy (values, given, *n * sizeof *values);
  return TRUE;
}

static gboolean
read_ranges (HybLowering *lowering, Ranges *ranges)
{
  guint n_ends, n_axes, n_steps;

  if (!read_list (lowering, "starts", 1, &ranges->n, ranges->start) ||
      !read_list (lowering, "ends", 2, &n_ends, ranges->end) || n_ends != ranges->n)
    return FALSE;
  if (!read_list (lowering, "axes", 3, &n_axes, ranges->axis))
    for (guint i = 0; i < ranges->n; i++)
      ranges->axis[i] = i;
  else if (n_axes != ranges->n)
    return FALSE;
  if (!read_list (lowering, "steps", 4, &n_steps, ranges->step))
    for (guint i = 0; i < ranges->n; i++)
      ranges->step[i] = 1;
  else if (n_steps != ranges->n)
    return FALSE;
  return !hyb_lowering_has_failed (lowering);
}

/* First index and number of elements of a range over an axis of that size. */
static gint64
clamp_range (gint64 size, gint64 step, gint64 *start, gint64 end)
{
  *start = *start < 0 ? *start + size : *start;
  end = end < 0 ? MAX (end, -size - 1) + size : end;
  if (step > 0)
    {
      *start = CLAMP (*start, 0, size);
      end = CLAMP (end, 0, size);
      return end > *start ? (end - *start - 1) / step + 1 : 0;
    }
  *start = CLAMP (*start, -1, size - 1);
  end = CLAMP (end, -1, size - 1);
  return *start > end ? (*start - end - 1) / -step + 1 : 0;
}

/* A range from one slice of an axis to the next, counted like the file does, from the end or up to the end, so that
 * it also holds for an axis of another size. */
static HybValueId
slice_as_counted (HybLowering *lowering,
                  HybValueId   x,
                  int          axis,
                  gint64       given_start,
                  gint64       given_end)
{
  gint64 size = hyb_lowering_get_type (lowering, x)->shape.dim[axis];
  gint64 start = given_start < -size ? 0 : given_start;
  gint64 end = given_end >= G_MAXINT32 ? G_MAXINT64 : MIN (given_end, size);

  return start == 0 && end == G_MAXINT64 ? x : hyb_onnx_slice (lowering, x, axis, start, end);
}

/* One axis: a slice, or reversed first where the step is negative. */
static HybValueId
slice_axis (HybLowering *lowering, HybValueId x, int axis, const Ranges *ranges, guint i)
{
  gint64      size = hyb_lowering_get_type (lowering, x)->shape.dim[axis];
  gint64      start = ranges->start[i], step = ranges->step[i];
  gint64      n = clamp_range (size, step, &start, ranges->end[i]);
  gint64      begin[HYB_MAX_RANK] = { 0 }, end[HYB_MAX_RANK], steps[HYB_MAX_RANK];
  int         rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  const char *axes = hyb_lowering_text (lowering, "(%d,)", axis);

  if (step < 0)
    {
      x = hyb_lowering_emit (lowering, "reverse", 1, &x, "axis", axes, NULL);
      start = size - 1 - start;
      step = step == G_MININT64 ? G_MAXINT64 : -step;
    }
  if (n == 0)
    return hyb_onnx_slice (lowering, x, axis, 0, 0);
  if (ranges->step[i] == 1)
    return slice_as_counted (lowering, x, axis, ranges->start[i], ranges->end[i]);
  if (step == 1 || n == 1)
    return hyb_onnx_slice (lowering, x, axis, start, start + n);
  for (int a = 0; a < rank; a++)
    {
      end[a] = a == axis ? start + (n - 1) * step + 1 : HYB_NONE;
      begin[a] = a == axis ? start : 0;
      steps[a] = a == axis ? step : 1;
    }
  return hyb_lowering_emit (lowering, "slice", 1, &x, "begin",
                            hyb_lowering_text_ints (lowering, (guint) rank, begin), "end",
                            hyb_lowering_text_ints (lowering, (guint) rank, end), "step",
                            hyb_lowering_text_ints (lowering, (guint) rank, steps), NULL);
}

/* All axes at once, where the graph only runs and no range is empty.  HYB_NO_ID if that does not hold, or for one range without
 * steps. */
static HybValueId
slice_axes (HybLowering *lowering, HybValueId x, const Ranges *ranges)
{
  const HybShape *shape = &hyb_lowering_get_type (lowering, x)->shape;
  gint64          begin[HYB_MAX_RANK] = { 0 }, end[HYB_MAX_RANK], step[HYB_MAX_RANK];
  guint           seen = 0; /* axes, as bits */

  if (!hyb_lowering_is_for_run (lowering) || ranges->n == 0 ||
      (ranges->n == 1 && ranges->step[0] == 1))
    return HYB_NO_ID;
  for (int a = 0; a < shape->rank; a++)
    {
      end[a] = HYB_NONE;
      step[a] = 1;
    }
  for (guint i = 0; i < ranges->n; i++)
    {
      gint64 axis = ranges->axis[i] < 0 ? ranges->axis[i] + shape->rank : ranges->axis[i];
      gint64 start = ranges->start[i], n, last;

      if (axis < 0 || axis >= shape->rank || seen >> axis & 1 || ranges->step[i] == 0)
        return HYB_NO_ID;
      seen |= 1u << axis;
      n = clamp_range (shape->dim[axis], ranges->step[i], &start, ranges->end[i]);
      if (n == 0)
        return HYB_NO_ID;
      /* The step of a single element does not matter, and a huge one would overflow. */
      step[axis] = n == 1 ? 1 : ranges->step[i];
      last = start + (n - 1) * step[axis];
      begin[axis] = start;
      end[axis] = step[axis] > 0 ? last + 1 : last == 0 ? HYB_NONE : last - 1;
    }
  return hyb_lowering_emit (lowering, "slice", 1, &x, "begin",
                            hyb_lowering_text_ints (lowering, (guint) shape->rank, begin), "end",
                            hyb_lowering_text_ints (lowering, (guint) shape->rank, end), "step",
                            hyb_lowering_text_ints (lowering, (guint) shape->rank, step), NULL);
}

/* Without contents of the ranges, or of an axis of unknown size, only the rank and other axes are known. */
static void
set_open_type (HybLowering *lowering, const Ranges *ranges)
{
  HybType type = *hyb_onnx_type (lowering, 0);

  for (int a = 0; a < type.shape.rank; a++)
    {
      gboolean is_cut = !ranges;

      for (guint i = 0; ranges && i < ranges->n; i++)
        {
          gint64 axis = ranges->axis[i] < 0 ? ranges->axis[i] + type.shape.rank : ranges->axis[i];

          is_cut |= axis == a && (type.shape.dim[a] >= 0 || ranges->start[i] != 0 ||
                                  ranges->end[i] != G_MAXINT64 || ranges->step[i] != 1);
        }
      if (is_cut)
        type.shape.dim[a] = HYB_UNKNOWN;
    }
  hyb_lowering_set_type (lowering, 0, &type);
}

static void
lower_slice (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_input (lowering, 0), result;
  HybType    type = *hyb_onnx_type (lowering, 0);
  Ranges     ranges = { 0 };

  /* 1. Unknown starts or ends leave only the rank of the result known. */
  for (guint i = 1; i < 5; i++)
    if (hyb_onnx_has_input (lowering, i) && !hyb_onnx_contents (lowering, i))
      {
        set_open_type (lowering, NULL);
        return;
      }
  if (!read_ranges (lowering, &ranges))
    {
      hyb_lowering_fail (lowering, NULL, "starts, ends, axes and steps are not equally many");
      return;
    }
  /* 2. The first n rows of a padded result of a loop are the rows that the loop made. */
  if (!hyb_shape_is_known (&type.shape) && ranges.n == 1 && ranges.axis[0] == 0 &&
      ranges.start[0] == 0 && ranges.step[0] == 1)
    {
      HybValueId rows = hyb_onnx_find_padded_rows (lowering, x, ranges.end[0]);

      if (rows != HYB_NO_ID)
        {
          hyb_lowering_set_output (lowering, 0, hyb_onnx_unary (lowering, "_copy", rows));
          return;
        }
    }
  if (!hyb_shape_is_known (&type.shape))
    {
      set_open_type (lowering, &ranges);
      return;
    }
  /* 3. Otherwise all axes are sliced at once, or one after the other. */
  result = slice_axes (lowering, x, &ranges);
  if (result != HYB_NO_ID)
    {
      hyb_lowering_set_output (lowering, 0, result);
      return;
    }
  for (guint i = 0; i < ranges.n && x != HYB_NO_ID; i++)
    {
      int axis = hyb_onnx_axis (lowering, ranges.axis[i], type.shape.rank);

      if (axis < 0)
        return;
      if (ranges.step[i] == 0)
        {
          hyb_lowering_fail (lowering, NULL, "its step is 0");
          return;
        }
      x = slice_axis (lowering, x, axis, &ranges, i);
    }
  /* Nothing was sliced: the output still needs a node. */
  if (x != HYB_NO_ID && x == hyb_onnx_input (lowering, 0))
    x = hyb_onnx_unary (lowering, "_copy", x);
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Split --- */

/* Default sizes without attribute or input: equal ones, the last may be smaller. */
static void
equal_parts (gint64 size, guint n, gint64 *parts)
{
  gint64 part = n > 0 ? (size + n - 1) / n : 0;

  for (guint i = 0; i < n; i++)
    {
      parts[i] = CLAMP (size, 0, part);
      size -= parts[i];
    }
}

/* The sizes of n parts of an axis: the node's, else equal ones.  FALSE, and a failure, if they do not add up to the
 * axis. */
static gboolean
read_parts (HybLowering *lowering, gint64 size, guint n, gint64 *parts)
{
  HybTensor    *contents = hyb_onnx_contents (lowering, 1);
  const gint64 *given = NULL;
  guint         n_listed = 0;
  gint64        n_given, left = size;

  hyb_onnx_ints (lowering, "split", &n_listed, &given);
  n_given = contents ? hyb_tensor_get_size (contents) : given ? n_listed : 0;
  if (n_given > 0 && n_given != n)
    {
      hyb_lowering_fail (lowering, NULL, "it has %u outputs, but %" G_GINT64_FORMAT " sizes", n,
                         n_given);
      return FALSE;
    }
  equal_parts (size, n, parts);
  for (guint i = 0; i < n; i++)
    {
      if (n_given > 0)
        parts[i] = contents ? hyb_dtype_get_int (hyb_tensor_get_data (contents),
                                                 hyb_tensor_get_dtype (contents), i)
                            : given[i];
      if (parts[i] < 0 || parts[i] > left || (i + 1 == n && parts[i] != left))
        {
          hyb_lowering_fail (lowering, NULL,
                             "its parts do not add up to the axis of %" G_GINT64_FORMAT " elements",
                             size);
          return FALSE;
        }
      left -= parts[i];
    }
  return TRUE;
}

static void
lower_split (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  guint      n = hyb_lowering_get_node (lowering)->n_outputs;
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), type.shape.rank);
  g_autofree gint64 *parts = g_new0 (gint64, MAX (n, 1));
  gint64             at = 0;

  if (axis < 0)
    return;
  if ((hyb_onnx_has_input (lowering, 1) && !hyb_onnx_contents (lowering, 1)) ||
      type.shape.dim[axis] < 0)
    {
      type.shape.dim[axis] = HYB_UNKNOWN;
      for (guint i = 0; i < n; i++)
        hyb_lowering_set_type (lowering, i, &type);
      return;
    }
  if (!read_parts (lowering, type.shape.dim[axis], n, parts))
    return;
  for (guint i = 0; i < n; i++)
    {
      hyb_lowering_set_output (lowering, i, hyb_onnx_slice (lowering, x, axis, at, at + parts[i]));
      at += parts[i];
    }
}

/* --- Concat --- */

static void
lower_concat (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering);
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (n, 1));
  gint64                 fallback = hyb_onnx_opset (lowering) < 4 ? 1 : 0;
  int                    rank = HYB_UNKNOWN, axis;

  for (guint i = 0; i < n; i++)
    {
      inputs[i] = hyb_onnx_input (lowering, i);
      rank = MAX (rank, hyb_onnx_type (lowering, i)->shape.rank);
    }
  axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", fallback), rank);
  if (axis >= 0)
    hyb_lowering_set_output (lowering, 0, hyb_onnx_concat (lowering, n, inputs, axis));
}

/* --- Gather --- */

static void
lower_gather (HybLowering *lowering)
{
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  int        axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), rank);
  HybValueId inputs[] = { hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1) };

  if (axis < 0)
    return;
  /* Negative indices count from the end. */
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "take", 2, inputs, "axis",
                                              hyb_lowering_text (lowering, "%d", axis), "mode",
                                              "wrap", NULL));
}

/* --- Pad --- */

/* Cuts off where padding is negative, and leaves the rest. */
static HybValueId
cut_negative (HybLowering *lowering, HybValueId x, int rank, gint64 *before, gint64 *after)
{
  for (int i = 0; i < rank; i++)
    {
      gint64 size = hyb_lowering_get_type (lowering, x)->shape.dim[i];

      if (before[i] >= 0 && after[i] >= 0)
        continue;
      x = hyb_onnx_slice (lowering, x, i, MAX (-before[i], 0), size - MAX (-after[i], 0));
      before[i] = MAX (before[i], 0);
      after[i] = MAX (after[i], 0);
    }
  return x;
}

static void
pad (HybLowering *lowering, int rank, gint64 *before, gint64 *after, double value)
{
  const char *mode = hyb_onnx_string (lowering, "mode", "constant");
  HybValueId  x = cut_negative (lowering, hyb_onnx_input (lowering, 0), rank, before, after);
  g_autoptr (GString) pairs = g_string_new ("(");

  for (int i = 0; i < rank; i++)
    g_string_append_printf (pairs, "%s(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                            i > 0 ? ", " : "", before[i], after[i]);
  g_string_append (pairs, rank == 1 ? ",)" : ")");
  if (strcmp (mode, "wrap") == 0)
    {
      for (int i = 0; i < rank && x != HYB_NO_ID; i++)
        {
          gint64     size = hyb_lowering_get_type (lowering, x)->shape.dim[i];
          HybValueId parts[] = { hyb_onnx_slice (lowering, x, i, size - before[i], size), x,
                                 hyb_onnx_slice (lowering, x, i, 0, after[i]) };

          x = hyb_onnx_concat (lowering, 3, parts, i);
        }
      hyb_lowering_set_output (lowering, 0, x);
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_npi_pad", 1, &x, "pad_width", pairs->str,
                                              "mode", mode, "constant_value",
                                              hyb_lowering_text (lowering, "%.17g", value), NULL));
}

/* Before version 11 everything is an attribute; version 1 calls pads paddings. */
static void
lower_old_pad (HybLowering *lowering)
{
  int           rank = hyb_onnx_type (lowering, 0)->shape.rank;
  gint64        before[HYB_MAX_RANK], after[HYB_MAX_RANK];
  guint         n;
  const gint64 *given;

  if (!hyb_onnx_ints (lowering, "pads", &n, &given))
    hyb_onnx_ints (lowering, "paddings", &n, &given);
  if (rank < 0 || n != 2 * (guint) rank)
    {
      hyb_lowering_fail (lowering, NULL, "it has %u pads for an input of %d dimensions", n, rank);
      return;
    }
  for (int i = 0; i < rank; i++)
    {
      before[i] = given[i];
      after[i] = given[i + rank];
    }
  pad (lowering, rank, before, after, hyb_onnx_float (lowering, "value", 0));
}

/* The pads of input 1, which belong to the axes of input 3 if that is given. */
static gboolean
read_pads (HybLowering *lowering, int rank, gint64 *before, gint64 *after)
{
  HybTensor *pads = hyb_onnx_contents (lowering, 1);
  gint64     axes[HYB_MAX_RANK];
  guint      n_axes = (guint) rank;

  for (int i = 0; i < rank; i++)
    {
      axes[i] = i;
      before[i] = after[i] = 0;
    }
  if (hyb_onnx_has_input (lowering, 3) && !hyb_onnx_input_ints (lowering, 3, &n_axes, axes))
    return FALSE;
  if (hyb_tensor_get_size (pads) != 2 * (gint64) n_axes)
    {
      hyb_lowering_fail (lowering, NULL, "it has %" G_GINT64_FORMAT " pads for %u axes",
                         hyb_tensor_get_size (pads), n_axes);
      return FALSE;
    }
  for (guint i = 0; i < n_axes; i++)
    {
      int           axis = hyb_onnx_axis (lowering, axes[i], rank);
      gconstpointer data = hyb_tensor_get_data (pads);

      if (axis < 0)
        return FALSE;
      before[axis] = hyb_dtype_get_int (data, hyb_tensor_get_dtype (pads), i);
      after[axis] = hyb_dtype_get_int (data, hyb_tensor_get_dtype (pads), i + n_axes);
    }
  return TRUE;
}

static void
lower_pad (HybLowering *lowering)
{
  HybType type = *hyb_onnx_type (lowering, 0);
  gint64  before[HYB_MAX_RANK], after[HYB_MAX_RANK];

  if (!hyb_onnx_contents (lowering, 1) || !hyb_shape_is_known (&type.shape))
    {
      hyb_onnx_set_rank (lowering, 0, type.dtype, type.shape.rank);
      return;
    }
  if (read_pads (lowering, type.shape.rank, before, after))
    pad (lowering, type.shape.rank, before, after,
         hyb_onnx_has_input (lowering, 2) ? hyb_onnx_input_double (lowering, 2, 0) : 0);
}

static const char *const slice_inputs[] = { "data", "starts", "ends", "axes", "steps", NULL };
static const char *const split_inputs[] = { "input", "split", NULL };
static const char *const concat_inputs[] = { "inputs", NULL };
static const char *const gather_inputs[] = { "data", "indices", NULL };
static const char *const pad_inputs[] = { "data", "pads", "constant_value", "axes", NULL };
static const char *const outputs[] = { "output", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, DOC)                                                        \
  {                                                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_MOVEMENT, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                                 \
    .since = SINCE                                                                                  \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_slice[] = {
  ROW ("Slice", 1, slice_inputs, lower_slice, "A range of each axis."),
  ROW ("Split", 1, split_inputs, lower_split, "Divides an axis into parts."),
  ROW ("Concat", 1, concat_inputs, lower_concat, "Joins arrays along an axis."),
  ROW ("Gather", 1, gather_inputs, lower_gather, "Slices along an axis, by index."),
  ROW ("Pad", 1, pad_inputs, lower_old_pad, "Adds elements around an array."),
  ROW ("Pad", 11, pad_inputs, lower_pad, "Adds elements around an array."),
  { .since = 0 },
};
/* clang-format on */
