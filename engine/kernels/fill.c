/* fill.c — one value, many times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/fill.h"

#include "engine/base/parallel.h"

#include <string.h>

/* Elements written by doubling before other threads copy them. */
#define PATTERN 4096

typedef struct
{
  char  *to;
  gint64 size;
} FillWork;

static void
fill_slice (gint64 begin, gint64 end, gpointer data)
{
  const FillWork *work = data;

  for (gint64 at = begin; at < end; at += PATTERN)
    memcpy (work->to + (PATTERN + at) * work->size,
            work->to,
            (gsize) (MIN (PATTERN, end - at) * work->size));
}

void
hyb_fill (gpointer to, HybDType dtype, double value, gsize count)
{
  gsize    size = hyb_dtype_size (dtype);
  FillWork work = { to, (gint64) size };
  gsize    done = 1;

  if (count == 0)
    return;
  hyb_dtype_set_double (to, dtype, 0, value);
  for (; done < MIN (PATTERN, count); done *= 2)
    memcpy ((char *) to + done * size, to, MIN (done, MIN (PATTERN, count) - done) * size);
  if (count > PATTERN)
    hyb_parallel_for ((gint64) count - PATTERN, 8 * PATTERN, fill_slice, &work);
}
