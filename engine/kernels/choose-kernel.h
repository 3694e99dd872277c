/* choose-kernel.h — the loops of choose.c for one instruction set: y[i] = condition[i] ≠ 0 ? a[i] : b[i].
 *
 * For i by vectors, then element by element.  Both elements are read before one is chosen, so that no branch depends on
 * the condition.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* sa and sb are constants wherever this is inlined.  COUNT elements of type T fill a vector. */
#define DEFINE(bits, COUNT)                                                                   \
  INLINE void SIMD (choose_rows_##bits) (const HybChoice *choice, const gint64 sa,            \
                                         const gint64 sb)                                     \
  {                                                                                           \
    typedef gint##bits Elements __attribute__ ((vector_size (COUNT * sizeof (gint##bits))));  \
    typedef gint8      Bytes __attribute__ ((vector_size (COUNT)));                           \
    const gint##bits  *a = choice->a, *b = choice->b;                                         \
    const guint8      *condition = choice->condition;                                         \
    gint##bits        *y = choice->y, one_a = *a, one_b = *b;                                 \
    Elements           left = one_a - (Elements){ 0 }, right = one_b - (Elements){ 0 }, mask; \
    Bytes              bytes;                                                                 \
    gint64             i = 0, n = choice->n;                                                  \
                                                                                              \
    for (; i + COUNT <= n; i += COUNT)                                                        \
      {                                                                                       \
        memcpy (&bytes, condition + i, sizeof bytes);                                         \
        if (sa == 1)                                                                          \
          memcpy (&left, a + i, sizeof left);                                                 \
        if (sb == 1)                                                                          \
          memcpy (&right, b + i, sizeof right);                                               \
        mask = __builtin_convertvector(bytes != 0, Elements);                                 \
        left = (left & mask) | (right & ~mask);                                               \
        memcpy (y + i, &left, sizeof left);                                                   \
        if (sa == 0)                                                                          \
          left = one_a - (Elements){ 0 };                                                     \
      }                                                                                       \
    for (; i < n; i++)                                                                        \
      {                                                                                       \
        gint##bits bit = (gint##bits) - (gint##bits) (condition[i] != 0);                     \
                                                                                              \
        y[i] = (gint##bits) ((a[i * sa] & bit) | (b[i * sb] & ~bit));                         \
      }                                                                                       \
  }                                                                                           \
                                                                                              \
  static TARGET void SIMD (choose_##bits) (const HybChoice *choice)                           \
  {                                                                                           \
    if (choice->stride_a && choice->stride_b)                                                 \
      SIMD (choose_rows_##bits) (choice, 1, 1);                                               \
    else if (choice->stride_a)                                                                \
      SIMD (choose_rows_##bits) (choice, 1, 0);                                               \
    else if (choice->stride_b)                                                                \
      SIMD (choose_rows_##bits) (choice, 0, 1);                                               \
    else                                                                                      \
      SIMD (choose_rows_##bits) (choice, 0, 0);                                               \
  }

DEFINE (8, (4 * LANES))
DEFINE (16, (2 * LANES))
DEFINE (32, LANES)
DEFINE (64, (LANES / 2))

#undef DEFINE
