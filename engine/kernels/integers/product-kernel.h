/* product-kernel.h — the inner loops of products of 8-bit integers for one instruction set; see each-simd.h.
 *
 * multiply_R_V: S[R, V vectors] = start + sum_k A[R,k] panel[k, V vectors].  Four numbers of k are multiplied at once in each
 * lane of 32 bits: bytes by VPDPBUSD (AVX-512 VNNI, AVX-VNNI), else 16-bit integers by one PMADDWD of sums:
 *
 *   a0 b0 + a1 b1 + a2 b2 + a3 b3 = (a0 + b1)(a1 + b0) + (a2 + b3)(a3 + b2) − (a0 a1 + a2 a3) − (b0 b1 + b2 b3)
 *
 * What is subtracted is the same for a whole row or column, so that sums start with it.  That takes as many instructions as
 * two PMADDWD and their additions, but processors have more units for additions.  Everything wraps modulo 2³², as results do.
 * (PMADDUBSW would saturate.)  Every sum is a variable of its own, because compilers do not keep arrays in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/row-lists.h"

#ifdef USES_VNNI
#define KERNEL_NAME "8-bit products by VPDPBUSD"
#define WORD        4 /* bytes of four numbers of A */
#else
#define KERNEL_NAME "8-bit products by 16-bit multiplications"
#define WORD        8
#endif
#define GROUP HYB_INTEGER_GROUP

#if LANES == 16
#define N_VECTORS 4
#ifdef USES_VNNI
#define KERNELS(X) UP_TO_12 (X, 1) UP_TO_12 (X, 2) UP_TO_8 (X, 3) UP_TO_6 (X, 4)
#define MAX_ROWS_LIST \
  {                   \
    0, 12, 12, 8, 6   \
  }
#else
#define KERNELS(X) UP_TO_12 (X, 1) UP_TO_12 (X, 2) UP_TO_6 (X, 3) UP_TO_4 (X, 4)
#define MAX_ROWS_LIST \
  {                   \
    0, 12, 12, 6, 4   \
  }
#endif
#elif defined USES_VNNI
#define N_VECTORS  2
#define KERNELS(X) UP_TO_6 (X, 1) UP_TO_6 (X, 2)
#define MAX_ROWS_LIST \
  {                   \
    0, 6, 6           \
  }
#else
#define N_VECTORS  2
#define KERNELS(X) UP_TO_6 (X, 1) UP_TO_4 (X, 2)
#define MAX_ROWS_LIST \
  {                   \
    0, 6, 4           \
  }
#endif

/* --- Vectors --- */

#ifdef USES_VNNI

/* GROUP bytes in each lane. */
INLINE Ints
SIMD (load_group) (const gint8 *from)
{
#if LANES == 16
  return (Ints) _mm512_loadu_si512 (from);
#else
  return (Ints) _mm256_loadu_si256 ((gconstpointer) from);
#endif
}

/* sum + the products of a and b in each lane. */
INLINE Ints
SIMD (add_products) (Ints sum, Ints a, Ints b)
{
#if LANES == 16
  return (Ints) _mm512_dpbusd_epi32 ((__m512i) sum, (__m512i) a, (__m512i) b);
#else
  return (Ints) _mm256_dpbusd_avx_epi32 ((__m256i) sum, (__m256i) a, (__m256i) b);
#endif
}

#else

/* Two 16-bit integers in each lane, widened from bytes. */
INLINE Ints
SIMD (load_narrow) (const gint8 *from)
{
#if LANES == 16
  return (Ints) _mm512_cvtepi8_epi16 (_mm256_loadu_si256 ((gconstpointer) from));
#elif LANES == 8
  return (Ints) _mm256_cvtepi8_epi16 (_mm_loadu_si128 ((gconstpointer) from));
#elif defined __x86_64__
  __m128i bytes = _mm_loadl_epi64 ((gconstpointer) from);

  return (Ints) _mm_srai_epi16 (_mm_unpacklo_epi8 (bytes, bytes), 8);
#else
  gint16 wide[2 * LANES];
  Ints   value;

  for (int i = 0; i < 2 * LANES; i++)
    wide[i] = from[i];
  memcpy (&value, wide, sizeof value);
  return value;
#endif
}

