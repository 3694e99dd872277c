/* product-kernel.h — the inner loops of products of 8-bit integers for one instruction set; see each-simd.h.
 *
 * multiply_R_V: S[R, V vectors] = start + sum_k A[R,k] panel[k, V vectors].  GROUP numbers of k are multiplied at once, in
 * each lane of 32 bits: four bytes by VPDPBUSD (AVX-512 VNNI, AVX-VNNI), which wraps, else two 16-bit integers by PMADDWD,
 * whose sums fit: 2 · 255 · 128.  (PMADDUBSW would saturate.)  Every sum is a variable of its own, because compilers do not
 * keep arrays in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#ifdef USES_VNNI
#define GROUP       4
#define KERNEL_NAME "8-bit products by VPDPBUSD"
#else
#define GROUP       2
#define KERNEL_NAME "8-bit products by 16-bit multiplications"
#endif

#if LANES == 16
#define N_VECTORS  4
#define KERNELS(X) UP_TO_12 (X, 1) UP_TO_12 (X, 2) UP_TO_8 (X, 3) UP_TO_6 (X, 4)
#define MAX_ROWS_LIST \
  {                   \
    0, 12, 12, 8, 6   \
  }
#else
#define N_VECTORS  2
#define KERNELS(X) UP_TO_6 (X, 1) UP_TO_6 (X, 2)
#define MAX_ROWS_LIST \
  {                   \
    0, 6, 6           \
  }
#endif

/* --- Vectors --- */

/* GROUP bytes in each lane; without VNNI they are widened to 16 bits. */
INLINE Ints
SIMD (load_group) (const gint8 *from)
{
#if LANES == 16 && GROUP == 4
  return (Ints) _mm512_loadu_si512 (from);
#elif GROUP == 4
  return (Ints) _mm256_loadu_si256 ((gconstpointer) from);
#elif LANES == 16
  return (Ints) _mm512_cvtepi8_epi16 (_mm256_loadu_si256 ((gconstpointer) from));
#elif LANES == 8
  return (Ints) _mm256_cvtepi8_epi16 (_mm_loadu_si128 ((gconstpointer) from));
#elif defined __x86_64__
  __m128i bytes = _mm_loadl_epi64 ((gconstpointer) from);

  return (Ints) _mm_srai_epi16 (_mm_unpacklo_epi8 (bytes, bytes), 8);
#else
  gint16 wide[GROUP * LANES];
  Ints   value;

  for (int i = 0; i < GROUP * LANES; i++)
    wide[i] = from[i];
  memcpy (&value, wide, sizeof value);
  return value;
#endif
}

/* sum + the products of a and b in each lane. */
INLINE Ints
SIMD (add_products) (Ints sum, Ints a, Ints b)
{
#if LANES == 16 && GROUP == 4
  return (Ints) _mm512_dpbusd_epi32 ((__m512i) sum, (__m512i) a, (__m512i) b);
#elif GROUP == 4
  return (Ints) _mm256_dpbusd_avx_epi32 ((__m256i) sum, (__m256i) a, (__m256i) b);
#elif LANES == 16
  return (Ints) _mm512_add_epi32 ((__m512i) sum, _mm512_madd_epi16 ((__m512i) a, (__m512i) b));
#elif LANES == 8
  return (Ints) _mm256_add_epi32 ((__m256i) sum, _mm256_madd_epi16 ((__m256i) a, (__m256i) b));
#elif defined __x86_64__
  return (Ints) _mm_add_epi32 ((__m128i) sum, _mm_madd_epi16 ((__m128i) a, (__m128i) b));
#else
  gint16  left[GROUP * LANES], right[GROUP * LANES];
  guint32 total[LANES];

  memcpy (left, &a, sizeof left);
  memcpy (right, &b, sizeof right);
  memcpy (total, &sum, sizeof total);
  for (int i = 0; i < LANES; i++)
    total[i] += (guint32) (left[2 * i] * right[2 * i] + left[2 * i + 1] * right[2 * i + 1]);
  memcpy (&sum, total, sizeof sum);
  return sum;
#endif
}

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
SIMD (load_start) (const HybIntegerOperands *operands, int row, int vector)
{
  Words start;

  memcpy (&start, operands->start + vector * LANES, sizeof start);
  return (Ints) (start + (guint32) operands->row_start[row]);
}

/* --- Products --- */

#define VECTORS_1(X, ...) X (0, __VA_ARGS__)
#define VECTORS_2(X, ...) VECTORS_1 (X, __VA_ARGS__) X (1, __VA_ARGS__)
#define VECTORS_3(X, ...) VECTORS_2 (X, __VA_ARGS__) X (2, __VA_ARGS__)
#define VECTORS_4(X, ...) VECTORS_3 (X, __VA_ARGS__) X (3, __VA_ARGS__)

