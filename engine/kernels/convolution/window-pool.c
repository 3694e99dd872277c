/* window-pool.c — maximum, sum or average of windows that slide over planes of floats; see window-pool.h.
 *
 *   for each plane (split over threads), for each strip of the map:
 *     for each row, for each vector of columns: reduce the cells of the window's rows;
 *     for each row, for each vector of the map: reduce these under the taps of a row; divide; write.
 *
 * The inner loops are in window-pool-kernel.h.  Start with hyb_window_pool().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/window-pool.h"

#include "engine/kernels/convolution/direct-layout.h"
#include "engine/kernels/convolution/parts.h"

#include <float.h>
#include <math.h>

#include "engine/kernels/vectorise.h"

/* Floats of a strip: 16 KiB, which stay in the first-level cache beside image and map. */
#define STRIP_FLOATS 4096
/* Floats of a strip, at most: 512 KiB. */
#define MAX_STRIP_FLOATS ((gint64) 128 << 10)
/* Strips have a multiple of this number of rows. */
#define UNIT_ROWS 4
/* Floats behind a row that vectors may write, and that they may read behind the last. */
#define SLACK 32

/* Some rows of the map, and the reduced columns for them.  With stride 2 every other column has a row of its own, its
 * phase; with larger strides columns are reduced in order and then parted into phases, every stride-th column each. */
typedef struct
{
  const float  *rows;     /* the image */
  gint64        image[2]; /* its rows and columns */
  gint64        kernel[2], stride[2], pad;
  gint64        cells;      /* columns of the image under any window */
  int           n_phases;   /* that columns are written to at once: 1 or 2 */
  gint64        first[2];   /* where even and odd columns begin; without phases: column 0, in [0] */
  gint64        pad_end[2]; /* of each phase: where padding before it ends */
  gint64        pad_begin[2]; /* and where padding behind it begins */
  gint64        width;        /* floats of a phase without slack */
  gint64        pitch;        /* floats from phase to phase */
  gint64        row;          /* floats from row to row */
  gint64        parted;       /* where the phases of a larger stride begin */
  gint64        parted_pitch; /* floats from one of these to the next */
  const gint64 *taps;         /* where the columns under each tap of a row begin */
  float         outside;      /* the value of padding */
  gint64        n_columns;    /* of the map */

  float       *columns; /* the workspace */
  gint64       first_row, n_rows;
  float       *map, *map_end;                /* from the first row on */
  const float *row_factors, *column_factors; /* of the divisors of averages; else NULL */
  gboolean     multiplies;                   /* they are inverse, so sums are multiplied by them */
} Strip;

/* Computes all rows of a strip. */
typedef void (*PoolStrip) (const Strip *strip);

/* The kernels of one instruction set. */
typedef struct
{
  PoolStrip max, sum;
} Kernels;

/* Parts the columns of each row into phases. */
static void
part_columns (const Strip *strip)
{
  gint64 stride = strip->stride[1];

  for (gint64 row = 0; row < strip->n_rows; row++)
    {
      const float *from = strip->columns + row * strip->row;
      float       *to = strip->columns + row * strip->row + strip->parted;

      for (gint64 phase = 0; phase < MIN (stride, strip->kernel[1]); phase++)
        for (gint64 k = 0; k * stride + phase < strip->width; k++)
          to[phase * strip->parted_pitch + k] = from[k * stride + phase];
    }
}

#define SIMD_KERNEL "engine/kernels/convolution/window-pool-kernel.h"
#include "engine/kernels/simd/each-simd.h"

static gint64
round_up (gint64 floats)
{
  return (floats + HYB_LINE_FLOATS - 1) / HYB_LINE_FLOATS * HYB_LINE_FLOATS;
}

/* Finds how the columns of windows of modest sizes are laid out. */
static void
init_strip (Strip *strip, const HybConvolve *window, float outside)
{
  gint64 stride = window->stride[2], pad = window->pad[2], kernel = window->kernel[2];
  gint64 covered = (window->map[2] - 1) * stride + kernel;
  int    n_phases = stride == 2 ? 2 : 1;

  *strip = (Strip){ .image = { window->image[1], window->image[2] },
                    .kernel = { window->kernel[1], kernel },
                    .stride = { window->stride[1], stride },
                    .pad = window->pad[1],
                    .cells = CLAMP (covered - pad, 0, window->image[2]),
                    .n_phases = n_phases,
                    .width = (covered + n_phases - 1) / n_phases,
                    .outside = outside,
                    .n_columns = window->map[2] };
  strip->pitch = round_up (strip->width + SLACK);
  strip->parted = strip->pitch;
  strip->parted_pitch = round_up (window->map[2] + (kernel - 1) / stride + SLACK);
  strip->row = stride > 2 ? strip->parted + MIN (stride, kernel) * strip->parted_pitch
                          : n_phases * strip->pitch;
  for (gint64 i = 0; i < n_phases; i++)
    {
      gint64 phase = (pad + i) % n_phases, begin = (pad + i) / n_phases;

      strip->first[i] = phase * strip->pitch + begin;
      strip->pad_end[phase] = strip->cells > 0 ? MIN (begin, strip->width) : strip->width;
      strip->pad_begin[phase] =
          strip->cells > 0 ? begin + (strip->cells - i + n_phases - 1) / n_phases : strip->width;
    }
}

