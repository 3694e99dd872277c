/* constraint-check.c — _npx_constraint_check: stops a run in which a condition does not hold.
 *
 * Probability distributions of Gluon check their parameters by it.  The result is whether all elements
 * hold; a run in which one does not ends with the message of the node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/run.h"

typedef struct
{
  char *msg;
} ConstraintParams;

static const HybParam constraint_params[] = {
  { HYB_FIELD (ConstraintParams, msg), HYB_PARAM_STRING, "Constraint violated.",
    .doc = "what is reported" },
  { 0 },
};

static gboolean
constraint_infer_shape (HybCall *call, GError **error)
{
  HybShape number = { .rank = 0 };

  return hyb_shape_assign (&call->output[0].shape, &number, error);
}

static gboolean
constraint_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->input[0].dtype, HYB_BOOL, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_BOOL, error);
}

static void
constraint_forward (const HybCall *call, const HybRun *run)
{
  const guint8 *holds = run->input[0];
  gint64        n = hyb_shape_size (&call->input[0].shape);
  guint8       *all = run->output[0];

  *all = TRUE;
  for (gint64 i = 0; i < n && *all; i++)
    *all = holds[i] != 0;
  if (!*all)
    hyb_run_report (run, "Look at the values that the condition compares.", "%s",
                    ((const ConstraintParams *) call->params)->msg);
}

static const char *const inputs[] = { "input", NULL };

const HybOp hyb_ops_constraint_check[] = {
  {
      .name = "_npx_constraint_check",
      .doc = "Whether all elements are true; the run ends where one is not.",
      .category = HYB_CATEGORY_CONTROL,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = inputs,
      HYB_PARAMS (constraint_params, ConstraintParams),
      .infer_shape = constraint_infer_shape,
      .infer_dtype = constraint_infer_dtype,
      .dtypes = HYB_DTYPE_BIT (HYB_BOOL),
      .forward = constraint_forward,
  },
  { 0 },
};
