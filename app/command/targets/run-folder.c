/* run-folder.c — makes the folder of a run with mkdtemp(), and removes it through its descriptor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/run-folder.h"

#include "engine/base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINNING "hscope-target-"
#define MAX_DEPTH 16

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
        remove_contents (openat (dirfd (dir), entry->d_name,
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                         depth + 1);
      unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR);
    }
  closedir (dir);
}

static char *
dup_place (const char *place)
{
  if (!place)
    return g_strdup (g_get_tmp_dir ());
  if (g_str_has_prefix (place, "~/"))
    return g_build_filename (g_get_home_dir (), place + 2, NULL);
  return g_strdup (place);
}

ScopeRunFolder *
scope_run_folder_new (const char *place, GError **error)
{
  g_autofree char *parent = dup_place (place);
  g_autofree char *path = g_build_filename (parent, BEGINNING "XXXXXX", NULL);
  ScopeRunFolder  *folder;

  if (g_mkdir_with_parents (parent, 0700) != 0 || !g_mkdtemp (path))
    {
      hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), parent,
                    place ? "Name another one in the target's “folder”" : NULL,
                    "no folder can be made there: %s", g_strerror (errno));
      return NULL;
    }
  folder = g_new0 (ScopeRunFolder, 1);
  folder->path = g_steal_pointer (&path);
  folder->fd = open (folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return folder;
}

void
scope_run_folder_free (ScopeRunFolder *folder)
{
  remove_contents (folder->fd, 0);
  rmdir (folder->path);
  g_free (folder->path);
  g_free (folder);
}
