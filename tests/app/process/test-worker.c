/* test-worker.c — workers run at lower priority, no other thread does, and widgets are finalised in the main thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/worker.h"
#include "tests/program.h"

#include <sys/resource.h>

#define N_TASKS 20

static void
return_priority (GTask *task, gpointer data G_GNUC_UNUSED)
{
  g_task_return_int (task, getpriority (PRIO_PROCESS, 0));
}

static void
return_priority_of_pool (GTask                    *task,
                         gpointer source           G_GNUC_UNUSED,
                         gpointer                  data,
                         GCancellable *cancellable G_GNUC_UNUSED)
{
  return_priority (task, data);
}

static void
on_done (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  GArray *priorities = data;
  int     priority = (int) g_task_propagate_int (G_TASK (result), NULL);

  g_array_append_val (priorities, priority);
}

/* The priorities of the threads that run N_TASKS tasks at once.  (transfer full) */
static GArray *
run_tasks (gboolean in_workers)
{
  GArray *priorities = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < N_TASKS; i++)
    {
      g_autoptr (GTask) task = g_task_new (NULL, NULL, on_done, priorities);

      if (in_workers)
        scope_worker_run (task, return_priority);
      else
        g_task_run_in_thread (task, return_priority_of_pool);
    }
  while (priorities->len < N_TASKS)
    g_main_context_iteration (NULL, TRUE);
  return priorities;
}

static void
test_priorities (void)
{
#ifdef __linux__
  int own = getpriority (PRIO_PROCESS, 0);
  g_autoptr (GArray) workers = run_tasks (TRUE);
  g_autoptr (GArray) others = run_tasks (FALSE);

  for (guint i = 0; i < N_TASKS; i++)
    {
      g_assert_cmpint (g_array_index (workers, int, i), >=, own);
      g_assert_cmpint (g_array_index (others, int, i), ==, own);
    }
  g_assert_cmpint (own >= 5 || g_array_index (workers, int, 0) > own, ==, TRUE);
#else
  g_test_skip ("threads have no priority of their own here");
#endif
}

/* --- What a task holds --- */

/* A source of tasks, and how far both threads are. */
typedef struct
{
  GMutex   lock;
  GCond    changed;
  gboolean is_returned; /* guarded by lock: the main thread has let go of the task */
  GThread *finalised_in;
} Held;

static void
on_finalised (gpointer data, GObject *source G_GNUC_UNUSED)
{
  ((Held *) data)->finalised_in = g_thread_self ();
}

/* Returns early, and ends when the main thread has dropped what it holds. */
static void
return_early (GTask *task, gpointer data)
{
  Held *held = data;

  g_task_return_boolean (task, TRUE);
  g_mutex_lock (&held->lock);
  while (!held->is_returned)
    g_cond_wait (&held->changed, &held->lock);
  g_mutex_unlock (&held->lock);
}

static void
on_returned (GObject *source G_GNUC_UNUSED, GAsyncResult *result G_GNUC_UNUSED, gpointer data)
{
  *(gboolean *) data = TRUE;
}

static void
test_last_reference (void)
{
  Held     held = { 0 };
  gboolean is_returned = FALSE;
  GObject *source = g_object_new (G_TYPE_OBJECT, NULL);
  GTask   *task = g_task_new (source, NULL, on_returned, &is_returned);

  g_object_weak_ref (source, on_finalised, &held);
  g_task_set_task_data (task, &held, NULL);
  scope_worker_run (task, return_early);
  g_object_unref (task);
  g_object_unref (source);
  while (!is_returned)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_null (held.finalised_in);
  g_mutex_lock (&held.lock);
  held.is_returned = TRUE;
  g_cond_signal (&held.changed);
  g_mutex_unlock (&held.lock);
  while (!g_atomic_pointer_get (&held.finalised_in))
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (held.finalised_in == g_thread_self ());
}

TEST_PROGRAM (test_worker)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/worker/only-workers-have-a-lower-priority", test_priorities);
  g_test_add_func ("/app/worker/the-main-thread-drops-the-last-reference", test_last_reference);
  return g_test_run ();
}
