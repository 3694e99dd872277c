/* layout-worker.c — the thread that lays out graphs; run_layout() is its main function.
 *
 * Its result is returned to the main loop through a GTask.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/layout-worker.h"

#include "app/process/worker.h"

typedef struct
{
  VizDiagram *diagram;
  VizFolds   *folds;
  char       *layout;
  VizPoint    page;
  VizPicture *previous;

  VizDirection direction;
} LayoutJob;

static void
layout_job_free (gpointer data)
{
  LayoutJob *job = data;

  g_clear_pointer (&job->folds, viz_folds_free);
  scope_worker_free (g_steal_pointer (&job->previous), (GDestroyNotify) viz_picture_unref);
  viz_diagram_unref (job->diagram);
  g_free (job->layout);
  g_free (job);
}

static void
run_layout (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GTask) task = data;
  const LayoutJob *job = g_task_get_task_data (task);
  VizLayoutOptions options = { .layout = job->layout,
                               .page = job->page,
                               .detail = VIZ_DETAIL_AUTO,
                               .direction = job->direction,
                               .previous = job->previous };
  GError          *error = NULL;
  VizPicture      *picture;

  scope_worker_lower_priority ();
  if (g_task_return_error_if_cancelled (task))
    return;
  picture = viz_layout_diagram (job->diagram, job->folds, &options, g_task_get_cancellable (task),
                                &error);
  if (picture)
    g_task_return_pointer (task, picture, (GDestroyNotify) viz_picture_unref);
  else if (error)
    g_task_return_error (task, error);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
}

void
scope_layout_async (const ScopeLayoutRequest *request,
                    GCancellable             *cancellable,
                    GAsyncReadyCallback       callback,
                    gpointer                  user_data)
{
  static GThreadPool *thread;
  GTask              *task = g_task_new (NULL, cancellable, callback, user_data);
  LayoutJob          *job = g_new0 (LayoutJob, 1);

  if (!thread)
    thread = g_thread_pool_new (run_layout, NULL, 1, TRUE, NULL);
  job->diagram = viz_diagram_ref (request->diagram);
  job->folds = request->folds ? viz_folds_copy (request->folds) : NULL;
  job->layout = g_strdup (request->layout);
  job->direction = request->direction;
  job->page = request->page.x > 0 && request->page.y > 0
                  ? request->page
                  : (VizPoint){ VIZ_PAGE_WIDTH, VIZ_PAGE_HEIGHT };
  job->previous = request->previous ? viz_picture_ref (request->previous) : NULL;
  g_task_set_task_data (task, job, layout_job_free);
  g_thread_pool_push (thread, task, NULL);
}

VizPicture *
scope_layout_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
