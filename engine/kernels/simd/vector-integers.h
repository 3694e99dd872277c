/* vector-integers.h — conversions between floats and integers, vectorised.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* Converts n elements as hyb_dtype_convert() does, or returns FALSE if it has no loop for these types.
 * 64-bit integers are rounded once.  The arrays do not overlap. */
gboolean hyb_vector_convert (gpointer      to,
                             HybDType      to_dtype,
                             gconstpointer from,
                             HybDType      from_dtype,
                             gsize         n);
