/* panels.c — products of few rows with packed weights: Y[m,n] = sum_k X[m,k] W[k,n] + bias[n].
 *
 *   hyb_panels_multiply(): for each panel of 32 columns (split over threads), for each block of at most 192 rows of the panel,
 *   for each group of 1 to 12 rows of X, for k; of many rows for each such block of all panels.
 *   hyb_panels_gemm_half(), weights not packed: for each block of k that keeps X in the cache, for each
 *   panel, for each piece of 192 rows of W: convert and pack the piece, then for each group of rows, for k.
 *
 * A panel is HYB_PANEL_WIDTH columns of the weights, row after row (k × 32); the last one is
 * padded with zeros.  The inner loops are in panels-kernel.h.  Start with hyb_panels_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/panels.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/panel-reading.h"
#include "engine/kernels/matrix/panels-private.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/simd.h"
#include "engine/kernels/simd/transpose.h"

#include <string.h>

#define WIDTH    HYB_PANEL_WIDTH
#define MAX_ROWS HYB_PANEL_KERNEL_ROWS

/* From this many rows on panels are multiplied by depth, with at most ROW_BLOCK rows at a time, of which DEPTH columns
 * stay in the second-level cache.  AMD Zen 5, together with sharing the prefetching from there on, AVX-512: 68 × 1617 × 922
 * 1,240 to 870 µs, 100 × 2048 × 300 640 to 500, 300 × 768 × 768 1,490 to 1,400; AVX2: 1,710 to 1,520, 1,000 to 910. */
#define MIN_ROWS_BY_DEPTH 48
/* The same if vectors are loaded in halves, of weights from memory.  AMD Zen 4, AVX-512: 32 rows take 0.79 to 0.93 of the time
 * with 14 to 25 MB of weights, 24 rows 0.90 to 1.06. */
#define MIN_ROWS_FROM_MEMORY 32
#define ROW_BLOCK            384

/* Rows of a panel that are multiplied with all rows of X before the next ones: 24 KiB, so that they stay
 * in the first-level cache.  hyb_panels_gemm_half() packs as many at a time.  Each block of Y is read and written once for
 * each of them.  AMD Zen 4, processor time of weights up to 7 MB: 128 rows take up to 1.05 of the time with AVX2, 1.09 with
 * AVX-512. */
#define DEPTH 192
/* The same with AVX2 where panels have more than NEAR_ROWS rows, whose weights come from memory as a rule: the next block is
 * prefetched meanwhile, and both fit in 32 KiB (12 MB, 6 to 24 rows of X: 192 rows take up to 1.11 of the time). */
#define FAR_DEPTH 128
#define NEAR_ROWS 720
/* Floats of X that stay in the second-level cache while hyb_panels_gemm_half() reads the weights. */
#define CACHED_X 163840
/* Multiplications below which a slice is not worth a thread.  For few rows they take longer, because weights are read for
 * them: LSTM of 128 units, batch 1, two threads, AVX-512: 92 to 65 µs for 50 steps. */
#define GRAIN          131072
#define FEW_ROWS       4
#define GRAIN_FEW_ROWS 32768
#define GRAIN_ONE_ROW  16384

/* --- Packing --- */

gsize
hyb_panels_size (gint64 n, gint64 k)
{
  return (gsize) ((n + WIDTH - 1) / WIDTH * WIDTH) * (gsize) k;
}

/* Packs `columns` ≤ WIDTH columns of weights of k rows, `stride` floats apart. */
static void
pack_panel (gint64 k, gint64 columns, const float *weights, gint64 stride, float *panel)
{
  if (columns < WIDTH)
    memset (panel, 0, sizeof (float) * WIDTH * (gsize) k);
  for (gint64 l = 0; l < k; l++)
    memcpy (panel + l * WIDTH, weights + l * stride, sizeof (float) * (gsize) columns);
}

/* The same with `columns` rows of weights, k floats each. */
static void
pack_transposed (gint64 k, gint64 columns, const float *weights, float *panel)
{
  if (columns < WIDTH)
    memset (panel, 0, sizeof (float) * WIDTH * (gsize) k);
  hyb_transpose_32 (&(HybTranspose){ k, columns, k, WIDTH }, weights, panel);
}

void
hyb_panels_pack (gint64 n, gint64 k, const float *weights, gboolean transposed, float *panels)
{
  for (gint64 first = 0; first < n; first += WIDTH, panels += WIDTH * k)
    if (transposed)
      pack_transposed (k, MIN (WIDTH, n - first), weights + first * k, panels);
    else
      pack_panel (k, MIN (WIDTH, n - first), weights + first, n, panels);
}

