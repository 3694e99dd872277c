/* places.h — the places of the largest or smallest elements of lines.
 *
 * Of equal elements the first counts, and the first NaN before every number.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* Lines that hyb_find_places() searches at once, at most. */
#define HYB_PLACES 64
/* The element types that it can search. */
#define HYB_DTYPES_PLACES (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64))

/* Lines of `length` > 0 elements.  With step 1 they lie one behind the other; otherwise side by side, `step` elements from
 * one element to the next. */
typedef struct
{
  HybDType      dtype; /* one of HYB_DTYPES_PLACES */
  gboolean      is_smallest;
  gint64        length, step;
  gint64        n_lines; /* up to HYB_PLACES */
  gconstpointer x;
} HybPlaceSearch;

/* Writes the place in its line of the extreme element of each line. */
void hyb_find_places (const HybPlaceSearch *search, gint64 *places);
