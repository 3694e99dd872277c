/* rules.h — ready-made members for HybOp: inference rules, views and costs that many operators share.
 *
 * The functions hyb_rule_… with the right signature can be put straight into a HybOp.  All inference
 * rules return FALSE and set error only for a contradiction.
 * Threads: any thread; the functions have no state.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

G_BEGIN_DECLS

/* --- infer_shape --- */

/* All inputs and outputs have the same shape. */
HYB_API gboolean hyb_rule_same_shape (HybCall *call, GError **error);
/* Output 0 has the shape of all inputs broadcast to each other, as in NumPy. */
HYB_API gboolean hyb_rule_broadcast (HybCall *call, GError **error);
/* Output 0 has the shape of input 0; other operands are ignored. */
HYB_API gboolean hyb_rule_unary (HybCall *call, GError **error);
/* Output 0 has the shape of input 1 and the other way round, as where a gradient operator gives the
 * gradient of its second operand. */
HYB_API gboolean hyb_rule_shape_of_second (HybCall *call, GError **error);
/* The same for input 2. */
HYB_API gboolean hyb_rule_shape_of_third (HybCall *call, GError **error);
/* For operators with HybOp.gradient_of: infers the shapes that HybOp.operands relates to this
 * call with infer_shape of the differentiated operator. */
HYB_API gboolean hyb_rule_gradient (HybCall *call, GError **error);

/* --- infer_dtype --- */

/* All inputs and outputs have the same dtype. */
HYB_API gboolean hyb_rule_same_dtype (HybCall *call, GError **error);
/* Output 0 has the dtype of input 0; other operands are ignored. */
HYB_API gboolean hyb_rule_dtype_first (HybCall *call, GError **error);
/* Relates no dtypes at all. */
HYB_API gboolean hyb_rule_dtype_free (HybCall *call, GError **error);
/* Inputs in mask (bit i for input i) may have any dtype; all other operands have the same one. */
HYB_API gboolean hyb_rule_dtype_except (HybCall *call, guint32 mask, GError **error);

/* --- view --- */

/* Output 0 is all of input 0 under another shape. */
HYB_API gboolean hyb_rule_view_all (const HybCall *call, guint output, guint *input, gsize *offset);

/* --- cost --- */

/* The work of a call whose types are known: HybOp.cost or its default. */
HYB_API void hyb_rule_cost (const HybCall *call, HybCost *cost);

/* flops_per_element for each element of output 0; bytes as hyb_rule_cost_bytes(). */
HYB_API void
hyb_rule_cost_elementwise (const HybCall *call, double flops_per_element, HybCost *cost);
/* No arithmetic; bytes as hyb_rule_cost_bytes(). */
HYB_API void hyb_rule_cost_move (const HybCall *call, HybCost *cost);
/* Sets the bytes: every input is read once, every output written once.  Leaves flops unchanged. */
HYB_API void hyb_rule_cost_bytes (const HybCall *call, HybCost *cost);

G_END_DECLS
