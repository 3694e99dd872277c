/* vector-angles.h — sine, cosine, tangent and their inverses of one vector of floats.
 *
 * Included as vector-functions.h, in which the rules for such functions stand: each lane of the result
 * depends only on its argument.  Polynomials are minimax, with relative errors of at most 5e-9 of the
 * function.  Odd functions compute with |x| and put the sign of x on the result, so that −0 gives −0.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define TWO_BY_PI 0x1.45f306p-1f
/* π/2 in doubles, for reducing angles: the first part has 35 bits, so that n < 2¹⁸ times it is exact. */
#define HALF_PI_FIRST  0x1.921fb5444p+0
#define HALF_PI_SECOND 0x1.68c234c4c6629p-39
/* sin r = r + SINE_3 r³ + …, cos r = 1 − r² / 2 + COSINE_4 r⁴ + … */
#define SINE_3   -0x1.555544p-3f
#define SINE_5   0x1.1106c6p-7f
#define SINE_7   -0x1.991c26p-13f
#define COSINE_4 0x1.55554ap-5f
#define COSINE_6 -0x1.6c0c1ep-10f
#define COSINE_8 0x1.99e336p-16f
/* π/2 in floats */
#define HALF_PI_HIGH 0x1.921fb6p+0f
#define HALF_PI_LOW  -0x1.777a5cp-25f
/* Adding it to a number below 2²² rounds that to an integer, which is then in the low bits. */
#define WHOLE 0x1.8p23f
/* Angles beyond it are left to the C library, which reduces them with more digits of π. */
#define FAR_ANGLE 0x1p18f
/* The arc sine of greater numbers is computed from the other end, where it is steep. */
#define STEEP 0.5625f

INLINE Floats
SIMD (size_of) (Floats x)
{
  return (Floats) ((Ints) x & G_MAXINT32);
}

INLINE Floats
SIMD (with_sign_of) (Floats size, Floats x)
{
  return (Floats) ((Ints) size ^ ((Ints) x & G_MININT32));
}

/* |x| = n π/2 + rest, |rest| ≤ 0.79, in two halves of doubles: near a multiple of π/2, what cancels is exact. */
typedef struct
{
  Words   n; /* in its lower bits */
  Doubles low, high;
} SIMD (Angle);

INLINE
SIMD (Angle) SIMD (split_angle) (Floats size)
{
  Floats  shifted = simd_multiply_add (size, simd_fill (TWO_BY_PI), simd_fill (WHOLE));
  Doubles low = simd_low_doubles (shifted - WHOLE), high = simd_high_doubles (shifted - WHOLE);

  low = (simd_low_doubles (size) - low * HALF_PI_FIRST) - low * HALF_PI_SECOND;
  high = (simd_high_doubles (size) - high * HALF_PI_FIRST) - high * HALF_PI_SECOND;
  return (SIMD (Angle)){ (Words) shifted, low, high };
}

INLINE gboolean
SIMD (any_far_angle) (Floats size)
{
  return simd_any (size > simd_fill (FAR_ANGLE));
}

/* Replaces the lanes of y whose angle is far. */
INLINE Floats
SIMD (replace_far_angles) (Floats x, Floats y, float (*function) (float))
{
  for (int i = 0; i < LANES; i++)
    if (fabsf (x[i]) > FAR_ANGLE)
      y[i] = function (x[i]);
  return y;
}

/* The sine of |x| + turns π/2. */
INLINE Floats
SIMD (turned_sine) (Floats size, guint32 turns)
{
  SIMD (Angle) angle = SIMD (split_angle) (size);
  Words  n = angle.n + turns;
  Floats r = simd_join_doubles (angle.low, angle.high), z = r * r;
  Floats s = simd_multiply_add (simd_fill (SINE_7), z, simd_fill (SINE_5));
  Floats c = simd_multiply_add (simd_fill (COSINE_8), z, simd_fill (COSINE_6));

  s = simd_multiply_add (s, z, simd_fill (SINE_3));
  s = simd_multiply_add (s, r * z, r);
  c = simd_multiply_add (c, z, simd_fill (COSINE_4));
  c = simd_multiply_add (c, z, simd_fill (-0.5f));
  c = simd_multiply_add (c, z, simd_fill (1.f));
  return (Floats) ((Words) simd_choose (-(Ints) (n & 1), c, s) ^ (n & 2) << 30);
}

INLINE Floats
SIMD (vector_sin) (Floats x)
{
  Floats size = SIMD (size_of) (x), y = SIMD (with_sign_of) (SIMD (turned_sine) (size, 0), x);

  return G_UNLIKELY (SIMD (any_far_angle) (size)) ? SIMD (replace_far_angles) (x, y, sinf) : y;
}

INLINE Floats
SIMD (vector_cos) (Floats x)
{
  Floats size = SIMD (size_of) (x), y = SIMD (turned_sine) (size, 1);

  return G_UNLIKELY (SIMD (any_far_angle) (size)) ? SIMD (replace_far_angles) (x, y, cosf) : y;
}

