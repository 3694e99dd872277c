/* file-replace.c — writes files as a whole: a complete file takes the place of the old one.
 *
 * The new contents have no name while they are written, if the file system allows that, so that nothing
 * is left behind when the process is killed.  Otherwise, and for the moment between naming and renaming,
 * the name is ".NAME.PID-N.part"; the next save beside it removes such files of processes that are gone.
 * Start at hyb_file_replace() and hyb_files_commit().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (256 * 1024)
#define PART_ENDING ".part"
#define MAX_LINKS   40     /* as Linux follows */
#define WAIT        100000 /* µs between attempts to open a pipe */
#define N_WAITS     30

struct _HybPendingFile
{
  char    *path;       /* as given */
  char    *target;     /* with links resolved */
  char    *temporary;  /* the name before renaming */
  int      descriptor; /* -1: written in place */
  gboolean replaces;   /* there was an old file */
  gboolean has_name;   /* temporary exists */
  gboolean is_old;     /* temporary names the old file, which was exchanged for the new one */
};

static gboolean
fail_with_errno (GError **error, const char *path, const char *what)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s: %s", path, what,
               g_strerror (code));
  return FALSE;
}

/* --- Writing --- */

static gboolean
write_descriptor (int          descriptor,
                  const char  *path,
                  HybWriteFunc write,
                  gpointer     data,
                  GError     **error)
{
  g_autoptr (GOutputStream) plain = g_unix_output_stream_new (descriptor, FALSE);
  g_autoptr (GOutputStream) out = g_buffered_output_stream_new_sized (plain, CHUNK_BYTES);
  g_autoptr (GError) cause = NULL;

  if (write (out, data, &cause) && g_output_stream_close (out, NULL, &cause))
    return TRUE;

  /* The errors of a stream do not mention the name of the file. */
  if (cause && cause->domain == G_IO_ERROR)
    g_prefix_error (&cause, "%s: cannot be written: ", path);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* For pipes and devices, which cannot be replaced. */
/* Opens a pipe or device.  A pipe gets some time for a program to open its other end. */
static int
open_in_place (const char *path)
{
  int descriptor;

  for (guint i = 0; i < N_WAITS; i++)
    {
      descriptor = g_open (path, O_WRONLY | O_CLOEXEC | O_NONBLOCK, 0);
      if (descriptor >= 0 || errno != ENXIO)
        break;
      g_usleep (WAIT);
    }
  if (descriptor >= 0)
    fcntl (descriptor, F_SETFL, fcntl (descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

static gboolean
write_in_place (const char *path, HybWriteFunc write, gpointer data, GError **error)
{
  int      descriptor = open_in_place (path);
  gboolean written;

  if (descriptor < 0 && errno == ENXIO)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NXIO, "%s: no program reads the pipe", path);
      return FALSE;
    }
  if (descriptor < 0)
    return fail_with_errno (error, path, "cannot be opened for writing");

  written = write_descriptor (descriptor, path, write, data, error);
  if (close (descriptor) != 0 && written)
    return fail_with_errno (error, path, "cannot be written");

  return written;
}

static struct
{
  char *path; /* NULL: nothing is redirected */
  int   descriptor;
} redirection;

void
hyb_file_redirect (const char *path, int descriptor)
{
  g_free (redirection.path);
  redirection.path = g_strdup (path);
  redirection.descriptor = descriptor;
}

/* --- Temporary files --- */

/* The process that wrote a temporary file of base; 0: name is not such a file. */
static gint64
part_writer (const char *name, const char *base)
{
  gsize       length = strlen (base);
  const char *number;
  char       *end;
  gint64      process;

  if (name[0] != '.' || strncmp (name + 1, base, length) != 0 || name[length + 1] != '.' ||
      !g_str_has_suffix (name, PART_ENDING))
    return 0;
  number = name + length + 2;
  process = g_ascii_strtoll (number, &end, 10);
  return end > number && *end == '-' && process > 0 && process <= G_MAXINT ? process : 0;
}

/* Removes temporary files that killed processes left beside target. */
static void
sweep (const char *target)
{
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *base = g_path_get_basename (target);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      gint64 process = part_writer (name, base);

      if (process > 0 && kill ((pid_t) process, 0) != 0 && errno == ESRCH)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);

          g_unlink (path);
        }
    }
}

