/* test-progress.c — the line that shows progress: its width, and that it never goes backwards.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/progress.h"
#include "app/command/frame/terminal.h"
#include "tests/program.h"

static void
test_a_line_takes_the_columns_it_is_given (void)
{
  static const struct
  {
    guint       columns;
    const char *line;
  } rows[] = {
    { 80, "[############............]  50 % measuring unrolled, static, at most 12 s left" },
    { 59, "[############............]  50 % measur…, at most 12 s left" },
    { 40, " 50 % measuring unro…, at most 12 s left" },
    { 12, " 50 % , at …" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          scope_progress_format (0.5, "measuring unrolled, static", 11.2, rows[i].columns);

      g_assert_cmpstr (line, ==, rows[i].line);
      g_assert_cmpint (g_utf8_strlen (line, -1), <=, rows[i].columns);
    }
}

static void
test_a_long_time_is_in_minutes_and_none_is_left_out (void)
{
  g_autofree char *long_time = scope_progress_format (0, "x", 150, 80);
  g_autofree char *no_time = scope_progress_format (1, "x", 0, 80);

  g_assert_cmpstr (long_time, ==, "[........................]   0 % x, at most 3 min left");
  g_assert_cmpstr (no_time, ==, "[########################] 100 % x");
}

static void
test_wide_characters_take_two_columns (void)
{
  static const struct
  {
    const char *text;
    guint       columns;
    const char *fitting;
  } rows[] = {
    { "模型模型", 8, "模型模型" },
    { "模型模型", 7, "模型模…" },
    { "模型", 3, "模…" },
    { "模型", 2, "…" },
    { "abc", 3, "abc" },
    { "abc", 2, "a…" },
    { "abc", 0, "" },
    { "", 0, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *fitting = scope_terminal_fit (rows[i].text, rows[i].columns);

      g_assert_cmpstr (fitting, ==, rows[i].fitting);
    }
}

static void
update (ScopeProgress *progress, double elapsed, double remaining)
{
  ProfProgress now = {
    .phase = "clean", .subject = "x", .elapsed = elapsed, .remaining = remaining
  };

  scope_progress_update (progress, &now);
}

/* A part that knows better how long it takes makes neither the share smaller nor the time longer. */
static void
test_share_and_time_never_go_backwards (void)
{
  static const double weights[] = { 2, 1, 1 };
  ScopeCommonOptions  common = { .progress = (char *) "none" };
  ScopeProgress       progress;
  double              deadline;

  scope_progress_init (&progress, &common);
  scope_progress_set_part (&progress, weights, 0, 3, 4);
  update (&progress, 1, 3);
  g_assert_cmpfloat_with_epsilon (progress.share, 0.125, 1e-9);
  deadline = progress.deadline;
  g_assert_cmpfloat (deadline, >,
                     (double) g_get_monotonic_time () * 1e-6 + 6); /* 3 and 4 seconds */
  update (&progress, 1, 39);
  g_assert_cmpfloat_with_epsilon (progress.share, 0.125, 1e-9);
  g_assert_cmpfloat (progress.deadline, ==, deadline);

  scope_progress_set_part (&progress, weights, 1, 3, 2);
  update (&progress, 0, 4);
  g_assert_cmpfloat_with_epsilon (progress.share, 0.5, 1e-9);
  scope_progress_set_part (&progress, weights, 2, 3, 0);
  update (&progress, 1, 1);
  g_assert_cmpfloat_with_epsilon (progress.share, 0.875, 1e-9);
  g_assert_cmpfloat (progress.deadline, <=, deadline);
}

TEST_PROGRAM (test_progress)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/progress/a-line-takes-the-columns-it-is-given",
                   test_a_line_takes_the_columns_it_is_given);
  g_test_add_func ("/progress/a-long-time-is-in-minutes-and-none-is-left-out",
                   test_a_long_time_is_in_minutes_and_none_is_left_out);
  g_test_add_func ("/progress/wide-characters-take-two-columns",
                   test_wide_characters_take_two_columns);
  g_test_add_func ("/progress/share-and-time-never-go-backwards",
                   test_share_and_time_never_go_backwards);
  return g_test_run ();
}
