/* parallel.h — one pool of threads for the whole process.
 *
 * A slice may allocate nothing, log nothing and take no locks.  Nested calls run
 * in the caller.  How work is cut depends only on n, grain and the number of
 * threads, so results do not depend on timing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*HybParallelFunc) (gint64 begin, gint64 end, gpointer data);

/* Calls func for pieces of [0, n), none smaller than grain (but the last). */
void     hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data);
void     hyb_parallel_set_threads (guint n_threads); /* 0: one per core */
guint    hyb_parallel_get_threads (void);
gboolean hyb_parallel_is_inside (void); /* called from a slice */

G_END_DECLS
