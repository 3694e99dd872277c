/* transpose.c — transpose, SwapAxis, reverse, depth_to_space and space_to_depth: the same elements
 * in another order.
 *
 * Each is one strided copy whose axes are in the order of the output.  transpose and SwapAxis
 * describe a permutation of axes (…_order()) and share permute().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* Output axis i is input axis order[i]. */
static void
permute (const HybCall *call, const HybRun *run, const int *order)
{
  HybMove move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64  from[HYB_MAX_RANK], to[HYB_MAX_RANK];

  hyb_dims_strides (&call->input[0].shape, from);
  hyb_dims_strides (&call->output[0].shape, to);
  for (int i = 0; i < call->output[0].shape.rank; i++)
    hyb_move_axis (&move, call->output[0].shape.dim[i], from[order[i]], to[i]);
  hyb_move (&move, run->input[0], run->output[0]);
}

/* TRUE if only axes of size 1 change places, so that the elements stay where they are. */
static gboolean
keeps_order (const HybCall *call, const int *order)
{
  int last = -1;

  for (int i = 0; i < call->output[0].shape.rank; i++)
    if (call->output[0].shape.dim[i] != 1)
      {
        if (order[i] < last)
          return FALSE;
        last = order[i];
      }
  return TRUE;
}

static gboolean
view_if_kept (const HybCall *call, const int *order, guint *input, gsize *offset)
{
  *input = 0;
  *offset = 0;
  return keeps_order (call, order);
}

/* Relates the dimensions of input and output, whose ranks are known. */
static gboolean
infer_permuted (HybCall *call, const int *order, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *output = &call->output[0].shape;
  HybShape  out = { .rank = data->rank };

  for (int i = 0; i < data->rank; i++)
    out.dim[i] = data->dim[order[i]];
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  for (int i = 0; i < data->rank; i++)
    data->dim[order[i]] = output->dim[i];
  return TRUE;
}

/* Gives input and output the same rank, if one of them (or `rank`) is known. */
static gboolean
share_rank (HybCall *call, int rank, GError **error)
{
  HybShape ranked;

  rank = MAX (rank, MAX (call->input[0].shape.rank, call->output[0].shape.rank));
  if (rank == HYB_UNKNOWN)
    return TRUE;

  ranked = hyb_shape_make (rank, NULL);
  return hyb_shape_assign (&call->input[0].shape, &ranked, error) &&
         hyb_shape_assign (&call->output[0].shape, &ranked, error);
}

/* --- transpose --- */

typedef struct
{
  HybShape axes;
} TransposeParams;

static const HybParam transpose_params[] = {
  { HYB_FIELD (TransposeParams, axes), HYB_PARAM_SHAPE, "()",
    .doc = "input axis for each output axis; empty: reversed" },
  { 0 },
};

static gboolean
transpose_order (const HybCall *call, int *order, GError **error)
{
  const TransposeParams *params = call->params;
  const HybShape        *shape = &call->input[0].shape;
  gboolean               seen[HYB_MAX_RANK] = { FALSE };

  for (int i = 0; i < shape->rank; i++)
    {
      order[i] = shape->rank - 1 - i;
      if (params->axes.rank <= 0)
        continue;
      order[i] = hyb_shape_axis (shape, params->axes.dim[i], error);
      if (order[i] < 0)
        return FALSE;
      if (seen[order[i]])
        return hyb_refuse_attribute (error, NULL, "axes names axis %d twice", order[i]);
      seen[order[i]] = TRUE;
    }
  return TRUE;
}

static gboolean
transpose_infer_shape (HybCall *call, GError **error)
{
  const TransposeParams *params = call->params;
  int                    rank = params->axes.rank > 0 ? params->axes.rank : HYB_UNKNOWN;
  int                    order[HYB_MAX_RANK];

  if (rank != HYB_UNKNOWN && call->input[0].shape.rank != HYB_UNKNOWN &&
      call->input[0].shape.rank != rank)
    return hyb_refuse_types (error, "Name every axis of the input once",
                             "axes names %d axes but the input has %d", rank,
                             call->input[0].shape.rank);
  if (!share_rank (call, rank, error))
    return FALSE;

  return call->input[0].shape.rank == HYB_UNKNOWN ||
         (transpose_order (call, order, error) && infer_permuted (call, order, error));
}

static void
transpose_forward (const HybCall *call, const HybRun *run)
{
  int order[HYB_MAX_RANK];

  transpose_order (call, order, NULL);
  permute (call, run, order);
}

static gboolean
transpose_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  int order[HYB_MAX_RANK];

  transpose_order (call, order, NULL);
  return view_if_kept (call, order, input, offset);
}

static void
transpose_gradient (HybGrad *grad)
{
  const TransposeParams *params = hyb_grad_params (grad);
  HybValueId             dy = hyb_grad_incoming (grad, 0);
  g_autoptr (GString) inverse = g_string_new ("(");
  const char *attributes[] = { "axes", NULL, NULL };

  for (int i = 0; i < params->axes.rank; i++)
    for (int k = 0; k < params->axes.rank; k++)
      {
        gint64 axis = params->axes.dim[k];

        if (axis == i || axis + params->axes.rank == i)
          g_string_append_printf (inverse, "%d, ", k);
      }
  g_string_append_c (inverse, ')');
  attributes[1] = inverse->str;

  hyb_grad_set_input (grad, 0, hyb_grad_emit_with (grad, "transpose", attributes, 1, &dy));
}

