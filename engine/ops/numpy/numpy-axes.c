/* numpy-axes.c — _np_moveaxis, _npi_rot90, _np_diag, _np_diagonal, _np_diagflat and _np_trace: the same
 * elements in another place, or the sum of some of them.
 *
 * Each operator describes one strided copy from input to output (Layout).  Elements of the output
 * that are not written are zero; elements that are written several times are summed.  The gradient is
 * the same copy in the other direction.  Start with the rules …_layout().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* A copy from the input to the output, in elements. */
typedef struct
{
  HybShape out;      /* the shape of the output */
  HybMove  move;     /* item is left 0 */
  gint64   from, to; /* the first element of each side */
  gboolean is_whole; /* every element of the output is written */
} Layout;

/* Fills a layout for an input of known shape.  FALSE if the attributes do not fit. */
typedef gboolean (*LayoutRule) (gconstpointer   params,
                                const HybShape *in,
                                Layout         *layout,
                                GError        **error);

/* --- moveaxis and rot90 --- */

typedef struct
{
  HybInts source, destination, axes;
  gint64  k, offset, axis1, axis2;
} AxesParams;

static const HybParam moveaxis_params[] = {
  { HYB_FIELD (AxesParams, source), HYB_PARAM_INTS, NULL, .doc = "axes that move" },
  { HYB_FIELD (AxesParams, destination), HYB_PARAM_INTS, NULL,
    .doc = "their places in the result" },
  { 0 },
};

static const HybParam rot90_params[] = {
  { HYB_FIELD (AxesParams, k), HYB_PARAM_INT, "1", .doc = "number of quarter turns" },
  { HYB_FIELD (AxesParams, axes), HYB_PARAM_INTS, "None", .doc = "the plane; None: (0, 1)" },
  { 0 },
};

/* The copy that puts input axis order[i] at place i; reversed: it is read from its end. */
static void
lay_permuted (const HybShape *in, const int *order, const gboolean *reversed, Layout *layout)
{
  gint64 stride[HYB_MAX_RANK], to[HYB_MAX_RANK];

  layout->is_whole = TRUE;
  layout->out.rank = in->rank;
  for (int i = 0; i < in->rank; i++)
    layout->out.dim[i] = in->dim[order[i]];
  hyb_dims_strides (in, stride);
  hyb_dims_strides (&layout->out, to);
  for (int i = 0; i < in->rank; i++)
    {
      int axis = order[i];

      hyb_move_axis (&layout->move, in->dim[axis], reversed[axis] ? -stride[axis] : stride[axis],
                     to[i]);
      if (reversed[axis])
        layout->from += (in->dim[axis] - 1) * stride[axis];
    }
}

static gboolean
moveaxis_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  const AxesParams *params = values;
  gboolean          moves[HYB_MAX_RANK] = { FALSE }, none[HYB_MAX_RANK] = { FALSE };
  int               order[HYB_MAX_RANK];

  if (params->source.n != params->destination.n)
    return hyb_refuse_attribute (error, NULL, "source and destination have different lengths");
  for (int i = 0; i < in->rank; i++)
    order[i] = -1;
  for (int i = 0; i < params->source.n; i++)
    {
      int from = hyb_shape_axis (in, params->source.value[i], error);
      int to = from < 0 ? -1 : hyb_shape_axis (in, params->destination.value[i], error);

      if (to < 0)
        return FALSE;
      if (moves[from] || order[to] >= 0)
        return hyb_refuse_attribute (error, NULL, "an axis is named twice");
      moves[from] = TRUE;
      order[to] = from;
    }
  for (int place = 0, axis = 0; place < in->rank; place++)
    if (order[place] < 0)
      {
        while (moves[axis])
          axis++;
        order[place] = axis++;
      }
  lay_permuted (in, order, none, layout);
  return TRUE;
}

static gboolean
rot90_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  const AxesParams *params = values;
  int               turns = (int) (params->k % 4 + 4) % 4;
  gboolean          reversed[HYB_MAX_RANK] = { FALSE };
  int               order[HYB_MAX_RANK], first, second;

  if (params->axes.n != HYB_UNKNOWN && params->axes.n != 2)
    return hyb_refuse_attribute (error, NULL, "axes must be two axes");
  first = hyb_shape_axis (in, params->axes.n == 2 ? params->axes.value[0] : 0, error);
  second =
      first < 0 ? -1 : hyb_shape_axis (in, params->axes.n == 2 ? params->axes.value[1] : 1, error);
  if (second < 0)
    return FALSE;
  if (first == second)
    return hyb_refuse_attribute (error, NULL, "axes must be two different axes");

  for (int i = 0; i < in->rank; i++)
    order[i] = i;
  if (turns % 2 == 1)
    {
      order[first] = second;
      order[second] = first;
    }
  reversed[first] = turns >= 2;
  reversed[second] = turns == 1 || turns == 2;
  lay_permuted (in, order, reversed, layout);
  return TRUE;
}

