/* time-limit.c — a thread that waits and cancels, unless the work is done before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/time-limit.h"

#include "engine/base/error.h"

struct _ScopeTimeLimit
{
  double        seconds;
  GCancellable *cancellable;
  GThread      *thread;
  GMutex        lock;
  GCond         changed;
  gboolean      is_done; /* guarded by lock */
};

static gpointer
wait_and_cancel (gpointer data)
{
  ScopeTimeLimit *limit = data;
  gint64          end = g_get_monotonic_time () + (gint64) (limit->seconds * G_USEC_PER_SEC);
  gboolean        is_over = FALSE;

  g_mutex_lock (&limit->lock);
  while (!limit->is_done && !is_over)
    is_over = !g_cond_wait_until (&limit->changed, &limit->lock, end);
  is_over = is_over && !limit->is_done;
  g_mutex_unlock (&limit->lock);
  if (is_over)
    g_cancellable_cancel (limit->cancellable);
  return NULL;
}

ScopeTimeLimit *
scope_time_limit_new (double seconds)
{
  ScopeTimeLimit *limit;

  if (!(seconds > 0))
    return NULL;
  limit = g_new0 (ScopeTimeLimit, 1);
  limit->seconds = MIN (seconds, 1e9);
  limit->cancellable = g_cancellable_new ();
  g_mutex_init (&limit->lock);
  g_cond_init (&limit->changed);
  limit->thread = g_thread_new ("time limit", wait_and_cancel, limit);
  return limit;
}

void
scope_time_limit_free (ScopeTimeLimit *limit)
{
  if (!limit)
    return;
  g_mutex_lock (&limit->lock);
  limit->is_done = TRUE;
  g_cond_signal (&limit->changed);
  g_mutex_unlock (&limit->lock);
  g_thread_join (limit->thread);
  g_mutex_clear (&limit->lock);
  g_cond_clear (&limit->changed);
  g_object_unref (limit->cancellable);
  g_free (limit);
}

GCancellable *
scope_time_limit_get_cancellable (ScopeTimeLimit *limit)
{
  return limit ? limit->cancellable : NULL;
}

void
scope_time_limit_explain (const ScopeTimeLimit *limit, GError **error)
{
  if (!limit || !error || !*error || !g_cancellable_is_cancelled (limit->cancellable))
    return;
  g_clear_error (error);
  hyb_error_at (error,
                HYB_OP_ERROR,
                HYB_OP_ERROR_UNSUPPORTED,
                NULL,
                "Raise it with --time-limit",
                "the run was stopped after %g seconds, the limit",
                limit->seconds);
}
