/* dtype.h — element types, numbered as in MXNet's files.
 *
 * Sizes and names of element types, access to single elements of any type, and conversion of arrays.
 * Threads: any thread; the functions have no state.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS
/* Element types, with the numbers that MXNet's files have for them. */
typedef enum
{
  HYB_DTYPE_UNKNOWN = -1,
  HYB_F32 = 0,
  HYB_F64 = 1,
  HYB_F16 = 2,
  HYB_U8 = 3,
  HYB_I32 = 4,
  HYB_I8 = 5,
  HYB_I64 = 6,
  HYB_BOOL = 7,
  HYB_I16 = 8,
  HYB_U16 = 9,
  HYB_U32 = 10,
  HYB_U64 = 11,
  HYB_BF16 = 12,
  HYB_N_DTYPES,
} HybDType;

/* Sets of element types as bit masks; operators declare with them the types of their kernels. */
#define HYB_DTYPE_BIT(dtype) (1u << (dtype))
#define HYB_DTYPES_F32       HYB_DTYPE_BIT (HYB_F32) /* float32 alone */
#define HYB_DTYPES_FLOAT     (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64))
#define HYB_DTYPES_ALL       ((1u << HYB_N_DTYPES) - 1) /* every type */

/* The size of an element in bytes; 0 for HYB_DTYPE_UNKNOWN. */
HYB_API gsize hyb_dtype_size (HybDType dtype);
/* The name, such as "float32", or "unknown".  Static. */
HYB_API const char *hyb_dtype_name (HybDType dtype);
/* The type of this name, or HYB_DTYPE_UNKNOWN. */
HYB_API HybDType hyb_dtype_from_name (const char *name);
/* TRUE for floating-point types of any width. */
HYB_API gboolean hyb_dtype_is_float (HybDType dtype);
/* TRUE if code is a HybDType other than unknown. */
HYB_API gboolean hyb_dtype_is_valid_code (gint64 code);

/* Converts `count` elements.  Floats are truncated toward zero to 64 bits, which saturate, and
 * integers keep the low bits of narrower types; NaN becomes 0 in integers; bool is x != 0;
 * floats round to nearest.  The arrays must not overlap, except that they may be the same if
 * both types have the same size. */
HYB_API void hyb_dtype_convert (gpointer      to,
                                HybDType      to_dtype,
                                gconstpointer from,
                                HybDType      from_dtype,
                                gsize         count);

/* Returns one element as a double. */
HYB_API double hyb_dtype_get_double (gconstpointer data, HybDType dtype, gsize index);
/* Writes `count` elements, starting at first, as doubles; faster than one call for each. */
HYB_API void
hyb_dtype_get_doubles (gconstpointer data, HybDType dtype, gsize first, gsize count, double *to);
/* Returns one element as an integer; floats are truncated toward zero and saturate, NaN gives 0. */
HYB_API gint64 hyb_dtype_get_int (gconstpointer data, HybDType dtype, gsize index);
/* Sets one element to a value, converted as by hyb_dtype_convert() from float64. */
HYB_API void hyb_dtype_set_double (gpointer data, HybDType dtype, gsize index, double value);

/* Converts the bits of an IEEE 754 half to float, exactly. */
HYB_API float hyb_half_to_float (guint16 half);
/* Converts to the bits of the nearest half, ties to even; 65520 and more give infinity. */
HYB_API guint16 hyb_float_to_half (float value);

G_END_DECLS
