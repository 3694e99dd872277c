/* test-children.c — several child processes at a time: what they print, how they end, and what is started when.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/children/children.h"
#include "tests/program.h"

#include <signal.h>
#include <string.h>

#define MAX_LINES 16

/* Runs lines of the shell. */
typedef struct
{
  const char *const *lines;
  guint              n_started, n_running, most_running, n_ended;
  int                status[MAX_LINES], number[MAX_LINES];
  char              *out[MAX_LINES], *err[MAX_LINES], *trouble[MAX_LINES];
  gboolean           is_too_long[MAX_LINES];
  guint              order[MAX_LINES]; /* in which they ended */
  GCancellable      *cancellable;      /* cancelled when the first child has ended */
} Run;

static char **
next_line (gpointer data, guint *id)
{
  Run *run = data;

  if (!run->lines[run->n_started])
    return NULL;
  *id = run->n_started++;
  run->n_running++;
  run->most_running = MAX (run->most_running, run->n_running);
  if (g_str_has_prefix (run->lines[*id], "/no/"))
    return g_strdupv ((char *[]){ (char *) run->lines[*id], NULL });
  return g_strdupv (
      (char *[]){ (char *) "/bin/sh", (char *) "-c", (char *) run->lines[*id], NULL });
}

static void
line_ended (gpointer data, const ScopeChildEnd *end)
{
  Run *run = data;

  run->n_running--;
  run->order[run->n_ended++] = end->id;
  run->status[end->id] = end->status;
  run->number[end->id] = end->signal;
  run->is_too_long[end->id] = end->is_too_long;
  run->out[end->id] = g_strdup (end->out->str);
  run->err[end->id] = g_strdup (end->err->str);
  run->trouble[end->id] = g_strdup (end->trouble);
  if (run->cancellable)
    g_cancellable_cancel (run->cancellable);
}

static void
run_lines (Run *run, const char *const *lines, guint n_jobs)
{
  ScopeChildren children = { .n_jobs = n_jobs,
                             .next = next_line,
                             .ended = line_ended,
                             .data = run,
                             .cancellable = run->cancellable };

  run->lines = lines;
  scope_children_run (&children);
}

static void
run_clear (Run *run)
{
  for (guint i = 0; i < MAX_LINES; i++)
    {
      g_free (run->out[i]);
      g_free (run->err[i]);
      g_free (run->trouble[i]);
    }
}

static void
test_each_end_is_reported (void)
{
  static const char *const lines[] = { "echo one; echo two >&2",
                                       "exit 7",
                                       "kill -9 $$",
                                       "/no/such/program",
                                       "head -c 5000 /dev/zero | tr '\\0' x >&2; echo end >&2",
                                       NULL };
  Run                      run = { 0 };

  run_lines (&run, lines, 2);
  g_assert_cmpuint (run.n_ended, ==, 5);
  g_assert_cmpint (run.status[0], ==, 0);
  g_assert_cmpstr (run.out[0], ==, "one\n");
  g_assert_cmpstr (run.err[0], ==, "two\n");
  g_assert_cmpint (run.status[1], ==, 7);
  g_assert_cmpint (run.status[2], ==, -1);
  g_assert_cmpint (run.number[2], ==, SIGKILL);
  g_assert_cmpint (run.status[3], ==, -1);
  g_assert_nonnull (run.trouble[3]);
  g_assert_null (run.trouble[0]);
  g_assert_cmpuint (strlen (run.err[4]), ==, 4096);
  g_assert_true (g_str_has_suffix (run.err[4], "xend\n"));
  run_clear (&run);
}

static void
test_a_child_that_prints_too_much_is_killed (void)
{
  static const char *const lines[] = { "exec cat /dev/zero", "echo fine", NULL };
  Run                      run = { 0 };

  run_lines (&run, lines, 2);
  g_assert_true (run.is_too_long[0]);
  g_assert_cmpstr (run.out[0], ==, "");
  g_assert_cmpint (run.status[0], ==, -1);
  g_assert_cmpstr (run.out[1], ==, "fine\n");
  run_clear (&run);
}

static void
test_no_more_run_than_jobs (void)
{
  static const char *const lines[] = { "exit 0", "exit 0", "exit 0", "exit 0", "exit 0", NULL };

  for (guint n_jobs = 1; n_jobs <= 3; n_jobs++)
    {
      Run run = { 0 };

      run_lines (&run, lines, n_jobs);
      g_assert_cmpuint (run.n_ended, ==, 5);
      g_assert_cmpuint (run.most_running, ==, n_jobs);
      run_clear (&run);
    }
}

/* The first child waits until the last one has ended and been noticed: a slow one delays no other. */
static void
test_a_slow_child_delays_no_other (void)
{
  g_autofree char *folder = g_dir_make_tmp ("children-XXXXXX", NULL);
  g_autofree char *wait =
      g_strdup_printf ("cd %s; while [ ! -e go ] || kill -0 $(cat go) 2>/dev/null; do sleep 0.01; "
                       "done; rm go; rmdir $PWD",
                       folder);
  g_autofree char *go = g_strdup_printf ("cd %s; echo $$ >new; mv new go", folder);
  const char      *lines[] = { wait, "exit 0", go, NULL };
  Run              run = { 0 };

  run_lines (&run, lines, 2);
  g_assert_cmpuint (run.n_ended, ==, 3);
  g_assert_cmpuint (run.order[2], ==, 0);
  run_clear (&run);
}

static void
test_cancelling_ends_children_and_starts_no_more (void)
{
  static const char *const lines[] = { "exit 0", "exec sleep 1000", "exec sleep 1000", NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Run run = { .cancellable = cancellable };

  run_lines (&run, lines, 2);
  g_assert_cmpuint (run.n_ended, ==, run.n_started);
  g_assert_cmpuint (run.n_ended, <=, 3);
  g_assert_cmpint (run.number[1], ==, SIGTERM);
  run_clear (&run);
}

TEST_PROGRAM (test_children)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/children/each-end-is-reported", test_each_end_is_reported);
  g_test_add_func ("/children/a-child-that-prints-too-much-is-killed",
                   test_a_child_that_prints_too_much_is_killed);
  g_test_add_func ("/children/no-more-run-than-jobs", test_no_more_run_than_jobs);
  g_test_add_func ("/children/a-slow-child-delays-no-other", test_a_slow_child_delays_no_other);
  g_test_add_func ("/children/cancelling-ends-children-and-starts-no-more",
                   test_cancelling_ends_children_and_starts_no_more);
  return g_test_run ();
}
