/* time-budget.c — the time that is left, the shares of it, and what fits into it.
 *
 * All decisions depend on the clock of the budget only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/time-budget.h"

#define RESULTS_SHARE 0.05 /* of the limit, for explanations and reports */

static double
read_clock (void)
{
  return (double) g_get_monotonic_time () * 1e-6;
}

void
scope_time_budget_init (ScopeTimeBudget *budget, double limit)
{
  *budget = (ScopeTimeBudget){ .now = read_clock, .start = read_clock (), .limit = limit };
}

double
scope_time_budget_left (const ScopeTimeBudget *budget)
{
  double end = budget->start + (1 - RESULTS_SHARE) * budget->limit;

  return MAX (end - budget->now (), 0);
}

double
scope_time_budget_share (const ScopeTimeBudget *budget, const double *weights, guint index, guint n)
{
  double sum = 0;

  for (guint i = index; i < n; i++)
    sum += weights[i];
  return sum > 0 ? scope_time_budget_left (budget) * weights[index] / sum : 0;
}

guint
scope_time_budget_count (const ScopeTimeBudget *budget, const double *weights, guint index, guint n)
{
  double rate = budget->weight > 0 ? budget->least / budget->weight : 0;
  double left = scope_time_budget_left (budget);
  guint  count = 0;

  while (index + count < n && rate * weights[index + count] <= left)
    left -= rate * weights[index + count++];
  return count;
}

void
scope_time_budget_learn (ScopeTimeBudget *budget, double weight, double seconds)
{
  budget->weight += weight;
  budget->least += seconds;
}

gboolean
scope_time_budget_fits (const ScopeTimeBudget *budget, double weight)
{
  double left = scope_time_budget_left (budget);

  if (budget->weight <= 0)
    return left > 0;
  return budget->least / budget->weight * weight < left;
}
