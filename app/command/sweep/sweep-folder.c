/* sweep-folder.c — takes cells one after the other, and keeps their results.
 *
 * A process that works on the whole folder locks the plan for itself; processes that work on parts share the lock.  A cell that
 * is being done is a locked file cells/NNNNNN.part; the kernel gives the lock back when its process ends.  Every file below the
 * folder is opened by descriptor, follows no link and is a regular one.  Start at scope_sweep_folder_take().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-folder.h"

#include "app/command/children/find-json.h"
#include "app/command/sweep/lock-holder.h"

#include "engine/base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE     ((gsize) 256 << 10) /* bytes of a result */
#define OPEN_FOLDER  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPEN_REGULAR (O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

struct _ScopeSweepFolder
{
  char            *path;
  int              fd, cells, lock;
  guint            next, end; /* of the cells of this process */
  gboolean         retries_failed;
  GHashTable      *parts; /* cell + 1 → descriptor + 1 of the locked file */
  ScopeSweepEffort effort;
};

static gboolean
fail (const char *path, const char *what, GError **error)
{
  int code = errno;

  return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), path, NULL,
                       "%s: %s", what, g_strerror (code));
}

/* --- Files of others --- */

char *
scope_sweep_read_at (int folder, const char *name, gsize limit)
{
  int              file = openat (folder, name, O_RDONLY | OPEN_REGULAR);
  struct stat      status;
  g_autofree char *text = NULL;
  gsize            size = 0;
  gssize           n = 1;

  if (file < 0)
    return NULL;
  if (fstat (file, &status) == 0 && S_ISREG (status.st_mode) && status.st_size >= 0 &&
      (guint64) status.st_size <= limit)
    text = g_malloc ((gsize) status.st_size + 1);
  while (text && size < (gsize) status.st_size && n > 0)
    if ((n = read (file, text + size, (gsize) status.st_size - size)) > 0)
      size += (gsize) n;
  close (file);
  if (!text || n < 0)
    {
      errno = text ? errno : EINVAL;
      return NULL;
    }
  text[size] = '\0';
  return g_steal_pointer (&text);
}

HybJson *
scope_sweep_read_line (int folder, guint cell, char **line, gboolean *is_done)
{
  char             name[32];
  g_autofree char *text = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (HybJson) json = NULL;
  const char *status;
  gint64      number;

  g_snprintf (name, sizeof name, "%06u.json", cell);
  text = scope_sweep_read_at (folder, name, MAX_LINE);
  if (!text)
    return NULL;
  text[strcspn (text, "\n")] = '\0';
  bytes = g_bytes_new (text, strlen (text));
  json = hyb_json_parse (bytes, NULL, name, NULL, NULL);
  status = json ? scope_find_string (json, 0, "status") : NULL;
  *is_done = g_strcmp0 (status, "done") == 0;
  if ((!*is_done && g_strcmp0 (status, "failed") != 0) ||
      !scope_find_int (json, 0, "cell", &number) || number != cell)
    return NULL;
  if (line)
    *line = g_steal_pointer (&text);
  return g_steal_pointer (&json);
}

