/* tiles.c — products of two matrices of floats, as they lie; see tiles.h.
 *
 * For each block of a few vectors of columns of B, for each block of 192 rows of it (which stays in the first-level
 * cache), for each group of rows of A: one tile, whose loop is in tiles-kernel.h.  Blocks of columns, or rows if
 * they are more, are split over threads.  Start with hyb_tiles_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/tiles.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/transpose.h"

#include <string.h>

#define MAX_VECTORS 4
#define MAX_ROWS    12
/* Rows of B in a block. */
#define DEPTH 192
/* Columns of a copied block of B. */
#define COPIED_COLUMNS 64

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 131072
/* C is split over threads in multiples of this many rows or columns. */
#define ROW_UNIT    12
#define COLUMN_UNIT 32
/* Rows of A that are multiplied with all of B before the next ones: with DEPTH columns they take half a second-level cache
 * at most. */
#define MAX_BLOCK_ROWS 384
/* Rows of a copied block of transposed A, and floats from one of its columns to the next, which share no sets of a cache. */
#define COPIED_ROWS  192
#define COPIED_PITCH (COPIED_ROWS + 16)
/* Columns of B that make a copy of A worth while. */
#define MIN_COLUMNS_OF_COPY 128
/* Vectors with fewer lanes have no instruction for a part of a vector. */
#define MIN_PART_LANES 8
/* Times, in multiply-adds of a vector: to finish a vector of C, and to transpose one element of B. */
#define ROW_COST       5
#define TRANSPOSE_COST 0.64

/* Some rows of A and as many vectors of columns of B, with a block of k. */
typedef struct
{
  gint64       k, a_row, a_step, b_step, ldc; /* a_step, b_step: floats from one l to the next */
  gint64       columns;                       /* of C: the last vector may be a part */
  gboolean     is_padded;                     /* B has whole vectors */
  const float *a, *b, *bias;                  /* bias may be NULL */
  float        alpha, beta, *c;
} Tile;

typedef void (*MultiplyTile) (const Tile *tile);

/* The kernels of one instruction set: tile[v][r] has v vectors and r rows, 1 ≤ r ≤ max_rows[v]. */
typedef struct
{
  gint64       lanes;
  gint64       max_rows[MAX_VECTORS + 1];
  MultiplyTile tile[MAX_VECTORS + 1][MAX_ROWS + 1];
} Kernels;

#define SIMD_KERNEL "engine/kernels/matrix/tiles-kernel.h"
#include "engine/kernels/simd/each-simd.h"

typedef struct
{
  const HybGemm *gemm;
  const Kernels *kernels;
  gint64         width;    /* columns of a tile */
  gboolean       copies;   /* blocks of B */
  gboolean       copies_a; /* blocks of A */
  const float   *a, *b, *bias;
  float         *c;
} Job;

/* Vectors of a tile: as many as leave registers for the sums of all rows, at least two. */
static gint64
choose_vectors (const Kernels *kernels, gint64 m)
{
  gint64 vectors = MAX_VECTORS;

  while (vectors > 2 && m > kernels->max_rows[vectors])
    vectors--;
  return vectors;
}

/* Some rows of A, all of those of a block of B, and some of its columns. */
typedef struct
{
  gint64       row, end_row, column, end_column, l, depth;
  const float *a; /* its part of A */
  gint64       a_row, a_step;
} Block;

/* The vectors that a number of columns takes. */
static gint64
count_vectors (const Kernels *kernels, gint64 columns)
{
  gint64 vectors = 1;

  while (vectors * kernels->lanes < columns)
    vectors++;
  return vectors;
}

/* Computes the rows of C of a block, in groups of nearly equal size; the tile has its first ones, and is moved. */
static void
multiply_rows (const Job *job, const Block *block, Tile *tile)
{
  gint64 vectors = count_vectors (job->kernels, tile->columns);
  gint64 max = job->kernels->max_rows[vectors], left = block->end_row - block->row;
  gint64 n_groups = left <= max ? 1 : (left + max - 1) / max;
  gint64 rows = n_groups == 1 ? left : (left + n_groups - 1) / n_groups;
  gint64 n_smaller = rows * n_groups - left; /* groups with a row less */

  for (; n_groups > 0; n_groups--)
    {
      if (n_groups == n_smaller)
        rows--;
      job->kernels->tile[vectors][rows](tile);
      tile->a += rows * tile->a_row;
      tile->c += rows * tile->ldc;
    }
}

