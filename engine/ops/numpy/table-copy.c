/* table-copy.c — copies elements by one table of places for each axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/numpy/table-copy.h"
#include "engine/base/parallel.h"
#include "engine/op/dimensions.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

gsize
hyb_table_copy_bytes (const HybShape *out)
{
  gsize bytes = 0;

  for (int i = 0; i < out->rank && hyb_shape_size (out) > 0; i++)
    bytes += (gsize) out->dim[i] * sizeof (gint64);
  return bytes;
}

/* Elements by size only. */
typedef guint32 __attribute__ ((may_alias)) Bits32;

/* Sets index to that of row number `row` along all axes but the last. */
static void
find_row (const HybTableCopy *copy, gint64 row, gint64 *index)
{
  for (int i = copy->out.rank - 2; i >= 0; i--)
    {
      index[i] = row % copy->out.dim[i];
      row /= copy->out.dim[i];
    }
}

static void
next_row (const HybTableCopy *copy, gint64 *index)
{
  for (int i = copy->out.rank - 2; i >= 0 && ++index[i] == copy->out.dim[i]; i--)
    index[i] = 0;
}

/* Where the row with this index begins in the data; -1 if it is constant. */
static gint64
row_start (const HybTableCopy *copy, const gint64 *index)
{
  gint64 start = 0;

  for (int i = 0; i < copy->out.rank - 1; i++)
    {
      gint64 at = copy->table[i][index[i]];

      if (at < 0)
        return -1;
      start += at;
    }
  return start;
}

/* Copies elements [begin, end) of a row that is not constant as a whole, one at a time; to: of the whole row. */
static void
copy_elements (const HybTableCopy *copy, gint64 start, gint64 begin, gint64 end, char *to)
{
  const gint64 *table = copy->table[copy->out.rank - 1];
  const char   *from = (const char *) copy->from + (gsize) start * copy->item;
  gsize         item = copy->item;
  guint32       constant;

  if (item == sizeof constant)
    {
      memcpy (&constant, copy->constant, sizeof constant);
      for (gint64 i = begin; i < end; i++)
        ((Bits32 *) (gpointer) to)[i] =
            table[i] < 0 ? constant : ((const Bits32 *) (gconstpointer) from)[table[i]];
      return;
    }
  for (gint64 i = begin; i < end; i++)
    memcpy (to + (gsize) i * item,
            table[i] < 0 ? (const char *) copy->constant : from + (gsize) table[i] * item, item);
}

static void
fill_row (const HybTableCopy *copy, gint64 length, char *to)
{
  guint32 constant;

  if (copy->item == sizeof constant)
    {
      memcpy (&constant, copy->constant, sizeof constant);
      for (gint64 i = 0; i < length; i++)
        ((Bits32 *) (gpointer) to)[i] = constant;
      return;
    }
  for (gint64 i = 0; i < length; i++, to += copy->item)
    memcpy (to, copy->constant, copy->item);
}

/* Copies one row: the elements that follow each other in the data at once. */
static void
copy_row (const HybTableCopy *copy, gint64 start, gint64 length, char *to)
{
  gint64 begin = copy->run_begin, end = copy->run_end;

  copy_elements (copy, start, 0, begin, to);
  memcpy (to + (gsize) begin * copy->item,
          (const char *) copy->from +
              (gsize) (start + copy->table[copy->out.rank - 1][begin]) * copy->item,
          (gsize) (end - begin) * copy->item);
  copy_elements (copy, start, end, length, to);
}

static void
copy_rows (gint64 begin, gint64 end, gpointer data)
{
  const HybTableCopy *copy = data;
  gint64              length, index[HYB_MAX_RANK] = { 0 };
  char               *to = copy->to;

  if (copy->out.rank == 0)
    {
      memcpy (to, copy->from, copy->item);
      return;
    }
  length = copy->out.dim[copy->out.rank - 1];
  to += (gsize) (begin * length) * copy->item;
  find_row (copy, begin, index);
  for (gint64 row = begin; row < end; row++, to += (gsize) length * copy->item)
    {
      gint64 start = row_start (copy, index);

      if (start < 0)
        fill_row (copy, length, to);
      else if (copy->run_end > copy->run_begin)
        copy_row (copy, start, length, to);
      else
        copy_elements (copy, start, 0, length, to);
      next_row (copy, index);
    }
}

/* Finds the longest run of elements along the last axis that follow each other in the data. */
static void
find_run (HybTableCopy *copy)
{
  const gint64 *table = copy->out.rank > 0 ? copy->table[copy->out.rank - 1] : NULL;
  gint64        length = table ? copy->out.dim[copy->out.rank - 1] : 0;

  copy->run_begin = copy->run_end = 0;
  for (gint64 begin = 0, end; begin < length; begin = end)
    {
      for (end = begin + 1; end < length && table[begin] >= 0 && table[end] == table[end - 1] + 1;)
        end++;
      if (table[begin] >= 0 && end - begin > copy->run_end - copy->run_begin)
        {
          copy->run_begin = begin;
          copy->run_end = end;
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
  gint64 index[HYB_MAX_RANK] = { 0 };
  gsize  own = 0;

  for (gint64 row = 0; row < n; row++, next_row (copy, index))
    {
      gint64 start = row_start (copy, index);

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
  if (n_rows (copy) == 0)
    return;
  find_run (copy);
  hyb_parallel_for (n_rows (copy), 64, copy_rows, copy);
}