#define ROWS_1(X, ...)  X (0, __VA_ARGS__)
#define ROWS_2(X, ...)  ROWS_1 (X, __VA_ARGS__) X (1, __VA_ARGS__)
#define ROWS_3(X, ...)  ROWS_2 (X, __VA_ARGS__) X (2, __VA_ARGS__)
#define ROWS_4(X, ...)  ROWS_3 (X, __VA_ARGS__) X (3, __VA_ARGS__)
#define ROWS_5(X, ...)  ROWS_4 (X, __VA_ARGS__) X (4, __VA_ARGS__)
#define ROWS_6(X, ...)  ROWS_5 (X, __VA_ARGS__) X (5, __VA_ARGS__)
#define ROWS_7(X, ...)  ROWS_6 (X, __VA_ARGS__) X (6, __VA_ARGS__)
#define ROWS_8(X, ...)  ROWS_7 (X, __VA_ARGS__) X (7, __VA_ARGS__)
#define ROWS_9(X, ...)  ROWS_8 (X, __VA_ARGS__) X (8, __VA_ARGS__)
#define ROWS_10(X, ...) ROWS_9 (X, __VA_ARGS__) X (9, __VA_ARGS__)
#define ROWS_11(X, ...) ROWS_10 (X, __VA_ARGS__) X (10, __VA_ARGS__)
#define ROWS_12(X, ...) ROWS_11 (X, __VA_ARGS__) X (11, __VA_ARGS__)

#define UP_TO_6(X, vectors) \
  X (1, vectors) X (2, vectors) X (3, vectors) X (4, vectors) X (5, vectors) X (6, vectors)
#define UP_TO_8(X, vectors) UP_TO_6 (X, vectors) X (7, vectors) X (8, vectors)
#define UP_TO_12(X, vectors) \
  UP_TO_8 (X, vectors) X (9, vectors) X (10, vectors) X (11, vectors) X (12, vectors)

/* The compiler would otherwise load and widen the bytes again for every row. */
#ifdef __x86_64__
#define KEEP_REGISTER(value) __asm__("" : "+v"(value));
#else
#define KEEP_REGISTER(value)
#endif

