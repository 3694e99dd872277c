/* slice.c — slice, slice_axis and slice_like: cut a box out of an array.
 *
 * For each operator a function …_box() computes where its box begins and how it steps; the extents
 * of the box are those of the output.  A contiguous box is a view, others are one strided copy.
 * Start with copy_out() and slice_box().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* For every axis the first index and the distance between indices. */
typedef struct
{
  gint64 begin[HYB_MAX_RANK];
  gint64 step[HYB_MAX_RANK];
} Box;

static Box
whole_box (const HybShape *data)
{
  Box box;

  for (int i = 0; i < data->rank; i++)
    {
      box.begin[i] = 0;
      box.step[i] = 1;
    }
  return box;
}

/* Sets stride[] to the strides of the box inside data, and returns the index of its first element. */
static gint64
lay_box (const Box *box, const HybShape *data, gint64 *stride)
{
  gint64 start = 0;

  hyb_dims_strides (data, stride);
  for (int i = 0; i < data->rank; i++)
    {
      start += box->begin[i] * stride[i];
      stride[i] *= box->step[i];
    }
  return start;
}

static void
copy_out (const HybCall *call, const HybRun *run, const Box *box)
{
  const HybShape *data = &call->input[0].shape;
  const HybShape *out = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK];
  gint64          start;

  if (hyb_shape_size (out) == 0)
    return;

  start = lay_box (box, data, from);
  hyb_dims_strides (out, to);
  for (int i = 0; i < out->rank; i++)
    hyb_move_axis (&move, out->dim[i], from[i], to[i]);
  hyb_move (&move, (const char *) run->input[0] + start * (gint64) move.item, run->output[0]);
}

/* The gradient: zero outside of the box.  Inputs: gradient, data (for its shape). */
static void
copy_back (const HybCall *call, const HybRun *run, const Box *box)
{
  const HybShape *part = &call->input[0].shape;
  const HybShape *data = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK];
  gint64          start;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (hyb_shape_size (part) == 0)
    return;

  start = lay_box (box, data, to);
  hyb_dims_strides (part, from);
  for (int i = 0; i < part->rank; i++)
    hyb_move_axis (&move, part->dim[i], from[i], to[i]);
  hyb_move (&move, run->input[0], (char *) run->output[0] + start * (gint64) move.item);
}

/* A box is contiguous if it contains all elements of every axis after its first axis of more than
 * one element. */
static gboolean
view_box (const HybCall *call, const Box *box, guint *input, gsize *offset)
{
  const HybShape *data = &call->input[0].shape;
  const HybShape *out = &call->output[0].shape;
  gint64          stride[HYB_MAX_RANK];
  int             first = 0;

  if (hyb_shape_size (out) == 0)
    return FALSE;

  while (first < out->rank && out->dim[first] == 1)
    first++;
  if (first < out->rank && box->step[first] != 1)
    return FALSE;
  for (int i = first + 1; i < out->rank; i++)
    if (out->dim[i] != data->dim[i] || (box->step[i] != 1 && out->dim[i] != 1))
      return FALSE;

  *input = 0;
  *offset = (gsize) lay_box (box, data, stride) * hyb_dtype_size (call->input[0].dtype);
  return TRUE;
}

/* --- slice --- */

typedef struct
{
  HybInts begin, end, step;
} SliceParams;

static const HybParam slice_params[] = {
  { HYB_FIELD (SliceParams, begin), HYB_PARAM_INTS, .doc = "first index of each leading axis" },
  { HYB_FIELD (SliceParams, end), HYB_PARAM_INTS, .doc = "index after the last" },
  { HYB_FIELD (SliceParams, step),
    HYB_PARAM_INTS,
    "()",
    .doc = "distance between indices, may be negative" },
  { 0 },
};

