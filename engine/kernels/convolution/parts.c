/* parts.c — independent parts of a convolution, shared out over threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/parts.h"

#include "engine/base/parallel-pieces.h"
#include "engine/base/parallel.h"

/* Areas, and elements in all areas but the first, at most: 16 MiB of floats. */
#define MAX_AREAS    16
#define MAX_ELEMENTS ((gint64) 4 << 20)

/* Multiplications below which a piece is not worth a thread. */
#define GRAIN 262144

typedef struct
{
  HybPartFunc   func;
  gconstpointer data;
  gint64        piece; /* parts that share an area */
} Job;

gint64
hyb_parts_n_areas (const HybParts *parts)
{
  gint64 room = 1 + MAX_ELEMENTS / MAX (parts->area, 1);

  return MIN (MIN (MAX (parts->n, 1), MAX_AREAS), room);
}

static void
compute_parts (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  for (gint64 part = begin; part < end; part++)
    job->func (part, begin / job->piece, job->data);
}

void
hyb_parts_for_each (const HybParts *parts, HybPartFunc func, gconstpointer data)
{
  gint64 n_threads = hyb_parallel_get_threads ();
  gint64 shared = n_threads <= hyb_parts_n_areas (parts) ? parts->n - parts->n % n_threads : 0;
  Job    job = { func, data, 0 };

  if (shared > 0)
    {
      gint64 grain = 1 + (gint64) (GRAIN / MAX (parts->work, 1));

      job.piece = hyb_parallel_pieces (shared, grain, (guint) n_threads).size;
      /* With this grain no piece is smaller, even if there are more threads by now. */
      hyb_parallel_for (shared, job.piece, compute_parts, &job);
    }
  for (gint64 part = shared; part < parts->n; part++)
    func (part, 0, data);
}
