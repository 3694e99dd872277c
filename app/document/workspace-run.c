/* workspace-run.c — runs in a child process, and captures that it leaves.
 *
 * The child tells its progress as a JSON line per event on stderr; other lines are
 * for the log.  Stopping is a signal: the first lets it keep what it has, the
 * second ends it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/child.h"
#include "app/process/worker.h"

#include <cjson/cJSON.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>

/* How long a child that has ended may still be heard. */
#define LAST_WORDS_MS 1000

/* --- Captures --- */

typedef struct
{
  char          *path;
  ScopeDocument *document;
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
open_capture_in_worker (GTask                    *task,
                        gpointer source           G_GNUC_UNUSED,
                        gpointer                  data,
                        GCancellable *cancellable G_GNUC_UNUSED)
{
  const CaptureJob *job = data;
  GError           *error = NULL;
  ScopeMeasurement *measurement = scope_measurement_open (job->path, job->document, &error);

  if (measurement)
    g_task_return_pointer (task, measurement, (GDestroyNotify) scope_measurement_unref);
  else
    g_task_return_error (task, error);
}

static void
capture_opened_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeWorkspace   *self = SCOPE_WORKSPACE (source);
  const CaptureJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeMeasurement) measurement = g_task_propagate_pointer (G_TASK (result), &error);
  g_autofree char *name = g_path_get_basename (job->path);

  if (!measurement)
    {
      scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
      scope_workspace_report_problem (self, error->message);
      return;
    }
  if (job->document != self->document) /* another model was opened meanwhile */
    return;
  if (scope_measurement_get_matched (measurement) < 0.5)
    {
      g_autofree char *text =
          g_strdup_printf (_ ("%s was measured on another model; its costs are not shown here"),
                           name);

      scope_workspace_log (self, SCOPE_LOG_WARNING, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
      return;
    }
  g_clear_pointer (&self->measurement, scope_measurement_unref);
  self->measurement = g_steal_pointer (&measurement);
  g_free (self->capture_path);
  self->capture_path = g_strdup (job->path);
  scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("Costs from %s"), name);
  scope_workspace_emit (self, SCOPE_SIGNAL_CAPTURE);
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
  task = g_task_new (self, NULL, capture_opened_cb, NULL);
  g_task_set_task_data (task, job, capture_job_free);
  scope_worker_run (task, open_capture_in_worker);
}

ScopeMeasurement *
scope_workspace_get_measurement (ScopeWorkspace *self)
{
  return self->measurement;
}

const char *
scope_workspace_get_capture_path (ScopeWorkspace *self)
{
  return self->capture_path;
}

/* --- What the child says --- */

static double
get_number (const cJSON *json, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (json, key);

  return cJSON_IsNumber (item) ? item->valuedouble : NAN;
}

static void
hear_progress (ScopeWorkspace *self, const cJSON *json)
{
  const char *phase = cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, "phase"));
  double      elapsed = get_number (json, "elapsed"), remaining = get_number (json, "remaining");

  g_free (self->phase);
  if (isfinite (remaining) && remaining >= 1)
    self->phase = g_strdup_printf (_ ("%s, at most %.0f s left"), phase ? phase : "", remaining);
  else
    self->phase = g_strdup (phase ? phase : "");
  if (isfinite (elapsed) && isfinite (remaining) && elapsed + remaining > 0)
    scope_workspace_set_progress (self, elapsed / (elapsed + remaining));
}

static void
hear_line (ScopeWorkspace *self, const char *line)
{
  cJSON      *json = *line == '{' ? cJSON_Parse (line) : NULL;
  const char *event = cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, "event"));

  if (g_strcmp0 (event, "progress") == 0)
    hear_progress (self, json);
  else if (!json && *line != '\0')
    {
      gboolean is_error = g_str_has_prefix (line, "error:");

      scope_workspace_log (self,
                           is_error                              ? SCOPE_LOG_ERROR
                           : g_str_has_prefix (line, "warning:") ? SCOPE_LOG_WARNING
                                                                 : SCOPE_LOG_NOTE,
                           VIZ_ROOT,
                           "%s",
                           line);
      if (is_error)
        {
          g_free (self->last_words);
          self->last_words = g_strdup (line + strlen ("error: "));
        }
    }
  cJSON_Delete (json);
}

static void conclude (ScopeWorkspace *self);

static void
line_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  GDataInputStream *lines = G_DATA_INPUT_STREAM (source);
  gsize             size = 0;
  g_autofree char  *bytes = g_data_input_stream_read_line_finish (lines, result, &size, NULL);
  g_autofree char  *line = bytes ? g_utf8_make_valid (bytes, (gssize) size) : NULL;

  if (self->lines != lines) /* of a run before this one */
    return;
  if (!line)
    {
      g_clear_object (&self->lines);
      if (self->waiting != 0)
        conclude (self);
      return;
    }
  hear_line (self, line);
  g_data_input_stream_read_line_async (lines,
                                       G_PRIORITY_DEFAULT,
                                       NULL,
                                       line_cb,
                                       g_object_ref (self));
}

/* --- The child --- */

