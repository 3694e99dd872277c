/* transpose-blocks-kernel.h — blocks of transpose-blocks.c for elements of BITS bits, with 16-byte vectors (BLOCK) and, if
 * AVX2 is in the target, pairs of them (PAIR).
 *
 * A block of N × N elements, N = 16 bytes, is transposed by interleaving row i with row i + N / 2, log₂ N times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define N                  (128 / BITS)
#define NAME_(name, bits)  name##_##bits
#define NAME__(name, bits) NAME_ (name, bits)
#define NAME(name)         NAME__ (name, BITS)
#define LOW_(bits)         _mm_unpacklo_epi##bits
#define HIGH_(bits)        _mm_unpackhi_epi##bits
#define LOW__(bits)        LOW_ (bits)
#define HIGH__(bits)       HIGH_ (bits)
#define LOW_PAIR_(bits)    _mm256_unpacklo_epi##bits
#define HIGH_PAIR_(bits)   _mm256_unpackhi_epi##bits
#define LOW_PAIR__(bits)   LOW_PAIR_ (bits)
#define HIGH_PAIR__(bits)  HIGH_PAIR_ (bits)

static inline __attribute__ ((always_inline)) void
NAME (interleave) (__m128i *a)
{
  __m128i b[N];

  HYB_UNROLL (8)
  for (int i = 0; i < N / 2; i++)
    {
      b[2 * i] = LOW__ (BITS) (a[i], a[i + N / 2]);
      b[2 * i + 1] = HIGH__ (BITS) (a[i], a[i + N / 2]);
    }
  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    a[i] = b[i];
}

/* Transposes n_rows ≤ N rows of x, of which n_results ≤ N rows of y are written; all of them have 16 bytes. */
static inline __attribute__ ((always_inline)) void
NAME (block) (const char *x, gint64 x_step, int n_rows, char *y, gint64 y_step, int n_results)
{
  __m128i a[N];

  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    a[i] = i < n_rows ? _mm_loadu_si128 ((gconstpointer) (x + i * x_step)) : _mm_setzero_si128 ();
  NAME (interleave) (a);
  if (N > 2)
    NAME (interleave) (a);
  if (N > 4)
    NAME (interleave) (a);
  if (N > 8)
    NAME (interleave) (a);
  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    if (i < n_results)
      _mm_storeu_si128 ((gpointer) (y + i * y_step), a[i]);
}

static inline __attribute__ ((always_inline, target ("avx2"))) void
NAME (interleave_pairs) (__m256i *a)
{
  __m256i b[N];

  HYB_UNROLL (8)
  for (int i = 0; i < N / 2; i++)
    {
      b[2 * i] = LOW_PAIR__ (BITS) (a[i], a[i + N / 2]);
      b[2 * i + 1] = HIGH_PAIR__ (BITS) (a[i], a[i + N / 2]);
    }
  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    a[i] = b[i];
}

/* Transposes 2 N rows of x of 16 bytes into N rows of y of 32 bytes. */
static inline __attribute__ ((always_inline, target ("avx2"))) void
NAME (pair) (const char *x, gint64 x_step, char *y, gint64 y_step)
{
  __m256i a[N];

  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    a[i] = _mm256_inserti128_si256 (_mm256_castsi128_si256 (
                                        _mm_loadu_si128 ((gconstpointer) (x + i * x_step))),
                                    _mm_loadu_si128 ((gconstpointer) (x + (i + N) * x_step)), 1);
  NAME (interleave_pairs) (a);
  if (N > 2)
    NAME (interleave_pairs) (a);
  if (N > 4)
    NAME (interleave_pairs) (a);
  if (N > 8)
    NAME (interleave_pairs) (a);
  HYB_UNROLL (16)
  for (int i = 0; i < N; i++)
    _mm256_storeu_si256 ((gpointer) (y + i * y_step), a[i]);
}

/* Pairs of blocks over `height` rows of y, at least N. */
static __attribute__ ((target ("avx2"))) void
NAME (pairs) (gint64 height, const char *x, gint64 x_step, char *y, gint64 y_step)
{
  for (gint64 i = 0; i < height; i = hyb_transpose_next (i, N, height))
    NAME (pair) (x + i * ITEM, x_step, y + i * y_step, y_step);
}

static void
NAME (blocks) (gint64 height, const char *x, gint64 x_step, char *y, gint64 y_step)
{
  for (gint64 i = 0; i < height; i = hyb_transpose_next (i, N, height))
    NAME (block) (x + i * ITEM, x_step, N, y + i * y_step, y_step, N);
}

/* At least N rows and columns. */
static void
NAME (many) (const HybTranspose *shape, const char *x, char *y)
{
  gint64 x_step = shape->x_stride * ITEM, y_step = shape->y_stride * ITEM, width = shape->width,
         j = 0;
  gboolean has_pairs = width >= 2 * N && hyb_simd_level () >= HYB_SIMD_AVX2;

  for (; has_pairs && j + 2 * N <= width; j += 2 * N)
    NAME (pairs) (shape->height, x + j * x_step, x_step, y + j * ITEM, y_step);
  for (; j < width; j = hyb_transpose_next (j, N, width))
    {
      gint64 at = MIN (j, width - N);

      NAME (blocks) (shape->height, x + at * x_step, x_step, y + at * ITEM, y_step);
    }
}

/* Fewer than N columns, in rows of y without gaps: each row that is written begins the next one, which is written
 * afterwards.  Returns the number of rows that are done. */
static gint64
NAME (few_columns) (const HybTranspose *shape, const char *x, char *y)
{
  gint64 width = shape->width, step = width * ITEM, i = 0;
  gint64 last = shape->y_stride == width ? whole_vectors (shape->height, step, step) : 0;

  for (; last >= N && i < last; i = hyb_transpose_next (i, N, last))
    NAME (block) (x + i * ITEM, shape->x_stride * ITEM, (int) width, y + i * step, step, N);
  return i;
}

/* Fewer than N rows of y: of each row of x that is read the last elements belong to those after it.  Returns the number of
 * columns that are done. */
static gint64
NAME (few_rows) (const HybTranspose *shape, const char *x, char *y)
{
  gint64 step = shape->x_stride * ITEM, j = 0;
  gint64 last = whole_vectors (shape->width, step, shape->height * ITEM);

  for (; last >= N && j < last; j = hyb_transpose_next (j, N, last))
    NAME (block) (x + j * step, step, N, y + j * ITEM, shape->y_stride * ITEM, (int) shape->height);
  return j;
}

#undef N
#undef NAME_
#undef NAME__
#undef NAME
#undef LOW_
#undef HIGH_
#undef LOW__
#undef HIGH__
#undef LOW_PAIR_
#undef HIGH_PAIR_
#undef LOW_PAIR__
#undef HIGH_PAIR__
