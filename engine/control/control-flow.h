/* control-flow.h — shared parts of loops and conditions: planning and running the bodies (graphs)
 * that their nodes own, and helpers for their gradients.
 *
 * The types of bodies are inferred in analysis/subgraph-types.h.  A node with planned bodies keeps
 * one HybSubgraph for each in HybCall.prepared: hyb_subgraph_plan() in HybOp.prepare,
 * hyb_subgraph_start() and hyb_subgraph_run() in HybOp.forward.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/subgraph-types.h"
#include "engine/exec/plan.h"
#include "engine/op/run-device.h"

/* --- Planned bodies, which run in the workspace of the node that owns them ---
 *
 * If bodies are planned for a device (HybCall.on_device), their blocks of memory lie in the
 * workspace, which is memory of the device, and their frames in memory of the host. */

typedef struct
{
  /* Set by the owner. */
  guint32   index;           /* which body of the node */
  HybGraph *graph;           /* the graph to run, owned; NULL: the node's body itself */
  gboolean  allocates_heads; /* the plan allocates memory for heads; else the owner binds it */

  /* Set by hyb_subgraph_plan(). */
  HybPlan *plan;
  guint32  id;            /* of the node's body, for the probe */
  gsize    frame, memory; /* offsets in hyb_control_host() and in the workspace */
} HybSubgraph;

/* Plans a body with the options of call and reserves workspace for it behind *workspace bytes.
 * variables: their types.  FALSE and an error if the body cannot be planned. */
gboolean hyb_subgraph_plan (HybSubgraph   *body,
                            const HybCall *call,
                            const HybType *variables,
                            gsize         *workspace,
                            GError       **error);

/* Frees the plan and the graph. */
void hyb_subgraph_clear (HybSubgraph *body);

/* Reserves memory of the host that forward() reads and writes itself: behind *workspace bytes, or
 * apart from it where the workspace is memory of a device.  Returns its offset. */
gsize hyb_control_take_host (const HybCall *call, gsize *workspace, gsize bytes);

/* Where the offsets of hyb_control_take_host() count from. */
static inline char *
hyb_control_host (const HybRun *run)
{
  return run->device ? run->device->host : run->workspace;
}

/* A frame in the workspace of run, to which the caller binds variables and heads. */
HybFrame *hyb_subgraph_start (const HybSubgraph *body, const HybRun *run);

/* Runs the body once, as step number `step` of a loop, or with HYB_UNKNOWN as a body of a
 * condition.  FALSE if the run was cancelled. */
gboolean
hyb_subgraph_run (const HybSubgraph *body, HybFrame *frame, const HybRun *run, gint64 step);

/* The HybRun for the operators of a body.  The low half of its step counter is `step`, the high
 * half a hash of the enclosing steps; with HYB_UNKNOWN the counter is run's. */
HybRun hyb_subgraph_context (const HybRun *run, gint64 step);

/* Reports the beginning or the end of a body to the probe, if there is one. */
void
hyb_subgraph_notify_probe (const HybRun *context, guint32 graph, guint32 index, gboolean begins);

/* --- Bodies that run operator by operator --- */

/* The arguments of HybOp.compute. */
typedef struct
{
  HybCall          *call;
  const HybRun     *run;
  HybTensor *const *inputs;
  HybTensor       **outputs;
} HybComputeArgs;

/* A result of a body as an output of its node: a copy if it is one of the node's inputs, as the
 * caller may change those, else a reference.  (transfer full); NULL and an error without memory. */
HybTensor *
hyb_subgraph_unshare (HybTensor *result, HybTensor *const *inputs, guint n_inputs, GError **error);

/* --- Types --- */

/* FALSE and an error unless head number `output` of a body has the expected type.  body: its
 * name. */
gboolean hyb_control_check_head (const HybType *got,
                                 const HybType *want,
                                 const char    *body,
                                 guint          output,
                                 GError       **error);

/* FALSE and an error unless an input of the node has the shape of want and at least its bytes. */
gboolean
hyb_control_check_input (const HybCall *call, guint input, const HybType *want, GError **error);

/* Rounds a number of bytes up to HYB_ALIGNMENT. */
static inline gsize
hyb_control_align (gsize bytes)
{
  return (bytes + HYB_ALIGNMENT - 1) & ~(gsize) (HYB_ALIGNMENT - 1);
}

/* --- Gradients of bodies --- */

/* The body with all operators that write a state only when recording (moving averages) replaced
 * by their recording forms.  (transfer full); NULL if there are none. */
HybGraph *hyb_subgraph_recording (HybGraph *body);

/* to += from, n elements of a float dtype. */
void hyb_subgraph_accumulate (HybDType dtype, gint64 n, gconstpointer from, gpointer to);

/* A node's attributes as text, followed by further ones: key, value, …, NULL.
 * (transfer full) key, value, …, NULL. */
char **
hyb_control_attributes (const HybParam *table, gconstpointer params, ...) G_GNUC_NULL_TERMINATED;

/* Integers as an attribute value: "(1, 2)".  (transfer full) */
char *hyb_control_format_ints (guint n, const guint *values);
