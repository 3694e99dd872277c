/* op-case.h — turns one sample or refusal of an operator into a graph, and runs it.
 *
 * Internal to op-check.c; start with op_case_new_sample().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "tests/engine/ops/op-check.h"

/* The seed of every run, so that random operators give the same numbers in all of them. */
#define OP_CASE_SEED 1234

/* One operator with one sample or refusal. */
typedef struct
{
  const HybOp  *op;
  const char   *attributes_text;
  const char   *message; /* refusals only: a part of the expected message */
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

/* Frees the graph and its inputs. */
void op_case_graph_free (OpCaseGraph *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OpCaseGraph, op_case_graph_free)

/* The graph of a sample with its inputs.  The heads are all outputs, or only the visible ones.  A
 * failure fails the test. */
OpCaseGraph *op_case_new_sample (const OpCase *this, gboolean visible_only);
/* The graph of a case.  For bit i of negated a node “negative” is
 * inserted between variable i and the operator, so that the operator reads memory that may be shared
 * with its output.  NULL and an error if the operator is refused. */
HybGraph *op_case_new_graph (const OpCase *this,
                             guint    n_inputs,
                             guint32  negated,
                             gboolean visible_only,
                             GError **error);

/* The tensors that texts (op-tensor.h) describe; a NULL or the end of the array ends them. */
GPtrArray *op_inputs_from_text (const char *const *texts);
/* An array of n NULLs that will own HybTensors. */
GPtrArray *op_tensors_new (guint n);
/* Copies of the tensors, in which those of dtype `from` are converted to `to`. */
GPtrArray *op_copy_tensors (GPtrArray *tensors, HybDType from, HybDType to);

/* The heads, computed operator by operator; NULL and an error if the run fails. */
GPtrArray *op_run_graph (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error);
/* The inferred types, one for each value; NULL and an error for a contradiction.  (transfer full) */
HybType *op_infer_types (HybGraph *graph, GPtrArray *inputs, gboolean training, GError **error);
