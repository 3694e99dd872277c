/* simd-functions.h — the vector types and functions of one instruction set.
 *
 * each-simd.h documents them and includes this file once for each instruction set, so there is no
 * include guard.  Where an instruction set defines no SIMD_… macro, plain C over the lanes is used.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

typedef float   SIMD (Floats) __attribute__ ((vector_size (LANES * sizeof (float))));
typedef guint32 SIMD (Words) __attribute__ ((vector_size (LANES * sizeof (guint32))));
typedef gint32  SIMD (Ints) __attribute__ ((vector_size (LANES * sizeof (gint32))));

/* A vector of the same size in bytes: half as many doubles as Floats has floats. */
typedef double SIMD (Doubles) __attribute__ ((vector_size (LANES * sizeof (double) / 2)));

#define Doubles               SIMD (Doubles)
#define simd_load_doubles     SIMD (simd_load_doubles)
#define simd_load_f16         SIMD (simd_load_f16)
#define simd_load_bf16        SIMD (simd_load_bf16)
#define simd_load_bytes       SIMD (simd_load_bytes)
#define Floats                SIMD (Floats)
#define Ints                  SIMD (Ints)
#define Words                 SIMD (Words)
#define simd_fill             SIMD (simd_fill)
#define simd_load             SIMD (simd_load)
#define simd_load_register    SIMD (simd_load_register)
#define simd_load_part        SIMD (simd_load_part)
#define simd_store            SIMD (simd_store)
#define simd_store_part       SIMD (simd_store_part)
#define simd_keep_part        SIMD (simd_keep_part)
#define simd_choose           SIMD (simd_choose)
#define simd_multiply_add     SIMD (simd_multiply_add)
#define simd_subtract_product SIMD (simd_subtract_product)
#define simd_min              SIMD (simd_min)
#define simd_max              SIMD (simd_max)
#define simd_sum              SIMD (simd_sum)
#define simd_sum_doubles      SIMD (simd_sum_doubles)
#define simd_lane_max         SIMD (simd_lane_max)
#define simd_scale            SIMD (simd_scale)
#define simd_any              SIMD (simd_any)
#define simd_even_lanes       SIMD (simd_even_lanes)
#define simd_odd_lanes        SIMD (simd_odd_lanes)
#define simd_third_lanes      SIMD (simd_third_lanes)
#define simd_sqrt             SIMD (simd_sqrt)
#define simd_low_doubles      SIMD (simd_low_doubles)
#define simd_high_doubles     SIMD (simd_high_doubles)
#define simd_join_doubles     SIMD (simd_join_doubles)

INLINE Floats
simd_fill (float value)
{
  return value - (Floats){ 0 }; /* x + 0 would not be folded away, because -0 + 0 is +0 */
}

INLINE Floats
simd_load (const float *from)
{
  Floats value;

  memcpy (&value, from, sizeof value);
  return value;
}

/* The compiler would otherwise read the memory again in every multiply-add that uses the vector: with
 * two loads a cycle, loads then take longer than the arithmetic. */
INLINE Floats
simd_load_register (const float *from)
{
  Floats value = simd_load (from);

#ifdef __x86_64__
  __asm__("" : "+v"(value));
#endif
  return value;
}

/* The lanes after the first n are zero. */
INLINE Floats
simd_load_part (const float *from, gint64 n)
{
#ifdef SIMD_LOAD_PART
  return SIMD_LOAD_PART (from, n);
#else
  Floats value = { 0 };

  for (gint64 i = 0; i < n; i++)
    value[i] = from[i];
  return value;
#endif
}

INLINE Doubles
simd_load_doubles (const float *from)
{
#ifdef SIMD_LOAD_DOUBLES
  return SIMD_LOAD_DOUBLES (from);
#else
  Doubles value;

  for (int i = 0; i < LANES / 2; i++)
    value[i] = (double) from[i];
  return value;
#endif
}