static gboolean
slice_check (gconstpointer values, GError **error)
{
  const SliceParams *params = values;

  if (MAX (0, params->begin.n) != MAX (0, params->end.n))
    return hyb_refuse_attribute (error,
                                 "Give both one number for each leading axis.",
                                 "begin has %d elements but end has %d",
                                 MAX (0, params->begin.n),
                                 MAX (0, params->end.n));
  if (params->step.n > 0 && params->step.n != params->begin.n)
    return hyb_refuse_attribute (error,
                                 NULL,
                                 "step has %d elements but begin has %d",
                                 params->step.n,
                                 params->begin.n);
  for (int i = 0; i < params->step.n; i++)
    if (params->step.value[i] == 0)
      return hyb_refuse_attribute (error, NULL, "a step cannot be 0");
  if (params->begin.n > HYB_MAX_RANK)
    return hyb_refuse_attribute (error, NULL, "begin has more than %d elements", HYB_MAX_RANK);

  return TRUE;
}

/* Resolves begin:end:step on an axis of `size` elements as NumPy does: None is open, negative
 * numbers count from the end, and numbers outside are clamped.  Sets *first to the first index and
 * returns the number of elements. */
static gint64
resolve_slice (gint64 size, gint64 begin, gint64 end, gint64 step, gint64 *first)
{
  gint64 low = step > 0 ? 0 : -1;
  gint64 high = step > 0 ? size : size - 1;

  if (begin == HYB_NONE)
    begin = step > 0 ? low : high;
  else
    begin = CLAMP (begin < 0 ? begin + size : begin, low, high);
  if (end == HYB_NONE)
    end = step > 0 ? high : low;
  else
    end = CLAMP (end < 0 ? end + size : end, low, high);

  *first = begin;
  if (step > 0)
    return end > begin ? (end - begin - 1) / step + 1 : 0;
  /* −step overflows for G_MININT64, with which no axis has a second element anyway. */
  return begin > end ? (begin - end - 1) / (step == G_MININT64 ? G_MAXINT64 : -step) + 1 : 0;
}

typedef struct
{
  gint64 begin, step, count;
} SliceRange;

/* The indices that axis number i, of `size` elements, keeps. */
static SliceRange
range_of_axis (const SliceParams *params, int i, gint64 size)
{
  SliceRange range = { .begin = 0, .step = 1, .count = size };

  if (i >= params->begin.n)
    return range;

  if (i < params->step.n && params->step.value[i] != HYB_NONE)
    range.step = params->step.value[i];
  range.count =
      resolve_slice (size, params->begin.value[i], params->end.value[i], range.step, &range.begin);
  /* The step of a single element does not matter, and a huge one would overflow strides. */
  if (range.count <= 1)
    range.step = 1;
  return range;
}

static Box
slice_box (gconstpointer values, const HybShape *data)
{
  Box box;

  for (int i = 0; i < data->rank; i++)
    {
      SliceRange range = range_of_axis (values, i, data->dim[i]);

      box.begin[i] = range.begin;
      box.step[i] = range.step;
    }
  return box;
}

static gboolean
slice_infer_shape (HybCall *call, GError **error)
{
  const SliceParams *params = call->params;
  HybShape          *data = &call->input[0].shape;
  HybShape           out = { .rank = data->rank };

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->begin.n > data->rank)
    return hyb_refuse_types (error,
                             NULL,
                             "begin names %d axes but the input has %d",
                             params->begin.n,
                             data->rank);

  for (int i = 0; i < data->rank; i++)
    out.dim[i] =
        data->dim[i] == HYB_UNKNOWN ? HYB_UNKNOWN : range_of_axis (params, i, data->dim[i]).count;

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- slice_axis --- */

typedef struct
{
  gint64 axis, begin, end;
} SliceAxisParams;

static const HybParam slice_axis_params[] = {
  { HYB_FIELD (SliceAxisParams, axis), HYB_PARAM_INT, .doc = "axis that is cut" },
  { HYB_FIELD (SliceAxisParams, begin), HYB_PARAM_INT, .doc = "first index" },
  { HYB_FIELD (SliceAxisParams, end),
    HYB_PARAM_OPTIONAL_INT,
    .doc = "index after the last; None: to the end" },
  { 0 },
};

