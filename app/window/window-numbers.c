/* window-numbers.c — opens numbers of the user by node name, which colour the graph of the selected page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "engine/base/error.h"

#include <glib/gi18n.h>

/* A file that is being read. */
typedef struct
{
  ScopeWindow *window;
  ScopePage   *page;
  char        *path;
  gboolean     is_guess; /* the file may be a model instead */
} NumbersRequest;

static void
request_free (NumbersRequest *request)
{
  g_object_unref (request->window);
  g_object_unref (request->page);
  g_free (request->path);
  g_free (request);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  NumbersRequest *request = data;
  g_autoptr (GError) error = NULL;

  if (!scope_workspace_open_numbers_finish (SCOPE_WORKSPACE (source), result, &error) &&
      scope_page_get_workspace (request->page)) /* a page without one was closed */
    {
      if (request->is_guess && g_error_matches (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN))
        gtk_widget_activate_action (GTK_WIDGET (request->window), "win.open-json", "s",
                                    request->path);
      else
        scope_page_show_message (request->page, error->message, _ ("Choose Another…"),
                                 "win.open-numbers");
    }
  request_free (request);
}

static void
open_numbers (ScopeWindow *self, const char *path, gboolean is_guess)
{
  ScopePage      *page = scope_window_get_page (self);
  NumbersRequest *request;

  if (!path || !page || !scope_workspace_get_document (scope_page_get_workspace (page)))
    return;
  request = g_new0 (NumbersRequest, 1);
  *request =
      (NumbersRequest){ g_object_ref (self), g_object_ref (page), g_strdup (path), is_guess };
  scope_workspace_open_numbers_async (scope_page_get_workspace (page), path, opened_cb, request);
}

void
scope_window_open_numbers (ScopeWindow *self, const char *path)
{
  open_numbers (self, path, FALSE);
}

void
scope_window_guess_numbers (ScopeWindow *self, const char *path)
{
  open_numbers (self, path, TRUE);
}

static void
act_open_numbers (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  const ScopeFileDialog dialog = { .title = _ ("Open Numbers by Node Name"),
                                   .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                   .path_chosen = scope_window_open_numbers };
  GtkFileChooser       *chooser = scope_window_choose_file (self, &dialog);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Numbers by node name (*.json)"));
  gtk_file_filter_add_pattern (filter, "*.json");
  gtk_file_chooser_add_filter (chooser, filter);
}

const ScopeWindowAction scope_window_numbers_actions[] = {
  { "win.open-numbers", NULL, act_open_numbers },
  { NULL },
};
