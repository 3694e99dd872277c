/* limits.h — how much memory and work opening one file may take.
 *
 * Files come from strangers, and a small one may describe terabytes.  Readers check allocations against these limits
 * first.  Threads: any thread may set them; files that are being opened may use the former limits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS

/* Sets the limits for every file that is opened from now on.  0: the default. */
HYB_API void hyb_limits_set (guint64 memory_bytes, guint64 work);

/* Bytes that reading a file may allocate: 256 MiB and six times the size of the file, unless a limit was
 * set. */
HYB_API guint64 hyb_limits_get_memory (guint64 file_bytes);

/* How often rules of operators may be applied while the types of a graph are inferred: ten million
 * times, unless a limit was set. */
HYB_API guint64 hyb_limits_get_work (void);

/* FALSE and an error if needed is more than the limit of memory for a file of file_bytes.  where: the
 * file, or a part of it; may be NULL. */
HYB_API gboolean hyb_limits_check_memory (guint64     needed,
                                          guint64     file_bytes,
                                          const char *where,
                                          GError    **error);

/* Bytes that a run may use: the least of the machine's memory, the limit that was set, and the room that
 * a limit of the process (ulimit -v or -d) leaves beside the buffers of the library for matrix products. */
HYB_API guint64 hyb_limits_get_run_memory (void);

/* Bytes that a limit of the process (ulimit -v or -d) still allows to allocate; G_MAXUINT64 without a limit. */
HYB_API guint64 hyb_limits_get_room (void);

/* The number of threads for which a limit of the process has room, at least 1; G_MAXUINT without a limit.  Based
 * on the memory that the process had allocated at the first call. */
HYB_API guint hyb_limits_get_threads (void);

G_END_DECLS
