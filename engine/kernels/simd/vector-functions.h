/* vector-functions.h — exp, expm1, log, tanh, sigmoid, erf and softplus of one vector of floats.
 *
 * Kernels include it; each-simd.h includes those once for each instruction set, so there is no
 * include guard.  Each lane of the result depends only on its argument: where a branch asks for the
 * range of all lanes, both ways give the same bytes to a lane.  eʳ − 1 for |r| ≤ ln 2 / 2 is a
 * minimax polynomial with a maximum error of 8e-9 eʳ.  Limiting an argument passes NaN on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LN_2       0x1.62e43p-1f
#define LN_2_HIGH  0x1.63p-1f /* has few bits, so that n LN_2_HIGH is exact */
#define LN_2_LOW   -0x1.bd0106p-13f
#define LOG_2_E    0x1.715476p0f
#define EXP_LOWEST -104.f /* exp of anything below rounds to 0 */
#define EXP_FAR    87.f   /* exp of anything nearer to 0 is normal */

/* Adding it to a number rounds that to an integer n; the low bits of the sum are n + m + 127, the
 * biased exponent of 2ⁿ⁺ᵐ. */
#define EXP_ROUND(m) (0x1.8p23f + 127.f + (m))

/* 2ⁿ⁺ᵐ for shifted = n + EXP_ROUND (m), |n + m| ≤ 126. */
INLINE Floats
SIMD (power_of_two) (Floats shifted)
{
  return (Floats) ((Words) shifted << 23);
}

/* (eᵏʳ − 1) / k for |k r| ≤ ln 2 / 2; k is a power of two or the negative of one, so that scaling
 * the coefficients is exact. */
INLINE Floats
SIMD (exp_less_one) (Floats r, const float k)
{
  Floats q = simd_multiply_add (simd_fill (0x1.6d117cp-10f * k * k * k * k * k), r,
                                simd_fill (0x1.120be2p-7f * k * k * k * k));

  q = simd_multiply_add (q, r, simd_fill (0x1.555518p-5f * k * k * k));
  q = simd_multiply_add (q, r, simd_fill (0x1.5554dcp-3f * k * k));
  q = simd_multiply_add (q, r, simd_fill (0.5f * k));
  return simd_multiply_add (q, r * r, r);
}

/* The parts of eˣ = 2ⁿ + 2ⁿ p with p = eʳ − 1, n = round (x / ln 2), |x| < 2²²; ln 2 is subtracted in
 * two parts. */
typedef struct
{
  Floats shifted; /* n + EXP_ROUND (m) */
  Floats p;
} SIMD (ExpParts);

INLINE
SIMD (ExpParts) SIMD (split_exp) (Floats x, const float m)
{
  Floats shifted = simd_multiply_add (x, simd_fill (LOG_2_E), simd_fill (EXP_ROUND (m)));
  Floats minus_n = simd_fill (EXP_ROUND (m)) - shifted;
  Floats r = simd_multiply_add (minus_n, simd_fill (LN_2_HIGH), x);

  r = simd_multiply_add (minus_n, simd_fill (LN_2_LOW), r);
  return (SIMD (ExpParts)){ shifted, SIMD (exp_less_one) (r, 1.f) };
}

/* 2ᵐ eˣ where 2ⁿ⁺ᵐ is normal. */
INLINE Floats
SIMD (scaled_exp) (Floats x, const float m)
{
  SIMD (ExpParts) parts = SIMD (split_exp) (x, m);
  Floats power = SIMD (power_of_two) (parts.shifted);

  return simd_multiply_add (power, parts.p, power);
}

/* 2³² eˣ for x ≤ 0.  It is a normal number; multiplying it by 2⁻³² or less rounds once. */
INLINE Floats
SIMD (vector_exp_of_negative) (Floats x)
{
  return SIMD (scaled_exp) (simd_max (simd_fill (EXP_LOWEST), x), 32.f);
}

/* Whether eˣ of any lane may lie outside the normal range; not for NaN, which every formula passes
 * on. */
INLINE gboolean
SIMD (any_far) (Floats x)
{
  return simd_any ((Floats) ((Ints) x & G_MAXINT32) > simd_fill (EXP_FAR));
}

/* Where an instruction multiplies by 2ⁿ there is no other way for lanes that are far. */
INLINE Floats
SIMD (vector_exp) (Floats x)
{
  SIMD (ExpParts) parts;

#ifndef SIMD_SCALE
  if (G_LIKELY (!SIMD (any_far) (x)))
    return SIMD (scaled_exp) (x, 0.f);
#endif

  parts = SIMD (split_exp) (simd_min (simd_fill (89.f), simd_max (simd_fill (EXP_LOWEST), x)), 0.f);
  return simd_scale (1.f + parts.p, parts.shifted - EXP_ROUND (0.f));
}

