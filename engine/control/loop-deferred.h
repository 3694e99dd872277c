/* loop-deferred.h — gradients of captured weights, computed once behind a loop.
 *
 * Where such a gradient is a sum over rows (HybOp.row_sum_inputs), the way back collects
 * the rows of all steps and computes it in one product, instead of making and adding
 * up a matrix as large as the weight in every step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/loop.h"

#define HYB_DEFERRED_OPERANDS 6

typedef struct
{
  HybNodeId node; /* of the body: what to compute behind the loop */
  guint     n_inputs;
  gboolean  is_rows[HYB_DEFERRED_OPERANDS];  /* by input: collected; else captured */
  guint     variable[HYB_DEFERRED_OPERANDS]; /* captured: of the body */
  gsize     rows[HYB_DEFERRED_OPERANDS];     /* collected: offset in the workspace */
  gsize     row_bytes[HYB_DEFERRED_OPERANDS];
  HybType   type[HYB_DEFERRED_OPERANDS + 1]; /* of the inputs in one step, and the output */
  HybCall   call;
  gsize     workspace;
} HybDeferred;

/* Whether the gradient `head` of the body can wait; then, types (by value of the body)
 * known, takes room for the rows of so many steps.  (transfer full), NULL: no. */
HybDeferred *hyb_deferred_new (const HybLoop *loop,
                               const HybCall *call,
                               HybValueId     head,
                               const HybType *types,
                               gint64         n_steps,
                               gsize         *workspace);

/* The values that become heads of the body instead, one for each collected input. */
guint hyb_deferred_get_heads (const HybDeferred *deferred, HybGraph *body, HybValueId *heads);

/* Lets the body write them in a step; first: the head of the first one. */
void hyb_deferred_bind (const HybDeferred *deferred,
                        const HybRun      *run,
                        HybFrame          *frame,
                        guint              first,
                        gint64             step);

/* Behind the loop.  captured: data by variable of the body. */
void hyb_deferred_run (const HybDeferred *deferred,
                       const HybRun      *run,
                       gconstpointer     *captured,
                       gint64             n_steps,
                       gpointer           output);
