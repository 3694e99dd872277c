/* plan-operators.h — which operators a plan leaves to a GPU, for self-tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

/* Adds the names of the operators whose steps the GPU computes to a set of static strings, also of steps in
 * bodies.  Nothing without a GPU; plan may be NULL. */
void hyb_plan_add_device_operators (const HybPlan *plan, GHashTable *names);
