/* workspace-open.c — opens a model in a worker, and again when its file changes.
 *
 * The open document stays until the new one is complete, so that a half-written file never empties
 * the window.  Start reading with scope_workspace_open(); on_settled() decides about reloading.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/worker.h"
#include "app/session/settings.h"
#include "engine/formats/file.h"
#include "profiler/capture/capture.h"

#include <glib/gi18n.h>

/* How long a changed file must stay unchanged before it is read again. */
#define SETTLE_MS 300

typedef struct
{
  char  *path;
  char  *params;
  char **shapes;
} OpenJob;

static void
open_job_free (gpointer data)
{
  OpenJob *job = data;

  g_free (job->path);
  g_free (job->params);
  g_strfreev (job->shapes);
  g_free (job);
}

/* Writes the model inside a capture to a file that the readers can open.  NULL and an error: the
 * capture cannot be read, or holds no model. */
static char *
unpack_capture (const char *path, GError **error)
{
  g_autoptr (ProfCapture) capture = prof_capture_open (path, error);
  g_autoptr (GBytes) symbol = capture ? prof_capture_dup_symbol (capture, error) : NULL;
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "unpacked", NULL);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_strconcat (base, "-symbol.json", NULL);
  g_autofree char *unpacked = g_build_filename (folder, name, NULL);
  gconstpointer    data;
  gsize            size;

  if (!symbol)
    return NULL;
  g_mkdir_with_parents (folder, 0700);
  data = g_bytes_get_data (symbol, &size);
  if (!hyb_file_replace_contents (unpacked, data, size, error))
    return NULL;
  return g_steal_pointer (&unpacked);
}

static void
open_in_worker (GTask *task, gpointer data)
{
  GCancellable    *cancellable = g_task_get_cancellable (task);
  const OpenJob   *job = data;
  GError          *error = NULL;
  ScopeDocument   *document = NULL;
  g_autofree char *path = g_str_has_suffix (job->path, ".hscope")
                              ? unpack_capture (job->path, &error)
                              : g_strdup (job->path);

  if (path)
    document = scope_document_open (path, job->params, (const char *const *) job->shapes,
                                    cancellable, &error);

  scope_task_return (task, document, (GDestroyNotify) scope_document_unref, error);
}

static void
log_findings (ScopeWorkspace *self)
{
  GPtrArray  *findings = scope_document_get_findings (self->document);
  const char *params = scope_document_get_params (self->document);

  if (params)
    {
      g_autofree char *name = g_path_get_basename (params);

      scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("Parameters from %s"), name);
    }
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      scope_workspace_log (self, (ScopeLogLevel) finding->severity,
                           scope_document_find_name (self->document, finding->node), "%s",
                           finding->message);
    }
}

/* document: (transfer full) */
static void
adopt_document (ScopeWorkspace *self, ScopeDocument *document)
{
  g_autofree char *name = NULL;

  /* A reload keeps the selection if the new diagram has a box with the same id. */
  if (self->document && self->selected != VIZ_ROOT)
    {
      VizDiagram *before = scope_document_get_diagram (self->document);

      name = g_strdup (viz_diagram_box (before, self->selected)->id);
    }
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  g_array_set_size (self->focus, 0);
  self->is_focus_chosen = FALSE;
  g_clear_pointer (&self->document, scope_document_unref);
  scope_workspace_clear_values (self);
  self->step = (ScopeStepPath){ 0 };
  self->document = document;
  scope_workspace_update_shapes (self);
  self->hovered = VIZ_ROOT;
  self->selected = VIZ_ROOT;
  g_clear_pointer (&self->error, g_free);
  scope_workspace_emit (self, SCOPE_SIGNAL_DOCUMENT);
  scope_workspace_set_state (self, SCOPE_STATE_READY);
  if (self->capture_path) /* nodes that are still there keep their costs */
    scope_workspace_open_capture (self, self->capture_path);
  if (name)
    scope_workspace_select (self,
                            viz_diagram_find_id (scope_document_get_diagram (document), name));
}

