/* infer-types.h — infers shapes and dtypes of every value, forwards and backwards.
 *
 * The shape of a weight follows from the data, and the shape of data may follow from a weight.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"

/* Starts from types (one for each value, unknown if not given; then the attributes __shape__ and
 * __dtype__ of variables are used) and applies the rules of all operators until nothing changes.
 * Dtypes that nothing determines become float32, as in MXNet; shapes may stay unknown.  fixed_by: by
 * value, the node whose rule determined the type, or NULL.  FALSE and an error if two rules
 * contradict each other. */
gboolean hyb_infer_types (HybGraph *graph,
                          HybType  *types,
                          guint32  *fixed_by,
                          gboolean  training,
                          GError  **error);
/* The same, but dtypes that nothing determines stay unknown.  For bodies of loops, whose variables
 * may become known later. */
gboolean hyb_infer_known_types (HybGraph *graph, HybType *types, gboolean training, GError **error);
/* Why the type of a value is unknown after hyb_infer_types(): a sentence that names the variable or
 * operator which causes it.  (transfer full) */
char *hyb_infer_reason (HybGraph *graph, const HybType *types, HybValueId value);

/* Makes the call of a node with a copy of its operands' types, for rules and costs.  room: space for
 * one type an operand. */
void
hyb_call_init (HybCall *call, HybGraph *graph, HybNodeId id, const HybType *types, HybType *room);
/* Applies the rules of a single call once.  FALSE and an error for a contradiction. */
gboolean hyb_call_infer (HybCall *call, GError **error);
