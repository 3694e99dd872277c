/* slice.c — slice, slice_axis and slice_like: cut a box out of an array.
 *
 * For each operator a function …_box() computes where its box begins and how it steps (slice-box.h);
 * the extents of the box are those of the output.  A contiguous box is a view, others are one strided
 * copy.  Start with copy_out().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/array/slice-box.h"

#include <string.h>

static HybBox
whole_box (const HybShape *data)
{
  HybBox box;

  for (int i = 0; i < data->rank; i++)
    {
      box.begin[i] = 0;
      box.step[i] = 1;
    }
  return box;
}

static void
copy_out (const HybCall *call, const HybRun *run, const HybBox *box)
{
  const HybShape *data = &call->input[0].shape;
  const HybShape *out = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK];
  gint64          start;

  if (hyb_shape_size (out) == 0)
    return;

  start = hyb_box_lay (box, data, from);
  hyb_dims_strides (out, to);
  for (int i = 0; i < out->rank; i++)
    hyb_move_axis (&move, out->dim[i], from[i], to[i]);
  hyb_move (&move, (const char *) run->input[0] + start * (gint64) move.item, run->output[0]);
}

/* The gradient: zero outside of the box.  Inputs: gradient, data (for its shape). */
static void
copy_back (const HybCall *call, const HybRun *run, const HybBox *box)
{
  const HybShape *part = &call->input[0].shape;
  const HybShape *data = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK];
  gint64          start;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (hyb_shape_size (part) == 0)
    return;

  start = hyb_box_lay (box, data, to);
  hyb_dims_strides (part, from);
  for (int i = 0; i < part->rank; i++)
    hyb_move_axis (&move, part->dim[i], from[i], to[i]);
  hyb_move (&move, run->input[0], (char *) run->output[0] + start * (gint64) move.item);
}

/* A box is contiguous if it contains all elements of every axis after its first axis of more than
 * one element. */
static gboolean
view_box (const HybCall *call, const HybBox *box, guint *input, gsize *offset)
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
  *offset = (gsize) hyb_box_lay (box, data, stride) * hyb_dtype_size (call->input[0].dtype);
  return TRUE;
}

/* --- slice --- */

static gboolean
slice_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  out;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  return hyb_slice_shape (call->params, data, &out, error) &&
         hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- slice_axis --- */

typedef struct
{
  gint64 axis, begin, end;
} SliceAxisParams;

static const HybParam slice_axis_params[] = {
  { HYB_FIELD (SliceAxisParams, axis), HYB_PARAM_INT, .doc = "axis that is cut" },
  { HYB_FIELD (SliceAxisParams, begin), HYB_PARAM_INT, .doc = "first index" },
  { HYB_FIELD (SliceAxisParams, end), HYB_PARAM_OPTIONAL_INT,
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
        return hyb_refuse_types (error, "Both must be inside the axis, and begin less than end",
                                 "begin %" G_GINT64_FORMAT " and end %" G_GINT64_FORMAT
                                 " select nothing from an axis of %" G_GINT64_FORMAT " elements",
                                 params->begin, end, data->dim[axis]);
      out.dim[axis] = end - begin;
    }
  if (!hyb_shape_unify (&call->output[0].shape, &out, error))
    return FALSE;

  for (int i = 0; i < data->rank; i++)
    if (i != axis)
      data->dim[i] = out.dim[i];
  return TRUE;
}

static HybBox
slice_axis_box (gconstpointer values, const HybShape *data)
{
  const SliceAxisParams *params = values;
  int                    axis = hyb_shape_axis (data, params->axis, NULL);
  HybBox                 box = whole_box (data);
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
  { HYB_FIELD (SliceLikeParams, axes), HYB_PARAM_INTS, "()",
    .doc = "axes that are cut; empty: all" },
  { 0 },
};

