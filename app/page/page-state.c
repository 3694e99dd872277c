/* page-state.c — saves and restores folds, camera, selection and capture of a page.
 *
 * They are kept in MODEL.hsws beside the model if that file exists; otherwise in the user's state
 * folder under a hash of the model's URI, so that viewing a model writes nothing beside it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/process/writer.h"

#define GROUP "workspace"

static char *
dup_path_beside (ScopePage *self)
{
  GFile           *file = scope_workspace_get_file (self->workspace);
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname (path) : NULL;
  g_autofree char *name = NULL;

  if (!folder)
    return NULL;
  name = g_strconcat (scope_workspace_get_title (self->workspace), ".hsws", NULL);
  return g_build_filename (folder, name, NULL);
}

static char *
dup_path_in_state_folder (ScopePage *self)
{
  GFile           *file = scope_workspace_get_file (self->workspace);
  g_autofree char *uri = file ? g_file_get_uri (file) : NULL;
  g_autofree char *sum = uri ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, uri, -1) : NULL;
  g_autofree char *name = NULL;

  if (!sum)
    return NULL;
  name = g_strconcat (sum, ".hsws", NULL);
  return g_build_filename (g_get_user_state_dir (), "hybridscope", name, NULL);
}

static char *
dup_path (ScopePage *self)
{
  g_autofree char *beside = dup_path_beside (self);

  if (beside && g_file_test (beside, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&beside);
  return dup_path_in_state_folder (self);
}

static char *
describe_state (ScopePage *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const char *capture = scope_workspace_get_capture_path (self->workspace);

  g_key_file_set_integer (file, GROUP, "version", 1);
  if (capture)
    g_key_file_set_string (file, GROUP, "capture", capture);
  scope_graph_view_save (self->graph_view, file);
  return g_key_file_to_data (file, NULL, NULL);
}

void
scope_page_autosave (ScopePage *self)
{
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;

  if (!self->is_restored || !scope_workspace_get_document (self->workspace))
    return;
  path = dup_path (self);
  text = describe_state (self);
  if (!path || g_strcmp0 (text, self->saved_state) == 0)
    return;
  g_free (self->saved_state);
  self->saved_state = g_strdup (text);
  /* Started automatically, so failures are not reported. */
  scope_writer_write_async (path, g_steal_pointer (&text), NULL, NULL);
}

void
scope_page_save_state (ScopePage *self)
{
  g_autofree char *path = dup_path (self);

  if (path && scope_workspace_get_document (self->workspace))
    scope_writer_write_async (path, describe_state (self), NULL, NULL);
}

static void
saved_beside_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePage) self = data;
  g_autoptr (GError) error = NULL;

  /* A page without a workspace has been closed. */
  if (!scope_writer_write_finish (result, &error) && self->workspace)
    scope_page_show_message (self, error->message, NULL, NULL);
}

void
scope_page_save_beside (ScopePage *self)
{
  g_autofree char *path = dup_path_beside (self);

  if (path && scope_workspace_get_document (self->workspace))
    scope_writer_write_async (path, describe_state (self), saved_beside_cb, g_object_ref (self));
}

void
scope_page_restore (ScopePage *self)
{
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;
  g_autofree char *capture = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (self->is_restored)
    return;
  self->is_restored = TRUE;
  path = dup_path (self);
  text = path ? scope_writer_read (path) : NULL;
  if (!text || !g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, NULL))
    return;
  scope_graph_view_load (self->graph_view, file);
  capture = g_key_file_get_string (file, GROUP, "capture", NULL);
  if (capture && g_file_test (capture, G_FILE_TEST_IS_REGULAR))
    scope_workspace_open_capture (self->workspace, capture);
}
