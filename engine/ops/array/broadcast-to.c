/* broadcast-to.c — broadcast_to, broadcast_axis and broadcast_like: repeat an array along axes of
 * size 1.
 *
 * The three differ in how they say the new shape (…_infer_shape); they share broadcast_forward(),
 * a strided copy.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* A repeated axis is read with stride 0, as are new ones in front. */
static void
broadcast_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[0].shape;
  const HybShape *out = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK];
  int             n_new = out->rank - data->rank;

  hyb_dims_strides (data, from);
  hyb_dims_strides (out, to);
  for (int i = 0; i < out->rank; i++)
    hyb_move_axis (&move, out->dim[i], i < n_new || data->dim[i - n_new] == 1 ? 0 : from[i - n_new],
                   to[i]);
  hyb_move (&move, run->input[0], run->output[0]);
}

/* A view if the shape stays the same, so that nothing is repeated. */
static gboolean
broadcast_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  *input = 0;
  *offset = 0;
  return hyb_shape_equal (&call->input[0].shape, &call->output[0].shape);
}

/* Enlarges axis `axis` of *out to `size`, which must be its size already unless it has size 1. */
static gboolean
enlarge (HybShape *out, int axis, gint64 size, GError **error)
{
  if (size == HYB_UNKNOWN || out->dim[axis] == 1 || out->dim[axis] == HYB_UNKNOWN)
    out->dim[axis] = size;
  else if (out->dim[axis] != size)
    return hyb_refuse_types (error, "Only axes of size 1 can be enlarged",
                             "axis %d has %" G_GINT64_FORMAT
                             " elements and cannot be broadcast to %" G_GINT64_FORMAT,
                             axis, out->dim[axis], size);
  return TRUE;
}

/* --- broadcast_to --- */

typedef struct
{
  HybShape shape;
} BroadcastToParams;

static const HybParam broadcast_to_params[] = {
  { HYB_FIELD (BroadcastToParams, shape), HYB_PARAM_SHAPE, "()",
    .doc = "the new sizes; 0 keeps an axis" },
  { 0 },
};

static gboolean
broadcast_to_check (gconstpointer values, GError **error)
{
  const BroadcastToParams *params = values;

  for (int i = 0; i < params->shape.rank; i++)
    if (params->shape.dim[i] < 0)
      return hyb_refuse_attribute (error, NULL, "a size in shape cannot be negative");
  return TRUE;
}

static gboolean
broadcast_to_infer_shape (HybCall *call, GError **error)
{
  const BroadcastToParams *params = call->params;
  const HybShape          *data = &call->input[0].shape;
  HybShape                 out = *data;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->shape.rank > 0 && params->shape.rank != data->rank)
    return hyb_refuse_types (error, "Give shape one number for each dimension of the input",
                             "shape has %d dimensions but the input has %d", params->shape.rank,
                             data->rank);
  for (int i = 0; i < params->shape.rank; i++)
    if (params->shape.dim[i] != 0 && !enlarge (&out, i, params->shape.dim[i], error))
      return FALSE;

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- _npi_broadcast_to: axes may be added in front; −2 keeps an axis, 0 is a size --- */

#define KEEP (-2)

static const HybParam numpy_params[] = {
  { HYB_FIELD (BroadcastToParams, shape), HYB_PARAM_SHAPE, "()",
    .doc = "the new sizes; -2 keeps an axis" },
  { 0 },
};

static gboolean
numpy_check (gconstpointer values, GError **error)
{
  const BroadcastToParams *params = values;

  for (int i = 0; i < params->shape.rank; i++)
    if (params->shape.dim[i] < 0 && params->shape.dim[i] != KEEP)
      return hyb_refuse_attribute (error, "Give a size, or -2 for the size of the input",
                                   "shape has the size %" G_GINT64_FORMAT, params->shape.dim[i]);
  return TRUE;
}

