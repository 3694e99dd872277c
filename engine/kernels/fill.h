/* fill.h — fills an array of any element type with one value: to[i] = value.
 *
 * Large arrays are filled by several threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

/* Writes value, converted to dtype as hyb_dtype_set_double() does, to `count` elements. */
void hyb_fill (gpointer to, HybDType dtype, double value, gsize count);
/* Fills a matrix with zeros, and its k-th diagonal with ones; k below 0: a lower one. */
void hyb_fill_diagonal (gpointer to, const HybType *type, gint64 k);
