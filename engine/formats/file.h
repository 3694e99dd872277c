/* file.h — reads and writes whole files: by mapping, and by renaming a temporary file.
 *
 * gzip-compressed files are decompressed when they are read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Limit for text files after decompression; parameter files have no limit. */
#define HYB_FILE_TEXT_LIMIT ((gsize) 1 << 30)

/* The contents of a file, mapped into memory if possible.  Compressed data is refused if it has more
 * than limit bytes after decompression (0: no limit).  (transfer full) */
GBytes *hyb_file_read (const char *path, gsize limit, GError **error);
/* Writes the contents of a file to out. */
typedef gboolean (*HybWriteFunc) (GOutputStream *out, gpointer data, GError **error);

/* Writes a temporary file beside path and renames it at the end, so that an interrupted write leaves
 * the old file as it was.  Links are followed; pipes and devices are written directly. */
gboolean hyb_file_replace (const char *path, HybWriteFunc write, gpointer data, GError **error);
/* hyb_file_replace() with n bytes of data. */
gboolean hyb_file_replace_contents (const char *path, gconstpointer data, gsize n, GError **error);
