/* panels.c — products of few rows with weights in panels; start with hyb_panels_multiply().
 *
 * A panel is HYB_PANEL_WIDTH columns of the weights, row after row (k × 32); the last one is
 * filled up with zeros.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/panels.h"

#include "engine/base/parallel.h"
#include "engine/kernels/turn.h"

#include <string.h>

#define WIDTH     HYB_PANEL_WIDTH
#define MOST_ROWS 8 /* of one call of a kernel */

/* Rows that go through all panels together, so that they stay in a near cache. */
#define ROW_BLOCK 96

/* Rows of weights laid out on the way: half a near cache, where 256 was slower below 64 rows. */
#define DEPTH 128
/* Rows that share what is laid out on the way, and stay in a far cache themselves. */
#define PASSING_ROWS 384
/* Floats of all rows that stay in a far cache: then weights are read along their rows. */
#define NEAR 131072
/* Multiplications up to which the library does not lay out either, by whether W is transposed.
 * Measured with AVX-512: from there on this is faster for 2 rows and for 1024; see docs/speed.md. */
#define SMALL_TRANSPOSED 400000
#define SMALL            1000000

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

/* So many columns of op (W) and all its rows; ldw: from row to row of W. */
static void
pack_panel (gint64 columns, gint64 k, const float *w, gint64 ldw, gboolean transposed, float *panel)
{
  if (columns < WIDTH)
    memset (panel, 0, sizeof (float) * WIDTH * (gsize) k);
  if (transposed)
    hyb_turn_32 (k, columns, w, ldw, panel, WIDTH);
  else if (columns < WIDTH)
    for (gint64 l = 0; l < k; l++)
      memcpy (panel + l * WIDTH, w + l * ldw, sizeof (float) * (gsize) columns);
  else
    for (gint64 l = 0; l < k; l++)
      memcpy (panel + l * WIDTH, w + l * ldw, sizeof (float) * WIDTH);
}

void
hyb_panels_pack (gint64 n, gint64 k, const float *weights, gboolean transposed, float *panels)
{
  for (gint64 first = 0; first < n; first += WIDTH, panels += WIDTH * k)
    pack_panel (MIN (WIDTH, n - first),
                k,
                weights + first * (transposed ? k : 1),
                transposed ? k : n,
                transposed,
                panels);
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
multiply_panel (const Job *job, const float *panel, const float *bias, float *y, gint64 ldy)
{
  const HybPanelProduct *product = job->product;
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
multiply_last (const Job *job, const float *panel, gint64 first)
{
  const HybPanelProduct *product = job->product;
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
      multiply_panel (&own, panel, product->bias != NULL ? bias : NULL, room, WIDTH);
      for (gint64 row = 0; row < part.m; row++)
        memcpy (y + row * product->ldy, room + row * WIDTH, bytes);
    }
}

/* The columns of y that one panel gives. */
static void
multiply_columns (const Job *job, const float *panel, gint64 first)
{
  const HybPanelProduct *product = job->product;

  if (first + WIDTH > product->n)
    multiply_last (job, panel, first);
  else
    multiply_panel (job,
                    panel,
                    product->bias != NULL ? product->bias + first : NULL,
                    job->y + first,
                    product->ldy);
}

static void
multiply_panels (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  for (gint64 index = begin; index < end; index++)
    multiply_columns (job, job->panels + index * WIDTH * job->product->k, index * WIDTH);
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

/* --- Laying out while multiplying --- */

typedef struct
{
  const HybGemm *gemm;
  const Kernels *kernels;
  const float   *a, *b;
  float         *c;
} Passing;

/* Adds what `depth` rows of one panel give, from row l on. */
static void
pass_piece (const Passing *passing, gint64 first, gint64 l, gint64 depth, float *panel)
{
  const HybGemm  *gemm = passing->gemm;
  HybPanelProduct piece = { .m = gemm->m,
                            .n = gemm->n,
                            .k = MIN (depth, gemm->k - l),
                            .ldx = gemm->lda,
                            .ldy = gemm->ldc,
                            .adds = l > 0 || gemm->beta != 0 };
  Job             job = { &piece, passing->kernels, passing->a + l, NULL, passing->c };

  pack_panel (MIN (WIDTH, gemm->n - first),
              piece.k,
              passing->b + (gemm->transpose_b ? first * gemm->ldb + l : l * gemm->ldb + first),
              gemm->ldb,
              gemm->transpose_b,
              panel);
  multiply_columns (&job, panel, first);
}

static void
pass_panels (gint64 begin, gint64 end, gpointer data)
{
  const Passing     *passing = data;
  gint64             k = passing->gemm->k;
  gint64             n_pieces = (k + DEPTH - 1) / DEPTH;
  gint64             depth = (k + n_pieces - 1) / n_pieces;
  _Alignas(64) float panel[DEPTH * WIDTH];

  if (passing->gemm->m * k <= NEAR)
    for (gint64 index = begin; index < end; index++)
      for (gint64 l = 0; l < k; l += depth)
        pass_piece (passing, index * WIDTH, l, depth, panel);
  else
    for (gint64 l = 0; l < k; l += depth)
      for (gint64 index = begin; index < end; index++)
        pass_piece (passing, index * WIDTH, l, depth, panel);
}

gboolean
hyb_panels_suit (const HybGemm *gemm)
{
  gint64 idle = (WIDTH - gemm->n % WIDTH) % WIDTH; /* columns that the last panel lacks */
  double work = (double) gemm->m * (double) gemm->n * (double) gemm->k;

  return hyb_simd_level () != HYB_SIMD_PLAIN && gemm->m > 1 && !gemm->transpose_a &&
         gemm->alpha == 1 && (gemm->beta == 0 || gemm->beta == 1) && 8 * idle <= gemm->n &&
         gemm->k >= 16 && work > (gemm->transpose_b ? SMALL_TRANSPOSED : SMALL);
}

void
hyb_panels_gemm (const HybGemm *gemm, const float *a, const float *b, float *c)
{
  for (gint64 i = 0; i < gemm->m; i += PASSING_ROWS)
    {
      HybGemm block = *gemm;
      Passing passing = {
        &block, HYB_SIMD_CHOOSE (&kernels), a + i * gemm->lda, b, c + i * gemm->ldc
      };

      block.m = MIN (gemm->m - i, PASSING_ROWS);
      hyb_parallel_for ((gemm->n + WIDTH - 1) / WIDTH,
                        1 + GRAIN / MAX (block.m * block.k * WIDTH, 1),
                        pass_panels,
                        &passing);
    }
}
