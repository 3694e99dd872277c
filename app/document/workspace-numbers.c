/* workspace-numbers.c — numbers of the user by node name: reads them, finds their nodes, paints them.
 *
 * All three in workers.  Start reading with scope_workspace_open_numbers_async().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/worker.h"
#include "engine/base/error.h"
#include "engine/formats/file.h"

#include <glib/gi18n.h>

typedef struct
{
  char          *path;
  ScopeDocument *document;
  guint          number; /* of the request */
} OpenJob;

static void
open_job_free (gpointer data)
{
  OpenJob *job = data;

  scope_document_unref (job->document);
  g_free (job->path);
  g_free (job);
}

static void
open_in_worker (GTask *task, gpointer data)
{
  const OpenJob   *job = data;
  GError          *error = NULL;
  g_autofree char *name = g_path_get_basename (job->path);
  g_autoptr (GBytes) bytes = hyb_file_read (job->path, HYB_FILE_TEXT_LIMIT, &error);
  g_autoptr (ScopeNodeData) numbers = bytes ? scope_node_data_read (bytes, name, &error) : NULL;
  ScopeHeatCount count;

  if (!numbers)
    {
      g_task_return_error (task, error);
      return;
    }
  scope_node_data_count (numbers, scope_document_get_places (job->document), &count);
  if (count.n_found == 0)
    g_task_return_new_error (task, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH,
                             _ ("%s: none of its %u names is a node of this model"), name,
                             count.n_executed);
  else
    g_task_return_pointer (task, g_steal_pointer (&numbers),
                           (GDestroyNotify) scope_node_data_unref);
}

void
scope_workspace_open_numbers_async (ScopeWorkspace     *self,
                                    const char         *path,
                                    GAsyncReadyCallback callback,
                                    gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);
  OpenJob *job;

  g_return_if_fail (self->document);
  job = g_new0 (OpenJob, 1);
  *job = (OpenJob){ g_strdup (path), scope_document_ref (self->document), ++self->n_numbers };
  g_task_set_task_data (task, job, open_job_free);
  scope_worker_run (task, open_in_worker);
}

gboolean
scope_workspace_open_numbers_finish (ScopeWorkspace *self, GAsyncResult *result, GError **error)
{
  const OpenJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) failure = NULL;
  ScopeNodeData *numbers = g_task_propagate_pointer (G_TASK (result), &failure);

  /* Another file was requested since, or another model was opened. */
  if (job->number != self->n_numbers || job->document != self->document)
    {
      g_clear_pointer (&numbers, scope_node_data_unref);
      return TRUE;
    }
  if (!numbers)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  g_clear_pointer (&self->numbers, scope_node_data_unref);
  self->numbers = numbers;
  g_free (self->numbers_path);
  self->numbers_path = g_strdup (job->path);
  if (scope_node_data_n_skipped (numbers) > 0)
    scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT,
                         _ ("%s: %u members are not finite numbers, and are left out"),
                         scope_node_data_title (numbers), scope_node_data_n_skipped (numbers));
  scope_workspace_emit (self, SCOPE_SIGNAL_NUMBERS);
  return TRUE;
}

void
scope_workspace_remove_numbers (ScopeWorkspace *self)
{
  self->n_numbers++;
  if (!self->numbers)
    return;
  g_clear_pointer (&self->numbers, scope_node_data_unref);
  g_clear_pointer (&self->numbers_path, g_free);
  scope_workspace_emit (self, SCOPE_SIGNAL_NUMBERS);
}

/* --- Painting --- */

typedef struct
{
  ScopeNodeData *numbers;
  ScopeDocument *document;
  VizScale       scale;
} PaintJob;

static void
paint_job_free (gpointer data)
{
  PaintJob *job = data;

  scope_node_data_unref (job->numbers);
  scope_document_unref (job->document);
  g_free (job);
}

static void
paint_in_worker (GTask *task, gpointer data)
{
  const PaintJob          *job = data;
  ScopeHeatCount           count;
  const ScopeNodeDataPaint paint = { .diagram = scope_document_get_diagram (job->document),
                                     .places = scope_document_get_places (job->document),
                                     .scale = job->scale,
                                     .names_file = TRUE };

  if (g_task_return_error_if_cancelled (task))
    return;
  g_task_return_pointer (task, scope_node_data_paint (job->numbers, &paint, &count),
                         (GDestroyNotify) viz_overlay_unref);
}

void
scope_workspace_paint_numbers_async (ScopeWorkspace     *self,
                                     VizScale            scale,
                                     GCancellable       *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  PaintJob *job;

  g_return_if_fail (self->document && self->numbers);
  job = g_new0 (PaintJob, 1);
  *job =
      (PaintJob){ scope_node_data_ref (self->numbers), scope_document_ref (self->document), scale };
  g_task_set_task_data (task, job, paint_job_free);
  scope_worker_run (task, paint_in_worker);
}
