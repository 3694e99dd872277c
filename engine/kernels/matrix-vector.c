/* matrix-vector.c — a matrix times one vector: which loops run, and on how many threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix-vector.h"

#include "engine/base/parallel.h"

#ifdef __x86_64__
#define SIMD_AVX2
#include "engine/kernels/simd.h"

#include "engine/kernels/matrix-vector-kernel.h"
#define SIMD_AVX512
#include "engine/kernels/simd.h"

#include "engine/kernels/matrix-vector-kernel.h"
#endif
#include "engine/kernels/simd.h"

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 32768
/* Columns are cut here, so that none is computed by another loop where threads are more. */
#define COLUMNS 64

typedef void (*Add) (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y);

static void
add_rows_plain (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  for (gint64 i = 0; i < n; i++)
    {
      float sum[4] = { 0 };

      for (gint64 l = 0; l < k; l++)
        sum[l & 3] += w[i * ldw + l] * x[l];
      y[i] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static void
add_columns_plain (gint64 n, gint64 k, const float *w, gint64 ldw, const float *x, float *y)
{
  for (gint64 l = 0; l < k; l++)
    for (gint64 j = 0; j < n; j++)
      y[j] += x[l] * w[l * ldw + j];
}

#ifdef __x86_64__
static const Add add_rows[] = { add_rows_plain, add_rows_avx2, add_rows_avx512 };
static const Add add_columns[] = { add_columns_plain, add_columns_avx2, add_columns_avx512 };
#else
static const Add add_rows[] = { add_rows_plain };
static const Add add_columns[] = { add_columns_plain };
#endif

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
  Job job = { add_rows[hyb_simd_level ()], n, k, ldw, w, x, y };

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
  Job job = { add_columns[hyb_simd_level ()], n, k, ldw, w, x, y };

  hyb_parallel_for ((n + COLUMNS - 1) / COLUMNS,
                    1 + GRAIN / (COLUMNS * MAX (k, 1)),
                    columns_slice,
                    &job);
}
