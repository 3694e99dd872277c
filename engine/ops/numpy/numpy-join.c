/* numpy-join.c — _npi_concatenate, _npi_vstack, _npi_hstack, _npi_dstack and _npi_column_stack: join
 * arrays along an axis.
 *
 * Each operator first gives its inputs more axes of size 1 (Join.least_rank …), which moves no
 * element, and then joins them along an axis.  Each input is a block of rows of the result.  Start
 * with joined_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-operands.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#define MAX_PIECES 65536

typedef struct
{
  gint64 num_args;
  gint64 axis;
  gint64 dim;
} JoinParams;

#define COUNT_PARAM                                                                \
  {                                                                                \
    HYB_FIELD (JoinParams, num_args), HYB_PARAM_INT, .low = 1, .high = MAX_PIECES, \
                                                     .doc = "number of inputs"     \
  }

static const HybParam concatenate_params[] = {
  COUNT_PARAM,
  { HYB_FIELD (JoinParams, axis), HYB_PARAM_OPTIONAL_INT, "0",
    .doc = "axis along which they are joined; None: all are flattened" },
  { 0 },
};

static const HybParam stack_params[] = {
  COUNT_PARAM,
  { HYB_FIELD (JoinParams, dim), HYB_PARAM_INT, "1", .doc = "not used" },
  { 0 },
};

#undef COUNT_PARAM

/* How the shape of a piece is completed, and the axis along which the pieces are joined. */
typedef void (*JoinRule) (gconstpointer params, HybShape *piece, gint64 *axis);

/* Adds axes of size 1 in front until the rank is reached. */
static void
add_in_front (HybShape *shape, int rank)
{
  while (shape->rank < rank)
    *shape = hyb_dims_with (shape, 0, 1);
}

static void
concatenate_rule (gconstpointer values, HybShape *piece, gint64 *axis)
{
  const JoinParams *params = values;

  *axis = params->axis == HYB_NONE ? 0 : params->axis;
  if (params->axis == HYB_NONE)
    *piece = hyb_shape_1d (hyb_dims_product (piece, 0, piece->rank));
}

static void
vstack_rule (gconstpointer values, HybShape *piece, gint64 *axis)
{
  *axis = 0;
  add_in_front (piece, 2);
}

static void
hstack_rule (gconstpointer values, HybShape *piece, gint64 *axis)
{
  add_in_front (piece, 1);
  *axis = piece->rank == 1 ? 0 : 1;
}

static void
dstack_rule (gconstpointer values, HybShape *piece, gint64 *axis)
{
  *axis = 2;
  add_in_front (piece, 2);
  if (piece->rank == 2)
    *piece = hyb_dims_with (piece, 2, 1);
}

/* Vectors are columns. */
static void
column_rule (gconstpointer values, HybShape *piece, gint64 *axis)
{
  *axis = 1;
  add_in_front (piece, 1);
  if (piece->rank == 1)
    *piece = hyb_dims_with (piece, 1, 1);
}

static void
join_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const JoinParams *) values)->num_args;
  *n_outputs = 1;
}

/* Adds the size of a piece along the joined axis to *sum; its other dimensions must be those of the
 * result. */
static gboolean
add_piece (HybShape *whole, const HybShape *piece, int axis, gint64 *sum, GError **error)
{
  HybShape others = *piece;

  others.dim[axis] = HYB_UNKNOWN;
  if (!hyb_shape_assign (whole, &others, error))
    return FALSE;
  if (piece->dim[axis] == HYB_UNKNOWN || *sum == HYB_UNKNOWN)
    *sum = HYB_UNKNOWN;
  else if (__builtin_add_overflow (*sum, piece->dim[axis], sum))
    *sum = G_MAXINT64;
  return TRUE;
}

/* The shape of the result and the joined axis.  Unknown while the rank of an input is. */
static gboolean
joined_shape (const HybCall *call, JoinRule rule, HybShape *whole, int *axis, GError **error)
{
  gint64 sum = 0, given = 0;

  *axis = 0;
  *whole = HYB_SHAPE_UNKNOWN;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybShape piece = call->input[i].shape;

      if (piece.rank == HYB_UNKNOWN || piece.rank >= HYB_MAX_RANK)
        {
          *whole = HYB_SHAPE_UNKNOWN;
          return TRUE;
        }
      rule (call->params, &piece, &given);
      *axis = hyb_shape_axis (&piece, given, error);
      if (*axis < 0)
        return FALSE;
      if (!add_piece (whole, &piece, *axis, &sum, error))
        {
          g_prefix_error (error, "input %u: ", i);
          return FALSE;
        }
    }
  if (whole->rank > *axis)
    whole->dim[*axis] = sum;
  return TRUE;
}

static gboolean
join_infer_shape (HybCall *call, JoinRule rule, GError **error)
{
  HybShape whole;
  int      axis = 0;

  return joined_shape (call, rule, &whole, &axis, error) &&
         hyb_shape_assign (&call->output[0].shape, &whole, error);
}

