/* reshape.c — the same elements under another shape: Reshape and its relatives.
 *
 * None of them computes anything: they are views of their input.  forward is
 * there for those who need a copy.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

static void
copy_all (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

/* Nothing moves: the output is the input's memory. */
static void
cost_nothing (const HybCall *call, HybCost *cost)
{
  *cost = (HybCost){ 0 };
}

static void
reshape_back_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad,
                      0,
                      hyb_grad_emit (grad,
                                     "reshape_like",
                                     hyb_grad_incoming (grad, 0),
                                     hyb_grad_input (grad, 0),
                                     HYB_NO_ID));
}

/* Reshape: a list of sizes and codes, read from left to right along the source. */

typedef struct
{
  HybShape shape;
  gboolean reverse;
  HybShape target_shape;
  gboolean keep_highest;
} ReshapeParams;

static const HybParam reshape_params[] = {
  { HYB_FIELD (ReshapeParams, shape),
    HYB_PARAM_SHAPE,
    "()",
    .doc = "sizes; 0 copies, -1 infers, -2 copies the rest, -3 merges two, -4 splits" },
  { HYB_FIELD (ReshapeParams, reverse),
    HYB_PARAM_BOOL,
    "False",
    .doc = "read the codes from right to left" },
  { HYB_FIELD (ReshapeParams, target_shape),
    HYB_PARAM_SHAPE,
    "()",
    .doc = "old form of shape: a single 0 is inferred" },
  { HYB_FIELD (ReshapeParams, keep_highest),
    HYB_PARAM_BOOL,
    "False",
    .doc = "old form: the first dimension stays" },
  { 0 },
};

enum
{
  CODE_COPY = 0,
  CODE_INFER = -1,
  CODE_COPY_REST = -2,
  CODE_MERGE = -3,
  CODE_SPLIT = -4,
};

/* How far reading has come. */
typedef struct
{
  const HybShape *source;
  const HybShape *codes;
  int             at_source, at_code;
  gboolean        has_inferred;
  HybShape        out;
} Reshaping;

static gboolean
append_dim (Reshaping *work, gint64 dim, GError **error)
{
  if (work->out.rank >= HYB_MAX_RANK)
    return hyb_refuse_attribute (error,
                                 NULL,
                                 "shape asks for more than %d dimensions",
                                 HYB_MAX_RANK);

  work->out.dim[work->out.rank++] = dim;
  return TRUE;
}

static gboolean
take_source (Reshaping *work, gint64 *dim, GError **error)
{
  if (work->at_source >= work->source->rank)
    {
      g_autofree char *codes = hyb_shape_to_string (work->codes);
      g_autofree char *source = hyb_shape_to_string (work->source);

      return hyb_refuse_types (error,
                               "Each code 0, -3 and -4 uses up dimensions of the input.",
                               "shape attribute %s needs more dimensions than input %s has",
                               codes,
                               source);
    }

  *dim = work->source->dim[work->at_source++];
  return TRUE;
}

/* -4, a, b: one dimension becomes two, one of which may be -1. */
static gboolean
apply_split (Reshaping *work, GError **error)
{
  gint64 whole = 0, first, second;

  if (work->at_code + 2 > work->codes->rank)
    return hyb_refuse_attribute (error, NULL, "code -4 in shape needs two sizes after it");
  if (!take_source (work, &whole, error))
    return FALSE;

  first = work->codes->dim[work->at_code++];
  second = work->codes->dim[work->at_code++];
  if (first < -1 || second < -1 || first == 0 || second == 0 || (first == -1 && second == -1))
    return hyb_refuse_attribute (error,
                                 "Give two sizes, or one size and -1.",
                                 "code -4 in shape cannot split into %" G_GINT64_FORMAT
                                 " and %" G_GINT64_FORMAT,
                                 first,
                                 second);

  if (whole != HYB_UNKNOWN)
    {
      gboolean divides = whole % (first == -1 ? second : first) == 0;

      if (first == -1 && divides)
        first = whole / second;
      else if (second == -1 && divides)
        second = whole / first;
      if (!divides || hyb_dim_multiply (first, second) != whole)
        return hyb_refuse_types (error,
                                 NULL,
                                 "a dimension of %" G_GINT64_FORMAT
                                 " does not split into %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT,
                                 whole,
                                 first,
                                 second);
    }

  return append_dim (work, first, error) && append_dim (work, second, error);
}

