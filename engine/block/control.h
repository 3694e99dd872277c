/* control.h — loops and branches in forward functions.
 *
 * A HybF that computes runs them step by step.  A HybF that traces records one node that owns the traced bodies; values of
 * the surrounding graph that a body uses become its inputs (captured values).  Bodies are functions: they are called once
 * per step, or once to be traced.
 * Threads: those of HybF (trace.h).  Bodies, conditions and branches are called in the thread that calls these functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/block.h"

G_BEGIN_DECLS

/* One step.  slices is nested like the data; *states is nested like the states and must be
 * replaced by the new ones.  Returns the outputs of the step. */
typedef HybValue *(*HybForeachBody) (HybF *F, HybValue *slices, HybValue **states, gpointer user);
/* Calls body for every slice of data along axis 0.  Returns the list (outputs stacked over the
 * steps, last states). */
HYB_API HybValue *
hyb_foreach (HybF *F, HybForeachBody body, HybValue *data, HybValue *states, gpointer user);

/* The parts of the result of hyb_foreach() and hyb_while_loop(). */
typedef struct
{
  HybValue *outputs; /* stacked over the steps, nested like the outputs of a step */
  HybValue *states;  /* the last states or loop variables, nested like the first ones */
} HybLoopResult;

/* The parts of a value that hyb_foreach(), hyb_foreach_cell() or hyb_while_loop() returned; failed
 * values if the loop failed. */
HYB_API HybLoopResult hyb_loop_result (HybF *F, HybValue *result);

/* Returns an array with one element; the loop continues while it is not zero. */
typedef HybValue *(*HybWhileCondition) (HybF *F, HybValue *variables, gpointer user);
/* One step.  *variables must be replaced by the new ones.  Returns the outputs of the step, which
 * may be an empty list. */
typedef HybValue *(*HybWhileBody) (HybF *F, HybValue **variables, gpointer user);

/* A loop over variables. */
typedef struct
{
  HybWhileCondition condition;
  HybWhileBody      body;
  HybValue         *variables;      /* before the first step */
  gint64            max_iterations; /* 1 … G_MAXINT32 */
  gpointer          user;           /* passed to condition and body */
} HybWhile;

/* Calls body while condition holds, at most max_iterations times.  Returns the list (outputs with
 * max_iterations rows, which are zero after the last step; last variables). */
HYB_API HybValue *hyb_while_loop (HybF *F, const HybWhile *loop);

/* One branch; returns its outputs. */
typedef HybValue *(*HybBranch) (HybF *F, gpointer user);
/* The outputs of then_branch if predicate (one element) is not zero, of else_branch otherwise.
 * Both must return the same number of arrays. */
HYB_API HybValue *hyb_cond (HybF     *F,
                            HybValue *predicate,
                            HybBranch then_branch,
                            HybBranch else_branch,
                            gpointer  user);

G_END_DECLS
