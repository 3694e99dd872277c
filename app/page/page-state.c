/* page-state.c — saves and restores folds, camera, selection, bookmarks, inputs, capture and numbers of a page.
 *
 * They are kept in MODEL.hsws beside the model if that file exists; otherwise in the user's state folder under a
 * hash of the model's URI, so that viewing a model writes nothing beside it.  A file beside the model may come
 * from a stranger: it names a capture, or a file of numbers, only by the name of a file in the same folder.  The
 * state folder holds any other.  It is written only over a file that such a state was written to before, and not
 * through a link.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/process/writer.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "workspace"

/* file: (nullable) of the model */
static char *
dup_path_beside (GFile *file)
{
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname (path) : NULL;
  g_autofree char *title = file ? scope_workspace_dup_title (file) : NULL;
  g_autofree char *name = NULL;

  if (!folder)
    return NULL;
  name = g_strconcat (title, ".hsws", NULL);
  return g_build_filename (folder, name, NULL);
}

/* file: (nullable) of the model */
static char *
dup_path_in_state_folder (GFile *file)
{
  g_autofree char *uri = file ? g_file_get_uri (file) : NULL;
  g_autofree char *sum = uri ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, uri, -1) : NULL;
  g_autofree char *name = NULL;

  if (!sum)
    return NULL;
  name = g_strconcat (sum, ".hsws", NULL);
  return g_build_filename (g_get_user_state_dir (), "hybridscope", name, NULL);
}

/* The name of a file in folder; NULL: path is in another folder.  (transfer full) */
static char *
dup_name_in_folder (const char *path, const char *folder)
{
  g_autofree char *own = g_path_get_dirname (path);

  return g_str_equal (own, folder) ? g_path_get_basename (path) : NULL;
}

/* Names a file that is shown with the model.  path: (nullable) of it.  folder: (nullable) of a file beside the
 * model, which can name files of its own folder only. */
static void
describe_file (GKeyFile *file, const char *key, const char *path, const char *folder)
{
  g_autofree char *name = NULL;

  if (path)
    name = folder ? dup_name_in_folder (path, folder) : g_strdup (path);
  if (name)
    g_key_file_set_string (file, GROUP, key, name);
}

/* folder: of a file beside the model; NULL: the file is in the state folder. */
static char *
describe_state (ScopePage *self, const char *folder)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const char *const *shapes = scope_workspace_get_given_shapes (self->workspace);
  const GPtrArray   *bookmarks = scope_workspace_get_bookmarks (self->workspace);

  g_key_file_set_integer (file, GROUP, "version", 1);
  describe_file (file, "capture", scope_workspace_get_capture_path (self->workspace), folder);
  describe_file (file, "numbers", scope_workspace_get_numbers_path (self->workspace), folder);
  if (shapes && shapes[0])
    g_key_file_set_string_list (file, GROUP, "shapes", shapes, g_strv_length ((char **) shapes));
  if (bookmarks->len > 0)
    g_key_file_set_string_list (file, GROUP, "bookmarks", (const char *const *) bookmarks->pdata,
                                bookmarks->len);
  if (scope_workspace_get_fills (self->workspace))
    g_key_file_set_boolean (file, GROUP, "random-values", TRUE);
  scope_graph_view_save (self->graph_view, file);
  return g_key_file_to_data (file, NULL, NULL);
}

/* TRUE if path is a regular file, and no link, with a state of ours. */
static gboolean
has_state (const char *path)
{
  static const char start[] = "[" GROUP "]\n";
  char              head[sizeof start] = "";
  int               file = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat       status;
  gssize            n = -1;

  if (file >= 0 && fstat (file, &status) == 0 && S_ISREG (status.st_mode))
    n = read (file, head, sizeof start - 1);
  if (file >= 0)
    close (file);
  return n == (gssize) sizeof start - 1 && strcmp (head, start) == 0;
}

/* path: without a file, or with one for which has_state() is TRUE */
static void
write_beside (ScopePage *self, const char *path, GAsyncReadyCallback callback, gpointer data)
{
  g_autofree char *folder = g_path_get_dirname (path);

  scope_writer_write_async (path, describe_state (self, folder), callback, data);
}

/* Writes the file in the state folder, and the one beside the model if it exists.  Started
 * automatically, so failures are not reported.  state: (transfer full) */
static void
write_state (ScopePage *self, char *state)
{
  GFile           *file = scope_workspace_get_file (self->workspace);
  g_autofree char *beside = dup_path_beside (file);
  g_autofree char *path = dup_path_in_state_folder (file);

  if (beside && has_state (beside))
    write_beside (self, beside, NULL, NULL);
  if (path)
    scope_writer_write_async (path, state, NULL, NULL);
  else
    g_free (state);
}

