/* workspace-run.c — runs the model in a child process and follows it.
 *
 * hscope profile writes progress as one JSON object per line on stderr; its other lines go to the
 * log.  The first stop is SIGINT, after which hscope keeps the samples it has; the second kills it.
 * Start reading with scope_workspace_run() and finish_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/child.h"
#include "app/process/json-fields.h"
#include "engine/base/remedy.h"

#include <glib/gi18n.h>
#include <math.h>
#include <signal.h>

/* How long the stderr of an ended child is still read: processes that it started may hold it open. */
#define DRAIN_MS 1000
/* How long a child that is stopped may take before it is killed. */
#define KILL_AFTER_S 5

/* --- Output of the child --- */

static gboolean
on_patience_timeout (gpointer data)
{
  ScopeWorkspace *self = data;

  self->is_overdue = TRUE;
  scope_workspace_stop_run (self);
  self->patience_timeout = g_timeout_add_seconds (KILL_AFTER_S, on_patience_timeout, self);
  return G_SOURCE_REMOVE;
}

/* The run is stopped unless this is called again in time. */
static void
restart_patience (ScopeWorkspace *self)
{
  g_clear_handle_id (&self->patience_timeout, g_source_remove);
  if (self->options->patience > 0)
    self->patience_timeout =
        g_timeout_add_seconds ((guint) self->options->patience, on_patience_timeout, self);
}

static void
handle_progress (ScopeWorkspace *self, const cJSON *json)
{
  const char *phase = scope_json_get_text (json, "phase");
  double      share = scope_json_get_number (json, "share");
  double      remaining = scope_json_get_number (json, "remaining");

  if (!self->is_overdue)
    restart_patience (self);
  g_free (self->phase);
  if (isfinite (remaining) && remaining >= 1)
    self->phase = g_strdup_printf (_ ("%s, at most %.0f s left"), phase, remaining);
  else
    self->phase = g_strdup (phase);
  if (isfinite (share))
    scope_workspace_set_progress (self, share);
}

static void
handle_message (ScopeWorkspace *self, const ScopeChildMessage *message)
{
  static const ScopeLogLevel levels[] = {
    [HYB_SEVERITY_NOTE] = SCOPE_LOG_NOTE,
    [HYB_SEVERITY_WARNING] = SCOPE_LOG_WARNING,
    [HYB_SEVERITY_ERROR] = SCOPE_LOG_ERROR,
  };
  guint32 box = scope_document_find_name (self->document, message->subject);

  scope_workspace_log (self, levels[message->severity], box, "%s", message->text);
  if (message->severity == HYB_SEVERITY_ERROR && *message->text != '\0')
    {
      g_clear_error (&self->last_error);
      self->last_error = scope_child_error_new (message);
    }
}

static void
handle_line (ScopeWorkspace *self, const char *line)
{
  g_auto (ScopeChildMessage) message = { 0 };
  cJSON *json = *line == '{' ? cJSON_Parse (line) : NULL;

  if (g_str_equal (scope_json_get_text (json, "event"), "progress"))
    handle_progress (self, json);
  else if (scope_child_message_read (line, &message))
    handle_message (self, &message);
  else if (!json && *line != '\0')
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, "%s", line);
  cJSON_Delete (json);
}

static void finish_run (ScopeWorkspace *self);

static void
line_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  GDataInputStream *lines = G_DATA_INPUT_STREAM (source);
  gsize             size = 0;
  g_autofree char  *bytes = g_data_input_stream_read_line_finish (lines, result, &size, NULL);
  g_autofree char  *line = bytes ? g_utf8_make_valid (bytes, (gssize) size) : NULL;

  if (self->lines != lines) /* of an earlier run */
    return;
  if (!line)
    {
      g_clear_object (&self->lines);
      if (self->drain_timeout != 0)
        finish_run (self);
      return;
    }
  handle_line (self, line);
  g_data_input_stream_read_line_async (lines, G_PRIORITY_DEFAULT, NULL, line_cb,
                                       g_object_ref (self));
}

/* --- The end of the child --- */

/* A run that was stopped ends with the number of the signal, and keeps the samples it has. */
static gboolean
has_result (GSubprocess *child)
{
  return g_subprocess_get_if_exited (child) &&
         (g_subprocess_get_exit_status (child) == 0 ||
          g_subprocess_get_exit_status (child) == 128 + SIGINT);
}

static void
report_overdue (ScopeWorkspace *self)
{
  GError *error = g_error_new (SCOPE_CHILD_ERROR, SCOPE_CHILD_ERROR_FAILED,
                               _ ("The run was stopped after %d seconds without progress, the "
                                  "limit: one run of the model takes longer."),
                               self->options->patience);

  hyb_error_add_remedy (&error, HYB_REMEDY_TIME, NULL);
  scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", error->message);
  scope_workspace_report_error (self, error);
  g_error_free (error);
}

