/* places.c — finds the places of extreme elements by vector instructions.
 *
 * Lines side by side are searched together.  Short rows are first laid side by side, because a row alone does not fill
 * vectors; of a long one the extreme element is found, then its place.  Start with hyb_find_places().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/places.h"

#include "engine/kernels/simd/transpose.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/reduction/places-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Elements of a row that is laid beside others. */
#define SHORT_ROW 64

/* The place in line number i of elements of 4 bytes, of which there are more than places of 4 bytes can count. */
static gint64
find_in_long_line (const HybPlaceSearch *search, gint64 i)
{
  double extreme = hyb_dtype_get_double (search->x, search->dtype, (gsize) i);
  gint64 best = 0;

  for (gint64 k = 1; k < search->length && extreme == extreme; k++)
    {
      double value =
          hyb_dtype_get_double (search->x, search->dtype, (gsize) (i + k * search->step));

      if (value != value || (search->is_smallest ? value < extreme : value > extreme))
        {
          extreme = value;
          best = k;
        }
    }
  return best;
}

static void
find_in_columns (const HybPlaceSearch *search, gint64 *places)
{
  if (hyb_dtype_size (search->dtype) == sizeof (gint32) && search->length > G_MAXINT32)
    for (gint64 i = 0; i < search->n_lines; i++)
      places[i] = find_in_long_line (search, i);
  else if (search->dtype == HYB_F32)
    HYB_SIMD_CHOOSE (columns_f32) (search, search->x, places);
  else if (search->dtype == HYB_F64)
    HYB_SIMD_CHOOSE (columns_f64) (search, search->x, places);
  else if (search->dtype == HYB_I32)
    HYB_SIMD_CHOOSE (columns_i32) (search, search->x, places);
  else
    HYB_SIMD_CHOOSE (columns_i64) (search, search->x, places);
}

/* The place in row number i. */
static gint64
find_in_row (const HybPlaceSearch *search, gint64 i)
{
  gsize         size = hyb_dtype_size (search->dtype);
  gconstpointer x = (const char *) search->x + (gsize) (i * search->length) * size;

  return search->dtype == HYB_F32   ? HYB_SIMD_CHOOSE (row_f32) (search, x)
         : search->dtype == HYB_F64 ? HYB_SIMD_CHOOSE (row_f64) (search, x)
         : search->dtype == HYB_I32 ? HYB_SIMD_CHOOSE (row_i32) (search, x)
                                    : HYB_SIMD_CHOOSE (row_i64) (search, x);
}

static void
find_in_short_rows (const HybPlaceSearch *search, gint64 *places)
{
  guint64        columns[SHORT_ROW * HYB_PLACES];
  gint64         n = search->n_lines, length = search->length;
  const guint64 *x = search->x;
  HybPlaceSearch side_by_side = *search;
  HybTranspose   shape = { .height = length, .width = n, .x_stride = length, .y_stride = n };

  if (hyb_dtype_size (search->dtype) == sizeof (guint32))
    hyb_transpose_32 (&shape, x, columns);
  else
    for (gint64 i = 0; i < n; i++)
      for (gint64 k = 0; k < length; k++)
        columns[k * n + i] = x[i * length + k];
  side_by_side.x = columns;
  side_by_side.step = n;
  find_in_columns (&side_by_side, places);
}

void
hyb_find_places (const HybPlaceSearch *search, gint64 *places)
{
  if (search->step > 1)
    find_in_columns (search, places);
  else if (search->length <= SHORT_ROW && search->n_lines > 1)
    find_in_short_rows (search, places);
  else
    for (gint64 i = 0; i < search->n_lines; i++)
      places[i] = find_in_row (search, i);
}