/* (transfer full) */
static char *
new_temporary (const char *target)
{
  static int       counter;
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *base = g_path_get_basename (target);
  g_autofree char *name = g_strdup_printf (".%s.%d-%d" PART_ENDING, base, (int) getpid (),
                                           g_atomic_int_add (&counter, 1));

  return g_build_filename (folder, name, NULL);
}

/* Opens an unnamed file in the folder of the target, or a named one where that is not possible. */
static gboolean
open_temporary (HybPendingFile *file, mode_t mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file->target);

  if (!file->temporary)
    file->temporary = new_temporary (file->target);
  if (access ("/proc/self/fd", X_OK) == 0)
    file->descriptor = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (file->descriptor >= 0)
    return TRUE;

  file->descriptor = g_open (file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file->descriptor < 0)
    return fail_with_errno (error, file->path, "cannot be written");
  file->has_name = TRUE;
  return TRUE;
}

static void
close_temporary (HybPendingFile *file)
{
  if (file->has_name)
    g_unlink (file->temporary);
  file->has_name = FALSE;
  if (file->descriptor >= 0)
    close (file->descriptor);
  file->descriptor = -1;
}

/* Opens a file with exactly this mode.  A sandbox does not allow to change modes; there the file is made
 * again without the mask of the process, which then has no other thread that makes files. */
static gboolean
open_with_mode (HybPendingFile *file, mode_t mode, GError **error)
{
  struct stat now;
  mode_t      mask;
  gboolean    opened;

  if (!open_temporary (file, mode, error))
    return FALSE;
  if ((fstat (file->descriptor, &now) == 0 && (now.st_mode & 0777) == mode) ||
      fchmod (file->descriptor, mode) == 0)
    return TRUE;
  if (errno != EPERM)
    return fail_with_errno (error, file->path, "its permissions cannot be kept");
  close_temporary (file);
  mask = umask (0);
  opened = open_temporary (file, mode, error);
  umask (mask);
  return opened;
}

/* Gives an unnamed file its temporary name. */
static gboolean
name_temporary (HybPendingFile *file, GError **error)
{
  g_autofree char *opened = g_strdup_printf ("/proc/self/fd/%d", file->descriptor);

  if (file->has_name || file->descriptor < 0)
    return TRUE;
  if (linkat (AT_FDCWD, opened, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) != 0)
    return fail_with_errno (error, file->path, "cannot be written");
  file->has_name = TRUE;
  return TRUE;
}

/* Gives the new file the owner of the old one, where this is allowed. */
static gboolean
copy_owner (const HybPendingFile *file, const struct stat *old, GError **error)
{
  if (fchown (file->descriptor, old->st_uid, old->st_gid) != 0)
    g_debug ("%s: the owner cannot be kept: %s", file->path, g_strerror (errno));
  /* Without fsync(), a crash after the rename could lose the old contents. */
  if (fsync (file->descriptor) != 0 && errno != EINVAL)
    return fail_with_errno (error, file->path, "cannot be written");
  return TRUE;
}

/* --- Pending files --- */

void
hyb_pending_file_free (HybPendingFile *file)
{
  close_temporary (file);
  g_free (file->path);
  g_free (file->target);
  g_free (file->temporary);
  g_free (file);
}

/* The target of a chain of links, which may be absent.  NULL and errno if the links form a
 * cycle. */
static char *
resolve_links (const char *path)
{
  g_autofree char *name = g_strdup (path);

  for (guint i = 0; i < MAX_LINKS; i++)
    {
      g_autofree char *folder = g_path_get_dirname (name);
      g_autofree char *text = g_file_read_link (name, NULL);

      if (!text)
        return g_steal_pointer (&name);
      g_free (name);
      name = g_path_is_absolute (text) ? g_strdup (text) : g_build_filename (folder, text, NULL);
    }
  errno = ELOOP;
  return NULL;
}

/* The folder or file that a path leads to, or the folder in which it would be made.  (transfer full) NULL: there is none. */
static char *
find_place (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  char            *place = realpath (path, NULL);

  return place ? place : realpath (folder, NULL);
}

gboolean
hyb_file_check_link (const char *path, GError **error)
{
  g_autofree char *target = resolve_links (path);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *folder = realpath (parent, NULL);
  g_autofree char *place = target ? find_place (target) : NULL;
  gsize            n = folder && folder[1] ? strlen (folder) : 0; /* 0: in the root */
  struct stat      status;

  if (lstat (path, &status) != 0 || !S_ISLNK (status.st_mode) ||
      (folder && place && strncmp (place, folder, n) == 0 && (!place[n] || place[n] == '/')))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP,
               "%s: this is a link out of its folder, and only an output whose whole name is given "
               "is "
               "written through one. Remove the link, or choose another name",
               path);
  return FALSE;
}

