/* vector-integers.c — conversions between floats, integers and bools; see vector-integers.h.
 *
 * C leaves undefined what an integer cannot hold, so floats are converted in pieces, and a piece with such a number is left
 * to hyb_dtype_convert().  Half floats are converted by way of floats.  Start with hyb_vector_convert().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-integers.h"

#include "engine/kernels/vectorise.h"

/* Converts n elements. */
typedef void (*ConvertFunc) (gint64 n, gconstpointer input, gpointer output);
/* Converts n elements and returns 0 if all of them fit; else their results are not defined. */
typedef gint32 (*NarrowFunc) (gint64 n, gconstpointer input, gpointer output);

#define SIMD_KERNEL "engine/kernels/simd/vector-integers-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define PIECE 512

/* One conversion. */
typedef struct
{
  char       *to;
  const char *from;
  HybDType    to_dtype, from_dtype;
  gsize       to_size, from_size; /* bytes of an element */
} Conversion;

static void
narrow_pieces (const Conversion *conversion, NarrowFunc narrow, gsize n)
{
  for (gsize at = 0; at < n; at += PIECE)
    {
      gsize       count = MIN (n - at, PIECE);
      char       *to = conversion->to + at * conversion->to_size;
      const char *from = conversion->from + at * conversion->from_size;

      if (narrow ((gint64) count, from, to) != 0)
        hyb_dtype_convert (to, conversion->to_dtype, from, conversion->from_dtype, count);
    }
}

static gboolean
is_half (HybDType dtype)
{
  return dtype == HYB_F16 || dtype == HYB_BF16;
}

static void
convert_any (gpointer to, HybDType to_dtype, gconstpointer from, HybDType from_dtype, gsize n)
{
  if (!hyb_vector_convert (to, to_dtype, from, from_dtype, n))
    hyb_dtype_convert (to, to_dtype, from, from_dtype, n);
}

/* Halves are exact as floats, and everything is rounded to a float before it becomes a half. */
static void
convert_halves (const Conversion *conversion, gsize n)
{
  float floats[PIECE];

  for (gsize at = 0; at < n; at += PIECE)
    {
      gsize count = MIN (n - at, PIECE);

      convert_any (floats, HYB_F32, conversion->from + at * conversion->from_size,
                   conversion->from_dtype, count);
      convert_any (conversion->to + at * conversion->to_size, conversion->to_dtype, floats, HYB_F32,
                   count);
    }
}

gboolean
hyb_vector_convert (gpointer      to,
                    HybDType      to_dtype,
                    gconstpointer from,
                    HybDType      from_dtype,
                    gsize         n)
{
  ConvertFunc convert = HYB_SIMD_CHOOSE (conversions)[from_dtype][to_dtype];
  NarrowFunc  narrow = HYB_SIMD_CHOOSE (narrowings)[from_dtype][to_dtype];
  Conversion  conversion = {
     to, from, to_dtype, from_dtype, hyb_dtype_size (to_dtype), hyb_dtype_size (from_dtype)
  };

  if (convert)
    convert ((gint64) n, from, to);
  else if (narrow)
    narrow_pieces (&conversion, narrow, n);
  else if (from_dtype != to_dtype && from_dtype != HYB_F32 && to_dtype != HYB_F32 &&
           (is_half (from_dtype) || is_half (to_dtype)))
    convert_halves (&conversion, n);
  else
    return FALSE;
  return TRUE;
}
