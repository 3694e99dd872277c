/* packing-kernel.h — how product-kernel.h packs rows of words and panels; part of it.
 *
 * With VNNI a group of four numbers of a column, or of a row, is four bytes.  Without, a panel has the numbers 0 and 2 of each
 * column of a vector, then the numbers 1 and 3, as bytes or as 16-bit integers, and a word has the numbers 0, 2, 1 and 3.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packs four rows. */
INLINE void
SIMD (pack_rows) (gint64               columns,
                  const guint8 *const *row,
                  guint8               flip,
                  gboolean             is_wide,
                  gint8               *panel,
                  gint32              *sums)
{
#ifdef USES_VNNI
  HYB_INDEPENDENT
  for (gint64 j = 0; j < columns; j++)
    for (int g = 0; g < GROUP; g++)
      panel[GROUP * j + g] = (gint8) (row[g][j] ^ flip);
  HYB_INDEPENDENT
  for (gint64 j = 0; j < columns; j++)
    for (int g = 0; g < GROUP; g++)
      sums[j] = (gint32) ((guint32) sums[j] + (guint32) panel[GROUP * j + g]);
#else
  for (gint64 first = 0; first < columns; first += LANES, panel += LANES * GROUP << is_wide)
    {
      gint64  n = MIN (LANES, columns - first);
      gint16 *wide = (gpointer) panel;

      for (int g = 0; g < GROUP; g++)
        for (gint64 j = 0; j < n; j++)
          {
            gint64 at = (g % 2) * 2 * LANES + 2 * j + g / 2;
            gint8  value = (gint8) (row[g][first + j] ^ flip);

            if (is_wide)
              wide[at] = value;
            else
              panel[at] = value;
          }
      for (gint64 j = first; j < first + n; j++)
        sums[j] = (gint32) ((guint32) sums[j] +
                            (guint32) ((gint8) (row[0][j] ^ flip) * (gint8) (row[1][j] ^ flip) +
                                       (gint8) (row[2][j] ^ flip) * (gint8) (row[3][j] ^ flip)));
    }
#endif
}

static TARGET void
SIMD (pack_group) (gint64        rows,
                   gint64        columns,
                   const guint8 *from,
                   gint64        stride,
                   guint8        flip,
                   gboolean      is_wide,
                   gint8        *panel,
                   gint32       *sums)
{
  const guint8 *row[GROUP];
  guint8        zeros[HYB_INTEGER_MAX_COLUMNS];

  memset (zeros, flip, sizeof zeros);
  for (int g = 0; g < GROUP; g++)
    row[g] = g < rows ? from + g * stride : zeros;
  SIMD (pack_rows) (columns, row, flip, is_wide, panel, sums);
}

#ifdef USES_VNNI
#if LANES == 16
/* Bytes are interleaved in each quarter of a vector; the quarters get the bytes of each vector of the panel first. */
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel, gint32 *pairs)
{
  __m512i       flips = _mm512_set1_epi8 ((char) flip), row[GROUP];
  const __m512i order = _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i       low, high, low2, high2;

  HYB_UNROLL (4)
  for (int g = 0; g < GROUP; g++)
    {
      row[g] = _mm512_xor_si512 (_mm512_loadu_si512 (rows[g]), flips);
      row[g] = _mm512_permutexvar_epi32 (order, row[g]);
    }
  low = _mm512_unpacklo_epi8 (row[0], row[1]);
  high = _mm512_unpackhi_epi8 (row[0], row[1]);
  low2 = _mm512_unpacklo_epi8 (row[2], row[3]);
  high2 = _mm512_unpackhi_epi8 (row[2], row[3]);
  _mm512_storeu_si512 (panel, _mm512_unpacklo_epi16 (low, low2));
  _mm512_storeu_si512 (panel + 64, _mm512_unpackhi_epi16 (low, low2));
  _mm512_storeu_si512 (panel + 128, _mm512_unpacklo_epi16 (high, high2));
  _mm512_storeu_si512 (panel + 192, _mm512_unpackhi_epi16 (high, high2));
}
#else
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel, gint32 *pairs)
{
  __m128i flips = _mm_set1_epi8 ((char) flip), row[GROUP], low, high, low2, high2;

  HYB_UNROLL (4)
  for (int g = 0; g < GROUP; g++)
    row[g] = _mm_xor_si128 (_mm_loadu_si128 ((gconstpointer) rows[g]), flips);
  low = _mm_unpacklo_epi8 (row[0], row[1]);
  high = _mm_unpackhi_epi8 (row[0], row[1]);
  low2 = _mm_unpacklo_epi8 (row[2], row[3]);
  high2 = _mm_unpackhi_epi8 (row[2], row[3]);
  _mm_storeu_si128 ((gpointer) panel, _mm_unpacklo_epi16 (low, low2));
  _mm_storeu_si128 ((gpointer) (panel + 16), _mm_unpackhi_epi16 (low, low2));
  _mm_storeu_si128 ((gpointer) (panel + 32), _mm_unpacklo_epi16 (high, high2));
  _mm_storeu_si128 ((gpointer) (panel + 48), _mm_unpackhi_epi16 (high, high2));
}
#endif
#else
#if LANES == 16
/* 32 columns of two rows as two vectors of pairs of 16-bit integers. */
INLINE void
SIMD (widen_pairs) (__m256i first, __m256i second, __m512i *vectors)
{
  __m256i low = _mm256_unpacklo_epi8 (first, second), high = _mm256_unpackhi_epi8 (first, second);

  vectors[0] = _mm512_cvtepi8_epi16 (_mm256_permute2x128_si256 (low, high, 0x20));
  vectors[1] = _mm512_cvtepi8_epi16 (_mm256_permute2x128_si256 (low, high, 0x31));
}

INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel, gint32 *pairs)
{
  __m256i flips = _mm256_set1_epi8 ((char) flip);

  HYB_UNROLL (2)
  for (int half = 0; half < 2; half++)
    {
      __m256i row[GROUP];
      __m512i even[2], odd[2];

      HYB_UNROLL (4)
      for (int g = 0; g < GROUP; g++)
        row[g] =
            _mm256_xor_si256 (_mm256_loadu_si256 ((gconstpointer) (rows[g] + 32 * half)), flips);
      SIMD (widen_pairs) (row[0], row[2], even);
      SIMD (widen_pairs) (row[1], row[3], odd);
      HYB_UNROLL (2)
      for (int v = 0; v < 2; v++, panel += 128, pairs += LANES)
        {
          _mm512_storeu_si512 (panel, even[v]);
          _mm512_storeu_si512 (panel + 64, odd[v]);
          _mm512_storeu_si512 (pairs, _mm512_add_epi32 (_mm512_loadu_si512 (pairs),
                                                        _mm512_madd_epi16 (even[v], odd[v])));
        }
    }
}
#elif LANES == 8
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel, gint32 *pairs)
{
  __m128i flips = _mm_set1_epi8 ((char) flip), row[GROUP];
  __m256i even[2], odd[2];

  HYB_UNROLL (4)
  for (int g = 0; g < GROUP; g++)
    row[g] = _mm_xor_si128 (_mm_loadu_si128 ((gconstpointer) rows[g]), flips);
  even[0] = _mm256_cvtepi8_epi16 (_mm_unpacklo_epi8 (row[0], row[2]));
  even[1] = _mm256_cvtepi8_epi16 (_mm_unpackhi_epi8 (row[0], row[2]));
  odd[0] = _mm256_cvtepi8_epi16 (_mm_unpacklo_epi8 (row[1], row[3]));
  odd[1] = _mm256_cvtepi8_epi16 (_mm_unpackhi_epi8 (row[1], row[3]));
  HYB_UNROLL (2)
  for (int v = 0; v < 2; v++, panel += 64, pairs += LANES)
    {
      _mm256_storeu_si256 ((gpointer) panel, even[v]);
      _mm256_storeu_si256 ((gpointer) (panel + 32), odd[v]);
      _mm256_storeu_si256 ((gpointer) pairs,
                           _mm256_add_epi32 (_mm256_loadu_si256 ((gconstpointer) pairs),
                                             _mm256_madd_epi16 (even[v], odd[v])));
    }
}
#else
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel, gint32 *pairs)
{
  SIMD (pack_rows) (N_VECTORS * LANES, rows, flip, TRUE, panel, pairs);
}
#endif
#endif

static TARGET void
SIMD (gather) (const HybIntegerGather *gather)
{
  const gint64 *offset = gather->offsets;
  gint8        *panel = gather->panel;

  for (gint64 g = 0; g < gather->n_groups; g++, offset += GROUP, panel += gather->pitch)
    {
      const guint8 *rows[GROUP];

      HYB_UNROLL (4)
      for (int i = 0; i < GROUP; i++)
        rows[i] = gather->from + offset[i];
      SIMD (gather_group) (rows, gather->flip, panel, gather->pairs);
    }
}

