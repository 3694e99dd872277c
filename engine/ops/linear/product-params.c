/* product-params.c — parameters, arity and cost of _panel_product and _narrow_product.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/linear/product-params.h"

#include "engine/op/rules.h"

const HybParam hyb_product_params[] = {
  { HYB_FIELD (HybProductParams, num_hidden), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of output features" },
  { HYB_FIELD (HybProductParams, no_bias), HYB_PARAM_BOOL, "False", .doc = "leave the bias out" },
  { 0 },
};

void
hyb_product_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const HybProductParams *params = values;

  *n_inputs = params->no_bias ? 2 : 3;
  *n_outputs = 1;
}

void
hyb_product_cost (const HybCall *call, HybCost *cost)
{
  const HybProductParams *params = call->params;
  double                  outputs = (double) hyb_shape_size (&call->output[0].shape);

  cost->flops = outputs * (2 * (double) call->input[0].shape.dim[1] + (params->no_bias ? 0 : 1));
  hyb_rule_cost_bytes (call, cost);
}
