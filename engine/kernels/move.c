/* move.c — copying elements between two strided places.
 *
 * Axes that lie alike in both places are merged first, so that a slice of rows
 * is one long copy.  Then one of three inner loops: runs of memory, tiles of a
 * transpose (both sides stay in the cache), or single elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/move.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/transpose.h"

#include <string.h>

/* Elements of a side of a transposed tile, so that it stays in the fastest cache. */
#define SMALL_SIDE  64 /* up to 4 bytes */
#define WIDE_SIDE   32
#define GRAIN_BYTES (256 << 10) /* less is not worth waking a thread for */

/* Elements as bytes: of any type, and after widening not always aligned. */
typedef guint8 __attribute__ ((may_alias)) Bits8;
typedef guint16 __attribute__ ((may_alias, aligned (1))) Bits16;
typedef guint32 __attribute__ ((may_alias, aligned (1))) Bits32;
typedef guint64 __attribute__ ((may_alias, aligned (1))) Bits64;
typedef struct
{
  Bits64 low, high;
} __attribute__ ((may_alias)) Bits128;

/* One call: the merged move and where it starts. */
typedef struct
{
  HybMove     move;
  const char *from;
  char       *to;
  int         other;  /* tiles: the axis along which reading is contiguous */
  gint64      side;   /* tiles: elements of a side */
  gint64      blocks; /* tiles: how many along that axis */
} Job;

void
hyb_move_axis (HybMove *move, gint64 dim, gint64 from, gint64 to)
{
  g_assert (move->rank < HYB_MOVE_MAX_RANK);

  move->dim[move->rank] = dim;
  move->from[move->rank] = from;
  move->to[move->rank] = to;
  move->rank++;
}

/* Leaves out axes of one element and joins neighbours that are one run.  FALSE: there is
 * nothing to move. */
static gboolean
merge_axes (const HybMove *wide, HybMove *move)
{
  for (int i = 0; i < wide->rank; i++)
    if (wide->dim[i] == 0)
      return FALSE;

  move->rank = 0;
  move->item = wide->item;

  for (int i = 0; i < wide->rank; i++)
    {
      int last = move->rank - 1;

      if (wide->dim[i] == 1)
        continue;

      if (last >= 0 && move->from[last] == wide->from[i] * wide->dim[i] &&
          move->to[last] == wide->to[i] * wide->dim[i])
        {
          move->dim[last] *= wide->dim[i];
          move->from[last] = wide->from[i];
          move->to[last] = wide->to[i];
        }
      else
        hyb_move_axis (move, wide->dim[i], wide->from[i], wide->to[i]);
    }

  if (move->rank == 0)
    hyb_move_axis (move, 1, 1, 1);

  return TRUE;
}

/* A short run at the end (two floats, say) becomes one wider element, so that
 * the axes before it can be tiled. */
static void
widen_items (HybMove *move)
{
  int   last = move->rank - 1;
  gsize bytes = move->item * (gsize) move->dim[last];

  if (last == 0 || move->from[last] != 1 || move->to[last] != 1)
    return;
  if (move->dim[last] > 16 || (bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16))
    return;

  for (int i = 0; i < last; i++)
    if (move->from[i] % move->dim[last] != 0 || move->to[i] % move->dim[last] != 0)
      return;

  for (int i = 0; i < last; i++)
    {
      move->from[i] /= move->dim[last];
      move->to[i] /= move->dim[last];
    }
  move->item = bytes;
  move->rank--;
}

/* Where row number `row` starts, rows being all axes but the last n_inner. */
static void
find_row (const HybMove *move, int n_outer, gint64 row, gint64 *index, gint64 *from, gint64 *to)
{
  *from = *to = 0;
  for (int i = n_outer - 1; i >= 0; i--)
    {
      index[i] = row % move->dim[i];
      row /= move->dim[i];
      *from += index[i] * move->from[i];
      *to += index[i] * move->to[i];
    }
}

static void
next_row (const HybMove *move, int n_outer, gint64 *index, gint64 *from, gint64 *to)
{
  for (int i = n_outer - 1; i >= 0; i--)
    {
      *from += move->from[i];
      *to += move->to[i];
      if (++index[i] < move->dim[i])
        return;
      *from -= move->dim[i] * move->from[i];
      *to -= move->dim[i] * move->to[i];
      index[i] = 0;
    }
}

