/* panels.c — products of few rows with weights in panels; start with hyb_panels_multiply().
 *
 * A panel is HYB_PANEL_WIDTH columns of the weights, row after row (k × 32); the last one is
 * filled up with zeros.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/panels.h"

#include "engine/base/parallel.h"

#include <string.h>

#define WIDTH     HYB_PANEL_WIDTH
#define MOST_ROWS 8 /* of one call of a kernel */

/* Rows that go through all panels together, so that they stay in a near cache. */
#define ROW_BLOCK 96
/* Floats of a cache line. */
#define LINE 16

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 131072

typedef void (*MultiplyRows) (gint64       k,
                              const float *x,
                              gint64       ldx,
                              const float *panel,
                              const float *bias,
                              gboolean     adds,
                              float       *y,
                              gint64       ldy);

/* What one instruction set has. */
typedef struct
{
  gint64       most_rows;
  MultiplyRows rows[MOST_ROWS + 1]; /* by their number, from 1 on */
} Kernels;

#define SIMD_KERNEL "engine/kernels/panels-kernel.h"
#include "engine/kernels/each-simd.h"

/* --- Laying out --- */

gsize
hyb_panels_size (gint64 n, gint64 k)
{
  return (gsize) ((n + WIDTH - 1) / WIDTH * WIDTH) * (gsize) k;
}

typedef float Four __attribute__ ((vector_size (4 * sizeof (float))));

static inline void
store_four (float *to, Four four)
{
  memcpy (to, &four, sizeof four);
}

/* Four elements of each of four rows become four of a panel's rows. */
static inline void
transpose_four (const float *rows, gint64 stride, float *panel)
{
  Four a, b, c, d, low, high;

  memcpy (&a, rows, sizeof a);
  memcpy (&b, rows + stride, sizeof b);
  memcpy (&c, rows + 2 * stride, sizeof c);
  memcpy (&d, rows + 3 * stride, sizeof d);

  low = __builtin_shufflevector (a, b, 0, 4, 1, 5);
  high = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  store_four (panel, __builtin_shufflevector (low, high, 0, 1, 4, 5));
  store_four (panel + WIDTH, __builtin_shufflevector (low, high, 2, 3, 6, 7));
  low = __builtin_shufflevector (a, b, 2, 6, 3, 7);
  high = __builtin_shufflevector (c, d, 2, 6, 3, 7);
  store_four (panel + 2 * WIDTH, __builtin_shufflevector (low, high, 0, 1, 4, 5));
  store_four (panel + 3 * WIDTH, __builtin_shufflevector (low, high, 2, 3, 6, 7));
}

/* A cache line of each row at a time. */
static void
pack_transposed (gint64 columns, gint64 k, const float *weights, float *panel)
{
  gint64 l = 0;

  for (; l + LINE <= k && columns == WIDTH; l += LINE)
    for (gint64 j = 0; j < WIDTH; j += 4)
      for (gint64 part = l; part < l + LINE; part += 4)
        transpose_four (weights + j * k + part, k, panel + part * WIDTH + j);
  for (gint64 j = 0; j < columns; j++)
    for (gint64 rest = l; rest < k; rest++)
      panel[rest * WIDTH + j] = weights[j * k + rest];
}

void
hyb_panels_pack (gint64 n, gint64 k, const float *weights, gboolean transposed, float *panels)
{
  for (gint64 first = 0; first < n; first += WIDTH, panels += WIDTH * k)
    {
      gint64 columns = MIN (WIDTH, n - first);

      if (columns < WIDTH)
        memset (panels, 0, sizeof (float) * WIDTH * (gsize) k);
      if (transposed)
        pack_transposed (columns, k, weights + first * k, panels);
      else
        for (gint64 l = 0; l < k; l++)
          memcpy (panels + l * WIDTH, weights + l * n + first, sizeof (float) * (gsize) columns);
    }
}

/* --- Multiplying --- */

typedef struct
{
  const HybPanelProduct *product;
  const Kernels         *kernels;
  const float           *x, *panels;
  float                 *y;
} Job;

static void
multiply_panel (const Job *job, gint64 index, const float *bias, float *y, gint64 ldy)
{
  const HybPanelProduct *product = job->product;
  const float           *panel = job->panels + index * WIDTH * product->k;
  gint64                 rows;

  for (gint64 i = 0; i < product->m; i += rows)
    {
      rows = MIN (product->m - i, job->kernels->most_rows);
      job->kernels->rows[rows](product->k,
                               job->x + i * product->ldx,
                               product->ldx,
                               panel,
                               bias,
                               product->adds,
                               y + i * ldy,
                               ldy);
    }
}

/* The columns that the last panel lacks are computed beside y. */
static void
multiply_last (const Job *job, gint64 index)
{
  const HybPanelProduct *product = job->product;
  gint64                 first = index * WIDTH;
  gsize                  bytes = sizeof (float) * (gsize) (product->n - first);
  float                  bias[WIDTH] = { 0 };
  float                  room[MOST_ROWS * WIDTH] = { 0 };

  if (product->bias != NULL)
    memcpy (bias, product->bias + first, bytes);
  for (gint64 i = 0; i < product->m; i += MOST_ROWS)
    {
      HybPanelProduct part = *product;
      Job             own = *job;
      float          *y = job->y + i * product->ldy + first;

      part.m = MIN (product->m - i, MOST_ROWS);
      own.product = &part;
      own.x = job->x + i * product->ldx;
      for (gint64 row = 0; product->adds && row < part.m; row++)
        memcpy (room + row * WIDTH, y + row * product->ldy, bytes);
      multiply_panel (&own, index, product->bias != NULL ? bias : NULL, room, WIDTH);
      for (gint64 row = 0; row < part.m; row++)
        memcpy (y + row * product->ldy, room + row * WIDTH, bytes);
    }
}

static void
multiply_panels (gint64 begin, gint64 end, gpointer data)
{
  const Job             *job = data;
  const HybPanelProduct *product = job->product;

  for (gint64 index = begin; index < end; index++)
    {
      gint64 first = index * WIDTH;

      if (first + WIDTH > product->n)
        multiply_last (job, index);
      else
        multiply_panel (job,
                        index,
                        product->bias != NULL ? product->bias + first : NULL,
                        job->y + first,
                        product->ldy);
    }
}

void
hyb_panels_multiply (const HybPanelProduct *product, const float *x, const float *panels, float *y)
{
  gint64 n_blocks = (product->m + ROW_BLOCK - 1) / ROW_BLOCK;
  gint64 rows = (product->m + n_blocks - 1) / MAX (n_blocks, 1);

  /* Blocks of nearly the same size, of whole calls of a kernel. */
  rows = (rows + MOST_ROWS - 1) / MOST_ROWS * MOST_ROWS;
  for (gint64 i = 0; i < product->m; i += rows)
    {
      HybPanelProduct block = *product;
      Job             job = {
                    &block, HYB_SIMD_CHOOSE (&kernels), x + i * product->ldx, panels, y + i * product->ldy
      };

      block.m = MIN (product->m - i, rows);
      hyb_parallel_for ((product->n + WIDTH - 1) / WIDTH,
                        1 + GRAIN / MAX (block.m * block.k * WIDTH, 1),
                        multiply_panels,
                        &job);
    }
}