/* Resolves negative indices and None on an axis of `size` elements; does not check the result. */
static void
slice_axis_bounds (const SliceAxisParams *params, gint64 size, gint64 *begin, gint64 *end)
{
  *begin = params->begin < 0 ? params->begin + size : params->begin;
  *end = params->end == HYB_NONE ? size : params->end < 0 ? params->end + size : params->end;
}

static gboolean
slice_axis_infer_shape (HybCall *call, GError **error)
{
  const SliceAxisParams *params = call->params;
  HybShape              *data = &call->input[0].shape;
  HybShape               out = *data;
  gint64                 begin, end;
  int                    axis;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  axis = hyb_shape_axis (data, params->axis, error);
  if (axis < 0)
    return FALSE;

  if (data->dim[axis] != HYB_UNKNOWN)
    {
      slice_axis_bounds (params, data->dim[axis], &begin, &end);
      if (begin < 0 || end > data->dim[axis] || begin >= end)
        return hyb_refuse_types (error,
                                 "Both must be inside the axis, and begin less than end.",
                                 "begin %" G_GINT64_FORMAT " and end %" G_GINT64_FORMAT
                                 " select nothing from an axis of %" G_GINT64_FORMAT " elements",
                                 params->begin,
                                 end,
                                 data->dim[axis]);
      out.dim[axis] = end - begin;
    }
  if (!hyb_shape_unify (&call->output[0].shape, &out, error))
    return FALSE;

  for (int i = 0; i < data->rank; i++)
    if (i != axis)
      data->dim[i] = out.dim[i];
  return TRUE;
}

static Box
slice_axis_box (gconstpointer values, const HybShape *data)
{
  const SliceAxisParams *params = values;
  int                    axis = hyb_shape_axis (data, params->axis, NULL);
  Box                    box = whole_box (data);
  gint64                 end;

  slice_axis_bounds (params, data->dim[axis], &box.begin[axis], &end);
  return box;
}

/* --- slice_like --- */

typedef struct
{
  HybInts axes;
} SliceLikeParams;

static const HybParam slice_like_params[] = {
  { HYB_FIELD (SliceLikeParams, axes),
    HYB_PARAM_INTS,
    "()",
    .doc = "axes that are cut; empty: all" },
  { 0 },
};

/* Shortens one axis of *out to that of *like. */
static gboolean
cut_like (HybShape *out, const HybShape *like, int axis, GError **error)
{
  if (axis >= like->rank)
    return hyb_refuse_types (error, NULL, "the second input has no axis %d to cut like", axis);
  if (like->dim[axis] != HYB_UNKNOWN && out->dim[axis] != HYB_UNKNOWN &&
      like->dim[axis] > out->dim[axis])
    return hyb_refuse_types (error,
                             "A cut can only make an axis shorter.",
                             "axis %d has %" G_GINT64_FORMAT
                             " elements, fewer than the %" G_GINT64_FORMAT " of the second input",
                             axis,
                             out->dim[axis],
                             like->dim[axis]);
  out->dim[axis] = like->dim[axis];
  return TRUE;
}

static gboolean
slice_like_infer_shape (HybCall *call, GError **error)
{
  const SliceLikeParams *params = call->params;
  HybShape              *data = &call->input[0].shape;
  HybShape              *like = &call->input[1].shape;
  HybShape               out = *data;

  if (data->rank == HYB_UNKNOWN || like->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->axes.n <= 0 && data->rank != like->rank)
    return hyb_refuse_types (error,
                             "Name the axes to cut.",
                             "inputs of %d and %d dimensions have no common axes",
                             data->rank,
                             like->rank);

  for (int i = 0; params->axes.n <= 0 && i < data->rank; i++)
    if (!cut_like (&out, like, i, error))
      return FALSE;
  for (int i = 0; i < params->axes.n; i++)
    {
      int axis = hyb_shape_axis (data, params->axes.value[i], error);

      if (axis < 0 || !cut_like (&out, like, axis, error))
        return FALSE;
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static Box
slice_like_box (gconstpointer values, const HybShape *data)
{
  return whole_box (data);
}

/* --- What the three operators share --- */

/* infer_shape of the gradients.  Inputs: gradient, data. */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->output[0].shape, &call->input[1].shape, error);
}

