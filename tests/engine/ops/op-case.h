/* op-case.h — one operator with one sample or refusal, as a graph that runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "tests/engine/ops/op-check.h"

/* Of random operators, in every run of a test. */
#define OP_CASE_SEED 1234

/* One operator with one sample or refusal. */
typedef struct
{
  const HybOp  *op;
  const char   *attributes_text;
  const char   *message; /* refusals only */
  OpSampleFlags flags;
  HybGraph *(*body) (guint index);
  const char *const *inputs_text;
} OpCase;

/* The operator of a case as a graph: a variable per input, all outputs as heads. */
typedef struct
{
  HybGraph  *graph;
  HybNodeId  node;
  GPtrArray *inputs; /* of HybTensor, one per variable */
} OpCaseGraph;

void op_case_graph_free (OpCaseGraph *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OpCaseGraph, op_case_graph_free)

/* All outputs are heads, or the visible ones.  A failure fails the test. */
OpCaseGraph *op_case_new_sample (const OpCase *this, gboolean visible_only);
/* negated: bit i puts “negative” between variable i and the operator, so that what the
 * operator reads is memory that may be shared. */
HybGraph *op_case_new_graph (const OpCase *this,
                             guint      n_inputs,
                             guint32    negated,
                             gboolean   visible_only,
                             HybNodeId *node,
                             GError   **error);

GPtrArray *op_inputs_from_text (const char *const *texts);
GPtrArray *op_tensors_new (guint n); /* of HybTensor, freeing; NULL so far */
/* Copies; those of one dtype converted to another. */
GPtrArray *op_copy_tensors (GPtrArray *tensors, HybDType from, HybDType to);

/* Heads, computed operator by operator. */
GPtrArray *op_run_graph (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error);
/* One type per value. */
HybType *op_infer_types (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error);
