/* children.c — a loop that starts child processes, reads their pipes and waits for their ends.
 *
 * Start at scope_children_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/children/children.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUT ((gsize) 64 << 20) /* bytes of stdout that a child may print */
#define MAX_ERR 4096               /* bytes of stderr that are kept */
#define PIECE   65536

typedef struct
{
  ScopeChildEnd end;
  GPid          pid;
  int           out, err; /* pipes; -1: closed */
  gint64        started;  /* µs */
} Child;

typedef struct
{
  const ScopeChildren *children;
  GPtrArray           *running; /* of Child */
  gboolean             is_cancelled;
} Loop;

static void
child_free (gpointer data)
{
  Child *child = data;

  g_string_free (child->end.out, TRUE);
  g_string_free (child->end.err, TRUE);
  g_free (child->end.trouble);
  g_free (child);
}

/* Runs in the child, before the program: it ends with its parent, and has limits of its own. */
static void
prepare_child (gpointer data)
{
  const ScopeChildren *children = data;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  alarm (children->seconds);
#ifndef __SANITIZE_ADDRESS__
  if (children->memory > 0)
    {
      struct rlimit limit;

      if (getrlimit (RLIMIT_DATA, &limit) == 0)
        {
          limit.rlim_max = MIN (limit.rlim_max, (rlim_t) children->memory);
          limit.rlim_cur = MIN (limit.rlim_cur, limit.rlim_max);
          setrlimit (RLIMIT_DATA, &limit);
        }
    }
#endif
}

static void
finish (Loop *loop, Child *child)
{
  child->end.seconds = (double) (g_get_monotonic_time () - child->started) / 1e6;
  loop->children->ended (loop->children->data, &child->end);
  g_ptr_array_remove (loop->running, child);
}

/* argv: (transfer none) */
static void
start (Loop *loop, char **argv, guint id)
{
  Child *child = g_new0 (Child, 1);
  g_autoptr (GError) error = NULL;

  child->end = (ScopeChildEnd){ .id = id, .out = g_string_new (NULL), .err = g_string_new (NULL) };
  child->started = g_get_monotonic_time ();
  child->out = child->err = -1;
  g_ptr_array_add (loop->running, child);
  if (g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                prepare_child, (gpointer) loop->children, &child->pid, NULL,
                                &child->out, &child->err, &error))
    return;
  child->end.status = -1;
  child->end.trouble = g_strdup (error->message);
  finish (loop, child);
}

static void
start_more (Loop *loop)
{
  guint id = 0;

  while (!loop->is_cancelled && loop->running->len < loop->children->n_jobs)
    {
      g_auto (GStrv) argv = loop->children->next (loop->children->data, &id);

      if (!argv)
        return;
      start (loop, argv, id);
    }
}

/* Reads the available bytes of a pipe; closes it at its end.  Returns the bytes in piece. */
static gsize
read_pipe (int *pipe, char *piece)
{
  gssize n = read (*pipe, piece, PIECE);

  if (n > 0)
    return (gsize) n;
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return 0;
  close (*pipe);
  *pipe = -1;
  return 0;
}

static void
read_out (Child *child, char *piece)
{
  gsize n = read_pipe (&child->out, piece);

  if (child->end.is_too_long)
    return;
  if (child->end.out->len + n > MAX_OUT)
    {
      child->end.is_too_long = TRUE;
      g_string_truncate (child->end.out, 0);
      kill (child->pid, SIGKILL);
      return;
    }
  g_string_append_len (child->end.out, piece, (gssize) n);
}

static void
read_err (Child *child, char *piece)
{
  GString *err = child->end.err;

  g_string_append_len (err, piece, (gssize) read_pipe (&child->err, piece));
  if (err->len > MAX_ERR)
    g_string_erase (err, 0, (gssize) (err->len - MAX_ERR));
}

/* The child has closed its pipes, so it has ended or is about to. */
static void
reap (Loop *loop, Child *child)
{
  int   status = 0;
  pid_t pid;

  do
    pid = waitpid (child->pid, &status, 0);
  while (pid < 0 && errno == EINTR);
  child->end.status = pid == child->pid && WIFEXITED (status) ? WEXITSTATUS (status) : -1;
  child->end.signal = pid == child->pid && WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  finish (loop, child);
}

static void
cancel (Loop *loop)
{
  loop->is_cancelled = TRUE;
  for (guint i = 0; i < loop->running->len; i++)
    kill (((Child *) loop->running->pdata[i])->pid, SIGTERM);
}

/* Waits until a pipe of a child has something, and reads it. */
static void
step (Loop *loop, char *piece)
{
  gsize                     n = loop->running->len;
  g_autofree struct pollfd *fds = g_new0 (struct pollfd, 2 * n + 1);
  GCancellable             *cancellable = loop->children->cancellable;

  for (gsize i = 0; i < n; i++)
    {
      const Child *child = loop->running->pdata[i];

      fds[2 * i] = (struct pollfd){ .fd = child->out, .events = POLLIN };
      fds[2 * i + 1] = (struct pollfd){ .fd = child->err, .events = POLLIN };
    }
  fds[2 * n] = (struct pollfd){ .fd = -1, .events = POLLIN };
  if (cancellable && !loop->is_cancelled)
    fds[2 * n].fd = g_cancellable_get_fd (cancellable);
  if (poll (fds, (nfds_t) (2 * n + 1), -1) < 0)
    return;
  if (fds[2 * n].revents != 0)
    cancel (loop);
  if (fds[2 * n].fd >= 0)
    g_cancellable_release_fd (cancellable);
  for (gsize i = n; i-- > 0;)
    {
      Child *child = loop->running->pdata[i];

      if (fds[2 * i].revents != 0)
        read_out (child, piece);
      if (fds[2 * i + 1].revents != 0)
        read_err (child, piece);
      if (child->out < 0 && child->err < 0)
        reap (loop, child);
    }
}

void
scope_children_run (const ScopeChildren *children)
{
  g_autoptr (GPtrArray) running = g_ptr_array_new_with_free_func (child_free);
  g_autofree char *piece = g_malloc (PIECE);
  Loop             loop = { children, running, FALSE };

  for (start_more (&loop); running->len > 0; start_more (&loop))
    step (&loop, piece);
}

char *
scope_child_describe (const ScopeChildEnd *end)
{
  if (end->trouble)
    return g_strdup_printf ("the process cannot be started: %s", end->trouble);
  if (end->is_too_long)
    return g_strdup ("the process was stopped because it printed more than 64 MiB");
  if (end->signal != 0)
    return g_strdup_printf ("the process was ended by signal %d (%s)", end->signal,
                            g_strsignal (end->signal));
  return NULL;
}