void
scope_page_autosave (ScopePage *self)
{
  g_autofree char *text = NULL;

  if (!self->is_restored || !scope_workspace_get_document (self->workspace))
    return;
  text = describe_state (self, NULL);
  if (g_strcmp0 (text, self->saved_state) == 0)
    return;
  g_free (self->saved_state);
  self->saved_state = g_strdup (text);
  write_state (self, g_steal_pointer (&text));
}

void
scope_page_save_state (ScopePage *self)
{
  if (scope_workspace_get_document (self->workspace))
    write_state (self, describe_state (self, NULL));
}

static void
saved_beside_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopePage) self = data;
  g_autoptr (GError) error = NULL;

  /* A page without a workspace has been closed. */
  if (!scope_writer_write_finish (result, &error) && self->workspace)
    scope_page_show_error (self, error);
}

void
scope_page_save_beside (ScopePage *self)
{
  g_autofree char *path = dup_path_beside (scope_workspace_get_file (self->workspace));

  g_autoptr (GError) error = NULL;
  struct stat status;

  if (!path || !scope_workspace_get_document (self->workspace))
    return;
  if (lstat (path, &status) != 0 || has_state (path))
    {
      write_beside (self, path, saved_beside_cb, g_object_ref (self));
      return;
    }
  g_set_error (&error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
               _ ("%s was not written by this program, so the view is not stored in it. Rename it, "
                  "then store the view again."),
               path);
  scope_page_show_error (self, error);
}

/* The contents of a workspace file; NULL: it cannot be read.  (transfer full) */
static GKeyFile *
read_state (const char *path)
{
  g_autofree char *text = path ? scope_writer_read (path) : NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (!text || !g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, NULL))
    return NULL;
  return g_steal_pointer (&file);
}

/* The file that a file beside the model names; NULL if it names none, or one elsewhere.
 * (transfer full) */
static char *
dup_named_beside (GKeyFile *file, const char *key, const char *path)
{
  g_autofree char *name = g_key_file_get_string (file, GROUP, key, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  if (!name || strchr (name, '/'))
    return NULL;
  return g_build_filename (folder, name, NULL);
}

/* The file that is to be shown with the model, if it still exists, or NULL.  beside: (nullable) the contents of the
 * file at path, beside the model; own: (nullable) of the one in the state folder.  (transfer full) */
static char *
dup_named (GKeyFile *beside, const char *path, GKeyFile *own, const char *key)
{
  g_autofree char *named = beside ? dup_named_beside (beside, key, path) : NULL;

  if (!named && own)
    named = g_key_file_get_string (own, GROUP, key, NULL);
  return named && g_file_test (named, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&named) : NULL;
}

static void
restored_numbers_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = SCOPE_WORKSPACE (source);
  g_autoptr (GError) error = NULL;

  if (!scope_workspace_open_numbers_finish (workspace, result, &error))
    scope_workspace_log (workspace, SCOPE_LOG_WARNING, VIZ_ROOT, "%s", error->message);
}

void
scope_page_restore_inputs (ScopePage *self, GFile *file)
{
  g_autofree char *path = dup_path_beside (file);
  g_autofree char *own_path = dup_path_in_state_folder (file);
  g_autoptr (GKeyFile) beside = read_state (path);
  g_autoptr (GKeyFile) own = read_state (own_path);
  GKeyFile *state = own ? own : beside;
  g_auto (GStrv) shapes = NULL;

  if (!state)
    return;
  shapes = g_key_file_get_string_list (state, GROUP, "shapes", NULL, NULL);
  scope_workspace_give_shapes (self->workspace, (const char *const *) shapes);
  scope_workspace_set_fills (self->workspace,
                             g_key_file_get_boolean (state, GROUP, "random-values", NULL));
}

void
scope_page_restore (ScopePage *self)
{
  GFile           *file = scope_workspace_get_file (self->workspace);
  g_autofree char *path = NULL;
  g_autofree char *own_path = NULL;
  g_autofree char *capture = NULL;
  g_autofree char *numbers = NULL;
  g_autoptr (GKeyFile) beside = NULL;
  g_autoptr (GKeyFile) own = NULL;
  g_auto (GStrv) bookmarks = NULL;

  if (self->is_restored)
    return;
  self->is_restored = TRUE;
  path = dup_path_beside (file);
  own_path = dup_path_in_state_folder (file);
  beside = read_state (path);
  own = read_state (own_path);
  if (beside || own)
    {
      scope_graph_view_load (self->graph_view, beside ? beside : own);
      bookmarks =
          g_key_file_get_string_list (beside ? beside : own, GROUP, "bookmarks", NULL, NULL);
      scope_workspace_set_bookmarks (self->workspace, (const char *const *) bookmarks);
    }
  capture = dup_named (beside, path, own, "capture");
  if (capture)
    scope_workspace_open_capture (self->workspace, capture);
  numbers = dup_named (beside, path, own, "numbers");
  if (numbers)
    scope_workspace_open_numbers_async (self->workspace, numbers, restored_numbers_cb, NULL);
}
