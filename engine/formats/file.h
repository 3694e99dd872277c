/* file.h — whole files in and out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* No text that we read is larger once unpacked; parameter files have no such limit. */
#define HYB_FILE_TEXT_LIMIT ((gsize) 1 << 30)

/* Mapped, not copied; gzip is unpacked, and refused beyond limit bytes (0: none). */
GBytes *hyb_file_read (const char *path, gsize limit, GError **error);
/* The same unpacking for bytes that are here already; (transfer full), perhaps the same. */
GBytes *hyb_bytes_gunzip (GBytes *bytes, gsize limit, const char *where, GError **error);

typedef gboolean (*HybWriteFunc) (GOutputStream *out, gpointer data, GError **error);

/* Writes beside path and renames at the end: an interrupted write leaves the old file. */
gboolean hyb_file_replace (const char *path, HybWriteFunc write, gpointer data, GError **error);
gboolean hyb_file_replace_contents (const char *path, gconstpointer data, gsize n, GError **error);
