/* test-time-budget.c — how the time of a comparison is divided, and what no longer fits.
 *
 * The clock is a variable, so no test takes time or depends on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/time-budget.h"
#include "app/command/frame/deadline.h"
#include "tests/program.h"

static double clock_seconds;

static double
read_clock (void)
{
  return clock_seconds;
}

static ScopeTimeBudget
make_budget (double limit)
{
  ScopeTimeBudget budget;

  scope_time_budget_init (&budget, limit);
  clock_seconds = 1000;
  budget.now = read_clock;
  budget.start = clock_seconds;
  return budget;
}

/* A twentieth of the limit is for the results. */
static void
test_time_is_shared_by_weight (void)
{
  static const double weights[] = { 1, 3, 4 };
  ScopeTimeBudget     budget = make_budget (100);

  g_assert_cmpfloat_with_epsilon (scope_time_budget_left (&budget), 95, 1e-9);
  g_assert_cmpfloat_with_epsilon (scope_time_budget_share (&budget, weights, 0, 3), 95.0 / 8, 1e-9);
  clock_seconds += 25;
  g_assert_cmpfloat_with_epsilon (scope_time_budget_share (&budget, weights, 1, 3), 30, 1e-9);
  g_assert_cmpfloat_with_epsilon (scope_time_budget_share (&budget, weights, 2, 3), 70, 1e-9);
  clock_seconds += 70;
  g_assert_cmpfloat (scope_time_budget_left (&budget), ==, 0);
  g_assert_cmpfloat (scope_time_budget_share (&budget, weights, 2, 3), ==, 0);
  clock_seconds += 1000;
  g_assert_cmpfloat (scope_time_budget_left (&budget), ==, 0);
}

static void
test_a_group_fits_if_the_machine_is_fast_enough (void)
{
  ScopeTimeBudget budget = make_budget (100);

  /* Nothing is known yet. */
  g_assert_true (scope_time_budget_fits (&budget, 1e6));
  scope_time_budget_learn (&budget, 2, 10);
  g_assert_true (scope_time_budget_fits (&budget, 18.9));
  g_assert_false (scope_time_budget_fits (&budget, 19)); /* 19 × 5 s = 95 s */
  scope_time_budget_learn (&budget, 2, 30);              /* 10 s a unit now */
  g_assert_false (scope_time_budget_fits (&budget, 9.5));
  clock_seconds += 90;
  g_assert_true (scope_time_budget_fits (&budget, 0.4));
  g_assert_false (scope_time_budget_fits (&budget, 0.5));
  clock_seconds += 5;
  g_assert_false (scope_time_budget_fits (&budget, 1e-6));
}

/* Groups that come later take nothing from those that fit. */
static void
test_only_groups_that_fit_share_the_time (void)
{
  static const double weights[] = { 1, 2, 4, 100 };
  ScopeTimeBudget     budget = make_budget (100);

  g_assert_cmpuint (scope_time_budget_count (&budget, weights, 0, 4), ==, 4);
  scope_time_budget_learn (&budget, 1, 10);
  g_assert_cmpuint (scope_time_budget_count (&budget, weights, 1, 4), ==,
                    2); /* 20 + 40 s of 95 s */
  g_assert_cmpuint (scope_time_budget_count (&budget, weights, 3, 4), ==, 0);
  clock_seconds += 35;
  g_assert_cmpuint (scope_time_budget_count (&budget, weights, 1, 4), ==, 2); /* exactly */
  clock_seconds += 0.001;
  g_assert_cmpuint (scope_time_budget_count (&budget, weights, 1, 4), ==, 1);
}

/* However slow the machine is: groups start only while time is left, and a group that is cancelled at
 * its deadline is the last. */
static void
test_the_limit_holds_on_any_machine (void)
{
  static const double weights[] = { 1, 1, 3, 3, 5, 5, 8, 8, 20, 20, 60, 60 };

  for (double slowness = 0.001; slowness < 1000; slowness *= 1.7)
    {
      ScopeTimeBudget budget = make_budget (150);
      guint           n_done = 0;

      for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
        {
          double least = slowness * weights[i], share;

          if (!scope_time_budget_fits (&budget, weights[i]))
            break;
          share = scope_time_budget_share (&budget, weights, i, G_N_ELEMENTS (weights));
          /* A group takes at least what it needs, and is cancelled at the end. */
          clock_seconds += MIN (MAX (least, share), scope_time_budget_left (&budget));
          scope_time_budget_learn (&budget, weights[i], least);
          n_done++;
        }
      g_assert_cmpfloat (clock_seconds - budget.start, <=, 150);
      g_assert_cmpuint (n_done, >=, 1);
      if (slowness < 0.5)
        g_assert_cmpuint (n_done, ==, G_N_ELEMENTS (weights));
    }
}

static void
test_a_deadline_cancels (void)
{
  g_autoptr (ScopeDeadline) deadline = scope_deadline_new (0, NULL);
  GCancellable *cancellable = scope_deadline_get_cancellable (deadline);

  while (!g_cancellable_is_cancelled (cancellable))
    g_thread_yield ();
}

static void
test_the_user_cancels_before_the_deadline (void)
{
  g_autoptr (GCancellable) user = g_cancellable_new ();
  g_autoptr (ScopeDeadline) deadline = scope_deadline_new (1e6, user);
  GCancellable *cancellable = scope_deadline_get_cancellable (deadline);

  g_assert_false (g_cancellable_is_cancelled (cancellable));
  g_cancellable_cancel (user);
  g_assert_true (g_cancellable_is_cancelled (cancellable));
  g_clear_pointer (&deadline, scope_deadline_free);

  /* A user who has cancelled before: the handler runs at once. */
  deadline = scope_deadline_new (1e6, user);
  g_assert_true (g_cancellable_is_cancelled (scope_deadline_get_cancellable (deadline)));
}

TEST_PROGRAM (test_time_budget)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/time-budget/time-is-shared-by-weight", test_time_is_shared_by_weight);
  g_test_add_func ("/app/time-budget/a-group-fits-if-the-machine-is-fast-enough",
                   test_a_group_fits_if_the_machine_is_fast_enough);
  g_test_add_func ("/app/time-budget/only-groups-that-fit-share-the-time",
                   test_only_groups_that_fit_share_the_time);
  g_test_add_func ("/app/time-budget/the-limit-holds-on-any-machine",
                   test_the_limit_holds_on_any_machine);
  g_test_add_func ("/app/time-budget/a-deadline-cancels", test_a_deadline_cancels);
  g_test_add_func ("/app/time-budget/the-user-cancels-before-the-deadline",
                   test_the_user_cancels_before_the_deadline);
  return g_test_run ();
}
