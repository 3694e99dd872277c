/* worker.c — threads that compute beside the main loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/worker.h"

#include <sys/resource.h>

/* A main loop that shares a processor with a worker then gets three parts of four.  Not more: it
 * may have to wait for a lock that a worker holds, as that of malloc(). */
#define NICE 5

void
scope_worker_lower_priority (void)
{
#ifdef __linux__
  static _Thread_local gboolean has_stepped_back;

  /* Linux has a priority for each thread, and 0 is the one that calls.  Elsewhere it would be
   * that of the whole process, main loop and all. */
  if (!has_stepped_back)
    setpriority (PRIO_PROCESS, 0, NICE);
  has_stepped_back = TRUE;
#endif
}

typedef struct
{
  GTaskThreadFunc function;
} Call;

static GQuark
call_quark (void)
{
  return g_quark_from_static_string ("scope-worker-call");
}

static void
run (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Call *call = g_object_get_qdata (G_OBJECT (task), call_quark ());

  scope_worker_lower_priority ();
  call->function (task, source, data, cancellable);
}

void
scope_worker_run (GTask *task, GTaskThreadFunc function)
{
  Call *call = g_new (Call, 1);

  call->function = function;
  g_object_set_qdata_full (G_OBJECT (task), call_quark (), call, g_free);
  g_task_run_in_thread (task, run);
}

typedef struct
{
  gpointer       data;
  GDestroyNotify destroy;
} Waste;

static void
run_free (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  Waste *waste = data;

  waste->destroy (waste->data);
  g_free (waste);
}

/* The thread does not step back, and is nobody else's: it holds malloc()'s locks most of the time,
 * and whoever waits for them waits for it. */
void
scope_worker_free (gpointer data, GDestroyNotify destroy)
{
  static gsize pool;
  Waste       *waste;

  if (!data)
    return;
  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, (gsize) g_thread_pool_new (run_free, NULL, 1, TRUE, NULL));
  waste = g_new (Waste, 1);
  *waste = (Waste){ data, destroy };
  g_thread_pool_push ((GThreadPool *) pool, waste, NULL);
}
