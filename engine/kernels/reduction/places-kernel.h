/* places-kernel.h — the loops of places.c for one instruction set.
 *
 * columns: for each block of BLOCK vectors of lines (the rest: one vector, then a part of one), for each element of the
 * lines; extremes and their places stay in registers.
 * row: one extreme for each lane, then the first block of BLOCK vectors with the extreme of all lanes, then the first place
 * in it.
 *
 * Elements of 8 bytes fill half as many lanes.  Lanes of places are as wide as those of elements, so that a line may have
 * up to 2³¹ − 1 elements of 4 bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vectors whose extremes are in registers. */
#define BLOCK 4

/* Elements of type T, of which COUNT fill a vector; places in integers of type Place. */
#define DEFINE(T, Place, COUNT, suffix)                                                            \
  typedef T     SIMD (Values_##suffix) __attribute__ ((vector_size (COUNT * sizeof (T))));         \
  typedef Place SIMD (Places_##suffix) __attribute__ ((vector_size (COUNT * sizeof (Place))));     \
                                                                                                   \
  /* The first n elements, of COUNT or fewer. */                                                   \
  INLINE SIMD (Values_##suffix) SIMD (load_##suffix) (const T *x, gint64 n)                        \
  {                                                                                                \
    SIMD (Values_##suffix) value;                                                                  \
                                                                                                   \
    if (n == COUNT)                                                                                \
      memcpy (&value, x, sizeof value);                                                            \
    else                                                                                           \
      value =                                                                                      \
          (SIMD (Values_##suffix)) simd_load_part ((const float *) (gconstpointer) x,              \
                                                   n * (gint64) (sizeof (T) / sizeof (float)));    \
    return value;                                                                                  \
  }                                                                                                \
                                                                                                   \
  INLINE SIMD (Values_##suffix)                                                                    \
      SIMD (choose_##suffix) (SIMD (Places_##suffix) mask, SIMD (Values_##suffix) yes,             \
                              SIMD (Values_##suffix) no)                                           \
  {                                                                                                \
    return (SIMD (Values_##suffix)) ((mask & (SIMD (Places_##suffix)) yes) |                       \
                                     (~mask & (SIMD (Places_##suffix)) no));                       \
  }                                                                                                \
                                                                                                   \
  /* n lines: n_vectors of COUNT, or fewer than COUNT.  n_vectors and smallest are constants. */   \
  INLINE void SIMD (block_##suffix) (const HybPlaceSearch *search, const T *x,                     \
                                     const gboolean smallest, const int n_vectors, gint64 n,       \
                                     gint64 *places)                                               \
  {                                                                                                \
    SIMD (Values_##suffix) extreme[BLOCK], value;                                                  \
    SIMD (Places_##suffix) best[BLOCK], wins;                                                      \
                                                                                                   \
    HYB_UNROLL (4)                                                                                 \
    for (int i = 0; i < n_vectors; i++)                                                            \
      {                                                                                            \
        extreme[i] = SIMD (load_##suffix) (x + i * COUNT, MIN (n, COUNT));                         \
        best[i] = (SIMD (Places_##suffix)){ 0 };                                                   \
      }                                                                                            \
    for (gint64 k = 1; k < search->length; k++)                                                    \
      {                                                                                            \
        x += search->step;                                                                         \
        HYB_UNROLL (4)                                                                             \
        for (int i = 0; i < n_vectors; i++)                                                        \
          {                                                                                        \
            value = SIMD (load_##suffix) (x + i * COUNT, MIN (n, COUNT));                          \
            wins = smallest ? value < extreme[i] : value > extreme[i];                             \
            wins = (wins | (value != value)) & (extreme[i] == extreme[i]);                         \
            extreme[i] = SIMD (choose_##suffix) (wins, value, extreme[i]);                         \
            best[i] = (wins & ((Place) k - (SIMD (Places_##suffix)){ 0 })) | (~wins & best[i]);    \
          }                                                                                        \
      }                                                                                            \
    for (int i = 0; i < n_vectors; i++)                                                            \
      for (int lane = 0; lane < MIN (n, COUNT); lane++)                                            \
        places[i * COUNT + lane] = best[i][lane];                                                  \
  }                                                                                                \
                                                                                                   \
  INLINE void SIMD (columns_of_##suffix) (const HybPlaceSearch *search, const T *x,                \
                                          const gboolean smallest, gint64 *places)                 \
  {                                                                                                \
    gint64 n = search->n_lines, i = 0;                                                             \
                                                                                                   \
    for (; i + BLOCK * COUNT <= n; i += BLOCK * COUNT)                                             \
      SIMD (block_##suffix) (search, x + i, smallest, BLOCK, COUNT, places + i);                   \
    for (; i + COUNT <= n; i += COUNT)                                                             \
      SIMD (block_##suffix) (search, x + i, smallest, 1, COUNT, places + i);                       \
    if (i < n)                                                                                     \
      SIMD (block_##suffix) (search, x + i, smallest, 1, n - i, places + i);                       \
  }                                                                                                \
                                                                                                   \
  static TARGET void SIMD (columns_##suffix) (const HybPlaceSearch *search, const T *x,            \
                                              gint64 *places)                                      \
  {                                                                                                \
    if (search->is_smallest)                                                                       \
      SIMD (columns_of_##suffix) (search, x, TRUE, places);                                        \
    else                                                                                           \
      SIMD (columns_of_##suffix) (search, x, FALSE, places);                                       \
  }                                                                                                \
                                                                                                   \
  /* The more extreme of the elements of two vectors. */                                           \
  INLINE SIMD (Values_##suffix)                                                                    \
      SIMD (either_##suffix) (SIMD (Values_##suffix) value, SIMD (Values_##suffix) extreme,        \
                              const gboolean smallest)                                             \
  {                                                                                                \
    return SIMD (choose_##suffix) (smallest ? value < extreme : value > extreme, value, extreme);  \
  }                                                                                                \
                                                                                                   \
  /* The extreme element of a row of numbers; *has_nan says whether there is a NaN. */             \
  INLINE T SIMD (extreme_##suffix) (const T *x, gint64 n, const gboolean smallest,                 \
                                    gboolean *has_nan)                                             \
  {                                                                                                \
    SIMD (Values_##suffix) extreme[BLOCK], value, first = x[0] - (SIMD (Values_##suffix)){ 0 };    \
    SIMD (Places_##suffix) unordered = { 0 };                                                      \
    T      all = x[0];                                                                             \
    gint64 k = 0;                                                                                  \
                                                                                                   \
    for (int i = 0; i < BLOCK; i++)                                                                \
      extreme[i] = first;                                                                          \
    for (; k + BLOCK * COUNT <= n; k += BLOCK * COUNT)                                             \
      {                                                                                            \
        HYB_UNROLL (4)                                                                             \
        for (int i = 0; i < BLOCK; i++)                                                            \
          {                                                                                        \
            value = SIMD (load_##suffix) (x + k + i * COUNT, COUNT);                               \
            unordered |= value != value;                                                           \
            extreme[i] = SIMD (either_##suffix) (value, extreme[i], smallest);                     \
          }                                                                                        \
      }                                                                                            \
    for (; n >= COUNT && k < n; k += COUNT)                                                        \
      {                                                                                            \
        value = SIMD (load_##suffix) (x + MIN (k, n - COUNT), COUNT);                              \
        unordered |= value != value;                                                               \
        extreme[0] = SIMD (either_##suffix) (value, extreme[0], smallest);                         \
      }                                                                                            \
    *has_nan = simd_any ((Ints) unordered);                                                        \
    for (; k < n; k++)                                                                             \
      {                                                                                            \
        *has_nan |= x[k] != x[k];                                                                  \
        all = (smallest ? x[k] < all : x[k] > all) ? x[k] : all;                                   \
      }                                                                                            \
    extreme[0] = SIMD (either_##suffix) (extreme[1], extreme[0], smallest);                        \
    extreme[2] = SIMD (either_##suffix) (extreme[3], extreme[2], smallest);                        \
    extreme[0] = SIMD (either_##suffix) (extreme[2], extreme[0], smallest);                        \
    for (int lane = 0; lane < COUNT; lane++)                                                       \
      all = (smallest ? extreme[0][lane] < all : extreme[0][lane] > all) ? extreme[0][lane] : all; \
    return all;                                                                                    \
  }                                                                                                \
                                                                                                   \
  static TARGET gint64 SIMD (row_##suffix) (const HybPlaceSearch *search, const T *x)              \
  {                                                                                                \
    gint64   n = search->length, k = 0;                                                            \
    gboolean has_nan;                                                                              \
    T        extreme = search->is_smallest ? SIMD (extreme_##suffix) (x, n, TRUE, &has_nan)        \
                                           : SIMD (extreme_##suffix) (x, n, FALSE, &has_nan);      \
    SIMD (Values_##suffix) all = extreme - (SIMD (Values_##suffix)){ 0 };                          \
                                                                                                   \
    for (; k + BLOCK * COUNT <= n && !has_nan; k += BLOCK * COUNT)                                 \
      {                                                                                            \
        SIMD (Places_##suffix) found = { 0 };                                                      \
                                                                                                   \
        HYB_UNROLL (4)                                                                             \
        for (int i = 0; i < BLOCK; i++)                                                            \
          found |= SIMD (load_##suffix) (x + k + i * COUNT, COUNT) == all;                         \
        if (simd_any ((Ints) found))                                                               \
          break;                                                                                   \
      }                                                                                            \
    while (k < n - 1 && !(has_nan ? x[k] != x[k] : x[k] == extreme))                               \
      k++;                                                                                         \
    return k;                                                                                      \
  }

DEFINE (float, gint32, LANES, f32)
DEFINE (double, gint64, (LANES / 2), f64)
DEFINE (gint32, gint32, LANES, i32)
DEFINE (gint64, gint64, (LANES / 2), i64)

#undef DEFINE
#undef BLOCK
