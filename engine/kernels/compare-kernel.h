/* compare-kernel.h — the loops of compare.c for one instruction set; the compiler makes vectors of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Not unrolled, which would add a third to the size of the code and save no time. */
#define LOOP(a_at, operator, b_at) \
  HYB_KEEP_LOOP                    \
  for (gint64 i = 0; i < n; i++)   \
    y[i] = a_at operator b_at;

#define DEFINE(name, operator, T, suffix)                                                        \
  static TARGET void SIMD (name##_##suffix) (gconstpointer left, gint64 sa, gconstpointer right, \
                                             gint64 sb, guint8 *restrict y, gint64 n)            \
  {                                                                                              \
    const T *restrict a = left, *restrict b = right;                                             \
                                                                                                 \
    if (n <= 0)                                                                                  \
      return;                                                                                    \
    if (sa && sb)                                                                                \
      {                                                                                          \
        LOOP (a[i], operator, b[i])                                                              \
      }                                                                                          \
    else if (sa)                                                                                 \
      {                                                                                          \
        T one = *b;                                                                              \
                                                                                                 \
        LOOP (a[i], operator, one)                                                               \
      }                                                                                          \
    else if (sb)                                                                                 \
      {                                                                                          \
        T one = *a;                                                                              \
                                                                                                 \
        LOOP (one, operator, b[i])                                                               \
      }                                                                                          \
    else                                                                                         \
      memset (y, *a operator* b, (gsize) n);                                                     \
  }

/* A loop with the operands exchanged. */
#define EXCHANGED(name, other, suffix)                                                    \
  static TARGET void SIMD (name##_##suffix) (gconstpointer a, gint64 sa, gconstpointer b, \
                                             gint64 sb, guint8 * y, gint64 n)             \
  {                                                                                       \
    SIMD (other##_##suffix) (b, sb, a, sa, y, n);                                         \
  }

#define ALL(T, suffix)               \
  DEFINE (equal, ==, T, suffix)      \
  DEFINE (not_equal, !=, T, suffix)  \
  DEFINE (less, <, T, suffix)        \
  DEFINE (less_equal, <=, T, suffix) \
  EXCHANGED (greater, less, suffix)  \
  EXCHANGED (greater_equal, less_equal, suffix)

ALL (float, f32)
ALL (double, f64)
ALL (guint8, u8)
ALL (gint8, i8)
ALL (gint32, i32)
ALL (gint64, i64)
ALL (guint32, u32)
ALL (guint64, u64)

#define ROW(suffix)                                                                             \
  {                                                                                             \
    [HYB_BINARY_EQUAL] = SIMD (equal_##suffix),                                                 \
    [HYB_BINARY_NOT_EQUAL] = SIMD (not_equal_##suffix),                                         \
    [HYB_BINARY_GREATER] = SIMD (greater_##suffix), [HYB_BINARY_LESSER] = SIMD (less_##suffix), \
    [HYB_BINARY_GREATER_EQUAL] = SIMD (greater_equal_##suffix),                                 \
    [HYB_BINARY_LESSER_EQUAL] = SIMD (less_equal_##suffix)                                      \
  }

static const HybCompareLoop SIMD (loops)[HYB_N_DTYPES][HYB_BINARY_LESSER_EQUAL + 1] = {
  [HYB_F32] = ROW (f32), [HYB_F64] = ROW (f64), [HYB_U8] = ROW (u8),
  [HYB_I8] = ROW (i8),   [HYB_I32] = ROW (i32), [HYB_I64] = ROW (i64),
  [HYB_U32] = ROW (u32), [HYB_U64] = ROW (u64), [HYB_BOOL] = ROW (u8),
};

#undef LOOP
#undef DEFINE
#undef EXCHANGED
#undef ALL
#undef ROW
