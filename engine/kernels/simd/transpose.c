/* transpose.c — transposes matrices of 32-bit elements in registers: y[i,j] = x[j,i].
 *
 * With AVX2: for each strip of 64 rows of y, for each block of 16 columns (the rest: 8), for each 4
 * rows.  Sixteen columns are a cache line, and the next line of x and of y is prefetched meanwhile.
 * Without, or with less than 8 columns: for each block of 4 rows, for each block of 4 columns.  The last
 * blocks overlap those before.  Fewer than 4 rows or columns have loops of their own.  Start with hyb_transpose_32().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/transpose.h"

#include "engine/kernels/simd/simd.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Rows of y that are completed before the next, so that they stay in the first-level cache. */
#define STRIP 64
/* Elements of a cache line. */
#define LINE HYB_LINE_FLOATS

typedef guint32 __attribute__ ((may_alias, aligned (1))) Bits32;
typedef guint32 __attribute__ ((vector_size (16))) Four32;

/* Transposes a block of 4 × 4. */
static inline void
transpose_4x4 (const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
{
  Four32 row[4], low[2], high[2];

  for (int j = 0; j < 4; j++)
    memcpy (&row[j], x + j * x_stride, sizeof row[j]);
  for (int j = 0; j < 2; j++)
    {
      low[j] = __builtin_shufflevector (row[2 * j], row[2 * j + 1], 0, 4, 1, 5);
      high[j] = __builtin_shufflevector (row[2 * j], row[2 * j + 1], 2, 6, 3, 7);
    }
  row[0] = __builtin_shufflevector (low[0], low[1], 0, 1, 4, 5);
  row[1] = __builtin_shufflevector (low[0], low[1], 2, 3, 6, 7);
  row[2] = __builtin_shufflevector (high[0], high[1], 0, 1, 4, 5);
  row[3] = __builtin_shufflevector (high[0], high[1], 2, 3, 6, 7);
  for (int i = 0; i < 4; i++)
    memcpy (y + i * y_stride, &row[i], sizeof row[i]);
}

static void
transpose_plain (const HybTranspose *shape, const Bits32 *x, Bits32 *y)
{
  gint64 x_stride = shape->x_stride, y_stride = shape->y_stride;

  for (gint64 i = 0; i < shape->height; i = hyb_transpose_next (i, 4, shape->height))
    for (gint64 j = 0; j < shape->width; j = hyb_transpose_next (j, 4, shape->width))
      transpose_4x4 (x + j * x_stride + i, x_stride, y + i * y_stride + j, y_stride);
}

/* Copies the rows from first_row on and the columns from first_column on, one element at a time. */
static void
transpose_rest (const HybTranspose *shape,
                gint64              first_row,
                gint64              first_column,
                const Bits32       *x,
                Bits32             *y)
{
  for (gint64 i = 0; i < shape->height; i++)
    for (gint64 j = i < first_row ? first_column : 0; j < shape->width; j++)
      y[i * shape->y_stride + j] = x[j * shape->x_stride + i];
}

/* Up to three columns, in whole rows of y without gaps: each row of four elements that is written begins the next
 * row, which is written afterwards.  The last rows are copied one element at a time. */
static void
transpose_few_columns (const HybTranspose *shape, const Bits32 *x, Bits32 *y)
{
  gint64 width = shape->width, i = 0;
  Bits32 block[16];

  if (shape->y_stride == width)
    for (; (i + 3) * width + 4 <= shape->height * width; i += 4)
      {
        for (gint64 j = 0; j < width; j++)
          memcpy (block + 4 * j, x + j * shape->x_stride + i, 4 * sizeof *x);
        memset (block + 4 * width, 0, (gsize) (16 - 4 * width) * sizeof *x);
        transpose_4x4 (block, 4, y + i * width, width);
      }
  transpose_rest (shape, i, width, x, y);
}

/* Up to three rows of y: four elements are read of each row of x, of which the last ones belong to the next row. */
static void
transpose_few_rows (const HybTranspose *shape, const Bits32 *x, Bits32 *y)
{
  gint64 height = shape->height, stride = shape->x_stride, j = 0;
  Bits32 block[16];

  for (; (j + 3) * stride + 4 <= (shape->width - 1) * stride + height; j += 4)
    {
      transpose_4x4 (x + j * stride, stride, block, 4);
      for (gint64 i = 0; i < height; i++)
        memcpy (y + i * shape->y_stride + j, block + 4 * i, 4 * sizeof *y);
    }
  transpose_rest (shape, height, j, x, y);
}

#ifdef __x86_64__

#define TARGET __attribute__ ((target ("avx2")))

/* Loads four elements of rows j and j + 4 of x as the two halves of a vector. */
static inline TARGET __m256
load_pair (const Bits32 *x, gint64 x_stride, gint64 j)
{
  const float *low = (const float *) (gconstpointer) (x + j * x_stride);
  const float *high = (const float *) (gconstpointer) (x + (j + 4) * x_stride);

  return _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_loadu_ps (low)), _mm_loadu_ps (high), 1);
}