gboolean
scope_sweep_part_is_held (int folder, const char *name)
{
  int      file = openat (folder, name, O_RDONLY | OPEN_REGULAR);
  gboolean is_held = file >= 0 && flock (file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

  if (file >= 0)
    close (file);
  return is_held;
}

int
scope_sweep_open_cells (const char *path)
{
  int folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int cells = folder >= 0 ? openat (folder, "cells", OPEN_FOLDER) : -1;

  if (folder >= 0)
    close (folder);
  return cells;
}

/* --- Opening --- */

gboolean
scope_sweep_folder_create (const char *path, GError **error)
{
  static const char *const folders[] = { "cells", "captures" };
  int                      fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean                 is_made = fd >= 0;

  if (fd < 0)
    return fail (path, "the folder cannot be opened", error);
  for (guint i = 0; is_made && i < G_N_ELEMENTS (folders); i++)
    is_made = mkdirat (fd, folders[i], 0777) == 0 || errno == EEXIST;
  if (!is_made)
    fail (path, "a folder cannot be made in it", error);
  close (fd);
  return is_made;
}

/* Opens and locks the plan. */
static gboolean
lock_plan (ScopeSweepFolder *folder, gboolean is_part, GError **error)
{
  g_autofree char *holder = NULL;

  folder->lock = openat (folder->fd, SCOPE_SWEEP_PLAN, O_RDONLY | OPEN_REGULAR);
  if (folder->lock < 0)
    return fail (folder->path, "its " SCOPE_SWEEP_PLAN " cannot be opened", error);
  if (flock (folder->lock, (is_part ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE; /* the file system has no locks: continue without */
  holder = scope_lock_dup_holder (folder->lock);
  return hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN, folder->path, NULL,
                       "%s works on the sweep. Wait for its end, or end it", holder);
}

ScopeSweepFolder *
scope_sweep_folder_open (const char *path, const ScopeSweepPart *part, GError **error)
{
  g_autoptr (ScopeSweepFolder) folder = g_new0 (ScopeSweepFolder, 1);
  int captures;

  folder->path = g_strdup (path);
  folder->next = part->first;
  folder->end = part->end;
  folder->retries_failed = part->retries_failed;
  folder->parts = g_hash_table_new (NULL, NULL);
  folder->cells = folder->lock = -1;
  folder->fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->fd < 0)
    {
      fail (path, "the folder cannot be opened", error);
      return NULL;
    }
  folder->cells = openat (folder->fd, "cells", OPEN_FOLDER);
  captures = folder->cells >= 0 ? openat (folder->fd, "captures", OPEN_FOLDER) : -1;
  if (captures < 0)
    {
      fail (path, "its folders “cells” and “captures” cannot be opened", error);
      return NULL;
    }
  close (captures);
  return lock_plan (folder, part->is_shared, error) ? g_steal_pointer (&folder) : NULL;
}

/* --- Cells --- */

static void
name_part (guint cell, char name[32])
{
  g_snprintf (name, 32, "%06u.part", cell);
}

/* Makes and locks the file of a cell that begins.  A file that is there was left by a process that was killed; it is taken over
 * if no process has locked it and it still has its name. */
static int
open_part (ScopeSweepFolder *folder, guint cell)
{
  char        name[32];
  struct stat mine, named;
  int         file;

  name_part (cell, name);
  folder->effort.n_calls += 3;
  file = openat (folder->cells, name, O_WRONLY | O_CREAT | OPEN_REGULAR, 0666);
  if (file < 0)
    return -1;
  if (flock (file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    mine.st_nlink = 0;
  else if (fstat (file, &mine) != 0 ||
           fstatat (folder->cells, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
           mine.st_ino != named.st_ino || mine.st_dev != named.st_dev || !S_ISREG (mine.st_mode))
    mine.st_nlink = 0;
  if (mine.st_nlink == 1)
    return file;
  close (file);
  return -1;
}

static int
get_part (const ScopeSweepFolder *folder, guint cell)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (folder->parts, GUINT_TO_POINTER (cell + 1))) - 1;
}

static void
close_part (ScopeSweepFolder *folder, guint cell)
{
  close (get_part (folder, cell));
  g_hash_table_remove (folder->parts, GUINT_TO_POINTER (cell + 1));
}

/* Whether something has the name of the cell's result. */
static gboolean
has_file (ScopeSweepFolder *folder, guint cell)
{
  char        name[32];
  struct stat status;

  g_snprintf (name, sizeof name, "%06u.json", cell);
  folder->effort.n_calls++;
  return fstatat (folder->cells, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether a cell has a result that stays, or another file with the name of the result. */
static gboolean
has_result (ScopeSweepFolder *folder, guint cell)
{
  gboolean is_done;
  g_autoptr (HybJson) json = scope_sweep_read_line (folder->cells, cell, NULL, &is_done);

  folder->effort.n_calls++;
  return json ? is_done || !folder->retries_failed : has_file (folder, cell);
}

gboolean
scope_sweep_folder_take (ScopeSweepFolder *folder, guint *cell)
{
  while (folder->next < folder->end)
    {
      int part;

      *cell = folder->next++;
      if (has_result (folder, *cell) || (part = open_part (folder, *cell)) < 0)
        continue;
      g_hash_table_insert (folder->parts, GUINT_TO_POINTER (*cell + 1), GINT_TO_POINTER (part + 1));
      if (!has_result (folder, *cell))
        return TRUE;
      scope_sweep_folder_release (folder, *cell);
    }
  return FALSE;
}

void
scope_sweep_folder_release (ScopeSweepFolder *folder, guint cell)
{
  char name[32];

  name_part (cell, name);
  folder->effort.n_calls++;
  unlinkat (folder->cells, name, 0);
  close_part (folder, cell);
}

/* Whether the cell failed and is done again; then its line is replaced. */
static gboolean
replaces (const ScopeSweepFolder *folder, guint cell)
{
  gboolean is_done = TRUE;
  g_autoptr (HybJson) json = scope_sweep_read_line (folder->cells, cell, NULL, &is_done);

  return json && !is_done && folder->retries_failed;
}

/* Gives the file of the cell its name.  The file system may not support RENAME_NOREPLACE; link() does the same. */
static gboolean
rename_part (const ScopeSweepFolder *folder, guint cell)
{
  char from[32], to[32];

  name_part (cell, from);
  g_snprintf (to, sizeof to, "%06u.json", cell);
  if (replaces (folder, cell))
    return renameat (folder->cells, from, folder->cells, to) == 0;
  if (renameat2 (folder->cells, from, folder->cells, to, RENAME_NOREPLACE) == 0)
    return TRUE;
  return errno == EINVAL && linkat (folder->cells, from, folder->cells, to, 0) == 0 &&
         unlinkat (folder->cells, from, 0) == 0;
}

gboolean
scope_sweep_folder_finish (ScopeSweepFolder *folder, guint cell, const char *line, GError **error)
{
  int      file = get_part (folder, cell);
  gsize    length = strlen (line);
  gboolean is_stored;

  folder->effort.n_calls += 2;
  is_stored = ftruncate (file, 0) == 0 && write (file, line, length) == (gssize) length &&
              fdatasync (file) == 0 && rename_part (folder, cell);
  if (!is_stored)
    {
      fail (folder->path, "a result cannot be written into its folder “cells”", error);
      scope_sweep_folder_release (folder, cell);
      return FALSE;
    }
  close_part (folder, cell);
  return TRUE;
}

char *
scope_sweep_folder_read (ScopeSweepFolder *folder, guint cell, gboolean *is_done)
{
  char *line = NULL;
  g_autoptr (HybJson) json = scope_sweep_read_line (folder->cells, cell, &line, is_done);

  folder->effort.n_calls++;
  return line;
}

ScopeSweepCounts
scope_sweep_folder_count (ScopeSweepFolder *folder, guint n_cells)
{
  ScopeSweepCounts counts = { 0 };

  for (guint cell = 0; cell < n_cells; cell++)
    {
      gboolean         is_done;
      char             name[32];
      g_autofree char *line = scope_sweep_folder_read (folder, cell, &is_done);

      name_part (cell, name);
      if (line && is_done)
        counts.n_done++;
      else if (line)
        counts.n_failed++;
      else if (has_file (folder, cell))
        counts.n_strange++;
      else if (scope_sweep_part_is_held (folder->cells, name))
        counts.n_running++;
      else
        counts.n_todo++;
    }
  return counts;
}

gboolean
scope_sweep_folder_write (ScopeSweepFolder *folder,
                          const char       *name,
                          ScopeSweepWriter  write_lines,
                          gpointer          data,
                          GError          **error)
{
  g_autofree char *draft = g_strdup_printf (".%s-%08x%08x", name, g_random_int (), g_random_int ());
  int file = openat (folder->fd, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  FILE    *stream = file >= 0 ? fdopen (file, "w") : NULL;
  gboolean is_written;

  if (!stream)
    return fail (folder->path, "a file cannot be made in it", error);
  is_written = write_lines (stream, data) && fflush (stream) == 0 && fsync (file) == 0;
  if (fclose (stream) == 0 && is_written && renameat (folder->fd, draft, folder->fd, name) == 0)
    return TRUE;
  fail (folder->path, "a file cannot be written in it", error);
  unlinkat (folder->fd, draft, 0);
  return FALSE;
}

char *
scope_sweep_folder_read_file (const ScopeSweepFolder *folder, const char *name, gsize limit)
{
  return scope_sweep_read_at (folder->fd, name, limit);
}

void
scope_sweep_folder_free (ScopeSweepFolder *folder)
{
  GHashTableIter iter;
  gpointer       part;

  g_hash_table_iter_init (&iter, folder->parts);
  while (g_hash_table_iter_next (&iter, NULL, &part))
    close (GPOINTER_TO_INT (part) - 1);
  g_hash_table_unref (folder->parts);
  for (guint i = 0; i < 3; i++)
    {
      int fd = i == 0 ? folder->lock : i == 1 ? folder->cells : folder->fd;

      if (fd >= 0)
        close (fd);
    }
  g_free (folder->path);
  g_free (folder);
}

ScopeSweepEffort
scope_sweep_folder_get_effort (const ScopeSweepFolder *folder)
{
  return folder->effort;
}
