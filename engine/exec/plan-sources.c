/* plan-sources.c — maps the nodes of a plan to the nodes of the graph that was planned.
 *
 * The passes record the sources (analysis/sources.h); this file only reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-sources.h"

#include "engine/exec/plan-private.h"

HybGraph *
hyb_plan_get_given (const HybPlan *plan)
{
  return plan->given;
}

const HybSource *
hyb_plan_get_sources (const HybPlan *plan, HybNodeId node, guint *n)
{
  return hyb_sources_get (plan->sources, node, n);
}