/* eˣ − 1 = 2ⁿ p + (2ⁿ − 1), which does not cancel near zero.  Where 2ⁿ may be infinite, eˣ itself is near enough. */
INLINE Floats
SIMD (vector_expm1) (Floats x)
{
  Floats limited = simd_min (simd_fill (EXP_FAR), simd_max (simd_fill (-EXP_FAR), x));
  SIMD (ExpParts) parts = SIMD (split_exp) (limited, 0.f);
  Floats power = SIMD (power_of_two) (parts.shifted);
  Floats y = simd_multiply_add (power, parts.p, power - 1.f);
  Ints   is_far = x > simd_fill (EXP_FAR);

  if (G_UNLIKELY (simd_any (is_far)))
    y = simd_choose (is_far, SIMD (vector_exp) (x), y);
  return (Floats) ((Ints) y | ((Ints) x & G_MININT32)); /* −0 gives −0 */
}

/* k ln 2 + log (1 + f) for 1 + f from √½ to √2: k ln 2 + f − f² / 2 + f³ p(f), the small parts first.  p is a minimax
 * polynomial with an error of 3e-9 of the logarithm. */
INLINE Floats
SIMD (log_of_parts) (Floats k, Floats f)
{
  Floats z = f * f;
  Floats p = simd_multiply_add (simd_fill (0x1.b44a7p-5f), f, simd_fill (-0x1.bf1b8ap-4f));

  p = simd_multiply_add (p, f, simd_fill (0x1.f00218p-4f));
  p = simd_multiply_add (p, f, simd_fill (-0x1.0102c8p-3f));
  p = simd_multiply_add (p, f, simd_fill (0x1.23036cp-3f));
  p = simd_multiply_add (p, f, simd_fill (-0x1.552f18p-3f));
  p = simd_multiply_add (p, f, simd_fill (0x1.99a54p-3f));
  p = simd_multiply_add (p, f, simd_fill (-0x1.00007p-2f));
  p = simd_multiply_add (p, f, simd_fill (0x1.555548p-2f));
  p = simd_multiply_add (k, simd_fill (LN_2_LOW), p * (f * z));
  return simd_multiply_add (k, simd_fill (LN_2_HIGH),
                            f + simd_multiply_add (simd_fill (-0.5f), z, p));
}

/* With x = 2ᵏ (1 + f).  Subnormal numbers are multiplied by 2²³ before. */
INLINE Floats
SIMD (vector_log) (Floats x)
{
  Ints   is_tiny = x < simd_fill (0x1p-126f);
  Floats normal = simd_choose (is_tiny, x * 0x1p23f, x);
  Ints   exponent = (Ints) ((Words) normal - 0x3f3504f3) >> 23;
  Floats f = (Floats) ((Words) normal - ((Words) exponent << 23)) - 1.f;
  Floats k = __builtin_convertvector(exponent - (is_tiny & 23), Floats);
  Floats y = SIMD (log_of_parts) (k, f);
  Ints   is_usual = (x > simd_fill (0.f)) & (x < simd_fill (INFINITY));

  if (G_UNLIKELY (simd_any (~is_usual)))
    {
      Floats other = simd_choose (x < simd_fill (0.f), simd_fill (NAN), x);

      y = simd_choose (is_usual, y,
                       simd_choose (x == simd_fill (0.f), simd_fill (-INFINITY), other));
    }
  return y;
}

/* 2⁻³² / (2⁻³² + 2⁻³² e⁻ˣ): with that factor the denominator is a normal number for every x whose
 * result is neither 0 nor 1, and the division rounds results below the normal range once.  With
 * e⁻ˣ = 2ⁿ − 2ⁿ p the small parts of the denominator, 1 − 2ⁿ p, are added first. */
INLINE Floats
SIMD (vector_sigmoid) (Floats x)
{
  Floats limited = simd_min (simd_fill (30.f), simd_max (simd_fill (EXP_LOWEST), x));
  Floats shifted = simd_multiply_add (limited, simd_fill (-LOG_2_E), simd_fill (EXP_ROUND (-32.f)));
  Floats minus_n = simd_fill (EXP_ROUND (-32.f)) - shifted;
  Floats r = simd_subtract_product (minus_n, simd_fill (LN_2_HIGH), limited);
  Floats power = SIMD (power_of_two) (shifted);
  Floats p;

  r = simd_subtract_product (minus_n, simd_fill (LN_2_LOW), r);
  p = SIMD (exp_less_one) (r, -1.f);
  return 0x1p-32f / (power + simd_subtract_product (power, p, simd_fill (0x1p-32f)));
}

