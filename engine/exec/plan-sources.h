/* plan-sources.h — which nodes of the graph that was planned the nodes of a plan stand for.
 *
 * For profilers: times are measured of the nodes that run, models are made of those that were planned.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/sources.h"
#include "engine/exec/plan.h"

/* The graph that was planned, before all passes, owned by the plan. */
HybGraph *hyb_plan_get_given (const HybPlan *plan);
/* The *n nodes of that graph which a node after the passes stands for, in ascending order, owned by the
 * plan; none for variables. */
const HybSource *hyb_plan_get_sources (const HybPlan *plan, HybNodeId node, guint *n);
