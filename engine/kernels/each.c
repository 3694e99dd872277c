/* each.c — merges the axes of broadcast tensors and iterates over their rows.
 *
 * hyb_each_init() computes the strides and merges axes; walk_rows() then counts through the outer
 * axes like an odometer and keeps one offset for each operand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/each.h"

#include "engine/base/parallel.h"

/* Computes the strides of one contiguous operand for each axis of out, in elements; 0 where the
 * operand is broadcast. */
static void
find_strides (const HybShape *shape, const HybShape *out, gint64 *stride)
{
  gint64 step = 1;

  for (int axis = out->rank - 1; axis >= 0; axis--)
    {
      int operand_axis = axis - (out->rank - shape->rank);

      if (operand_axis < 0)
        {
          stride[axis] = 0;
          continue;
        }
      stride[axis] = shape->dim[operand_axis] == 1 ? 0 : step;
      step *= shape->dim[operand_axis];
    }
}

/* Whether, for every operand, a step of axis `outer` is as long as all steps of axis `inner`
 * together. */
static gboolean
can_merge (const HybEach *each, int outer, gint64 stride[][HYB_MAX_RANK], int inner)
{
  for (guint k = 0; k < each->n; k++)
    if (each->stride[k][outer] != stride[k][inner] * each->dim[outer + 1])
      return FALSE;
  return TRUE;
}

/* Appends an axis inside the innermost one so far, merging the two if possible. */
static void
append_axis (HybEach *each, gint64 dim, gint64 stride[][HYB_MAX_RANK], int axis)
{
  int last = each->rank - 1;

  each->dim[each->rank] = dim; /* read by can_merge() */
  if (each->rank > 0 && can_merge (each, last, stride, axis))
    each->dim[last] *= dim;
  else
    last = each->rank++;
  for (guint k = 0; k < each->n; k++)
    each->stride[k][last] = stride[k][axis];
}

void
hyb_each_init (HybEach *each, const HybShape *out, guint n, const HybShape *const *shapes)
{
  gint64 stride[HYB_EACH_MAX][HYB_MAX_RANK];

  g_return_if_fail (n <= HYB_EACH_MAX);
  each->rank = 0;
  each->n = n;
  each->n_rows = 1;
  for (guint k = 0; k < n; k++)
    find_strides (shapes[k], out, stride[k]);
  for (int axis = 0; axis < out->rank; axis++)
    if (out->dim[axis] != 1)
      append_axis (each, out->dim[axis], stride, axis);
  if (each->rank == 0)
    {
      each->rank = 1;
      each->dim[0] = 1;
      for (guint k = 0; k < n; k++)
        each->stride[k][0] = 1;
    }
  for (int axis = 0; axis < each->rank - 1; axis++)
    each->n_rows *= each->dim[axis];
}

typedef struct
{
  const HybEach *each;
  HybEachRow     row;
  gpointer       data;
  gint64         grain;
  gint64         offset[HYB_EACH_MAX]; /* first elements of the row that is split */
} Walk;

static void
walk_rows (gint64 begin, gint64 end, gpointer data)
{
  const Walk    *walk = data;
  const HybEach *each = walk->each;
  int            last = each->rank - 1;
  gint64         at[HYB_MAX_RANK] = { 0 };
  gint64         offset[HYB_EACH_MAX] = { 0 };
  gint64         inner[HYB_EACH_MAX];
  gint64         rest = begin;

  /* 1. Decode the number of the first row into an index per outer axis, and its offsets. */
  for (guint k = 0; k < each->n; k++)
    inner[k] = each->stride[k][last];
  for (int axis = last - 1; axis >= 0; axis--)
    {
      at[axis] = rest % each->dim[axis];
      rest /= each->dim[axis];
      for (guint k = 0; k < each->n; k++)
        offset[k] += at[axis] * each->stride[k][axis];
    }

  for (gint64 number = begin; number < end; number++)
    {
      walk->row (offset, inner, each->dim[last], walk->data);
      for (int axis = last - 1; axis >= 0; axis--)
        {
          /* 2. Advance the index like a counter: an axis at its end returns to 0, a step of 1 −
           * dim, and carries into the next outer axis. */
          gboolean wraps = ++at[axis] == each->dim[axis];

          for (guint k = 0; k < each->n; k++)
            offset[k] += each->stride[k][axis] * (wraps ? 1 - each->dim[axis] : 1);
          if (!wraps)
            break;
          at[axis] = 0;
        }
    }
}

static void
walk_piece (gint64 begin, gint64 end, gpointer data)
{
  const Walk    *walk = data;
  const HybEach *each = walk->each;
  int            last = each->rank - 1;
  gint64         offset[HYB_EACH_MAX];
  gint64         inner[HYB_EACH_MAX];

  for (guint k = 0; k < each->n; k++)
    {
      inner[k] = each->stride[k][last];
      offset[k] = walk->offset[k] + begin * inner[k];
    }
  walk->row (offset, inner, end - begin, walk->data);
}

/* A row callback that splits one long row over threads. */
static void
split_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  Walk walk = *(const Walk *) data;

  for (guint k = 0; k < walk.each->n; k++)
    walk.offset[k] = offset[k];
  hyb_parallel_for (length, walk.grain, walk_piece, &walk);
}

static gboolean
is_empty (const HybEach *each)
{
  return each->n_rows == 0 || each->dim[each->rank - 1] == 0;
}

void
hyb_each_rows (const HybEach *each, HybEachRow row, gpointer data)
{
  Walk walk = { .each = each, .row = row, .data = data };

  if (!is_empty (each))
    walk_rows (0, each->n_rows, &walk);
}

void
hyb_each_rows_parallel (const HybEach *each, gint64 grain, HybEachRow row, gpointer data)
{
  Walk   walk = { .each = each, .row = row, .data = data, .grain = grain };
  gint64 length = each->dim[each->rank - 1];

  if (is_empty (each))
    return;
  if (each->n_rows * length <= grain)
    walk_rows (0, each->n_rows, &walk);
  else if (each->n_rows >= 2 * (gint64) hyb_parallel_get_threads ())
    hyb_parallel_for (each->n_rows, MAX (1, grain / length), walk_rows, &walk);
  else
    hyb_each_rows (each, split_row, &walk);
}
