/* resample.c — resamples the rows and columns of planes of floats; see resample.h.
 *
 *   for each strip of columns of the results, for each row of the results (split over threads):
 *     resample the columns of those rows that it is made of, unless the row before needed them, too;
 *     mix these rows.
 *
 * Sixteen neighbouring results are most often made of elements within one or two vectors, which are permuted; else elements
 * are gathered one by one.  The inner loops are in resample-kernel.h.  Start with hyb_resample().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/resample.h"

#include "engine/base/parallel.h"

#include "engine/kernels/vectorise.h"

/* Columns of a strip. */
#define STRIP 256
/* Lanes of the widest vector, and of the narrowest. */
#define MAX_LANES 16
#define MIN_LANES 4
/* Results below which another thread does not pay. */
#define GRAIN 16384

/* Where the elements of one vector of results are. */
typedef enum
{
  REACH_FAR, /* gather them */
  REACH_ONE, /* in the vector that begins at the base */
  REACH_TWO, /* in that and the next one */
} Reach;

/* Some columns of the results. */
typedef struct
{
  gint64 n;    /* columns */
  gint64 from; /* columns of x */
  int    n_taps;
  gint32 index[HYB_RESAMPLE_MAX_TAPS][STRIP + MAX_LANES]; /* minus the base of their vector */
  float  weight[HYB_RESAMPLE_MAX_TAPS][STRIP + MAX_LANES];
  gint32 base[STRIP / MIN_LANES]; /* by vector of results */
  guint8 reach[STRIP / MIN_LANES];
} ResampleStrip;

/* The rows that a row of results is made of. */
typedef struct
{
  int          n_taps;
  const float *row[HYB_RESAMPLE_MAX_TAPS];
  float        weight[HYB_RESAMPLE_MAX_TAPS];
} RowMix;

/* The loops of one instruction set. */
typedef struct
{
  void (*mix_columns) (const ResampleStrip *strip, const float *x, float *y);
  void (*mix_rows) (const RowMix *mix, gint64 n, float *y);
  gint64 lanes;
} ResampleLoops;

#define SIMD_KERNEL "engine/kernels/moving/resample-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* One call, shared by its threads. */
typedef struct
{
  const HybResample *resample;
  ResampleLoops      loops;
  const float       *x;
  float             *y;
} ResampleJob;

/* The element of a tap of result i. */
static gint64
tap_index (const HybTaps *taps, int tap, gint64 i)
{
  float index = taps->index[tap * taps->to + i];

  return index >= 0 && index < (float) taps->from ? (gint64) index : 0;
}

/* Sets the base and the reach of the vector of results that begins at `at`, and makes its indices relative. */
static void
set_reach (ResampleStrip *strip, gint64 at, gint64 lanes)
{
  gint64 end = MIN (at + lanes, strip->n);
  gint32 low = G_MAXINT32, high = 0;

  for (int tap = 0; tap < strip->n_taps; tap++)
    for (gint64 i = at; i < end; i++)
      {
        low = MIN (low, strip->index[tap][i]);
        high = MAX (high, strip->index[tap][i]);
      }
  strip->base[at / lanes] = low;
  strip->reach[at / lanes] = high - low < lanes       ? REACH_ONE
                             : high - low < 2 * lanes ? REACH_TWO
                                                      : REACH_FAR;
  for (int tap = 0; tap < strip->n_taps; tap++)
    for (gint64 i = at; i < at + lanes; i++)
      strip->index[tap][i] = i < end ? strip->index[tap][i] - low : 0;
}

static void
set_strip (ResampleStrip *strip, const HybTaps *taps, gint64 first, gint64 lanes)
{
  strip->n = MIN (STRIP, taps->to - first);
  strip->from = taps->from;
  strip->n_taps = taps->n_taps;
  for (int tap = 0; tap < taps->n_taps; tap++)
    for (gint64 i = 0; i < strip->n + lanes; i++)
      {
        gboolean is_result = i < strip->n;

        strip->index[tap][i] = is_result ? (gint32) tap_index (taps, tap, first + i) : 0;
        strip->weight[tap][i] = is_result ? taps->weight[tap * taps->to + first + i] : 0;
      }
  for (gint64 at = 0; at < strip->n; at += lanes)
    set_reach (strip, at, lanes);
}

