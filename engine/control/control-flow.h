/* control-flow.h — what loops and conditions share: typing, planning and running
 * the graphs that they own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

/* --- Types --- */

/* Lets a body's variables and heads learn from each other; both arrays are in and
 * out, unknown where nothing is known.  complete (may be NULL): no value of the body
 * is left unknown.  FALSE for a contradiction. */
gboolean hyb_subgraph_infer (HybGraph *body,
                             HybType  *variables,
                             HybType  *heads,
                             gboolean  training,
                             gboolean *complete,
                             GError  **error);

/* Types of all values of a body, as far as those of its variables determine them.
 * (transfer full); NULL and an error for a contradiction. */
HybType *hyb_subgraph_value_types (HybGraph      *body,
                                   const HybType *variables,
                                   gboolean       training,
                                   GError       **error);

guint hyb_subgraph_n_variables (const HybGraph *body);
guint hyb_subgraph_n_heads (const HybGraph *body);

/* FALSE (and an error) unless the body has so many variables and heads. */
gboolean hyb_subgraph_check (const HybGraph *body,
                             guint           n_variables,
                             guint           n_heads,
                             const char     *name,
                             GError        **error);

/* Adds what a body costs, so many times.  variables: their types. */
void hyb_subgraph_add_cost (HybGraph      *body,
                            const HybType *variables,
                            gboolean       training,
                            double         times,
                            HybCost       *cost);

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

/* Room of so many bytes at the end of a workspace; returns its offset. */
gsize hyb_workspace_take (gsize *workspace, gsize bytes);

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

/* Of a body made by hyb_graph_with_gradients(): the types of its variables, which are
 * those of the forward body, then gradients of its n_heads heads.  (transfer full) */
HybType *hyb_subgraph_gradient_types (HybGraph      *body,
                                      const HybType *forward_variables,
                                      guint          n_heads,
                                      gboolean       training,
                                      GError       **error);

/* FALSE and an error unless an input of the node has the shape of want, and its bytes. */
gboolean hyb_control_expect (const HybCall *call, guint input, const HybType *want, GError **error);

/* The same graph with other heads, without what they do not need.  Variables stay. */
HybGraph *hyb_graph_with_heads (const HybGraph *graph, guint n_heads, const HybValueId *heads);

/* to += from, of a float dtype. */
void hyb_subgraph_accumulate (HybDType dtype, gint64 n, gconstpointer from, gpointer to);

/* A node's attributes as text, then further ones (key, value, …, NULL).  (transfer full) */
char **
hyb_control_attributes (const HybParam *table, gconstpointer params, ...) G_GNUC_NULL_TERMINATED;

/* "(1, 2)" */
char *hyb_control_ints (guint n, const guint *values);
