/* concat.c — Concat and _rnn_param_concat join arrays along an axis, stack along a new one.
 *
 * Each piece is a block of rows of the result, copied with one strided move.  _backward_Concat
 * splits a gradient into the pieces again.  Start with concat_forward() and infer_joined().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#define MAX_PIECES 65536

typedef struct
{
  gint64 num_args;
  gint64 dim;
} ConcatParams;

static const HybParam concat_params[] = {
  { HYB_FIELD (ConcatParams, num_args), HYB_PARAM_INT, .low = 1, .high = MAX_PIECES,
    .doc = "number of inputs" },
  { HYB_FIELD (ConcatParams, dim), HYB_PARAM_INT, "1", .doc = "axis along which they are joined" },
  { 0 },
};

static void
concat_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const ConcatParams *) values)->num_args;
  *n_outputs = 1;
}

/* The pieces and the whole that they are joined to. */
typedef struct
{
  HybType  *pieces;
  guint     n;
  HybShape *whole;
  gint64    dim;     /* the attribute: the joined axis, negative from the end */
  guint     n_equal; /* up to this many pieces of unknown size are taken to be equal */
} Joined;

/* Unifies all dimensions except the joined one.  Sets *axis to the joined axis; -1 while no rank
 * is known. */
static gboolean
share_other_dims (const Joined *joined, int *axis, GError **error)
{
  HybShape common = HYB_SHAPE_UNKNOWN;

  *axis = -1;
  for (guint i = 0; i <= joined->n; i++)
    {
      HybShape shape = i < joined->n ? joined->pieces[i].shape : *joined->whole;

      if (shape.rank == HYB_UNKNOWN)
        continue;
      *axis = hyb_shape_axis (&shape, joined->dim, error);
      if (*axis < 0)
        return FALSE;
      shape.dim[*axis] = HYB_UNKNOWN;
      if (!hyb_shape_assign (&common, &shape, error))
        {
          g_prefix_error (error, i < joined->n ? "input %u: " : "the output: ", i);
          return FALSE;
        }
    }
  if (common.rank == HYB_UNKNOWN)
    return TRUE;

  for (guint i = 0; i < joined->n; i++)
    if (!hyb_shape_assign (&joined->pieces[i].shape, &common, error))
      return FALSE;
  return hyb_shape_assign (joined->whole, &common, error);
}

/* The sizes of the pieces along the joined axis add up to that of the whole: infers the whole, or
 * up to n_equal unknown pieces. */
static gboolean
share_joined_dim (const Joined *joined, int axis, GError **error)
{
  gint64 *whole = &joined->whole->dim[axis];
  gint64  sum = 0;
  guint   n_unknown = 0;

  for (guint i = 0; i < joined->n; i++)
    if (joined->pieces[i].shape.dim[axis] == HYB_UNKNOWN)
      n_unknown++;
    else if (__builtin_add_overflow (sum, joined->pieces[i].shape.dim[axis], &sum))
      sum = G_MAXINT64;

  if (n_unknown == 0)
    return hyb_dim_unify (whole, &sum, "the joined dimension and the sum of its parts", error);
  if (*whole == HYB_UNKNOWN || n_unknown > joined->n_equal)
    return TRUE;

  sum = *whole - sum;
  if (sum < 0)
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT
                             " elements of the joined axis remain for %u inputs",
                             sum, n_unknown);
  if (sum % n_unknown != 0)
    return TRUE; /* the pieces are not equal, and become known later */
  for (guint i = 0; i < joined->n; i++)
    if (joined->pieces[i].shape.dim[axis] == HYB_UNKNOWN)
      joined->pieces[i].shape.dim[axis] = sum / n_unknown;
  return TRUE;
}

static gboolean
infer_joined (const Joined *joined, GError **error)
{
  int axis;

  return share_other_dims (joined, &axis, error) &&
         (axis < 0 || share_joined_dim (joined, axis, error));
}

/* The inputs of a call as pieces of its output. */
static Joined
joined_inputs (HybCall *call, guint n_equal)
{
  const ConcatParams *params = call->params;

  return (Joined){ call->input, call->n_inputs, &call->output[0].shape, params->dim, n_equal };
}

static gboolean
concat_infer_shape (HybCall *call, GError **error)
{
  Joined joined = joined_inputs (call, 1);

  return infer_joined (&joined, error);
}