#define COPY_ELEMENTS(Type)                                \
  do                                                       \
    {                                                      \
      const Type *x = (const Type *) (gconstpointer) from; \
      Type       *y = (Type *) (gpointer) to;              \
      const Type  first = x[0];                            \
      if (from_stride == 0 && to_stride == 1)              \
        for (gint64 k = 0; k < n; k++)                     \
          y[k] = first;                                    \
      else                                                 \
        for (gint64 k = 0; k < n; k++)                     \
          y[k * to_stride] = x[k * from_stride];           \
    }                                                      \
  while (0)

static void
copy_row (gsize item, gint64 n, const char *from, gint64 from_stride, char *to, gint64 to_stride)
{
  if (from_stride == 1 && to_stride == 1)
    memcpy (to, from, (gsize) n * item);
  else if (item == 4)
    COPY_ELEMENTS (Bits32);
  else if (item == 8)
    COPY_ELEMENTS (Bits64);
  else if (item == 2)
    COPY_ELEMENTS (Bits16);
  else if (item == 1)
    COPY_ELEMENTS (Bits8);
  else
    COPY_ELEMENTS (Bits128);
}

static void
move_rows (gint64 begin, gint64 end, gpointer data)
{
  const Job     *job = data;
  const HybMove *move = &job->move;
  int            last = move->rank - 1;
  gsize          item = move->item;
  gint64         index[HYB_MOVE_MAX_RANK];
  gint64         from, to;

  find_row (move, last, begin, index, &from, &to);
  for (gint64 row = begin; row < end; row++)
    {
      copy_row (item,
                move->dim[last],
                job->from + from * (gint64) item,
                move->from[last],
                job->to + to * (gint64) item,
                move->to[last]);
      next_row (move, last, index, &from, &to);
    }
}

/* One run, cut into pieces for the threads. */
static void
move_run (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  gint64     item = (gint64) job->move.item;

  copy_row (job->move.item,
            end - begin,
            job->from + begin * job->move.from[0] * item,
            job->move.from[0],
            job->to + begin * job->move.to[0] * item,
            job->move.to[0]);
}

/* A whole tile goes by way of a packed one: lines are read once, even where strides
 * are powers of two and rows compete for one place in the cache. */
#define COPY_TILE(Type, SIDE)                                      \
  do                                                               \
    {                                                              \
      const Type *x = (const Type *) (gconstpointer) from;         \
      Type       *y = (Type *) (gpointer) to;                      \
      if (height == SIDE && width == SIDE)                         \
        {                                                          \
          Type tile[SIDE][SIDE];                                   \
          for (int j = 0; j < SIDE; j++)                           \
            memcpy (tile[j], x + j * from_stride, sizeof tile[j]); \
          for (int i = 0; i < SIDE; i++)                           \
            for (int j = 0; j < SIDE; j++)                         \
              y[i * to_stride + j] = tile[j][i];                   \
        }                                                          \
      else                                                         \
        for (gint64 i = 0; i < height; i++)                        \
          for (gint64 j = 0; j < width; j++)                       \
            y[i * to_stride + j] = x[j * from_stride + i];         \
    }                                                              \
  while (0)

/* height elements lie side by side in from, width in to. */
static void
copy_tile (gsize       item,
           gint64      height,
           gint64      width,
           const char *from,
           gint64      from_stride,
           char       *to,
           gint64      to_stride)
{
  if (item == 4)
    hyb_transpose_32 (height, width, from, from_stride, to, to_stride);
  else if (item == 8)
    COPY_TILE (Bits64, WIDE_SIDE);
  else if (item == 2)
    COPY_TILE (Bits16, SMALL_SIDE);
  else if (item == 1)
    COPY_TILE (Bits8, SMALL_SIDE);
  else
    COPY_TILE (Bits128, WIDE_SIDE);
}

#undef COPY_ELEMENTS
#undef COPY_TILE

/* Number n is block n % blocks of the axis `other` of row n / blocks, where rows
 * are all axes but that and the last. */
static void
move_tiles (gint64 begin, gint64 end, gpointer data)
{
  const Job *job = data;
  HybMove    outer = { .item = job->move.item };
  int        last = job->move.rank - 1;
  gint64     item = (gint64) job->move.item;
  gint64     height_all = job->move.dim[job->other];
  gint64     width_all = job->move.dim[last];

  for (int i = 0; i < last; i++)
    if (i != job->other)
      hyb_move_axis (&outer, job->move.dim[i], job->move.from[i], job->move.to[i]);

  for (gint64 n = begin; n < end; n++)
    {
      gint64 at = n % job->blocks * job->side;
      gint64 index[HYB_MOVE_MAX_RANK];
      gint64 from, to;

      find_row (&outer, outer.rank, n / job->blocks, index, &from, &to);
      from += at;
      to += at * job->move.to[job->other];
      for (gint64 k = 0; k < width_all; k += job->side)
        copy_tile (job->move.item,
                   MIN (job->side, height_all - at),
                   MIN (job->side, width_all - k),
                   job->from + (from + k * job->move.from[last]) * item,
                   job->move.from[last],
                   job->to + (to + k) * item,
                   job->move.to[job->other]);
    }
}

