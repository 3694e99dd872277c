/* numpy-roll.c — _np_roll: moves elements along axes; those that leave one end enter at the other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/table-copy.h"

#include <string.h>

typedef struct
{
  HybInts shift, axis;
} RollParams;

static const HybParam roll_params[] = {
  { HYB_FIELD (RollParams, shift), HYB_PARAM_INTS, "None", .doc = "how far each axis is moved" },
  { HYB_FIELD (RollParams, axis), HYB_PARAM_INTS, "None",
    .doc = "the axes; None: all elements as one row" },
  { 0 },
};

static gboolean
roll_check (gconstpointer values, GError **error)
{
  const RollParams *params = values;

  if (params->shift.n < 1)
    return hyb_refuse_attribute (error, "Give at least one number", "shift is empty");
  if (params->axis.n == HYB_UNKNOWN
          ? params->shift.n == 1
          : params->axis.n > 0 && (params->shift.n == 1 || params->shift.n == params->axis.n))
    return TRUE;
  return hyb_refuse_attribute (error, "Give one shift, or one for each axis",
                               "there are %d shifts for %d axes", params->shift.n,
                               MAX (0, params->axis.n));
}

static gboolean
roll_infer_shape (HybCall *call, GError **error)
{
  const RollParams *params = call->params;
  const HybShape   *in = &call->input[0].shape;
  guint32           seen = 0;

  for (int i = 0; i < params->axis.n && in->rank != HYB_UNKNOWN; i++)
    {
      int axis = hyb_shape_axis (in, params->axis.value[i], error);

      if (axis < 0)
        return FALSE;
      if (seen >> axis & 1)
        return hyb_refuse_attribute (error, NULL, "axis %d is named twice", axis);
      seen |= 1u << axis;
    }
  return hyb_rule_same_shape (call, error);
}

/* The shape whose axes are moved. */
static HybShape
roll_shape (const RollParams *params, const HybShape *shape)
{
  return params->axis.n == HYB_UNKNOWN ? hyb_shape_1d (hyb_shape_size (shape)) : *shape;
}

static gint64
roll_index (gconstpointer values, const HybShape *in, int axis, gint64 i)
{
  const RollParams *params = values;
  gint64            n = in->dim[axis], shift = 0;

  if (params->axis.n == HYB_UNKNOWN)
    shift = params->shift.value[0];
  for (int k = 0; k < params->axis.n; k++)
    if (hyb_shape_axis (in, params->axis.value[k], NULL) == axis)
      shift = params->shift.value[params->shift.n == 1 ? 0 : k];
  return ((i - shift % n) % n + n) % n;
}

/* The tables for a result of type `type`. */
static HybTableCopy
roll_tables (const HybCall *call, const HybRun *run, const HybType *type)
{
  const RollParams *params = call->params;
  HybTableCopy      copy = { .item = hyb_dtype_size (type->dtype), .dtype = type->dtype };

  copy.in = copy.out = roll_shape (params, &type->shape);
  hyb_table_copy_fill (&copy, run->workspace, params, roll_index);
  return copy;
}

static gsize
roll_workspace (const HybCall *call)
{
  HybShape shape = roll_shape (call->params, &call->output[0].shape);

  return hyb_table_copy_bytes (&shape);
}

static void
roll_forward (const HybCall *call, const HybRun *run)
{
  HybTableCopy copy = roll_tables (call, run, &call->output[0]);

  hyb_table_copy_run (&copy, run->input[0], run->output[0]);
}

static void
roll_backward (const HybCall *call, const HybRun *run)
{
  HybTableCopy copy = roll_tables (call, run, &call->output[0]);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  hyb_table_copy_add_back (&copy, run->input[0], run->output[0]);
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", NULL };

#define COMMON                                                                                  \
  .category = HYB_CATEGORY_MOVEMENT, .params = roll_params, .params_size = sizeof (RollParams), \
  .cost = hyb_rule_cost_move

const HybOp hyb_ops_numpy_roll[] = {
  {
      .name = "_np_roll",
      .doc = "Moves elements along axes; those that leave one end enter at the other.",
      COMMON,
      .inputs = inputs,
      .check = roll_check,
      .infer_shape = roll_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .workspace = roll_workspace,
      .forward = roll_forward,
      HYB_GRADIENT ("_backward_np_roll* (g0) > i0"),
  },
  {
      .name = "_backward_np_roll",
      .doc = "Gradient of _np_roll.",
      COMMON,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .workspace = roll_workspace,
      .forward = roll_backward,
  },
  { 0 },
};

#undef COMMON
