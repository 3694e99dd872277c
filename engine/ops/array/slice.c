/* slice.c — a box cut out of an array: slice, slice_axis, slice_like.
 *
 * Each operator says where its box begins and how it steps; the extents are
 * those of the output.  A box that is one run of memory is a view.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

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

/* Strides of the box inside data, in *stride; where it begins is returned. */
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

/* The gradient of a cut: zero outside the box.  Inputs: gradient, data. */
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

/* A box is one run if behind its first axis of more than one element all is whole. */
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

/* slice */

typedef struct
{
  HybInts begin, end, step;
} SliceParams;

static const HybParam slice_params[] = {
  { HYB_FIELD (SliceParams, begin), HYB_PARAM_INTS, .doc = "first index of each leading axis" },
  { HYB_FIELD (SliceParams, end), HYB_PARAM_INTS, .doc = "index behind the last" },
  { HYB_FIELD (SliceParams, step), HYB_PARAM_INTS, "()", .doc = "distance, perhaps negative" },
  { 0 },
};

static gboolean
slice_check (gconstpointer values, GError **error)
{
  const SliceParams *params = values;

  if (MAX (0, params->begin.n) != MAX (0, params->end.n))
    return hyb_refuse_attribute (error,
                                 "Both name the leading axes, one element each.",
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

/* As NumPy: None is open, negative counts from the end, beyond is cut.  Returns the
 * number of elements. */
static gint64
slice_range (gint64 size, gint64 begin, gint64 end, gint64 step, gint64 *first)
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
  /* −step overflows for the smallest integer only, which steps once at most. */
  return begin > end ? (begin - end - 1) / (step == G_MININT64 ? G_MAXINT64 : -step) + 1 : 0;
}

/* The range of axis i; extent may be NULL. */
static void
slice_axis_range (const SliceParams *params,
                  gint64             size,
                  int                i,
                  gint64            *begin,
                  gint64            *step,
                  gint64            *extent)
{
  gint64 count;

  *begin = 0;
  *step = 1;
  if (i >= params->begin.n)
    count = size;
  else
    {
      if (i < params->step.n && params->step.value[i] != HYB_NONE)
        *step = params->step.value[i];
      count = slice_range (size, params->begin.value[i], params->end.value[i], *step, begin);
      /* A lone element has no distance to the next (and a huge step no place). */
      if (count <= 1)
        *step = 1;
    }
  if (extent)
    *extent = count;
}

static Box
slice_box (gconstpointer values, const HybShape *data)
{
  Box box;

  for (int i = 0; i < data->rank; i++)
    slice_axis_range (values, data->dim[i], i, &box.begin[i], &box.step[i], NULL);
  return box;
}

static gboolean
slice_infer_shape (HybCall *call, GError **error)
{
  const SliceParams *params = call->params;
  HybShape          *data = &call->input[0].shape;
  HybShape           out = { .rank = data->rank };
  gint64             begin, step;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->begin.n > data->rank)
    return hyb_refuse_types (error,
                             NULL,
                             "begin names %d axes but the input has %d",
                             params->begin.n,
                             data->rank);

  for (int i = 0; i < data->rank; i++)
    if (data->dim[i] == HYB_UNKNOWN)
      out.dim[i] = HYB_UNKNOWN;
    else
      slice_axis_range (params, data->dim[i], i, &begin, &step, &out.dim[i]);

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* slice_axis */

typedef struct
{
  gint64 axis, begin, end;
} SliceAxisParams;

static const HybParam slice_axis_params[] = {
  { HYB_FIELD (SliceAxisParams, axis), HYB_PARAM_INT, .doc = "axis that is cut" },
  { HYB_FIELD (SliceAxisParams, begin), HYB_PARAM_INT, .doc = "first index" },
  { HYB_FIELD (SliceAxisParams, end),
    HYB_PARAM_OPTIONAL_INT,
    .doc = "index behind the last; None: to the end" },
  { 0 },
};

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
                                 "Both must lie inside, and begin before end.",
                                 "begin %" G_GINT64_FORMAT " and end %" G_GINT64_FORMAT
                                 " do not cut an axis of %" G_GINT64_FORMAT,
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

/* slice_like */

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

/* What the three have in common, from the box alone. */

static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->output[0].shape, &call->input[1].shape, error);
}

/* The gradient is as long as the array that nobody has any more: it stands for that. */
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
  .doc = "Gradient of " #stem ": zero where nothing was cut out.",                        \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_INTERNAL, .inputs = backward_inputs, \
  .params = stem##_params, .params_size = sizeof (Params), .infer_shape = infer,          \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_backward, .cost = hyb_rule_cost_move

const HybOp hyb_ops_slice[] = {
  {
      SLICE_OP (slice, "A part of each leading axis, perhaps in steps.", data_input, SliceParams),
      .aliases = slice_aliases,
      .check = slice_check,
  },
  { SLICE_OP (slice_axis, "A part of one axis.", data_input, SliceAxisParams) },
  {
      SLICE_OP (slice_like, "Cut to the sizes of another array.", like_inputs, SliceLikeParams),
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
