/* progress.c — progress of a command on stderr: a bar on a terminal, or JSON lines.
 *
 * The second half installs the signal handlers behind scope_cancel_on_signal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/progress.h"

#include "app/command/frame/terminal.h"
#include "engine/formats/json-text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MIN_INTERVAL 100000 /* µs between two outputs */
#define BAR_WIDTH    24     /* characters */
#define BAR_COLUMNS  56     /* from this width on there is room for a bar */

static double
read_clock (void)
{
  return (double) g_get_monotonic_time () * 1e-6;
}

void
scope_progress_init (ScopeProgress *progress, const ScopeCommonOptions *common)
{
  *progress = (ScopeProgress){
    .as_json = g_strcmp0 (common->progress, "json") == 0,
    .as_bar = common->progress ? strcmp (common->progress, "bar") == 0
                               : !common->quiet && scope_terminal_is_capable (STDERR_FILENO),
    .end = 1,
    .deadline = INFINITY,
  };
}

void
scope_progress_set_part (ScopeProgress *progress,
                         const double  *weights,
                         guint          index,
                         guint          n,
                         double         later)
{
  double before = 0, sum = 0;

  for (guint i = 0; i < n; i++)
    {
      before += i < index ? weights[i] : 0;
      sum += weights[i];
    }
  progress->later = later;
  progress->begin = before / MAX (sum, 1e-9);
  progress->end = (before + weights[index]) / MAX (sum, 1e-9);
}

static void
print_json (const ProfProgress *now, double share)
{
  g_autoptr (GString) line = g_string_new ("{\"event\": \"progress\", \"phase\": ");

  hyb_json_append_string (line, now->phase);
  g_string_append (line, ", \"subject\": ");
  hyb_json_append_string (line, now->subject);
  g_string_append_printf (line,
                          ", \"done\": %" G_GUINT64_FORMAT ", \"total\": %" G_GUINT64_FORMAT
                          ", \"elapsed\": ",
                          now->done, now->total);
  hyb_json_append_double (line, now->elapsed);
  g_string_append (line, ", \"remaining\": ");
  hyb_json_append_double (line, now->remaining);
  g_string_append (line, ", \"share\": ");
  hyb_json_append_double (line, share);
  g_string_append (line, "}\n");
  fputs (line->str, stderr);
  fflush (stderr);
}

char *
scope_progress_format (double share, const char *what, double remaining, guint columns)
{
  char             bar[BAR_WIDTH + 1];
  gboolean         has_bar = columns >= BAR_COLUMNS;
  g_autofree char *left = remaining <= 0 ? g_strdup ("")
                          : remaining < 120
                              ? g_strdup_printf (", at most %.0f s left", ceil (remaining))
                              : g_strdup_printf (", at most %.0f min left", ceil (remaining / 60));
  g_autofree char *head = NULL, *middle = NULL, *line = NULL;

  for (guint i = 0; i < BAR_WIDTH; i++)
    bar[i] = i < share * BAR_WIDTH ? '#' : '.';
  bar[BAR_WIDTH] = 0;
  head = g_strdup_printf ("%s%s%s%3.0f %% ", has_bar ? "[" : "", has_bar ? bar : "",
                          has_bar ? "] " : "", floor (share * 100));
  middle = scope_terminal_fit (what, columns - MIN (columns, strlen (head) + strlen (left)));
  line = g_strconcat (head, middle, left, NULL);
  return scope_terminal_fit (line, columns);
}

/* A line that fills the last column would wrap on some terminals. */
static void
print_bar (const ScopeProgress *progress, const ProfProgress *now)
{
  static const char *const words[][2] = {
    { "warm-up", "warming up" },
    { "clean", "measuring" },
    { "trace", "tracing" },
    { "counters", "counting" },
  };
  const char      *word = now->phase;
  g_autofree char *subject = scope_terminal_escape (now->subject);
  g_autofree char *what = NULL, *line = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i][0], word) == 0)
      word = words[i][1];
  what = g_strdup_printf ("%s %s", word, subject);
  line = scope_progress_format (progress->share, what, MAX (progress->deadline - read_clock (), 0),
                                scope_terminal_columns (STDERR_FILENO) - 1);
  scope_terminal_set_status (line);
}

/* Of the whole command. */
static void
estimate (ScopeProgress *progress, const ProfProgress *now)
{
  double part = progress->end - progress->begin;
  double total = MAX (now->elapsed + now->remaining, 1e-9);

  progress->share = MAX (progress->share, progress->begin + part * now->elapsed / total);
  progress->deadline = MIN (progress->deadline, read_clock () + now->remaining + progress->later);
}

void
scope_progress_update (gpointer data, const ProfProgress *now)
{
  ScopeProgress *progress = data;
  gint64         time = g_get_monotonic_time ();

  if (time - progress->last_time < MIN_INTERVAL && now->done > 0)
    return;
  progress->last_time = time;
  estimate (progress, now);
  if (progress->as_json)
    print_json (now, progress->share);
  else if (progress->as_bar)
    print_bar (progress, now);
}

void
scope_progress_finish (ScopeProgress *progress, const char *event, const char *file)
{
  scope_terminal_set_status (NULL);
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