INLINE Ints
SIMD (load_wide) (const gint8 *from)
{
  Ints value;

  memcpy (&value, from, sizeof value);
  return value;
}

/* sum + (a0 + b1)(a1 + b0) + (a2 + b3)(a3 + b2) in each lane.  even: the numbers 0 and 2; odd: 1 and 3. */
INLINE Ints
SIMD (add_products) (Ints sum, Ints a_even, Ints a_odd, Ints b_even, Ints b_odd)
{
#if LANES == 16
  return (Ints)
      _mm512_add_epi32 ((__m512i) sum,
                        _mm512_madd_epi16 (_mm512_add_epi16 ((__m512i) a_even, (__m512i) b_odd),
                                           _mm512_add_epi16 ((__m512i) a_odd, (__m512i) b_even)));
#elif LANES == 8
  return (Ints)
      _mm256_add_epi32 ((__m256i) sum,
                        _mm256_madd_epi16 (_mm256_add_epi16 ((__m256i) a_even, (__m256i) b_odd),
                                           _mm256_add_epi16 ((__m256i) a_odd, (__m256i) b_even)));
#elif defined __x86_64__
  return (Ints) _mm_add_epi32 ((__m128i) sum,
                               _mm_madd_epi16 (_mm_add_epi16 ((__m128i) a_even, (__m128i) b_odd),
                                               _mm_add_epi16 ((__m128i) a_odd, (__m128i) b_even)));
#else
  gint16  first[2][2 * LANES], second[2][2 * LANES];
  guint32 total[LANES];

  memcpy (first[0], &a_even, sizeof first[0]);
  memcpy (first[1], &b_odd, sizeof first[1]);
  memcpy (second[0], &a_odd, sizeof second[0]);
  memcpy (second[1], &b_even, sizeof second[1]);
  memcpy (total, &sum, sizeof total);
  for (int i = 0; i < 2 * LANES; i++)
    total[i / 2] += (guint32) ((first[0][i] + first[1][i]) * (second[0][i] + second[1][i]));
  memcpy (&sum, total, sizeof sum);
  return sum;
#endif
}

#endif

/* The word at `from` in every lane. */
INLINE Ints
SIMD (spread_word) (const guint8 *from)
{
  gint32 word;

  memcpy (&word, from, sizeof word);
#if LANES == 16
  return (Ints) _mm512_set1_epi32 (word);
#elif LANES == 8
  return (Ints) _mm256_set1_epi32 (word);
#else
  return word - (Ints){ 0 };
#endif
}

INLINE Ints
SIMD (load_start) (const HybIntegerOperands *operands, gint64 at, int row, int vector)
{
  Words start;

  memcpy (&start, operands->start + at + vector * LANES, sizeof start);
  return (Ints) (start + (guint32) operands->row_start[row]);
}

/* --- Products --- */

#define VECTORS_1(X, ...) X (0, __VA_ARGS__)
#define VECTORS_2(X, ...) VECTORS_1 (X, __VA_ARGS__) X (1, __VA_ARGS__)
#define VECTORS_3(X, ...) VECTORS_2 (X, __VA_ARGS__) X (2, __VA_ARGS__)
#define VECTORS_4(X, ...) VECTORS_3 (X, __VA_ARGS__) X (3, __VA_ARGS__)

#define UP_TO_4(X, vectors) X (1, vectors) X (2, vectors) X (3, vectors) X (4, vectors)
#define UP_TO_6(X, vectors) UP_TO_4 (X, vectors) X (5, vectors) X (6, vectors)
#define UP_TO_8(X, vectors) UP_TO_6 (X, vectors) X (7, vectors) X (8, vectors)
#define UP_TO_12(X, vectors) \
  UP_TO_8 (X, vectors) X (9, vectors) X (10, vectors) X (11, vectors) X (12, vectors)