/* TRUE if the name belongs to a file that can be replaced.  Links of /proc may not hold a path. */
static gboolean
is_replaceable (const char *name, const struct stat *file)
{
  struct stat named;

  return S_ISREG (file->st_mode) && stat (name, &named) == 0 && named.st_dev == file->st_dev &&
         named.st_ino == file->st_ino;
}

HybPendingFile *
hyb_file_prepare (const char *path, HybWriteFunc write, gpointer data, GError **error)
{
  g_autoptr (HybPendingFile) file = g_new0 (HybPendingFile, 1);
  struct stat old;
  gboolean    exists = stat (path, &old) == 0;

  file->descriptor = -1;
  file->path = g_strdup (path);
  if (g_strcmp0 (path, redirection.path) == 0)
    return write_descriptor (redirection.descriptor, path, write, data, error)
               ? g_steal_pointer (&file)
               : NULL;
  file->target = resolve_links (path); /* a link stays a link */
  file->replaces = exists;
  if (exists && S_ISDIR (old.st_mode))
    errno = EISDIR;
  if (!file->target || (exists && S_ISDIR (old.st_mode)))
    {
      fail_with_errno (error, path, "cannot be written");
      return NULL;
    }
  if (exists && !is_replaceable (file->target, &old))
    return write_in_place (path, write, data, error) ? g_steal_pointer (&file) : NULL;

  sweep (file->target);
  if (!(exists ? open_with_mode (file, old.st_mode & 0777, error)
               : open_temporary (file, 0666, error)) ||
      !write_descriptor (file->descriptor, path, write, data, error) ||
      (exists && !copy_owner (file, &old, error)))
    return NULL;
  return g_steal_pointer (&file);
}

/* Gives the new file its name.  The old one is kept under the temporary name, where the file system can
 * exchange names. */
static gboolean
move_in (HybPendingFile *file)
{
  file->is_old =
      renameat2 (AT_FDCWD, file->temporary, AT_FDCWD, file->target, RENAME_EXCHANGE) == 0;
  if (file->is_old)
    return TRUE;
  if (rename (file->temporary, file->target) != 0)
    return FALSE;
  file->has_name = FALSE;
  return TRUE;
}

/* Undoes move_in(), as far as the old file still exists. */
static void
move_out (HybPendingFile *file)
{
  if (file->is_old)
    renameat2 (AT_FDCWD, file->temporary, AT_FDCWD, file->target, RENAME_EXCHANGE);
  else if (file->descriptor >= 0 && !file->replaces)
    g_unlink (file->target);
  file->is_old = FALSE;
}

static void
drop_old (HybPendingFile *file)
{
  if (file->has_name)
    g_unlink (file->temporary);
  file->has_name = FALSE;
}

gboolean
hyb_files_commit (HybPendingFile *const *files, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!name_temporary (files[i], error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (files[i]->has_name && !move_in (files[i]))
      {
        fail_with_errno (error, files[i]->path, "cannot be replaced");
        while (i-- > 0)
          move_out (files[i]);
        return FALSE;
      }
  for (guint i = 0; i < n; i++)
    drop_old (files[i]);
  return TRUE;
}

gboolean
hyb_file_replace (const char *path, HybWriteFunc write, gpointer data, GError **error)
{
  g_autoptr (HybPendingFile) file = hyb_file_prepare (path, write, data, error);

  return file && hyb_files_commit (&file, 1, error);
}

typedef struct
{
  gconstpointer data;
  gsize         length;
} Contents;

static gboolean
write_contents (GOutputStream *out, gpointer data, GError **error)
{
  const Contents *contents = data;

  return hyb_file_write (out, contents->data, contents->length, error);
}

gboolean
hyb_file_replace_contents (const char *path, gconstpointer data, gsize n, GError **error)
{
  Contents contents = { data, n };

  return hyb_file_replace (path, write_contents, &contents, error);
}

HybPendingFile *
hyb_file_prepare_contents (const char *path, gconstpointer data, gsize n, GError **error)
{
  Contents contents = { data, n };

  return hyb_file_prepare (path, write_contents, &contents, error);
}
