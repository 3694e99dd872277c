/* far-folder.c — makes the folder of a run on a target, finds what was written there, and removes it.
 *
 * Start at scope_far_folder_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/far-folder.h"

#include "app/command/targets/file-receiver.h"
#include "engine/base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINNING "hscope-target-"
#define MAX_DEPTH 16

typedef struct
{
  char  kind;
  char *folder, *base;
} Wanted;

struct _ScopeFarFolder
{
  char       *path;
  int         fd;     /* the folder itself */
  GPtrArray  *wanted; /* of Wanted */
  GHashTable *known;  /* name → what the file was like */
};

static void
wanted_free (gpointer data)
{
  Wanted *wanted = data;

  g_free (wanted->folder);
  g_free (wanted->base);
  g_free (wanted);
}

/* --- Removing --- */

static void
remove_contents (int folder, guint depth)
{
  DIR           *dir = folder >= 0 ? fdopendir (folder) : NULL;
  struct dirent *entry;

  if (!dir)
    {
      if (folder >= 0)
        close (folder);
      return;
    }
  while ((entry = readdir (dir)))
    {
      if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0 ||
          unlinkat (dirfd (dir), entry->d_name, 0) == 0)
        continue;
      if (depth < MAX_DEPTH)
        remove_contents (openat (dirfd (dir),
                                 entry->d_name,
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                         depth + 1);
      unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR);
    }
  closedir (dir);
}

/* --- Making --- */

static char *
dup_place (const char *place)
{
  if (!place)
    return g_strdup (g_get_tmp_dir ());
  if (g_str_has_prefix (place, "~/"))
    return g_build_filename (g_get_home_dir (), place + 2, NULL);
  return g_strdup (place);
}

static gpointer
fail (const char *path, GError **error)
{
  hyb_error_at (error,
                G_FILE_ERROR,
                (int) g_file_error_from_errno (errno),
                path,
                "Name another one in the target's “folder”",
                "no folder can be made there: %s",
                g_strerror (errno));
  return NULL;
}

ScopeFarFolder *
scope_far_folder_new (const char *place, GError **error)
{
  g_autofree char *parent = dup_place (place);
  g_autofree char *path = g_build_filename (parent, BEGINNING "XXXXXX", NULL);
  ScopeFarFolder  *folder;

  if (g_mkdir_with_parents (parent, 0700) != 0)
    return fail (parent, error);
  if (!g_mkdtemp (path))
    return fail (parent, error);
  folder = g_new0 (ScopeFarFolder, 1);
  folder->path = g_steal_pointer (&path);
  folder->fd = open (folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  folder->wanted = g_ptr_array_new_with_free_func (wanted_free);
  folder->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return folder;
}

void
scope_far_folder_free (ScopeFarFolder *folder)
{
  remove_contents (folder->fd, 0);
  rmdir (folder->path);
  g_ptr_array_unref (folder->wanted);
  g_hash_table_unref (folder->known);
  g_free (folder->path);
  g_free (folder);
}

const char *
scope_far_folder_get_path (const ScopeFarFolder *folder)
{
  return folder->path;
}

/* --- Files --- */

static gboolean
make_folder_of (ScopeFarFolder *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  return mkdir (parent, 0700) == 0 || errno == EEXIST || fail (parent, error);
}

int
scope_far_folder_open (ScopeFarFolder *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  int              file;

  if (!scope_file_name_is_safe (name) || !make_folder_of (folder, name, error))
    return -1;
  file = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    fail (path, error);
  return file;
}

gboolean
scope_far_folder_want (ScopeFarFolder *folder, char kind, const char *name, GError **error)
{
  Wanted *wanted;

  if ((kind != 'f' && kind != 'p') || !scope_file_name_is_safe (name))
    {
      g_set_error_literal (error,
                           HYB_FORMAT_ERROR,
                           HYB_FORMAT_ERROR_MALFORMED,
                           "the name of an output leads out of its folder");
      return FALSE;
    }
  if (!make_folder_of (folder, name, error))
    return FALSE;
  wanted = g_new0 (Wanted, 1);
  wanted->kind = kind;
  wanted->folder = g_path_get_dirname (name);
  wanted->base = g_path_get_basename (name);
  g_ptr_array_add (folder->wanted, wanted);
  return TRUE;
}

/* Whether the file is new or another one than that which is known; then it is known. */
static gboolean
take_change (ScopeFarFolder *folder, const char *path, const char *name)
{
  struct stat      status;
  g_autofree char *look = NULL;

  if (lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  look = g_strdup_printf ("%lu %ld %ld.%09ld",
                          (gulong) status.st_ino,
                          (glong) status.st_size,
                          (glong) status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec);
  if (g_strcmp0 (g_hash_table_lookup (folder->known, name), look) == 0)
    return FALSE;
  g_hash_table_insert (folder->known, g_strdup (name), g_steal_pointer (&look));
  return TRUE;
}

/* frames: NULL: files are only noted. */
static gboolean
visit (ScopeFarFolder *folder, const Wanted *wanted, ScopeFrames *frames, GError **error)
{
  g_autofree char *parent = g_build_filename (folder->path, wanted->folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *base;

  while (dir && (base = g_dir_read_name (dir)))
    {
      g_autofree char *name = g_build_filename (wanted->folder, base, NULL);
      g_autofree char *path = g_build_filename (parent, base, NULL);
      gboolean         fits = wanted->kind == 'p' ? g_str_has_prefix (base, wanted->base)
                                                  : strcmp (base, wanted->base) == 0;

      if (fits && take_change (folder, path, name) && frames &&
          !scope_frames_send_file (frames, path, name, NULL, error))
        return FALSE;
    }
  return TRUE;
}

void
scope_far_folder_note (ScopeFarFolder *folder)
{
  for (guint i = 0; i < folder->wanted->len; i++)
    visit (folder, folder->wanted->pdata[i], NULL, NULL);
}

gboolean
scope_far_folder_send (ScopeFarFolder *folder, ScopeFrames *frames, GError **error)
{
  for (guint i = 0; i < folder->wanted->len; i++)
    if (!visit (folder, folder->wanted->pdata[i], frames, error))
      return FALSE;
  return TRUE;
}