static gboolean
numpy_infer_shape (HybCall *call, GError **error)
{
  const HybShape *shape = &((const BroadcastToParams *) call->params)->shape;
  const HybShape *data = &call->input[0].shape;
  HybShape        out = *shape;
  int             n_new = shape->rank - data->rank;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (n_new < 0)
    return hyb_refuse_types (error,
                             "Give shape at least one number for each dimension of the input",
                             "shape has %d dimensions but the input has %d", shape->rank,
                             data->rank);
  for (int i = 0; i < shape->rank; i++)
    {
      if (i < n_new && shape->dim[i] == KEEP)
        return hyb_refuse_types (error, NULL, "axis %d is new, so it has no size to keep", i);
      if (i < n_new)
        continue;
      out.dim[i] = data->dim[i - n_new];
      if (shape->dim[i] != KEEP && !enlarge (&out, i, shape->dim[i], error))
        return FALSE;
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- broadcast_axis --- */

typedef struct
{
  HybInts axis;
  HybInts size;
} BroadcastAxisParams;

static const HybParam broadcast_axis_params[] = {
  { HYB_FIELD (BroadcastAxisParams, axis), HYB_PARAM_INTS, "()", .doc = "axes of size 1" },
  { HYB_FIELD (BroadcastAxisParams, size), HYB_PARAM_INTS, "()", .doc = "their new sizes" },
  { 0 },
};

static gboolean
broadcast_axis_check (gconstpointer values, GError **error)
{
  const BroadcastAxisParams *params = values;

  if (MAX (0, params->axis.n) != MAX (0, params->size.n))
    return hyb_refuse_attribute (error, NULL, "axis has %d elements but size has %d",
                                 MAX (0, params->axis.n), MAX (0, params->size.n));
  for (int i = 0; i < params->size.n; i++)
    if (params->size.value[i] < 0)
      return hyb_refuse_attribute (error, NULL, "a size cannot be negative");
  return TRUE;
}

static gboolean
broadcast_axis_infer_shape (HybCall *call, GError **error)
{
  const BroadcastAxisParams *params = call->params;
  const HybShape            *data = &call->input[0].shape;
  HybShape                   out = *data;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  for (int i = 0; i < params->axis.n; i++)
    {
      int axis = hyb_shape_axis (data, params->axis.value[i], error);

      if (axis < 0 || !enlarge (&out, axis, params->size.value[i], error))
        return FALSE;
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- broadcast_like --- */

typedef struct
{
  HybInts lhs_axes;
  HybInts rhs_axes;
} BroadcastLikeParams;

static const HybParam broadcast_like_params[] = {
  { HYB_FIELD (BroadcastLikeParams, lhs_axes), HYB_PARAM_INTS, "None",
    .doc = "axes to enlarge; None: all" },
  { HYB_FIELD (BroadcastLikeParams, rhs_axes), HYB_PARAM_INTS, "None",
    .doc = "axes of the second input that give the new sizes" },
  { 0 },
};

static gboolean
broadcast_like_check (gconstpointer values, GError **error)
{
  const BroadcastLikeParams *params = values;

  return params->lhs_axes.n == params->rhs_axes.n ||
         hyb_refuse_attribute (error, NULL, "lhs_axes and rhs_axes differ in length");
}

static gboolean
broadcast_like_infer_shape (HybCall *call, GError **error)
{
  const BroadcastLikeParams *params = call->params;
  const HybShape            *lhs = &call->input[0].shape;
  const HybShape            *rhs = &call->input[1].shape;
  HybShape                   out = *lhs;

  if (lhs->rank == HYB_UNKNOWN || rhs->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->lhs_axes.n == HYB_UNKNOWN && lhs->rank != rhs->rank)
    return hyb_refuse_types (error,
                             "Name the axes, or give both inputs the same number of dimensions",
                             "an input of %d dimensions cannot be broadcast like one of %d",
                             lhs->rank, rhs->rank);

  for (int i = 0; params->lhs_axes.n == HYB_UNKNOWN && i < lhs->rank; i++)
    if (!enlarge (&out, i, rhs->dim[i], error))
      return FALSE;
  for (int i = 0; i < params->lhs_axes.n; i++)
    {
      int left = hyb_shape_axis (lhs, params->lhs_axes.value[i], error);
      int right = left < 0 ? -1 : hyb_shape_axis (rhs, params->rhs_axes.value[i], error);

      if (right < 0 || !enlarge (&out, left, rhs->dim[right], error))
        return FALSE;
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static const char *const data_input[] = { "data", NULL };
static const char *const like_inputs[] = { "lhs", "rhs", NULL };
static const char *const broadcast_axis_aliases[] = { "broadcast_axes", NULL };

#define BROADCAST_OP(stem, text, input_names, Params)                                        \
  .name = #stem, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .inputs = input_names,      \
  .params = stem##_params, .params_size = sizeof (Params), .check = stem##_check,            \
  .infer_shape = stem##_infer_shape, .dtypes = HYB_DTYPES_ALL, .forward = broadcast_forward, \
  .view = broadcast_view, HYB_GRADIENT ("_reduce_like (g0, i0) > i0"), .cost = hyb_rule_cost_move

const HybOp hyb_ops_broadcast_to[] = {
  { BROADCAST_OP (broadcast_to,
                  "Repeats axes of size 1 until the array has a given shape.",
                  data_input,
                  BroadcastToParams) },
  {
      BROADCAST_OP (broadcast_axis,
                    "Repeats some axes of size 1.",
                    data_input,
                    BroadcastAxisParams),
      .aliases = broadcast_axis_aliases,
  },
  {
      BROADCAST_OP (broadcast_like,
                    "Repeats axes of size 1 to match another array.",
                    like_inputs,
                    BroadcastLikeParams),
      .constant_inputs = 1 << 1,
      .infer_dtype = hyb_rule_dtype_first,
  },
  {
      .name = "_npi_broadcast_to",
      .doc = "Repeats an array until it has a given shape; axes are added in front.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (numpy_params, BroadcastToParams),
      .check = numpy_check,
      .infer_shape = numpy_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = broadcast_forward,
      .view = broadcast_view,
      HYB_GRADIENT ("_reduce_like (g0, i0) > i0"),
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};

#undef BROADCAST_OP