/* An RNN determines the size of the whole.  If two pieces are unknown, they are the weights of the
 * first layer in both directions, which have equal sizes. */
static gboolean
rnn_param_concat_infer_shape (HybCall *call, GError **error)
{
  Joined joined = joined_inputs (call, 2);

  return infer_joined (&joined, error);
}

/* The copy between one piece and its part of the whole, in the given direction: rows of the
 * dimensions from the axis on. */
static HybMove
piece_rows (const HybShape *piece,
            const HybShape *whole,
            int             axis,
            HybDType        dtype,
            gboolean        to_whole)
{
  HybMove move = { .item = hyb_dtype_size (dtype) };
  gint64  length = hyb_shape_count (piece, axis, piece->rank);
  gint64  row = hyb_shape_count (whole, axis, whole->rank);

  hyb_move_axis (&move, hyb_shape_count (piece, 0, axis), to_whole ? length : row,
                 to_whole ? row : length);
  hyb_move_axis (&move, length, 1, 1);
  return move;
}

static void
concat_forward (const HybCall *call, const HybRun *run)
{
  const ConcatParams *params = call->params;
  const HybType      *whole = &call->output[0];
  int                 axis = hyb_shape_axis (&whole->shape, params->dim, NULL);
  char               *to = run->output[0];

  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybMove move = piece_rows (&call->input[i].shape, &whole->shape, axis, whole->dtype, TRUE);

      hyb_move (&move, run->input[i], to);
      to += (gsize) move.dim[1] * move.item;
    }
}

static void
concat_gradient (HybGrad *grad)
{
  guint                  n = hyb_grad_n_inputs (grad);
  g_autofree HybValueId *inputs = g_new (HybValueId, n + 1);
  HybValueId             first;

  inputs[0] = hyb_grad_incoming (grad, 0);
  for (guint i = 0; i < n; i++)
    inputs[i + 1] = hyb_grad_input (grad, i);
  first = hyb_grad_emit_same (grad, "_backward_Concat", n + 1, inputs);
  for (guint i = 0; i < n; i++)
    hyb_grad_set_input (grad, i, first + i);
}

/* --- _backward_Concat: the gradient of the whole, then the pieces (for their shapes) --- */

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  guint n = (guint) ((const ConcatParams *) values)->num_args;

  *n_inputs = n + 1;
  *n_outputs = n;
}

static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  const ConcatParams *params = call->params;
  Joined joined = { call->output, call->n_outputs, &call->input[0].shape, params->dim, 1 };

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_unify (&call->output[i].shape, &call->input[i + 1].shape, error))
      return FALSE;

  return infer_joined (&joined, error);
}

static void
backward_forward (const HybCall *call, const HybRun *run)
{
  const ConcatParams *params = call->params;
  const HybType      *whole = &call->input[0];
  int                 axis = hyb_shape_axis (&whole->shape, params->dim, NULL);
  const char         *from = run->input[0];

  for (guint i = 0; i < call->n_outputs; i++)
    {
      HybMove move = piece_rows (&call->output[i].shape, &whole->shape, axis, whole->dtype, FALSE);

      hyb_move (&move, from, run->output[i]);
      from += (gsize) move.dim[1] * move.item;
    }
}

/* Pieces along the slowest axis (of more than one element) are contiguous in the whole. */
static gboolean
backward_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  const ConcatParams *params = call->params;
  const HybType      *whole = &call->input[0];
  int                 axis = hyb_shape_axis (&whole->shape, params->dim, NULL);

  if (hyb_shape_count (&whole->shape, 0, axis) != 1)
    return FALSE;

  *input = 0;
  *offset = 0;
  for (guint i = 0; i < output; i++)
    *offset += hyb_type_bytes (&call->output[i]);
  return TRUE;
}

/* Of the pieces only the shapes are read. */
static void
backward_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_move (call, cost);
  cost->bytes_read = cost->bytes_written;
}

/* --- stack --- */

typedef struct
{
  gint64 num_args;
  gint64 axis;
} StackParams;

static const HybParam stack_params[] = {
  { HYB_FIELD (StackParams, num_args), HYB_PARAM_INT, .low = 1, .high = MAX_PIECES,
    .doc = "number of inputs" },
  { HYB_FIELD (StackParams, axis), HYB_PARAM_INT, "0", .doc = "where the new axis is" },
  { 0 },
};

static void
stack_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const StackParams *) values)->num_args;
  *n_outputs = 1;
}

