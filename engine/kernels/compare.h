/* compare.h — comparisons of two rows by vector instructions: y[i] = a[i] < b[i] and so on, as bool.
 *
 * Nothing but “not equal” holds for NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/binary-function.h"
#include "engine/tensor/dtype.h"

/* Sets y[i], a byte each, for i < n.  A stride is 1 or, for one element that all share, 0. */
typedef void (
    *HybCompareLoop) (gconstpointer a, gint64 sa, gconstpointer b, gint64 sb, guint8 *y, gint64 n);

/* The loop for HYB_BINARY_EQUAL … HYB_BINARY_LESSER_EQUAL and an element type of HYB_DTYPES_ELEMENTWISE (binary.h). */
HybCompareLoop hyb_compare_loop (HybBinary function, HybDType dtype);
