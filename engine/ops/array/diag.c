/* diag.c — diag: extracts the diagonal of matrices, or makes a matrix from its diagonal.
 *
 * Both directions, and both gradients, are one strided copy between the packed diagonal (“flat”)
 * and the array that contains it (“deep”).  Start with lay_diagonal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gint64 k;
  gint64 axis1;
  gint64 axis2;
} DiagParams;

static const HybParam diag_params[] = {
  { HYB_FIELD (DiagParams, k), HYB_PARAM_INT, "0", .low = -1e15, .high = 1e15,
    .doc = "which diagonal: above (positive) or below the main one" },
  { HYB_FIELD (DiagParams, axis1), HYB_PARAM_INT, "0", .doc = "axis of the rows" },
  { HYB_FIELD (DiagParams, axis2), HYB_PARAM_INT, "1", .doc = "axis of the columns" },
  { 0 },
};

static gboolean
find_axes (const DiagParams *params, const HybShape *data, int *rows, int *columns, GError **error)
{
  *rows = hyb_shape_axis (data, params->axis1, error);
  *columns = *rows < 0 ? -1 : hyb_shape_axis (data, params->axis2, error);
  if (*columns < 0)
    return FALSE;

  return *rows != *columns ||
         hyb_refuse_attribute (error, NULL, "axis1 and axis2 are both axis %d", *rows);
}

/* The length of diagonal k; not positive if the matrix does not have it. */
static gint64
diagonal_length (gint64 k, gint64 rows, gint64 columns)
{
  if (rows == HYB_UNKNOWN || columns == HYB_UNKNOWN)
    return HYB_UNKNOWN;

  return k >= 0 ? MIN (rows, columns - k) : MIN (rows + k, columns);
}

/* A vector of n elements becomes a square matrix whose diagonal k has n elements. */
static gboolean
infer_square (const DiagParams *params, HybShape *data, HybShape *output, GError **error)
{
  gint64   side = data->dim[0] == HYB_UNKNOWN ? HYB_UNKNOWN : data->dim[0] + ABS (params->k);
  HybShape out = hyb_shape_2d (side, side);

  return hyb_shape_assign (output, &out, error);
}

static gboolean
diag_infer_shape (HybCall *call, GError **error)
{
  const DiagParams *params = call->params;
  HybShape         *data = &call->input[0].shape;
  HybShape          out = { .rank = 0 };
  int               rows, columns;
  gint64            length;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank == 1)
    return infer_square (params, data, &call->output[0].shape, error);
  if (!find_axes (params, data, &rows, &columns, error))
    return FALSE;

  length = diagonal_length (params->k, data->dim[rows], data->dim[columns]);
  if (length != HYB_UNKNOWN && length <= 0)
    return hyb_refuse_types (error, NULL,
                             "a matrix of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                             " has no diagonal %" G_GINT64_FORMAT,
                             data->dim[rows], data->dim[columns], params->k);

  for (int i = 0; i < data->rank; i++)
    if (i != rows && i != columns)
      out.dim[out.rank++] = data->dim[i];
  out.dim[out.rank++] = length;
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* How the diagonal lies in the deep array. */
typedef struct
{
  HybMove move;  /* from: deep, to: flat; item is left 0 */
  gint64  start; /* the first element of the diagonal in the deep array */
} Diagonal;

static Diagonal
lay_diagonal (const DiagParams *params,
              const HybShape   *deep,
              int               rows,
              int               columns,
              const HybShape   *flat)
{
  Diagonal diagonal = { .start = 0 };
  gint64   stride[HYB_MAX_RANK], flat_stride[HYB_MAX_RANK];
  int      at = 0;

  hyb_dims_strides (deep, stride);
  hyb_dims_strides (flat, flat_stride);
  for (int i = 0; i < deep->rank; i++)
    if (i != rows && i != columns)
      {
        hyb_move_axis (&diagonal.move, deep->dim[i], stride[i], flat_stride[at]);
        at++;
      }
  hyb_move_axis (&diagonal.move, flat->dim[at], stride[rows] + stride[columns], flat_stride[at]);
  diagonal.start = params->k >= 0 ? params->k * stride[columns] : -params->k * stride[rows];
  return diagonal;
}

/* Copies the diagonal of input 0 to output 0. */
static void
take_diagonal (const HybCall *call, const HybRun *run, const Diagonal *diagonal)
{
  HybMove move = diagonal->move;

  move.item = hyb_dtype_size (call->input[0].dtype);
  hyb_move (&move, (const char *) run->input[0] + diagonal->start * (gint64) move.item,
            run->output[0]);
}

/* Sets output 0 to zero except on the diagonal, which is input 0. */
static void
put_diagonal (const HybCall *call, const HybRun *run, const Diagonal *diagonal)
{
  HybMove move = { .item = hyb_dtype_size (call->input[0].dtype) };

  for (int i = 0; i < diagonal->move.rank; i++)
    hyb_move_axis (&move, diagonal->move.dim[i], diagonal->move.to[i], diagonal->move.from[i]);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_move (&move, run->input[0], (char *) run->output[0] + diagonal->start * (gint64) move.item);
}

static void
diag_forward (const HybCall *call, const HybRun *run)
{
  const DiagParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  const HybShape   *out = &call->output[0].shape;
  Diagonal          diagonal;
  int               rows, columns;

  if (data->rank == 1)
    {
      diagonal = lay_diagonal (params, out, 0, 1, data);
      put_diagonal (call, run, &diagonal);
      return;
    }

  find_axes (params, data, &rows, &columns, NULL);
  diagonal = lay_diagonal (params, data, rows, columns, out);
  take_diagonal (call, run, &diagonal);
}

/* Inputs: gradient, data. */
static void
diag_backward (const HybCall *call, const HybRun *run)
{
  const DiagParams *params = call->params;
  const HybShape   *dy = &call->input[0].shape;
  const HybShape   *data = &call->output[0].shape;
  Diagonal          diagonal;
  int               rows, columns;

  if (data->rank == 1)
    {
      diagonal = lay_diagonal (params, dy, 0, 1, data);
      take_diagonal (call, run, &diagonal);
      return;
    }

  find_axes (params, data, &rows, &columns, NULL);
  diagonal = lay_diagonal (params, data, rows, columns, dy);
  put_diagonal (call, run, &diagonal);
}

static const char *const data_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_diag[] = {
  {
      .name = "diag",
      .doc = "Extracts the diagonal of matrices, or makes a diagonal matrix from a vector.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      HYB_PARAMS (diag_params, DiagParams),
      .infer_shape = diag_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = diag_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_diag",
      .doc = "Gradient of diag.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "diag",
      .operands = "g0 i0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (diag_params, DiagParams),
      .dtypes = HYB_DTYPES_ALL,
      .forward = diag_backward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
