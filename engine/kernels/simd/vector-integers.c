/* vector-integers.c — conversions between floats and integers; see vector-integers.h.
 *
 * Floats are converted in pieces.  C leaves undefined what an integer cannot hold, so a piece with such a
 * number is left to hyb_dtype_convert().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-integers.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/simd/vector-integers-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define PIECE 512

static gboolean
all_within (gint64 n, const float *x, float limit)
{
  gint32 outside = 0;

  for (gint64 i = 0; i < n; i++)
    outside |= !(fabsf (x[i]) < limit);
  return outside == 0;
}

static void
convert_to_i64 (gint64 n, const float *x, gint64 *y)
{
  if (all_within (n, x, 0x1p63f))
    HYB_SIMD_CHOOSE (map_f32_to_i64) (n, x, y);
  else
    hyb_dtype_convert (y, HYB_I64, x, HYB_F32, (gsize) n);
}

static void
convert_to_i32 (gint64 n, const float *x, gint32 *y)
{
  if (all_within (n, x, 0x1p31f))
    HYB_SIMD_CHOOSE (map_f32_to_i32) (n, x, y);
  else
    hyb_dtype_convert (y, HYB_I32, x, HYB_F32, (gsize) n);
}

/* Narrower integers are the low bits of wider ones. */
static void
convert_to_byte (gint64 n, const float *x, guint8 *y, HybDType dtype)
{
  gint32 whole[PIECE];

  if (!all_within (n, x, 0x1p31f))
    {
      hyb_dtype_convert (y, dtype, x, HYB_F32, (gsize) n);
      return;
    }
  HYB_SIMD_CHOOSE (map_f32_to_i32) (n, x, whole);
  for (gint64 i = 0; i < n; i++)
    y[i] = (guint8) whole[i];
}

static gboolean
convert_from_floats (gpointer to, HybDType dtype, const float *x, gsize n)
{
  for (gsize at = 0; at < n; at += PIECE)
    {
      gint64 count = (gint64) MIN (n - at, PIECE);

      if (dtype == HYB_I64)
        convert_to_i64 (count, x + at, (gint64 *) to + at);
      else if (dtype == HYB_I32)
        convert_to_i32 (count, x + at, (gint32 *) to + at);
      else if (dtype == HYB_U8 || dtype == HYB_I8)
        convert_to_byte (count, x + at, (guint8 *) to + at, dtype);
      else if (dtype == HYB_BOOL)
        for (gint64 i = 0; i < count; i++)
          ((guint8 *) to)[at + (gsize) i] = x[at + (gsize) i] != 0;
      else
        return FALSE;
    }
  return TRUE;
}

/* A bool is 0 or 1. */
static gboolean
convert_to_floats (float *y, gconstpointer from, HybDType dtype, gint64 n)
{
  if (dtype == HYB_I64)
    HYB_SIMD_CHOOSE (map_i64_to_f32) (n, from, y);
  else if (dtype == HYB_U8 || dtype == HYB_BOOL)
    HYB_SIMD_CHOOSE (map_u8_to_f32) (n, from, y);
  else if (dtype == HYB_I8)
    HYB_SIMD_CHOOSE (map_i8_to_f32) (n, from, y);
  else
    return FALSE;
  return TRUE;
}

gboolean
hyb_vector_convert (gpointer      to,
                    HybDType      to_dtype,
                    gconstpointer from,
                    HybDType      from_dtype,
                    gsize         n)
{
  if (from_dtype == HYB_F32)
    return convert_from_floats (to, to_dtype, from, n);
  return to_dtype == HYB_F32 && convert_to_floats (to, from, from_dtype, (gint64) n);
}
