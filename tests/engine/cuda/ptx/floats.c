/* floats.c — conversions of half floats and bfloat16, exact and rounded to nearest even or toward
 * zero, and flushing of subnormal numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>
#include <string.h>

float
ptx_half_to_float (guint16 half)
{
  int    exponent = half >> 10 & 31;
  double mantissa = half & 1023;
  double value = exponent == 31 ? (mantissa > 0 ? (double) NAN : (double) INFINITY)
                 : exponent     ? ldexp (mantissa + 1024, exponent - 25)
                                : ldexp (mantissa, -24);

  return (float) (half & 0x8000 ? -value : value);
}

guint16
ptx_float_to_half (double value, gboolean toward_zero)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  double  x = fabs (value), scaled;
  int     exponent;

  if (isnan (value))
    return 0x7fff;
  if (isinf (value))
    return sign | 0x7c00;
  frexp (x, &exponent); /* x = m 2^exponent, m from 0.5 to 1 */
  exponent = MAX (exponent, -13);
  scaled = ldexp (x, 11 - exponent); /* an ulp is 1 */
  scaled = toward_zero ? trunc (scaled) : rint (scaled);
  if (scaled >= 2048)
    {
      scaled /= 2;
      exponent++;
    }
  if (exponent > 16)
    return sign | (toward_zero ? 0x7bff : 0x7c00);
  if (scaled < 1024)
    return sign | (guint16) scaled;
  return (guint16) (sign | (exponent + 14) << 10 | ((guint) scaled & 1023));
}

float
ptx_bfloat_to_float (guint16 bfloat)
{
  guint32 bits = (guint32) bfloat << 16;
  float   value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

guint16
ptx_float_to_bfloat (float value, gboolean toward_zero)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  if (isnan (value))
    return 0x7fff;
  if (!toward_zero)
    bits += 0x7fff + (bits >> 16 & 1);
  return (guint16) (bits >> 16);
}

float
ptx_flush (float value)
{
  return fabsf (value) < 0x1p-126f ? copysignf (0.f, value) : value;
}