#ifndef USES_VNNI
#if LANES >= 8
/* The sum of all lanes. */
INLINE guint32
SIMD (sum_lanes) (__m256i a)
{
  __m128i sum = _mm_add_epi32 (_mm256_castsi256_si128 (a), _mm256_extracti128_si256 (a, 1));

  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0x4e));
  sum = _mm_add_epi32 (sum, _mm_shuffle_epi32 (sum, 0xb1));
  return (guint32) _mm_cvtsi128_si32 (sum);
}

/* Makes four words of 16 numbers, of which those from n on are taken as 0; adds to the sums of numbers and of the products of
 * neighbours. */
INLINE __m256i
SIMD (make_four_words) (gint64 n, __m128i bytes, gint32 zero, __m256i *sums, __m256i *pairs)
{
  const __m256i order = _mm256_setr_epi16 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m256i       numbers =
      _mm256_sub_epi16 (_mm256_cvtepu8_epi16 (bytes), _mm256_set1_epi16 ((short) zero));

  if (n < 16)
    numbers = _mm256_and_si256 (numbers, _mm256_cmpgt_epi16 (_mm256_set1_epi16 ((short) n), order));
  *sums = _mm256_add_epi32 (*sums, _mm256_madd_epi16 (numbers, _mm256_set1_epi16 (1)));
  *pairs = _mm256_add_epi32 (*pairs, _mm256_madd_epi16 (numbers, _mm256_srli_epi32 (numbers, 16)));
  return _mm256_shufflehi_epi16 (_mm256_shufflelo_epi16 (numbers, 0xd8), 0xd8);
}
#endif
#endif

/* Bytes without sign, their zero point being left to the sums of columns; or 16-bit integers without their zero point. */
static TARGET gint32
SIMD (
    make_words) (gint64 k, const guint8 *from, guint8 flip, gint32 zero, gpointer to, gint32 *pairs)
{
  guint32 sum = 0;
#ifdef USES_VNNI
  guint8 *words = to;

  for (gint64 l = 0; l < k; l++)
    words[l] = from[l] ^ flip;
  for (gint64 l = 0; l < k; l++)
    sum += (guint32) words[l];
  for (gint64 l = k; l % GROUP != 0; l++)
    words[l] = 0;
  *pairs = 0;
#elif LANES >= 8
  gint16 *words = to;
  __m256i sums = _mm256_setzero_si256 (), products = sums;
  __m128i flips = _mm_set1_epi8 ((char) flip);
  gint64 l = 0;

  for (; l + 16 <= k; l += 16)
    _mm256_storeu_si256 ((gpointer) (words + l),
                         SIMD (make_four_words) (16,
                                                 _mm_xor_si128 (_mm_loadu_si128 (
                                                                    (gconstpointer) (from + l)),
                                                                flips),
                                                 zero, &sums, &products));
  if (l < k)
    {
      guint8 last[16] = { 0 };
      gint16 four[16];

      hyb_integer_copy_few (k - l, from + l, last);
      _mm256_storeu_si256 ((gpointer) four,
                           SIMD (make_four_words) (k - l,
                                                   _mm_xor_si128 (_mm_loadu_si128 (
                                                                      (gconstpointer) last),
                                                                  flips),
                                                   zero, &sums, &products));
      for (gint64 i = 0; i < k - l; i += GROUP)
        memcpy (words + l + i, four + i, GROUP * sizeof four[0]);
    }
  sum = SIMD (sum_lanes) (sums);
  *pairs = (gint32) SIMD (sum_lanes) (products);
#else
  guint32 products = 0;
  gint16 *words = to;

  for (gint64 l = 0; l < k; l += GROUP, words += GROUP)
    {
      gint16 number[GROUP] = { 0 };

      for (int g = 0; g < GROUP && l + g < k; g++)
        {
          number[g] = (gint16) ((from[l + g] ^ flip) - zero);
          sum += (guint32) number[g];
          words[g / 2 + g % 2 * 2] = number[g];
        }
      for (gint64 g = k - l; g < GROUP; g++)
        words[g / 2 + g % 2 * 2] = 0;
      products += (guint32) (number[0] * number[1] + number[2] * number[3]);
    }
  *pairs = (gint32) products;
#endif
  return (gint32) sum;
}
