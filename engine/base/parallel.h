/* parallel.h — parallel loops on one pool of threads for the whole process.
 * A slice must not allocate, log or take locks.  Nested calls run in the calling thread.  How the range is split depends
 * only on n, grain and the number of threads, never on timing.
 * Threads: any thread may start a loop; while the pool works for one, the loops of others run in their own thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS

/* Computes the slice [begin, end). */
typedef void (*HybParallelFunc) (gint64 begin, gint64 end, gpointer data);

/* Calls func for slices that cover [0, n) and returns when all have finished.  No slice but the
 * last is smaller than grain. */
HYB_API void hyb_parallel_for (gint64 n, gint64 grain, HybParallelFunc func, gpointer data);
/* Sets the number of threads; 0 is the default, one for each core. */
HYB_API void hyb_parallel_set_threads (guint n_threads);
/* The number of threads in use. */
HYB_API guint hyb_parallel_get_threads (void);
/* Called before and after every slice that a thread other than the caller of hyb_parallel_for()
 * computes, in that thread. */
typedef struct
{
  gpointer data;
  void (*begin) (gpointer data);
  void (*end) (gpointer data);
} HybParallelWatch;
/* Sets the watch, which must live until another one is set; NULL: none.  No loop may be running. */
HYB_API void hyb_parallel_set_watch (const HybParallelWatch *watch);
/* TRUE if the caller runs inside a slice. */
HYB_API gboolean hyb_parallel_is_inside (void);

G_END_DECLS