/* --- Diagonals --- */

#define DIAGONAL_LIMITS .low = -1e15, .high = 1e15

static const HybParam diag_params[] = {
  { HYB_FIELD (AxesParams, k), HYB_PARAM_INT, "0", DIAGONAL_LIMITS,
    .doc = "which diagonal: above (positive) or below the main one" },
  { 0 },
};

static const HybParam diagonal_params[] = {
  { HYB_FIELD (AxesParams, offset), HYB_PARAM_INT, "0", DIAGONAL_LIMITS,
    .doc = "which diagonal: above (positive) or below the main one" },
  { HYB_FIELD (AxesParams, axis1), HYB_PARAM_INT, "0", .doc = "axis of the rows" },
  { HYB_FIELD (AxesParams, axis2), HYB_PARAM_INT, "1", .doc = "axis of the columns" },
  { 0 },
};

/* The diagonal of two axes as the last axis of the result, or its sum. */
static gboolean
lay_diagonal (const AxesParams *params,
              const HybShape   *in,
              gboolean          sums,
              Layout           *layout,
              GError          **error)
{
  int    rows = hyb_shape_axis (in, params->axis1, error);
  int    columns = rows < 0 ? -1 : hyb_shape_axis (in, params->axis2, error), at = 0;
  gint64 stride[HYB_MAX_RANK], to[HYB_MAX_RANK], length;

  if (columns < 0)
    return FALSE;
  if (rows == columns)
    return hyb_refuse_attribute (error, NULL, "axis1 and axis2 are both axis %d", rows);
  length = params->offset >= 0 ? MIN (in->dim[rows], in->dim[columns] - params->offset)
                               : MIN (in->dim[rows] + params->offset, in->dim[columns]);
  length = MAX (0, length);
  for (int i = 0; i < in->rank; i++)
    if (i != rows && i != columns)
      layout->out.dim[layout->out.rank++] = in->dim[i];
  if (!sums)
    layout->out.dim[layout->out.rank++] = length;

  layout->is_whole = !sums;
  hyb_dims_strides (in, stride);
  hyb_dims_strides (&layout->out, to);
  for (int i = 0; i < in->rank; i++)
    if (i != rows && i != columns)
      {
        hyb_move_axis (&layout->move, in->dim[i], stride[i], to[at]);
        at++;
      }
  hyb_move_axis (&layout->move, length, stride[rows] + stride[columns], sums ? 0 : 1);
  if (length > 0)
    layout->from =
        params->offset >= 0 ? params->offset * stride[columns] : -params->offset * stride[rows];
  return TRUE;
}

static gboolean
diagonal_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  return lay_diagonal (values, in, FALSE, layout, error);
}

static gboolean
trace_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  return lay_diagonal (values, in, TRUE, layout, error);
}

/* A square matrix with these elements on diagonal k. */
static gboolean
diagflat_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  const AxesParams *params = values;
  gint64            n = hyb_shape_size (in), side;

  if (__builtin_add_overflow (n, ABS (params->k), &side) || side == G_MAXINT64)
    return hyb_refuse_types (error, NULL, "the matrix is too large");
  layout->out = hyb_shape_2d (side, side);
  hyb_move_axis (&layout->move, n, 1, side + 1);
  layout->to = n == 0 ? 0 : params->k >= 0 ? params->k : hyb_dim_multiply (-params->k, side);
  return TRUE;
}

/* A vector becomes a matrix, a matrix its diagonal. */
static gboolean
diag_layout (gconstpointer values, const HybShape *in, Layout *layout, GError **error)
{
  const AxesParams *params = values;
  AxesParams        diagonal = { .offset = params->k, .axis1 = 0, .axis2 = 1 };

  if (in->rank == 1)
    return diagflat_layout (values, in, layout, error);
  if (in->rank != 2)
    return hyb_refuse_types (error, "Use _np_diagonal",
                             "the input has %d dimensions, but 1 or 2 are needed", in->rank);
  return lay_diagonal (&diagonal, in, FALSE, layout, error);
}

/* --- Computation --- */

static gboolean
layout_infer_shape (HybCall *call, LayoutRule rule, GError **error)
{
  Layout layout = { .from = 0 };

  if (!hyb_shape_is_known (&call->input[0].shape))
    return TRUE;
  return rule (call->params, &call->input[0].shape, &layout, error) &&
         hyb_shape_assign (&call->output[0].shape, &layout.out, error);
}

