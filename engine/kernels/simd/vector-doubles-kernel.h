/* vector-doubles-kernel.h — the loops of vector-doubles.c for one instruction set: y[i] = f(x[i]), for i in steps of
 * 4 vectors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

typedef gint64  SIMD (Longs) __attribute__ ((vector_size (LANES / 2 * sizeof (gint64))));
typedef Doubles SIMD (UnalignedDoubles) __attribute__ ((aligned (8), may_alias));

/* eˣ = 2ⁿ + 2ⁿ p with p = eʳ − 1, n = round (x / ln 2).  The first part of ln 2 has 42 bits, so that n < 2¹¹ times it is
 * exact.  eʳ − 1 is its series up to r¹³, whose next term is less than 2⁻⁵⁷ of it. */
typedef struct
{
  SIMD (Longs) n;
  Doubles p;
} SIMD (DoubleExp);

INLINE
SIMD (DoubleExp) SIMD (split_exp_of_doubles) (Doubles x)
{
  const double round = 0x1.8p52;
  Doubles      shifted = x * 0x1.71547652b82fep+0 + round, n = shifted - round;
  Doubles      r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45, square = r * r;
  Doubles      q = r * (1. / 6227020800) + 1. / 479001600;

  q = q * r + 1. / 39916800;
  q = q * r + 1. / 3628800;
  q = q * r + 1. / 362880;
  q = q * r + 1. / 40320;
  q = q * r + 1. / 5040;
  q = q * r + 1. / 720;
  q = q * r + 1. / 120;
  q = q * r + 1. / 24;
  q = q * r + 1. / 6;
  q = q * r + 0.5;
  return (SIMD (DoubleExp)){ (SIMD (Longs)) shifted - 0x4338000000000000, q * square + r };
}

/* 2ⁿ for |n| ≤ 1022 */
INLINE Doubles
SIMD (double_power) (SIMD (Longs) n)
{
  return (Doubles) ((n + 1023) << 52);
}

/* Limits to low … high; NaN stays. */
INLINE Doubles
SIMD (limit_doubles) (Doubles x, double low, double high)
{
  Doubles least = low - (Doubles){ 0 }, most = high - (Doubles){ 0 };
  SIMD (Longs) is_low = x<least, is_high = x> most;

  x = (Doubles) ((is_low & (SIMD (Longs)) least) | (~is_low & (SIMD (Longs)) x));
  return (Doubles) ((is_high & (SIMD (Longs)) most) | (~is_high & (SIMD (Longs)) x));
}

/* 2ⁿ in two factors, so that results below the normal range are rounded once more only. */
INLINE Doubles
SIMD (exp_of_doubles) (Doubles x)
{
  SIMD (DoubleExp) e = SIMD (split_exp_of_doubles) (SIMD (limit_doubles) (x, -746, 710));
  SIMD (Longs) half = e.n >> 1;

  return (1. + e.p) * SIMD (double_power) (half) * SIMD (double_power) (e.n - half);
}

/* With m = exp (2|x|) − 1, which does not cancel near zero: m / (m + 2) with the sign of x. */
INLINE Doubles
SIMD (tanh_of_doubles) (Doubles x)
{
  SIMD (Longs) sign = (SIMD (Longs)) x & G_MININT64;
  Doubles size = SIMD (limit_doubles) ((Doubles) ((SIMD (Longs)) x & G_MAXINT64), 0, 20);
  SIMD (DoubleExp) e = SIMD (split_exp_of_doubles) (2. * size);
  Doubles power = SIMD (double_power) (e.n);
  Doubles m = power * e.p + (power - 1.);

  return (Doubles) ((SIMD (Longs)) (m / (m + 2.)) | sign);
}

#define LOAD(at)  ((Doubles) * (const SIMD (UnalignedDoubles) *) (gconstpointer) (at))
#define STORE(at) (*(SIMD (UnalignedDoubles) *) (gpointer) (at))

#define MAP(name)                                                                          \
  static TARGET void SIMD (map_##name) (gint64 n, const double *x, double *y)              \
  {                                                                                        \
    const gint64 width = LANES / 2;                                                        \
    double       rest[LANES / 2] = { 0 };                                                  \
    gint64       i = 0;                                                                    \
                                                                                           \
    for (; i + 4 * width <= n; i += 4 * width)                                             \
      {                                                                                    \
        HYB_UNROLL (4)                                                                     \
        for (int k = 0; k < 4; k++)                                                        \
          STORE (y + i + k * width) = SIMD (name##_of_doubles) (LOAD (x + i + k * width)); \
      }                                                                                    \
    for (; i + width <= n; i += width)                                                     \
      STORE (y + i) = SIMD (name##_of_doubles) (LOAD (x + i));                             \
    if (i < n)                                                                             \
      {                                                                                    \
        memcpy (rest, x + i, (gsize) (n - i) * sizeof *x);                                 \
        STORE (rest) = SIMD (name##_of_doubles) (LOAD (rest));                             \
        memcpy (y + i, rest, (gsize) (n - i) * sizeof *y);                                 \
      }                                                                                    \
  }
MAP (exp)
MAP (tanh)

#undef MAP
#undef LOAD
#undef STORE
