/* worker.c — threads that compute at lower priority than the main loop.
 *
 * scope_worker_run() is for computing, scope_worker_free() for freeing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/worker.h"

#include <sys/resource.h>

/* With nice 5 the main loop gets three quarters of a processor that it shares with a worker.  A higher value
 * would make it wait longer for locks that workers hold, such as those of malloc(). */
#define WORKER_NICE 5
#define N_WORKERS   8

void
scope_worker_lower_priority (void)
{
#ifdef __linux__
  static _Thread_local gboolean is_lowered;

  /* On Linux, 0 means the calling thread; elsewhere the whole process. */
  if (!is_lowered)
    setpriority (PRIO_PROCESS, 0, WORKER_NICE);
  is_lowered = TRUE;
#endif
}

typedef struct
{
  GTask          *task; /* owned */
  ScopeWorkerFunc function;
} Call;

static gboolean
drop_task (gpointer task)
{
  g_object_unref (task);
  return G_SOURCE_REMOVE;
}

static void
run (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  Call *call = data;

  scope_worker_lower_priority ();
  call->function (call->task, g_task_get_task_data (call->task));
  /* In the main thread: with the task goes its source, which may be a widget that was destroyed meanwhile. */
  g_idle_add_full (G_PRIORITY_DEFAULT, drop_task, call->task, NULL);
  g_free (call);
}

/* A thread cannot get its priority back, so these threads run nothing else: threads of GTask and of other
 * pools are shared with the whole program. */
void
scope_worker_run (GTask *task, ScopeWorkerFunc function)
{
  static gsize pool;
  Call        *call = g_new (Call, 1);

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, (gsize) g_thread_pool_new (run, NULL, N_WORKERS, TRUE, NULL));
  *call = (Call){ g_object_ref (task), function };
  g_thread_pool_push ((GThreadPool *) pool, call, NULL);
}

void
scope_task_return (GTask *task, gpointer result, GDestroyNotify destroy, GError *error)
{
  if (result)
    g_task_return_pointer (task, result, destroy);
  else
    g_task_return_error (task, error);
}

typedef struct
{
  gpointer       data;
  GDestroyNotify destroy;
} FreeJob;

static void
run_free (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  FreeJob *job = data;

  job->destroy (job->data);
  g_free (job);
}

/* This thread keeps the normal priority: it holds malloc()'s locks most of the time, and other threads wait
 * for them. */
void
scope_worker_free (gpointer data, GDestroyNotify destroy)
{
  static gsize pool;
  FreeJob     *job;

  if (!data)
    return;
  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, (gsize) g_thread_pool_new (run_free, NULL, 1, TRUE, NULL));
  job = g_new (FreeJob, 1);
  *job = (FreeJob){ data, destroy };
  g_thread_pool_push ((GThreadPool *) pool, job, NULL);
}
