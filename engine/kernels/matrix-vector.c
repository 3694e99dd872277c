/* matrix-vector.c — a matrix times one vector: which loops run, and on how many threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix-vector.h"

#include "engine/base/parallel.h"

#define SIMD_KERNEL "engine/kernels/matrix-vector-kernel.h"
#include "engine/kernels/each-simd.h"

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 32768
/* Columns are cut here, so that none is computed by another loop where threads are more. */
#define COLUMNS 64

typedef void (*Add) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y);

typedef struct
{
  Add          add;
  gint64       n, k, ldw;
  const float *w, *x;
  float       *y;
} Job;

static void
rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  job->add (end - begin, job->k, job->w + begin * job->ldw, job->ldw, job->x, job->y + begin);
}

static void
columns_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     first = begin * COLUMNS;

  job->add (MIN (end * COLUMNS, job->n) - first,
            job->k,
            job->w + first,
            job->ldw,
            job->x,
            job->y + first);
}

void
hyb_matrix_vector (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  Job job = { HYB_SIMD_CHOOSE (add_rows), n, k, ldw, w, x, y };

  hyb_parallel_for (n, 1 + GRAIN / MAX (k, 1), rows_slice, &job);
}

void
hyb_matrix_transposed_vector (gint64       n,
                              gint64       k,
                              const float *w,
                              gint64       ldw,
                              const float *x,
                              float       *y)
{
  Job job = { HYB_SIMD_CHOOSE (add_columns), n, k, ldw, w, x, y };

  hyb_parallel_for ((n + COLUMNS - 1) / COLUMNS,
                    1 + GRAIN / (COLUMNS * MAX (k, 1)),
                    columns_slice,
                    &job);
}
