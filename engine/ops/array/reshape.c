/* reshape.c — Reshape, Flatten, expand_dims, squeeze and reshape_like: the same elements under
 * another shape.
 *
 * All of them are views of their input (hyb_rule_view_all); forward copies where the planner cannot
 * use a view.  What differs is how the shape is inferred: start with reshape_infer_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/ops/array/reshape-codes.h"
#include "engine/ops/array/reshape-family.h"

/* --- Reshape --- */

typedef struct
{
  HybShape shape;
  gboolean reverse;
  HybShape target_shape;
  gboolean keep_highest;
} ReshapeParams;

static const HybParam reshape_params[] = {
  { HYB_FIELD (ReshapeParams, shape), HYB_PARAM_SHAPE, "()",
    .doc = "sizes; 0 copies, -1 infers, -2 copies the rest, -3 merges two, -4 splits" },
  { HYB_FIELD (ReshapeParams, reverse), HYB_PARAM_BOOL, "False",
    .doc = "read the codes from right to left" },
  { HYB_FIELD (ReshapeParams, target_shape), HYB_PARAM_SHAPE, "()",
    .doc = "old form of shape: a single 0 is inferred" },
  { HYB_FIELD (ReshapeParams, keep_highest), HYB_PARAM_BOOL, "False",
    .doc = "old form: the first dimension stays" },
  { 0 },
};

/* Codes below HYB_RESHAPE_SPLIT belong to other operators. */
static gboolean
check_codes (const HybShape *codes, GError **error)
{
  for (int i = 0; i < codes->rank; i++)
    if (codes->dim[i] < HYB_RESHAPE_SPLIT)
      return hyb_refuse_attribute (error, "Use the codes 0 to -4",
                                   "shape has an unknown code %" G_GINT64_FORMAT, codes->dim[i]);
  return TRUE;
}

/* TRUE if the shape can be inferred even while the rank of the input is unknown. */
static gboolean
has_only_sizes (const HybShape *codes)
{
  for (int i = 0; i < codes->rank; i++)
    if (codes->dim[i] <= 0 && codes->dim[i] != HYB_RESHAPE_INFER)
      return FALSE;

  return TRUE;
}

/* target_shape: sizes, one of which may be 0 to be inferred. */
static gboolean
apply_target_shape (const ReshapeParams *params,
                    const HybShape      *data,
                    HybShape            *out,
                    GError             **error)
{
  gboolean has_inferred = FALSE;
  int      first = params->keep_highest ? 1 : 0;

  *out = params->target_shape;
  if (params->keep_highest)
    out->dim[0] = data->rank > 0 ? data->dim[0] : HYB_UNKNOWN;

  for (int i = first; i < out->rank; i++)
    if (out->dim[i] <= 0)
      {
        if (has_inferred)
          return hyb_refuse_attribute (error, NULL, "only one dimension of target_shape can be 0");
        has_inferred = TRUE;
        out->dim[i] = HYB_UNKNOWN;
      }
  return TRUE;
}

static gboolean
reshape_infer_shape (HybCall *call, GError **error)
{
  const ReshapeParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  HybShape             out = HYB_SHAPE_UNKNOWN;

  if (params->shape.rank > 0)
    {
      HybShape empty = { .rank = 0 };

      if (!check_codes (&params->shape, error))
        return FALSE;
      if (data->rank == HYB_UNKNOWN && !has_only_sizes (&params->shape))
        return TRUE;
      if (!hyb_reshape_by_codes (&params->shape, params->reverse,
                                 data->rank == HYB_UNKNOWN ? &empty : data, &out, error))
        return FALSE;
    }
  else if (params->target_shape.rank > 0 && !apply_target_shape (params, data, &out, error))
    return FALSE;

  return hyb_dims_same_size (data, &out, error) &&
         hyb_shape_assign (&call->output[0].shape, &out, error) &&
         hyb_dims_same_size (data, &call->output[0].shape, error);
}

/* --- Flatten --- */

static gboolean
flatten_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *output = &call->output[0].shape;
  HybShape  out;

  if (data->rank == HYB_UNKNOWN)
    {
      out = hyb_shape_make (2, NULL);
      return hyb_shape_assign (output, &out, error);
    }
  if (data->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional array cannot be flattened");

  out = hyb_shape_2d (data->dim[0], hyb_dims_product (data, 1, data->rank));
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  data->dim[0] = output->dim[0];
  return hyb_dims_same_size (data, output, error);
}

/* --- expand_dims --- */

typedef struct
{
  gint64 axis;
} ExpandParams;