#define DECLARE_SUM(v, row)       Ints sum##row##v = SIMD (load_start) (operands, row, v);
#define DECLARE_ROW(row, vectors) VECTORS_##vectors (DECLARE_SUM, row)
#define LOAD_VECTOR(v, unused)                                \
  Ints b##v = SIMD (load_group) (panel + (v) *LANES * GROUP); \
  KEEP_REGISTER (b##v)
#define ADD_PRODUCTS(v, row) sum##row##v = SIMD (add_products) (sum##row##v, word, b##v);
#define ADD_SIGNED(v, row)   sum##row##v = SIMD (add_products) (sum##row##v, b##v, word);
#define MULTIPLY_ROW(row, vectors, ADD)              \
  {                                                  \
    Ints word = SIMD (spread_word) (a + (row) *lda); \
                                                     \
    VECTORS_##vectors (ADD, row)                     \
  }
#define STORE_SUM(v, row)       memcpy (y + (row) *ldy + (v) *LANES, &sum##row##v, sizeof sum##row##v);
#define STORE_ROW(row, vectors) VECTORS_##vectors (STORE_SUM, row)

#define DEFINE_WITH(ADD, name, rows, vectors)                                              \
  static TARGET void name (const HybIntegerOperands *operands)                             \
  {                                                                                        \
    const guint8 *a = operands->a;                                                         \
    const gint8  *panel = operands->panel;                                                 \
    gint64        lda = operands->lda, ldy = operands->ldy, n_groups = operands->n_groups; \
    gint32       *y = operands->y;                                                         \
    ROWS_##rows (DECLARE_ROW, vectors);                                                    \
                                                                                           \
    HYB_KEEP_LOOP                                                                          \
    for (gint64 g = 0; g < n_groups; g++, a += 4, panel += (vectors) *LANES * GROUP)       \
      {                                                                                    \
        VECTORS_##vectors (LOAD_VECTOR, ) ROWS_##rows (MULTIPLY_ROW, vectors, ADD)         \
      }                                                                                    \
    ROWS_##rows (STORE_ROW, vectors)                                                       \
  }

#define KERNEL(rows, vectors) SIMD (multiply_##rows##_##vectors)
#define DEFINE(rows, vectors) DEFINE_WITH (ADD_PRODUCTS, KERNEL (rows, vectors), rows, vectors)
KERNELS (DEFINE)

#if GROUP == 4
#define SIGNED_KERNEL(rows, vectors) SIMD (multiply_signed_##rows##_##vectors)
#define DEFINE_SIGNED(rows, vectors) \
  DEFINE_WITH (ADD_SIGNED, SIGNED_KERNEL (rows, vectors), rows, vectors)
KERNELS (DEFINE_SIGNED)
#else
#define SIGNED_KERNEL KERNEL
#endif

/* --- Packing --- */

static TARGET void
SIMD (pack_group) (gint64        rows,
                   gint64        columns,
                   const guint8 *from,
                   gint64        stride,
                   guint8        flip,
                   gint8        *panel,
                   gint32       *sums)
{
  const guint8 *row[GROUP];
  guint8        zeros[HYB_INTEGER_MAX_COLUMNS];

  memset (zeros, flip, sizeof zeros);
  for (int g = 0; g < GROUP; g++)
    row[g] = g < rows ? from + g * stride : zeros;
  HYB_INDEPENDENT
  for (gint64 j = 0; j < columns; j++)
    for (int g = 0; g < GROUP; g++)
      panel[GROUP * j + g] = (gint8) (row[g][j] ^ flip);
  HYB_INDEPENDENT
  for (gint64 j = 0; j < columns; j++)
    for (int g = 0; g < GROUP; g++)
      sums[j] = (gint32) ((guint32) sums[j] + (guint32) panel[GROUP * j + g]);
}

static TARGET gint32
SIMD (pack_column) (gint64 k, const guint8 *from, guint8 flip, gint8 *panel, gint64 pitch)
{
  guint32 sum = 0;
  gint64  l = 0;

  for (; l + GROUP <= k; l += GROUP, panel += pitch)
    for (int g = 0; g < GROUP; g++)
      panel[g] = (gint8) (from[l + g] ^ flip);
  for (int g = 0; g < GROUP && l < k; g++)
    panel[g] = l + g < k ? (gint8) (from[l + g] ^ flip) : 0;
  for (l = 0; l < k; l++)
    sum += (guint32) (gint8) (from[l] ^ flip);
  return (gint32) sum;
}

#if LANES == 16
/* Bytes are interleaved in each quarter of a vector; the quarters get the bytes of each vector of the panel first. */
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel)
{
  __m512i flips = _mm512_set1_epi8 ((char) flip), row[GROUP];
#if GROUP == 4
  const __m512i order = _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#else
  const __m512i order = _mm512_setr_epi64 (0, 4, 1, 5, 2, 6, 3, 7);
#endif
  __m512i low, high;

  HYB_UNROLL (4)
  for (int g = 0; g < GROUP; g++)
    {
      row[g] = _mm512_xor_si512 (_mm512_loadu_si512 (rows[g]), flips);
#if GROUP == 4
      row[g] = _mm512_permutexvar_epi32 (order, row[g]);
#else
      row[g] = _mm512_permutexvar_epi64 (order, row[g]);
#endif
    }
  low = _mm512_unpacklo_epi8 (row[0], row[1]);
  high = _mm512_unpackhi_epi8 (row[0], row[1]);
#if GROUP == 4
  __m512i low2 = _mm512_unpacklo_epi8 (row[2], row[3]);
  __m512i high2 = _mm512_unpackhi_epi8 (row[2], row[3]);

  _mm512_storeu_si512 (panel, _mm512_unpacklo_epi16 (low, low2));
  _mm512_storeu_si512 (panel + 64, _mm512_unpackhi_epi16 (low, low2));
  _mm512_storeu_si512 (panel + 128, _mm512_unpacklo_epi16 (high, high2));
  _mm512_storeu_si512 (panel + 192, _mm512_unpackhi_epi16 (high, high2));
#else
  _mm512_storeu_si512 (panel, low);
  _mm512_storeu_si512 (panel + 64, high);
#endif
}
#else
INLINE void
SIMD (gather_group) (const guint8 *const *rows, guint8 flip, gint8 *panel)
{
#if LANES == 8
  __m128i flips = _mm_set1_epi8 ((char) flip), row[GROUP], low, high;

  HYB_UNROLL (4)
  for (int g = 0; g < GROUP; g++)
    row[g] = _mm_xor_si128 (_mm_loadu_si128 ((gconstpointer) rows[g]), flips);
  low = _mm_unpacklo_epi8 (row[0], row[1]);
  high = _mm_unpackhi_epi8 (row[0], row[1]);
#if GROUP == 4
  __m128i low2 = _mm_unpacklo_epi8 (row[2], row[3]), high2 = _mm_unpackhi_epi8 (row[2], row[3]);

  _mm_storeu_si128 ((gpointer) panel, _mm_unpacklo_epi16 (low, low2));
  _mm_storeu_si128 ((gpointer) (panel + 16), _mm_unpackhi_epi16 (low, low2));
  _mm_storeu_si128 ((gpointer) (panel + 32), _mm_unpacklo_epi16 (high, high2));
  _mm_storeu_si128 ((gpointer) (panel + 48), _mm_unpackhi_epi16 (high, high2));
#else
  _mm_storeu_si128 ((gpointer) panel, low);
  _mm_storeu_si128 ((gpointer) (panel + 16), high);
#endif
#else
  for (int j = 0; j < N_VECTORS * LANES; j++)
    for (int g = 0; g < GROUP; g++)
      panel[GROUP * j + g] = (gint8) (rows[g][j] ^ flip);
#endif
}
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
      SIMD (gather_group) (rows, gather->flip, panel);
    }
}

