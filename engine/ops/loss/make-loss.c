/* make-loss.c — MakeLoss and make_loss: the identity, marking the data as a loss.  The gradient is
 * a constant and ignores the incoming gradient.  Start at gradient_value().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-formula.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef enum
{
  NORMALIZE_NULL,
  NORMALIZE_BATCH,
  NORMALIZE_VALID,
} Normalization;

typedef struct
{
  double grad_scale, valid_thresh;
  int    normalization;
} MakeLossParams;

static const char *const normalization_names[] = { "null", "batch", "valid", NULL };

static const HybParam make_loss_params[] = {
  { HYB_FIELD (MakeLossParams, grad_scale), HYB_PARAM_FLOAT, "1", .doc = "value of the gradient" },
  { HYB_FIELD (MakeLossParams, valid_thresh), HYB_PARAM_FLOAT, "0",
    .doc = "elements above it count as valid (normalization valid)" },
  { HYB_FIELD (MakeLossParams, normalization), HYB_PARAM_ENUM, "null",
    .choices = normalization_names,
    .doc = "divisor of the gradient: 1, the batch size or the number of valid elements" },
  { 0 },
};

static void
make_loss_forward (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

/* The gradient of every element: grad_scale after normalization. */
static double
gradient_value (const HybCall *call, gconstpointer data)
{
  const MakeLossParams *params = call->params;
  const HybShape       *shape = &call->input[0].shape;
  gint64                n = hyb_shape_size (shape);
  gint64                valid = 0;

  switch ((Normalization) params->normalization)
    {
    case NORMALIZE_NULL:
      return params->grad_scale;
    case NORMALIZE_BATCH: /* rows of the data as a matrix; a vector is one row */
      return params->grad_scale /
             (double) MAX (hyb_shape_count (shape, 0, MAX (shape->rank - 1, 0)), 1);
    case NORMALIZE_VALID:
      break;
    }

  for (gint64 i = 0; i < n; i++)
    valid += hyb_dtype_get_double (data, call->input[0].dtype, (gsize) i) > params->valid_thresh;
  return params->grad_scale / (double) MAX (valid, 1);
}

/* Input: data. */
static void
make_loss_backward (const HybCall *call, const HybRun *run)
{
  double value = gradient_value (call, run->input[0]);
  gint64 n = hyb_shape_size (&call->output[0].shape);

  for (gint64 i = 0; i < n; i++)
    hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i, value);
}

static const char *const make_loss_inputs[] = { "data", NULL };

static const char *const plain_outputs[] = { "loss", NULL };

const HybOp hyb_ops_make_loss[] = {
  {
      .name = "MakeLoss",
      .doc = "Identity that marks the data as a loss; its gradient is a constant.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE,
      .inputs = make_loss_inputs,
      HYB_PARAMS (make_loss_params, MakeLossParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = make_loss_forward,
      .view = hyb_rule_view_all,
      HYB_GRADIENT ("_backward_MakeLoss* (i0) > i0"),
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "make_loss",
      .doc = "Identity that marks the data as a loss; its gradient is one.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE,
      .inputs = make_loss_inputs,
      .outputs = plain_outputs,
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = make_loss_forward,
      .view = hyb_rule_view_all,
      HYB_GRADIENT ("ones_like (i0) > i0"),
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_MakeLoss",
      .doc = "The constant gradient of MakeLoss.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .inputs = make_loss_inputs,
      HYB_PARAMS (make_loss_params, MakeLossParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = make_loss_backward,
  },
  { 0 },
};