static void
judge (ScopeWorkspace *self, GSubprocess *child)
{
  gboolean was_stopped = self->n_stops > 0;

  if (g_subprocess_get_if_exited (child) && g_subprocess_get_exit_status (child) == 0)
    {
      scope_workspace_open_capture (self, self->next_capture);
      scope_workspace_load_values (self);
    }
  else if (was_stopped)
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("The run was stopped"));
  else if (g_subprocess_get_if_signaled (child))
    {
      g_autofree char *text = scope_child_describe_signal (g_subprocess_get_term_sig (child));

      scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
    }
  else
    scope_workspace_report_problem (self,
                                    self->last_words ? self->last_words
                                                     : _ ("The run failed without saying why; "
                                                          "the log has all it said"));
}

static void
conclude (ScopeWorkspace *self)
{
  g_clear_handle_id (&self->waiting, g_source_remove);
  g_clear_object (&self->lines);
  judge (self, self->child);
  g_clear_object (&self->child);
  g_clear_pointer (&self->last_words, g_free);
  scope_workspace_notify_running (self);
}

static gboolean
on_waited (gpointer data)
{
  ScopeWorkspace *self = data;

  self->waiting = 0;
  conclude (self);
  return G_SOURCE_REMOVE;
}

static void
ended_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  GSubprocess *child = G_SUBPROCESS (source);

  g_subprocess_wait_finish (child, result, NULL);
  if (child != self->child)
    return;
  /* Its last words may still be on their way; but what it started itself may hold the pipe. */
  self->waiting = g_timeout_add (LAST_WORDS_MS, on_waited, self);
  if (!self->lines)
    conclude (self);
}

static char *
new_capture_path (ScopeWorkspace *self)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "captures", NULL);
  g_autofree char *name = g_strdup_printf ("%s-%" G_GINT64_FORMAT ".hscope",
                                           scope_workspace_get_title (self),
                                           g_get_real_time () / 1000);

  g_mkdir_with_parents (folder, 0700);
  g_strdelimit (name, "/:", '-');
  return g_build_filename (folder, name, NULL);
}

static char **
make_command (ScopeWorkspace *self, const ScopeRunOptions *options, GError **error)
{
  g_autofree char *program = scope_child_find_program ();
  g_autofree char *path = g_file_get_path (self->file);

  if (!program)
    {
      g_set_error_literal (error,
                           G_IO_ERROR,
                           G_IO_ERROR_NOT_FOUND,
                           _ ("hscope is not installed beside the window: nothing can be run"));
      return NULL;
    }
  g_free (self->next_capture);
  self->next_capture = new_capture_path (self);
  g_strfreev (self->values_command);
  self->values_command =
      scope_run_options_values (options,
                                self->source ? self->source : path,
                                self->params,
                                self->source ? NULL : (const char *const *) self->shapes);
  return scope_run_options_command (options,
                                    options->launcher && *options->launcher != '\0' ? "hscope"
                                                                                    : program,
                                    self->source ? self->source : path,
                                    self->params,
                                    self->source ? NULL : (const char *const *) self->shapes,
                                    self->next_capture,
                                    error);
}

static void
follow_child (ScopeWorkspace *self)
{
  self->lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (self->child));
  g_data_input_stream_read_line_async (self->lines,
                                       G_PRIORITY_DEFAULT,
                                       NULL,
                                       line_cb,
                                       g_object_ref (self));
  g_subprocess_wait_async (self->child, NULL, ended_cb, g_object_ref (self));
}

static void
started_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) child = scope_child_start_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->starting)
    return;
  g_clear_object (&self->starting);
  self->child = g_steal_pointer (&child);
  if (self->child)
    {
      follow_child (self);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("The run was stopped"));
  else
    {
      scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
      scope_workspace_report_problem (self, error->message);
    }
  scope_workspace_notify_running (self);
}

gboolean
scope_workspace_run (ScopeWorkspace *self, const ScopeRunOptions *options, GError **error)
{
  g_auto (GStrv) argv = NULL;
  g_autofree char *line = NULL;

  g_return_val_if_fail (!scope_workspace_is_running (self) && self->document, FALSE);
  argv = make_command (self, options, error);
  if (!argv)
    return FALSE;
  self->n_stops = 0;
  g_clear_pointer (&self->options, scope_run_options_free);
  self->options = scope_run_options_copy (options);
  scope_workspace_clear_values (self);
  scope_workspace_emit (self, SCOPE_SIGNAL_VALUES);
  line = g_strjoinv (" ", argv);
  scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, "%s", line);
  g_free (self->phase);
  self->phase = g_strdup (_ ("starting"));
  scope_workspace_set_progress (self, 0);
  self->starting = g_cancellable_new ();
  scope_child_start_async ((const char *const *) argv,
                           G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                           self->starting,
                           started_cb,
                           g_object_ref (self));
  scope_workspace_notify_running (self);
  return TRUE;
}

const ScopeRunOptions *
scope_workspace_get_run_options (ScopeWorkspace *self)
{
  return self->options;
}

const char *
scope_workspace_get_run_path (ScopeWorkspace *self)
{
  return self->next_capture;
}

void
scope_workspace_stop_run (ScopeWorkspace *self)
{
  if (self->starting)
    g_cancellable_cancel (self->starting);
  if (!self->child)
    return;
  if (self->n_stops++ == 0)
    g_subprocess_send_signal (self->child, SIGINT);
  else
    g_subprocess_force_exit (self->child);
}

gboolean
scope_workspace_is_running (ScopeWorkspace *self)
{
  return self->starting || self->child;
}

const char *
scope_workspace_get_phase (ScopeWorkspace *self)
{
  return self->phase ? self->phase : "";
}

double
scope_workspace_get_progress (ScopeWorkspace *self)
{
  return self->progress;
}