/* --- Multiplying --- */

typedef struct
{
  const HybPanelProduct   *product;
  const HybPanelKernelSet *kernels;
  const float             *x, *panels;
  float                   *y;
  const HybPanelKernels   *one;      /* the kernels for the current panel */
  gint64                   n_panels; /* that are multiplied at once */
  gint64                   ahead;    /* see HybPanelOperands */
  gboolean spreads;   /* all groups of rows together prefetch the next block, instead of `ahead` */
  gboolean backwards; /* multiplies the last panel first */
  gboolean by_depth;  /* multiplies all panels with some columns of X before the next ones */
  HybPanelPrefetch prefetch;
} Job;

/* The bytes of the panels of a product. */
static gsize
bytes_of (const HybPanelProduct *product)
{
  return sizeof (float) * hyb_panels_size (product->n, product->k);
}

/* Splits n into as few parts of nearly equal size as possible, none over `max`; returns the size of
 * a part, rounded up to whole units. */
static gint64
even_part (gint64 n, gint64 max, gint64 unit)
{
  gint64 n_parts = MAX ((n + max - 1) / max, 1);
  gint64 part = (n + n_parts - 1) / n_parts;

  return (part + unit - 1) / unit * unit;
}

/* The rows of a block, for panels of k rows.  They decide in which order a sum is made, so that nothing else may choose them. */
static gint64
block_depth (gint64 k)
{
  gboolean is_far = k > NEAR_ROWS && hyb_simd_level () == HYB_SIMD_AVX2;

  return MIN (even_part (k, is_far ? FAR_DEPTH : DEPTH, HYB_LINE_FLOATS), k);
}

/* Some rows of a panel, from row l on, the columns that Y has, and what is added to their product. */
typedef struct
{
  gint64       l, depth, columns;
  const float *bias; /* may be NULL */
  gboolean     adds; /* to what Y contains */
} Block;

/* The maximum number of rows in a group if there are several groups. */
static gint64
max_rows (const HybPanelKernels *kernels, const HybPanelProduct *product)
{
  return MIN (kernels->max_rows, hyb_machine_rows_together (sizeof (float) * (gsize) product->ldx));
}

/* The number of groups of rows.  One group is not divided unless the weights are far, since two are slower then (4 MB,
 * eleven rows of 1024 floats: 245 GFLOP/s, six and five 235). */
static gint64
count_groups (const Job *job)
{
  gint64 m = job->product->m, max = max_rows (job->one, job->product);

  if (m <= job->one->max_rows && !job->spreads)
    return 1;
  return (m + max - 1) / max;
}

/* Multiplies all rows of X with a block of a panel, in groups of nearly equal size.  Either the first group prefetches
 * job->ahead floats ahead in the panel, or all groups share the rows of job->prefetch. */
static void
multiply_block (const Job *job, const float *panel, const Block *block, float *y)
{
  const HybPanelProduct *product = job->product;
  gint64                 rows, left = job->prefetch.n_rows;
  gint64                 n_groups = count_groups (job);
  HybPanelOperands       operands = { .k = block->depth,
                                      .ldx = product->ldx,
                                      .ldy = product->ldy,
                                      .n_panels = 1,
                                      .columns = block->columns,
                                      .panel = panel + block->l * WIDTH,
                                      .bias = block->bias,
                                      .adds = block->adds,
                                      .ahead = job->spreads ? 0 : job->ahead,
                                      .prefetch = job->prefetch };

  for (gint64 i = 0; i < product->m; i += rows, n_groups--)
    {
      rows = (product->m - i + n_groups - 1) / n_groups;
      operands.x = job->x + i * product->ldx + block->l;
      operands.y = y + i * product->ldy;
      operands.prefetch.n_rows = (left * rows + product->m - i - 1) / (product->m - i);
      job->one->rows[rows](&operands);
      if (operands.prefetch.n_rows > 0)
        operands.prefetch.from += operands.prefetch.n_rows * operands.prefetch.stride;
      left -= operands.prefetch.n_rows;
      operands.ahead = 0;
    }
}

/* The packed weights that follow a block: by depth those of the next panel, else in the panel or those of the panel that is
 * multiplied next.  Behind the last panel the addresses lie outside the weights, which a prefetch may ask for. */