void
scope_workspace_show_document (ScopeWorkspace *self, ScopeDocument *document)
{
  if (document)
    {
      adopt_document (self, scope_document_ref (document));
      return;
    }
  g_clear_pointer (&self->document, scope_document_unref);
  scope_workspace_update_shapes (self);
  self->hovered = self->selected = VIZ_ROOT;
  scope_workspace_emit (self, SCOPE_SIGNAL_DOCUMENT);
  scope_workspace_set_state (self, SCOPE_STATE_EMPTY);
}

static void watch (ScopeWorkspace *self, GFile *file);

static void
show_error (ScopeWorkspace *self, const GError *error)
{
  g_free (self->error);
  self->error = g_strdup (error->message);
  self->error_remedy = hyb_error_get_remedy (error);
  scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
  scope_workspace_set_state (self, SCOPE_STATE_FAILED);
}

void
scope_workspace_check_files (gpointer data)
{
  ScopeWorkspace *self = data;
  g_autoptr (GError) error = NULL;

  if (self->document && self->state == SCOPE_STATE_READY &&
      !scope_document_check_files (self->document, &error))
    show_error (self, error);
  scope_workspace_check_capture (self);
}

static void
opened_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ScopeWorkspace *self = data; /* kept alive by the task */
  g_autoptr (GError) error = NULL;
  ScopeDocument *document = g_task_propagate_pointer (G_TASK (result), &error);
  gboolean       is_newest = g_task_get_cancellable (G_TASK (result)) == self->opening;

  if (is_newest)
    g_clear_object (&self->opening);
  if (document && is_newest)
    {
      g_autofree char *name = g_file_get_basename (self->file);

      if (g_str_has_suffix (name, ".hscope") && !self->capture_path)
        self->capture_path = g_file_get_path (self->file);
      adopt_document (self, document);
      scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("Opened %s: %u nodes"), name,
                           scope_document_get_totals (document)->n_nodes);
      log_findings (self);
      watch (self, self->file);
      return;
    }
  g_clear_pointer (&document, scope_document_unref);
  if (!is_newest || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  /* Keeps the document, because the file may be only half written. */
  show_error (self, error);
}

/* Differs after every change of the file; NULL: there is no such file.  (transfer full) */
static char *
dup_etag (GFile *file)
{
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_ETAG_VALUE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  return info ? g_strdup (g_file_info_get_etag (info)) : NULL;
}

static void
start_opening (ScopeWorkspace *self)
{
  g_autoptr (GTask) task = NULL;
  OpenJob *job;

  scope_workspace_cancel (self);
  g_free (self->etag);
  self->etag = dup_etag (self->file);
  self->opening = g_cancellable_new ();
  job = g_new0 (OpenJob, 1);
  job->path = g_file_get_path (self->file);
  job->params = g_strdup (self->params);
  job->shapes = scope_workspace_join_shapes (self);
  scope_workspace_set_state (self, SCOPE_STATE_LOADING);

  task = g_task_new (self, self->opening, opened_cb, self);
  g_task_set_task_data (task, job, open_job_free);
  scope_worker_run (task, open_in_worker);
}

char *
scope_workspace_dup_title (GFile *file)
{
  char *base = g_file_get_basename (file);

  for (const char *const *ending =
           (const char *const[]){ ".gz", ".json", "-symbol", ".hscope", NULL };
       *ending != NULL; ending++)
    if (g_str_has_suffix (base, *ending) && !g_str_equal (base, *ending))
      base[strlen (base) - strlen (*ending)] = '\0';
  return base;
}

void
scope_workspace_open (ScopeWorkspace *self, GFile *file, const char *params)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *title = scope_workspace_dup_title (file);

  g_set_object (&self->file, file);
  g_free (self->params);
  self->params = g_strdup (params);
  scope_workspace_set_title (self, title);
  if (!path)
    {
      g_free (self->error);
      self->error =
          g_strdup_printf (_ ("%s has no local path. Copy it to this computer and open the copy."),
                           title);
      scope_workspace_set_state (self, SCOPE_STATE_FAILED);
      return;
    }
  start_opening (self);
}

