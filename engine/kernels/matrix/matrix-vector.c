/* matrix-vector.c — a matrix times one vector: which loops run, and on how many threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/matrix-vector.h"

#include "engine/base/parallel.h"

#define SIMD_KERNEL "engine/kernels/matrix/matrix-vector-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 32768
/* Columns are cut here, so that none is computed by another loop where threads are more. */
#define COLUMNS 64

/* Floats of a matrix that a cache of the core holds for the most part. */
#define NEAR 393216

typedef void (*AddRows) (gint64       n,
                         gint64       k,
                         const float *w,
                         gint64       ldw,
                         const float *x,
                         float       *y,
                         gint64       step);
typedef void (
    *AddColumns) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y);

typedef struct
{
  AddRows      add_rows;
  AddColumns   add_columns;
  gboolean     backwards; /* the last row first */
  gint64       n, k, ldw;
  const float *w, *x;
  float       *y;
} Job;

static void
rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     first = job->backwards ? job->n - 1 - begin : begin;
  gint64     step = job->backwards ? -1 : 1;

  job->add_rows (end - begin,
                 job->k,
                 job->w + first * job->ldw,
                 step * job->ldw,
                 job->x,
                 job->y + first,
                 step);
}

static void
columns_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     first = begin * COLUMNS;

  job->add_columns (MIN (end * COLUMNS, job->n) - first,
                    job->k,
                    job->w + first,
                    job->ldw,
                    job->x,
                    job->y + first);
}

/* Whether the cache still holds the end of the matrix, since it was read to there just now. */
static gboolean
comes_again (const float *w)
{
  static _Thread_local const float *last;
  static _Thread_local gboolean     backwards;

  backwards = w == last && !backwards;
  last = w;
  return backwards;
}

void
hyb_matrix_vector (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  gboolean near = n <= NEAR / MAX (k, 1);
  Job      job = { .n = n, .k = k, .ldw = ldw, .w = w, .x = x, .y = y };

  job.add_rows = near ? HYB_SIMD_CHOOSE (add_near_rows) : HYB_SIMD_CHOOSE (add_far_rows);
  job.backwards = near && comes_again (w);
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
  Job job = { .n = n, .k = k, .ldw = ldw, .w = w, .x = x, .y = y };

  job.add_columns = HYB_SIMD_CHOOSE (add_columns);

  hyb_parallel_for ((n + COLUMNS - 1) / COLUMNS,
                    1 + GRAIN / (COLUMNS * MAX (k, 1)),
                    columns_slice,
                    &job);
}