/* The compiler would otherwise load and widen the bytes again for every row. */
#ifdef __x86_64__
#define KEEP_REGISTER(value) __asm__("" : "+v"(value));
#else
#define KEEP_REGISTER(value)
#endif

#define DECLARE_SUM(v, row)       Ints sum##row##v = SIMD (load_start) (operands, at, row, v);
#define DECLARE_ROW(row, vectors) VECTORS_##vectors (DECLARE_SUM, row)
#define STORE_SUM(v, row)         memcpy (y + (row) *ldy + (v) *LANES, &sum##row##v, sizeof sum##row##v);
#define STORE_ROW(row, vectors)   VECTORS_##vectors (STORE_SUM, row)

#ifdef USES_VNNI
#define LOAD_GROUP(v, unused)                                 \
  Ints b##v = SIMD (load_group) (panel + (v) *LANES * GROUP); \
  KEEP_REGISTER (b##v)
#define ADD_UNSIGNED(v, row) sum##row##v = SIMD (add_products) (sum##row##v, word, b##v);
#define ADD_SIGNED(v, row)   sum##row##v = SIMD (add_products) (sum##row##v, b##v, word);
#define MULTIPLY_ROW(row, vectors, ADD)              \
  {                                                  \
    Ints word = SIMD (spread_word) (a + (row) *lda); \
                                                     \
    VECTORS_##vectors (ADD, row)                     \
  }
#else
#define LOAD_HALVES(v, load, bytes)                                           \
  Ints even##v = SIMD (load) (panel + (v) *LANES * bytes);                    \
  Ints odd##v = SIMD (load) (panel + (v) *LANES * bytes + LANES * bytes / 2); \
  KEEP_REGISTER (even##v) KEEP_REGISTER (odd##v)
#define LOAD_NARROW(v, unused) LOAD_HALVES (v, load_narrow, 4)
#define LOAD_WIDE(v, unused)   LOAD_HALVES (v, load_wide, 8)
#define ADD_SUMS(v, row) \
  sum##row##v = SIMD (add_products) (sum##row##v, a_even, a_odd, even##v, odd##v);
#define MULTIPLY_ROW(row, vectors, ADD)                   \
  {                                                       \
    Ints a_even = SIMD (spread_word) (a + (row) *lda);    \
    Ints a_odd = SIMD (spread_word) (a + (row) *lda + 4); \
                                                          \
    VECTORS_##vectors (ADD, row)                          \
  }
#endif

#define DEFINE_WITH(LOAD, ADD, bytes, name, rows, vectors)                                 \
  static TARGET void name (const HybIntegerOperands *operands, gint64 at)                  \
  {                                                                                        \
    const guint8 *a = operands->a;                                                         \
    gint64        lda = operands->lda, ldy = operands->ldy, n_groups = operands->n_groups; \
    const gint8  *panel = operands->panel + at * n_groups * (bytes);                       \
    gint32       *y = operands->y + at;                                                    \
    ROWS_##rows (DECLARE_ROW, vectors);                                                    \
                                                                                           \
    HYB_KEEP_LOOP                                                                          \
    for (gint64 g = 0; g < n_groups; g++, a += WORD, panel += (vectors) *LANES * (bytes))  \
      {                                                                                    \
        VECTORS_##vectors (LOAD, ) ROWS_##rows (MULTIPLY_ROW, vectors, ADD)                \
      }                                                                                    \
    ROWS_##rows (STORE_ROW, vectors)                                                       \
  }

#define KERNEL(rows, vectors)   SIMD (multiply_##rows##_##vectors)
#define GATHERED(rows, vectors) SIMD (multiply_gathered_##rows##_##vectors)
#ifdef USES_VNNI
#define DEFINE(rows, vectors)                                                          \
  DEFINE_WITH (LOAD_GROUP, ADD_UNSIGNED, GROUP, KERNEL (rows, vectors), rows, vectors) \
  DEFINE_WITH (LOAD_GROUP, ADD_SIGNED, GROUP, GATHERED (rows, vectors), rows, vectors)
#else
#define DEFINE(rows, vectors)                                                       \
  DEFINE_WITH (LOAD_NARROW, ADD_SUMS, GROUP, KERNEL (rows, vectors), rows, vectors) \
  DEFINE_WITH (LOAD_WIDE, ADD_SUMS, WORD, GATHERED (rows, vectors), rows, vectors)
#endif
KERNELS (DEFINE)

#include "engine/kernels/integers/packing-kernel.h"

/* --- Results: the same with and without VNNI --- */

#if defined USES_VNNI && LANES == 16
#define RESULT(x) x##_avx512
#elif defined USES_VNNI
#define RESULT(x) x##_avx2
#else
#define RESULT   SIMD

static TARGET gint32
SIMD (sum_row) (gint64 k, const guint8 *from)
{
  guint32 sum = 0;

  for (gint64 l = 0; l < k; l++)
    sum += from[l];
  return (gint32) sum;
}

static TARGET void
SIMD (to_floats) (const HybIntegerFinish *finish, float *y)
{
  const gint32 *sums = finish->sums;
  const float *scale = finish->scale, *bias = finish->bias;
  gint64 n = finish->n;

  if (finish->scale_stride == 0)
    {
      float all = scale[0];

      HYB_INDEPENDENT
      for (gint64 j = 0; j < n; j++)
        y[j] = (float) sums[j] * all;
    }
  else
    {
      HYB_INDEPENDENT
      for (gint64 j = 0; j < n; j++)
        y[j] = (float) sums[j] * scale[j];
    }
  if (!bias)
    return;
  if (finish->bias_stride == 0)
    {
      float all = bias[0];

      HYB_INDEPENDENT
      for (gint64 j = 0; j < n; j++)
        y[j] += all;
      return;
    }
  HYB_INDEPENDENT
  for (gint64 j = 0; j < n; j++)
    y[j] += bias[j];
}

/* The last bit of a float near this number is 1. */
#define ROUNDING 0x1.8p23f

/* The low bytes of all lanes. */
INLINE void
SIMD (store_bytes) (guint8 *to, Ints value)
{
#if LANES == 16
  _mm_storeu_si128 ((gpointer) to, _mm512_cvtepi32_epi8 ((__m512i) value));
#elif LANES == 8
  __m256i low = _mm256_and_si256 ((__m256i) value, _mm256_set1_epi32 (0xff));
  __m128i words = _mm_packs_epi32 (_mm256_castsi256_si128 (low), _mm256_extracti128_si256 (low, 1));

  _mm_storel_epi64 ((gpointer) to, _mm_packus_epi16 (words, words));
#else
  for (int i = 0; i < LANES; i++)
    to[i] = (guint8) value[i];
#endif
}

/* The nearest integers to scaled sums plus a bias, within [low, high], plus zero; NaN gives low.  Adding and subtracting
 * ROUNDING rounds such numbers. */
INLINE Ints
SIMD (round_sums) (Floats sums, Floats scale, Floats bias, const float *limit, gint32 zero)
{
  Floats value = simd_max (sums * scale + bias, simd_fill (limit[0]));

  value = simd_min (value, simd_fill (limit[1])) + ROUNDING;
  return (Ints) value - (Ints) simd_fill (ROUNDING) + zero;
}

INLINE Floats
SIMD (load_sums) (const gint32 *from)
{
  Ints value;

  memcpy (&value, from, sizeof value);
  return __builtin_convertvector(value, Floats);
}

/* The results of a vector of sums from number j on.  scale, bias: where they are the same for all. */
INLINE Ints
SIMD (round_at) (const HybIntegerFinish *finish,
                 gint64 j,
                 Floats scale,
                 Floats bias,
                 const float *limit)
{
  if (finish->scale_stride != 0)
    scale = simd_load (finish->scale + j);
  if (finish->bias && finish->bias_stride != 0)
    bias = simd_load (finish->bias + j);
  return SIMD (round_sums) (SIMD (load_sums) (finish->sums + j), scale, bias, limit, finish->zero);
}

#if LANES == 8
/* The low bytes of four vectors, which have a sign or none. */
INLINE void
SIMD (store_four) (guint8 *to, const Ints *value, gboolean is_signed)
{
  __m256i low = _mm256_packs_epi32 ((__m256i) value[0], (__m256i) value[1]);
  __m256i high = _mm256_packs_epi32 ((__m256i) value[2], (__m256i) value[3]);
  __m256i bytes = is_signed ? _mm256_packs_epi16 (low, high) : _mm256_packus_epi16 (low, high);

  bytes = _mm256_permutevar8x32_epi32 (bytes, _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256 ((gpointer) to, bytes);
}

#define FOUR_VECTORS(lowest)                                                    \
  for (; j + 4 * LANES <= n; j += 4 * LANES)                                    \
    {                                                                           \
      Ints value[4];                                                            \
                                                                                \
      HYB_UNROLL (4)                                                            \
      for (int v = 0; v < 4; v++)                                               \
        value[v] = SIMD (round_at) (finish, j + v * LANES, scale, bias, limit); \
      SIMD (store_four) ((guint8 *) y + j, value, lowest < 0);                  \
    }
#else
#define FOUR_VECTORS(lowest)
#endif

#define TO_BYTES(T, suffix, lowest, highest)                                                     \
  static TARGET void SIMD (to_##suffix) (const HybIntegerFinish *finish, T *y)                   \
  {                                                                                              \
    const float limit[] = { (float) (lowest - finish->zero), (float) (highest - finish->zero) }; \
    gint64      n = finish->n, j = 0;                                                            \
    Floats      scale = simd_fill (finish->scale[0]);                                            \
    Floats      bias = simd_fill (finish->bias ? finish->bias[0] : 0);                           \
    guint8      last[16];                                                                        \
                                                                                                 \
    FOUR_VECTORS (lowest)                                                                        \
    for (; j + LANES <= n; j += LANES)                                                           \
      SIMD (store_bytes)                                                                         \
    ((guint8 *) y + j, SIMD (round_at) (finish, j, scale, bias, limit));                         \
    if (j == n)                                                                                  \
      return;                                                                                    \
    if (finish->scale_stride != 0)                                                               \
      scale = simd_load_part (finish->scale + j, n - j);                                         \
    if (finish->bias && finish->bias_stride != 0)                                                \
      bias = simd_load_part (finish->bias + j, n - j);                                           \
    SIMD (store_bytes)                                                                           \
    (last,                                                                                       \
     SIMD (round_sums) (SIMD (load_sums) (finish->sums + j), scale, bias, limit, finish->zero)); \
    hyb_integer_copy_few (n - j, last, y + j);                                                   \
  }

TO_BYTES (gint8, i8, -128, 127)
TO_BYTES (guint8, u8, 0, 255)
#endif

#define ENTRY(rows, vectors)          [vectors][rows] = KERNEL (rows, vectors),
#define GATHERED_ENTRY(rows, vectors) [vectors][rows] = GATHERED (rows, vectors),
static const HybIntegerKernels SIMD (kernels) = {
  .name = KERNEL_NAME,
  .lanes = LANES,
  .word = WORD,
  .n_vectors = N_VECTORS,
  .max_rows = MAX_ROWS_LIST,
  .multiply = { KERNELS (ENTRY) },
  .multiply_gathered = { KERNELS (GATHERED_ENTRY) },
  .pack = SIMD (pack_group),
  .gather = SIMD (gather),
  .words = SIMD (make_words),
  .sum = RESULT (sum_row),
  .to_floats = RESULT (to_floats),
  .to_i8 = RESULT (to_i8),
  .to_u8 = RESULT (to_u8),
};

#undef GROUP
#undef WORD
#undef N_VECTORS
#undef KERNELS
#undef MAX_ROWS_LIST
#undef KERNEL_NAME
#undef LOAD_GROUP
#undef ADD_UNSIGNED
#undef ADD_SIGNED
#undef MULTIPLY_ROW
#undef LOAD_HALVES
#undef LOAD_NARROW
#undef LOAD_WIDE
#undef ADD_SUMS
#undef DEFINE
#undef RESULT
#undef ROUNDING
#undef TO_BYTES
#undef FOUR_VECTORS
