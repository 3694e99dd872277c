/* bit-shift-kernel.h — the loops of bit-shift.c for one instruction set, which the compiler vectorises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOOP(move, count_at)     \
  for (gint64 i = 0; i < n; i++) \
    y[i] = move (x[i], count_at);

/* A shift by one bit less than there are, and by one more, moves all bits out. */
#define ROW(dtype, T, Unsigned, suffix)                                                         \
  INLINE T SIMD (right_##suffix) (T x, T count)                                                 \
  {                                                                                             \
    const Unsigned most = 8 * sizeof (T) - 1;                                                   \
    Unsigned       by = MIN ((Unsigned) count, most);                                           \
                                                                                                \
    return (T) (x >> by >> ((Unsigned) count > most));                                          \
  }                                                                                             \
                                                                                                \
  INLINE T SIMD (left_##suffix) (T x, T count)                                                  \
  {                                                                                             \
    const Unsigned most = 8 * sizeof (T) - 1;                                                   \
    Unsigned by = (Unsigned) count & most, kept = (Unsigned) count <= most ? (Unsigned) -1 : 0; \
                                                                                                \
    return (T) ((Unsigned) ((Unsigned) x << by) & kept);                                        \
  }                                                                                             \
                                                                                                \
  /* One row of a HybEach walk with the operands y, x and count. */                             \
  static TARGET void SIMD (row_##suffix) (const gint64 *offset, const gint64 *stride, gint64 n, \
                                          gpointer data)                                        \
  {                                                                                             \
    const Shift *shift = data;                                                                  \
    const T     *x = (const T *) (gconstpointer) shift->x + offset[1];                          \
    const T     *count = (const T *) (gconstpointer) shift->count + offset[2], one = *count;    \
    T           *y = (T *) (gpointer) shift->y + offset[0];                                     \
                                                                                                \
    if (stride[1] == 1 && shift->is_right && stride[2] == 1)                                    \
      {                                                                                         \
        HYB_INDEPENDENT                                                                         \
        LOOP (SIMD (right_##suffix), count[i])                                                  \
      }                                                                                         \
    else if (stride[1] == 1 && shift->is_right)                                                 \
      {                                                                                         \
        HYB_INDEPENDENT                                                                         \
        LOOP (SIMD (right_##suffix), one)                                                       \
      }                                                                                         \
    else if (stride[1] == 1 && stride[2] == 1)                                                  \
      {                                                                                         \
        HYB_INDEPENDENT                                                                         \
        LOOP (SIMD (left_##suffix), count[i])                                                   \
      }                                                                                         \
    else if (stride[1] == 1)                                                                    \
      {                                                                                         \
        HYB_INDEPENDENT                                                                         \
        LOOP (SIMD (left_##suffix), one)                                                        \
      }                                                                                         \
    else                                                                                        \
      for (gint64 i = 0; i < n; i++)                                                            \
        y[i] = shift->is_right ? SIMD (right_##suffix) (*x, count[i * stride[2]])               \
                               : SIMD (left_##suffix) (*x, count[i * stride[2]]);               \
  }
TYPES (ROW)
#undef ROW
#undef LOOP

#define ROW(dtype, T, Unsigned, suffix) [dtype] = SIMD (row_##suffix),
static const HybEachRow SIMD (rows)[HYB_N_DTYPES] = { TYPES (ROW) };
#undef ROW
