/* vector-functions.h — exp, tanh and sigmoid of one vector of floats.
 *
 * Kernels include it; each-simd.h includes those once for each instruction set, so there is no
 * include guard.  Each lane of the result depends only on its argument: where a branch asks for the
 * range of all lanes, both ways give the same bytes to a lane.  eʳ − 1 for |r| ≤ ln 2 / 2 is a
 * minimax polynomial with a maximum error of 8e-9 eʳ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LN_2       0x1.62e43p-1f
#define LN_2_HIGH  0x1.63p-1f /* has few bits, so that n LN_2_HIGH is exact */
#define LN_2_LOW   -0x1.bd0106p-13f
#define LOG_2_E    0x1.715476p0f
#define EXP_ROUND  0x1.8p23f /* adding it rounds to an integer, which is in the low bits */
#define EXP_LOWEST -104.f    /* exp of anything below rounds to 0 */
#define EXP_FAR    87.f      /* exp of anything nearer to 0 is normal */

/* eʳ − 1 for |r| ≤ ln 2 / 2. */
INLINE Floats
SIMD (exp_of_rest_less_one) (Floats r)
{
  Floats q = simd_multiply_add (simd_fill (0x1.6d117cp-10f), r, simd_fill (0x1.120be2p-7f));

  q = simd_multiply_add (q, r, simd_fill (0x1.555518p-5f));
  q = simd_multiply_add (q, r, simd_fill (0x1.5554dcp-3f));
  q = simd_multiply_add (q, r, simd_fill (0.5f));
  return simd_multiply_add (q, r * r, r);
}

/* 2ⁿ for the whole n in the low bits of n + EXP_ROUND, |n| ≤ 126. */
INLINE Floats
SIMD (power_of_two) (Floats shifted)
{
  return (Floats) (((Words) shifted << 23) + (Words) simd_fill (1.f));
}

/* Whether 2ⁿ or eˣ of any lane may lie outside the normal range; not for NaN, which every formula
 * passes on. */
INLINE Ints
SIMD (is_far) (Floats x)
{
  return (Floats) ((Ints) x & G_MAXINT32) > simd_fill (EXP_FAR);
}

/* The parts of eˣ = 2ⁿ + 2ⁿ p with p = eʳ − 1, n = round (x / ln 2), |x| < 2²²; ln 2 is subtracted in
 * two parts. */
typedef struct
{
  Floats shifted; /* n + EXP_ROUND */
  Floats p;
} SIMD (ExpParts);

INLINE
SIMD (ExpParts) SIMD (split_exp) (Floats x)
{
  Floats shifted = simd_multiply_add (x, simd_fill (LOG_2_E), simd_fill (EXP_ROUND));
  Floats n = shifted - EXP_ROUND;
  Floats r = simd_subtract_product (n, simd_fill (LN_2_HIGH), x);

  r = simd_subtract_product (n, simd_fill (LN_2_LOW), r);
  return (SIMD (ExpParts)){ shifted, SIMD (exp_of_rest_less_one) (r) };
}

/* eˣ for x < 89. */
INLINE Floats
SIMD (vector_exp_below) (Floats x)
{
  SIMD (ExpParts) parts = SIMD (split_exp) (simd_max (simd_fill (EXP_LOWEST), x));

  return simd_scale (1.f + parts.p, parts.shifted - EXP_ROUND);
}

/* eˣ for |x| ≤ EXP_FAR, where 2ⁿ is normal: the same bytes as vector_exp_below(), in fewer
 * instructions where none multiplies by 2ⁿ. */
INLINE Floats
SIMD (vector_exp_near) (Floats x)
{
#ifdef SIMD_SCALE
  return SIMD (vector_exp_below) (x);
#else
  SIMD (ExpParts) parts = SIMD (split_exp) (x);
  Floats power = SIMD (power_of_two) (parts.shifted);

  return simd_multiply_add (power, parts.p, power);
#endif
}

INLINE Floats
SIMD (vector_exp) (Floats x)
{
  if (G_LIKELY (!simd_any (SIMD (is_far) (x))))
    return SIMD (vector_exp_near) (x);
  return SIMD (vector_exp_below) (simd_min (simd_fill (89.f), x));
}

/* With e = exp (−|x|), which cannot overflow: 1 / (1 + e) for x ≥ 0, else e / (1 + e).  One
 * Newton step corrects the quotient y, which the approximate reciprocal leaves inexact, by its
 * residual, numerator − y (1 + e). */
INLINE Floats
SIMD (sigmoid_of_any) (Floats x)
{
  Floats e = SIMD (vector_exp_below) ((Floats) ((Ints) x | G_MININT32));
  Floats numerator = simd_choose ((Ints) x >> 31, e, simd_fill (1.f));
  Floats inverse = simd_reciprocal (1.f + e);
  Floats y = numerator * inverse;

  return simd_multiply_add (simd_subtract_product (y, e, numerator - y), inverse, y);
}

/* With a fast approximate reciprocal the formula above is the best.  Otherwise 1 / (1 + eʸ), y = −x,
 * with 1 + 2ⁿ + 2ⁿ (eʳ − 1) as denominator: 1 + 2ⁿ is exact where the result depends on it. */
INLINE Floats
SIMD (vector_sigmoid) (Floats x)
{
#ifdef SIMD_SCALE
  return SIMD (sigmoid_of_any) (x);
#else
  SIMD (ExpParts) parts = SIMD (split_exp) ((Floats) ((Ints) x ^ G_MININT32));
  Floats power = SIMD (power_of_two) (parts.shifted);
  Floats value = 1.f / simd_multiply_add (power, parts.p, 1.f + power);
  Ints   far = SIMD (is_far) (x);

  return G_LIKELY (!simd_any (far)) ? value : simd_choose (far, SIMD (sigmoid_of_any) (x), value);
#endif
}

/* With e = exp (−2|x|): (1 − e) / (1 + e) with the sign of x.  e = 2ⁿ + 2ⁿ p is used in its two
 * parts, so that 1 − e does not cancel near zero.  ln 2 need not be split: where the quotient is
 * sensitive to the rounding of n ln 2, n is small. */
INLINE Floats
SIMD (vector_tanh) (Floats x)
{
  Ints   sign = (Ints) x & G_MININT32;
  Floats size = (Floats) ((Ints) x & G_MAXINT32);
  Floats argument = simd_min (simd_fill (10.f), size) * -2.f;
  Floats shifted = simd_multiply_add (argument, simd_fill (LOG_2_E), simd_fill (EXP_ROUND));
  Floats r = simd_subtract_product (shifted - EXP_ROUND, simd_fill (LN_2), argument);
  Floats p = SIMD (exp_of_rest_less_one) (r);
  Floats power = SIMD (power_of_two) (shifted);
  Floats y =
      simd_subtract_product (power, p, 1.f - power) / simd_multiply_add (power, p, 1.f + power);

  return (Floats) ((Ints) y | sign);
}

#undef LN_2
#undef LN_2_HIGH
#undef LN_2_LOW
#undef LOG_2_E
#undef EXP_ROUND
#undef EXP_LOWEST
#undef EXP_FAR
