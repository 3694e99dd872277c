/* plan-memory.h — assigns offsets in one block of memory to values with limited lifetimes.
 *
 * Knows nothing of graphs: it is given intervals of steps and sizes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Memory that is needed from step begin to step end, both inclusive. */
typedef struct
{
  guint32 begin, end; /* end G_MAXUINT32: until the end of the run */
  gsize   bytes;
  gsize   offset; /* result: a multiple of the alignment */
} HybInterval;

/* Gives every interval an offset such that intervals which overlap in time do not overlap in
 * memory.  Best fit, O(n log n).  All intervals begin before step n_steps.  *total: the size of the
 * block in bytes.  Returns n, or the index of the first interval that would make the block larger
 * than limit. */
guint hyb_memory_plan (HybInterval *intervals, guint n, guint32 n_steps, gsize limit, gsize *total);