INLINE Floats
simd_load_f16 (const guint16 *from)
{
#ifdef SIMD_LOAD_F16
  return SIMD_LOAD_F16 (from);
#else
  Words  bits = { 0 }, magnitude, special;
  Floats value;

  for (int i = 0; i < LANES; i++)
    bits[i] = from[i];
  magnitude = (bits & 0x7fff) << 13;
  value = (Floats) magnitude * 0x1p112f;
  /* Infinity and NaN keep all bits of their exponent. */
  special = (Words) ((Ints) magnitude >= 0x0f800000) & 0x7f800000;
  return (Floats) ((Words) value | special | (bits & 0x8000) << 16);
#endif
}

INLINE Floats
simd_load_bf16 (const guint16 *from)
{
#ifdef SIMD_LOAD_BF16
  return SIMD_LOAD_BF16 (from);
#else
  Words bits = { 0 };

  for (int i = 0; i < LANES; i++)
    bits[i] = from[i];
  return (Floats) (bits << 16);
#endif
}

INLINE Floats
simd_load_bytes (const gint8 *from)
{
#ifdef SIMD_LOAD_BYTES
  return SIMD_LOAD_BYTES (from);
#else
  Floats value = { 0 };

  for (int i = 0; i < LANES; i++)
    value[i] = (float) from[i];
  return value;
#endif
}

INLINE void
simd_store (float *to, Floats value)
{
  memcpy (to, &value, sizeof value);
}

INLINE void
simd_store_part (float *to, gint64 n, Floats value)
{
#ifdef SIMD_STORE_PART
  SIMD_STORE_PART (to, n, value);
#else
  for (gint64 i = 0; i < n; i++)
    to[i] = value[i];
#endif
}

/* The first n lanes of value, then zeros. */
INLINE Floats
simd_keep_part (Floats value, gint64 n)
{
#ifdef SIMD_KEEP_PART
  return SIMD_KEEP_PART (value, n);
#else
  for (gint64 i = n; i < LANES; i++)
    value[i] = 0;
  return value;
#endif
}

/* Selects yes where the mask lane has all bits set and no where it has none. */
INLINE Floats
simd_choose (Ints mask, Floats yes, Floats no)
{
  return (Floats) ((mask & (Ints) yes) | (~mask & (Ints) no));
}

INLINE Floats
simd_multiply_add (Floats a, Floats b, Floats c)
{
  return SIMD_MULTIPLY_ADD (a, b, c);
}

INLINE Floats
simd_subtract_product (Floats a, Floats b, Floats c)
{
  return SIMD_SUBTRACT_PRODUCT (a, b, c);
}

INLINE Floats
simd_min (Floats a, Floats b)
{
  return SIMD_MIN (a, b);
}

INLINE Floats
simd_max (Floats a, Floats b)
{
  return SIMD_MAX (a, b);
}

INLINE Floats
simd_sqrt (Floats a)
{
#ifdef SIMD_SQRT
  return SIMD_SQRT (a);
#else
  for (int i = 0; i < LANES; i++)
    a[i] = sqrtf (a[i]);
  return a;
#endif
}

/* The lower half of the lanes, as doubles. */
INLINE Doubles
simd_low_doubles (Floats a)
{
#ifdef SIMD_LOW_DOUBLES
  return SIMD_LOW_DOUBLES (a);
#else
  Doubles value;

  for (int i = 0; i < LANES / 2; i++)
    value[i] = (double) a[i];
  return value;
#endif
}

/* The upper half of the lanes, as doubles. */
INLINE Doubles
simd_high_doubles (Floats a)
{
#ifdef SIMD_HIGH_DOUBLES
  return SIMD_HIGH_DOUBLES (a);
#else
  Doubles value;

  for (int i = 0; i < LANES / 2; i++)
    value[i] = (double) a[LANES / 2 + i];
  return value;
#endif
}

/* The lanes of both halves, rounded to floats. */
INLINE Floats
simd_join_doubles (Doubles low, Doubles high)
{
#ifdef SIMD_JOIN_DOUBLES
  return SIMD_JOIN_DOUBLES (low, high);
#else
  Floats value;

  for (int i = 0; i < LANES / 2; i++)
    {
      value[i] = (float) low[i];
      value[LANES / 2 + i] = (float) high[i];
    }
  return value;
#endif
}

