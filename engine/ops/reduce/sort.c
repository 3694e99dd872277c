/* sort.c — sort and argsort: the elements of an axis in order, or their indices; see ranking.h.
 *
 * sort has a hidden second output, the indices, which its gradient needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/rules.h"
#include "engine/ops/reduce/ranking.h"

typedef struct
{
  gint64   axis;
  gboolean is_ascend;
  HybDType dtype;
} SortParams;

#define SORT_FIELDS                                                                        \
  { HYB_FIELD (SortParams, axis), HYB_PARAM_OPTIONAL_INT, "-1",                            \
    .doc = "axis that is sorted; None: the flattened array" },                             \
  {                                                                                        \
    HYB_FIELD (SortParams, is_ascend), HYB_PARAM_BOOL, "True", .doc = "the smallest first" \
  }

static const HybParam sort_params[] = {
  SORT_FIELDS,
  { 0 },
};

static const HybParam argsort_params[] = {
  SORT_FIELDS,
  { HYB_FIELD (SortParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "dtype of indices" },
  { 0 },
};

#undef SORT_FIELDS

static gboolean
infer_sorted (HybCall *call, HybDType index_dtype, GError **error)
{
  const SortParams *params = call->params;
  const HybShape   *data = &call->input[0].shape;
  HybShape          out;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_ranking_shape (data, params->axis, 0, &out, error) ||
      !hyb_ranking_check_dtype (data, params->axis, index_dtype, error))
    return FALSE;

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &out, error))
      return FALSE;
  return TRUE;
}

static gboolean
sort_infer_shape (HybCall *call, GError **error)
{
  return infer_sorted (call, HYB_I32, error);
}

static gboolean
sort_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error) &&
         hyb_dtype_assign (&call->output[1].dtype, HYB_I32, error);
}

static void
sort_forward (const HybCall *call, const HybRun *run)
{
  const SortParams *params = call->params;
  HybRanking        ranking = {
           .is_ascend = params->is_ascend,
           .values = run->output[0],
           .indices = run->output[1],
           .index_dtype = HYB_I32,
  };

  hyb_ranking_run (call, run, params->axis, 0, &ranking);
}

static gsize
sort_workspace (const HybCall *call)
{
  return hyb_ranking_workspace (&call->input[0].shape, ((const SortParams *) call->params)->axis);
}

static void
sort_backward (const HybCall *call, const HybRun *run)
{
  hyb_ranking_scatter (call, run, ((const SortParams *) call->params)->axis);
}

static gboolean
argsort_infer_shape (HybCall *call, GError **error)
{
  return infer_sorted (call, ((const SortParams *) call->params)->dtype, error);
}

static gboolean
argsort_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, ((const SortParams *) call->params)->dtype,
                           error);
}

static void
argsort_forward (const HybCall *call, const HybRun *run)
{
  const SortParams *params = call->params;
  HybRanking        ranking = {
           .is_ascend = params->is_ascend,
           .indices = run->output[0],
           .index_dtype = params->dtype,
  };

  hyb_ranking_run (call, run, params->axis, 0, &ranking);
}

static const char *const data_input[] = { "data", NULL };
static const char *const sort_outputs[] = { "output0", "_indices", NULL };
static const char *const backward_inputs[] = { "gradient", "indices", "data", NULL };

const HybOp hyb_ops_sort[] = {
  {
      .name = "sort",
      .doc = "Sorts the elements along an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = data_input,
      .outputs = sort_outputs,
      HYB_PARAMS (sort_params, SortParams),
      .infer_shape = sort_infer_shape,
      .infer_dtype = sort_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = sort_forward,
      .workspace = sort_workspace,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_ranking_cost,
  },
  {
      .name = "_backward_sort",
      .doc = "Gradient of sort: returns each gradient to the position of its value.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "sort",
      .operands = "g0 o1 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (sort_params, SortParams),
      .infer_dtype = hyb_ranking_backward_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = sort_backward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "argsort",
      .doc = "Indices that would sort an axis.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      HYB_PARAMS (argsort_params, SortParams),
      .infer_shape = argsort_infer_shape,
      .infer_dtype = argsort_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = argsort_forward,
      .workspace = sort_workspace,
      .cost = hyb_ranking_cost,
  },
  { 0 },
};
