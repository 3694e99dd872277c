/* division.h — quotients and remainders of two integers of any type, for the loops of binary.c and binary-vector.c.
 *
 * A divisor of 0 gives 0, and −1 wraps.  Remainders have the sign of the divisor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

static inline gint64
divide_integers (gint64 a, gint64 b)
{
  /* Dividing G_MININT64 by -1 would trap. */
  return b == 0 ? 0 : b == -1 ? (gint64) (0 - (guint64) a) : a / b;
}

static inline gint64
modulo_integers (gint64 a, gint64 b)
{
  gint64 rest;

  if (b == 0 || b == -1)
    return 0;
  rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Quotients of narrow integers.  A real type that represents all of them cuts a / b exactly: a fraction is at
 * least 1 / b away from the next integer, more than rounding moves it.  Vectors have such a division, but none of integers.
 * Divisors whose quotient C leaves undefined are replaced: by masks, because the compiler makes no vectors of a division
 * in a branch. */
static inline gint32
divide_words (gint32 a, gint32 b)
{
  gint32 is_zero = -(b == 0), is_minus_one = -(b == -1), is_special = is_zero | is_minus_one;
  gint32 divisor = (b & ~is_special) | (is_special & 1);
  gint32 quotient = (gint32) ((double) a / (double) divisor);

  return (quotient & ~is_special) | ((gint32) (0 - (guint32) a) & is_minus_one);
}

static inline gint32
divide_bytes (gint32 a, gint32 b)
{
  gint32 quotient = (gint32) ((float) a / (float) (b == 0 ? 1 : b));

  return b == 0 ? 0 : quotient;
}

static inline gint32
modulo_words (gint32 a, gint32 b)
{
  gint32 is_special = -(b == 0) | -(b == -1), divisor = (b & ~is_special) | (is_special & 1);
  gint32 rest = a - (gint32) ((double) a / (double) divisor) * divisor;

  return rest + (divisor & -((rest != 0) & ((rest ^ divisor) < 0)));
}

static inline gint32
modulo_bytes (gint32 a, gint32 b)
{
  gint32 divisor = b == 0 ? 1 : b;
  gint32 rest = a - (gint32) ((float) a / (float) divisor) * divisor;

  return rest + (rest != 0 && (rest ^ divisor) < 0 ? divisor : 0);
}

static inline guint64
divide_unsigned (guint64 a, guint64 b)
{
  return b == 0 ? 0 : a / b;
}

static inline guint64
modulo_unsigned (guint64 a, guint64 b)
{
  return b == 0 ? 0 : a % b;
}

static inline guint32
divide_unsigned_words (guint32 a, guint32 b)
{
  return b == 0 ? 0 : a / b;
}

static inline guint32
modulo_unsigned_words (guint32 a, guint32 b)
{
  return b == 0 ? 0 : a % b;
}