/* Copies the part of B in a block, COPIED_COLUMNS floats from one l to the next, and zeros behind its last column. */
static void
copy_block (const Job *job, const Block *block, float *copy)
{
  const HybGemm *gemm = job->gemm;
  const gint64   width = COPIED_COLUMNS;
  gint64         columns = block->end_column - block->column;
  gint64         lanes = job->kernels->lanes, padding = (lanes - columns % lanes) % lanes;

  for (gint64 l = 0; l < block->depth && padding > 0; l++)
    memset (copy + l * width + columns, 0, sizeof (float) * (gsize) padding);
  if (gemm->transpose_b)
    hyb_transpose_32 (&(HybTranspose){ block->depth, columns, gemm->ldb, width },
                      job->b + block->column * gemm->ldb + block->l, copy);
  else
    for (gint64 l = 0; l < block->depth; l++)
      memcpy (copy + l * width, job->b + (block->l + l) * gemm->ldb + block->column,
              sizeof (float) * (gsize) columns);
}

static void
multiply_block (const Job *job, const Block *block, const float *b, gint64 b_step)
{
  const HybGemm *gemm = job->gemm;
  gboolean       is_first = block->l == 0;
  Tile           tile = { .k = block->depth,
                          .a_row = block->a_row,
                          .a_step = block->a_step,
                          .b_step = b_step,
                          .is_padded = job->copies,
                          .ldc = gemm->ldc,
                          .alpha = (float) gemm->alpha,
                          .beta = is_first ? (float) gemm->beta : 1 };

  for (gint64 j = block->column; j < block->end_column; j += job->width)
    {
      tile.columns = MIN (job->width, block->end_column - j);
      tile.a = block->a;
      tile.b = b + (j - block->column);
      tile.bias = is_first && job->bias ? job->bias + j : NULL;
      tile.c = job->c + block->row * gemm->ldc + j;
      multiply_rows (job, block, &tile);
    }
}

/* Computes a block of C, whose columns are all of a slice. */
static void
multiply_copied (const Job *job, Block block)
{
  _Alignas(64) float copy[DEPTH * COPIED_COLUMNS];
  gint64             end = block.end_column;

  for (; block.column < end; block.column = block.end_column)
    {
      block.end_column = MIN (block.column + COPIED_COLUMNS, end);
      copy_block (job, &block, copy);
      multiply_block (job, &block, copy, COPIED_COLUMNS);
    }
}

static void
multiply_columns_of_block (const Job *job, const Block *block)
{
  gint64 ldb = job->gemm->ldb;

  if (job->copies)
    multiply_copied (job, *block);
  else
    multiply_block (job, block, job->b + block->l * ldb + block->column, ldb);
}

/* Computes a block of C with a copy of the part of A, which is transposed. */
static void
multiply_copied_rows (const Job *job, Block block)
{
  _Alignas(64) float copy[DEPTH * COPIED_PITCH];

  for (gint64 l = 0; l < block.depth; l++)
    memcpy (copy + l * COPIED_PITCH, block.a + l * block.a_step,
            sizeof (float) * (gsize) (block.end_row - block.row));
  block.a = copy;
  block.a_step = COPIED_PITCH;
  multiply_columns_of_block (job, &block);
}