static HybPanelPrefetch
next_block (const Job *job, const float *panel, const Block *block)
{
  gint64 k = job->product->k, l = block->l + block->depth;
  gint64 next = job->by_depth ? k + block->l : l < k ? l : job->backwards ? -k : k;

  return (HybPanelPrefetch){ panel + next * WIDTH, block->depth, WIDTH };
}

/* The kernels for a panel of which Y has this many columns. */
static const HybPanelKernels *
choose_kernels (const HybPanelKernelSet *kernels, gint64 columns)
{
  const HybPanelKernels *last = kernels->last;

  if (columns >= WIDTH)
    return &kernels->whole;
  while (last->n_columns < columns)
    last++;
  return last;
}

/* Multiplies all rows of X with `depth` rows of a panel, from row l on, whose first column is column `first` of Y. */
static void
multiply_depth (const Job *job, const float *panel, gint64 first, gint64 l, gint64 depth)
{
  const HybPanelProduct *product = job->product;
  gint64                 columns = product->n - first;
  Job                    part = *job;
  Block block = { l, depth, columns, l == 0 && product->bias ? product->bias + first : NULL,
                  l > 0 || product->adds };

  part.one = choose_kernels (job->kernels, columns);
  if (job->spreads)
    part.prefetch = next_block (job, panel, &block);
  multiply_block (&part, panel, &block, job->y + first);
}

/* Computes the columns of Y that one panel holds, from column `first` on. */
static void
multiply_columns (const Job *job, const float *panel, gint64 first)
{
  gint64 k = job->product->k, depth = block_depth (k), l = 0;

  do
    {
      multiply_depth (job, panel, first, l, MIN (depth, k - l));
      l += depth;
    }
  while (l < k);
}

/* Multiplies a group of rows with n_panels panels: at once if there is a kernel for it, else with one after the other. */
static void
multiply_group (const HybPanelKernelSet *kernels, gint64 rows, const HybPanelOperands *operands)
{
  HybPanelOperands one = *operands;

  if (rows == 1)
    {
      kernels->one_row[operands->n_panels](operands);
      return;
    }
  if (kernels->wide[rows].n_panels == operands->n_panels)
    {
      kernels->wide[rows].multiply (operands);
      return;
    }
  one.n_panels = 1;
  for (gint64 p = 0; p < operands->n_panels; p++)
    {
      kernels->whole.rows[rows](&one);
      one.panel += one.pitch;
      one.y += WIDTH;
      if (one.bias)
        one.bias += WIDTH;
    }
}

/* Multiplies all rows of X with n_panels panels from panel `index` on, in groups of nearly as many rows. */
static void
multiply_wide (const Job *job, gint64 n_panels, gint64 index)
{
  const HybPanelProduct *product = job->product;
  gint64                 k = product->k, depth = block_depth (k), l = 0;
  HybPanelOperands       operands = { .ldx = product->ldx,
                                      .ldy = product->ldy,
                                      .pitch = WIDTH * k,
                                      .n_panels = n_panels,
                                      .columns = product->n - index * WIDTH };
  gint64                 max = job->kernels->max_wide_rows;

  do
    {
      gint64 rows, n_groups = (product->m + max - 1) / max;

      operands.k = MIN (depth, k - l);
      operands.panel = job->panels + (index * k + l) * WIDTH;
      operands.bias = l == 0 && product->bias ? product->bias + index * WIDTH : NULL;
      operands.adds = l > 0 || product->adds;
      operands.ahead = job->ahead;
      for (gint64 i = 0; i < product->m; i += rows, n_groups--)
        {
          rows = (product->m - i + n_groups - 1) / n_groups;
          operands.x = job->x + i * product->ldx + l;
          operands.y = job->y + i * product->ldy + index * WIDTH;
          multiply_group (job->kernels, rows, &operands);
          operands.ahead = 0;
        }
      l += depth;
    }
  while (l < k);
}

/* Rows of X up to which panels are multiplied in parts (see HybWidePanelKernel): more rows are in groups that are as fast. */
#define MAX_ROWS_IN_PARTS 16

/* How many panels are multiplied at once: as many as the first group of rows has a kernel for. */
static gint64
choose_panels (const HybPanelProduct *product)
{
  const HybPanelKernelSet *kernels = hyb_panel_kernels ();
  gint64 max = kernels->max_wide_rows, n_groups = MAX ((product->m + max - 1) / max, 1);
  const HybWidePanelKernel *wide = &kernels->wide[(product->m + n_groups - 1) / n_groups];

  if (wide->in_parts && (product->m > MAX_ROWS_IN_PARTS ||
                         (n_groups > 1 && hyb_machine_is_far (bytes_of (product))) ||
                         hyb_machine_is_in_memory (bytes_of (product))))
    return 1;
  return MAX (wide->n_panels, 1);
}