/* Rows whose columns are resampled, of one plane and strip. */
typedef struct
{
  gint64 number[HYB_RESAMPLE_MAX_TAPS]; /* −1: none */
  float  values[HYB_RESAMPLE_MAX_TAPS][STRIP];
  gint64 needed[HYB_RESAMPLE_MAX_TAPS]; /* the rows of the last row of results */
  RowMix mix;                           /* and where they are */
} RowCache;

/* The work of one thread: some rows of results, one strip after the other. */
typedef struct
{
  const ResampleJob *job;
  const float       *plane; /* of the row of results */
  ResampleStrip      strip;
  RowCache           cache;
} Worker;

static void
clear_cache (RowCache *cache)
{
  for (int i = 0; i < HYB_RESAMPLE_MAX_TAPS; i++)
    cache->number[i] = cache->needed[i] = -1;
}

static gboolean
is_needed (const RowCache *cache, gint64 number)
{
  for (int i = 0; i < cache->mix.n_taps; i++)
    if (cache->needed[i] == number)
      return TRUE;
  return FALSE;
}

/* Row `number` of the plane with its columns resampled.  A row that is not needed makes room for it. */
static const float *
find_row (Worker *self, gint64 number)
{
  RowCache *cache = &self->cache;
  int       room = 0;

  for (int i = 0; i < HYB_RESAMPLE_MAX_TAPS; i++)
    if (cache->number[i] == number)
      return cache->values[i];
  while (is_needed (cache, cache->number[room]))
    room++;
  cache->number[room] = number;
  self->job->loops.mix_columns (&self->strip, self->plane + number * self->strip.from,
                                cache->values[room]);
  return cache->values[room];
}

/* Row i of the results from several rows of the plane. */
static void
mix_row (Worker *self, gint64 i, float *y)
{
  const HybTaps *rows = &self->job->resample->rows;
  RowCache      *cache = &self->cache;
  gboolean       is_same = TRUE;

  cache->mix.n_taps = rows->n_taps;
  for (int tap = 0; tap < rows->n_taps; tap++)
    {
      gint64 number = tap_index (rows, tap, i);

      is_same &= cache->needed[tap] == number;
      cache->needed[tap] = number;
      cache->mix.weight[tap] = rows->weight[tap * rows->to + i];
    }
  for (int tap = 0; tap < rows->n_taps && !is_same; tap++)
    cache->mix.row[tap] = find_row (self, cache->needed[tap]);
  self->job->loops.mix_rows (&cache->mix, self->strip.n, y);
}

/* Row i of the results, which is one row of the plane: a copy if the row of results before it is the same. */
static void
copy_row (Worker *self, gint64 i, float *y)
{
  const HybTaps *rows = &self->job->resample->rows;
  gint64         number = rows->n_taps == 0 ? i : tap_index (rows, 0, i);

  if (self->cache.needed[0] == number)
    memcpy (y, y - self->job->resample->columns.to, (gsize) self->strip.n * sizeof *y);
  else
    self->job->loops.mix_columns (&self->strip, self->plane + number * self->strip.from, y);
  self->cache.needed[0] = number;
}

/* Whether each row of results is one row of the plane. */
static gboolean
copies_rows (const HybTaps *rows)
{
  for (gint64 i = 0; rows->n_taps == 1 && i < rows->to; i++)
    if (rows->weight[i] != 1)
      return FALSE;
  return rows->n_taps <= 1;
}

