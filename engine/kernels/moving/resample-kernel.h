/* resample-kernel.h — the loops of resample.c for one instruction set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#if LANES == 16
#define PERMUTE(v, index) (Floats) _mm512_permutexvar_ps ((__m512i) index, (__m512) v)
#define PERMUTE_TWO(v, w, index) \
  (Floats) _mm512_permutex2var_ps ((__m512) v, (__m512i) index, (__m512) w)
#define GATHER(from, index) (Floats) _mm512_i32gather_ps ((__m512i) index, from, 4)
#elif LANES == 8
#define PERMUTE(v, index) (Floats) _mm256_permutevar8x32_ps ((__m256) v, (__m256i) index)
/* The sign bit of index << 28 chooses the second vector. */
#define PERMUTE_TWO(v, w, index)                                                       \
  (Floats) _mm256_blendv_ps ((__m256) PERMUTE (v, index), (__m256) PERMUTE (w, index), \
                             _mm256_castsi256_ps (_mm256_slli_epi32 ((__m256i) index, 28)))
#define GATHER(from, index) (Floats) _mm256_i32gather_ps (from, (__m256i) index, 4)
#else
#define GATHER(from, index) SIMD (gather) (from, index)

INLINE Floats
SIMD (gather) (const float *from, Ints index)
{
  return (Floats){ from[index[0]], from[index[1]], from[index[2]], from[index[3]] };
}
#endif

INLINE Ints
SIMD (load_index) (const gint32 *from)
{
  Ints index;

  memcpy (&index, from, sizeof index);
  return index;
}

/* The elements of row x for one tap of the results from `at` on. */
INLINE Floats
SIMD (
    pick) (const ResampleStrip *strip, gint64 at, int tap, const float *x, Floats low, Floats high)
{
  Ints index = SIMD (load_index) (strip->index[tap] + at);

#ifdef PERMUTE
  if (strip->reach[at / LANES] == REACH_ONE)
    return PERMUTE (low, index);
  if (strip->reach[at / LANES] == REACH_TWO)
    return PERMUTE_TWO (low, high, index);
#endif
  return GATHER (x + strip->base[at / LANES], index);
}

INLINE Floats
SIMD (load_within) (const float *x, gint64 n)
{
  return n >= LANES ? simd_load (x) : n > 0 ? simd_load_part (x, n) : simd_fill (0.f);
}

/* The results of a strip from one row. */
INLINE void
SIMD (mix_columns_of) (const ResampleStrip *strip, int n_taps, const float *x, float *y)
{
  for (gint64 at = 0; at < strip->n; at += LANES)
    {
      gint64       base = strip->base[at / LANES], room = strip->from - base;
      const float *near = x + base;
      Floats       low = SIMD (load_within) (near, room);
      Floats       high = strip->reach[at / LANES] == REACH_TWO
                              ? SIMD (load_within) (near + LANES, room - LANES)
                              : low;
      Floats sum = simd_load (strip->weight[0] + at) * SIMD (pick) (strip, at, 0, x, low, high);

      for (int tap = 1; tap < n_taps; tap++)
        sum = simd_multiply_add (simd_load (strip->weight[tap] + at),
                                 SIMD (pick) (strip, at, tap, x, low, high), sum);
      if (strip->n - at >= LANES)
        simd_store (y + at, sum);
      else
        simd_store_part (y + at, strip->n - at, sum);
    }
}

static TARGET void
SIMD (mix_columns) (const ResampleStrip *strip, const float *x, float *y)
{
  if (strip->n_taps == 2)
    SIMD (mix_columns_of) (strip, 2, x, y);
  else if (strip->n_taps == 4)
    SIMD (mix_columns_of) (strip, 4, x, y);
  else
    SIMD (mix_columns_of) (strip, strip->n_taps, x, y);
}

INLINE Floats
SIMD (mix_one) (const RowMix *mix, int n_taps, gint64 at, gint64 n)
{
  Floats sum = simd_fill (mix->weight[0]) *
               (n < LANES ? simd_load_part (mix->row[0] + at, n) : simd_load (mix->row[0] + at));

  for (int tap = 1; tap < n_taps; tap++)
    sum = simd_multiply_add (simd_fill (mix->weight[tap]),
                             n < LANES ? simd_load_part (mix->row[tap] + at, n)
                                       : simd_load (mix->row[tap] + at),
                             sum);
  return sum;
}

INLINE void
SIMD (mix_rows_of) (const RowMix *mix, int n_taps, gint64 n, float *y)
{
  gint64 at = 0;

  for (; at + LANES <= n; at += LANES)
    simd_store (y + at, SIMD (mix_one) (mix, n_taps, at, LANES));
  if (at < n)
    simd_store_part (y + at, n - at, SIMD (mix_one) (mix, n_taps, at, n - at));
}

/* y[j] = Σ weight[tap] row[tap][j] for n columns. */
static TARGET void
SIMD (mix_rows) (const RowMix *mix, gint64 n, float *y)
{
  if (mix->n_taps == 2)
    SIMD (mix_rows_of) (mix, 2, n, y);
  else if (mix->n_taps == 4)
    SIMD (mix_rows_of) (mix, 4, n, y);
  else
    SIMD (mix_rows_of) (mix, mix->n_taps, n, y);
}

static const ResampleLoops SIMD (resample_loops) = { SIMD (mix_columns), SIMD (mix_rows), LANES };

#undef PERMUTE
#undef PERMUTE_TWO
#undef GATHER
