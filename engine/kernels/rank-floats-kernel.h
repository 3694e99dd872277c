/* rank-floats-kernel.h — the loops of rank-floats.c for one instruction set, which the compiler vectorises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A key orders as its float, then as its position: the bits of a float, read as an integer, order as it does, but for
 * negative ones, whose other bits are flipped.  Both zeros have the bits of 0; NaN has the highest. */
INLINE gint64
SIMD (key_of) (float x, gint32 flip, gint64 position)
{
  float  value = x + 0.f;
  gint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = (bits ^ (bits >> 31 & G_MAXINT32)) ^ flip;
  bits = value == value ? bits : G_MAXINT32;
  return (gint64) ((guint64) bits << 32 | (guint64) position);
}

/* Keys of n floats from position `first` on. */
static TARGET void
SIMD (keys) (const HybFloatLine *line, gint64 first, gint64 n, gint64 *key)
{
  gint32       flip = line->is_ascend ? 0 : -1;
  const float *x = line->x + first * line->step;

  if (line->step == 1)
    for (gint64 i = 0; i < n; i++)
      key[i] = SIMD (key_of) (x[i], flip, first + i);
  else
    for (gint64 i = 0; i < n; i++)
      key[i] = SIMD (key_of) (x[i * line->step], flip, first + i);
}

/* Whether any of n floats comes before the limit, a number. */
static TARGET gboolean
SIMD (any_precedes) (gint64 n, const float *x, float limit, gboolean is_ascend)
{
  gint32 count = 0;

  if (is_ascend)
    for (gint64 i = 0; i < n; i++)
      count += x[i] < limit;
  else
    for (gint64 i = 0; i < n; i++)
      count += x[i] > limit;
  return count > 0;
}

/* Puts each of n keys at the place that the number of smaller ones gives. */
static TARGET void
SIMD (place_keys) (gint64 n, const gint64 *key, gint64 *to)
{
  for (gint64 i = 0; i < n; i++)
    {
      gint64 own = key[i], place = 0;

      for (gint64 j = 0; j < n; j++)
        place += key[j] < own;
      to[place] = own;
    }
}
