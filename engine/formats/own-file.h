/* own-file.h — small files that this program keeps for itself, below the user's cache folder.
 *
 * Files that others could have written are neither read nor written: links, pipes, files and folders of others, and
 * those that others may write.  Which file or folder others could have written is logged (G_LOG_LEVEL_INFO).
 *
 * Threads: any thread; of two that write the same file one wins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns the contents of a file of at most `limit` bytes with a 0 after them; NULL if there is none, or it is too long
 * or not the user's own.  (transfer full) */
HYB_API char *hyb_own_file_read (const char *path, gsize limit, gsize *length);
/* Writes a new file, which only the user may read, and lets it take the place of path; makes the folder if it does not
 * exist.  FALSE: the folder is not the user's own, or the file cannot be written. */
HYB_API gboolean hyb_own_file_write (const char *path,
                                     const char *contents,
                                     gsize       length,
                                     GError    **error);

G_END_DECLS