/* Rows [begin, end) of all planes. */
static void
resample_rows (gint64 begin, gint64 end, gpointer data)
{
  const ResampleJob *job = data;
  const HybTaps     *rows = &job->resample->rows, *columns = &job->resample->columns;
  gboolean           copies = copies_rows (rows);
  Worker             self;

  self.job = job;
  for (gint64 first = 0; first < columns->to; first += STRIP)
    {
      gint64 i = begin % rows->to;
      float *y = job->y + begin * columns->to + first;

      self.plane = job->x + begin / rows->to * rows->from * columns->from;
      set_strip (&self.strip, columns, first, job->loops.lanes);
      clear_cache (&self.cache);
      for (gint64 row = begin; row < end; row++, y += columns->to)
        {
          if (copies)
            copy_row (&self, i, y);
          else
            mix_row (&self, i, y);
          if (++i == rows->to)
            {
              i = 0;
              self.plane += rows->from * columns->from;
              clear_cache (&self.cache);
            }
        }
    }
}

/* The same where columns stay as they are. */
static void
mix_rows (gint64 begin, gint64 end, gpointer data)
{
  const ResampleJob *job = data;
  const HybTaps     *rows = &job->resample->rows;
  gint64             width = job->resample->columns.from;

  for (gint64 row = begin; row < end; row++)
    {
      const float *plane = job->x + row / rows->to * rows->from * width;
      RowMix       mix = { .n_taps = rows->n_taps };

      for (int tap = 0; tap < rows->n_taps; tap++)
        {
          mix.row[tap] = plane + tap_index (rows, tap, row % rows->to) * width;
          mix.weight[tap] = rows->weight[tap * rows->to + row % rows->to];
        }
      job->loops.mix_rows (&mix, width, job->y + row * width);
    }
}

void
hyb_resample (const HybResample *resample, const float *x, float *y)
{
  const HybTaps *rows = &resample->rows, *columns = &resample->columns;
  ResampleJob    job = { resample, HYB_SIMD_CHOOSE (resample_loops), x, y };
  gboolean       keeps_all = rows->n_taps == 0 && columns->n_taps == 0;

  if (keeps_all && resample->n_planes * rows->from * columns->from > 0)
    memcpy (y, x, (gsize) (resample->n_planes * rows->from * columns->from) * sizeof *y);
  else if (!keeps_all && columns->to > 0)
    hyb_parallel_for (resample->n_planes * rows->to, MAX (1, GRAIN / columns->to),
                      columns->n_taps == 0 ? mix_rows : resample_rows, &job);
}

/* --- Gradient --- */

/* Adds a row of the gradient of y, times a weight, to a row of that of x. */
static void
spread_row (const HybTaps *columns, const float *dy, float weight, float *dx)
{
  if (columns->n_taps == 0)
    for (gint64 j = 0; j < columns->to; j++)
      dx[j] += weight * dy[j];
  for (int tap = 0; tap < columns->n_taps; tap++)
    for (gint64 j = 0; j < columns->to; j++)
      dx[tap_index (columns, tap, j)] += weight * columns->weight[tap * columns->to + j] * dy[j];
}

/* Planes [begin, end); y is the gradient of x, x that of y. */
static void
spread_planes (gint64 begin, gint64 end, gpointer data)
{
  const ResampleJob *job = data;
  const HybTaps     *rows = &job->resample->rows, *columns = &job->resample->columns;

  for (gint64 plane = begin; plane < end; plane++)
    {
      const float *dy = job->x + plane * rows->to * columns->to;
      float       *dx = job->y + plane * rows->from * columns->from;

      memset (dx, 0, (gsize) (rows->from * columns->from) * sizeof *dx);
      for (gint64 i = 0; i < rows->to; i++, dy += columns->to)
        {
          if (rows->n_taps == 0)
            spread_row (columns, dy, 1, dx + i * columns->from);
          for (int tap = 0; tap < rows->n_taps; tap++)
            spread_row (columns, dy, rows->weight[tap * rows->to + i],
                        dx + tap_index (rows, tap, i) * columns->from);
        }
    }
}

void
hyb_resample_backward (const HybResample *resample, const float *dy, float *dx)
{
  gint64      size = resample->rows.to * resample->columns.to;
  ResampleJob job = { .resample = resample, .x = dy, .y = dx };

  hyb_parallel_for (resample->n_planes, MAX (1, GRAIN / MAX (1, size)), spread_planes, &job);
}
