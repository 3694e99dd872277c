/* dtype.h — element types, with the codes that MXNet's files use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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

/* Sets of element types, as an operator declares which ones its kernel computes in. */
#define HYB_DTYPE_BIT(dtype) (1u << (dtype))
#define HYB_DTYPES_F32       HYB_DTYPE_BIT (HYB_F32)
#define HYB_DTYPES_FLOAT     (HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_F64))
#define HYB_DTYPES_ALL       ((1u << HYB_N_DTYPES) - 1)

gsize       hyb_dtype_size (HybDType dtype);        /* 0 for unknown */
const char *hyb_dtype_name (HybDType dtype);        /* "float32"; "unknown" */
HybDType    hyb_dtype_from_name (const char *name); /* HYB_DTYPE_UNKNOWN when it is none */
gboolean    hyb_dtype_is_float (HybDType dtype);
gboolean    hyb_dtype_is_valid_code (gint64 code);

/* Element-wise conversion.  Float to integer truncates toward zero and wraps
 * like C's conversion through gint64; NaN becomes 0; anything to bool is x != 0.
 * The two memories must not overlap unless they are the same and sizes agree. */
void hyb_dtype_convert (gpointer      to,
                        HybDType      to_dtype,
                        gconstpointer from,
                        HybDType      from_dtype,
                        gsize         count);

/* One element as a double or an integer (floats truncate), for indices and scalars. */
double hyb_dtype_get_double (gconstpointer data, HybDType dtype, gsize index);
/* count elements from first on; faster than one by one. */
void
hyb_dtype_get_doubles (gconstpointer data, HybDType dtype, gsize first, gsize count, double *to);
gint64 hyb_dtype_get_int (gconstpointer data, HybDType dtype, gsize index);
void   hyb_dtype_set_double (gpointer data, HybDType dtype, gsize index, double value);

float   hyb_half_to_float (guint16 half);
guint16 hyb_float_to_half (float value);

G_END_DECLS
