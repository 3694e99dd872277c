/* rules.h — inference, views and costs that families of operators share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

gboolean hyb_rule_same_shape (HybCall *call, GError **error); /* all inputs and outputs alike */
gboolean hyb_rule_broadcast (HybCall *call, GError **error);  /* NumPy broadcasting of all inputs */
gboolean hyb_rule_unary (HybCall *call, GError **error);      /* output 0 like input 0 */

gboolean hyb_rule_same_dtype (HybCall *call, GError **error);
gboolean
hyb_rule_dtype_first (HybCall *call, GError **error);         /* output 0 as input 0; others free */
gboolean hyb_rule_dtype_free (HybCall *call, GError **error); /* nothing follows from anything */
/* Inputs in mask (bit i) are integers or anything: left alone; all else is one dtype. */
gboolean hyb_rule_dtype_except (HybCall *call, guint32 mask, GError **error);

/* The whole of input 0 under another shape. */
gboolean hyb_rule_view_all (const HybCall *call, guint output, guint *input, gsize *offset);

void hyb_rule_cost_elementwise (const HybCall *call, double flops_per_element, HybCost *cost);
void hyb_rule_cost_move (const HybCall *call, HybCost *cost); /* no arithmetic */
/* Fills bytes from the types; flops stay as they are. */
void hyb_rule_cost_bytes (const HybCall *call, HybCost *cost);

/* What HybOp.gradient_of promises: shapes as the differentiated operator allows them. */
gboolean hyb_rule_gradient (HybCall *call, GError **error);
