/* test-far-command.c — the child process of a target: how it ended is told, and it ends with its pipes.
 *
 * The child is this program, which then does as it is told.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/far-command.h"
#include "tests/program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 60 /* after which a test that waits for ever ends */

static void
start (ScopeFarCommand *command, const char *deed, const char *number)
{
  const char *const arguments[] = { deed, number, NULL };
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;
  gboolean is_started = scope_far_command_start (command, "/", arguments, environment, &error);

  g_assert_no_error (error);
  g_assert_true (is_started);
}

/* As the far side does once the other end of both pipes is closed. */
static void
close_pipes (ScopeFarCommand *command)
{
  char text[64];

  while (read (command->out, text, sizeof text) > 0)
    ;
  close (command->out);
  close (command->err);
  command->out = command->err = -1;
}

static void
test_status (void)
{
  ScopeFarCommand command = { 0 };
  guint8          status = 99, number = 99;

  start (&command, "--exit", "7");
  close_pipes (&command);
  scope_far_command_end (&command, &status, &number);
  g_assert_cmpint (status, ==, 7);
  g_assert_cmpint (number, ==, 0);
  g_assert_cmpint (command.pid, ==, 0);
}

static void
test_signal (void)
{
  ScopeFarCommand command = { 0 };
  guint8          status = 99, number = 99;

  start (&command, "--raise", "15");
  close_pipes (&command);
  scope_far_command_end (&command, &status, &number);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (number, ==, SIGTERM);
}

/* An interrupted call before is no reason to wait once more for a child that has ended. */
static void
test_earlier_interruption (void)
{
  ScopeFarCommand command = { 0 };
  guint8          status = 99, number = 99;

  start (&command, "--exit", "3");
  close_pipes (&command);
  errno = EINTR;
  scope_far_command_end (&command, &status, &number);
  g_assert_cmpint (status, ==, 3);
  g_assert_cmpint (number, ==, 0);
}

static void
test_open_pipes (void)
{
  ScopeFarCommand command = { 0 };
  guint8          status = 99, number = 99;

  start (&command, "--sleep", "1000");
  scope_far_command_end (&command, &status, &number);
  g_assert_cmpint (number, ==, SIGKILL);
  g_assert_cmpint (command.out, ==, -1);
  g_assert_cmpint (command.err, ==, -1);
}

/* What the child does; −1: this is not the child. */
static int
act_as_child (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--exit") == 0)
    return atoi (argv[2]);
  if (argc == 3 && strcmp (argv[1], "--raise") == 0)
    return raise (atoi (argv[2]));
  if (argc == 3 && strcmp (argv[1], "--sleep") == 0)
    return (int) sleep ((unsigned) atoi (argv[2]));
  return -1;
}

TEST_PROGRAM (test_far_command)
{
  int status = act_as_child (argc, argv);

  if (status >= 0)
    return status;
  alarm (SECONDS);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/far-command/the-status-of-the-child-is-told", test_status);
  g_test_add_func ("/far-command/the-signal-that-ended-the-child-is-told", test_signal);
  g_test_add_func ("/far-command/an-earlier-interruption-changes-nothing",
                   test_earlier_interruption);
  g_test_add_func ("/far-command/a-child-whose-pipes-are-open-is-killed", test_open_pipes);
  return g_test_run ();
}
