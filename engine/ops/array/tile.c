/* tile.c — tile repeats an array along its axes, repeat each of its elements.
 *
 * Forward is one strided copy that reads with stride 0 along axes of repetitions; the gradient
 * is the same move in the other direction, which adds.  Start with tile_move() and repeat_move().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* --- tile: reps and shape are aligned at their last elements, as in NumPy --- */

typedef struct
{
  HybInts reps;
} TileParams;

static const HybParam tile_params[] = {
  { HYB_FIELD (TileParams, reps), HYB_PARAM_INTS, .doc = "number of repetitions along each axis" },
  { 0 },
};

static gboolean
tile_check (gconstpointer values, GError **error)
{
  const TileParams *params = values;

  if (params->reps.n > HYB_MAX_RANK)
    return hyb_refuse_attribute (error, NULL, "reps has more than %d elements", HYB_MAX_RANK);
  for (int i = 0; i < params->reps.n; i++)
    if (params->reps.value[i] < 0)
      return hyb_refuse_attribute (error, NULL, "an element of reps cannot be negative");
  return TRUE;
}

typedef struct
{
  gint64 size; /* of the input */
  gint64 reps;
} TiledAxis;

/* Axis i of a result of this rank. */
static TiledAxis
tiled_axis (const TileParams *params, const HybShape *data, int rank, int i)
{
  int at = i - (rank - data->rank);
  int rep = i - (rank - MAX (0, params->reps.n));

  return (TiledAxis){
    .size = at >= 0 ? data->dim[at] : 1,
    .reps = rep >= 0 ? params->reps.value[rep] : 1,
  };
}

