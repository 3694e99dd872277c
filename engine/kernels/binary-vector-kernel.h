/* binary-vector-kernel.h — the loops of binary-vector.c for one instruction set: y[i] = f(a[i], b[i]).
 *
 * For i in steps of 4 vectors, by vectors, then the last, partial vector.  The operands of a step are
 * read before its results are written, because y may be one of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOAD_LEFT(k)  Floats left##k = sa == 1 ? simd_load (a + i + (k) *LANES) : fixed_left;
#define LOAD_RIGHT(k) Floats right##k = sb == 1 ? simd_load (b + i + (k) *LANES) : fixed_right;
#define STORE(k)      simd_store (y + i + (k) *LANES, left##k OPERATION right##k);
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
    for (; i < n; i++)                                                                    \
      y[i] = a[i * sa] OPERATION b[i * sb];                                               \
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

#define OPERATION +
DEFINE (add)
#undef OPERATION
#define OPERATION -
DEFINE (sub)
#undef OPERATION
#define OPERATION *
DEFINE (mul)
#undef OPERATION
#define OPERATION /
DEFINE (div)
#undef OPERATION

/* In the order of HybBinary. */
static const HybBinaryLoop SIMD (loops)[] = { SIMD (add), SIMD (sub), SIMD (mul), SIMD (div) };

#undef LOAD_LEFT
#undef LOAD_RIGHT
#undef STORE
#undef EACH
#undef DEFINE
