/* plan-operators.c — see plan-operators.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-operators.h"

#include "engine/exec/plan-private.h"

static void
add_step (const HybDeviceStep *step, GHashTable *names)
{
  if (step->twin && !step->why)
    g_hash_table_add (names, (gpointer) step->twin->name);
  for (guint i = 0; step->bodies && step->bodies->plans && i < step->bodies->plans->len; i++)
    hyb_plan_add_device_operators (g_ptr_array_index (step->bodies->plans, i), names);
}

void
hyb_plan_add_device_operators (const HybPlan *plan, GHashTable *names)
{
  for (guint i = 0; plan && plan->device && i < plan->device->n_steps; i++)
    add_step (&plan->device->steps[i], names);
}

const char *
hyb_plan_get_host_reason (const HybPlan *plan, guint index, HybNodeId *node)
{
  g_return_val_if_fail (index < plan->n_steps, NULL);
  *node = plan->steps[index].node;
  return plan->device ? plan->device->steps[index].why : NULL;
}
