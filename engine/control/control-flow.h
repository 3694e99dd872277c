/* control-flow.h — what loops and conditions share: planning and running the graphs
 * that they own.  Types of those graphs are inferred in analysis/subgraph-types.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/subgraph-types.h"
#include "engine/exec/plan.h"

/* --- Planned bodies, in the workspace of the node that owns them --- */

typedef struct
{
  /* Said by the owner. */
  guint32   index;       /* which body of the node */
  HybGraph *graph;       /* what to run, owned; NULL: that body itself */
  gboolean  holds_heads; /* the owner binds no memory for heads */

  HybPlan *plan;
  guint32  id;            /* of the body's graph, for the probe */
  gsize    frame, memory; /* offsets in the workspace */
} HybSubgraph;

/* Takes what it needs from *workspace on.  variables: their types. */
gboolean hyb_subgraph_plan (HybSubgraph   *body,
                            const HybCall *call,
                            const HybType *variables,
                            gsize         *workspace,
                            GError       **error);
void     hyb_subgraph_clear (HybSubgraph *body);

HybFrame *hyb_subgraph_start (const HybSubgraph *body, const HybRun *run);

/* One run of the body: as step number `step` of a loop, or (HYB_UNKNOWN) as an arm
 * of a condition.  FALSE: cancelled. */
gboolean
hyb_subgraph_run (const HybSubgraph *body, HybFrame *frame, const HybRun *run, gint64 step);

/* What a body's operators see.  The step counter holds the innermost step in its
 * low half and all enclosing ones, mixed, in its high half. */
HybRun hyb_subgraph_context (const HybRun *run, gint64 step);

/* Tells the probe, if there is one, that a body begins or ends. */
void hyb_subgraph_tell (const HybRun *context, guint32 graph, guint32 index, gboolean begins);

/* A result of a body that may be one of the node's inputs, which the caller may change
 * afterwards: then a copy.  (transfer full); NULL and an error if memory is short. */
HybTensor *
hyb_subgraph_result (HybTensor *result, HybTensor *const *inputs, guint n_inputs, GError **error);

/* --- Gradients of bodies --- */

/* The body as the recording form of a node runs it: operators that write a state only
 * when they record (moving averages) do so.  NULL: there is none, the body will do. */
HybGraph *hyb_subgraph_recording (HybGraph *body);

/* FALSE and an error unless an input of the node has the shape of want, and its bytes. */
gboolean hyb_control_expect (const HybCall *call, guint input, const HybType *want, GError **error);

/* to += from, of a float dtype. */
void hyb_subgraph_accumulate (HybDType dtype, gint64 n, gconstpointer from, gpointer to);

/* A node's attributes as text, then further ones (key, value, …, NULL).  (transfer full) */
char **
hyb_control_attributes (const HybParam *table, gconstpointer params, ...) G_GNUC_NULL_TERMINATED;

/* "(1, 2)" */
char *hyb_control_ints (guint n, const guint *values);