/* The pieces of a result and the axis along which they are joined. */
typedef struct
{
  const HybShape *whole;
  int             axis;
  const HybType  *pieces;
  guint           n;
} Pieces;

/* Copies every piece to the whole; or back, from input 0 to the outputs. */
static void
copy_pieces (const Pieces *pieces, const HybRun *run, gboolean to_whole)
{
  const HybShape *whole = pieces->whole;
  gint64          outer = hyb_shape_count (whole, 0, pieces->axis);
  gint64          row = hyb_shape_count (whole, pieces->axis, whole->rank);
  gsize           offset = 0;

  for (guint i = 0; i < pieces->n && outer > 0; i++)
    {
      HybMove move = { .item = hyb_dtype_size (pieces->pieces[i].dtype) };
      gint64  length = hyb_shape_size (&pieces->pieces[i].shape) / outer;

      hyb_move_axis (&move, outer, to_whole ? length : row, to_whole ? row : length);
      hyb_move_axis (&move, length, 1, 1);
      if (to_whole)
        hyb_move (&move, run->input[i], (char *) run->output[0] + offset);
      else
        hyb_move (&move, (const char *) run->input[0] + offset, run->output[i]);
      offset += (gsize) length * move.item;
    }
}

static void
join_forward (const HybCall *call, const HybRun *run, JoinRule rule)
{
  Pieces   pieces = { &call->output[0].shape, 0, call->input, call->n_inputs };
  HybShape whole;

  joined_shape (call, rule, &whole, &pieces.axis, NULL);
  copy_pieces (&pieces, run, TRUE);
}

/* --- Gradients: the incoming gradient, then the pieces (for their shapes) --- */

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_outputs = (guint) ((const JoinParams *) values)->num_args;
  *n_inputs = *n_outputs + 1;
}

static void
backward_forward (const HybCall *call, const HybRun *run, JoinRule rule)
{
  HybCall  forward = { .params = call->params, .n_inputs = call->n_outputs, .input = call->output };
  Pieces   pieces = { &call->input[0].shape, 0, call->output, call->n_outputs };
  HybShape whole;

  joined_shape (&forward, rule, &whole, &pieces.axis, NULL);
  copy_pieces (&pieces, run, FALSE);
}

/* Of the pieces only the shapes are read. */
static void
backward_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_move (call, cost);
  cost->bytes_read = cost->bytes_written;
}

/* row name, name after “_npi_”, table of attributes, names of outputs, description */
#define ROWS(ROW)                                                                             \
  ROW (concatenate, "concatenate", concatenate, outputs,                                      \
       "Joins arrays along an axis, or flattened.")                                           \
  ROW (vstack, "vstack", stack, NULL, "Joins arrays along the first axis; vectors are rows.") \
  ROW (hstack, "hstack", stack, outputs,                                                      \
       "Joins arrays along the second axis, vectors along their only one.")                   \
  ROW (dstack, "dstack", stack, outputs, "Joins arrays along the third axis.")                \
  ROW (column, "column_stack", stack, NULL,                                                   \
       "Joins arrays along the second axis; vectors are columns.")

#define ROW(id, text, table, names, summary)                         \
  static gboolean id##_infer_shape (HybCall *call, GError **error)   \
  {                                                                  \
    return join_infer_shape (call, id##_rule, error);                \
  }                                                                  \
  static void id##_forward (const HybCall *call, const HybRun *run)  \
  {                                                                  \
    join_forward (call, run, id##_rule);                             \
  }                                                                  \
  static void id##_backward (const HybCall *call, const HybRun *run) \
  {                                                                  \
    backward_forward (call, run, id##_rule);                         \
  }
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "data", NULL };
static const char *const outputs[] = { "out", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

#define COMMON(table)                                                                              \
  .category = HYB_CATEGORY_MOVEMENT, .params = table##_params, .params_size = sizeof (JoinParams), \
  .dtypes = HYB_DTYPES_ALL

#define ROW(id, text, table, names, summary) \
  {                                          \
    .name = "_npi_" text,                    \
    .doc = summary,                          \
    COMMON (table),                          \
    .inputs = inputs,                        \
    .outputs = names,                        \
    .arity = join_arity,                     \
    .infer_shape = id##_infer_shape,         \
    .forward = id##_forward,                 \
    .gradient = hyb_gradient_by_operands,    \
    .cost = hyb_rule_cost_move,              \
  },                                         \
      {                                      \
        .name = "_backward_np_" text,        \
        .doc = "Gradient of _npi_" text ".", \
        COMMON (table),                      \
        .flags = HYB_OP_INTERNAL,            \
        .gradient_of = "_npi_" text,         \
        .operands = "g0 i* > i*",            \
        .inputs = backward_inputs,           \
        .arity = backward_arity,             \
        .forward = id##_backward,            \
        .cost = backward_cost,               \
      },

const HybOp hyb_ops_numpy_join[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef COMMON
#undef ROWS
