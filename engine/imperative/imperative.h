/* imperative.h — runs one operator, or a graph operator by operator, without a plan.
 *
 * Types are inferred and memory is allocated for each call.  Loops whose types are only known
 * while running are computed this way.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/run.h"

/* Runs an operator.  context gives seed, training, probe and cancellable; NULL means inference with
 * seed 0.  FALSE and an error if types do not fit or memory is short. */
gboolean hyb_imperative_call (const HybImperativeCall *use, const HybRun *context, GError **error);

/* Runs a graph.  variables: one tensor for each variable in node order.  heads: space for one
 * tensor a head, each (transfer full).  Arrays in between and heads may use the memory that
 * HybRun.memory allows, or hyb_limits_get_run_memory() without one. */
gboolean hyb_imperative_run (HybGraph         *graph,
                             HybTensor *const *variables,
                             HybTensor       **heads,
                             const HybRun     *context,
                             GError          **error);

/* One use of a node of a graph. */
typedef struct
{
  HybGraph         *graph;
  HybNodeId         id;
  const HybType    *types; /* by value id, as far as they are known */
  HybTensor *const *inputs;
  HybTensor       **outputs; /* space for as many as the node has, each (transfer full) */
} HybImperativeNode;

/* Runs one node of a graph.  context as for hyb_imperative_call(), but not NULL. */
gboolean hyb_imperative_node (const HybImperativeNode *use, const HybRun *context, GError **error);

/* Returns FALSE and sets the error that belongs to reported values, with the node that reported them. */
gboolean hyb_imperative_refuse (const HybRunFault *fault, GError **error);
