/* running-sums.h — running sums of lines: y[k] = x[0] + … + x[k].
 *
 * Of floats, eight are added as floats before they are added to a sum in double; eight that overflow so are added in double one
 * by one.  Integers wrap.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* The element types that can be summed. */
#define HYB_DTYPES_RUNNING_SUMS                                                                   \
  (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | \
   HYB_DTYPE_BIT (HYB_I64))

/* Lines that are summed at once. */
#define HYB_RUNNING_LINES 1024

/* Floats of a line that are added as floats. */
#define HYB_RUNNING_FLOATS 8

/* n_lines lines, at most HYB_RUNNING_LINES, that lie side by side, of `length` elements, `step` elements from one to the next. */
typedef struct
{
  HybDType      dtype;        /* one of HYB_DTYPES_RUNNING_SUMS */
  gboolean      is_exclusive; /* y[k] = x[0] + … + x[k − 1] */
  gint64        length, step, n_lines;
  gconstpointer x;
  gpointer      y; /* x or an array that does not overlap it */
} HybRunningSums;

/* Computes the lines from their first elements on. */
void hyb_running_sums (const HybRunningSums *sums);
