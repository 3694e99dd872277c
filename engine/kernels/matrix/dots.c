/* dots.c — products of few rows or columns with a transposed matrix: C[m,n] = sum_l A[m,l] B[n,l] + bias[n].
 *
 * For each block of rows of B that stays in the first-level cache (blocks are split over threads, or the rows of A
 * if C has few columns), for each group of rows of A, for each 4 rows of B, for l.  Meanwhile the next block is
 * prefetched.  The inner loops are in dots-kernel.h.  Start with hyb_dots_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/dots.h"

#include "engine/base/parallel.h"
#include "engine/kernels/matrix/tiles.h"
#include "engine/kernels/simd/transpose.h"

#include <string.h>

/* Rows of B, and at most rows of A, that one kernel call multiplies. */
#define TILE     4
#define MAX_ROWS 4

/* Floats of B in a block: 16 KiB, half a first-level cache. */
#define BLOCK 4096

/* The locality that __builtin_prefetch() calls the second-level cache. */
#define SECOND_CACHE 2

/* Beyond this A is read from the second-level cache too often, unless B is a single block or C is narrow. */
#define MAX_DOT_ROWS 48
/* The time to add the lanes of the sums of a tile, in multiply-adds of a vector (AVX-512 73, AVX2 62). */
#define LANES_COST 68

/* A result of up to this many columns is narrow: rows are split over threads, and B may be a matrix that is not transposed,
 * of which this many rows are transposed at a time. */
#define MAX_NARROW   8
#define COPIED_DEPTH 1024
/* Rows of a slice are a multiple of this. */
#define UNIT 12

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 131072

typedef float Four __attribute__ ((vector_size (16)));
typedef float Eight __attribute__ ((vector_size (32)));

/* Multiplies a fixed number of rows of A with four rows of B; see dots-kernel.h. */
typedef void (*MultiplyRows) (gint64             k,
                              const float       *a,
                              gint64             lda,
                              const float *const b[TILE],
                              const float       *next,
                              Four              *tile);

/* The kernels of one instruction set. */
typedef struct
{
  gint64       lanes, max_rows;
  MultiplyRows rows[MAX_ROWS + 1]; /* rows[r] multiplies r rows, 1 ≤ r ≤ max_rows */
} Kernels;

#define SIMD_KERNEL "engine/kernels/matrix/dots-kernel.h"
#include "engine/kernels/simd/each-simd.h"

typedef struct
{
  const HybGemm *gemm;
  const Kernels *kernels;
  const float   *a, *b, *bias;
  float         *c;
} Job;

/* Writes the first n of four sums to C, n ≤ 4. */
static inline void
write_sums (const Job *job, Four sums, float *to, gint64 j, gsize n)
{
  Four bias = { 0 }, old = { 0 };

  if (job->bias)
    {
      memcpy (&bias, job->bias + j, sizeof (float) * n);
      sums += bias;
    }
  if (job->gemm->beta != 0)
    {
      memcpy (&old, to, sizeof (float) * n);
      sums += old;
    }
  memcpy (to, &sums, sizeof (float) * n);
}

/* Computes `rows` rows of C from row i on, four columns from column j on.  Behind the last row of B
 * the last one is multiplied again, and its sums are dropped. */
static void
multiply_tile (const Job *job, gint64 i, gint64 rows, gint64 j, const float *next)
{
  const HybGemm *gemm = job->gemm;
  const float   *b[TILE];
  Four           tile[MAX_ROWS];

  for (int row = 0; row < TILE; row++)
    b[row] = job->b + MIN (j + row, gemm->n - 1) * gemm->ldb;
  job->kernels->rows[rows](gemm->k, job->a + i * gemm->lda, gemm->lda, b, next, tile);
  for (gint64 row = 0; row < rows; row++)
    {
      float *to = job->c + (i + row) * gemm->ldc + j;

      if (j + TILE <= gemm->n)
        write_sums (job, tile[row], to, j, TILE);
      else
        write_sums (job, tile[row], to, j, (gsize) (gemm->n - j));
    }
}

/* Computes columns first to end of C.  Each tile prefetches one row of B behind `end`, as long as
 * there are such rows. */
