/* writer.h — small files, written in order by a thread of their own: a disk may take its time.
 *
 * A file is replaced as a whole or not at all; the folder it stands in is made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* text: (transfer full); callback: (nullable), then a failure is only in the debug log. */
void     scope_writer_write_async (const char         *path,
                                   char               *text,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data);
gboolean scope_writer_write_finish (GAsyncResult *result, GError **error);

/* What the file holds, or will hold when all is written; NULL: it cannot be read.
 * (transfer full) */
char *scope_writer_read (const char *path);

/* Returns when all is written. */
void scope_writer_wait (void);
