/* plan-memory.h — where in one block everything lies that a run needs for a while.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Memory that must be there from step begin to step end, both included. */
typedef struct
{
  guint32 begin, end; /* end G_MAXUINT32: for good */
  gsize   bytes;
  gsize   offset; /* the answer, a multiple of the alignment */
} HybInterval;

/* Gives every interval an offset so that those that overlap in time do not in
 * space: the smallest gap that is large enough, in O(n log n).  n_steps: all begin
 * before it.  *total: size of the block.  Returns n, or the index of the interval
 * that would take the block beyond limit. */
guint hyb_memory_plan (HybInterval *intervals, guint n, guint32 n_steps, gsize limit, gsize *total);
