/* transpose.c — transposing in registers: blocks of 8 × 8 with AVX2, of 4 × 4 without.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/transpose.h"

#include "engine/kernels/simd/simd.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Rows of y that stay near while columns are added to them. */
#define STRIP 64

typedef guint32 __attribute__ ((may_alias, aligned (1))) Bits32;
typedef guint32 __attribute__ ((vector_size (16))) Four32;

static inline void
turn_4 (const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
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

/* Rows and columns from here on that no block covers. */
static void
turn_rest (gint64        first_row,
           gint64        first_column,
           gint64        height,
           gint64        width,
           const Bits32 *x,
           gint64        x_stride,
           Bits32       *y,
           gint64        y_stride)
{
  for (gint64 i = 0; i < height; i++)
    for (gint64 j = i < first_row ? first_column : 0; j < width; j++)
      y[i * y_stride + j] = x[j * x_stride + i];
}

static void
turn_plain (gint64        height,
            gint64        width,
            const Bits32 *x,
            gint64        x_stride,
            Bits32       *y,
            gint64        y_stride)
{
  gint64 rows = height - height % 4, columns = width - width % 4;

  for (gint64 i = 0; i < rows; i += 4)
    for (gint64 j = 0; j < columns; j += 4)
      turn_4 (x + j * x_stride + i, x_stride, y + i * y_stride + j, y_stride);
  turn_rest (rows, columns, height, width, x, x_stride, y, y_stride);
}

#ifdef __x86_64__

#define TARGET __attribute__ ((target ("avx2")))

/* Rows j and j + 4 of four columns: the halves of a vector, put together while loading. */
static inline TARGET __m256
load_pair (const Bits32 *x, gint64 x_stride, gint64 j)
{
  const float *low = (const float *) (gconstpointer) (x + j * x_stride);
  const float *high = (const float *) (gconstpointer) (x + (j + 4) * x_stride);

  return _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_loadu_ps (low)), _mm_loadu_ps (high), 1);
}

/* Four rows of y from four columns of x. */
static inline TARGET void
turn_half (const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
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

/* Eight columns of y; on its own, for it needs all registers. */
static __attribute__ ((noinline)) TARGET void
turn_columns (gint64 height, const Bits32 *x, gint64 x_stride, Bits32 *y, gint64 y_stride)
{
  for (gint64 i = 0; i < height; i += 4, x += 4, y += 4 * y_stride)
    turn_half (x, x_stride, y, y_stride);
}

static TARGET void
turn_avx2 (gint64        height,
           gint64        width,
           const Bits32 *x,
           gint64        x_stride,
           Bits32       *y,
           gint64        y_stride)
{
  gint64 rows = height - height % 4, columns = width - width % 8;

  for (gint64 first = 0; first < rows; first += STRIP)
    for (gint64 j = 0; j < columns; j += 8)
      turn_columns (MIN (STRIP, rows - first),
                    x + j * x_stride + first,
                    x_stride,
                    y + first * y_stride + j,
                    y_stride);
  turn_rest (rows, columns, height, width, x, x_stride, y, y_stride);
}

#endif

void
hyb_transpose_32 (gint64        height,
                  gint64        width,
                  gconstpointer x,
                  gint64        x_stride,
                  gpointer      y,
                  gint64        y_stride)
{
#ifdef __x86_64__
  if (hyb_simd_level () >= HYB_SIMD_AVX2)
    {
      turn_avx2 (height, width, x, x_stride, y, y_stride);
      return;
    }
#endif
  turn_plain (height, width, x, x_stride, y, y_stride);
}