/* Transposes a block of 4 rows and 8 columns of y. */
static inline TARGET void
transpose_4x8 (const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
{
  __m256 row0 = load_pair (x, x_stride, 0), row1 = load_pair (x, x_stride, 1);
  __m256 row2 = load_pair (x, x_stride, 2), row3 = load_pair (x, x_stride, 3);
  __m256 low01 = _mm256_unpacklo_ps (row0, row1), high01 = _mm256_unpackhi_ps (row0, row1);
  __m256 low23 = _mm256_unpacklo_ps (row2, row3), high23 = _mm256_unpackhi_ps (row2, row3);
  float *to = (float *) (gpointer) y;

  _mm256_storeu_ps (to, _mm256_shuffle_ps (low01, low23, 0x44));
  _mm256_storeu_ps (to + y_stride, _mm256_shuffle_ps (low01, low23, 0xee));
  _mm256_storeu_ps (to + 2 * y_stride, _mm256_shuffle_ps (high01, high23, 0x44));
  _mm256_storeu_ps (to + 3 * y_stride, _mm256_shuffle_ps (high01, high23, 0xee));
}

/* Transposes eight columns of y.  Not inlined, because it needs all vector registers. */
static __attribute__ ((noinline)) TARGET void
transpose_columns (gint64 height, const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
{
  for (gint64 i = 0; i < height; i += 4, x += 4, y += 4 * y_stride)
    transpose_4x8 (x, x_stride, y, y_stride);
}

/* Prefetches what the LINE columns after these need for rows i to i + 3 of y: the lines that are
 * written, and four of the rows of x; LINE rows of y prefetch all of them.  At the end of a matrix
 * the addresses lie behind it, which a prefetch may ask for. */
static inline TARGET void
prefetch_next_line (gint64 i, const Bits32 *x, gint64 x_stride, const Bits32 *y, gint64 y_stride)
{
  const Bits32 *next = x - i % LINE + (LINE + i % LINE) * x_stride;

  for (int row = 0; row < 4; row++)
    {
      __builtin_prefetch (next + row * x_stride);
      __builtin_prefetch (y + row * y_stride + LINE, 1);
    }
}

/* Transposes LINE columns of y. */
static __attribute__ ((noinline)) TARGET void
transpose_line (gint64 height, const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
{
  for (gint64 i = 0; i < height; i += 4, x += 4, y += 4 * y_stride)
    {
      prefetch_next_line (i, x, x_stride, y, y_stride);
      transpose_4x8 (x, x_stride, y, y_stride);
      transpose_4x8 (x + 8 * x_stride, x_stride, y + 8, y_stride);
    }
}

/* Transposes `height` rows of y, a multiple of 4. */
static TARGET void
transpose_strip (const HybTranspose *shape, gint64 height, const Bits32 *x, Bits32 *y)
{
  gint64 width = shape->width, x_stride = shape->x_stride, y_stride = shape->y_stride, j = 0;

  for (; j + LINE <= width; j += LINE)
    transpose_line (height, x + j * x_stride, x_stride, y + j, y_stride);
  if (width >= 8)
    for (; j < width; j = hyb_transpose_next (j, 8, width))
      {
        gint64 at = MIN (j, width - 8);

        transpose_columns (height, x + at * x_stride, x_stride, y + at, y_stride);
      }
  else
    transpose_plain (&(HybTranspose){ height, width, x_stride, y_stride }, x, y);
}

static TARGET void
transpose_avx2 (const HybTranspose *shape, const Bits32 *x, Bits32 *y)
{
  gint64 height = shape->height, first = 0;

  for (; first + 4 <= height; first += STRIP)
    transpose_strip (shape, MIN (STRIP, (height - first) / 4 * 4), x + first,
                     y + first * shape->y_stride);
  if (height % 4 != 0)
    transpose_strip (shape, 4, x + height - 4, y + (height - 4) * shape->y_stride);
}

#endif

void
hyb_transpose_32 (const HybTranspose *shape, gconstpointer x, gpointer y)
{
  if (shape->width < 4)
    {
      transpose_few_columns (shape, x, y);
      return;
    }
  if (shape->height < 4)
    {
      transpose_few_rows (shape, x, y);
      return;
    }
#ifdef __x86_64__
  if (hyb_simd_level () >= HYB_SIMD_AVX2)
    {
      transpose_avx2 (shape, x, y);
      return;
    }
#endif
  transpose_plain (shape, x, y);
}
