/* plan-operators.h — which operators a plan leaves to a GPU, and which steps it does not, for self-tests and measurements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

/* Adds the names of the operators whose steps the GPU computes to a set of static strings, also of steps in
 * bodies.  Nothing without a GPU; plan may be NULL. */
void hyb_plan_add_device_operators (const HybPlan *plan, GHashTable *names);
/* Why the host computes step number index of a plan for a GPU, as half a sentence; NULL if it does not, or if the plan
 * is for the processor.  node: (out) the node of the step, in the graph of the plan. */
const char *hyb_plan_get_host_reason (const HybPlan *plan, guint index, HybNodeId *node);
