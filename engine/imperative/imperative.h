/* imperative.h — one operator at once: types, memory, computing, in one call.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/run.h"

/* outputs: room for as many as the operator has, (transfer full) each.  context
 * gives seed, training, probe …; NULL: inference, seed 0. */
gboolean hyb_imperative_call (const HybOp      *op,
                              gconstpointer     params,
                              HybGraph *const  *bodies,
                              guint             n_inputs,
                              HybTensor *const *inputs,
                              HybTensor       **outputs,
                              const HybRun     *context,
                              GError          **error);

/* A whole graph so.  variables: one per variable in node order; heads: room for all. */
gboolean hyb_imperative_run (HybGraph         *graph,
                             HybTensor *const *variables,
                             HybTensor       **heads,
                             const HybRun     *context,
                             GError          **error);

/* One node of a graph.  types: by value, as far as they are known. */
gboolean hyb_imperative_node (HybGraph         *graph,
                              HybNodeId         id,
                              const HybType    *types,
                              HybTensor *const *inputs,
                              HybTensor       **outputs,
                              const HybRun     *context,
                              GError          **error);

/* FALSE and an error for an operator that is unknown or has no kernel.  type: its
 * name in the file. */
gboolean hyb_op_check_computable (const HybOp *op, const char *type, GError **error);