/* How many of `left` panels are multiplied next, of which the first `whole` have all columns. */
static gint64
count_next (const Job *job, gint64 left, gint64 whole)
{
  gint64 n = job->n_panels;

  if (job->product->m == 1)
    return left == n + 1 && job->kernels->one_row[left] ? left : MIN (n, left);
  return whole >= n ? n : 1;
}

/* Multiplies a block of all panels before the next block: the part of X that many rows multiply it with stays in the
 * second-level cache, and is not read anew for each panel. */
static void
multiply_by_depth (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     k = job->product->k, depth = block_depth (k), l = 0;

  do
    {
      for (gint64 p = begin; p < end; p++)
        multiply_depth (job, job->panels + p * WIDTH * k, p * WIDTH, l, MIN (depth, k - l));
      l += depth;
    }
  while (l < k);
}

/* Multiplies panels: several at once where rows are few, as far as there are whole ones, else one at a time. */
static void
multiply_panels (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     k = job->product->k, n_whole = job->product->n / WIDTH, n;

  for (; begin < end; begin += job->backwards ? 0 : n, end -= job->backwards ? n : 0)
    {
      gint64 first, whole = job->backwards && end > n_whole ? 0 : MIN (end, n_whole) - begin;

      n = count_next (job, end - begin, whole);
      first = job->backwards ? end - n : begin;
      if (n > 1)
        multiply_wide (job, n, first);
      else
        multiply_columns (job, job->panels + first * WIDTH * k, first * WIDTH);
    }
}

/* Whether panels are multiplied by depth.  If vectors are loaded in halves, only those from memory (64 rows, 17 MB: 0.87 of the
 * time): arithmetic takes twice as long, so that weights and X come in time from caches either way, and Y is read and written
 * less often (AMD Zen 4, AVX-512, 57 rows of 1649 floats with 11 MB of weights: 0.95). */
static gboolean
goes_by_depth (const HybPanelProduct *product)
{
  if (hyb_machine_halves_vectors ())
    return product->m >= MIN_ROWS_FROM_MEMORY && hyb_machine_is_in_memory (bytes_of (product));
  return product->m >= MIN_ROWS_BY_DEPTH;
}

static gint64
slice_grain (gint64 rows)
{
  return rows == 1 ? GRAIN_ONE_ROW : rows <= FEW_ROWS ? GRAIN_FEW_ROWS : GRAIN;
}

/* Groups of rows share the prefetching of the next block of weights that are far, if there are many groups, else of those
 * that are four times as large.  With AVX-512 on AMD Zen 5 (1 MiB) and 16 rows it makes 4 MB 4 % slower and 6.5 MB 7 %, and
 * 12 MB faster, with 32 rows by 14 %. */
static void
multiply_rows (const HybPanelProduct *product, const float *x, const float *panels, float *y)
{
  gboolean by_depth = goes_by_depth (product);
  Job      job = { .product = product,
                   .kernels = hyb_panel_kernels (),
                   .x = x,
                   .panels = panels,
                   .y = y,
                   .n_panels = choose_panels (product),
                   .ahead = hyb_panel_ahead (bytes_of (product), product->m),
                   .by_depth = by_depth,
                   .backwards = !by_depth && hyb_panel_reads_backwards (panels) };

  job.spreads = job.n_panels == 1 && product->m > max_rows (&job.kernels->whole, product) &&
                hyb_machine_is_far (by_depth ? bytes_of (product) : bytes_of (product) / 4);
  hyb_parallel_for ((product->n + WIDTH - 1) / WIDTH,
                    1 + slice_grain (product->m) / MAX (product->m * product->k * WIDTH, 1),
                    by_depth ? multiply_by_depth : multiply_panels, &job);
}

void
hyb_panels_multiply (const HybPanelProduct *product, const float *x, const float *panels, float *y)
{
  gint64 rows = even_part (product->m, ROW_BLOCK, MAX_ROWS);

  for (gint64 i = 0; i < product->m; i += rows)
    {
      HybPanelProduct block = *product;

      block.m = MIN (product->m - i, rows);
      multiply_rows (&block, x + i * product->ldx, panels, y + i * product->ldy);
    }
}

