/* dtype.c — element types: sizes, names, access to elements, conversion of arrays.
 *
 * hyb_dtype_convert() has vectorisable loops for frequent pairs of types; all others go element by
 * element through a 64-bit integer (between integers) or a double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/tensor/dtype.h"

#include "engine/tensor/half.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  gsize       size;
  gboolean    is_float;
} table[HYB_N_DTYPES] = {
  [HYB_F32] = { "float32", 4, TRUE },   [HYB_F64] = { "float64", 8, TRUE },
  [HYB_F16] = { "float16", 2, TRUE },   [HYB_U8] = { "uint8", 1, FALSE },
  [HYB_I32] = { "int32", 4, FALSE },    [HYB_I8] = { "int8", 1, FALSE },
  [HYB_I64] = { "int64", 8, FALSE },    [HYB_BOOL] = { "bool", 1, FALSE },
  [HYB_I16] = { "int16", 2, FALSE },    [HYB_U16] = { "uint16", 2, FALSE },
  [HYB_U32] = { "uint32", 4, FALSE },   [HYB_U64] = { "uint64", 8, FALSE },
  [HYB_BF16] = { "bfloat16", 2, TRUE },
};

gboolean
hyb_dtype_is_valid_code (gint64 code)
{
  return code >= 0 && code < HYB_N_DTYPES;
}

gsize
hyb_dtype_size (HybDType dtype)
{
  return hyb_dtype_is_valid_code (dtype) ? table[dtype].size : 0;
}

const char *
hyb_dtype_name (HybDType dtype)
{
  return hyb_dtype_is_valid_code (dtype) ? table[dtype].name : "unknown";
}

HybDType
hyb_dtype_from_name (const char *name)
{
  g_return_val_if_fail (name, 0);
  for (int i = 0; i < HYB_N_DTYPES; i++)
    if (strcmp (table[i].name, name) == 0)
      return (HybDType) i;

  return HYB_DTYPE_UNKNOWN;
}

gboolean
hyb_dtype_is_float (HybDType dtype)
{
  return hyb_dtype_is_valid_code (dtype) && table[dtype].is_float;
}

static float
bits_to_float (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static guint32
float_to_bits (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

float
hyb_half_to_float (guint16 half)
{
  guint32 sign = (guint32) (half & 0x8000) << 16;
  guint32 exponent = (half >> 10) & 0x1f;
  guint32 fraction = half & 0x3ff;

  if (exponent == 0x1f)
    return bits_to_float (sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return bits_to_float (sign | (exponent + 112) << 23 | fraction << 13);

  /* Zero or subnormal: fraction × 2^-24. */
  return bits_to_float (float_to_bits ((float) fraction * 0x1p-24f) | sign);
}

/* Rounds to nearest, ties to even, as the processor does. */
guint16
hyb_float_to_half (float value)
{
  guint32 bits = float_to_bits (value);
  guint32 sign = (bits >> 16) & 0x8000;
  guint32 magnitude = bits & 0x7fffffff;
  guint32 rest, half;

  if (magnitude > 0x7f800000)
    return (guint16) (sign | 0x7e00);
  if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
    return (guint16) (sign | 0x7c00);
  if (magnitude < 0x38800000) /* below 2^-14: subnormal, in steps of 2^-24 */
    return (guint16) (sign | (guint32) rintf (bits_to_float (magnitude) * 0x1p24f));

  half = (magnitude - 0x38000000) >> 13;
  rest = magnitude & 0x1fff;
  if (rest > 0x1000 || (rest == 0x1000 && (half & 1)))
    half++;
  return (guint16) (sign | half);
}

/* hyb_half_to_float() of `count` elements. */
static void
widen_halves (float *to, const guint16 *from, gsize count)
{
  for (gsize i = 0, end; i < count;)
    {
      i += hyb_half_widen (to + i, from + i, count - i);
      for (end = MIN (i + HYB_HALF_GROUP, count); i < end; i++)
        to[i] = hyb_half_to_float (from[i]);
    }
}

