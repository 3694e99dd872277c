/* vector-functions.h — exp, tanh and sigmoid of one vector of floats.
 *
 * Kernels include it; each-simd.h includes those once for each instruction set, so there is no
 * include guard.  The functions have no branches: each lane of the result depends only on its
 * argument.  eʳ − 1 for |r| ≤ ln 2 / 2 is a minimax polynomial with a maximum error of 8e-9 eʳ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LN_2       0x1.62e43p-1f
#define LN_2_HIGH  0x1.63p-1f /* has few bits, so that n LN_2_HIGH is exact */
#define LN_2_LOW   -0x1.bd0106p-13f
#define LOG_2_E    0x1.715476p0f
#define EXP_ROUND  0x1.8p23f /* adding it rounds to an integer, which is in the low bits */
#define EXP_LOWEST -104.f    /* exp of anything below rounds to 0 */

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

/* eˣ = 2ⁿ eʳ, n = round (x / ln 2), for x < 89; ln 2 is subtracted in two parts. */
INLINE Floats
SIMD (vector_exp_below) (Floats x)
{
  x = simd_max (simd_fill (EXP_LOWEST), x);

  Floats shifted = simd_multiply_add (x, simd_fill (LOG_2_E), simd_fill (EXP_ROUND));
  Floats n = shifted - EXP_ROUND;
  Floats r = simd_subtract_product (n, simd_fill (LN_2_HIGH), x);

  r = simd_subtract_product (n, simd_fill (LN_2_LOW), r);
  return simd_scale (1.f + SIMD (exp_of_rest_less_one) (r), n);
}

INLINE Floats
SIMD (vector_exp) (Floats x)
{
  return SIMD (vector_exp_below) (simd_min (simd_fill (89.f), x));
}

/* With e = exp (−|x|), which cannot overflow: 1 / (1 + e) for x ≥ 0, else e / (1 + e).  One
 * Newton step corrects the quotient y, which the approximate reciprocal leaves inexact, by its
 * residual, numerator − y (1 + e). */
INLINE Floats
SIMD (vector_sigmoid) (Floats x)
{
  Floats e = SIMD (vector_exp_below) ((Floats) ((Ints) x | G_MININT32));
  Floats numerator = simd_choose ((Ints) x >> 31, e, simd_fill (1.f));
  Floats inverse = simd_reciprocal (1.f + e);
  Floats y = numerator * inverse;

  return simd_multiply_add (simd_subtract_product (y, e, numerator - y), inverse, y);
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
  Floats power = (Floats) (((Words) shifted << 23) + (Words) simd_fill (1.f));
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
