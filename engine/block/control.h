/* control.h — loops and branches over either F: run at once they loop, traced they
 * become one node that owns its bodies, with outer values captured.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

G_BEGIN_DECLS

/* One step: slices nest like the data, *states like the states (old in, new out);
 * returns the outputs of the step. */
typedef HybValue *(*HybForeachBody) (HybF *F, HybValue *slices, HybValue **states, gpointer user);
/* The list (outputs stacked over steps, last states).  Steps go over axis 0 of data. */
HybValue *
hyb_foreach (HybF *F, HybForeachBody body, HybValue *data, HybValue *states, gpointer user);

/* One number: not zero means go on. */
typedef HybValue *(*HybWhileCondition) (HybF *F, HybValue *variables, gpointer user);
/* One step: outputs (a list, perhaps empty, or an array); *variables old in, new out. */
typedef HybValue *(*HybWhileBody) (HybF *F, HybValue **variables, gpointer user);
/* The list (outputs with max_iterations rows, zero after the last step taken; last variables). */
HybValue *hyb_while_loop (HybF             *F,
                          HybWhileCondition condition,
                          HybWhileBody      body,
                          HybValue         *variables,
                          gint64            max_iterations,
                          gpointer          user);

typedef HybValue *(*HybBranch) (HybF *F, gpointer user);
/* What the chosen branch gives; both must give equally many arrays. */
HybValue *hyb_cond (HybF     *F,
                    HybValue *predicate,
                    HybBranch then_branch,
                    HybBranch else_branch,
                    gpointer  user);

G_END_DECLS