static const HybParam expand_params[] = {
  { HYB_FIELD (ExpandParams, axis), HYB_PARAM_INT,
    .doc = "where the new axis is, negative from the end of the result" },
  { 0 },
};

static gboolean
expand_dims_infer_shape (HybCall *call, GError **error)
{
  const ExpandParams *params = call->params;
  HybShape           *data = &call->input[0].shape;
  HybShape           *output = &call->output[0].shape;
  HybShape            out, back;
  int                 rank = data->rank != HYB_UNKNOWN ? data->rank : output->rank - 1;
  int                 axis;

  if (rank < 0)
    return TRUE;
  if (rank >= HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  if (params->axis < -rank - 1 || params->axis > rank)
    return hyb_refuse_types (error, NULL,
                             "axis %" G_GINT64_FORMAT
                             " cannot be inserted into an input of %d dimension%s; use %d to %d",
                             params->axis, rank, rank == 1 ? "" : "s", -rank - 1, rank);

  axis = (int) (params->axis < 0 ? params->axis + rank + 1 : params->axis);
  if (data->rank == HYB_UNKNOWN)
    *data = hyb_shape_make (rank, NULL);
  out = hyb_dims_with (data, axis, 1);
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  back = hyb_dims_without (output, axis);
  return hyb_shape_assign (data, &back, error);
}

/* --- squeeze --- */

typedef struct
{
  HybInts axis;
} SqueezeParams;

static const HybParam squeeze_params[] = {
  { HYB_FIELD (SqueezeParams, axis), HYB_PARAM_INTS, "None",
    .doc = "axes to remove; None: all of size 1" },
  { 0 },
};

/* Sets remove[axis] for every listed axis, whose size must be (or becomes) 1. */
static gboolean
mark_squeezed (const SqueezeParams *params, HybShape *data, gboolean *remove, GError **error)
{
  for (int i = 0; i < params->axis.n; i++)
    {
      int axis = hyb_shape_axis (data, params->axis.value[i], error);

      if (axis < 0)
        return FALSE;
      if (data->dim[axis] != 1 && data->dim[axis] != HYB_UNKNOWN)
        return hyb_refuse_types (error, "Only axes of size 1 can be removed",
                                 "axis %d has size %" G_GINT64_FORMAT, axis, data->dim[axis]);
      if (remove[axis])
        return hyb_refuse_attribute (error, NULL, "axis %d is named twice", axis);
      data->dim[axis] = 1;
      remove[axis] = TRUE;
    }
  return TRUE;
}

/* A result without axes gets one of size 1 where the least rank is 1. */
static gboolean
infer_squeezed (HybCall *call, int least_rank, GError **error)
{
  const SqueezeParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  HybShape            *output = &call->output[0].shape;
  HybShape             out = { .rank = 0 };
  gboolean             remove[HYB_MAX_RANK] = { FALSE };

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->axis.n == HYB_UNKNOWN)
    {
      if (!hyb_shape_is_known (data))
        return hyb_dims_same_size (data, output, error);
      for (int i = 0; i < data->rank; i++)
        remove[i] = data->dim[i] == 1;
    }
  else if (!mark_squeezed (params, data, remove, error))
    return FALSE;

  for (int i = 0; i < data->rank; i++)
    if (!remove[i])
      out.dim[out.rank++] = data->dim[i];
  if (out.rank < least_rank)
    out = hyb_shape_1d (1);

  if (!hyb_shape_unify (output, &out, error))
    return FALSE;
  for (int i = 0, kept = 0; i < data->rank && kept < out.rank; i++)
    if (!remove[i])
      data->dim[i] = out.dim[kept++];
  return TRUE;
}

static gboolean
squeeze_infer_shape (HybCall *call, GError **error)
{
  return infer_squeezed (call, 1, error);
}

static gboolean
numpy_squeeze_infer_shape (HybCall *call, GError **error)
{
  return infer_squeezed (call, 0, error);
}

/* --- reshape_like: the shape of another array, or a range of its dimensions --- */

typedef struct
{
  gint64 lhs_begin, lhs_end, rhs_begin, rhs_end;
} ReshapeLikeParams;

static const HybParam reshape_like_params[] = {
  { HYB_FIELD (ReshapeLikeParams, lhs_begin), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "first axis to replace" },
  { HYB_FIELD (ReshapeLikeParams, lhs_end), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "axis after the last to replace" },
  { HYB_FIELD (ReshapeLikeParams, rhs_begin), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "first axis of the second input to use" },
  { HYB_FIELD (ReshapeLikeParams, rhs_end), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "axis after the last of the second input to use" },
  { 0 },
};

/* The axes [from, to). */
typedef struct
{
  int from, to;
} AxisRange;

