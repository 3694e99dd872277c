/* binary-template.h — the loops of binary.c for one element type: y[i] = f(a[i], b[i]).
 *
 * binary.c includes this file once for each element type, so there is no include guard.  It
 * defines T, the element type; U, the type to add, subtract and multiply in (unsigned for
 * integers, so that they wrap); FLOATING, 1 or 0; STORE (value), applied to each result; and
 * NAME (x), which appends the type's suffix to x.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#if FLOATING
#define DIVIDE(a, b) ((a) / (b))
#define MODULO(a, b) MODULO_FLOATING ((a), (b))
/* Squares are frequent.  With a scalar exponent the compiler moves the test out of the loop. */
#define POWER(a, b)    ((b) == 2 ? (a) * (a) : pow ((a), (b)))
#define HYPOT(a, b)    (hypot ((a), (b)))
#define COPYSIGN(a, b) (copysign ((a), (b)))
#define ARCTAN2(a, b)  (atan2 ((a), (b)))
#define LDEXP(a, b)    ((a) *exp2 (b))
#else
#define DIVIDE(a, b)   ((T) DIVIDE_INTEGERS ((a), (b)))
#define MODULO(a, b)   ((T) MODULO_INTEGERS ((a), (b)))
#define POWER(a, b)    ((T) POWER_INTEGERS ((a), (b)))
#define INTEGER(value) ((T) _Generic((T) 0, guint64 : to_unsigned, default : to_integer) (value))
#define HYPOT(a, b)    INTEGER (hypot ((double) (a), (double) (b)))
#define COPYSIGN(a, b) INTEGER (copysign ((double) (a), (double) (b)))
#define ARCTAN2(a, b)  INTEGER (atan2 ((double) (a), (double) (b)))
#define LDEXP(a, b)    INTEGER ((double) (a) *exp2 ((double) (b)))
#endif

/* NaN if either is: a != a selects a NaN on the left; with NaN on the right a > b is false. */
#define LARGER(a, b)  ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

#define LOOP(function, formula)                                                               \
  static void NAME (function) (gconstpointer left, gint64 sa, gconstpointer right, gint64 sb, \
                               gpointer to, gint64 n)                                         \
  {                                                                                           \
    const T *x = left;                                                                        \
    const T *w = right;                                                                       \
    T       *y = to;                                                                          \
                                                                                              \
    if (sa == 1 && sb == 1)                                                                   \
      {                                                                                       \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < n; i++)                                                        \
          {                                                                                   \
            T a = x[i], b = w[i];                                                             \
            y[i] = (T) STORE (formula);                                                       \
          }                                                                                   \
      }                                                                                       \
    else if (sa == 1 && sb == 0)                                                              \
      {                                                                                       \
        T b = *w;                                                                             \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < n; i++)                                                        \
          {                                                                                   \
            T a = x[i];                                                                       \
            y[i] = (T) STORE (formula);                                                       \
          }                                                                                   \
      }                                                                                       \
    else if (sa == 0 && sb == 1)                                                              \
      {                                                                                       \
        T a = *x;                                                                             \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < n; i++)                                                        \
          {                                                                                   \
            T b = w[i];                                                                       \
            y[i] = (T) STORE (formula);                                                       \
          }                                                                                   \
      }                                                                                       \
    else                                                                                      \
      {                                                                                       \
        T a = *x, b = *w;                                                                     \
        T result = (T) STORE (formula);                                                       \
                                                                                              \
        for (gint64 i = 0; i < n; i++)                                                        \
          y[i] = result;                                                                      \
      }                                                                                       \
  }

LOOP (add, (T) ((U) a + (U) b))
LOOP (sub, (T) ((U) a - (U) b))
LOOP (mul, (T) (((U) a) * ((U) b)))
LOOP (div, DIVIDE (a, b))
LOOP (mod, MODULO (a, b))
LOOP (power, POWER (a, b))
LOOP (maximum, LARGER (a, b))
LOOP (minimum, SMALLER (a, b))
LOOP (hypot, HYPOT (a, b))
LOOP (equal, a == b)
LOOP (not_equal, a != b)
LOOP (greater, a > b)
LOOP (greater_equal, a >= b)
LOOP (lesser, a < b)
LOOP (lesser_equal, a <= b)
LOOP (logical_and, (a != 0) & (b != 0))
LOOP (logical_or, (a != 0) | (b != 0))
LOOP (logical_xor, (a != 0) ^ (b != 0))
LOOP (copysign, COPYSIGN (a, b))
LOOP (arctan2, ARCTAN2 (a, b))
LOOP (ldexp, LDEXP (a, b))
#if !FLOATING
LOOP (bitwise_and, a &b)
LOOP (bitwise_or, a | b)
LOOP (bitwise_xor, a ^ b)
LOOP (lcm, (T) least_common_multiple (MAGNITUDE (a), MAGNITUDE (b)))
#endif

/* In the order of HybBinary. */
static const HybBinaryLoop NAME (loops)[HYB_N_BINARY] = {
  NAME (add),         NAME (sub),        NAME (mul),           NAME (div),      NAME (mod),
  NAME (power),       NAME (maximum),    NAME (minimum),       NAME (hypot),    NAME (equal),
  NAME (not_equal),   NAME (greater),    NAME (greater_equal), NAME (lesser),   NAME (lesser_equal),
  NAME (logical_and), NAME (logical_or), NAME (logical_xor),   NAME (copysign), NAME (arctan2),
  NAME (ldexp),
#if !FLOATING
  NAME (bitwise_and), NAME (bitwise_or), NAME (bitwise_xor),   NAME (lcm),
#endif
};

#undef LOOP
#undef DIVIDE
#undef MODULO
#undef POWER
#undef HYPOT
#undef COPYSIGN
#undef ARCTAN2
#undef LDEXP
#undef INTEGER
#undef LARGER
#undef SMALLER
#undef T
#undef U
#undef FLOATING
#undef STORE
#undef NAME
