/* copy-rows-kernel.h — the loops of copy-rows.c for one instruction set.
 *
 * pick_BITS_W: y[k] = x[step k] for k < W, which reads nothing outside of the first and the last of these elements.
 * rows_BITS_W: for each row, for each W elements; the last ones overlap those before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Indices into two vectors of W elements, of which the second begins W − 1 elements after the first: each second element. */
#define TWO_2  0, 3
#define TWO_4  0, 2, 5, 7
#define TWO_8  0, 2, 4, 6, 9, 11, 13, 15
#define TWO_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
/* The same from the last to the first. */
#define BACK_TWO_2  3, 0
#define BACK_TWO_4  7, 5, 2, 0
#define BACK_TWO_8  15, 13, 11, 9, 6, 4, 2, 0
#define BACK_TWO_16 31, 29, 27, 25, 23, 21, 19, 17, 14, 12, 10, 8, 6, 4, 2, 0
#define BACK_2      1, 0
#define BACK_4      3, 2, 1, 0
#define BACK_8      7, 6, 5, 4, 3, 2, 1, 0
#define BACK_16     15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
/* Each third element: of two vectors, one after the other, and then of these and one that ends with the last element. */
#define FIRST_THIRDS_2  0, 3
#define FIRST_THIRDS_4  0, 3, 6, 7
#define FIRST_THIRDS_8  0, 3, 6, 9, 12, 15, 14, 14
#define FIRST_THIRDS_16 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 31, 31, 31, 31, 31
#define LAST_THIRDS_2   0, 3
#define LAST_THIRDS_4   0, 1, 2, 7
#define LAST_THIRDS_8   0, 1, 2, 3, 4, 5, 12, 15
#define LAST_THIRDS_16  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31

#define ROWS(BITS, W)                                                                         \
  typedef guint##BITS SIMD (Picked##BITS##_##W) __attribute__ ((vector_size (W * BITS / 8))); \
                                                                                              \
  INLINE SIMD (Picked##BITS##_##W) SIMD (load_##BITS##_##W) (const char *x, gint64 at)        \
  {                                                                                           \
    SIMD (Picked##BITS##_##W) value;                                                          \
                                                                                              \
    memcpy (&value, x + at * (BITS / 8), sizeof value);                                       \
    return value;                                                                             \
  }                                                                                           \
                                                                                              \
  /* step is a constant wherever this is inlined. */                                          \
  INLINE void SIMD (pick_##BITS##_##W) (const char *x, const int step, char *y)               \
  {                                                                                           \
    const char *first = step < 0 ? x + (W - 1) * step * (BITS / 8) : x;                       \
    SIMD (Picked##BITS##_##W) a = SIMD (load_##BITS##_##W) (first, 0), b = a;                 \
                                                                                              \
    if (step == -1)                                                                           \
      a = __builtin_shufflevector (a, a, BACK_##W);                                           \
    if (step == 2 || step == -2)                                                              \
      b = SIMD (load_##BITS##_##W) (first, W - 1);                                            \
    if (step == 2)                                                                            \
      a = __builtin_shufflevector (a, b, TWO_##W);                                            \
    if (step == -2)                                                                           \
      a = __builtin_shufflevector (a, b, BACK_TWO_##W);                                       \
    if (step == 3)                                                                            \
      {                                                                                       \
        if (W > 2)                                                                            \
          b = SIMD (load_##BITS##_##W) (first, W);                                            \
        a = __builtin_shufflevector (a, b, FIRST_THIRDS_##W);                                 \
        b = SIMD (load_##BITS##_##W) (first, 2 * W - 2);                                      \
        a = __builtin_shufflevector (a, b, LAST_THIRDS_##W);                                  \
      }                                                                                       \
    memcpy (y, &a, sizeof a);                                                                 \
  }                                                                                           \
                                                                                              \
  INLINE void SIMD (rows_##BITS##_##W) (HybRows rows, const int step, const char *x, char *y) \
  {                                                                                           \
    const gint64 n = rows.n, item = BITS / 8;                                                 \
                                                                                              \
    for (gint64 row = 0; row < rows.n_rows; row++, x += rows.from_row, y += rows.to_row)      \
      {                                                                                       \
        for (gint64 k = 0; k + W < n; k += W)                                                 \
          SIMD (pick_##BITS##_##W) (x + k * step * item, step, y + k * item);                 \
        SIMD (pick_##BITS##_##W) (x + (n - W) * step * item, step, y + (n - W) * item);       \
      }                                                                                       \
  }

/* Rows of fewer elements than the shortest vector. */
#define FEW_ROWS(BITS)                                                                   \
  INLINE void SIMD (few_##BITS) (HybRows rows, const int step, const char *x, char *y)   \
  {                                                                                      \
    for (gint64 row = 0; row < rows.n_rows; row++, x += rows.from_row, y += rows.to_row) \
      for (gint64 k = 0; k < rows.n; k++)                                                \
        memcpy (y + k * (BITS / 8), x + k * step * (BITS / 8), BITS / 8);                \
  }

ROWS (32, 4)
ROWS (64, 2)
#if LANES >= 8
ROWS (32, 8)
ROWS (64, 4)
#endif
#if LANES >= 16
ROWS (32, 16)
ROWS (64, 8)
#endif
FEW_ROWS (32)
FEW_ROWS (64)

/* The widest vectors that fit into a row. */
INLINE void
SIMD (rows_32) (HybRows rows, const int step, const char *x, char *y)
{
#if LANES >= 16
  if (rows.n >= 16)
    SIMD (rows_32_16) (rows, step, x, y);
  else
#endif
#if LANES >= 8
      if (rows.n >= 8)
    SIMD (rows_32_8) (rows, step, x, y);
  else
#endif
      if (rows.n >= 4)
    SIMD (rows_32_4) (rows, step, x, y);
  else
    SIMD (few_32) (rows, step, x, y);
}

INLINE void
SIMD (rows_64) (HybRows rows, const int step, const char *x, char *y)
{
#if LANES >= 16
  if (rows.n >= 8)
    SIMD (rows_64_8) (rows, step, x, y);
  else
#endif
#if LANES >= 8
      if (rows.n >= 4)
    SIMD (rows_64_4) (rows, step, x, y);
  else
#endif
      if (rows.n >= 2)
    SIMD (rows_64_2) (rows, step, x, y);
  else
    SIMD (few_64) (rows, step, x, y);
}

#define STEPS(bits)                                                                    \
  static TARGET void SIMD (steps_##bits) (const HybRows *rows, const char *x, char *y) \
  {                                                                                    \
    if (rows->from == 2)                                                               \
      SIMD (rows_##bits) (*rows, 2, x, y);                                             \
    else if (rows->from == 3)                                                          \
      SIMD (rows_##bits) (*rows, 3, x, y);                                             \
    else if (rows->from == -1)                                                         \
      SIMD (rows_##bits) (*rows, -1, x, y);                                            \
    else                                                                               \
      SIMD (rows_##bits) (*rows, -2, x, y);                                            \
  }
STEPS (32)
STEPS (64)

#undef STEPS
#undef FEW_ROWS
#undef ROWS
