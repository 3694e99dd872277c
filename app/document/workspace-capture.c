/* workspace-capture.c — reads a capture in a worker and attaches it to the open document.
 *
 * A capture of which fewer than half of the rows find a node in the document belongs to another
 * model and is refused.  Start reading with scope_workspace_open_capture().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/worker.h"

#include <glib/gi18n.h>

#define MIN_MATCHED 0.5

typedef struct
{
  char          *path;
  ScopeDocument *document;
  guint          number; /* of the request */
} CaptureJob;

static void
capture_job_free (gpointer data)
{
  CaptureJob *job = data;

  scope_document_unref (job->document);
  g_free (job->path);
  g_free (job);
}

static void
open_capture_in_worker (GTask *task, gpointer data)
{
  const CaptureJob *job = data;
  GError           *error = NULL;
  ScopeMeasurement *measurement = scope_measurement_open (job->path, job->document, &error);

  scope_task_return (task, measurement, (GDestroyNotify) scope_measurement_unref, error);
}

static void
capture_opened_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ScopeWorkspace   *self = data; /* kept alive by the task */
  const CaptureJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeMeasurement) measurement = g_task_propagate_pointer (G_TASK (result), &error);
  g_autofree char *name = g_path_get_basename (job->path);
  const char      *missing;

  /* Another model or another capture was opened since. */
  if (job->document != self->document || job->number != self->n_captures)
    return;
  if (!measurement)
    {
      scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
      scope_workspace_report_problem (self, error->message);
      return;
    }
  if (scope_measurement_get_matched (measurement) < MIN_MATCHED)
    {
      g_autofree char *text =
          g_strdup_printf (_ ("%s was measured on another model: %.0f %% of its nodes are in this "
                              "one. Its costs are not shown. Open the capture in a tab of its "
                              "own."),
                           name, 100 * scope_measurement_get_matched (measurement));

      scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
      return;
    }
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  self->measurement = g_steal_pointer (&measurement);
  g_free (self->capture_path);
  self->capture_path = g_strdup (job->path);
  scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("Costs from %s"), name);
  missing = prof_capture_get_missing (scope_measurement_get_capture (self->measurement));
  if (missing)
    {
      g_autofree char *text = g_strdup_printf ("%s: %s", name, missing);

      scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
    }
  scope_workspace_reset_focus (self);
  scope_workspace_emit (self, SCOPE_SIGNAL_CAPTURE);
}

void
scope_workspace_check_capture (ScopeWorkspace *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->measurement || scope_measurement_check_file (self->measurement, &error))
    return;
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  g_clear_pointer (&self->capture_path, g_free);
  scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
  scope_workspace_report_problem (self, error->message);
  scope_workspace_reset_focus (self);
  scope_workspace_emit (self, SCOPE_SIGNAL_CAPTURE);
}

/* --- One run --- */

typedef struct
{
  ScopeMeasurement *measurement;
  int               run;
  guint             number; /* of the request */
} PickJob;

static void
pick_job_free (gpointer data)
{
  PickJob *job = data;

  scope_measurement_unref (job->measurement);
  g_free (job);
}

static void
pick_in_worker (GTask *task, gpointer data)
{
  const PickJob *job = data;

  g_task_return_pointer (task, scope_measurement_pick_run (job->measurement, job->run),
                         (GDestroyNotify) scope_measurement_unref);
}

static void
picked_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ScopeWorkspace   *self = data; /* kept alive by the task */
  const PickJob    *job = g_task_get_task_data (G_TASK (result));
  ScopeMeasurement *picked = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!picked)
    return;
  /* Another run was picked since, or another capture is shown. */
  if (job->number != self->n_picks || !self->measurement ||
      scope_measurement_get_capture (job->measurement) !=
          scope_measurement_get_capture (self->measurement))
    {
      scope_measurement_unref (picked);
      return;
    }
  scope_measurement_unref (self->measurement);
  self->measurement = picked;
  scope_workspace_emit (self, SCOPE_SIGNAL_CAPTURE);
}

void
scope_workspace_pick_run (ScopeWorkspace *self, int number)
{
  g_autoptr (GTask) task = NULL;
  PickJob *job;

  self->n_picks++;
  if (!self->measurement || scope_measurement_get_run (self->measurement) == number)
    return;
  job = g_new0 (PickJob, 1);
  *job = (PickJob){ scope_measurement_ref (self->measurement), number, self->n_picks };
  task = g_task_new (self, NULL, picked_cb, self);
  g_task_set_task_data (task, job, pick_job_free);
  scope_worker_run (task, pick_in_worker);
}

void
scope_workspace_open_capture (ScopeWorkspace *self, const char *path)
{
  g_autoptr (GTask) task = NULL;
  CaptureJob *job;

  if (!self->document)
    return;
  job = g_new0 (CaptureJob, 1);
  job->path = g_strdup (path);
  job->document = scope_document_ref (self->document);
  job->number = ++self->n_captures;
  task = g_task_new (self, NULL, capture_opened_cb, self);
  g_task_set_task_data (task, job, capture_job_free);
  scope_worker_run (task, open_capture_in_worker);
}
