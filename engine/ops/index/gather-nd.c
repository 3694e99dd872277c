/* gather-nd.c — gather_nd reads and scatter_nd writes elements, or rows, at given coordinates;
 * _ravel_multi_index and _unravel_index convert between coordinates and flat indices.
 *
 * indices has the shape (M, rest …): column j holds M coordinates, one for each of the first M axes.
 * They select a row of the remaining axes.  Start with Selection and find_row().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* The rows of an array that indices select. */
typedef struct
{
  const HybShape *shape;   /* of the array */
  int             depth;   /* M, the number of coordinates */
  gint64          columns; /* number of selected rows */
  gint64          row;     /* elements of a row */
  gconstpointer   indices;
  HybDType        index_dtype;
} Selection;

static Selection
select_rows (const HybShape *shape, const HybType *indices, gconstpointer data)
{
  int depth = (int) indices->shape.dim[0];

  return (Selection){
    .shape = shape,
    .depth = depth,
    .columns = hyb_shape_count (&indices->shape, 1, indices->shape.rank),
    .row = hyb_shape_count (shape, depth, shape->rank),
    .indices = data,
    .index_dtype = indices->dtype,
  };
}

/* Coordinate i of column j.  Negative ones count from the end.  -1 if it is outside of the axis, which
 * is reported; as in MXNet that holds for 2.5 of three elements, too. */
static gint64
find_coordinate (const Selection *selection, int i, gint64 j, const HybRun *run)
{
  gsize  where = (gsize) (i * selection->columns + j);
  gint64 size = selection->shape->dim[i];
  double given = hyb_dtype_get_double (selection->indices, selection->index_dtype, where);

  if (given >= -(double) size && given <= (double) (size - 1))
    return (gint64) (given < 0 ? given + (double) size : given);

  hyb_run_report_index (run, i, given, size);
  return -1;
}

/* The number of the row that column j selects, -1 if it is outside of the array. */
static gint64
find_row (const Selection *selection, gint64 j, const HybRun *run)
{
  gint64 at = 0;

  for (int i = 0; i < selection->depth; i++)
    {
      gint64 index = find_coordinate (selection, i, j, run);

      if (index < 0)
        return -1;
      at = at * selection->shape->dim[i] + index;
    }
  return at;
}

/* Relates whole (M axes, row …), indices (M, rest …) and rows (rest …, row …). */
static gboolean
infer_rows (HybShape *whole, HybShape *indices, HybShape *rows, GError **error)
{
  HybShape out = { .rank = 0 };
  int      depth;

  if (indices->rank == HYB_UNKNOWN || whole->rank == HYB_UNKNOWN)
    return TRUE;
  if (indices->rank == 0)
    return hyb_refuse_types (error, NULL, "indices need a first axis of coordinates");
  if (indices->dim[0] == HYB_UNKNOWN)
    return TRUE;
  if (indices->dim[0] > whole->rank)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT
                             " coordinates cannot select from an array of %d dimensions",
                             indices->dim[0], whole->rank);

  depth = (int) indices->dim[0];
  if (indices->rank - 1 + whole->rank - depth > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 1; i < indices->rank; i++)
    out.dim[out.rank++] = indices->dim[i];
  for (int i = depth; i < whole->rank; i++)
    out.dim[out.rank++] = whole->dim[i];
  if (out.rank == 0)
    out = hyb_shape_1d (1);
  return hyb_shape_unify (rows, &out, error);
}

/* Indices may be of any dtype. */
static gboolean
except_second_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

/* --- gather_nd --- */

static gboolean
gather_infer_shape (HybCall *call, GError **error)
{
  return infer_rows (&call->input[0].shape, &call->input[1].shape, &call->output[0].shape, error);
}

/* Coordinates outside of the array are reported and read zeros. */
static void
gather_forward (const HybCall *call, const HybRun *run)
{
  Selection selection = select_rows (&call->input[0].shape, &call->input[1], run->input[1]);
  gsize     bytes = (gsize) selection.row * hyb_dtype_size (call->input[0].dtype);
  char     *to = run->output[0];

  for (gint64 j = 0; j < selection.columns; j++)
    {
      gint64 at = find_row (&selection, j, run);

      if (at < 0)
        memset (to + (gsize) j * bytes, 0, bytes);
      else
        memcpy (to + (gsize) j * bytes, (const char *) run->input[0] + (gsize) at * bytes, bytes);
    }
}

static void
backward_gather (const HybCall *call, const HybRun *run)
{
  Selection selection = select_rows (&call->output[0].shape, &call->input[1], run->input[1]);
  HybDType  dtype = call->input[0].dtype;
  gsize     bytes = (gsize) selection.row * hyb_dtype_size (dtype);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 j = 0; j < selection.columns; j++)
    {
      gint64 at = find_row (&selection, j, run);

      if (at >= 0)
        hyb_move_add_run (dtype, selection.row, (const char *) run->input[0] + (gsize) j * bytes,
                          (char *) run->output[0] + (gsize) at * bytes);
    }
}

/* --- scatter_nd --- */

typedef struct
{
  HybShape shape;
} IndexParams;

static const HybParam scatter_params[] = {
  { HYB_FIELD (IndexParams, shape), HYB_PARAM_SHAPE, .doc = "shape of the result" },
  { 0 },
};

static gboolean
sizes_check (gconstpointer values, GError **error)
{
  const IndexParams *params = values;

  for (int i = 0; i < params->shape.rank; i++)
    if (params->shape.dim[i] < 0)
      return hyb_refuse_attribute (error, NULL, "a size in shape cannot be negative");

  return params->shape.rank > 0 || hyb_refuse_attribute (error, NULL, "shape is empty");
}

