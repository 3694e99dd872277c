/* writer.h — writes small files in a thread, in the order of the calls.
 *
 * A file is replaced atomically; its folder is created if needed.  g_file_replace_contents_async() keeps no order between
 * its calls, so that an older text could replace a newer one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Queues a file.  text: (transfer full).  callback: (nullable) without one, a failure is only logged as
 * debug message. */
void scope_writer_write_async (const char         *path,
                               char               *text,
                               GAsyncReadyCallback callback,
                               gpointer            user_data);
/* FALSE and an error: the file was not written. */
gboolean scope_writer_write_finish (GAsyncResult *result, GError **error);

/* The contents of the file once the queue is written; NULL: it cannot be read.  (transfer full) */
char *scope_writer_read (const char *path);

/* Returns when the queue is empty. */
void scope_writer_wait (void);
