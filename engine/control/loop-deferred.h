/* loop-deferred.h — gradients of captured weights, computed once after the backward loop.
 *
 * If such a gradient is a sum over rows (HybOp.row_sum_inputs), for instance a matrix product, the
 * backward loop only collects the rows that its operator would read, of all steps, in the workspace.
 * Rows that another gradient collects are not collected again, and rows of slices and recorded
 * states are read in place: the loop has them in order. One call of the operator then computes the
 * whole gradient, instead of making and adding up a matrix of the size of the weight in every step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/loop.h"
#include "engine/op/phase.h"

#define HYB_DEFERRED_MAX_OPERANDS 6

/* An operator of the body of a backward node that is deferred. */
typedef struct
{
  HybNodeId node; /* of the body */
  guint     n_inputs;
  gint64    n_steps;                                /* maximum */
  gboolean  is_rows[HYB_DEFERRED_MAX_OPERANDS];     /* by input: rows of all steps */
  gboolean is_collected[HYB_DEFERRED_MAX_OPERANDS]; /* by input: rows that this operator collects */
  gboolean is_variable[HYB_DEFERRED_MAX_OPERANDS];  /* by input: captured, or rows in a variable */
  guint    variable[HYB_DEFERRED_MAX_OPERANDS];     /* if is_variable: which one of the body */
  gsize    rows[HYB_DEFERRED_MAX_OPERANDS];      /* of other rows: their offset in the workspace */
  gsize    row_bytes[HYB_DEFERRED_MAX_OPERANDS]; /* of other rows: bytes per step */
  HybType  type[HYB_DEFERRED_MAX_OPERANDS + 1];  /* of the inputs in one step, and the output */
  HybCall  call;                                 /* of one step */
  gsize    workspace;                            /* of the operator: offset in the workspace */
  HybPhase phase;                                /* for the probe: the node's name and operator */

  HybSubgraph
      *on_device; /* the operator planned for a device, with the rows of all steps; else NULL */
} HybDeferred;

/* The backward loop being planned. */
typedef struct
{
  const HybLoop *loop;    /* the forward loop */
  const HybCall *call;    /* of the backward node */
  const HybType *types;   /* by value of its body */
  gint64         n_steps; /* maximum */
  GPtrArray     *others;  /* of HybDeferred: the former ones of the same node */
} HybDeferredContext;

/* Defers the operator whose output is `head`, a gradient of a captured variable, and reserves room
 * for its rows behind *workspace bytes.  (transfer full); NULL if it cannot be deferred: it is not
 * a sum over rows, has other users, reads values that change from step to step, or the rows would
 * need too much memory. */
HybDeferred *
hyb_deferred_new (const HybDeferredContext *context, HybValueId head, gsize *workspace);

/* Frees it; NULL is allowed. */
void hyb_deferred_free (HybDeferred *deferred);

/* Writes the values that replace the head to heads, one for each collected input; returns their
 * number. */
guint hyb_deferred_get_heads (const HybDeferred *deferred, HybGraph *body, HybValueId *heads);

/* Binds those heads, the first of which is number `first`, to a step's rows in the workspace. */
void hyb_deferred_bind (const HybDeferred *deferred,
                        const HybRun      *run,
                        HybFrame          *frame,
                        guint              first,
                        gint64             step);

/* Computes the gradient after the last step.  variables: data by variable of the body; for slices
 * and states, the data of all steps in order. */
void hyb_deferred_run (const HybDeferred *deferred,
                       const HybRun      *run,
                       gconstpointer     *variables,
                       gint64             n_steps,
                       gpointer           output);
