/* product-params.h — the attributes of _panel_product and _narrow_product: products of float data with a weight in a
 * form of its own, otherwise as FullyConnected.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

typedef struct
{
  gint64   num_hidden;
  gboolean no_bias;
} HybProductParams;

extern const HybParam hyb_product_params[];

/* For HybOp.arity: data, weight and, unless no_bias, bias. */
void hyb_product_arity (gconstpointer values, guint *n_inputs, guint *n_outputs);
/* For HybOp.cost. */
void hyb_product_cost (const HybCall *call, HybCost *cost);
