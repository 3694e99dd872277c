/* plan-sources.h — maps the nodes of a plan to the nodes of the graph that was planned.
 *
 * For profilers: they measure the nodes that run and report the nodes of the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/sources.h"
#include "engine/exec/plan.h"

/* The graph that was planned, before all passes, owned by the plan. */
HybGraph *hyb_plan_get_given (const HybPlan *plan);
/* The *n nodes of that graph whose work a node after the passes does, in ascending order, owned by
 * the plan; none for variables. */
const HybSource *hyb_plan_get_sources (const HybPlan *plan, HybNodeId node, guint *n);