/* Resolves a range given by attributes: negative axes count from the end, HYB_NONE is either end. */
static gboolean
resolve_range (const HybShape *shape, gint64 begin, gint64 end, AxisRange *range, GError **error)
{
  if (begin == HYB_NONE)
    begin = 0;
  else if (begin < 0)
    begin += shape->rank;
  if (end == HYB_NONE)
    end = shape->rank;
  else if (end < 0)
    end += shape->rank;

  if (begin < 0 || end > shape->rank || begin > end)
    return hyb_refuse_types (error, NULL,
                             "axes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                             " are outside an input of %d dimensions",
                             begin, end, shape->rank);
  range->from = (int) begin;
  range->to = (int) end;
  return TRUE;
}

static gboolean
reshape_like_infer_shape (HybCall *call, GError **error)
{
  const ReshapeLikeParams *params = call->params;
  HybShape                *lhs = &call->input[0].shape;
  HybShape                *rhs = &call->input[1].shape;
  HybShape                *output = &call->output[0].shape;
  HybShape                 out = { .rank = 0 };
  AxisRange                left = { 0, 0 }, right = { 0, 0 };

  if (params->lhs_begin == HYB_NONE && params->lhs_end == HYB_NONE &&
      params->rhs_begin == HYB_NONE && params->rhs_end == HYB_NONE)
    return hyb_shape_unify (output, rhs, error) && hyb_dims_same_size (lhs, output, error);

  if (lhs->rank == HYB_UNKNOWN || rhs->rank == HYB_UNKNOWN)
    return TRUE;
  if (!resolve_range (lhs, params->lhs_begin, params->lhs_end, &left, error) ||
      !resolve_range (rhs, params->rhs_begin, params->rhs_end, &right, error))
    return FALSE;
  if (lhs->rank - (left.to - left.from) + right.to - right.from > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);

  for (int i = 0; i < left.from; i++)
    out.dim[out.rank++] = lhs->dim[i];
  for (int i = right.from; i < right.to; i++)
    out.dim[out.rank++] = rhs->dim[i];
  for (int i = left.to; i < lhs->rank; i++)
    out.dim[out.rank++] = lhs->dim[i];

  return hyb_shape_assign (output, &out, error) && hyb_dims_same_size (lhs, output, error);
}

static const char *const data_input[] = { "data", NULL };
static const char *const like_inputs[] = { "lhs", "rhs", NULL };
static const char *const reshape_aliases[] = { "reshape", NULL };
static const char *const flatten_aliases[] = { "flatten", NULL };

#define RESHAPE_OP(symbol, text, input_names, table, Params, infer)                             \
  .name = symbol, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_IN_PLACE,     \
  .inputs = input_names, .params = table, .params_size = sizeof (Params), .infer_shape = infer, \
  .dtypes = HYB_DTYPES_ALL, .forward = reshape_copy, .view = hyb_rule_view_all,                 \
  .gradient = reshape_gradient, .cost = reshape_cost

const HybOp hyb_ops_reshape[] = {
  {
      RESHAPE_OP ("Reshape",
                  "Gives the same elements another shape.",
                  data_input,
                  reshape_params,
                  ReshapeParams,
                  reshape_infer_shape),
      .aliases = reshape_aliases,
  },
  {
      .name = "Flatten",
      .aliases = flatten_aliases,
      .doc = "Merges all axes except the first.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_IN_PLACE,
      .inputs = data_input,
      .infer_shape = flatten_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = reshape_copy,
      .view = hyb_rule_view_all,
      .gradient = reshape_gradient,
      .cost = reshape_cost,
  },
  {
      RESHAPE_OP ("expand_dims",
                  "Inserts an axis of size 1.",
                  data_input,
                  expand_params,
                  ExpandParams,
                  expand_dims_infer_shape),
  },
  {
      RESHAPE_OP ("squeeze",
                  "Removes axes of size 1.",
                  data_input,
                  squeeze_params,
                  SqueezeParams,
                  squeeze_infer_shape),
  },
  {
      RESHAPE_OP ("_np_squeeze",
                  "Removes axes of size 1; the result may have no dimensions.",
                  data_input,
                  squeeze_params,
                  SqueezeParams,
                  numpy_squeeze_infer_shape),
  },
  {
      RESHAPE_OP ("reshape_like",
                  "Gives the elements of one array the shape of another.",
                  like_inputs,
                  reshape_like_params,
                  ReshapeLikeParams,
                  reshape_like_infer_shape),
      .constant_inputs = 1 << 1,
      .infer_dtype = hyb_rule_dtype_first,
  },
  { 0 },
};

#undef RESHAPE_OP
