/* binary-vector-kernel.h — the loops of binary-vector.c for one instruction set: y[i] = f(a[i], b[i]).
 *
 * For i in steps of 4 vectors, by vectors, then the last, partial vector.  The operands of a step are
 * read before its results are written, because y may be one of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOAD_LEFT(k)  Floats left##k = sa == 1 ? simd_load (a + i + (k) *LANES) : fixed_left;
#define LOAD_RIGHT(k) Floats right##k = sb == 1 ? simd_load (b + i + (k) *LANES) : fixed_right;
#define STORE(k)      simd_store (y + i + (k) *LANES, OPERATION (left##k, right##k));
#define EACH(X)       X (0) X (1) X (2) X (3)

/* sa and sb are constants wherever this is inlined. */
#define DEFINE(name)                                                                      \
  INLINE void SIMD (name##_rows) (const float *a, const gint64 sa, const float *b,        \
                                  const gint64 sb, float *y, gint64 n)                    \
  {                                                                                       \
    Floats fixed_left = simd_fill (*a), fixed_right = simd_fill (*b);                     \
    gint64 i = 0;                                                                         \
                                                                                          \
    for (; i + 4 * LANES <= n; i += 4 * LANES)                                            \
      {                                                                                   \
        EACH (LOAD_LEFT)                                                                  \
        EACH (LOAD_RIGHT)                                                                 \
        EACH (STORE)                                                                      \
      }                                                                                   \
    for (; i + LANES <= n; i += LANES)                                                    \
      {                                                                                   \
        LOAD_LEFT (0)                                                                     \
        LOAD_RIGHT (0)                                                                    \
        STORE (0)                                                                         \
      }                                                                                   \
    if (i < n)                                                                            \
      {                                                                                   \
        Floats left = sa == 1 ? simd_load_part (a + i, n - i) : fixed_left;               \
        Floats right = sb == 1 ? simd_load_part (b + i, n - i) : fixed_right;             \
                                                                                          \
        simd_store_part (y + i, n - i, OPERATION (left, right));                          \
      }                                                                                   \
  }                                                                                       \
                                                                                          \
  static TARGET void SIMD (name) (gconstpointer a, gint64 sa, gconstpointer b, gint64 sb, \
                                  gpointer y, gint64 n)                                   \
  {                                                                                       \
    if (n <= 0)                                                                           \
      return;                                                                             \
    if (sa == 1 && sb == 1)                                                               \
      SIMD (name##_rows) (a, 1, b, 1, y, n);                                              \
    else if (sa == 1)                                                                     \
      SIMD (name##_rows) (a, 1, b, 0, y, n);                                              \
    else if (sb == 1)                                                                     \
      SIMD (name##_rows) (a, 0, b, 1, y, n);                                              \
    else                                                                                  \
      SIMD (name##_rows) (a, 0, b, 0, y, n);                                              \
  }

#define OPERATION(a, b) (a + b)
DEFINE (add)
#undef OPERATION
#define OPERATION(a, b) (a - b)
DEFINE (sub)
#undef OPERATION
#define OPERATION(a, b) (a * b)
DEFINE (mul)
#undef OPERATION
#define OPERATION(a, b) (a / b)
DEFINE (div)
#undef OPERATION
/* The instructions give b if either is NaN, and of equal operands. */
#define OPERATION(a, b) simd_choose (a != a, a, simd_max (a, b))
DEFINE (maximum)
#undef OPERATION
#define OPERATION(a, b) simd_choose (a != a, a, simd_min (a, b))
DEFINE (minimum)
#undef OPERATION

static const HybBinaryLoop SIMD (loops)[HYB_N_BINARY] = {
  [HYB_BINARY_ADD] = SIMD (add),         [HYB_BINARY_SUB] = SIMD (sub),
  [HYB_BINARY_MUL] = SIMD (mul),         [HYB_BINARY_DIV] = SIMD (div),
  [HYB_BINARY_MAXIMUM] = SIMD (maximum), [HYB_BINARY_MINIMUM] = SIMD (minimum),
};

#undef LOAD_LEFT
#undef LOAD_RIGHT
#undef STORE
#undef EACH
#undef DEFINE
