/* progress.c — progress of a measurement on stderr: a bar on a terminal, or JSON lines.
 *
 * The second half installs the signal handlers behind scope_cancel_on_signal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/progress.h"

#include "app/command/terminal.h"
#include "engine/formats/json-text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MIN_INTERVAL 100000 /* µs between two outputs */
#define BAR_WIDTH    24     /* characters */

void
scope_progress_init (ScopeProgress *progress, const ScopeCommonOptions *common)
{
  *progress = (ScopeProgress){
    .as_json = g_strcmp0 (common->progress, "json") == 0,
    .as_bar = common->progress ? strcmp (common->progress, "bar") == 0 : isatty (STDERR_FILENO),
  };
}

static void
print_json (const ProfProgress *now)
{
  g_autoptr (GString) line = g_string_new ("{\"event\": \"progress\", \"phase\": ");

  hyb_json_append_string (line, now->phase);
  g_string_append (line, ", \"subject\": ");
  hyb_json_append_string (line, now->subject);
  g_string_append_printf (line,
                          ", \"done\": %u, \"total\": %u, \"elapsed\": ",
                          now->done,
                          now->total);
  hyb_json_append_double (line, now->elapsed);
  g_string_append (line, ", \"remaining\": ");
  hyb_json_append_double (line, now->remaining);
  g_string_append (line, "}\n");
  fputs (line->str, stderr);
  fflush (stderr);
}

static void
print_bar (const ProfProgress *now)
{
  double           share = now->elapsed / MAX (now->elapsed + now->remaining, 1e-9);
  char             bar[BAR_WIDTH + 1];
  g_autofree char *subject = scope_terminal_escape (now->subject);

  for (guint i = 0; i < BAR_WIDTH; i++)
    bar[i] = i < share * BAR_WIDTH ? '#' : '.';
  bar[BAR_WIDTH] = 0;
  fprintf (stderr,
           "\r[%s] %s %s, %u done, at most %.0f s left\033[K",
           bar,
           now->phase,
           subject,
           now->done,
           now->remaining);
  fflush (stderr);
}

void
scope_progress_update (gpointer data, const ProfProgress *now)
{
  ScopeProgress *progress = data;
  gint64         time = g_get_monotonic_time ();

  if (time - progress->last_time < MIN_INTERVAL && now->done > 0)
    return;
  progress->last_time = time;
  if (progress->as_json)
    print_json (now);
  else if (progress->as_bar)
    {
      print_bar (now);
      progress->has_bar = TRUE;
    }
}

void
scope_progress_finish (ScopeProgress *progress, const char *event, const char *file)
{
  if (progress->has_bar)
    fputs ("\r\033[K", stderr);
  progress->has_bar = FALSE;
  if (progress->as_json)
    {
      g_autoptr (GString) line = g_string_new ("{\"event\": ");

      hyb_json_append_string (line, event);
      if (file)
        {
          g_string_append (line, ", \"file\": ");
          hyb_json_append_string (line, file);
        }
      g_string_append (line, "}\n");
      fputs (line->str, stderr);
      fflush (stderr);
    }
}

/* --- Signals --- */

/* g_cancellable_cancel() is not async-signal-safe: the handler writes a byte into a pipe, and a
 * thread that reads the pipe cancels. */
static int                   pipe_ends[2] = { -1, -1 };
static GCancellable         *cancellable;
static volatile sig_atomic_t received; /* the first signal */

static void
on_signal (int number)
{
  char byte = (char) number;
  int  saved_errno = errno;

  if (received == 0)
    received = number;
  if (write (pipe_ends[1], &byte, 1) < 0)
    _exit (128 + number);
  errno = saved_errno;
}

static gpointer
wait_for_signal (gpointer data)
{
  struct sigaction defaults = { .sa_handler = SIG_DFL };
  char             byte;
  gssize           n;

  do
    n = read (pipe_ends[0], &byte, 1);
  while (n < 0 && errno == EINTR);
  sigaction (SIGINT, &defaults, NULL);
  sigaction (SIGTERM, &defaults, NULL);
  g_cancellable_cancel (cancellable);
  return NULL;
}

GCancellable *
scope_cancel_on_signal (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  if (cancellable)
    return cancellable;

  cancellable = g_cancellable_new ();
  if (pipe (pipe_ends) == 0)
    {
      g_thread_unref (g_thread_new ("signals", wait_for_signal, NULL));
      sigemptyset (&action.sa_mask);
      sigaction (SIGINT, &action, NULL);
      sigaction (SIGTERM, &action, NULL);
    }
  return cancellable;
}

int
scope_get_signal (void)
{
  return received;
}