/* The axis along which reading is contiguous while writing is so along the last; -1: no such. */
static int
find_tiled_axis (const HybMove *move)
{
  int last = move->rank - 1;

  if (move->to[last] != 1 || move->from[last] == 1 || move->from[last] == 0 || move->dim[last] < 4)
    return -1;

  for (int i = last - 1; i >= 0; i--)
    if (move->from[i] == 1 && move->dim[i] >= 4)
      return i;

  return -1;
}

void
hyb_move (const HybMove *wide, gconstpointer from, gpointer to)
{
  Job    job;
  gint64 n = 1;
  gint64 bytes;

  if (!merge_axes (wide, &job.move))
    return;
  widen_items (&job.move);

  job.from = from;
  job.to = to;
  job.other = find_tiled_axis (&job.move);
  if (job.other >= 0)
    {
      job.side = job.move.item <= 4 ? SMALL_SIDE : WIDE_SIDE;
      job.blocks = (job.move.dim[job.other] + job.side - 1) / job.side;
      for (int i = 0; i < job.move.rank - 1; i++)
        n *= i == job.other ? job.blocks : job.move.dim[i];
      bytes = job.move.dim[job.move.rank - 1] * MIN (job.side, job.move.dim[job.other]);
      bytes *= (gint64) job.move.item;
      hyb_parallel_for (n, MAX (1, GRAIN_BYTES / bytes), move_tiles, &job);
    }
  else if (job.move.rank == 1)
    hyb_parallel_for (job.move.dim[0], GRAIN_BYTES / (gint64) job.move.item, move_run, &job);
  else
    {
      for (int i = 0; i < job.move.rank - 1; i++)
        n *= job.move.dim[i];
      bytes = job.move.dim[job.move.rank - 1] * (gint64) job.move.item;
      hyb_parallel_for (n, MAX (1, GRAIN_BYTES / bytes), move_rows, &job);
    }
}

#define ADD_ELEMENTS(Type)                           \
  do                                                 \
    {                                                \
      const Type *x = (const Type *) from + from_at; \
      Type       *y = (Type *) to + to_at;           \
      for (gint64 k = 0; k < n; k++)                 \
        y[k * to_stride] += x[k * from_stride];      \
    }                                                \
  while (0)

static void
add_row (HybDType      dtype,
         gint64        n,
         gconstpointer from,
         gint64        from_at,
         gint64        from_stride,
         gpointer      to,
         gint64        to_at,
         gint64        to_stride)
{
  if (dtype == HYB_F32)
    ADD_ELEMENTS (float);
  else if (dtype == HYB_F64)
    ADD_ELEMENTS (double);
  else
    for (gint64 k = 0; k < n; k++)
      {
        gsize  x = (gsize) (from_at + k * from_stride);
        gsize  y = (gsize) (to_at + k * to_stride);
        double sum = hyb_dtype_get_double (to, dtype, y) + hyb_dtype_get_double (from, dtype, x);

        hyb_dtype_set_double (to, dtype, y, sum);
      }
}

#undef ADD_ELEMENTS

void
hyb_move_add (const HybMove *wide, HybDType dtype, gconstpointer from, gpointer to)
{
  HybMove move;
  gint64  index[HYB_MOVE_MAX_RANK];
  gint64  from_at, to_at;
  gint64  n = 1;
  int     last;

  if (!merge_axes (wide, &move))
    return;

  last = move.rank - 1;
  for (int i = 0; i < last; i++)
    n *= move.dim[i];

  /* One thread: several elements may be added to the same place. */
  find_row (&move, last, 0, index, &from_at, &to_at);
  for (gint64 row = 0; row < n; row++)
    {
      add_row (dtype, move.dim[last], from, from_at, move.from[last], to, to_at, move.to[last]);
      next_row (&move, last, index, &from_at, &to_at);
    }
}

void
hyb_move_add_run (HybDType dtype, gint64 n, gconstpointer from, gpointer to)
{
  add_row (dtype, n, from, 0, 1, to, 0, 1);
}