char *
hyb_panels_describe (gint64 m, gint64 n, gint64 k)
{
  const HybPanelProduct product = { .m = m, .n = n, .k = k };
  gint64                n_panels = choose_panels (&product);
  gint64                ahead = hyb_panel_ahead (bytes_of (&product), m);
  const char           *from = ahead == 0 ? "not prefetched"
                               : hyb_machine_is_in_memory (bytes_of (&product))
                                   ? "prefetched from memory"
                                   : "prefetched from the last-level cache";

  return g_strdup_printf ("%" G_GINT64_FORMAT " at once, %s", n_panels, from);
}

/* --- Half floats --- */

/* A product whose weights are packed piece by piece just before they are multiplied. */
typedef struct
{
  const HybGemm           *gemm;
  const HybPanelKernelSet *kernels;
  HybPanelWiden            widen;
  const float             *a;
  const guint16           *b;
  float                   *c;
} StreamedGemm;

/* A piece of a panel: `depth` rows of the weights, starting at row l and column `first`. */
typedef struct
{
  gint64 first, l, depth;
} PanelPiece;

/* Piece number `index`: the pieces of a panel follow each other. */
static PanelPiece
find_piece (const HybGemm *gemm, gint64 n_pieces, gint64 index)
{
  gint64 depth = (gemm->k + n_pieces - 1) / n_pieces;
  gint64 l = index % n_pieces * depth;

  return (PanelPiece){ index / n_pieces * WIDTH, l, CLAMP (gemm->k - l, 0, depth) };
}

/* Packs one piece.  Meanwhile the weights of the next piece of the panel are prefetched, whose short rows lie too far
 * apart for the hardware to do it. */
static void
pack_piece (const StreamedGemm *stream,
            const PanelPiece   *piece,
            const PanelPiece   *next,
            float              *panel)
{
  gint64   ldb = stream->gemm->ldb;
  gboolean continues = next && next->first == piece->first && next->depth == piece->depth;

  stream->widen (piece->depth, MIN (WIDTH, stream->gemm->n - piece->first),
                 stream->b + piece->l * ldb + piece->first, ldb, continues ? piece->depth * ldb : 0,
                 panel);
}

/* Packs one piece and adds its product to C. */
static void
multiply_piece (const StreamedGemm *stream, const PanelPiece *piece, const PanelPiece *next)
{
  const HybGemm  *gemm = stream->gemm;
  HybPanelProduct product = { .m = gemm->m,
                              .n = gemm->n,
                              .k = piece->depth,
                              .ldx = gemm->lda,
                              .ldy = gemm->ldc,
                              .adds = piece->l > 0 || gemm->beta != 0 };
  Job             job = {
                .product = &product, .kernels = stream->kernels, .x = stream->a + piece->l, .y = stream->c
  };
  _Alignas(64) float panel[DEPTH * WIDTH];

  pack_piece (stream, piece, next, panel);
  multiply_columns (&job, panel, piece->first);
}

static void
stream_panels (gint64 begin, gint64 end, gpointer data)
{
  const StreamedGemm *stream = data;
  gint64              n_pieces = (stream->gemm->k + DEPTH - 1) / DEPTH;
  PanelPiece          piece = find_piece (stream->gemm, n_pieces, begin * n_pieces);

  for (gint64 index = begin * n_pieces; index < end * n_pieces; index++)
    {
      PanelPiece next = find_piece (stream->gemm, n_pieces, index + 1);

      multiply_piece (stream, &piece, index + 1 < end * n_pieces ? &next : NULL);
      piece = next;
    }
}

void
hyb_panels_gemm_half (const HybGemm *gemm,
                      const float   *a,
                      HybDType       dtype,
                      gconstpointer  b,
                      float         *c)
{
  const HybPanelKernelSet *kernels = hyb_panel_kernels ();
  gint64                   depth = even_part (gemm->k, CACHED_X / gemm->m, 1);

  for (gint64 l = 0; l < gemm->k; l += depth)
    {
      HybGemm      block = *gemm;
      StreamedGemm stream = { .gemm = &block,
                              .kernels = kernels,
                              .widen = dtype == HYB_F16 ? kernels->widen_f16 : kernels->widen_bf16,
                              .a = a + l,
                              .b = (const guint16 *) b + l * gemm->ldb,
                              .c = c };

      block.k = MIN (gemm->k - l, depth);
      block.beta = l > 0 ? 1 : gemm->beta;
      hyb_parallel_for ((gemm->n + WIDTH - 1) / WIDTH,
                        1 + GRAIN / MAX (block.m * block.k * WIDTH, 1), stream_panels, &stream);
    }
}