/* The gradient operator does not get shape_like, but the gradient has its size along the cut axes,
 * so it can take its place. */
static gboolean
slice_like_backward_infer_shape (HybCall *call, GError **error)
{
  HybType operands[] = { call->input[1], call->input[0], call->input[0] };
  HybCall forward = { .params = call->params, .input = operands, .output = operands + 2 };

  return backward_infer_shape (call, error) && slice_like_infer_shape (&forward, error);
}

static void
emit_backward (HybGrad *grad, const char *op)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_input (grad, 0) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, op, 2, inputs));
}

#define BOX_FUNCTIONS(stem)                                                                    \
  static void stem##_forward (const HybCall *call, const HybRun *run)                          \
  {                                                                                            \
    Box box = stem##_box (call->params, &call->input[0].shape);                                \
                                                                                               \
    copy_out (call, run, &box);                                                                \
  }                                                                                            \
                                                                                               \
  static void stem##_backward (const HybCall *call, const HybRun *run)                         \
  {                                                                                            \
    Box box = stem##_box (call->params, &call->output[0].shape);                               \
                                                                                               \
    copy_back (call, run, &box);                                                               \
  }                                                                                            \
                                                                                               \
  static gboolean stem##_view (const HybCall *call, guint output, guint *input, gsize *offset) \
  {                                                                                            \
    Box box = stem##_box (call->params, &call->input[0].shape);                                \
                                                                                               \
    return view_box (call, &box, input, offset);                                               \
  }                                                                                            \
                                                                                               \
  static void stem##_gradient (HybGrad *grad)                                                  \
  {                                                                                            \
    emit_backward (grad, "_backward_" #stem);                                                  \
  }

BOX_FUNCTIONS (slice)
BOX_FUNCTIONS (slice_axis)
BOX_FUNCTIONS (slice_like)

#undef BOX_FUNCTIONS

static const char *const data_input[] = { "data", NULL };
static const char *const like_inputs[] = { "data", "shape_like", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };
static const char *const slice_aliases[] = { "crop", NULL };

#define SLICE_OP(stem, text, input_names, Params)                                             \
  .name = #stem, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .inputs = input_names,       \
  .params = stem##_params, .params_size = sizeof (Params), .infer_shape = stem##_infer_shape, \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_forward, .view = stem##_view,                   \
  .gradient = stem##_gradient, .cost = hyb_rule_cost_move

#define BACKWARD_OP(stem, Params, infer)                                                  \
  .name = "_backward_" #stem, .gradient_of = #stem, .operands = "g0 i0 > i0",             \
  .doc = "Gradient of " #stem ": zero for elements that were not selected.",              \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_INTERNAL, .inputs = backward_inputs, \
  .params = stem##_params, .params_size = sizeof (Params), .infer_shape = infer,          \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_backward, .cost = hyb_rule_cost_move

const HybOp hyb_ops_slice[] = {
  {
      SLICE_OP (slice,
                "Selects a range of each leading axis, optionally with a step.",
                data_input,
                SliceParams),
      .aliases = slice_aliases,
      .check = slice_check,
  },
  { SLICE_OP (slice_axis, "Selects a range of one axis.", data_input, SliceAxisParams) },
  {
      SLICE_OP (slice_like,
                "Cuts axes to the sizes of those of another array.",
                like_inputs,
                SliceLikeParams),
      .constant_inputs = 1 << 1,
      .infer_dtype = hyb_rule_dtype_first,
  },
  { BACKWARD_OP (slice, SliceParams, backward_infer_shape) },
  { BACKWARD_OP (slice_axis, SliceAxisParams, backward_infer_shape) },
  { BACKWARD_OP (slice_like, SliceLikeParams, slice_like_backward_infer_shape) },
  { 0 },
};

#undef SLICE_OP
#undef BACKWARD_OP
