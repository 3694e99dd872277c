/* time-budget.h — divides the time of a comparison over its groups, and says when one no longer fits.
 *
 * Every group has a weight, its expected share of the work.  What the first groups took at least
 * shows how fast the machine is now.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  double (*now) (void); /* seconds of a clock that only goes forward; tests set their own */
  double start, limit;  /* seconds */
  double weight, least; /* of the groups so far: weights, and the seconds that each took at least */
} ScopeTimeBudget;

/* Starts a budget of this many seconds now. */
void scope_time_budget_init (ScopeTimeBudget *budget, double limit);
/* Seconds that are left for measuring; a part of the limit is kept for the results.  Never
 * negative. */
double scope_time_budget_left (const ScopeTimeBudget *budget);
/* The share, by weight, of the time that is left for group number index of n and those after it. */
double scope_time_budget_share (const ScopeTimeBudget *budget,
                                const double          *weights,
                                guint                  index,
                                guint                  n);
/* How many groups from number index on are expected to fit, each with the least that it needs; n is
 * their number in all.  Weights of 0 count as well. */
guint scope_time_budget_count (const ScopeTimeBudget *budget,
                               const double          *weights,
                               guint                  index,
                               guint                  n);
/* Notes that a group of this weight needed at least this many seconds. */
void scope_time_budget_learn (ScopeTimeBudget *budget, double weight, double seconds);
/* FALSE if a group of this weight is expected to need more than what is left. */
gboolean scope_time_budget_fits (const ScopeTimeBudget *budget, double weight);
