/* each-models.c — walks through a folder and lists the files that are models.
 *
 * Start at scope_each_find_models().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/each/each-models.h"

#include "app/command/open-model.h"

#include "engine/base/error.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILES 1000000 /* looked at */
#define MAX_DEPTH 32      /* of folders in folders */
#define HEAD      4096    /* bytes in which a model's JSON names its nodes */
#define N_CERTAIN 3       /* the first endings: those of models alone */

static const char *const endings[] = { "-symbol.json",
                                       "-symbol.json.gz",
                                       ".onnx",
                                       ".json",
                                       ".json.gz" };

typedef struct
{
  const char *folder;
  GPtrArray  *models;
  guint       n_files;
} Search;

static gboolean
fail (const char *path, int code, GError **error)
{
  return hyb_error_at (error,
                       G_FILE_ERROR,
                       (int) g_file_error_from_errno (code),
                       path,
                       NULL,
                       "the folder cannot be read: %s",
                       g_strerror (code));
}

/* Other programs write JSON, too; a symbol file begins with its list of nodes. */
static gboolean
begins_like_model (const char *path)
{
  g_autofree char *head = g_malloc (HEAD + 1);
  gsize            n = scope_read_head (path, head, HEAD);

  head[n] = '\0';
  return strstr (head, "\"nodes\"") != NULL;
}

static gboolean
is_model (const char *path)
{
  for (guint i = 0; i < N_CERTAIN; i++)
    if (g_str_has_suffix (path, endings[i]))
      return TRUE;
  return g_str_has_suffix (path, ".json") && begins_like_model (path);
}

static gboolean
check_limits (const Search *search, const char *path, guint depth, GError **error)
{
  if (search->n_files <= MAX_FILES && depth <= MAX_DEPTH)
    return TRUE;
  return hyb_error_at (error,
                       G_FILE_ERROR,
                       G_FILE_ERROR_INVAL,
                       path,
                       "Name a smaller folder",
                       depth > MAX_DEPTH ? "folders are nested in more than %d others"
                                         : "there are more than %d files",
                       depth > MAX_DEPTH ? MAX_DEPTH : MAX_FILES);
}

/* below: path of the folder relative to the first one, "" for itself. */
static gboolean
search_folder (Search *search, const char *below, guint depth, GError **error)
{
  g_autofree char *folder = g_build_filename (search->folder, below, NULL);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  errno = 0;
  dir = g_dir_open (folder, 0, NULL);
  if (!dir)
    return fail (folder, errno != 0 ? errno : ENOENT, error);
  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *relative = *below ? g_build_filename (below, name, NULL) : g_strdup (name);
      struct stat      status;

      search->n_files++;
      if (!check_limits (search, folder, depth, error))
        return FALSE;
      if (g_lstat (path, &status) == 0 && S_ISDIR (status.st_mode))
        {
          if (!search_folder (search, relative, depth + 1, error))
            return FALSE;
        }
      else if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && is_model (path))
        g_ptr_array_add (search->models, g_steal_pointer (&relative));
    }
  return TRUE;
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
scope_each_find_models (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);
  Search search = { .folder = folder, .models = models };

  if (!search_folder (&search, "", 0, error))
    return NULL;
  if (models->len == 0)
    {
      hyb_error_at (error,
                    G_FILE_ERROR,
                    G_FILE_ERROR_NOENT,
                    folder,
                    NULL,
                    "there is no model in the folder: no file ends in -symbol.json or .onnx, and "
                    "no "
                    "other JSON file has nodes");
      return NULL;
    }
  g_ptr_array_sort (models, compare_paths);
  return g_steal_pointer (&models);
}

char *
scope_each_dup_prefix (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (path, endings[i]))
      return g_strndup (path, strlen (path) - strlen (endings[i]));
  return g_strdup (path);
}