static gboolean
apply_code (Reshaping *work, gint64 code, GError **error)
{
  gint64 a = 0, b = 0;

  if (code > 0)
    {
      work->at_source++;
      return append_dim (work, code, error);
    }
  if (code == CODE_COPY)
    return take_source (work, &a, error) && append_dim (work, a, error);
  if (code == CODE_INFER)
    {
      if (work->has_inferred)
        return hyb_refuse_attribute (error, NULL, "only one dimension of shape can be -1");
      work->has_inferred = TRUE;
      work->at_source++;
      return append_dim (work, HYB_UNKNOWN, error);
    }
  if (code == CODE_COPY_REST)
    {
      while (work->at_source < work->source->rank)
        if (!take_source (work, &a, error) || !append_dim (work, a, error))
          return FALSE;
      return TRUE;
    }
  if (code == CODE_MERGE)
    return take_source (work, &a, error) && take_source (work, &b, error) &&
           append_dim (work, hyb_dim_multiply (a, b), error);
  if (code == CODE_SPLIT)
    return apply_split (work, error);

  return hyb_refuse_attribute (error,
                               "Codes go from 0 to -4.",
                               "shape has an unknown code %" G_GINT64_FORMAT,
                               code);
}

static HybShape
turn_round (const HybShape *shape)
{
  HybShape turned = { .rank = shape->rank };

  for (int i = 0; i < shape->rank; i++)
    turned.dim[i] = shape->dim[shape->rank - 1 - i];
  return turned;
}

static gboolean
apply_codes (const ReshapeParams *params, const HybShape *data, HybShape *out, GError **error)
{
  HybShape  source = params->reverse ? turn_round (data) : *data;
  HybShape  codes = params->reverse ? turn_round (&params->shape) : params->shape;
  Reshaping work = { .source = &source, .codes = &codes };

  while (work.at_code < codes.rank)
    if (!apply_code (&work, codes.dim[work.at_code++], error))
      return FALSE;

  *out = params->reverse ? turn_round (&work.out) : work.out;
  return TRUE;
}

/* Sizes alone say the shape without knowing the input. */
static gboolean
has_only_sizes (const HybShape *codes)
{
  for (int i = 0; i < codes->rank; i++)
    if (codes->dim[i] <= 0 && codes->dim[i] != CODE_INFER)
      return FALSE;

  return TRUE;
}

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
      HybShape none = { .rank = 0 };

      if (data->rank == HYB_UNKNOWN && !has_only_sizes (&params->shape))
        return TRUE;
      if (!apply_codes (params, data->rank == HYB_UNKNOWN ? &none : data, &out, error))
        return FALSE;
    }
  else if (params->target_shape.rank > 0 && !apply_target_shape (params, data, &out, error))
    return FALSE;

  return hyb_dims_same_size (data, &out, error) &&
         hyb_shape_assign (&call->output[0].shape, &out, error) &&
         hyb_dims_same_size (data, &call->output[0].shape, error);
}

/* Flatten */

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
    return hyb_refuse_types (error, NULL, "an array of no dimensions cannot be flattened");

  out = hyb_shape_2d (data->dim[0], hyb_dims_product (data, 1, data->rank));
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  data->dim[0] = output->dim[0];
  return hyb_dims_same_size (data, output, error);
}

/* expand_dims */

typedef struct
{
  gint64 axis;
} ExpandParams;

static const HybParam expand_params[] = {
  { HYB_FIELD (ExpandParams, axis),
    HYB_PARAM_INT,
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
    return hyb_refuse_types (error, NULL, "no more than %d dimensions are possible", HYB_MAX_RANK);
  if (params->axis < -rank - 1 || params->axis > rank)
    return hyb_refuse_types (error,
                             NULL,
                             "axis %" G_GINT64_FORMAT
                             " cannot be put into an input of %d dimension%s; use %d to %d",
                             params->axis,
                             rank,
                             rank == 1 ? "" : "s",
                             -rank - 1,
                             rank);

  axis = (int) (params->axis < 0 ? params->axis + rank + 1 : params->axis);
  if (data->rank == HYB_UNKNOWN)
    *data = hyb_shape_make (rank, NULL);
  out = hyb_dims_with (data, axis, 1);
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  back = hyb_dims_without (output, axis);
  return hyb_shape_assign (data, &back, error);
}

/* squeeze */

typedef struct
{
  HybInts axis;
} SqueezeParams;

static const HybParam squeeze_params[] = {
  { HYB_FIELD (SqueezeParams, axis),
    HYB_PARAM_INTS,
    "None",
    .doc = "axes to remove; None: all of size 1" },
  { 0 },
};

static gboolean
mark_squeezed (const SqueezeParams *params, HybShape *data, gboolean *remove, GError **error)
{
  for (int i = 0; i < params->axis.n; i++)
    {
      int axis = hyb_shape_axis (data, params->axis.value[i], error);

      if (axis < 0)
        return FALSE;
      if (data->dim[axis] != 1 && data->dim[axis] != HYB_UNKNOWN)
        return hyb_refuse_types (error,
                                 "Only axes of size 1 can be removed.",
                                 "axis %d has size %" G_GINT64_FORMAT,
                                 axis,
                                 data->dim[axis]);
      if (remove[axis])
        return hyb_refuse_attribute (error, NULL, "axis %d is named twice", axis);
      data->dim[axis] = 1;
      remove[axis] = TRUE;
    }
  return TRUE;
}

static gboolean
squeeze_infer_shape (HybCall *call, GError **error)
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
  if (out.rank == 0)
    out = hyb_shape_1d (1);

  if (!hyb_shape_unify (output, &out, error))
    return FALSE;
  for (int i = 0, kept = 0; i < data->rank; i++)
    if (!remove[i])
      data->dim[i] = out.dim[kept++];
  return TRUE;
}

