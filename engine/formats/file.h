/* file.h — reads and writes whole files: large ones by mapping, and by renaming a temporary file.
 *
 * gzip-compressed files are decompressed when they are read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Limit for text files after decompression; parameter files have no limit. */
#define HYB_FILE_TEXT_LIMIT ((gsize) 1 << 30)

/* The contents of a file; of a large one they are mapped (mapped-file.h).  Compressed data is refused if it has more
 * than limit bytes after decompression (0: no limit).  (transfer full) */
GBytes *hyb_file_read (const char *path, gsize limit, GError **error);
/* Decompresses bytes if they are gzip data, and returns them as they are otherwise.  limit: as for
 * hyb_file_read(); where: the file, in messages.  (transfer full) */
GBytes *hyb_file_unpack (GBytes *bytes, gsize limit, const char *where, GError **error);
/* Writes n bytes.  If the file that they are mapped from became shorter, the error says so. */
gboolean hyb_file_write (GOutputStream *out, gconstpointer data, gsize n, GError **error);
/* Writes the contents of a file to out. */
typedef gboolean (*HybWriteFunc) (GOutputStream *out, gpointer data, GError **error);

/* Writes a new file and lets it take the place of path, so that an interrupted write leaves the old
 * file as it was.  Permissions are kept and links are followed; pipes and devices are written
 * directly. */
gboolean hyb_file_replace (const char *path, HybWriteFunc write, gpointer data, GError **error);
/* hyb_file_replace() with n bytes of data. */
gboolean hyb_file_replace_contents (const char *path, gconstpointer data, gsize n, GError **error);

/* For names that were made up from a prefix or a folder, where a link was put by somebody else than the user who named the
 * prefix.  FALSE and an error if path is a link to a file outside of its folder, or to nothing that can be found.
 * Folders above path may be links. */
gboolean hyb_file_check_link (const char *path, GError **error);

/* From now on, bytes written to a file of this name go to the descriptor instead, from its current
 * position.  A later call replaces this one; path: NULL ends it. */
void hyb_file_redirect (const char *path, int descriptor);

/* A file that is completely written and waits to take the place of another.  With several of them, a
 * full disk changes none of the old files. */
typedef struct _HybPendingFile HybPendingFile;

/* Writes a new file for path.  (transfer full) NULL: it cannot be written. */
HybPendingFile *
hyb_file_prepare (const char *path, HybWriteFunc write, gpointer data, GError **error);
/* hyb_file_prepare() with n bytes of data. */
HybPendingFile *
hyb_file_prepare_contents (const char *path, gconstpointer data, gsize n, GError **error);
/* Lets all n files take their places, in order. */
gboolean hyb_files_commit (HybPendingFile *const *files, guint n, GError **error);
/* Removes the written bytes, unless the file took its place. */
void hyb_pending_file_free (HybPendingFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybPendingFile, hyb_pending_file_free)