static gboolean
scatter_infer_shape (HybCall *call, GError **error)
{
  const IndexParams *params = call->params;
  HybShape           out = params->shape;

  return hyb_shape_assign (&call->output[0].shape, &out, error) &&
         infer_rows (&out, &call->input[1].shape, &call->input[0].shape, error);
}

/* If several rows have the same coordinates the last one wins; rows outside of the array are
 * reported and dropped. */
static void
scatter_forward (const HybCall *call, const HybRun *run)
{
  Selection selection = select_rows (&call->output[0].shape, &call->input[1], run->input[1]);
  gsize     bytes = (gsize) selection.row * hyb_dtype_size (call->input[0].dtype);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 j = 0; j < selection.columns; j++)
    {
      gint64 at = find_row (&selection, j, run);

      if (at >= 0)
        memcpy ((char *) run->output[0] + (gsize) at * bytes,
                (const char *) run->input[0] + (gsize) j * bytes, bytes);
    }
}

/* --- _ravel_multi_index: coordinates (M, rest …) to flat indices (rest …), and _unravel_index --- */

static const HybParam ravel_params[] = {
  { HYB_FIELD (IndexParams, shape), HYB_PARAM_SHAPE,
    .doc = "shape of the array that the indices refer to" },
  { 0 },
};

/* Flat indices do not depend on the first size, so MXNet allows -1 for it. */
static gboolean
ravel_check (gconstpointer values, GError **error)
{
  const IndexParams *params = values;

  for (int i = 1; i < params->shape.rank; i++)
    if (params->shape.dim[i] <= 0)
      return hyb_refuse_attribute (error, NULL, "a size in shape must be positive");

  return params->shape.rank > 0 || hyb_refuse_attribute (error, NULL, "shape is empty");
}

static gboolean
infer_coordinates (const IndexParams *params, HybShape *coordinates, HybShape *flat, GError **error)
{
  HybShape deep;

  if (coordinates->rank == 0)
    return hyb_refuse_types (error, NULL, "indices need a first axis of coordinates");
  if (coordinates->rank > 0)
    {
      HybShape rest = hyb_dims_without (coordinates, 0);

      if (!hyb_shape_assign (flat, &rest, error))
        return FALSE;
    }
  if (flat->rank == HYB_UNKNOWN)
    return TRUE;
  if (flat->rank >= HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);

  deep = hyb_dims_with (flat, 0, params->shape.rank);
  return hyb_shape_unify (coordinates, &deep, error);
}

static gboolean
ravel_infer_shape (HybCall *call, GError **error)
{
  if (!hyb_layer_expect_rank (&call->input[0].shape, "data", 2, 2, error))
    return FALSE;
  return infer_coordinates (call->params, &call->input[0].shape, &call->output[0].shape, error);
}

static gboolean
unravel_infer_shape (HybCall *call, GError **error)
{
  return infer_coordinates (call->params, &call->output[0].shape, &call->input[0].shape, error);
}

/* Indices are not checked, so the arithmetic is unsigned, where overflow is defined. */
static void
ravel_forward (const HybCall *call, const HybRun *run)
{
  const IndexParams *params = call->params;
  HybDType           dtype = call->input[0].dtype;
  gint64             n = hyb_shape_size (&call->output[0].shape);

  for (gint64 j = 0; j < n; j++)
    {
      guint64 flat = 0;

      for (int i = 0; i < params->shape.rank; i++)
        flat = flat * (guint64) params->shape.dim[i] +
               (guint64) hyb_dtype_get_int (run->input[0], dtype, (gsize) (i * n + j));
      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) j,
                            (double) (gint64) flat);
    }
}

static void
unravel_forward (const HybCall *call, const HybRun *run)
{
  const IndexParams *params = call->params;
  gint64             n = hyb_shape_size (&call->input[0].shape);

  for (gint64 j = 0; j < n; j++)
    {
      gint64 rest = hyb_dtype_get_int (run->input[0], call->input[0].dtype, (gsize) j);

      for (int i = params->shape.rank - 1; i >= 0; i--)
        {
          gint64 index = i > 0 ? rest % params->shape.dim[i] : rest;

          rest = i > 0 ? rest / params->shape.dim[i] : 0;
          hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) (i * n + j),
                                (double) index);
        }
    }
}

static const char *const gather_inputs[] = { "data", "indices", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };
static const char *const data_input[] = { "data", NULL };

const HybOp hyb_ops_gather_nd[] = {
  {
      .name = "gather_nd",
      .doc = "Reads elements or rows at given coordinates.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = gather_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = gather_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = gather_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_gather_nd",
      .doc = "Gradient of gather_nd: the sum for each coordinate over all reads.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "gather_nd",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = backward_gather,
      .flops_per_input = 1,
  },
  {
      .name = "scatter_nd",
      .doc = "Writes elements or rows at given coordinates into an array of zeros.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = gather_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (scatter_params, IndexParams),
      .check = sizes_check,
      .infer_shape = scatter_infer_shape,
      .infer_dtype = except_second_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = scatter_forward,
      HYB_GRADIENT ("gather_nd (g0, i1) > i0"),
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_ravel_multi_index",
      .aliases = (const char *const[]){ "ravel_multi_index", NULL },
      .doc = "Converts coordinates to indices into the flattened array.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (ravel_params, IndexParams),
      .check = ravel_check,
      .infer_shape = ravel_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = ravel_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_unravel_index",
      .aliases = (const char *const[]){ "unravel_index", NULL },
      .doc = "Converts indices into the flattened array to coordinates.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (ravel_params, IndexParams),
      .check = ravel_check,
      .infer_shape = unravel_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = unravel_forward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
