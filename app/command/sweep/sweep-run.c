/* sweep-run.c — the loop over cells: takes one, starts its command, stores its line.
 *
 * Timed cells of all workers on one machine, also of other sweeps, run one after the other: they hold a lock on a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-run.h"

#include "app/command/frame/messages.h"
#include "app/command/sweep/lock-holder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define POLL     20000   /* µs between two attempts to get the lock */
#define TOGETHER 1000000 /* µs within which a scheduler ends a worker and its command */

typedef struct
{
  const ScopeSweepRun *run;
  ScopeSweepWork      *work;
  GQueue               again;    /* cells + 1 that have failed and are tried again */
  GHashTable          *attempts; /* by cell + 1, of cells that have failed */
  int                  lock;     /* -1: cells need not be alone */
  GError              *error;
} Loop;

/* --- One timed cell on a machine at a time --- */

/* The folder may belong to several machines, so the name has the machine's. */
static int
open_lock (void)
{
  g_autofree char *host = g_strdelimit (g_strdup (g_get_host_name ()), "/", '-');
  g_autofree char *name = g_strdup_printf ("hybridscope-timing-%s.lock", host);
  g_autofree char *path = g_build_filename (g_get_user_runtime_dir (), name, NULL);

  g_mkdir_with_parents (g_get_user_runtime_dir (), 0700);
  return open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Cells of two sweeps take turns, so a wait is ordinary; but the other process may hang. */
static void
report_wait (const Loop *loop)
{
  g_autofree char *holder = scope_lock_dup_holder (loop->lock);

  scope_print_message (HYB_SEVERITY_NOTE,
                       "%s is measuring on this machine, where times are measured one at a time. "
                       "Waiting for it; if it hangs, end it",
                       holder);
}

/* FALSE: cancelled while waiting. */
static gboolean
wait_for_lock (Loop *loop)
{
  gboolean has_waited = FALSE;

  while (loop->lock >= 0 && flock (loop->lock, LOCK_EX | LOCK_NB) != 0)
    {
      if (errno != EWOULDBLOCK && errno != EINTR)
        return TRUE; /* no locks here: continue without */
      if (g_cancellable_is_cancelled (loop->run->cancellable))
        return FALSE;
      if (!has_waited && loop->work->n_shared == 0)
        report_wait (loop);
      has_waited = TRUE;
      g_usleep (POLL);
    }
  loop->work->n_shared += has_waited;
  return TRUE;
}

static void
unlock (Loop *loop)
{
  if (loop->lock >= 0)
    flock (loop->lock, LOCK_UN);
}

/* --- Cells --- */

static void
print_event (const ScopeSweepRun *run, const char *event, guint cell)
{
  if (run->has_events)
    fprintf (stderr, "{\"event\": \"%s\", \"cell\": %u}\n", event, cell);
}

static guint
get_attempts (const Loop *loop, guint cell)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (loop->attempts, GUINT_TO_POINTER (cell + 1)));
}

static char **
next_cell (gpointer data, guint *id)
{
  Loop *loop = data;
  guint again;

  if (loop->error || g_cancellable_is_cancelled (loop->run->cancellable))
    return NULL;
  again = GPOINTER_TO_UINT (g_queue_pop_head (&loop->again));
  if (again > 0)
    *id = again - 1;
  else if (!scope_sweep_folder_take (loop->run->folder, id))
    return NULL;
  if (!wait_for_lock (loop))
    {
      scope_sweep_folder_release (loop->run->folder, *id);
      return NULL;
    }
  print_event (loop->run, "started", *id);
  return scope_sweep_cell_arguments (&loop->run->cells, *id);
}

/* TRUE if the worker is ended, too.  A scheduler ends a worker and its command at once, and the command may be
 * the first one; then its cell has not failed. */
static gboolean
is_ended_together (const Loop *loop, const ScopeChildEnd *end)
{
  GCancellable *cancellable = loop->run->cancellable;

  if (end->signal == SIGTERM || end->signal == SIGINT)
    for (guint i = 0; i < TOGETHER / POLL && !g_cancellable_is_cancelled (cancellable); i++)
      g_usleep (POLL);
  return g_cancellable_is_cancelled (cancellable);
}

static void
cell_ended (gpointer data, const ScopeChildEnd *end)
{
  Loop            *loop = data;
  guint            attempts = get_attempts (loop, end->id) + 1;
  gboolean         is_done;
  g_autofree char *line = NULL;

  unlock (loop);
  line = scope_sweep_cell_take (&loop->run->cells, end, attempts, &is_done);
  if (!is_done && is_ended_together (loop, end))
    {
      scope_sweep_folder_release (loop->run->folder, end->id);
      return;
    }
  if (!is_done && attempts <= loop->run->n_retries)
    {
      g_hash_table_insert (loop->attempts, GUINT_TO_POINTER (end->id + 1),
                           GUINT_TO_POINTER (attempts));
      g_queue_push_tail (&loop->again, GUINT_TO_POINTER (end->id + 1));
      return;
    }
  print_event (loop->run, is_done ? "done" : "failed", end->id);
  if (is_done)
    loop->work->n_done++;
  else
    loop->work->n_failed++;
  scope_sweep_folder_finish (loop->run->folder, end->id, line, loop->error ? NULL : &loop->error);
}

gboolean
scope_sweep_run (const ScopeSweepRun *run, ScopeSweepWork *work, GError **error)
{
  g_autoptr (GHashTable) attempts = g_hash_table_new (NULL, NULL);
  Loop          loop = { .run = run, .work = work, .attempts = attempts, .lock = -1 };
  ScopeChildren children = { .n_jobs = run->cells.task->is_timing ? 1 : run->n_jobs,
                             .next = next_cell,
                             .ended = cell_ended,
                             .data = &loop,
                             .cancellable = run->cancellable };
  guint         cell;

  g_queue_init (&loop.again);
  if (run->cells.task->is_timing)
    loop.lock = open_lock ();
  scope_children_run (&children);
  /* Cells that were to be tried again when the worker was cancelled. */
  while ((cell = GPOINTER_TO_UINT (g_queue_pop_head (&loop.again))) > 0)
    scope_sweep_folder_release (run->folder, cell - 1);
  if (loop.lock >= 0)
    close (loop.lock);
  if (loop.error)
    g_propagate_error (error, loop.error);
  return !loop.error;
}
