/* window-own-input.c — pictures, arrays and tables that runs take as their input, and names of classes.
 *
 * They are dropped on the window, or chosen with “Choose Input…”.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/own-input.h"
#include "engine/formats/file.h"

#include <glib/gi18n.h>

#define MAX_LABELS_BYTES (16 << 20)

/* --- Inputs --- */

typedef struct
{
  ScopeWindow *window;
  ScopePage   *page;
} InputRequest;

static void
read_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autofree InputRequest *request = data;
  g_autoptr (ScopeWindow) self = request->window;
  g_autoptr (ScopePage) page = request->page;
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeOwnInput) own = scope_own_input_read_finish (result, &error);

  if (!own)
    {
      scope_page_show_error (page, error);
      return;
    }
  scope_run_panel_set_input (self->run_panel, own->path);
  scope_page_show_success (page, own->note, _ ("Run"), "win.run");
}

static void
take (ScopeWindow *self, ScopePage *page, const char *path)
{
  InputRequest    *request = g_new (InputRequest, 1);
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "inputs", NULL);

  *request = (InputRequest){ g_object_ref (self), g_object_ref (page) };
  scope_own_input_read_async (path, scope_workspace_get_document (scope_page_get_workspace (page)),
                              folder, read_cb, request);
}

/* --- Classes --- */

static void
take_labels (ScopePage *page, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = hyb_file_read (path, MAX_LABELS_BYTES, &error);
  g_autofree char *text = NULL, *name = g_path_get_basename (path), *note = NULL;
  g_auto (GStrv) lines = NULL;
  guint n;

  if (!bytes)
    {
      scope_page_show_error (page, error);
      return;
    }
  text = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  n = g_strv_length (lines);
  for (guint i = 0; i < n; i++)
    g_strchomp (lines[i]);
  scope_workspace_set_labels (scope_page_get_workspace (page), (const char *const *) lines);
  note =
      g_strdup_printf (g_dngettext (NULL, "%s names %u class", "%s names %u classes", n), name, n);
  scope_page_show_success (page, note, NULL, NULL);
}

/* --- Both --- */

gboolean
scope_window_take_input (ScopeWindow *self, GFile *file)
{
  ScopePage     *page = scope_window_get_page (self);
  ScopeDocument *document =
      page ? scope_workspace_get_document (scope_page_get_workspace (page)) : NULL;
  g_autofree char *path = g_file_get_path (file);

  if (!document || !path || scope_document_is_generated (document))
    return FALSE;
  if (g_str_has_suffix (path, ".txt"))
    {
      take_labels (page, path);
      return TRUE;
    }
  if (!scope_own_input_is_named (path) ||
      (g_str_has_suffix (path, ".npz") && !scope_own_input_has_inputs (path, document)))
    return FALSE;
  take (self, page, path);
  return TRUE;
}

static void
on_file (ScopeWindow *self, GFile *file, const char *data G_GNUC_UNUSED)
{
  if (!scope_window_take_input (self, file))
    scope_window_toast (self,
                        _ ("Choose a picture, .npy, .npz, .csv, or .txt with names of classes"));
}

static void
act_choose (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_window_choose_beside (self, (ScopeFileDialog){
                                        .title = _ ("Choose the Input: picture, .npy, .npz, .csv"),
                                        .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                        .chosen = on_file });
}

const ScopeWindowAction scope_window_own_input_actions[] = {
  { "win.choose-input", NULL, act_choose },
  { NULL },
};
