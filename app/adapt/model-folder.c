/* model-folder.c — walks through a folder and lists the files that are models.
 *
 * Start at scope_find_models().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/model-folder.h"

#include "app/adapt/file-kind.h"
#include "engine/base/compare-names.h"
#include "engine/base/error.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILES 1000000 /* looked at */
#define MAX_DEPTH 32      /* of folders in folders */
#define HEAD      4096    /* bytes in which a model's JSON names its nodes */
#define N_CERTAIN 3       /* the first endings: of models alone */

static const char *const endings[] = { "-symbol.json", "-symbol.json.gz", ".onnx", ".json",
                                       ".json.gz" };

typedef struct
{
  const char *folder;
  char       *root; /* the folder without links */
  GPtrArray  *models;
  GPtrArray  *skipped; /* of char *: sentences; NULL: not collected */
  guint       n_files;
} Search;

static gboolean
fail (const char *path, int code, GError **error)
{
  return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), path, NULL,
                       "the folder cannot be read: %s", g_strerror (code));
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

/* The ending of models that a name has; G_N_ELEMENTS (endings): none. */
static guint
find_ending (const char *name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (endings) && !g_str_has_suffix (name, endings[i]))
    i++;
  return i;
}

static gboolean
is_model (const char *path)
{
  return find_ending (path) < N_CERTAIN ||
         (g_str_has_suffix (path, ".json") && begins_like_model (path));
}

/* The target of a link outside of the folder; NULL: a regular file in it. */
static const char *
describe_link (const Search *search, const char *path)
{
  g_autofree char *target = realpath (path, NULL);
  gsize            n = search->root ? strlen (search->root) : 0;

  if (!target)
    return "a link that leads nowhere";
  if (!search->root || strncmp (target, search->root, n) != 0 ||
      (target[n] != '/' && search->root[n - 1] != '/'))
    return "a link out of the folder";
  return g_file_test (target, G_FILE_TEST_IS_REGULAR) ? NULL
                                                      : "a link to something that is no file";
}

/* Why a file with a model's name cannot be a model; NULL if it may be one. */
static const char *
describe_kind (const Search *search, const char *path, mode_t mode)
{
  if (S_ISREG (mode))
    return NULL;
  if (S_ISLNK (mode))
    return describe_link (search, path);
  return S_ISFIFO (mode) ? "a pipe" : S_ISSOCK (mode) ? "a socket" : "a device";
}

/* Takes a file, which has this mode.  below: its path relative to the first folder. */
static void
take_file (Search *search, const char *path, const char *below, mode_t mode)
{
  const char *kind = describe_kind (search, path, mode);

  if (find_ending (path) == G_N_ELEMENTS (endings))
    return;
  if (kind && search->skipped)
    g_ptr_array_add (search->skipped, g_strdup_printf ("%s: skipped, since it is %s", path, kind));
  if (!kind && is_model (path))
    g_ptr_array_add (search->models, g_strdup (below));
}

static gboolean
check_limits (const Search *search, const char *path, guint depth, GError **error)
{
  if (search->n_files <= MAX_FILES && depth <= MAX_DEPTH)
    return TRUE;
  return hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, path, "Name a smaller folder",
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
      if (g_lstat (path, &status) != 0)
        continue; /* it has vanished */
      if (!S_ISDIR (status.st_mode))
        take_file (search, path, relative, status.st_mode);
      else if (!search_folder (search, relative, depth + 1, error))
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
scope_find_models (const char *folder, GPtrArray *skipped, GError **error)
{
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *root = realpath (folder, NULL);
  Search search = { .folder = folder, .root = root, .models = models, .skipped = skipped };

  if (!search_folder (&search, "", 0, error))
    return NULL;
  if (skipped)
    g_ptr_array_sort (skipped, hyb_compare_names);
  if (models->len == 0)
    {
      hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, folder, NULL,
                    "there is no model in the folder: no file ends in -symbol.json or .onnx, and "
                    "no other JSON file has nodes");
      return NULL;
    }
  g_ptr_array_sort (models, hyb_compare_names);
  return g_steal_pointer (&models);
}

char *
scope_model_dup_prefix (const char *path)
{
  guint ending = find_ending (path);

  return ending < G_N_ELEMENTS (endings)
             ? g_strndup (path, strlen (path) - strlen (endings[ending]))
             : g_strdup (path);
}