/* --- SwapAxis --- */

typedef struct
{
  gint64 dim1, dim2;
} SwapParams;

static const HybParam swap_params[] = {
  { HYB_FIELD (SwapParams, dim1), HYB_PARAM_INT, "0", .doc = "one axis" },
  { HYB_FIELD (SwapParams, dim2), HYB_PARAM_INT, "0", .doc = "the other axis" },
  { 0 },
};

static gboolean
swap_order (const HybCall *call, int *order, GError **error)
{
  const SwapParams *params = call->params;
  const HybShape   *shape = &call->input[0].shape;
  int               first = hyb_shape_axis (shape, params->dim1, error);
  int               second = first < 0 ? -1 : hyb_shape_axis (shape, params->dim2, error);

  if (second < 0)
    return FALSE;

  for (int i = 0; i < shape->rank; i++)
    order[i] = i == first ? second : i == second ? first : i;
  return TRUE;
}

static gboolean
swap_infer_shape (HybCall *call, GError **error)
{
  int order[HYB_MAX_RANK];

  if (!share_rank (call, HYB_UNKNOWN, error))
    return FALSE;

  return call->input[0].shape.rank == HYB_UNKNOWN ||
         (swap_order (call, order, error) && infer_permuted (call, order, error));
}

static void
swap_forward (const HybCall *call, const HybRun *run)
{
  int order[HYB_MAX_RANK];

  swap_order (call, order, NULL);
  permute (call, run, order);
}

static gboolean
swap_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  int order[HYB_MAX_RANK];

  swap_order (call, order, NULL);
  return view_if_kept (call, order, input, offset);
}

/* --- reverse --- */

typedef struct
{
  HybInts axis;
} ReverseParams;

static const HybParam reverse_params[] = {
  { HYB_FIELD (ReverseParams, axis), HYB_PARAM_INTS,
    .doc = "axes to reverse; an axis that occurs twice stays" },
  { 0 },
};

static gboolean
reverse_infer_shape (HybCall *call, GError **error)
{
  const ReverseParams *params = call->params;

  if (!hyb_rule_same_shape (call, error))
    return FALSE;
  for (int i = 0; call->input[0].shape.rank != HYB_UNKNOWN && i < params->axis.n; i++)
    if (hyb_shape_axis (&call->input[0].shape, params->axis.value[i], error) < 0)
      return FALSE;

  return TRUE;
}

static void
reverse_forward (const HybCall *call, const HybRun *run)
{
  const ReverseParams *params = call->params;
  const HybShape      *shape = &call->input[0].shape;
  HybMove              move = { .item = hyb_dtype_size (call->input[0].dtype) };
  const char          *from = run->input[0];
  gint64               stride[HYB_MAX_RANK];
  gboolean             is_reversed[HYB_MAX_RANK] = { FALSE };

  if (hyb_shape_size (shape) == 0)
    return;

  for (int i = 0; i < params->axis.n; i++)
    is_reversed[hyb_shape_axis (shape, params->axis.value[i], NULL)] ^= TRUE;

  hyb_dims_strides (shape, stride);
  for (int i = 0; i < shape->rank; i++)
    {
      hyb_move_axis (&move, shape->dim[i], is_reversed[i] ? -stride[i] : stride[i], stride[i]);
      if (is_reversed[i])
        from += (shape->dim[i] - 1) * stride[i] * (gint64) move.item;
    }
  hyb_move (&move, from, run->output[0]);
}

/* --- depth_to_space and space_to_depth ---
 *
 * The channels of the deep side are (b, b, C): row in the block, column in the block, channel. */

typedef struct
{
  gint64 block_size;
} BlockParams;

static const HybParam block_params[] = {
  { HYB_FIELD (BlockParams, block_size), HYB_PARAM_INT, .low = 1, .high = 1 << 20,
    .doc = "side of a block of pixels" },
  { 0 },
};

/* Relates *dim = by × *quotient. */
static gboolean
divide_dim (gint64 *dim, gint64 by, gint64 *quotient, const char *what, GError **error)
{
  if (*dim == HYB_UNKNOWN)
    {
      *dim = hyb_dim_multiply (*quotient, by);
      return TRUE;
    }
  if (*dim % by != 0)
    return hyb_refuse_types (error, NULL,
                             "%s, %" G_GINT64_FORMAT ", is not divisible by %" G_GINT64_FORMAT,
                             what, *dim, by);
  if (*quotient == HYB_UNKNOWN)
    *quotient = *dim / by;
  else if (*quotient != *dim / by)
    return hyb_refuse_types (error, NULL,
                             "%s is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT
                             " × %" G_GINT64_FORMAT,
                             what, *dim, by, *quotient);
  return TRUE;
}

