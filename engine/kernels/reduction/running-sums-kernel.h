/* running-sums-kernel.h — the loops of running-sums.c for one instruction set: y[k] = y[k − 1] + x[k].
 *
 * For each STRIP of k, for each block of up to BLOCK vectors of lines, over k; the sums of a block stay in registers meanwhile.
 * The last vector overlaps the one before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vectors of lines whose sums are in registers. */
#define BLOCK 4
/* Elements of each line that are summed before those of the next lines, so that memory is read in long runs. */
#define STRIP HYB_RUNNING_FLOATS

/* Sums of as many lines as there are floats in a vector. */
typedef struct
{
  Doubles low, high;
} SIMD (Sums_f32);

/* Adds as many lines as there are floats in a vector, from line `first` on, and `length` elements of each, one by one. */
static void
SIMD (add_strips) (const HybRunningSums *lines,
                   gint64                length,
                   gint64                first,
                   SIMD (Sums_f32) * total)
{
  for (int lane = 0; lane < LANES; lane++)
    add_strip_f32 (lines, (const float *) lines->x + first + lane,
                   (float *) lines->y + first + lane, length, (double *) total + lane);
}

/* Adds as floats, if `writes`, n_vectors vectors of lines, of which the last one starts `end` lines after the first, and up to
 * HYB_RUNNING_FLOATS elements of each.  Returns FALSE, without a change of totals, if any line overflows.  n_vectors, exclusive
 * and writes are constants where this is inlined. */
INLINE gboolean
SIMD (add_floats) (const HybRunningSums *lines,
                   gint64                length,
                   gint64                end,
                   const int             n_vectors,
                   const gboolean        exclusive,
                   const gboolean        writes,
                   SIMD (Sums_f32) * totals)
{
  const float *x = lines->x;
  float       *y = lines->y;
  const gint64 step = lines->step;
  Floats       base[BLOCK], part[BLOCK], old;
  Ints         overflows = { 0 };

  HYB_UNROLL (4)
  for (int i = 0; i < n_vectors; i++)
    {
      base[i] = simd_join_doubles (totals[i].low, totals[i].high);
      part[i] = simd_fill (0.f);
    }
  for (gint64 k = 0; k < length; k++, x += step, y += step)
    {
      HYB_UNROLL (4)
      for (int i = 0; i < n_vectors; i++)
        {
          gint64 at = i == n_vectors - 1 ? end : i * LANES;

          old = part[i];
          part[i] += simd_load (x + at);
          if (writes)
            simd_store (y + at, base[i] + (exclusive ? old : part[i]));
        }
    }
  /* What is subtracted from itself is NaN if it is not finite, and a part that overflowed stays so. */
  HYB_UNROLL (4)
  for (int i = 0; i < n_vectors; i++)
    overflows |= base[i] - base[i] != part[i] - part[i];
  if (simd_any (overflows))
    return FALSE;
  HYB_UNROLL (4)
  for (int i = 0; i < n_vectors && writes; i++)
    {
      totals[i].low += simd_low_doubles (part[i]);
      totals[i].high += simd_high_doubles (part[i]);
    }
  return TRUE;
}

/* The same lines, whether they overflow or not.  In place, that is found before anything is written. */
INLINE void
SIMD (block_f32) (const HybRunningSums *lines,
                  gint64                length,
                  gint64                end,
                  const int             n_vectors,
                  const gboolean        exclusive,
                  SIMD (Sums_f32) * totals)
{
  if ((lines->x != lines->y ||
       SIMD (add_floats) (lines, length, end, n_vectors, exclusive, FALSE, totals)) &&
      SIMD (add_floats) (lines, length, end, n_vectors, exclusive, TRUE, totals))
    return;
  for (int i = 0; i < n_vectors; i++)
    SIMD (add_strips) (lines, length, i == n_vectors - 1 ? end : i * LANES, &totals[i]);
}

