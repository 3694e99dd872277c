/* test-worker.c — workers run at lower priority, and no other thread does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/worker.h"
#include "tests/program.h"

#include <sys/resource.h>

#define N_TASKS 20

static void
return_priority (GTask                    *task,
                 gpointer source           G_GNUC_UNUSED,
                 gpointer data             G_GNUC_UNUSED,
                 GCancellable *cancellable G_GNUC_UNUSED)
{
  g_task_return_int (task, getpriority (PRIO_PROCESS, 0));
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
run_tasks (void (*run_in_thread) (GTask *task, GTaskThreadFunc function))
{
  GArray *priorities = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < N_TASKS; i++)
    {
      g_autoptr (GTask) task = g_task_new (NULL, NULL, on_done, priorities);

      run_in_thread (task, return_priority);
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
  g_autoptr (GArray) workers = run_tasks (scope_worker_run);
  g_autoptr (GArray) others = run_tasks (g_task_run_in_thread);

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

TEST_PROGRAM (test_worker)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/worker/only-workers-have-a-lower-priority", test_priorities);
  return g_test_run ();
}