static gboolean
tile_infer_shape (HybCall *call, GError **error)
{
  const TileParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape          out = { .rank = MAX (data->rank, params->reps.n) };

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  for (int i = 0; i < out.rank; i++)
    {
      TiledAxis axis = tiled_axis (params, data, out.rank, i);

      out.dim[i] = hyb_dim_multiply (axis.size, axis.reps);
    }
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* The move between the single array and the tiled one, in the given direction.  Each axis of the
 * result is two axes of the move: repetitions, and elements of the input. */
static HybMove
tile_move (const TileParams *params,
           const HybShape   *single,
           const HybShape   *tiled,
           gsize             item,
           gboolean          to_tiled)
{
  HybMove move = { .item = item };
  gint64  stride[HYB_MAX_RANK], tiled_stride[HYB_MAX_RANK];

  hyb_dims_strides (single, stride);
  hyb_dims_strides (tiled, tiled_stride);
  for (int i = 0; i < tiled->rank; i++)
    {
      TiledAxis axis = tiled_axis (params, single, tiled->rank, i);
      int       at = i - (tiled->rank - single->rank);
      gint64    step = at >= 0 ? stride[at] : 0;
      gint64    rep_stride = axis.size * tiled_stride[i];

      hyb_move_axis (&move, axis.reps, to_tiled ? 0 : rep_stride, to_tiled ? rep_stride : 0);
      hyb_move_axis (&move, axis.size, to_tiled ? step : tiled_stride[i],
                     to_tiled ? tiled_stride[i] : step);
    }
  return move;
}

/* Larger results are moved by several threads, if there are any. */
#define MAX_BLOCKS_BYTES (256 << 10)

/* The axes of a tiled array, where an axis that is not repeated is merged with the one before. */
typedef struct
{
  int   n;
  gsize size[HYB_MAX_RANK];  /* elements of the input along the axis */
  gsize reps[HYB_MAX_RANK];  /* repetitions */
  gsize inner[HYB_MAX_RANK]; /* bytes of one of them in the result */
  gsize from[HYB_MAX_RANK];  /* bytes of one of them in the input */
} Blocks;

static Blocks
find_blocks (const TileParams *params, const HybShape *data, const HybShape *result, gsize item)
{
  Blocks blocks = { .n = 0 };
  gsize  inner = item, from = item;

  for (int i = 0; i < result->rank; i++)
    {
      TiledAxis axis = tiled_axis (params, data, result->rank, i);
      int       last = blocks.n - 1;

      if (axis.size == 1 && axis.reps == 1)
        continue;
      if (axis.reps == 1 && last >= 0)
        blocks.size[last] *= (gsize) axis.size;
      else
        {
          blocks.size[blocks.n] = (gsize) axis.size;
          blocks.reps[blocks.n++] = (gsize) axis.reps;
        }
    }
  for (int i = blocks.n - 1; i >= 0; i--)
    {
      blocks.inner[i] = inner;
      blocks.from[i] = from;
      inner *= blocks.size[i] * blocks.reps[i];
      from *= blocks.size[i];
    }
  return blocks;
}

/* Fills the result from axis i inwards: once from the input, then by copies of what is there. */
static void
fill_blocks (const Blocks *blocks, int i, const char *from, char *to)
{
  gsize n = blocks->size[i];

  if (i == blocks->n - 1)
    memcpy (to, from, n * blocks->from[i]);
  else
    for (gsize k = 0; k < n; k++)
      fill_blocks (blocks, i + 1, from + k * blocks->from[i], to + k * blocks->inner[i]);
  hyb_move_repeat (to, n * blocks->inner[i], blocks->reps[i]);
}

/* FALSE if the result is large and several threads can share it. */
static gboolean
tile_in_blocks (const HybCall *call, const HybRun *run)
{
  gsize  bytes = hyb_type_bytes (&call->output[0]);
  Blocks blocks = find_blocks (call->params, &call->input[0].shape, &call->output[0].shape,
                               hyb_dtype_size (call->input[0].dtype));

  if (bytes == 0)
    return TRUE;
  if (blocks.n == 0 || (bytes > MAX_BLOCKS_BYTES && hyb_parallel_get_threads () > 1))
    return FALSE;
  fill_blocks (&blocks, 0, run->input[0], run->output[0]);
  return TRUE;
}

static void
tile_forward (const HybCall *call, const HybRun *run)
{
  HybMove move;

  if (tile_in_blocks (call, run))
    return;
  move = tile_move (call->params, &call->input[0].shape, &call->output[0].shape,
                    hyb_dtype_size (call->input[0].dtype), TRUE);
  hyb_move (&move, run->input[0], run->output[0]);
}

/* Inputs: gradient, data. */
static void
tile_backward (const HybCall *call, const HybRun *run)
{
  HybMove move = tile_move (call->params, &call->output[0].shape, &call->input[0].shape,
                            hyb_dtype_size (call->input[0].dtype), FALSE);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_move_add (&move, call->input[0].dtype, run->input[0], run->output[0]);
}

/* --- repeat --- */

typedef struct
{
  gint64 repeats;
  gint64 axis;
} RepeatParams;

static const HybParam repeat_params[] = {
  { HYB_FIELD (RepeatParams, repeats), HYB_PARAM_INT, .low = 0, .high = 1e15,
    .doc = "how often each element occurs" },
  { HYB_FIELD (RepeatParams, axis), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "axis; None: the flattened array" },
  { 0 },
};

static gboolean
repeat_infer_shape (HybCall *call, GError **error)
{
  const RepeatParams *params = call->params;
  const HybShape     *data = &call->input[0].shape;
  HybShape            out = *data;
  int                 axis = 0;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (params->axis == HYB_NONE)
    out = hyb_shape_1d (hyb_dims_product (data, 0, data->rank));
  else
    axis = hyb_shape_axis (data, params->axis, error);
  if (axis < 0)
    return FALSE;

  out.dim[axis] = hyb_dim_multiply (out.dim[axis], params->repeats);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* The move between the single array and the one with repeated elements, in the given direction. */
static HybMove
repeat_move (const RepeatParams *params, const HybShape *single, gsize item, gboolean to_repeated)
{
  HybAxisView view = hyb_axis_view_optional (single, params->axis);
  HybMove     move = { .item = item };
  gint64      n = view.outer * view.length; /* rows of inner elements, each repeated */
  gint64      stride = params->repeats * view.inner;

  hyb_move_axis (&move, n, to_repeated ? view.inner : stride, to_repeated ? stride : view.inner);
  hyb_move_axis (&move, params->repeats, to_repeated ? 0 : view.inner,
                 to_repeated ? view.inner : 0);
  hyb_move_axis (&move, view.inner, 1, 1);
  return move;
}

static void
repeat_forward (const HybCall *call, const HybRun *run)
{
  HybMove move = repeat_move (call->params, &call->input[0].shape,
                              hyb_dtype_size (call->input[0].dtype), TRUE);

  hyb_move (&move, run->input[0], run->output[0]);
}

/* Inputs: gradient, data. */
static void
repeat_backward (const HybCall *call, const HybRun *run)
{
  HybMove move = repeat_move (call->params, &call->output[0].shape,
                              hyb_dtype_size (call->input[0].dtype), FALSE);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_move_add (&move, call->input[0].dtype, run->input[0], run->output[0]);
}

static const char *const data_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

#define REPEATING_OP(stem, text, Params)                                                      \
  .name = #stem, .doc = text, .category = HYB_CATEGORY_MOVEMENT, .inputs = data_input,        \
  .params = stem##_params, .params_size = sizeof (Params), .infer_shape = stem##_infer_shape, \
  .dtypes = HYB_DTYPES_ALL, .forward = stem##_forward, .gradient = hyb_gradient_by_operands,  \
  .cost = hyb_rule_cost_move

#define BACKWARD_OP(stem, Params)                                                               \
  .name = "_backward_" #stem, .gradient_of = #stem, .operands = "g0 i0 > i0",                   \
  .doc = "Gradient of " #stem ": the sum over all copies.", .category = HYB_CATEGORY_REDUCTION, \
  .flags = HYB_OP_INTERNAL, .inputs = backward_inputs, .params = stem##_params,                 \
  .params_size = sizeof (Params), .dtypes = HYB_DTYPES_ALL, .forward = stem##_backward,         \
  .flops_per_input = 1

const HybOp hyb_ops_tile[] = {
  {
      REPEATING_OP (tile, "Repeats the array along its axes.", TileParams),
      .check = tile_check,
  },
  { REPEATING_OP (repeat, "Repeats each element.", RepeatParams) },
  { BACKWARD_OP (tile, TileParams), .check = tile_check },
  { BACKWARD_OP (repeat, RepeatParams) },
  { 0 },
};

#undef REPEATING_OP
#undef BACKWARD_OP
