/* constant.c — _constant: a tensor that the graph itself contains.
 *
 * Lowering of other formats writes it (engine/lower/lowering.h); MXNet's files cannot hold one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/array/constant.h"

#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  HybTensor *contents;
} ConstantParams;

static const HybParam constant_params[] = {
  { HYB_FIELD (ConstantParams, contents), HYB_PARAM_TENSOR, NULL, .doc = "the output" },
  { 0 },
};

gpointer
hyb_constant_params_new (HybTensor *contents)
{
  ConstantParams *params = hyb_params_new (constant_params, sizeof (ConstantParams));

  params->contents = hyb_tensor_ref (contents);
  return params;
}

static gboolean
constant_infer_shape (HybCall *call, GError **error)
{
  const ConstantParams *params = call->params;

  return hyb_shape_assign (&call->output[0].shape, hyb_tensor_get_shape (params->contents), error);
}

static gboolean
constant_infer_dtype (HybCall *call, GError **error)
{
  const ConstantParams *params = call->params;

  return hyb_dtype_assign (&call->output[0].dtype, hyb_tensor_get_dtype (params->contents), error);
}

static void
constant_forward (const HybCall *call, const HybRun *run)
{
  const ConstantParams *params = call->params;
  gsize                 n_bytes = hyb_tensor_get_bytes (params->contents);

  if (n_bytes > 0)
    memcpy (run->output[0], hyb_tensor_get_data (params->contents), n_bytes);
}

static const char *const no_inputs[] = { NULL };

const HybOp hyb_ops_constant[] = {
  {
      .name = "_constant",
      .doc = "Returns an array that the graph contains.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_INTERNAL | HYB_OP_NO_GRADIENT,
      .inputs = no_inputs,
      HYB_PARAMS (constant_params, ConstantParams),
      .infer_shape = constant_infer_shape,
      .infer_dtype = constant_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = constant_forward,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};

HybTensor *
hyb_constant_get_contents (const HybOp *op, gconstpointer params)
{
  return op == &hyb_ops_constant[0] ? ((const ConstantParams *) params)->contents : NULL;
}