INLINE Doubles
SIMD (tangent_of_rest) (Doubles r)
{
  Doubles z = r * r;
  Doubles s = r + r * z * (SINE_3 + z * (SINE_5 + z * SINE_7));

  return s / (1. + z * (-0.5 + z * (COSINE_4 + z * (COSINE_6 + z * COSINE_8))));
}

/* In doubles, because the quotient has the errors of both.  tan (r + π/2) = −1 / tan r */
INLINE Floats
SIMD (vector_tan) (Floats x)
{
  Floats size = SIMD (size_of) (x);
  SIMD (Angle) angle = SIMD (split_angle) (size);
  Floats y =
      simd_join_doubles (SIMD (tangent_of_rest) (angle.low), SIMD (tangent_of_rest) (angle.high));

  y = SIMD (with_sign_of) (simd_choose (-(Ints) (angle.n & 1), -1.f / y, y), x);
  return G_UNLIKELY (SIMD (any_far_angle) (size)) ? SIMD (replace_far_angles) (x, y, tanf) : y;
}

/* asin |x|, or where |x| is steep asin √((1 − |x|) / 2), which is (π/2 − asin |x|) / 2.  NaN beyond 1. */
INLINE Floats
SIMD (arc_or_half_rest) (Floats size, Ints is_steep)
{
  Floats z =
      simd_choose (is_steep, simd_subtract_product (simd_fill (0.5f), size, simd_fill (0.5f)),
                   size * size);
  Floats s = simd_choose (is_steep, simd_sqrt (z), size);
  Floats p = simd_multiply_add (simd_fill (0x1.851852p-5f), z, simd_fill (0x1.b93516p-8f));

  p = simd_multiply_add (p, z, simd_fill (0x1.16a3fcp-5f));
  p = simd_multiply_add (p, z, simd_fill (0x1.6a58e2p-5f));
  p = simd_multiply_add (p, z, simd_fill (0x1.334936p-4f));
  p = simd_multiply_add (p, z, simd_fill (0x1.555526p-3f));
  return simd_multiply_add (p * z, s, s);
}

INLINE Floats
SIMD (vector_asin) (Floats x)
{
  Floats size = SIMD (size_of) (x);
  Ints   is_steep = size > simd_fill (STEEP);
  Floats a = SIMD (arc_or_half_rest) (size, is_steep);
  Floats rest =
      HALF_PI_HIGH - simd_subtract_product (simd_fill (-2.f), a, simd_fill (-HALF_PI_LOW));

  return SIMD (with_sign_of) (simd_choose (is_steep, rest, a), x);
}

/* π/2 − asin x; 2 a near 1, and π − 2 a near −1. */
INLINE Floats
SIMD (vector_acos) (Floats x)
{
  Floats size = SIMD (size_of) (x);
  Ints   is_steep = size > simd_fill (STEEP), is_negative = x < simd_fill (0.f);
  Floats a = SIMD (arc_or_half_rest) (size, is_steep);
  Floats turns = simd_choose (is_steep, simd_choose (is_negative, simd_fill (2.f), simd_fill (0.f)),
                              simd_fill (1.f));
  Floats part = SIMD (with_sign_of) (simd_choose (is_steep, -2.f * a, a), x);

  return turns * HALF_PI_HIGH - (part - turns * HALF_PI_LOW);
}

/* Beyond 1, π/2 + atan (−1 / x). */
INLINE Floats
SIMD (vector_atan) (Floats x)
{
  Floats size = SIMD (size_of) (x), one = simd_fill (1.f);
  Ints   is_steep = size > one;
  Floats a = simd_choose (is_steep, -one, size) / simd_choose (is_steep, size, one);
  Floats turns = simd_choose (is_steep, one, simd_fill (0.f));
  Floats z = a * a;
  Floats p = simd_multiply_add (simd_fill (-0x1.db1a04p-10f), z, simd_fill (0x1.67c734p-7f));

  p = simd_multiply_add (p, z, simd_fill (-0x1.0015bep-5f));
  p = simd_multiply_add (p, z, simd_fill (0x1.db2244p-5f));
  p = simd_multiply_add (p, z, simd_fill (-0x1.5835dep-4f));
  p = simd_multiply_add (p, z, simd_fill (0x1.c0934ap-4f));
  p = simd_multiply_add (p, z, simd_fill (-0x1.2420aap-3f));
  p = simd_multiply_add (p, z, simd_fill (0x1.9991e4p-3f));
  p = simd_multiply_add (p, z, simd_fill (-0x1.55553ep-2f));
  a = simd_multiply_add (p * z, a, a);
  return SIMD (with_sign_of) (turns * HALF_PI_HIGH + (a + turns * HALF_PI_LOW), x);
}

#undef TWO_BY_PI
#undef HALF_PI_FIRST
#undef HALF_PI_SECOND
#undef HALF_PI_HIGH
#undef HALF_PI_LOW
#undef WHOLE
#undef FAR_ANGLE
#undef STEEP
#undef SINE_3
#undef SINE_5
#undef SINE_7
#undef COSINE_4
#undef COSINE_6
#undef COSINE_8
