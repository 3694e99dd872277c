/* sum-columns-kernel.h — the loops of sum-columns.c for one instruction set.
 *
 * sum_columns: for each GROUP of rows, for each vector of columns: the rows are added as a tree of floats, which is added
 * to the sums in double.
 * sum_rows: for each LANES rows, for each PIECE: four sums of vectors for each row, then the sums of the lanes of all rows at
 * once, as floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows that are added as floats before they are added to the sums. */
#define GROUP 8

/* Elements of a row that are added as floats before they are added to its sum. */
#define PIECE (8 * LANES)

/* Doubles of a vector. */
#define WIDTH (LANES / 2)

/* The first n columns of a row, of LANES or fewer. */
INLINE Floats
SIMD (columns) (const float *x, gint64 n)
{
  return n == LANES ? simd_load (x) : simd_load_part (x, n);
}

/* The sum of n_rows rows, a constant power of two up to GROUP. */
INLINE Floats
SIMD (sum_of_rows) (const int n_rows, const float *x, gint64 stride, gint64 n)
{
#define ROW(k)  SIMD (columns) (x + (k) *stride, n)
#define FOUR(k) ((ROW (k) + ROW (k + 1)) + (ROW (k + 2) + ROW (k + 3)))
  if (n_rows == 1)
    return ROW (0);
  if (n_rows == 2)
    return ROW (0) + ROW (1);
  return n_rows == 4 ? FOUR (0) : FOUR (0) + FOUR (4);
#undef ROW
#undef FOUR
}

INLINE void
SIMD (add_floats) (Floats value, double *sums)
{
  Doubles low, high;

  memcpy (&low, sums, sizeof low);
  memcpy (&high, sums + WIDTH, sizeof high);
  low += simd_low_doubles (value);
  high += simd_high_doubles (value);
  memcpy (sums, &low, sizeof low);
  memcpy (sums + WIDTH, &high, sizeof high);
}

/* Adds n_rows rows of n columns. */
INLINE void
SIMD (add_rows) (const int n_rows, const float *x, gint64 stride, gint64 n, double *sums)
{
  double part[LANES] = { 0 };
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    SIMD (add_floats) (SIMD (sum_of_rows) (n_rows, x + i, stride, LANES), sums + i);
  if (i == n)
    return;
  memcpy (part, sums + i, sizeof *part * (gsize) (n - i));
  SIMD (add_floats) (SIMD (sum_of_rows) (n_rows, x + i, stride, n - i), part);
  memcpy (sums + i, part, sizeof *part * (gsize) (n - i));
}

static TARGET void
SIMD (sum_columns) (gpointer      accumulators,
                    gconstpointer elements,
                    gint64        n,
                    gint64        n_rows,
                    gint64        stride)
{
  const float *x = elements;

  for (; n_rows >= GROUP; n_rows -= GROUP, x += GROUP * stride)
    SIMD (add_rows) (GROUP, x, stride, n, accumulators);
  if (n_rows & 4)
    SIMD (add_rows) (4, x, stride, n, accumulators);
  x += (n_rows & 4) * stride;
  if (n_rows & 2)
    SIMD (add_rows) (2, x, stride, n, accumulators);
  x += (n_rows & 2) * stride;
  if (n_rows & 1)
    SIMD (add_rows) (1, x, stride, n, accumulators);
}

/* The sum of a row of n floats, lane by lane. */
INLINE Floats
SIMD (sum_of_lanes) (const float *x, gint64 n)
{
  Floats sum[4] = { { 0.f }, { 0.f }, { 0.f }, { 0.f } };
  gint64 i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    {
      HYB_UNROLL (4)
      for (int k = 0; k < 4; k++)
        sum[k] += simd_load (x + i + k * LANES);
    }
  HYB_UNROLL (4)
  for (int k = 0; k < 3; k++)
    if (i + LANES <= n)
      {
        sum[k] += simd_load (x + i);
        i += LANES;
      }
  if (i < n)
    sum[3] += simd_load_part (x + i, n - i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* a[0] + a[1], a[2] + a[3], …, b[0] + b[1], … */
INLINE Floats
SIMD (add_pairs) (Floats a, Floats b)
{
  return simd_even_lanes (a, b) + simd_odd_lanes (a, b);
}

/* The sums of n floats of each of `count` rows, LANES at most, as floats; missing ones are zeros, so that a sum does not depend
 * on the rows beside it. */
INLINE Floats
SIMD (sum_group) (const float *x, gint64 stride, gint64 count, gint64 n)
{
  Floats v[LANES];

  HYB_UNROLL (16)
  for (int i = 0; i < LANES; i++)
    v[i] = i < count ? SIMD (sum_of_lanes) (x + i * stride, n) : simd_fill (0.f);
  HYB_UNROLL (4)
  for (int width = LANES / 2; width > 0; width /= 2)
    {
      HYB_UNROLL (8)
      for (int i = 0; i < width; i++)
        v[i] = SIMD (add_pairs) (v[2 * i], v[2 * i + 1]);
    }
  return v[0];
}

static TARGET void
SIMD (sum_rows) (const float *x, gint64 n_rows, gint64 n, double *sums)
{
  double part[LANES] = { 0 };
  gint64 row = 0;

  memset (sums, 0, sizeof *sums * (gsize) n_rows);
  for (; row + LANES <= n_rows; row += LANES)
    for (gint64 i = 0; i < n; i += PIECE)
      SIMD (add_floats)
  (SIMD (sum_group) (x + row * n + i, n, LANES, MIN (PIECE, n - i)), sums + row);
  if (row == n_rows)
    return;
  for (gint64 i = 0; i < n; i += PIECE)
    SIMD (add_floats)
  (SIMD (sum_group) (x + row * n + i, n, n_rows - row, MIN (PIECE, n - i)), part);
  memcpy (sums + row, part, sizeof *part * (gsize) (n_rows - row));
}

static TARGET void
SIMD (sum_combine) (gpointer accumulators, gconstpointer others, gint64 n)
{
  const double *b = others;
  double       *a = accumulators;

  HYB_INDEPENDENT
  for (gint64 i = 0; i < n; i++)
    a[i] += b[i];
}

/* y[i] = a[i] / count */
static TARGET void
SIMD (sum_means) (const double *a, gint64 n, double count, float *y)
{
  HYB_INDEPENDENT
  for (gint64 i = 0; i < n; i++)
    y[i] = (float) (a[i] / count);
}

#undef GROUP
#undef PIECE
#undef WIDTH
