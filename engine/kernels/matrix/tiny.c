/* tiny.c — tiny products of floats: each row of A times four columns of B at a time, in registers.
 *
 * Start reading at hyb_tiny_gemm().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/tiny.h"

#include <string.h>

/* Up to this many multiplications it takes half the time of tiles.h (2 × 12 × 3: 11 ns, tiles 19; 8 × 8 × 8: 60 and 30). */
#define MAX_WORK 256

#define WIDTH 4
typedef float Four __attribute__ ((vector_size (16)));

/* Four elements of a row of op(B), which are column apart. */
static inline Four
load (const float *b, gint64 column)
{
  Four four;

  if (column != 1)
    return (Four){ b[0], b[column], b[2 * column], b[3 * column] };
  memcpy (&four, b, sizeof four);
  return four;
}

/* Computes C; the elements of a row of op(A) are a_column apart, those of op(B) column, which is a constant for the
 * compiler where it is 1. */
static inline void
multiply (const HybGemm *gemm, const float *a, const float *b, gint64 column, float *c)
{
  gint64 a_row = gemm->transpose_a ? 1 : gemm->lda, a_column = gemm->transpose_a ? gemm->lda : 1;
  gint64 row = gemm->transpose_b ? 1 : gemm->ldb;
  float  alpha = (float) gemm->alpha, beta = (float) gemm->beta;

  for (gint64 i = 0; i < gemm->m; i++, a += a_row, c += gemm->ldc)
    {
      gint64 j = 0;

      for (; j + WIDTH <= gemm->n; j += WIDTH)
        {
          Four sums = { 0 };

          for (gint64 l = 0; l < gemm->k; l++)
            sums += a[l * a_column] * load (b + l * row + j * column, column);
          sums *= alpha;
          if (beta != 0)
            sums += beta * load (c + j, 1);
          memcpy (c + j, &sums, sizeof sums);
        }
      for (; j < gemm->n; j++)
        {
          float sum = 0;

          for (gint64 l = 0; l < gemm->k; l++)
            sum += a[l * a_column] * b[l * row + j * column];
          c[j] = beta != 0 ? alpha * sum + beta * c[j] : alpha * sum;
        }
    }
}

gboolean
hyb_tiny_is_faster (const HybGemm *gemm)
{
  return (double) gemm->m * (double) gemm->n * (double) gemm->k <= MAX_WORK;
}

void
hyb_tiny_gemm (const HybGemm *gemm, const float *a, const float *b, float *c)
{
  if (gemm->transpose_b)
    multiply (gemm, a, b, gemm->ldb, c);
  else
    multiply (gemm, a, b, 1, c);
}
