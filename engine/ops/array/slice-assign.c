/* slice-assign.c — _slice_assign and _slice_assign_scalar: a copy of an array in which a box is replaced
 * by another array, or by a number.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/array/slice-box.h"

#include <string.h>

typedef struct
{
  HybSliceParams slice;
  double         scalar;
} AssignScalarParams;

#define SLICE_FIELD(member) \
  .name = #member, .offset = G_STRUCT_OFFSET (AssignScalarParams, slice.member)

static const HybParam assign_scalar_params[] = {
  { HYB_FIELD (AssignScalarParams, scalar), HYB_PARAM_FLOAT, "0", .doc = "the number written" },
  { SLICE_FIELD (begin), HYB_PARAM_INTS, .doc = "first index of each leading axis" },
  { SLICE_FIELD (end), HYB_PARAM_INTS, .doc = "index after the last" },
  { SLICE_FIELD (step), HYB_PARAM_INTS, "()", .doc = "distance between indices, may be negative" },
  { 0 },
};

#undef SLICE_FIELD

static gboolean
assign_scalar_check (gconstpointer values, GError **error)
{
  return hyb_slice_check (&((const AssignScalarParams *) values)->slice, error);
}

static gboolean
assign_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  box;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  return hyb_slice_shape (call->params, data, &box, error) &&
         hyb_shape_assign (&call->input[1].shape, &box, error);
}

static gboolean
assign_scalar_infer_shape (HybCall *call, GError **error)
{
  const AssignScalarParams *params = call->params;
  HybShape                 *data = &call->input[0].shape;
  HybShape                  box;

  return hyb_shape_unify (data, &call->output[0].shape, error) &&
         (data->rank == HYB_UNKNOWN || hyb_slice_shape (&params->slice, data, &box, error));
}

/* Copies input 0, and then `value` into the box: an array of the shape of the box, or one element that
 * is repeated. */
static void
write_box (const HybCall        *call,
           const HybRun         *run,
           const HybSliceParams *params,
           gconstpointer         value,
           gboolean              repeats)
{
  const HybShape *data = &call->output[0].shape;
  HybMove         move = { .item = hyb_dtype_size (call->output[0].dtype) };
  HybBox          box = hyb_slice_box (params, data);
  HybShape        part;
  gint64          from[HYB_MAX_RANK], to[HYB_MAX_RANK], start;

  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  if (!hyb_slice_shape (params, data, &part, NULL) || hyb_shape_size (&part) == 0)
    return;

  start = hyb_box_lay (&box, data, to);
  hyb_dims_strides (&part, from);
  for (int i = 0; i < data->rank; i++)
    hyb_move_axis (&move, part.dim[i], repeats ? 0 : from[i], to[i]);
  hyb_move (&move, value, (char *) run->output[0] + start * (gint64) move.item);
}

static void
assign_forward (const HybCall *call, const HybRun *run)
{
  write_box (call, run, call->params, run->input[1], FALSE);
}

static void
assign_scalar_forward (const HybCall *call, const HybRun *run)
{
  const AssignScalarParams *params = call->params;
  gint64                    element; /* large enough for every type */

  hyb_dtype_set_double (&element, call->output[0].dtype, 0, params->scalar);
  write_box (call, run, &params->slice, &element, TRUE);
}

static const char *const assign_inputs[] = { "lhs", "rhs", NULL };
static const char *const scalar_inputs[] = { "data", NULL };

const HybOp hyb_ops_slice_assign[] = {
  {
      .name = "_slice_assign",
      .aliases = (const char *const[]){ "_crop_assign", NULL },
      .doc = "A copy of an array in which a box is replaced by another array.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = assign_inputs,
      HYB_PARAMS (hyb_slice_params, HybSliceParams),
      .check = hyb_slice_check,
      .infer_shape = assign_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = assign_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_slice_assign_scalar",
      .aliases = (const char *const[]){ "_crop_assign_scalar", NULL },
      .doc = "A copy of an array in which a box is replaced by a number.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = scalar_inputs,
      HYB_PARAMS (assign_scalar_params, AssignScalarParams),
      .check = assign_scalar_check,
      .infer_shape = assign_scalar_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = assign_scalar_forward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