static gboolean
stack_infer_shape (HybCall *call, GError **error)
{
  const StackParams *params = call->params;
  HybShape          *output = &call->output[0].shape;
  HybShape           common = HYB_SHAPE_UNKNOWN;
  HybShape           out;
  int                axis;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_assign (&common, &call->input[i].shape, error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  if (common.rank == HYB_UNKNOWN && output->rank > 0)
    common = hyb_shape_make (output->rank - 1, NULL);
  if (common.rank == HYB_UNKNOWN)
    return TRUE;
  if (common.rank >= HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);

  /* The attribute counts axes of the result, not of the inputs. */
  out = hyb_shape_make (common.rank + 1, NULL);
  axis = hyb_shape_axis (&out, params->axis, error);
  if (axis < 0)
    return FALSE;
  out = hyb_dims_with (&common, axis, call->n_inputs);
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;

  common = hyb_dims_without (output, axis);
  for (guint i = 0; i < call->n_inputs; i++)
    call->input[i].shape = common;
  return TRUE;
}

static void
stack_forward (const HybCall *call, const HybRun *run)
{
  const StackParams *params = call->params;
  const HybShape    *out = &call->output[0].shape;
  HybAxisView        view = hyb_axis_view (out, hyb_shape_axis (out, params->axis, NULL));
  HybMove            move = { .item = hyb_dtype_size (call->output[0].dtype) };

  hyb_move_axis (&move, view.outer, view.inner, view.length * view.inner);
  hyb_move_axis (&move, view.inner, 1, 1);
  for (guint i = 0; i < call->n_inputs; i++)
    hyb_move (&move, run->input[i],
              (char *) run->output[0] + (gint64) i * view.inner * (gint64) move.item);
}

static void
stack_gradient (HybGrad *grad)
{
  const StackParams *params = hyb_grad_params (grad);
  HybValueId         dy = hyb_grad_incoming (grad, 0);
  g_autofree char   *n = g_strdup_printf ("%" G_GINT64_FORMAT, params->num_args);
  g_autofree char   *axis = g_strdup_printf ("%" G_GINT64_FORMAT, params->axis);
  const char *const attributes[] = { "num_outputs", n, "axis", axis, "squeeze_axis", "True", NULL };
  HybValueId        first = hyb_grad_emit_with (grad, "SliceChannel", attributes, 1, &dy);

  for (guint i = 0; i < hyb_grad_n_inputs (grad); i++)
    hyb_grad_set_input (grad, i, first + i);
}

/* The gradient of splitting is concatenation. */
static void
concat_second_gradient (HybGrad *grad)
{
  guint                  n = hyb_grad_n_outputs (grad);
  g_autofree HybValueId *pieces = g_new (HybValueId, n);

  for (guint i = 0; i < n; i++)
    pieces[i] = hyb_grad_incoming (grad, i);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "Concat", n, pieces));
}

static const char *const piece_inputs[] = { "arg", NULL };
static const char *const backward_inputs[] = { "gradient", "arg", NULL };
static const char *const concat_aliases[] = { "concat", NULL };

const HybOp hyb_ops_concat[] = {
  {
      .name = "Concat",
      .aliases = concat_aliases,
      .doc = "Joins arrays along one axis.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = piece_inputs,
      HYB_PARAMS (concat_params, ConcatParams),
      .arity = concat_arity,
      .infer_shape = concat_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = concat_forward,
      .gradient = concat_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_rnn_param_concat",
      .doc = "Joins the weights of an RNN into one flat array.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = piece_inputs,
      HYB_PARAMS (concat_params, ConcatParams),
      .arity = concat_arity,
      .infer_shape = rnn_param_concat_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = concat_forward,
      .gradient = concat_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_Concat",
      .doc = "Gradient of Concat: the parts of the joined gradient.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Concat",
      .operands = "g0 i* > i*",
      .inputs = backward_inputs,
      HYB_PARAMS (concat_params, ConcatParams),
      .arity = backward_arity,
      .infer_shape = backward_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = backward_forward,
      .gradient = concat_second_gradient,
      .view = backward_view,
      .cost = backward_cost,
  },
  {
      .name = "stack",
      .doc = "Joins arrays of one shape along a new axis.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = piece_inputs,
      HYB_PARAMS (stack_params, StackParams),
      .arity = stack_arity,
      .infer_shape = stack_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = stack_forward,
      .gradient = stack_gradient,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