void
scope_workspace_reload (ScopeWorkspace *self)
{
  if (self->file)
    start_opening (self);
}

void
scope_workspace_cancel (ScopeWorkspace *self)
{
  if (!self->opening)
    return;
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  if (self->document)
    scope_workspace_set_state (self, SCOPE_STATE_READY);
}

/* --- Watching --- */

static gboolean
on_settled (gpointer data)
{
  ScopeWorkspace  *self = data;
  g_autofree char *etag = dup_etag (self->file);

  self->reload_timeout = 0;
  if (!etag)
    {
      g_autofree char *name = g_file_get_basename (self->file);
      g_autofree char *text =
          g_strdup_printf (_ ("%s was deleted or moved. The model stays open as it was read, and "
                              "is read again when the file returns."),
                           name);

      g_clear_pointer (&self->etag, g_free);
      scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
      return G_SOURCE_REMOVE;
    }
  /* Events from before the last reading may arrive late. */
  if (g_strcmp0 (etag, self->etag) == 0 && self->state == SCOPE_STATE_READY)
    return G_SOURCE_REMOVE;
  if (self->state != SCOPE_STATE_FAILED && !scope_settings_get_flag ("reread", TRUE))
    {
      scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT,
                           _ ("The file changed. Use Reload to show its new contents."));
      return G_SOURCE_REMOVE;
    }
  scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT,
                       _ ("The file changed and is being reloaded"));
  scope_workspace_reload (self);
  return G_SOURCE_REMOVE;
}

static void
on_file_changed (GFileMonitor *monitor G_GNUC_UNUSED,
                 GFile *file           G_GNUC_UNUSED,
                 GFile *other          G_GNUC_UNUSED,
                 GFileMonitorEvent     event,
                 gpointer              data)
{
  ScopeWorkspace *self = data;

  if (event == G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED)
    return;
  g_clear_handle_id (&self->reload_timeout, g_source_remove);
  self->reload_timeout = g_timeout_add (SETTLE_MS, on_settled, self);
}

static void
end_monitor (gpointer monitor)
{
  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

static void
watch_in_worker (GTask *task, gpointer data)
{
  GError       *error = NULL;
  GFileMonitor *monitor = g_file_monitor_file (data, G_FILE_MONITOR_WATCH_MOVES, NULL, &error);

  scope_task_return (task, monitor, end_monitor, error);
}

static void
watching_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ScopeWorkspace *self = data; /* kept alive by the task */
  GFileMonitor   *monitor = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->watching)
    {
      scope_worker_free (monitor, end_monitor);
      return;
    }
  g_clear_object (&self->watching);
  self->monitor = monitor;
  if (monitor)
    g_signal_connect (monitor, "changed", G_CALLBACK (on_file_changed), self);
}

void
scope_workspace_unwatch (ScopeWorkspace *self)
{
  g_clear_handle_id (&self->reload_timeout, g_source_remove);
  g_clear_object (&self->watched);
  g_clear_object (&self->watching);
  if (self->monitor)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      scope_worker_free (g_steal_pointer (&self->monitor), end_monitor);
    }
}

/* In a worker, because the kernel may block for 0.1 s when an inotify watch is added or removed. */
static void
watch (ScopeWorkspace *self, GFile *file)
{
  g_autoptr (GTask) task = NULL;

  g_clear_handle_id (&self->reload_timeout, g_source_remove);
  if (self->watched && g_file_equal (file, self->watched))
    return;
  scope_workspace_unwatch (self);
  self->watched = g_object_ref (file);
  self->watching = g_cancellable_new ();
  task = g_task_new (self, self->watching, watching_cb, self);
  g_task_set_task_data (task, g_object_ref (file), g_object_unref);
  scope_worker_run (task, watch_in_worker);
}
