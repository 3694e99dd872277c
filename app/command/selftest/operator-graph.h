/* operator-graph.h — a sample of an operator as graphs with inputs, and the processor's results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/selftest/operator-samples.h"

#include "engine/graph/graph.h"

/* The seed of every run. */
#define SCOPE_SAMPLE_SEED 1234

typedef struct
{
  HybGraph  *graph;
  gboolean   training;
  GPtrArray *inputs;    /* of HybTensor, one for each variable */
  GPtrArray *written;   /* the same after a run of the processor, which may write some of them */
  GPtrArray *outputs;   /* of HybTensor, the processor's results */
  gboolean   is_random; /* draws random numbers */
  gboolean   mutates;   /* writes inputs */
} ScopeOperatorGraph;

/* The operator with a variable for each input, whose float32 inputs are converted to dtype, computed by the
 * processor.  NULL without an error if it refuses this dtype or is not an operator; NULL and an error if the sample
 * cannot be read.  (transfer full) */
ScopeOperatorGraph *scope_operator_graph_new (const ScopeOperatorSample *sample,
                                              HybDType                   dtype,
                                              gboolean                   training,
                                              GError                   **error);
/* The same followed by the gradients of its float inputs; NULL if it has none.  (transfer full) */
ScopeOperatorGraph *scope_operator_graph_new_backward (const ScopeOperatorSample *sample,
                                                       const ScopeOperatorGraph  *graph);
/* Frees it; NULL is allowed. */
void scope_operator_graph_free (ScopeOperatorGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeOperatorGraph, scope_operator_graph_free)
