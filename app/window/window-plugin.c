/* window-plugin.c — opens an example or a plug-in, asked once for each version of the file: traces its model.
 *
 * A plug-in is a program.  Only a child process loads it, and only after the user allowed it; the
 * decision is remembered by the hash of the file.  Start at act_open_plugin().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/gallery.h"
#include "app/process/worker.h"
#include "app/session/settings.h"
#include "engine/block/plugin.h"
#include "engine/formats/file.h"

#include <glib/gi18n.h>

#define ALLOWED "allowed-plugins"

/* A module larger than this is refused without reading it. */
#define MAX_MODULE_BYTES (256 << 20)

/* An example or a plug-in that is being opened: its shapes are requested first, then its files. */
typedef struct
{
  ScopeWindow *window;
  char        *model;  /* "FILE.so" or "FILE.so:NAME?option=value"; the name of an example */
  char        *module; /* the file; NULL: an example */
  char        *hash;   /* of the file's contents */
  char       **shapes;
} TraceRequest;

static void
request_free (TraceRequest *request)
{
  g_object_unref (request->window);
  g_strfreev (request->shapes);
  g_free (request->model);
  g_free (request->module);
  g_free (request->hash);
  g_free (request);
}

/* --- Tracing --- */

static void
traced_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  TraceRequest *request = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = scope_gallery_trace_finish (result, &error);
  g_autoptr (GFile) module = request->module ? g_file_new_for_path (request->module) : NULL;
  g_autofree char *example = module ? NULL : g_strconcat ("gallery:", request->model, NULL);

  if (file && module)
    scope_settings_add_recent (module);
  if (file)
    scope_window_open_as (request->window, file, example, (const char *const *) request->shapes);
  else
    scope_window_toast (request->window, error->message);
  request_free (request);
}

static void
shapes_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  TraceRequest *request = data;

  /* Without shapes the graph can still be shown. */
  request->shapes = scope_gallery_shapes_finish (result, NULL);
  if (request->module)
    scope_gallery_trace_plugin_async (request->model, request->hash, NULL, traced_cb, request);
  else
    scope_gallery_trace_async (request->model, NULL, traced_cb, request);
}

static void
act_open_example (ScopeWindow *self, GVariant *parameter)
{
  TraceRequest *request = g_new0 (TraceRequest, 1);

  request->window = g_object_ref (self);
  request->model = g_variant_dup_string (parameter, NULL);
  scope_gallery_shapes_async (request->model, NULL, shapes_cb, request);
}

/* --- Asking --- */

static gboolean
is_allowed (const char *hash)
{
  g_auto (GStrv) allowed = scope_settings_get_list (ALLOWED);

  return g_strv_contains ((const char *const *) allowed, hash);
}

static void
allow (const char *hash)
{
  g_auto (GStrv) allowed = scope_settings_get_list (ALLOWED);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;

  g_strv_builder_addv (builder, (const char **) allowed);
  g_strv_builder_add (builder, hash);
  all = g_strv_builder_end (builder);
  scope_settings_set_list (ALLOWED, (const char *const *) all);
}

static void
on_response (GObject *dialog, const char *response, gpointer unused G_GNUC_UNUSED)
{
  TraceRequest *request;

  if (!g_str_equal (response, "load"))
    return;
  request = g_object_steal_data (dialog, "request");
  if (!request)
    return;
  allow (request->hash);
  scope_gallery_shapes_of_plugin_async (request->model, NULL, shapes_cb, request);
}

/* request: (transfer full) */
static void
ask (TraceRequest *request)
{
  g_autofree char *name = g_path_get_basename (request->module);
  g_autofree char *heading = g_strdup_printf (_ ("Load the Plug-in “%s”?"), name);
  GtkWidget       *dialog =
      adw_message_dialog_new (GTK_WINDOW (request->window), heading,
                              _ ("A plug-in is a program, and can read and change your files. Load "
                                 "it only if you trust "
                                 "its source. You are asked again when the file changes."));

  gtk_widget_set_name (dialog, "plugin-dialog");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "load",
                                    _ ("_Load Plug-in"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "load",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  /* The dialog owns the request until it is allowed. */
  g_object_set_data_full (G_OBJECT (dialog), "request", request, (GDestroyNotify) request_free);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
hash_in_worker (GTask *task, gpointer data)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = hyb_file_read (data, MAX_MODULE_BYTES, &error);

  if (bytes)
    g_task_return_pointer (task, g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes), g_free);
  else
    g_task_return_error (task, error);
}

static void
hashed_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  TraceRequest *request = data;
  g_autoptr (GError) error = NULL;

  request->hash = g_task_propagate_pointer (G_TASK (result), &error);
  if (!request->hash)
    {
      scope_window_toast (request->window, error->message);
      request_free (request);
    }
  else if (is_allowed (request->hash))
    scope_gallery_shapes_of_plugin_async (request->model, NULL, shapes_cb, request);
  else
    ask (request);
}

static void
act_open_plugin (ScopeWindow *self, GVariant *parameter)
{
  const char      *model = g_variant_get_string (parameter, NULL);
  g_autofree char *module = hyb_plugin_dup_module (model);
  g_autoptr (GTask) task = NULL;
  TraceRequest *request;

  if (!module)
    return;
  request = g_new0 (TraceRequest, 1);
  request->window = g_object_ref (self);
  request->model = g_strdup (model);
  request->module = g_steal_pointer (&module);
  task = g_task_new (NULL, NULL, hashed_cb, request);
  g_task_set_task_data (task, g_strdup (request->module), g_free);
  scope_worker_run (task, hash_in_worker);
}

const ScopeWindowAction scope_window_plugin_actions[] = {
  { "win.open-plugin", "s", act_open_plugin },
  { "win.open-example", "s", act_open_example },
  { NULL },
};