/* Opens the capture, or says why there is none. */
static void
report_exit (ScopeWorkspace *self, GSubprocess *child)
{
  gboolean was_stopped = self->n_stops > 0;

  if (has_result (child) &&
      !(self->is_overdue && !g_file_test (self->next_capture, G_FILE_TEST_EXISTS)))
    {
      scope_workspace_open_capture (self, self->next_capture);
      scope_workspace_load_values (self);
    }
  else if (self->is_overdue)
    report_overdue (self);
  else if (was_stopped)
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("The run was stopped"));
  else if (g_subprocess_get_if_signaled (child))
    {
      g_autofree char *text = scope_child_describe_signal (g_subprocess_get_term_sig (child));

      scope_workspace_log (self, SCOPE_LOG_ERROR, VIZ_ROOT, "%s", text);
      scope_workspace_report_problem (self, text);
    }
  else if (self->last_error)
    scope_workspace_report_error (self, self->last_error);
  else
    scope_workspace_report_problem (self, _ ("The run failed without an error message. The log "
                                             "shows its output."));
}

static void
finish_run (ScopeWorkspace *self)
{
  g_clear_handle_id (&self->drain_timeout, g_source_remove);
  g_clear_handle_id (&self->patience_timeout, g_source_remove);
  g_clear_object (&self->lines);
  report_exit (self, self->child);
  g_clear_object (&self->child);
  g_clear_error (&self->last_error);
  scope_workspace_notify_running (self);
}

static gboolean
on_drain_timeout (gpointer data)
{
  ScopeWorkspace *self = data;

  self->drain_timeout = 0;
  finish_run (self);
  return G_SOURCE_REMOVE;
}

static void
child_ended_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWorkspace) self = data;
  GSubprocess *child = G_SUBPROCESS (source);

  g_subprocess_wait_finish (child, result, NULL);
  if (child != self->child)
    return;
  /* Its last lines may still be in the pipe. */
  self->drain_timeout = g_timeout_add (DRAIN_MS, on_drain_timeout, self);
  if (!self->lines)
    finish_run (self);
}

/* --- Starting --- */

static char *
new_capture_path (ScopeWorkspace *self)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "captures", NULL);
  g_autofree char *name =
      g_strdup_printf ("%s-%" G_GINT64_FORMAT ".hscope", scope_workspace_get_title (self),
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
  gboolean         has_target = options->target && *options->target != '\0';
  gboolean         has_launcher = options->launcher && *options->launcher != '\0';
  ScopeRunModel    model = { .name = self->source ? self->source : path,
                             .params = self->params,
                             .fills = self->fills,
                             /* A source has shapes of its own. */
                             .shapes = (const char *const *) (self->source ? self->given_shapes
                                                                           : self->shapes) };

  if (!program)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                           _ ("hscope was not found beside hybridscope or in PATH. Install both "
                              "programs together."));
      return NULL;
    }
  g_free (self->next_capture);
  self->next_capture = new_capture_path (self);
  g_strfreev (self->values_command);
  self->values_command = scope_run_options_values (options, &model);
  return scope_run_options_command (options, has_launcher && !has_target ? "hscope" : program,
                                    &model, self->next_capture, error);
}

static void
follow_child (ScopeWorkspace *self)
{
  restart_patience (self);
  self->lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (self->child));
  g_data_input_stream_read_line_async (self->lines, G_PRIORITY_DEFAULT, NULL, line_cb,
                                       g_object_ref (self));
  g_subprocess_wait_async (self->child, NULL, child_ended_cb, g_object_ref (self));
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

  g_return_val_if_fail (!scope_workspace_is_running (self) && self->document, FALSE);
  argv = make_command (self, options, error);
  if (!argv)
    return FALSE;
  self->n_stops = 0;
  self->is_overdue = FALSE;
  g_clear_pointer (&self->options, scope_run_options_free);
  self->options = scope_run_options_copy (options);
  scope_workspace_clear_values (self);
  scope_workspace_emit (self, SCOPE_SIGNAL_VALUES);
  if (scope_run_options_are_remote (options))
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("The run starts: %s"),
                         options->target && *options->target != '\0' ? options->target
                                                                     : options->launcher);
  else
    scope_workspace_log (self, SCOPE_LOG_NOTE, VIZ_ROOT, _ ("The run starts"));
  g_free (self->phase);
  self->phase = g_strdup (_ ("starting"));
  scope_workspace_set_progress (self, 0);
  self->starting = g_cancellable_new ();
  scope_child_start_async ((const char *const *) argv,
                           G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                           self->starting, started_cb, g_object_ref (self));
  scope_workspace_notify_running (self);
  return TRUE;
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

void
scope_workspace_drop_run (ScopeWorkspace *self)
{
  if (self->starting)
    g_cancellable_cancel (self->starting);
  g_clear_object (&self->starting);
  if (self->child)
    g_subprocess_force_exit (self->child);
  g_clear_object (&self->child);
  g_clear_object (&self->lines);
  g_clear_handle_id (&self->drain_timeout, g_source_remove);
  g_clear_handle_id (&self->patience_timeout, g_source_remove);
}
