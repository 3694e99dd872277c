/* window-pool.c — maximum, sum or average of windows that slide over planes of floats; see window-pool.h.
 *
 *   for each plane (split over threads), for each strip of the map: lay out the rows that it needs; for each four rows of
 *   the map, for each vector of a row, for each tap: result = max (result, cells) or result + cells; divide; write.
 *
 * The inner loops are in window-pool-kernel.h.  Start with hyb_window_pool().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/window-pool.h"

#include "engine/kernels/convolution/parts.h"
#include "engine/kernels/convolution/window-rows.h"

#include <float.h>

#include "engine/kernels/vectorise.h"

/* Taps of a window above which the maximum takes its columns first. */
#define SMALL_WINDOW 9

/* Some rows of the map, and the rows that were laid out for them. */
typedef struct
{
  const float  *rows;
  gint64        row;               /* floats from one of these rows to the next */
  const gint64 *columns;           /* where the cells under each tap of a row begin */
  gint64        kernel[2], stride; /* of rows */
  gint64        n_rows, n_columns;
  float        *map;
  const float  *row_divisors, *column_divisors; /* of averages, else NULL */
  float        *best;                           /* a row that is laid out: the maxima of columns */
} Strip;

/* Computes all rows of a strip. */
typedef void (*PoolStrip) (const Strip *strip);

/* The kernels of one instruction set. */
typedef struct
{
  PoolStrip max, max_by_columns, sum;
} Kernels;

#define SIMD_KERNEL "engine/kernels/convolution/window-pool-kernel.h"
#include "engine/kernels/simd/each-simd.h"

gboolean
hyb_window_pool_fits (const HybConvolve *window)
{
  return hyb_window_rows_fit (window);
}

/* All planes, and their common parameters. */
typedef struct
{
  const HybWindowPool *pool;
  HybWindowRows        rows;
  PoolStrip            reduce;
  gint64 area;     /* floats of the workspace for a thread: rows, and the maxima of columns */
  float *divisors; /* by row of the map, then by column; NULL: nothing is divided */
} Pooling;

static gint64
count_divisors (const HybConvolve *window)
{
  return window->map[1] + window->map[2] + HYB_WINDOW_SLACK;
}

static HybParts
find_parts (const HybConvolve *window, const HybWindowRows *rows)
{
  return (HybParts){ .n = window->batch,
                     .work = (double) (window->map[1] * window->map[2]) *
                             (double) (window->kernel[1] * window->kernel[2]),
                     .area = hyb_window_rows_size (rows) + rows->row + HYB_WINDOW_SLACK };
}

gsize
hyb_window_pool_workspace (const HybConvolve *window)
{
  HybWindowRows rows;
  HybParts      parts;

  hyb_window_rows_init (&rows, window, 0);
  parts = find_parts (window, &rows);
  return sizeof (float) *
         (gsize) (parts.area * hyb_parts_n_areas (&parts) + count_divisors (window));
}

/* Writes how many cells each window counts along one axis; at least 1, so that empty windows give 0. */
static void
count_cells (const HybWindowPool *pool, int axis, float *to)
{
  const HybConvolve *window = &pool->window;
  gint64             image = window->image[axis], pad = window->pad[axis];

  for (gint64 i = 0; i < window->map[axis]; i++)
    {
      gint64 begin = i * window->stride[axis] - pad;
      gint64 end = MIN (begin + window->kernel[axis], image + pad);

      if (!pool->counts_padding)
        {
          begin = MAX (begin, 0);
          end = MIN (end, image);
        }
      to[i] = (float) MAX (end - begin, 1);
    }
}

static void
pool_plane (gint64 plane, gint64 area, gconstpointer data)
{
  const Pooling       *pooling = data;
  const HybWindowPool *pool = pooling->pool;
  const HybConvolve   *window = &pool->window;
  const HybWindowRows *rows = &pooling->rows;
  float               *laid_out = (float *) pool->workspace + area * pooling->area;
  HybWindowPlane       source = hyb_window_plane (rows, pool->image, window->batch, plane);
  float               *map = pool->map + plane * window->map[1] * window->map[2];
  const float         *divisors = pooling->divisors;

  for (gint64 first = 0, n; first < window->map[1]; first += n)
    {
      n = MIN (rows->strip, window->map[1] - first);
      hyb_window_rows_fill (rows, &source, first, n, laid_out);
      pooling->reduce (&(Strip){ .rows = laid_out,
                                 .row = rows->row,
                                 .columns = rows->columns,
                                 .kernel = { window->kernel[1], window->kernel[2] },
                                 .stride = window->stride[1],
                                 .n_rows = n,
                                 .n_columns = window->map[2],
                                 .map = map + first * window->map[2],
                                 .row_divisors = divisors ? divisors + first : NULL,
                                 .column_divisors = divisors ? divisors + window->map[1] : NULL,
                                 .best = laid_out + hyb_window_rows_size (rows) });
    }
}

static PoolStrip
choose_kernel (const HybWindowPool *pool)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);

  if (pool->kind != HYB_POOL_MAX)
    return kernels->sum;
  return pool->window.kernel[1] * pool->window.kernel[2] > SMALL_WINDOW ? kernels->max_by_columns
                                                                        : kernels->max;
}

void
hyb_window_pool (const HybWindowPool *pool)
{
  Pooling  pooling = { .pool = pool, .reduce = choose_kernel (pool) };
  HybParts parts;

  hyb_window_rows_init (&pooling.rows, &pool->window, pool->kind == HYB_POOL_MAX ? -FLT_MAX : 0);
  parts = find_parts (&pool->window, &pooling.rows);
  pooling.area = parts.area;
  if (pool->kind == HYB_POOL_AVERAGE)
    {
      pooling.divisors = (float *) pool->workspace + parts.area * hyb_parts_n_areas (&parts);
      count_cells (pool, 1, pooling.divisors);
      count_cells (pool, 2, pooling.divisors + pool->window.map[1]);
    }
  hyb_parts_for_each (&parts, pool_plane, &pooling);
}