/* Multiplies by 2ⁿ in two factors, so that results below the normal range are rounded once. */
INLINE Floats
simd_scale (Floats a, Floats n)
{
#ifdef SIMD_SCALE
  return SIMD_SCALE (a, n);
#else
  Ints whole = (Ints) (n + 0x1.8p23f) - (Ints) simd_fill (0x1.8p23f);
  Ints half = whole >> 1;

  return a * (Floats) ((half + 127) << 23) * (Floats) ((whole - half + 127) << 23);
#endif
}

/* a[0], a[2], …, b[0], b[2], … */
INLINE Floats
simd_even_lanes (Floats a, Floats b)
{
#if LANES == 16
  return __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif LANES == 8
  return __builtin_shufflevector (a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#else
  return __builtin_shufflevector (a, b, 0, 2, 4, 6);
#endif
}

/* Lanes 0, 3, … of a, then of b, then of c as if they were one vector. */
INLINE Floats
simd_third_lanes (Floats a, Floats b, Floats c)
{
  /* No two of these lanes have the same place: they are joined first, then put in order. */
#if LANES == 16
  Floats two =
      __builtin_shufflevector (a, b, 0, 17, 18, 3, 20, 21, 6, 23, 24, 9, 26, 27, 12, 29, 30, 15);
  Floats all =
      __builtin_shufflevector (two, c, 0, 17, 2, 3, 20, 5, 6, 23, 8, 9, 26, 11, 12, 29, 14, 15);

  return __builtin_shufflevector (all, all, 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13);
#elif LANES == 8
  Floats two = __builtin_shufflevector (a, b, 0, 9, 10, 3, 12, 13, 6, 15);
  Floats all = __builtin_shufflevector (two, c, 0, 1, 10, 3, 4, 13, 6, 7);

  return __builtin_shufflevector (all, all, 0, 3, 6, 1, 4, 7, 2, 5);
#else
  Floats two = __builtin_shufflevector (a, b, 0, 5, 6, 3);
  Floats all = __builtin_shufflevector (two, c, 0, 5, 2, 3);

  return __builtin_shufflevector (all, all, 0, 3, 2, 1);
#endif
}

/* a[1], a[3], …, b[1], b[3], … */
INLINE Floats
simd_odd_lanes (Floats a, Floats b)
{
#if LANES == 16
  return __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif LANES == 8
  return __builtin_shufflevector (a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  return __builtin_shufflevector (a, b, 1, 3, 5, 7);
#endif
}

/* Whether any lane has its sign bit set, as true comparisons do. */
INLINE gboolean
simd_any (Ints mask)
{
#ifdef SIMD_ANY
  return SIMD_ANY (mask);
#else
  gint32 any = 0;

  for (int i = 0; i < LANES; i++)
    any |= mask[i];
  return any < 0;
#endif
}

/* Adds the upper half of the lanes to the lower half until one lane is left. */
INLINE float
simd_sum (Floats value)
{
#ifdef SIMD_SUM
  return SIMD_SUM (value);
#else
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int i = 0; i < width; i++)
      value[i] += value[i + width];
  return value[0];
#endif
}

INLINE double
simd_sum_doubles (Doubles value)
{
#ifdef SIMD_SUM_DOUBLES
  return SIMD_SUM_DOUBLES (value);
#else
  for (int width = LANES / 4; width > 0; width /= 2)
    for (int i = 0; i < width; i++)
      value[i] += value[i + width];
  return value[0];
#endif
}

/* The largest lane; NaN lanes do not count. */
INLINE float
simd_lane_max (Floats value)
{
#ifdef SIMD_LANE_MAX
  return SIMD_LANE_MAX (value);
#else
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int i = 0; i < width; i++)
      value[i] = value[i] > value[i + width] ? value[i] : value[i + width];
  return value[0];
#endif
}