static void
find_taps (const Strip *strip, gint64 *taps)
{
  gint64 stride = strip->stride[1];

  for (gint64 t = 0; t < strip->kernel[1]; t++)
    taps[t] = stride > 2 ? strip->parted + t % stride * strip->parted_pitch + t / stride
                         : t % stride * strip->pitch + t / stride;
}

/* Rows of the map whose columns are reduced together. */
static gint64
count_strip_rows (const Strip *strip, const HybConvolve *window)
{
  gint64 n = STRIP_FLOATS / strip->row;

  return MIN (MAX (n - n % UNIT_ROWS, UNIT_ROWS), window->map[1]);
}

gboolean
hyb_window_pool_fits (const HybConvolve *window)
{
  Strip strip;

  if (!hyb_direct_sizes_are_modest (window) || window->dilate[1] != 1 || window->dilate[2] != 1)
    return FALSE;
  init_strip (&strip, window, 0);
  return strip.row <= MAX_STRIP_FLOATS / UNIT_ROWS;
}

/* All planes, and their common parameters. */
typedef struct
{
  const HybWindowPool *pool;
  Strip                strip; /* the parameters of every strip */
  gint64               taps[HYB_MAX_TAPS];
  gint64               n_rows; /* of a strip */
  PoolStrip            reduce;
  gint64               area;     /* floats of the workspace for a thread */
  float               *divisors; /* by row of the map, then by column; NULL: nothing is divided */
} Pooling;

static gint64
count_divisors (const HybConvolve *window)
{
  return window->map[1] + window->map[2] + SLACK;
}

static HybParts
find_parts (const HybConvolve *window, const Strip *strip)
{
  return (HybParts){ .n = window->batch,
                     .work = (double) (window->map[1] * window->map[2]) *
                             (double) (window->kernel[1] * window->kernel[2]),
                     .area = count_strip_rows (strip, window) * strip->row + SLACK };
}

gsize
hyb_window_pool_workspace (const HybConvolve *window)
{
  Strip    strip;
  HybParts parts;

  init_strip (&strip, window, 0);
  parts = find_parts (window, &strip);
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

/* Inverts divisors if all are powers of two, so that a product has the same bytes as a quotient.  FALSE if not. */
static gboolean
invert_divisors (gint64 n, float *divisors)
{
  int exponent;

  for (gint64 i = 0; i < n; i++)
    if (frexpf (divisors[i], &exponent) != 0.5f)
      return FALSE;
  for (gint64 i = 0; i < n; i++)
    divisors[i] = 1 / divisors[i];
  return TRUE;
}

static void
pool_plane (gint64 plane, gint64 area, gconstpointer data)
{
  const Pooling       *pooling = data;
  const HybWindowPool *pool = pooling->pool;
  const HybConvolve   *window = &pool->window;
  gint64               n_rows = window->map[1], n_columns = window->map[2];
  Strip                strip = pooling->strip;
  float               *map = pool->map + plane * n_rows * n_columns;

  strip.rows = pool->image + plane * window->image[1] * window->image[2];
  strip.columns = (float *) pool->workspace + area * pooling->area;
  strip.map_end = map + n_rows * n_columns;
  strip.column_factors = pooling->divisors ? pooling->divisors + n_rows : NULL;
  for (gint64 first = 0; first < n_rows; first += pooling->n_rows)
    {
      strip.first_row = first;
      strip.n_rows = MIN (pooling->n_rows, n_rows - first);
      strip.map = map + first * n_columns;
      strip.row_factors = pooling->divisors ? pooling->divisors + first : NULL;
      pooling->reduce (&strip);
    }
}

void
hyb_window_pool (const HybWindowPool *pool)
{
  const HybConvolve *window = &pool->window;
  const Kernels     *kernels = HYB_SIMD_CHOOSE (&kernels);
  gboolean           is_max = pool->kind == HYB_POOL_MAX;
  Pooling            pooling = { .pool = pool, .reduce = is_max ? kernels->max : kernels->sum };
  HybParts           parts;

  init_strip (&pooling.strip, window, is_max ? -FLT_MAX : 0);
  find_taps (&pooling.strip, pooling.taps);
  pooling.strip.taps = pooling.taps;
  pooling.n_rows = count_strip_rows (&pooling.strip, window);
  parts = find_parts (window, &pooling.strip);
  pooling.area = parts.area;
  if (pool->kind == HYB_POOL_AVERAGE)
    {
      pooling.divisors = (float *) pool->workspace + parts.area * hyb_parts_n_areas (&parts);
      count_cells (pool, 1, pooling.divisors);
      count_cells (pool, 2, pooling.divisors + window->map[1]);
      for (gint64 i = 0; i < SLACK; i++)
        pooling.divisors[window->map[1] + window->map[2] + i] = 1;
      pooling.strip.multiplies = invert_divisors (count_divisors (window), pooling.divisors);
    }
  hyb_parts_for_each (&parts, pool_plane, &pooling);
}