/* The same for elements of type T, of which COUNT fill a vector, and any number of them. */
#define BLOCKS(T, COUNT, suffix)                                                             \
  typedef T SIMD (Sums_##suffix) __attribute__ ((vector_size (COUNT * sizeof (T))));         \
                                                                                             \
  INLINE void SIMD (block_##suffix) (const HybRunningSums *lines, gint64 length, gint64 end, \
                                     const int n_vectors, const gboolean exclusive,          \
                                     SIMD (Sums_##suffix) * totals)                          \
  {                                                                                          \
    const T     *x = lines->x;                                                               \
    T           *y = lines->y;                                                               \
    const gint64 step = lines->step;                                                         \
    SIMD (Sums_##suffix) sums[BLOCK], value, old;                                            \
                                                                                             \
    HYB_UNROLL (4)                                                                           \
    for (int i = 0; i < n_vectors; i++)                                                      \
      sums[i] = totals[i];                                                                   \
    for (gint64 k = 0; k < length; k++, x += step, y += step)                                \
      {                                                                                      \
        HYB_UNROLL (4)                                                                       \
        for (int i = 0; i < n_vectors; i++)                                                  \
          {                                                                                  \
            gint64 at = i == n_vectors - 1 ? end : i * COUNT;                                \
                                                                                             \
            memcpy (&value, x + at, sizeof value);                                           \
            old = sums[i];                                                                   \
            sums[i] += value;                                                                \
            value = exclusive ? old : sums[i];                                               \
            memcpy (y + at, &value, sizeof value);                                           \
          }                                                                                  \
      }                                                                                      \
    HYB_UNROLL (4)                                                                           \
    for (int i = 0; i < n_vectors; i++)                                                      \
      totals[i] = sums[i];                                                                   \
  }
BLOCKS (double, (LANES / 2), f64)
BLOCKS (guint32, LANES, i32)
BLOCKS (guint64, (LANES / 2), i64)
#undef BLOCKS

#define DEFINE(T, COUNT, suffix)                                                              \
  INLINE void SIMD (strip_##suffix) (const HybRunningSums *lines, gint64 length,              \
                                     const gboolean exclusive, SIMD (Sums_##suffix) * totals) \
  {                                                                                           \
    HybRunningSums rest = *lines;                                                             \
    gint64         n = lines->n_lines;                                                        \
                                                                                              \
    for (; n > 0; n -= BLOCK * COUNT, totals += BLOCK)                                        \
      {                                                                                       \
        gint64 end = MIN (n, BLOCK * COUNT) - COUNT;                                          \
                                                                                              \
        if (end > 2 * COUNT)                                                                  \
          SIMD (block_##suffix) (&rest, length, end, 4, exclusive, totals);                   \
        else if (end > COUNT)                                                                 \
          SIMD (block_##suffix) (&rest, length, end, 3, exclusive, totals);                   \
        else if (end > 0)                                                                     \
          SIMD (block_##suffix) (&rest, length, end, 2, exclusive, totals);                   \
        else                                                                                  \
          SIMD (block_##suffix) (&rest, length, end, 1, exclusive, totals);                   \
        rest.x = (const T *) rest.x + BLOCK * COUNT;                                          \
        rest.y = (T *) rest.y + BLOCK * COUNT;                                                \
      }                                                                                       \
  }                                                                                           \
                                                                                              \
  static TARGET void SIMD (lines_##suffix) (const HybRunningSums *lines)                      \
  {                                                                                           \
    SIMD (Sums_##suffix) totals[HYB_RUNNING_LINES / COUNT];                                   \
    HybRunningSums rest = *lines;                                                             \
                                                                                              \
    memset (totals, 0, sizeof *totals *(gsize) ((lines->n_lines + COUNT - 1) / COUNT));       \
    for (gint64 k = 0; k < lines->length; k += STRIP)                                         \
      {                                                                                       \
        if (lines->is_exclusive)                                                              \
          SIMD (strip_##suffix) (&rest, MIN (STRIP, lines->length - k), TRUE, totals);        \
        else                                                                                  \
          SIMD (strip_##suffix) (&rest, MIN (STRIP, lines->length - k), FALSE, totals);       \
        rest.x = (const T *) rest.x + STRIP * lines->step;                                    \
        rest.y = (T *) rest.y + STRIP * lines->step;                                          \
      }                                                                                       \
  }
DEFINE (float, LANES, f32)
DEFINE (double, (LANES / 2), f64)
DEFINE (guint32, LANES, i32)
DEFINE (guint64, (LANES / 2), i64)
#undef DEFINE
#undef BLOCK
#undef STRIP
