/* interleave-kernel.h — the loops of interleave.c for one instruction set.
 *
 * For each W rows of y: two or three vectors of x are mixed.  The last rows overlap those before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Indices of the lower and the upper half of the elements of two vectors in turn. */
#define LOW_4   0, 4, 1, 5
#define HIGH_4  2, 6, 3, 7
#define LOW_8   0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8  4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
/* Each third of the elements of three vectors in turn: those of two of them, and then these and those of the third. */
#define TWO_OF_THREE_4_0  0, 4, -1, 1
#define ALL_THREE_4_0     0, 1, 4, 3
#define TWO_OF_THREE_4_1  5, -1, 2, 6
#define ALL_THREE_4_1     0, 5, 2, 3
#define TWO_OF_THREE_4_2  -1, 3, 7, -1
#define ALL_THREE_4_2     6, 1, 2, 7
#define TWO_OF_THREE_8_0  0, 8, -1, 1, 9, -1, 2, 10
#define ALL_THREE_8_0     0, 1, 8, 3, 4, 9, 6, 7
#define TWO_OF_THREE_8_1  -1, 3, 11, -1, 4, 12, -1, 5
#define ALL_THREE_8_1     10, 1, 2, 11, 4, 5, 12, 7
#define TWO_OF_THREE_8_2  13, -1, 6, 14, -1, 7, 15, -1
#define ALL_THREE_8_2     0, 13, 2, 3, 14, 5, 6, 15
#define TWO_OF_THREE_16_0 0, 16, -1, 1, 17, -1, 2, 18, -1, 3, 19, -1, 4, 20, -1, 5
#define ALL_THREE_16_0    0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15
#define TWO_OF_THREE_16_1 21, -1, 6, 22, -1, 7, 23, -1, 8, 24, -1, 9, 25, -1, 10, 26
#define ALL_THREE_16_1    0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15
#define TWO_OF_THREE_16_2 -1, 11, 27, -1, 12, 28, -1, 13, 29, -1, 14, 30, -1, 15, 31, -1
#define ALL_THREE_16_2    26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31

#define MIX(W)                                                                          \
  typedef guint32 SIMD (Mixed##W) __attribute__ ((vector_size (W * sizeof (guint32)))); \
                                                                                        \
  INLINE SIMD (Mixed##W) SIMD (load_##W) (const char *x, gint64 at)                     \
  {                                                                                     \
    SIMD (Mixed##W) value;                                                              \
                                                                                        \
    memcpy (&value, x + at * 4, sizeof value);                                          \
    return value;                                                                       \
  }                                                                                     \
  INLINE void SIMD (pairs_##W) (const char *const *x, gint64 at, char *y)               \
  {                                                                                     \
    SIMD (Mixed##W) a = SIMD (load_##W) (x[0], at), b = SIMD (load_##W) (x[1], at);     \
    SIMD (Mixed##W) low = __builtin_shufflevector (a, b, LOW_##W);                      \
    SIMD (Mixed##W) high = __builtin_shufflevector (a, b, HIGH_##W);                    \
                                                                                        \
    memcpy (y, &low, sizeof low);                                                       \
    memcpy (y + sizeof low, &high, sizeof high);                                        \
  }                                                                                     \
                                                                                        \
  INLINE void SIMD (triples_##W) (const char *const *x, gint64 at, char *y)             \
  {                                                                                     \
    SIMD (Mixed##W) a = SIMD (load_##W) (x[0], at), b = SIMD (load_##W) (x[1], at);     \
    SIMD (Mixed##W) c = SIMD (load_##W) (x[2], at), part[3];                            \
                                                                                        \
    part[0] = __builtin_shufflevector (a, b, TWO_OF_THREE_##W##_0);                     \
    part[1] = __builtin_shufflevector (a, b, TWO_OF_THREE_##W##_1);                     \
    part[2] = __builtin_shufflevector (a, b, TWO_OF_THREE_##W##_2);                     \
    part[0] = __builtin_shufflevector (part[0], c, ALL_THREE_##W##_0);                  \
    part[1] = __builtin_shufflevector (part[1], c, ALL_THREE_##W##_1);                  \
    part[2] = __builtin_shufflevector (part[2], c, ALL_THREE_##W##_2);                  \
    memcpy (y, part, sizeof part);                                                      \
  }                                                                                     \
                                                                                        \
  /* At least W rows of y. */                                                           \
  INLINE void SIMD (mix_##W) (const int width, gint64 n, const char *const *x, char *y) \
  {                                                                                     \
    for (gint64 i = 0, next; i < n; i = next)                                           \
      {                                                                                 \
        next = hyb_transpose_next (i, W, n);                                            \
        if (width == 2)                                                                 \
          SIMD (pairs_##W) (x, i, y + i * 8);                                           \
        else                                                                            \
          SIMD (triples_##W) (x, i, y + i * 12);                                        \
      }                                                                                 \
  }

MIX (4)
#if LANES >= 8
MIX (8)
#endif
#if LANES >= 16
MIX (16)
#endif

INLINE void
SIMD (mix) (const int width, gint64 n, const char *const *x, char *y)
{
#if LANES >= 16
  if (n >= 16)
    SIMD (mix_16) (width, n, x, y);
  else
#endif
#if LANES >= 8
      if (n >= 8)
    SIMD (mix_8) (width, n, x, y);
  else
#endif
    SIMD (mix_4) (width, n, x, y);
}

static TARGET void
SIMD (mix_columns) (int width, gint64 n, const char *const *x, char *y)
{
  if (width == 2)
    SIMD (mix) (2, n, x, y);
  else
    SIMD (mix) (3, n, x, y);
}

#undef MIX