/* Shortens one axis of *out to the size of *like. */
static gboolean
cut_like (HybShape *out, const HybShape *like, int axis, GError **error)
{
  if (axis >= like->rank)
    return hyb_refuse_types (error, NULL, "the second input has no axis %d to cut like", axis);
  if (like->dim[axis] != HYB_UNKNOWN && out->dim[axis] != HYB_UNKNOWN &&
      like->dim[axis] > out->dim[axis])
    return hyb_refuse_types (error, "A cut can only make an axis shorter",
                             "axis %d has %" G_GINT64_FORMAT
                             " elements, fewer than the %" G_GINT64_FORMAT " of the second input",
                             axis, out->dim[axis], like->dim[axis]);
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
    return hyb_refuse_types (error, "Name the axes to cut",
                             "inputs of %d and %d dimensions have no common axes", data->rank,
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

static HybBox
slice_like_box (gconstpointer values, const HybShape *data)
{
  return whole_box (data);
}

/* --- Shared by the three operators --- */

/* The gradient operator does not get shape_like, but the gradient has its size along the cut axes,
 * so it can take its place. */
static gboolean
slice_like_backward_infer_shape (HybCall *call, GError **error)
{
  HybType operands[] = { call->input[1], call->input[0], call->input[0] };
  HybCall forward = { .params = call->params, .input = operands, .output = operands + 2 };

  return hyb_rule_shape_of_second (call, error) && slice_like_infer_shape (&forward, error);
}

#define BOX_FUNCTIONS(stem, find_box)                                                          \
  static void stem##_forward (const HybCall *call, const HybRun *run)                          \
  {                                                                                            \
    HybBox box = find_box (call->params, &call->input[0].shape);                               \
                                                                                               \
    copy_out (call, run, &box);                                                                \
  }                                                                                            \
                                                                                               \
  static void stem##_backward (const HybCall *call, const HybRun *run)                         \
  {                                                                                            \
    HybBox box = find_box (call->params, &call->output[0].shape);                              \
                                                                                               \
    copy_back (call, run, &box);                                                               \
  }                                                                                            \
                                                                                               \
  static gboolean stem##_view (const HybCall *call, guint output, guint *input, gsize *offset) \
  {                                                                                            \
    HybBox box = find_box (call->params, &call->input[0].shape);                               \
                                                                                               \
    return view_box (call, &box, input, offset);                                               \
  }

BOX_FUNCTIONS (slice, hyb_slice_box)
BOX_FUNCTIONS (slice_axis, slice_axis_box)
BOX_FUNCTIONS (slice_like, slice_like_box)

#undef BOX_FUNCTIONS

static const char *const data_input[] = { "data", NULL };
static const char *const like_inputs[] = { "data", "shape_like", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };
static const char *const slice_aliases[] = { "crop", NULL };

#define SLICE_OP(stem, text, input_names, table, Params)                                \
  .name = #stem, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .inputs = input_names, \
  .params = table, .params_size = sizeof (Params), .infer_shape = stem##_infer_shape,   \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_forward, .view = stem##_view,             \
  .gradient = hyb_gradient_by_operands, .cost = hyb_rule_cost_move

#define BACKWARD_OP(stem, table, Params)                                                  \
  .name = "_backward_" #stem, .gradient_of = #stem, .operands = "g0 i0 > i0",             \
  .doc = "Gradient of " #stem ": zero for elements that were not selected.",              \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_INTERNAL, .inputs = backward_inputs, \
  .params = table, .params_size = sizeof (Params), .dtypes = HYB_DTYPES_ALL,              \
  .forward = stem##_backward, .cost = hyb_rule_cost_move

const HybOp hyb_ops_slice[] = {
  {
      SLICE_OP (slice,
                "Selects a range of each leading axis, optionally with a step.",
                data_input,
                hyb_slice_params,
                HybSliceParams),
      .aliases = slice_aliases,
      .check = hyb_slice_check,
  },
  { SLICE_OP (slice_axis,
              "Selects a range of one axis.",
              data_input,
              slice_axis_params,
              SliceAxisParams) },
  {
      SLICE_OP (slice_like,
                "Cuts axes to the sizes of another array.",
                like_inputs,
                slice_like_params,
                SliceLikeParams),
      .constant_inputs = 1 << 1,
      .infer_dtype = hyb_rule_dtype_first,
  },
  { BACKWARD_OP (slice, hyb_slice_params, HybSliceParams) },
  { BACKWARD_OP (slice_axis, slice_axis_params, SliceAxisParams) },
  { BACKWARD_OP (slice_like, slice_like_params, SliceLikeParams),
    .infer_shape = slice_like_backward_infer_shape },
  { 0 },
};

#undef SLICE_OP
#undef BACKWARD_OP
