/* vector-hyperbolics.h — log1p, and hyperbolic functions and their inverses, of one vector of floats.
 *
 * Included after vector-angles.h and vector-functions.h, whose parts it uses; the rules for such functions stand in the
 * latter.  Odd functions compute with |x| and put the sign of x on the result, so that −0 gives −0.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Squares of greater numbers may be infinite; 1 is nothing beside them. */
#define FAR_FROM_ONE 0x1p60f
#define LOG_2        0x1.62e43p-1f
/* sinh x = x + SINH_3 x³ + … */
#define SINH_3 0x1.555556p-3f
#define SINH_5 0x1.111134p-7f
#define SINH_7 0x1.9ffe92p-13f
#define SINH_9 0x1.7a15b6p-19f

/* eˢ / 8 = 2ⁿ⁻³ + 2ⁿ⁻³ p and e⁻ˢ / 8.  Divided by 8 they are finite wherever a hyperbolic function is. */
typedef struct
{
  Floats power, p, inverse;
} SIMD (Exponentials);

INLINE
SIMD (Exponentials) SIMD (both_exponentials) (Floats size)
{
  SIMD (ExpParts) parts = SIMD (split_exp) (simd_min (simd_fill (90.f), size), -3.f);
  Floats power = SIMD (power_of_two) (parts.shifted);
  Floats inverse = 0x1p-6f / simd_multiply_add (power, parts.p, power);

  return (SIMD (Exponentials)){ power, parts.p, inverse };
}

/* (eˣ + e⁻ˣ) / 2 */
INLINE Floats
SIMD (vector_cosh) (Floats x)
{
  SIMD (Exponentials) e = SIMD (both_exponentials) (SIMD (size_of) (x));

  return 4.f * (e.power + simd_multiply_add (e.power, e.p, e.inverse));
}

/* (eˣ − e⁻ˣ) / 2, which cancels near zero: there x + x³ q(x²), a minimax polynomial with an error of 6e-9 of the
 * result. */
INLINE Floats
SIMD (vector_sinh) (Floats x)
{
  Floats size = SIMD (size_of) (x), z = x * x;
  Floats q = simd_multiply_add (simd_fill (SINH_9), z, simd_fill (SINH_7));
  SIMD (Exponentials) e = SIMD (both_exponentials) (size);
  Floats y = 4.f * (e.power + simd_multiply_add (e.power, e.p, -e.inverse));

  q = simd_multiply_add (q, z, simd_fill (SINH_5));
  q = simd_multiply_add (q, z, simd_fill (SINH_3));
  return simd_choose (size < simd_fill (1.f), simd_multiply_add (q * z, x, x),
                      SIMD (with_sign_of) (y, x));
}

/* With u, which is 1 + x rounded, log u + (1 + x − u) / u. */
INLINE Floats
SIMD (vector_log1p) (Floats x)
{
  Floats u = 1.f + x;
  Floats rest = simd_choose (x > simd_fill (1.f), 1.f - (u - x), x - (u - 1.f));
  Ints   has_rest = (u > simd_fill (0.f)) & (u < simd_fill (0x1p30f));
  Floats y = SIMD (vector_log) (u) + (Floats) ((Ints) (rest / u) & has_rest);

  return (Floats) ((Ints) y | ((Ints) x & G_MININT32)); /* −0 gives −0 */
}

/* log (1 + near), or where x is far from 1 log 2 x. */
INLINE Floats
SIMD (log1p_or_double) (Floats near, Floats x)
{
  Ints   is_far = x > simd_fill (FAR_FROM_ONE);
  Floats y = SIMD (vector_log1p) (simd_choose (is_far, x, near));

  return y + (Floats) ((Ints) simd_fill (LOG_2) & is_far);
}

/* log (|x| + √(x² + 1)), in which √(x² + 1) is 1 + x² / (1 + √(x² + 1)). */
INLINE Floats
SIMD (vector_asinh) (Floats x)
{
  Floats size = SIMD (size_of) (x), square = x * x;
  Floats root = simd_sqrt (square + 1.f);

  return SIMD (with_sign_of) (SIMD (log1p_or_double) (size + square / (1.f + root), size), x);
}

/* log (1 + t + √(t² + 2 t)) with t = x − 1.  NaN below 1. */
INLINE Floats
SIMD (vector_acosh) (Floats x)
{
  Floats t = x - 1.f;
  Floats y = SIMD (log1p_or_double) (t + simd_sqrt (simd_multiply_add (t, t, 2.f * t)), x);

  return simd_choose (x < simd_fill (1.f), simd_fill (NAN), y);
}

/* log (1 + 2 s / (1 − s)) / 2 with s = |x|; the quotient is 2 s + 2 s² / (1 − s), which is rounded less where s is small.
 * NaN beyond 1. */
INLINE Floats
SIMD (vector_atanh) (Floats x)
{
  Floats size = SIMD (size_of) (x);
  Ints   is_small = size < simd_fill (0.5f);
  Floats twice = 2.f * size;
  Floats quotient = simd_choose (is_small, twice * size, twice) / (1.f - size);

  quotient += (Floats) ((Ints) twice & is_small);
  return SIMD (with_sign_of) (0.5f * SIMD (vector_log1p) (quotient), x);
}

#undef FAR_FROM_ONE
#undef LOG_2
#undef SINH_3
#undef SINH_5
#undef SINH_7
#undef SINH_9