/* The rows of a block, of which there are as few as possible, all of nearly the same size. */
static gint64
even_rows (gint64 m, gint64 max)
{
  gint64 n_blocks, rows;

  if (m <= max)
    return m;
  n_blocks = (m + max - 1) / max;
  rows = (m + n_blocks - 1) / n_blocks;
  return (rows + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
}

/* Computes some rows and columns of C; the block is moved. */
static void
multiply_part (const Job *job, Block *part)
{
  const HybGemm *gemm = job->gemm;
  gint64         end = part->end_row;
  gint64         rows = even_rows (end - part->row, job->copies_a ? COPIED_ROWS : MAX_BLOCK_ROWS);

  part->a_row = gemm->transpose_a ? 1 : gemm->lda;
  part->a_step = gemm->transpose_a ? gemm->lda : 1;

  for (; part->row < end; part->row += rows)
    for (part->l = 0; part->l < job->gemm->k; part->l += part->depth)
      {
        part->end_row = MIN (part->row + rows, end);
        part->depth = MIN (DEPTH, gemm->k - part->l);
        part->a = job->a + part->row * part->a_row + part->l * part->a_step;
        if (job->copies_a)
          multiply_copied_rows (job, *part);
        else
          multiply_columns_of_block (job, part);
      }
}

static void
multiply_columns (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  multiply_part (job, &(Block){ .end_row = job->gemm->m,
                                .column = begin * COLUMN_UNIT,
                                .end_column = MIN (end * COLUMN_UNIT, job->gemm->n) });
}

static void
multiply_rows_slice (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;

  multiply_part (job, &(Block){ .row = begin * ROW_UNIT,
                                .end_row = MIN (end * ROW_UNIT, job->gemm->m),
                                .end_column = job->gemm->n });
}

/* Whether blocks of B are copied: if there are many groups of rows of A, and for fewer if rows of B lie whole or half pages
 * apart, because they share sets of the first-level cache then.  Without and with copies: AVX2, 512 × 512, 64 rows 279
 * and 274 µs, 128 rows 536 and 508, 1024 × 1024, 16 rows 494 and 348; AVX-512, 256 × 256, 64 rows 32.1 and 33.3, 128 rows
 * 63.4 and 63.9. */
static gboolean
needs_copies (const HybGemm *gemm, const Kernels *kernels)
{
  if (gemm->transpose_b || (kernels->lanes < MIN_PART_LANES && gemm->n % kernels->lanes != 0))
    return TRUE;
  return gemm->m > (gemm->ldb % 1024 == 0 ? MAX_ROWS : gemm->ldb % 512 == 0 ? 60 : 128);
}

/* Whether blocks of A are copied: if its columns lie quarters of pages apart, for the same reason, and are read often. */
static gboolean
needs_copies_of_a (const HybGemm *gemm)
{
  return gemm->transpose_a && gemm->lda % 256 == 0 && gemm->n >= MIN_COLUMNS_OF_COPY;
}

double
hyb_tiles_cost (const HybGemm *gemm)
{
  gint64 lanes = HYB_SIMD_CHOOSE (&kernels)->lanes, vectors = (gemm->n + lanes - 1) / lanes;
  double k = (double) gemm->k;

  return (double) (gemm->m * vectors) * (k + ROW_COST) +
         (gemm->transpose_b ? TRANSPOSE_COST * (double) gemm->n * k : 0);
}

void
hyb_tiles_multiply (const HybGemm *gemm,
                    const float   *a,
                    const float   *b,
                    const float   *bias,
                    float         *c)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);
  Job            job = { gemm,
                         kernels,
                         choose_vectors (kernels, gemm->m) * kernels->lanes,
                         needs_copies (gemm, kernels),
                         needs_copies_of_a (gemm),
                         a,
                         b,
                         bias,
                         c };
  double         work = (double) gemm->m * (double) gemm->n * (double) gemm->k;

  if (work < 2 * GRAIN)
    multiply_part (&job, &(Block){ .end_row = gemm->m, .end_column = gemm->n });
  else if (gemm->m > gemm->n)
    hyb_parallel_for ((gemm->m + ROW_UNIT - 1) / ROW_UNIT,
                      1 + GRAIN / (ROW_UNIT * gemm->n * gemm->k), multiply_rows_slice, &job);
  else
    hyb_parallel_for ((gemm->n + COLUMN_UNIT - 1) / COLUMN_UNIT,
                      1 + GRAIN / (gemm->m * gemm->k * COLUMN_UNIT), multiply_columns, &job);
}