/* deep: (N, b × b × C, H, W); wide: (N, C, H × b, W × b). */
static gboolean
infer_blocks (HybCall *call, HybShape *deep, HybShape *wide, GError **error)
{
  const BlockParams *params = call->params;
  gint64             b = params->block_size;

  if (deep->rank == HYB_UNKNOWN && wide->rank == HYB_UNKNOWN)
    return TRUE;
  if (call->input[0].shape.rank != HYB_UNKNOWN && call->input[0].shape.rank != 4)
    return hyb_refuse_types (error, "It must be (batch, channels, height, width)",
                             "the input has %d dimensions, not 4", call->input[0].shape.rank);

  return share_rank (call, 4, error) &&
         hyb_dim_unify (&deep->dim[0], &wide->dim[0], "the batch sizes", error) &&
         divide_dim (&deep->dim[1], b * b, &wide->dim[1], "the number of channels", error) &&
         divide_dim (&wide->dim[2], b, &deep->dim[2], "the height", error) &&
         divide_dim (&wide->dim[3], b, &deep->dim[3], "the width", error);
}

static gboolean
depth_to_space_infer_shape (HybCall *call, GError **error)
{
  return infer_blocks (call, &call->input[0].shape, &call->output[0].shape, error);
}

static gboolean
space_to_depth_infer_shape (HybCall *call, GError **error)
{
  return infer_blocks (call, &call->output[0].shape, &call->input[0].shape, error);
}

/* One axis of a move between the two layouts. */
static void
add_block_axis (HybMove *move, gint64 dim, gint64 deep, gint64 wide, gboolean to_deep)
{
  hyb_move_axis (move, dim, to_deep ? wide : deep, to_deep ? deep : wide);
}

static void
move_blocks (const HybCall *call, const HybRun *run, const HybShape *deep, gboolean to_deep)
{
  const BlockParams *params = call->params;
  HybMove            move = { .item = hyb_dtype_size (call->input[0].dtype) };
  gint64             b = params->block_size;
  gint64             n = deep->dim[0], h = deep->dim[2], w = deep->dim[3];
  gint64             c = deep->dim[1] / (b * b);

  /* Axes in the order of the wide side: sample, channel, row, row in the block, column, column in the block.  The column
   * goes last where hyb_move() does not transpose tiles: else rows of a few elements would be copied one by one. */
  add_block_axis (&move, n, b * b * c * h * w, b * b * c * h * w, to_deep);
  add_block_axis (&move, c, h * w, h * b * w * b, to_deep);
  add_block_axis (&move, h, w, b * w * b, to_deep);
  add_block_axis (&move, b, b * c * h * w, w * b, to_deep);
  if (!to_deep && b >= 4)
    add_block_axis (&move, w, 1, b, to_deep);
  add_block_axis (&move, b, c * h * w, 1, to_deep);
  if (to_deep || b < 4)
    add_block_axis (&move, w, 1, b, to_deep);
  hyb_move (&move, run->input[0], run->output[0]);
}

static void
depth_to_space_forward (const HybCall *call, const HybRun *run)
{
  move_blocks (call, run, &call->input[0].shape, FALSE);
}

static void
space_to_depth_forward (const HybCall *call, const HybRun *run)
{
  move_blocks (call, run, &call->output[0].shape, TRUE);
}

static const char *const data_input[] = { "data", NULL };
static const char *const swap_aliases[] = { "swapaxes", NULL };
static const char *const reverse_aliases[] = { "flip", NULL };

#define ORDER_OP(symbol, text, table, Params, stem)                                     \
  .name = symbol, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .inputs = data_input, \
  .params = table, .params_size = sizeof (Params), .infer_shape = stem##_infer_shape,   \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_forward, .cost = hyb_rule_cost_move

const HybOp hyb_ops_transpose[] = {
  {
      ORDER_OP ("transpose", "Permutes the axes.", transpose_params, TransposeParams, transpose),
      .gradient = transpose_gradient,
      .view = transpose_view,
  },
  {
      ORDER_OP ("SwapAxis", "Exchanges two axes.", swap_params, SwapParams, swap),
      HYB_GRADIENT ("SwapAxis* (g0) > i0"),
      .aliases = swap_aliases,
      .view = swap_view,
  },
  {
      ORDER_OP ("reverse",
                "Reverses the order of elements along axes.",
                reverse_params,
                ReverseParams,
                reverse),
      HYB_GRADIENT ("reverse* (g0) > i0"),
      .aliases = reverse_aliases,
  },
  {
      ORDER_OP ("depth_to_space",
                "Rearranges channels into blocks of pixels.",
                block_params,
                BlockParams,
                depth_to_space),
      HYB_GRADIENT ("space_to_depth* (g0) > i0"),
  },
  {
      ORDER_OP ("space_to_depth",
                "Rearranges blocks of pixels into channels.",
                block_params,
                BlockParams,
                space_to_depth),
      HYB_GRADIENT ("depth_to_space* (g0) > i0"),
  },
  { 0 },
};

#undef ORDER_OP
