/* small-lu-kernel.h — the loops of small-lu.c for one instruction set.
 *
 * A column of the factorised matrix is a row of the memory, so that vectors run along columns; they are copied to whole
 * vectors.  Rows stay where they are until the end: a row is active until it holds a pivot.  Two columns are finished at a
 * time: each gets its pivot, and its other active rows are divided by it.  Then their products are subtracted from the
 * columns that follow: w[j][i] −= w[j][row of pivot k] · w[k][i], for i in steps of a vector.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* With 16 lanes most columns would fill one or two vectors only in part, and each store takes two cycles: 1.2 to 1.6 times as
 * long on AMD Zen 4. */
#if LANES < 16

typedef struct
{
  gint64 n, stride; /* stride: of columns, whole vectors */
  float  columns[SMALL_LU_MAX * SMALL_LU_STRIDE];
  float  below
      [2 *
       SMALL_LU_STRIDE]; /* elements below the pivots of two columns; 0 in rows that are not active */
  gint32 active[SMALL_LU_STRIDE]; /* −1 or 0 */
  gint64 order[SMALL_LU_MAX];     /* the row of the k-th pivot; behind them the active rows */
  int    first_zero;
} SIMD (SmallLu);

INLINE Ints
SIMD (load_active) (const SIMD (SmallLu) * lu, gint64 i)
{
  return (Ints) simd_load ((const float *) (gconstpointer) lu->active + i);
}

static TARGET void
SIMD (copy_matrix) (SIMD (SmallLu) * lu, gint64 n, const float *a)
{
  gint64 stride = (n + LANES - 1) / LANES * LANES;

  lu->n = n;
  lu->stride = stride;
  lu->first_zero = 0;
  for (gint64 i = 0; i < stride; i++)
    lu->active[i] = i < n ? -1 : 0;
  for (gint64 j = 0; j < n; j++)
    {
      float *to = lu->columns + j * stride;

      lu->order[j] = j;
      for (gint64 i = 0; i < stride; i += LANES)
        if (i + LANES <= n)
          simd_store (to + i, simd_load (a + j * n + i));
        else
          simd_store (to + i, simd_keep_part (simd_load_part (a + j * n + i, n - i), n - i));
    }
}

/* The place in lu->order, from k on, of the row whose element of the column is largest. */
INLINE gint64
SIMD (find_pivot) (SIMD (SmallLu) * lu, gint64 k, const float *column)
{
  Floats largest = { 0 };
  float  size;
  gint64 place = k, last = lu->n - 1;

  for (gint64 i = 0; i < lu->stride; i += LANES)
    {
      Ints bits = (Ints) simd_load (column + i) & G_MAXINT32;

      largest = simd_max (largest, (Floats) (bits & SIMD (load_active) (lu, i)));
    }
  size = simd_lane_max (largest);
  while (place < last && fabsf (column[lu->order[place]]) != size)
    place++;
  return place;
}

/* Divides the active rows of column k by the pivot, and copies them to `below`. */
INLINE void
SIMD (divide_below) (SIMD (SmallLu) * lu, float *column, float pivot, float *below)
{
  for (gint64 i = 0, stride = lu->stride; i < stride; i += LANES)
    {
      Ints   active = SIMD (load_active) (lu, i);
      Floats x = simd_load (column + i), quotient = x / simd_fill (pivot);

      simd_store (column + i, simd_choose (active, quotient, x));
      simd_store (below + i, (Floats) ((Ints) quotient & active));
    }
}

/* Chooses the pivot of column k and divides; `below` is 0 if that pivot is. */
INLINE void
SIMD (finish_column) (SIMD (SmallLu) * lu, gint64 k, gint32 *pivot, float *below)
{
  float *column = lu->columns + k * lu->stride;
  gint64 place = SIMD (find_pivot) (lu, k, column), row = lu->order[place];

  pivot[k] = (gint32) place + 1;
  lu->order[place] = lu->order[k];
  lu->order[k] = row;
  lu->active[row] = 0;
  if (column[row] != 0)
    SIMD (divide_below) (lu, column, column[row], below);
  else
    {
      lu->first_zero = lu->first_zero ? lu->first_zero : (int) k + 1;
      memset (below, 0, (gsize) lu->stride * sizeof *below);
    }
}

INLINE void
SIMD (subtract_product) (gint64 stride, const float *below, float factor, float *column)
{
  for (gint64 i = 0; i < stride; i += LANES)
    simd_store (column + i, simd_subtract_product (simd_fill (factor), simd_load (below + i),
                                                   simd_load (column + i)));
}

/* Subtracts the products of two columns, with pivots in two rows, from n columns.  The factor in the second row is computed
 * as the element that is stored there.  The number of vectors is a constant where this is inlined. */
INLINE void
SIMD (subtract_pairs) (gint64        n,
                       const gint64  vectors,
                       const float  *below,
                       const gint64 *row,
                       float        *columns)
{
  const float *second = below + SMALL_LU_STRIDE;

  for (gint64 j = 0; j < n; j++)
    {
      float *column = columns + j * vectors * LANES;
      Floats a = simd_fill (column[row[0]]);
      Floats b = simd_subtract_product (a, simd_fill (below[row[1]]), simd_fill (column[row[1]]));

      for (gint64 i = 0; i < vectors * LANES; i += LANES)
        {
          Floats x = simd_subtract_product (a, simd_load (below + i), simd_load (column + i));

          simd_store (column + i, simd_subtract_product (b, simd_load (second + i), x));
        }
    }
}

static TARGET gboolean
SIMD (is_finite) (const SIMD (SmallLu) * lu)
{
  Floats sum = { 0 };

  for (gint64 i = 0; i < lu->n * lu->stride; i += LANES)
    sum += simd_load (lu->columns + i) * simd_fill (0.f);
  return !simd_any (sum != sum);
}

static TARGET gboolean
SIMD (lu) (gint64 n, float *a, gint32 *pivot, int *first_zero)
{
  SIMD (SmallLu) lu;
  gint64 stride;

  SIMD (copy_matrix) (&lu, n, a);
  stride = lu.stride;
  for (gint64 k = 0; k < n; k += 2)
    {
      float *next = lu.columns + (k + 1) * stride;

      SIMD (finish_column) (&lu, k, pivot, lu.below);
      if (k + 1 == n)
        break;
      SIMD (subtract_product) (stride, lu.below, next[lu.order[k]], next);
      SIMD (finish_column) (&lu, k + 1, pivot, lu.below + SMALL_LU_STRIDE);
      if (stride == LANES)
        SIMD (subtract_pairs) (n - k - 2, 1, lu.below, lu.order + k, next + stride);
      else if (stride == 2 * LANES)
        SIMD (subtract_pairs) (n - k - 2, 2, lu.below, lu.order + k, next + stride);
      else
        SIMD (subtract_pairs) (n - k - 2, stride / LANES, lu.below, lu.order + k, next + stride);
    }

  *first_zero = lu.first_zero;
  if (!SIMD (is_finite) (&lu))
    return FALSE;
  for (gint64 j = 0; j < n; j++)
    {
      const float *column = lu.columns + j * stride;
      float       *to = a + j * n;

      HYB_KEEP_LOOP
      for (gint64 i = 0; i < n; i++)
        to[i] = column[lu.order[i]];
    }
  return TRUE;
}

#endif
