/* table-copy.c — copies elements by one table of places for each axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/numpy/table-copy.h"
#include "engine/base/parallel.h"
#include "engine/op/dimensions.h"

#include <string.h>

gsize
hyb_table_copy_bytes (const HybShape *out)
{
  gsize bytes = 0;

  for (int i = 0; i < out->rank && hyb_shape_size (out) > 0; i++)
    bytes += (gsize) out->dim[i] * sizeof (gint64);
  return bytes;
}

/* Where row number `row` (all axes but the last) begins in the data; -1 if it is constant. */
static gint64
row_start (const HybTableCopy *copy, gint64 row)
{
  gint64 start = 0;

  for (int i = copy->out.rank - 2; i >= 0; i--)
    {
      gint64 at = copy->table[i][row % copy->out.dim[i]];

      if (at < 0)
        return -1;
      start += at;
      row /= copy->out.dim[i];
    }
  return start;
}

static void
copy_rows (gint64 begin, gint64 end, gpointer data)
{
  const HybTableCopy *copy = data;
  gint64              length = copy->out.rank > 0 ? copy->out.dim[copy->out.rank - 1] : 1;
  char               *to = (char *) copy->to + (gsize) (begin * length) * copy->item;

  for (gint64 row = begin; row < end; row++)
    {
      gint64 start = row_start (copy, row);

      for (gint64 i = 0; i < length; i++, to += copy->item)
        {
          gint64 at = copy->out.rank > 0 ? copy->table[copy->out.rank - 1][i] : 0;

          if (start < 0 || at < 0)
            memcpy (to, copy->constant, copy->item);
          else
            memcpy (to, (const char *) copy->from + (gsize) (start + at) * copy->item, copy->item);
        }
    }
}

/* The number of rows; 0 if there are no elements and hence no tables. */
static gint64
n_rows (const HybTableCopy *copy)
{
  if (hyb_shape_size (&copy->out) == 0)
    return 0;
  return copy->out.rank > 0 ? hyb_shape_count (&copy->out, 0, copy->out.rank - 1) : 1;
}

void
hyb_table_copy_fill (HybTableCopy *copy, gpointer room, gconstpointer params, HybTableIndex index)
{
  gint64  stride[HYB_MAX_RANK];
  gint64 *at = room;

  hyb_dims_strides (&copy->in, stride);
  for (int axis = 0; axis < copy->out.rank && hyb_shape_size (&copy->out) > 0; axis++)
    {
      copy->table[axis] = at;
      for (gint64 i = 0; i < copy->out.dim[axis]; i++)
        {
          gint64 place = index (params, &copy->in, axis, i);

          *at++ = place < 0 ? -1 : place * stride[axis];
        }
    }
}

void
hyb_table_copy_add_back (const HybTableCopy *copy, gconstpointer gradient, gpointer to)
{
  gint64 length = copy->out.rank > 0 ? copy->out.dim[copy->out.rank - 1] : 1, n = n_rows (copy);
  gsize  own = 0;

  for (gint64 row = 0; row < n; row++)
    {
      gint64 start = row_start (copy, row);

      for (gint64 i = 0; i < length; i++, own++)
        {
          gint64 at = copy->out.rank > 0 ? copy->table[copy->out.rank - 1][i] : 0;

          if (start < 0 || at < 0)
            continue;
          if (copy->dtype == HYB_F64)
            ((double *) to)[start + at] += ((const double *) gradient)[own];
          else
            ((float *) to)[start + at] += ((const float *) gradient)[own];
        }
    }
}

void
hyb_table_copy_run (HybTableCopy *copy, gconstpointer from, gpointer to)
{
  copy->from = from;
  copy->to = to;
  hyb_parallel_for (n_rows (copy), 64, copy_rows, copy);
}
