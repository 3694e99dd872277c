/* execute.c — see execute.h.  Start at scope_execute().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/run/execute.h"

#include "app/command/frame/time-limit.h"

#include "engine/graph/roles.h"

static const char *
variable_name (const ScopeExecution *execution, guint index)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (execution->graph, &n);

  return hyb_graph_get_node (execution->graph, variables[index])->name;
}

static gboolean
bind_values (const ScopeExecution *execution, HybExecutor *executor, GError **error)
{
  for (guint i = 0; i < execution->n_values; i++)
    if (execution->values[i] &&
        !hyb_executor_bind (executor, variable_name (execution, i), execution->values[i], error))
      return FALSE;
  return TRUE;
}

/* Lets the plan compute values once that depend on constants of the file (nullable), or else on parameters,
 * alone. */
static void
promise_parameters (const ScopeExecution *execution, HybExecutor *executor, GHashTable *constants)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (execution->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = variable_name (execution, i);

      if (constants
              ? g_hash_table_contains (constants, name)
              : hyb_graph_get_role (execution->graph, variables[i], FALSE) == HYB_ROLE_PARAMETER)
        hyb_executor_set_constant (executor, name, TRUE);
    }
}

static HybExecutor *
new_executor (const ScopeExecution *execution, GError **error)
{
  const ScopeCommonOptions *common = execution->common;
  GHashTable               *constants =
      scope_inputs_get_constants (execution->inputs, common, execution->backward);
  HybExecutorOptions options = {
    .mode = scope_common_options_get_mode (common),
    .training = common->train,
    .fold_parameters = common->fold_parameters || constants,
    .same_bytes = !constants,
    .seed = (guint64) common->seed,
    .without = (const char *const *) common->without,
    .dump_after = common->dump_after,
    .gpu = execution->gpu,
  };
  g_autoptr (HybExecutor) executor = hyb_executor_new (execution->graph, &options);

  if (!bind_values (execution, executor, error))
    return NULL;
  if (options.fold_parameters)
    promise_parameters (execution, executor, constants);
  return hyb_executor_prepare (executor, error) ? g_steal_pointer (&executor) : NULL;
}

HybExecutor *
scope_execute (const ScopeExecution *execution, double *seconds, GError **error)
{
  g_autoptr (HybExecutor) executor = new_executor (execution, error);
  g_autoptr (ScopeTimeLimit) limit = NULL;
  gint64 begin;

  if (!executor)
    return NULL;
  limit = scope_time_limit_new (execution->time_limit, NULL);
  begin = g_get_monotonic_time ();
  if (!hyb_executor_run (executor, scope_time_limit_get_cancellable (limit), error) ||
      !hyb_executor_finish (executor, error))
    {
      scope_time_limit_explain (limit, error);
      return NULL;
    }
  if (seconds)
    *seconds = (double) (g_get_monotonic_time () - begin) * 1e-6;
  return g_steal_pointer (&executor);
}