/* With e = exp (−2|x|) = 2⁻ⁿ (1 − 2 p): (1 − e) / (1 + e) with the sign of x.  Both are multiplied by
 * 2ⁿ⁻¹, so that the numerator is 2ⁿ⁻¹ − ½ + p and does not cancel near zero.  ln 2 need not be split:
 * where the quotient is sensitive to the rounding of n ln 2, n is small. */
INLINE Floats
SIMD (vector_tanh) (Floats x)
{
  Ints   sign = (Ints) x & G_MININT32;
  Floats size = simd_min (simd_fill (10.f), (Floats) ((Ints) x & G_MAXINT32));
  Floats shifted =
      simd_multiply_add (size, simd_fill (2.f * LOG_2_E), simd_fill (EXP_ROUND (-1.f)));
  Floats minus_n = simd_fill (EXP_ROUND (-1.f)) - shifted;
  Floats r = simd_multiply_add (minus_n, simd_fill (LN_2 / 2.f), size);
  Floats p = SIMD (exp_less_one) (r, -2.f);
  Floats power = SIMD (power_of_two) (shifted);
  Floats y = (p - (0.5f - power)) / ((0.5f + power) - p);

  return (Floats) ((Ints) y | sign);
}

/* Near zero x + x q(x²), elsewhere 1 − exp (t p(t) − t) with t = |x| and the sign of x: minimax polynomials with errors of
 * 1.7e-8 and 8e-10 of the result.  erf (3.95) rounds to 1. */
INLINE Floats
SIMD (vector_erf) (Floats x)
{
  Ints   sign = (Ints) x & G_MININT32;
  Floats size = (Floats) ((Ints) x & G_MAXINT32), square = x * x;
  Floats t = simd_min (simd_fill (3.95f), size);
  Floats q = simd_multiply_add (simd_fill (-0x1.3825bcp-11f), square, simd_fill (0x1.46c232p-8f));
  Floats p = simd_multiply_add (simd_fill (-0x1.78dd98p-17f), t, simd_fill (0x1.527c6cp-12f));

  q = simd_multiply_add (q, square, simd_fill (-0x1.b676cap-6f));
  q = simd_multiply_add (q, square, simd_fill (0x1.ce1904p-4f));
  q = simd_multiply_add (q, square, simd_fill (-0x1.8126dcp-2f));
  q = simd_multiply_add (q, square, simd_fill (0x1.06eba6p-3f));
  p = simd_multiply_add (p, t, simd_fill (-0x1.dd6cdap-9f));
  p = simd_multiply_add (p, t, simd_fill (0x1.85515ep-6f));
  p = simd_multiply_add (p, t, simd_fill (-0x1.b32574p-4f));
  p = simd_multiply_add (p, t, simd_fill (-0x1.45328ep-1f));
  p = simd_multiply_add (p, t, simd_fill (-0x1.0778dcp-3f));
  p = 1.f - SIMD (scaled_exp) (simd_multiply_add (p, t, -t), 0.f);
  return simd_choose (size > simd_fill (0.92f), (Floats) ((Ints) p | sign),
                      simd_multiply_add (q, x, x));
}

/* max (x, 0) + log (1 + u) with u = exp (−|x|).  With s = u / (2 + u) and z = s², log (1 + u) = 2 artanh s is
 * u − s (u − z r(z)), in which the rounding of s counts least. */
INLINE Floats
SIMD (vector_softplus) (Floats x)
{
  Floats u = SIMD (vector_exp) ((Floats) ((Ints) x | G_MININT32));
  Floats s = u / (2.f + u), z = s * s;
  Floats r = simd_multiply_add (simd_fill (0x1.1ef874p-2f), z, simd_fill (0x1.1eb610p-2f));

  r = simd_multiply_add (r, z, simd_fill (0x1.99d27cp-2f));
  r = simd_multiply_add (r, z, simd_fill (0x1.5555p-1f));
  r = simd_subtract_product (z, r, u);
  return simd_max (simd_fill (0.f), x) + simd_subtract_product (s, r, u);
}

#undef LN_2
#undef LN_2_HIGH
#undef LN_2_LOW
#undef LOG_2_E
#undef EXP_LOWEST
#undef EXP_FAR
#undef EXP_ROUND
