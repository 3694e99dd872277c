/* deadline.c — waits for the end of the time in a thread of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/deadline.h"

struct _ScopeDeadline
{
  GCancellable *cancellable, *user;
  gulong        forwarding; /* handler of user; 0: none */
  GThread      *thread;
  GMutex        mutex;
  GCond         cond;
  gint64        end; /* µs, monotonic */
  gboolean      is_over;
};

static gpointer
wait_for_end (gpointer data)
{
  ScopeDeadline *deadline = data;
  gboolean       is_late = FALSE;

  g_mutex_lock (&deadline->mutex);
  while (!deadline->is_over && !is_late)
    is_late = !g_cond_wait_until (&deadline->cond, &deadline->mutex, deadline->end);
  g_mutex_unlock (&deadline->mutex);
  if (is_late)
    g_cancellable_cancel (deadline->cancellable);
  return NULL;
}

static void
forward (GCancellable *user G_GNUC_UNUSED, gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

ScopeDeadline *
scope_deadline_new (double seconds, GCancellable *user)
{
  ScopeDeadline *deadline = g_new0 (ScopeDeadline, 1);

  deadline->cancellable = g_cancellable_new ();
  g_mutex_init (&deadline->mutex);
  g_cond_init (&deadline->cond);
  deadline->end = g_get_monotonic_time () + (gint64) (CLAMP (seconds, 0, 1e9) * 1e6);
  if (user)
    {
      deadline->user = g_object_ref (user);
      deadline->forwarding =
          g_cancellable_connect (user, G_CALLBACK (forward), g_object_ref (deadline->cancellable),
                                 g_object_unref);
    }
  deadline->thread = g_thread_new ("deadline", wait_for_end, deadline);
  return deadline;
}

void
scope_deadline_free (ScopeDeadline *deadline)
{
  if (!deadline)
    return;
  g_mutex_lock (&deadline->mutex);
  deadline->is_over = TRUE;
  g_cond_signal (&deadline->cond);
  g_mutex_unlock (&deadline->mutex);
  g_thread_join (deadline->thread);
  if (deadline->user)
    {
      g_cancellable_disconnect (deadline->user, deadline->forwarding);
      g_object_unref (deadline->user);
    }
  g_object_unref (deadline->cancellable);
  g_mutex_clear (&deadline->mutex);
  g_cond_clear (&deadline->cond);
  g_free (deadline);
}

GCancellable *
scope_deadline_get_cancellable (const ScopeDeadline *deadline)
{
  return deadline->cancellable;
}