static void
layout_forward (const HybCall *call, const HybRun *run, LayoutRule rule)
{
  const HybType *result = &call->output[0];
  gsize          item = hyb_dtype_size (result->dtype);
  Layout         layout = { .from = 0 };
  const char    *from;
  char          *to;

  rule (call->params, &call->input[0].shape, &layout, NULL);
  layout.move.item = item;
  if (!layout.is_whole)
    memset (run->output[0], 0, hyb_type_bytes (result));
  if (hyb_shape_size (&call->input[0].shape) == 0 || hyb_shape_size (&result->shape) == 0)
    return;

  from = (const char *) run->input[0] + layout.from * (gint64) item;
  to = (char *) run->output[0] + layout.to * (gint64) item;
  if (layout.move.rank > 0 && layout.move.to[layout.move.rank - 1] == 0)
    hyb_move_add (&layout.move, result->dtype, from, to);
  else
    hyb_move (&layout.move, from, to);
}

/* Inputs: gradient, data.  Each element of the data is read at most once. */
static void
layout_backward (const HybCall *call, const HybRun *run, LayoutRule rule)
{
  const HybType *data = &call->output[0];
  gsize          item = hyb_dtype_size (data->dtype);
  HybMove        back = { .item = item };
  Layout         layout = { .from = 0 };

  rule (call->params, &data->shape, &layout, NULL);
  memset (run->output[0], 0, hyb_type_bytes (data));
  if (hyb_shape_size (&data->shape) == 0 || hyb_shape_size (&call->input[0].shape) == 0)
    return;
  for (int i = 0; i < layout.move.rank; i++)
    hyb_move_axis (&back, layout.move.dim[i], layout.move.to[i], layout.move.from[i]);
  hyb_move (&back, (const char *) run->input[0] + layout.to * (gint64) item,
            (char *) run->output[0] + layout.from * (gint64) item);
}

/* name in files, row name (also of the rule), name of the table, dtypes, description */
#define ROWS(ROW)                                                                         \
  ROW ("_np_moveaxis", moveaxis, moveaxis, HYB_DTYPES_ALL, "Moves axes to other places.") \
  ROW ("_npi_rot90", rot90, rot90, HYB_DTYPES_ALL, "Rotates a plane by quarter turns.")   \
  ROW ("_np_diag", diag, diag, HYB_DTYPES_ALL,                                            \
       "The diagonal of a matrix, or a matrix with a diagonal.")                          \
  ROW ("_np_diagflat", diagflat, diag, HYB_DTYPES_ALL,                                    \
       "A matrix with all elements on a diagonal.")                                       \
  ROW ("_np_diagonal", diagonal, diagonal, HYB_DTYPES_ALL,                                \
       "The diagonal of two axes, as the last axis.")                                     \
  ROW ("_np_trace", trace, diagonal, TRACE_DTYPES, "The sum of the diagonal of two axes.")
#define TRACE_DTYPES HYB_DTYPES_FLOAT

#define ROW(text, id, table, types, summary)                         \
  static gboolean id##_infer_shape (HybCall *call, GError **error)   \
  {                                                                  \
    return layout_infer_shape (call, id##_layout, error);            \
  }                                                                  \
  static void id##_forward (const HybCall *call, const HybRun *run)  \
  {                                                                  \
    layout_forward (call, run, id##_layout);                         \
  }                                                                  \
  static void id##_backward (const HybCall *call, const HybRun *run) \
  {                                                                  \
    layout_backward (call, run, id##_layout);                        \
  }
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

#define COMMON(table)                                                                              \
  .category = HYB_CATEGORY_MOVEMENT, .params = table##_params, .params_size = sizeof (AxesParams), \
  .cost = hyb_rule_cost_move

#define ROW(text, id, table, types, summary) \
  {                                          \
    .name = text,                            \
    .doc = summary,                          \
    COMMON (table),                          \
    .inputs = inputs,                        \
    .infer_shape = id##_infer_shape,         \
    .dtypes = types,                         \
    .forward = id##_forward,                 \
    .gradient = hyb_gradient_by_operands,    \
  },                                         \
      {                                      \
        .name = "_backward" text,            \
        .doc = "Gradient of " text ".",      \
        COMMON (table),                      \
        .flags = HYB_OP_INTERNAL,            \
        .gradient_of = text,                 \
        .operands = "g0 i0 > i0",            \
        .inputs = backward_inputs,           \
        .dtypes = HYB_DTYPES_ALL,            \
        .forward = id##_backward,            \
      },

const HybOp hyb_ops_numpy_axes[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef COMMON
#undef ROWS
#undef TRACE_DTYPES
#undef DIAGONAL_LIMITS