/* Bytes without sign, their zero point being left to the sums of columns; or 16-bit integers without their zero point. */
static TARGET gint32
SIMD (make_words) (gint64 k, const guint8 *from, guint8 flip, gint32 zero, gpointer to)
{
  guint32 sum = 0;
#if GROUP == 4
  guint8 *words = to;

  for (gint64 l = 0; l < k; l++)
    words[l] = from[l] ^ flip;
#else
  gint16 *words = to;

  for (gint64 l = 0; l < k; l++)
    words[l] = (gint16) ((from[l] ^ flip) - zero);
#endif
  for (gint64 l = 0; l < k; l++)
    sum += (guint32) words[l];
  for (gint64 l = k; l % GROUP != 0; l++)
    words[l] = 0;
  return (gint32) sum;
}

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

#define TO_BYTES(T, suffix, lowest, highest)                                                     \
  static TARGET void SIMD (to_##suffix) (const HybIntegerFinish *finish, T *y)                   \
  {                                                                                              \
    const float limit[] = { (float) (lowest - finish->zero), (float) (highest - finish->zero) }; \
    gint64      n = finish->n, j = 0;                                                            \
    gboolean    has_biases = finish->bias && finish->bias_stride != 0;                           \
    Floats      scale = simd_fill (finish->scale[0]);                                            \
    Floats      bias = simd_fill (finish->bias ? finish->bias[0] : 0);                           \
    gint32      sums[LANES] = { 0 };                                                             \
    guint8      last[LANES];                                                                     \
                                                                                                 \
    for (; j + LANES <= n; j += LANES)                                                           \
      {                                                                                          \
        if (finish->scale_stride != 0)                                                           \
          scale = simd_load (finish->scale + j);                                                 \
        if (has_biases)                                                                          \
          bias = simd_load (finish->bias + j);                                                   \
        SIMD (store_bytes)                                                                       \
        ((guint8 *) y + j, SIMD (round_sums) (SIMD (load_sums) (finish->sums + j), scale, bias,  \
                                              limit, finish->zero));                             \
      }                                                                                          \
    if (j == n)                                                                                  \
      return;                                                                                    \
    memcpy (sums, finish->sums + j, (gsize) (n - j) * sizeof sums[0]);                           \
    if (finish->scale_stride != 0)                                                               \
      scale = simd_load_part (finish->scale + j, n - j);                                         \
    if (has_biases)                                                                              \
      bias = simd_load_part (finish->bias + j, n - j);                                           \
    SIMD (store_bytes)                                                                           \
    (last, SIMD (round_sums) (SIMD (load_sums) (sums), scale, bias, limit, finish->zero));       \
    memcpy (y + j, last, (gsize) (n - j));                                                       \
  }

TO_BYTES (gint8, i8, -128, 127)
TO_BYTES (guint8, u8, 0, 255)
#endif

#define ENTRY(rows, vectors)        [vectors][rows] = KERNEL (rows, vectors),
#define SIGNED_ENTRY(rows, vectors) [vectors][rows] = SIGNED_KERNEL (rows, vectors),
static const HybIntegerKernels SIMD (kernels) = {
  .name = KERNEL_NAME,
  .lanes = LANES,
  .group = GROUP,
  .n_vectors = N_VECTORS,
  .max_rows = MAX_ROWS_LIST,
  .multiply = { KERNELS (ENTRY) },
  .multiply_signed = { KERNELS (SIGNED_ENTRY) },
  .pack = SIMD (pack_group),
  .pack_column = SIMD (pack_column),
  .gather = SIMD (gather),
  .words = SIMD (make_words),
  .sum = RESULT (sum_row),
  .to_floats = RESULT (to_floats),
  .to_i8 = RESULT (to_i8),
  .to_u8 = RESULT (to_u8),
};

#undef GROUP
#undef N_VECTORS
#undef KERNELS
#undef MAX_ROWS_LIST
#undef KERNEL_NAME
#undef SIGNED_KERNEL
#undef RESULT
#undef ROUNDING
#undef TO_BYTES