/* hyb_float_to_half() of `count` elements. */
static void
round_to_halves (guint16 *to, const float *from, gsize count)
{
  for (gsize i = 0, end; i < count;)
    {
      i += hyb_half_round (to + i, from + i, count - i);
      for (end = MIN (i + HYB_HALF_GROUP, count); i < end; i++)
        to[i] = hyb_float_to_half (from[i]);
    }
}

/* Rounds to nearest, ties to even; NaN stays NaN. */
static guint16
float_to_bfloat (float value)
{
  guint32 bits = float_to_bits (value);

  if ((bits & 0x7fffffff) > 0x7f800000)
    return (guint16) (bits >> 16 | 0x40);
  return (guint16) ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/* Truncates toward zero; saturates where C leaves the conversion undefined, and NaN gives 0. */
static gint64
double_to_int (double value)
{
  if (!(value == value))
    return 0;
  if (value >= 9223372036854775808.0)
    return G_MAXINT64;
  if (value <= -9223372036854775808.0)
    return G_MININT64;
  return (gint64) value;
}

static guint64
double_to_unsigned (double value)
{
  if (value >= 9223372036854775808.0)
    return value >= 18446744073709551616.0
               ? G_MAXUINT64
               : (guint64) (value - 9223372036854775808.0) + (1ull << 63);
  return (guint64) double_to_int (value);
}

double
hyb_dtype_get_double (gconstpointer data, HybDType dtype, gsize i)
{
  g_return_val_if_fail (data, 0);
  switch (dtype)
    {
    case HYB_F32:
      return ((const float *) data)[i];
    case HYB_F64:
      return ((const double *) data)[i];
    case HYB_F16:
      return hyb_half_to_float (((const guint16 *) data)[i]);
    case HYB_BF16:
      return bits_to_float ((guint32) ((const guint16 *) data)[i] << 16);
    case HYB_U64:
      return (double) ((const guint64 *) data)[i];
    case HYB_U8:
    case HYB_I32:
    case HYB_I8:
    case HYB_I64:
    case HYB_BOOL:
    case HYB_I16:
    case HYB_U16:
    case HYB_U32:
      return (double) hyb_dtype_get_int (data, dtype, i);
    case HYB_DTYPE_UNKNOWN:
    case HYB_N_DTYPES:
      break;
    }
  g_return_val_if_reached (0);
}

void
hyb_dtype_get_doubles (gconstpointer data, HybDType dtype, gsize first, gsize count, double *to)
{
  const float *floats = data;

  if (dtype == HYB_F32)
    for (gsize i = 0; i < count; i++)
      to[i] = (double) floats[first + i];
  else if (dtype == HYB_F64)
    memcpy (to, (const double *) data + first, count * sizeof *to);
  else
    for (gsize i = 0; i < count; i++)
      to[i] = hyb_dtype_get_double (data, dtype, first + i);
}

gint64
hyb_dtype_get_int (gconstpointer data, HybDType dtype, gsize i)
{
  g_return_val_if_fail (data, 0);
  switch (dtype)
    {
    case HYB_U8:
      return ((const guint8 *) data)[i];
    case HYB_I32:
      return ((const gint32 *) data)[i];
    case HYB_I8:
      return ((const gint8 *) data)[i];
    case HYB_I64:
      return ((const gint64 *) data)[i];
    case HYB_BOOL:
      return ((const guint8 *) data)[i] != 0;
    case HYB_I16:
      return ((const gint16 *) data)[i];
    case HYB_U16:
      return ((const guint16 *) data)[i];
    case HYB_U32:
      return ((const guint32 *) data)[i];
    case HYB_U64:
      return (gint64) ((const guint64 *) data)[i];
    case HYB_F32:
    case HYB_F64:
    case HYB_F16:
    case HYB_BF16:
      return double_to_int (hyb_dtype_get_double (data, dtype, i));
    case HYB_DTYPE_UNKNOWN:
    case HYB_N_DTYPES:
      break;
    }
  g_return_val_if_reached (0);
}

static void
set_int (gpointer data, HybDType dtype, gsize i, gint64 value)
{
  switch (dtype)
    {
    case HYB_U8:
      ((guint8 *) data)[i] = (guint8) value;
      return;
    case HYB_I32:
      ((gint32 *) data)[i] = (gint32) value;
      return;
    case HYB_I8:
      ((gint8 *) data)[i] = (gint8) value;
      return;
    case HYB_I64:
      ((gint64 *) data)[i] = value;
      return;
    case HYB_BOOL:
      ((guint8 *) data)[i] = value != 0;
      return;
    case HYB_I16:
      ((gint16 *) data)[i] = (gint16) value;
      return;
    case HYB_U16:
      ((guint16 *) data)[i] = (guint16) value;
      return;
    case HYB_U32:
      ((guint32 *) data)[i] = (guint32) value;
      return;
    case HYB_U64:
      ((guint64 *) data)[i] = (guint64) value;
      return;
    case HYB_F32:
      ((float *) data)[i] = (float) value;
      return;
    case HYB_F64:
      ((double *) data)[i] = (double) value;
      return;
    case HYB_F16:
      ((guint16 *) data)[i] = hyb_float_to_half ((float) value);
      return;
    case HYB_BF16:
      ((guint16 *) data)[i] = float_to_bfloat ((float) value);
      return;
    case HYB_DTYPE_UNKNOWN:
    case HYB_N_DTYPES:
      break;
    }
  g_return_if_reached ();
}

void
hyb_dtype_set_double (gpointer data, HybDType dtype, gsize i, double value)
{
  g_return_if_fail (data);
  switch (dtype)
    {
    case HYB_F32:
      ((float *) data)[i] = (float) value;
      return;
    case HYB_F64:
      ((double *) data)[i] = value;
      return;
    case HYB_F16:
      ((guint16 *) data)[i] = hyb_float_to_half ((float) value);
      return;
    case HYB_BF16:
      ((guint16 *) data)[i] = float_to_bfloat ((float) value);
      return;
    case HYB_BOOL:
      ((guint8 *) data)[i] = value != 0;
      return;
    case HYB_U64:
      ((guint64 *) data)[i] = double_to_unsigned (value);
      return;
    case HYB_U8:
    case HYB_I32:
    case HYB_I8:
    case HYB_I64:
    case HYB_I16:
    case HYB_U16:
    case HYB_U32:
      set_int (data, dtype, i, double_to_int (value));
      return;
    case HYB_DTYPE_UNKNOWN:
    case HYB_N_DTYPES:
      break;
    }
  g_return_if_reached ();
}

/* The integer types: dtype, C type, the function that converts a double to a type which holds it. */
#define INTEGERS(X)                   \
  X (HYB_U8, guint8, double_to_int)   \
  X (HYB_I8, gint8, double_to_int)    \
  X (HYB_I16, gint16, double_to_int)  \
  X (HYB_U16, guint16, double_to_int) \
  X (HYB_I32, gint32, double_to_int)  \
  X (HYB_U32, guint32, double_to_int) \
  X (HYB_I64, gint64, double_to_int)  \
  X (HYB_U64, guint64, double_to_unsigned)

/* Integers become doubles; FALSE if from_dtype is none of them. */
static gboolean
widen_integers (double *to, gconstpointer from, HybDType from_dtype, gsize count)
{
#define WIDEN(dtype, T, whole)                  \
  if (from_dtype == dtype)                      \
    {                                           \
      for (gsize i = 0; i < count; i++)         \
        to[i] = (double) ((const T *) from)[i]; \
      return TRUE;                              \
    }
  INTEGERS (WIDEN)
#undef WIDEN
  return FALSE;
}

/* The other way round, as hyb_dtype_set_double() does. */
static gboolean
cut_to_integers (gpointer to, HybDType to_dtype, const double *from, gsize count)
{
#define CUT(dtype, T, whole)                 \
  if (to_dtype == dtype)                     \
    {                                        \
      for (gsize i = 0; i < count; i++)      \
        ((T *) to)[i] = (T) whole (from[i]); \
      return TRUE;                           \
    }
  INTEGERS (CUT)
#undef CUT
  return FALSE;
}

static gboolean
has_64_bits (HybDType dtype)
{
  return dtype == HYB_I64 || dtype == HYB_U64;
}

/* Integers become 64-bit ones, or the other way round; FALSE if the types are others. */
static gboolean
convert_integers (gpointer      to,
                  HybDType      to_dtype,
                  gconstpointer from,
                  HybDType      from_dtype,
                  gsize         count)
{
#define WIDEN(dtype, T, whole)                               \
  if (from_dtype == dtype && has_64_bits (to_dtype))         \
    {                                                        \
      for (gsize i = 0; i < count; i++)                      \
        ((gint64 *) to)[i] = (gint64) ((const T *) from)[i]; \
      return TRUE;                                           \
    }
#define NARROW(dtype, T, whole)                         \
  if (to_dtype == dtype && has_64_bits (from_dtype))    \
    {                                                   \
      for (gsize i = 0; i < count; i++)                 \
        ((T *) to)[i] = (T) ((const gint64 *) from)[i]; \
      return TRUE;                                      \
    }
  INTEGERS (WIDEN)
  INTEGERS (NARROW)
#undef WIDEN
#undef NARROW
  return FALSE;
}

#undef INTEGERS

/* Converts between frequent pairs of types in loops that vectorise; returns FALSE for all
 * others. */
static gboolean
convert_common (gpointer      to,
                HybDType      to_dtype,
                gconstpointer from,
                HybDType      from_dtype,
                gsize         count)
{
  if (to_dtype == HYB_F32 && from_dtype == HYB_F64)
    for (gsize i = 0; i < count; i++)
      ((float *) to)[i] = (float) ((const double *) from)[i];
  else if (to_dtype == HYB_F64 && from_dtype == HYB_F32)
    for (gsize i = 0; i < count; i++)
      ((double *) to)[i] = (double) ((const float *) from)[i];
  else if (to_dtype == HYB_F32 && from_dtype == HYB_I32)
    for (gsize i = 0; i < count; i++)
      ((float *) to)[i] = (float) ((const gint32 *) from)[i];
  else if (to_dtype == HYB_F32 && from_dtype == HYB_F16)
    widen_halves (to, from, count);
  else if (to_dtype == HYB_F16 && from_dtype == HYB_F32)
    round_to_halves (to, from, count);
  else if (to_dtype == HYB_F32 && from_dtype == HYB_BF16)
    for (gsize i = 0; i < count; i++)
      ((float *) to)[i] = bits_to_float ((guint32) ((const guint16 *) from)[i] << 16);
  else if (to_dtype == HYB_BF16 && from_dtype == HYB_F32)
    for (gsize i = 0; i < count; i++)
      ((guint16 *) to)[i] = float_to_bfloat (((const float *) from)[i]);
  else if (to_dtype == HYB_F64)
    return widen_integers (to, from, from_dtype, count);
  else if (from_dtype == HYB_F64)
    return cut_to_integers (to, to_dtype, from, count);
  else
    return convert_integers (to, to_dtype, from, from_dtype, count);

  return TRUE;
}

void
hyb_dtype_convert (gpointer      to,
                   HybDType      to_dtype,
                   gconstpointer from,
                   HybDType      from_dtype,
                   gsize         count)
{
  if (to_dtype == from_dtype)
    {
      if (to != from && count > 0)
        memcpy (to, from, count * hyb_dtype_size (to_dtype));
      return;
    }
  if (convert_common (to, to_dtype, from, from_dtype, count))
    return;

  /* A double would lose bits of 64-bit integers. */
  if (!hyb_dtype_is_float (from_dtype) && !hyb_dtype_is_float (to_dtype))
    for (gsize i = 0; i < count; i++)
      set_int (to, to_dtype, i, hyb_dtype_get_int (from, from_dtype, i));
  else
    for (gsize i = 0; i < count; i++)
      hyb_dtype_set_double (to, to_dtype, i, hyb_dtype_get_double (from, from_dtype, i));
}
