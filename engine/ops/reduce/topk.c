/* topk.c — topk: the k largest or smallest elements along an axis in order, their indices, or a mask
 * of them; see ranking.h.
 *
 * When values are returned there is always a second output, the indices, which the gradient needs;
 * it is hidden unless ret_typ is “both”.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/rules.h"
#include "engine/ops/reduce/ranking.h"

#include <string.h>

enum
{
  RETURN_VALUE,
  RETURN_INDICES,
  RETURN_MASK,
  RETURN_BOTH,
};

typedef struct
{
  gint64   axis;
  gint64   k;
  int      ret_typ;
  gboolean is_ascend;
  HybDType dtype;
} TopkParams;

static const char *const return_choices[] = { "value", "indices", "mask", "both", NULL };

static const HybParam topk_params[] = {
  { HYB_FIELD (TopkParams, axis), HYB_PARAM_OPTIONAL_INT, "-1",
    .doc = "axis that is ranked; None: the flattened array" },
  { HYB_FIELD (TopkParams, k), HYB_PARAM_INT, "1", .doc = "how many; below 1: all" },
  { HYB_FIELD (TopkParams, ret_typ), HYB_PARAM_ENUM, "indices", .choices = return_choices,
    .doc = "what is returned" },
  { HYB_FIELD (TopkParams, is_ascend), HYB_PARAM_BOOL, "False", .doc = "the smallest instead" },
  { HYB_FIELD (TopkParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "dtype of indices" },
  { 0 },
};

static gboolean
has_values (const TopkParams *params)
{
  return params->ret_typ == RETURN_VALUE || params->ret_typ == RETURN_BOTH;
}

static void
topk_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 1;
  *n_outputs = has_values (values) ? 2 : 1;
}

static guint
topk_n_visible (gconstpointer values)
{
  return ((const TopkParams *) values)->ret_typ == RETURN_BOTH ? 2 : 1;
}

static gboolean
topk_infer_shape (HybCall *call, GError **error)
{
  const TopkParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape          out;

  if (params->ret_typ == RETURN_MASK && !hyb_rule_unary (call, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_ranking_shape (data, params->axis, params->k, &out, error) ||
      !hyb_ranking_check_dtype (data, params->axis, params->dtype, error))
    return FALSE;

  for (guint i = 0; params->ret_typ != RETURN_MASK && i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &out, error))
      return FALSE;
  return TRUE;
}

static gboolean
topk_infer_dtype (HybCall *call, GError **error)
{
  const TopkParams *params = call->params;

  if (params->ret_typ == RETURN_INDICES)
    return hyb_dtype_assign (&call->output[0].dtype, params->dtype, error);

  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error) &&
         (call->n_outputs < 2 || hyb_dtype_assign (&call->output[1].dtype, params->dtype, error));
}

static void
topk_forward (const HybCall *call, const HybRun *run)
{
  const TopkParams *params = call->params;
  HybRanking        ranking = { .is_ascend = params->is_ascend, .index_dtype = params->dtype };

  if (has_values (params))
    {
      ranking.values = run->output[0];
      ranking.indices = run->output[1];
    }
  else if (params->ret_typ == RETURN_INDICES)
    ranking.indices = run->output[0];
  else
    {
      ranking.mask = run->output[0];
      memset (ranking.mask, 0, hyb_type_bytes (&call->output[0]));
    }
  hyb_ranking_run (call, run, params->axis, params->k, &ranking);
}

static gsize
topk_workspace (const HybCall *call)
{
  return hyb_ranking_workspace (&call->input[0].shape, ((const TopkParams *) call->params)->axis);
}

/* Indices and masks are constant almost everywhere; only values have a gradient. */
static void
topk_gradient (HybGrad *grad)
{
  if (has_values (hyb_grad_params (grad)))
    hyb_gradient_by_operands (grad);
}

static void
topk_backward (const HybCall *call, const HybRun *run)
{
  hyb_ranking_scatter (call, run, ((const TopkParams *) call->params)->axis);
}

static const char *const data_input[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };

const HybOp hyb_ops_topk[] = {
  {
      .name = "topk",
      .doc = "The largest or smallest elements along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = data_input,
      HYB_PARAMS (topk_params, TopkParams),
      .arity = topk_arity,
      .n_visible = topk_n_visible,
      .infer_shape = topk_infer_shape,
      .infer_dtype = topk_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = topk_forward,
      .workspace = topk_workspace,
      .gradient = topk_gradient,
      .cost = hyb_ranking_cost,
  },
  {
      .name = "_backward_topk",
      .doc = "Gradient of topk: returns each gradient to the position of its value.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "topk",
      .operands = "g0 o1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (topk_params, TopkParams),
      .infer_dtype = hyb_ranking_backward_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = topk_backward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