static void
multiply_block (const Job *job, gint64 first, gint64 end)
{
  const HybGemm *gemm = job->gemm;
  gint64         rows, next = end, last = MIN (2 * end - first, gemm->n);

  for (gint64 i = 0; i < gemm->m; i += rows)
    {
      rows = MIN (gemm->m - i, job->kernels->max_rows);
      for (gint64 j = first; j < end; j += TILE, next++)
        multiply_tile (job, i, rows, j, job->b + (next < last ? next : first) * gemm->ldb);
    }
}

static void
multiply_columns (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     block = MAX (BLOCK / (TILE * job->gemm->k), 1) * TILE;
  gint64     last = MIN (end * TILE, job->gemm->n);

  for (gint64 j = begin * TILE; j < last; j += block)
    multiply_block (job, j, MIN (j + block, last));
}

/* The time of the product, in multiply-adds of one vector, where the matrices are in a cache. */
static double
cost (const HybGemm *gemm)
{
  const Kernels *kernels = HYB_SIMD_CHOOSE (&kernels);
  gint64         tiles = (gemm->n + TILE - 1) / TILE;
  gint64         groups = (gemm->m + kernels->max_rows - 1) / kernels->max_rows;
  gint64         vectors = (gemm->k + kernels->lanes - 1) / kernels->lanes;

  return (double) (gemm->m * tiles * TILE) * (double) vectors +
         LANES_COST * (double) (groups * tiles);
}

gboolean
hyb_dots_is_faster (const HybGemm *gemm)
{
  gboolean is_narrow = gemm->n <= MAX_NARROW;

  return hyb_simd_level () != HYB_SIMD_PLAIN && !gemm->transpose_a &&
         (gemm->transpose_b || is_narrow) && gemm->alpha == 1 &&
         (gemm->beta == 0 || gemm->beta == 1) && gemm->m > 1 &&
         (gemm->m <= MAX_DOT_ROWS || gemm->n * gemm->k <= BLOCK || is_narrow) &&
         cost (gemm) < hyb_tiles_cost (gemm);
}

static void
multiply_rows (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  HybGemm    gemm = *job->gemm;
  Job        part = *job;

  gemm.m = MIN (end * UNIT, gemm.m) - begin * UNIT;
  part.gemm = &gemm;
  part.a += begin * UNIT * gemm.lda;
  part.c += begin * UNIT * gemm.ldc;
  multiply_columns (0, (gemm.n + TILE - 1) / TILE, &part);
}

static void
multiply_transposed (const HybGemm *gemm,
                     const float   *a,
                     const float   *b,
                     const float   *bias,
                     float         *c)
{
  Job job = { gemm, HYB_SIMD_CHOOSE (&kernels), a, b, bias, c };

  if (gemm->n <= MAX_NARROW)
    hyb_parallel_for ((gemm->m + UNIT - 1) / UNIT, 1 + GRAIN / MAX (gemm->n * gemm->k * UNIT, 1),
                      multiply_rows, &job);
  else
    hyb_parallel_for ((gemm->n + TILE - 1) / TILE, 1 + GRAIN / MAX (gemm->m * gemm->k * TILE, 1),
                      multiply_columns, &job);
}

/* Transposes B, of few columns, part by part. */
static void
multiply_copied (const HybGemm *gemm, const float *a, const float *b, const float *bias, float *c)
{
  float   copy[MAX_NARROW * COPIED_DEPTH];
  HybGemm part = *gemm;

  part.transpose_b = TRUE;
  part.ldb = COPIED_DEPTH;
  for (gint64 l = 0; l < gemm->k; l += COPIED_DEPTH)
    {
      part.k = MIN (COPIED_DEPTH, gemm->k - l);
      part.beta = l == 0 ? gemm->beta : 1;
      hyb_transpose_32 (&(HybTranspose){ gemm->n, part.k, gemm->ldb, COPIED_DEPTH },
                        b + l * gemm->ldb, copy);
      multiply_transposed (&part, a + l, copy, l == 0 ? bias : NULL, c);
    }
}

void
hyb_dots_multiply (const HybGemm *gemm, const float *a, const float *b, const float *bias, float *c)
{
  (gemm->transpose_b ? multiply_transposed : multiply_copied) (gemm, a, b, bias, c);
}