/* reshape_like: the shape of another array, or some of its dimensions. */

typedef struct
{
  gint64 lhs_begin, lhs_end, rhs_begin, rhs_end;
} ReshapeLikeParams;

static const HybParam reshape_like_params[] = {
  { HYB_FIELD (ReshapeLikeParams, lhs_begin),
    HYB_PARAM_OPTIONAL_INT,
    "None",
    .doc = "first axis to replace" },
  { HYB_FIELD (ReshapeLikeParams, lhs_end),
    HYB_PARAM_OPTIONAL_INT,
    "None",
    .doc = "axis behind the last to replace" },
  { HYB_FIELD (ReshapeLikeParams, rhs_begin),
    HYB_PARAM_OPTIONAL_INT,
    "None",
    .doc = "first axis to put there" },
  { HYB_FIELD (ReshapeLikeParams, rhs_end),
    HYB_PARAM_OPTIONAL_INT,
    "None",
    .doc = "axis behind the last to put there" },
  { 0 },
};

/* Begin and end of a range of axes; negative ones count from the end. */
static gboolean
range_of_axes (const HybShape *shape, gint64 begin, gint64 end, int *from, int *to, GError **error)
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
    return hyb_refuse_types (error,
                             NULL,
                             "axes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                             " are outside an input of %d dimensions",
                             begin,
                             end,
                             shape->rank);
  *from = (int) begin;
  *to = (int) end;
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
  int                      lhs_from = 0, lhs_to = 0, rhs_from = 0, rhs_to = 0;

  if (params->lhs_begin == HYB_NONE && params->lhs_end == HYB_NONE &&
      params->rhs_begin == HYB_NONE && params->rhs_end == HYB_NONE)
    return hyb_shape_unify (output, rhs, error) && hyb_dims_same_size (lhs, output, error);

  if (lhs->rank == HYB_UNKNOWN || rhs->rank == HYB_UNKNOWN)
    return TRUE;
  if (!range_of_axes (lhs, params->lhs_begin, params->lhs_end, &lhs_from, &lhs_to, error) ||
      !range_of_axes (rhs, params->rhs_begin, params->rhs_end, &rhs_from, &rhs_to, error))
    return FALSE;
  if (lhs->rank - (lhs_to - lhs_from) + rhs_to - rhs_from > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "no more than %d dimensions are possible", HYB_MAX_RANK);

  for (int i = 0; i < lhs_from; i++)
    out.dim[out.rank++] = lhs->dim[i];
  for (int i = rhs_from; i < rhs_to; i++)
    out.dim[out.rank++] = rhs->dim[i];
  for (int i = lhs_to; i < lhs->rank; i++)
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
  .dtypes = HYB_DTYPES_ALL, .forward = copy_all, .view = hyb_rule_view_all,                     \
  .gradient = reshape_back_gradient, .cost = cost_nothing

const HybOp hyb_ops_reshape[] = {
  {
      RESHAPE_OP ("Reshape",
                  "The same elements under another shape.",
                  data_input,
                  reshape_params,
                  ReshapeParams,
                  reshape_infer_shape),
      .aliases = reshape_aliases,
  },
  {
      .name = "Flatten",
      .aliases = flatten_aliases,
      .doc = "All axes but the first taken together.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_IN_PLACE,
      .inputs = data_input,
      .infer_shape = flatten_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = copy_all,
      .view = hyb_rule_view_all,
      .gradient = reshape_back_gradient,
      .cost = cost_nothing,
  },
  {
      RESHAPE_OP ("expand_dims",
                  "A new axis of size 1.",
                  data_input,
                  expand_params,
                  ExpandParams,
                  expand_dims_infer_shape),
  },
  {
      RESHAPE_OP ("squeeze",
                  "Axes of size 1 left out.",
                  data_input,
                  squeeze_params,
                  SqueezeParams,
                  squeeze_infer_shape),
  },
  {
      RESHAPE_OP ("reshape_like",
                  "The elements of one array under the shape of another.",
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
