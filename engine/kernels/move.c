/* move.c — copies elements between two strided arrays; start with hyb_move().
 *
 * Axes that are contiguous in both arrays are merged first, so that a slice of rows is one long
 * copy.  Then one of three loops runs:
 *   one axis is left: pieces of one run, split over threads;
 *   the source is contiguous along another axis than the destination (a transpose): for each
 *   index of the other axes, for each tile, which stays in the first-level cache;
 *   otherwise: for each row of the last axis, memcpy() or a strided copy; rows that follow each other in a far source are
 *   moved together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/move.h"

#include "engine/base/parallel.h"
#include "engine/kernels/moving/copy-rows.h"
#include "engine/kernels/moving/interleave.h"
#include "engine/kernels/moving/transpose-blocks.h"
#include "engine/kernels/simd/transpose.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

/* Side of a transposed tile in elements, so that it stays in the first-level cache. */
#define SMALL_SIDE  64 /* for elements of up to 4 bytes */
#define WIDE_SIDE   32 /* for larger elements */
#define NARROW      3  /* elements of one side up to which the other one is long */
#define LONG_SIDE   1024
#define GRAIN_BYTES (256 << 10) /* bytes below which another thread does not pay */
#define NEAR_BYTES  (32 << 10)  /* bytes that are read again and again from a near cache */

typedef struct
{
  guint64 low, high;
} __attribute__ ((may_alias, packed)) Bits128;

/* One call of hyb_move(), shared by its threads. */
typedef struct
{
  HybMove     move; /* merged */
  const char *from;
  char       *to;
  int         other;  /* tiles: the axis along which the source is contiguous; -1: no tiles */
  gint64      side;   /* tiles: elements along the axis `other` */
  gint64      width;  /* tiles: elements along the last axis */
  gint64      blocks; /* tiles: number of tiles along the axis `other` */
} MoveJob;

/* The position in both arrays of one index of the outer axes. */
typedef struct
{
  gint64 index[HYB_MOVE_MAX_RANK];
  gint64 from, to; /* in elements */
} Cursor;

void
hyb_move_axis (HybMove *move, gint64 dim, gint64 from, gint64 to)
{
  g_assert (move->rank < HYB_MOVE_MAX_RANK);

  move->dim[move->rank] = dim;
  move->from[move->rank] = from;
  move->to[move->rank] = to;
  move->rank++;
}

/* Copies `wide` to `move` without axes of one element, and with adjacent axes merged where they
 * are one run in both arrays.  Returns FALSE if there are no elements to move. */
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

      /* A step along the last axis is as long as all of axis i, in both arrays: they count as one axis. */
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

/* Turns a short contiguous innermost axis (two floats, for example) into one wider element, so
 * that the axes outside it can be tiled. */
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

/* Sets the cursor to row number `row`, counting through the first n_outer axes in order. */
static void
find_row (const HybMove *move, int n_outer, gint64 row, Cursor *cursor)
{
  cursor->from = cursor->to = 0;
  for (int i = n_outer - 1; i >= 0; i--)
    {
      cursor->index[i] = row % move->dim[i];
      row /= move->dim[i];
      cursor->from += cursor->index[i] * move->from[i];
      cursor->to += cursor->index[i] * move->to[i];
    }
}

static void
next_row (const HybMove *move, int n_outer, Cursor *cursor)
{
  for (int i = n_outer - 1; i >= 0; i--)
    {
      cursor->from += move->from[i];
      cursor->to += move->to[i];
      if (++cursor->index[i] < move->dim[i])
        return;
      cursor->from -= move->dim[i] * move->from[i];
      cursor->to -= move->dim[i] * move->to[i];
      cursor->index[i] = 0;
    }
}

/* One row of the innermost axis. */
static HybRows
last_axis (const HybMove *move)
{
  int last = move->rank - 1;

  return (HybRows){ .item = move->item,
                    .n = move->dim[last],
                    .from = move->from[last],
                    .to = move->to[last],
                    .n_rows = 1 };
}

static void
move_rows (gint64 begin, gint64 end, gpointer data)
{
  const MoveJob *job = data;
  const HybMove *move = &job->move;
  int            outer = move->rank - 2; /* axes outside of the runs of rows */
  HybRows        rows = last_axis (move);
  gint64         item = (gint64) rows.item, n_rows = move->dim[outer], first = begin % n_rows;
  Cursor         cursor;

  rows.from_row = move->from[outer] * item;
  rows.to_row = move->to[outer] * item;
  find_row (move, outer, begin / n_rows, &cursor);
  for (gint64 i = begin; i < end; i += rows.n_rows, first = 0)
    {
      rows.n_rows = MIN (n_rows - first, end - i);
      hyb_copy_rows (&rows, job->from + cursor.from * item + first * rows.from_row,
                     job->to + cursor.to * item + first * rows.to_row);
      next_row (move, outer, &cursor);
    }
}

/* Copies the elements [begin, end) of a move with one axis. */
static void
move_run (gint64 begin, gint64 end, gpointer data)
{
  const MoveJob *job = data;
  HybRows        row = last_axis (&job->move);
  gint64         item = (gint64) row.item;

  row.n = end - begin;
  hyb_copy_rows (&row, job->from + begin * row.from * item, job->to + begin * row.to * item);
}

/* Transposes one tile of elements of 16 bytes.  Full tiles are copied to a packed tile first, so that each cache line is read
 * once even where strides are powers of two and the rows of a tile compete for the same cache set. */
static void
copy_wide_tile (const HybTranspose *shape, const char *from, char *to)
{
  const Bits128 *x = (const Bits128 *) (gconstpointer) from;
  Bits128       *y = (Bits128 *) (gpointer) to;
  Bits128        tile[WIDE_SIDE][WIDE_SIDE];

  if (shape->height == WIDE_SIDE && shape->width == WIDE_SIDE)
    {
      for (int j = 0; j < WIDE_SIDE; j++)
        memcpy (tile[j], x + j * shape->x_stride, sizeof tile[j]);
      for (int i = 0; i < WIDE_SIDE; i++)
        for (int j = 0; j < WIDE_SIDE; j++)
          y[i * shape->y_stride + j] = tile[j][i];
    }
  else
    for (gint64 i = 0; i < shape->height; i++)
      for (gint64 j = 0; j < shape->width; j++)
        y[i * shape->y_stride + j] = x[j * shape->x_stride + i];
}

/* TRUE if up to three rows of the destination lie element by element beside each other in the source. */
static gboolean
is_mixed (gsize item, gint64 n_rows, gint64 stride)
{
  return n_rows == stride && n_rows <= 3 && hyb_rows_have_vectors (item, stride);
}

/* Transposes one tile: to[i, j] = from[j, i], where x is `from` and y is `to` in the shape. */
static void
copy_tile (gsize item, const HybTranspose *shape, const char *from, char *to)
{
  if (is_mixed (item, shape->height, shape->x_stride))
    hyb_copy_rows (&(HybRows){ .item = item,
                               .n = shape->width,
                               .from = shape->x_stride,
                               .to = 1,
                               .n_rows = shape->height,
                               .from_row = (gint64) item,
                               .to_row = shape->y_stride * (gint64) item },
                   from, to);
  else if (item == 4 && shape->width == shape->y_stride &&
           hyb_interleave_serves (shape->width, shape->height))
    hyb_interleave_32 (shape->width, shape->height, from, shape->x_stride, to);
  else if (item == 4)
    hyb_transpose_32 (shape, from, to);
  else if (item < 16)
    hyb_transpose_blocks (item, shape, from, to);
  else
    copy_wide_tile (shape, from, to);
}

/* Copies groups of tiles: group n covers tile n % blocks of the axis `other`, at index n /
 * blocks of the outer axes (all but `other` and the last), and all tiles of the last axis. */
static void
move_tiles (gint64 begin, gint64 end, gpointer data)
{
  const MoveJob *job = data;
  const HybMove *move = &job->move;
  HybMove        outer = { .item = move->item };
  int            last = move->rank - 1, other = job->other;
  gint64         item = (gint64) move->item, at = begin % job->blocks * job->side;
  Cursor         cursor;

  for (int i = 0; i < last; i++)
    if (i != other)
      hyb_move_axis (&outer, move->dim[i], move->from[i], move->to[i]);

  find_row (&outer, outer.rank, begin / job->blocks, &cursor);
  for (gint64 n = begin; n < end; n++)
    {
      /* A tile reads runs along `other`, where the source is contiguous, and writes runs along the
       * last axis, where the destination is: both sides use whole cache lines. */
      const char *x = job->from + (cursor.from + at) * item;
      char       *y = job->to + (cursor.to + at * move->to[other]) * item;

      for (gint64 k = 0; k < move->dim[last]; k += job->width)
        {
          HybTranspose tile = { .height = MIN (job->side, move->dim[other] - at),
                                .width = MIN (job->width, move->dim[last] - k),
                                .x_stride = move->from[last],
                                .y_stride = move->to[other] };

          copy_tile (move->item, &tile, x + k * move->from[last] * item, y + k * item);
        }
      at += job->side;
      if (at >= move->dim[other])
        {
          next_row (&outer, outer.rank, &cursor);
          at = 0;
        }
    }
}

void
hyb_move_repeat (gpointer to, gsize bytes, gsize n)
{
  gsize most = MAX (bytes, NEAR_BYTES / MAX (bytes, 1) * bytes);

  for (gsize done = bytes, all = bytes * n, more; done < all; done += more)
    {
      more = MIN (MIN (done, most), all - done);
      memcpy ((char *) to + done, to, more);
    }
}

/* TRUE if the destination is one run. */
static gboolean
is_dense (const HybMove *move)
{
  gint64 step = 1;

  for (int i = move->rank - 1; i >= 0; i--)
    {
      if (move->to[i] != step)
        return FALSE;
      step *= move->dim[i];
    }
  return TRUE;
}

/* Moves once what is repeated along the outermost axis, and copies that.  FALSE if nothing is repeated there, or if
 * several threads can share the work. */
static gboolean
move_repeated (const HybMove *move, gconstpointer from, gpointer to)
{
  HybMove once = { .item = move->item };
  gint64  bytes = (gint64) move->item;

  for (int i = 1; i < move->rank; i++)
    {
      hyb_move_axis (&once, move->dim[i], move->from[i], move->to[i]);
      bytes *= move->dim[i];
    }
  if (once.rank == 0 || move->from[0] != 0 || !is_dense (move) ||
      (bytes > GRAIN_BYTES / move->dim[0] && hyb_parallel_get_threads () > 1))
    return FALSE;
  hyb_move (&once, from, to);
  hyb_move_repeat (to, (gsize) bytes, (gsize) move->dim[0]);
  return TRUE;
}

/* Bytes of a move that the caches near a core do not hold, of the longest row of which several are moved together, and of
 * these. */
#define FAR_BYTES   (512 << 10)
#define BLOCK_ROW   2048
#define BLOCK_BYTES 4096

static gint64
count_bytes (const HybMove *move)
{
  gint64 bytes = (gint64) move->item;

  for (int i = 0; i < move->rank; i++)
    bytes *= move->dim[i];
  return bytes;
}

/* Elements of the smallest matrix for which a tile pays. */
#define MIN_TILE 16

/* Returns the axis along which the source is contiguous if the destination is contiguous along the
 * last axis and tiles pay; else -1.  They do not where a near cache holds a source that rows read twice or three times. */
static int
find_tiled_axis (const HybMove *move)
{
  int last = move->rank - 1;

  if (move->to[last] != 1 || move->from[last] == 1 || move->from[last] == 0)
    return -1;

  for (int i = last - 1; i >= 0; i--)
    if (move->from[i] == 1 && move->dim[i] * move->dim[last] >= MIN_TILE)
      return is_mixed (move->item, move->dim[i], move->from[last]) &&
                     count_bytes (move) <= FAR_BYTES
                 ? -1
                 : i;

  return -1;
}

/* Returns the axis along which rows of the source follow each other while those of the destination do not, if several of
 * them should be moved together, so that pages are read in longer runs; else -1. */
static int
find_blocked_axis (const HybMove *move)
{
  int    last = move->rank - 1;
  gint64 row = move->dim[last] * (gint64) move->item;

  if (move->from[last] != 1 || move->to[last] != 1 || row < 64 || row > BLOCK_ROW ||
      count_bytes (move) < FAR_BYTES || move->rank == HYB_MOVE_MAX_RANK)
    return -1;
  for (int i = 0; i < last - 1; i++)
    if (move->from[i] == move->dim[last] && move->dim[i] >= BLOCK_BYTES / row)
      return i;
  return -1;
}

/* Threads share the rows, which are runs of the last axis. */
static void
share_rows (MoveJob *job)
{
  const HybMove *move = &job->move;
  gint64         n = 1, bytes = move->dim[move->rank - 1] * (gint64) move->item;

  for (int i = 0; i < move->rank - 1; i++)
    n *= move->dim[i];
  hyb_parallel_for (n, MAX (1, GRAIN_BYTES / bytes), move_rows, job);
}

/* The same with rows moved together along an axis: first as many as fill whole blocks, then the rest. */
static void
share_blocks (MoveJob *job, int axis)
{
  HybMove whole = job->move;
  int     last = whole.rank - 1;
  gint64  block = BLOCK_BYTES / (whole.dim[last] * (gint64) whole.item);
  gint64  n_blocks = whole.dim[axis] / block, rest = whole.dim[axis] % block;
  gint64  item = (gint64) whole.item;

  job->move.rank = 0;
  for (int i = 0; i <= last; i++)
    {
      if (i == last)
        hyb_move_axis (&job->move, block, whole.from[axis], whole.to[axis]);
      if (i == axis)
        hyb_move_axis (&job->move, n_blocks, block * whole.from[i], block * whole.to[i]);
      else
        hyb_move_axis (&job->move, whole.dim[i], whole.from[i], whole.to[i]);
    }
  share_rows (job);
  if (rest == 0)
    return;
  job->move = whole;
  job->move.dim[axis] = rest;
  job->from += n_blocks * block * whole.from[axis] * item;
  job->to += n_blocks * block * whole.to[axis] * item;
  share_rows (job);
}

void
hyb_move (const HybMove *wide, gconstpointer from, gpointer to)
{
  MoveJob job;
  gint64  n = 1;
  gint64  bytes;

  if (!merge_axes (wide, &job.move) || move_repeated (&job.move, from, to))
    return;
  widen_items (&job.move);

  job.from = from;
  job.to = to;
  job.other = find_tiled_axis (&job.move);
  /* 1. The source runs along axis `other`, the destination along the last one: whole cache lines of both are used if
   *    tiles of side × side elements are moved.  A slice is `side` of axis `other` by the whole last axis. */
  if (job.other >= 0)
    {
      job.side = job.width = job.move.item <= 4 ? SMALL_SIDE : WIDE_SIDE;
      if (job.move.dim[job.other] <= NARROW)
        job.width = LONG_SIDE;
      if (job.move.dim[job.move.rank - 1] <= NARROW)
        job.side = LONG_SIDE;
      job.blocks = (job.move.dim[job.other] + job.side - 1) / job.side;
      for (int i = 0; i < job.move.rank - 1; i++)
        n *= i == job.other ? job.blocks : job.move.dim[i];
      bytes = job.move.dim[job.move.rank - 1] * MIN (job.side, job.move.dim[job.other]);
      bytes *= (gint64) job.move.item;
      hyb_parallel_for (n, MAX (1, GRAIN_BYTES / bytes), move_tiles, &job);
    }
  /* 2. One run: threads share its elements. */
  else if (job.move.rank == 1)
    hyb_parallel_for (job.move.dim[0], GRAIN_BYTES / (gint64) job.move.item, move_run, &job);
  /* 3. Rows. */
  else
    {
      job.other = find_blocked_axis (&job.move);
      if (job.other >= 0)
        share_blocks (&job, job.other);
      else
        share_rows (&job);
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

/* Adds one row, whose first elements the cursor gives: to[i] += from[i]. */
static void
add_row (const HybRows *row, HybDType dtype, gconstpointer from, gpointer to, const Cursor *at)
{
  gint64 n = row->n, from_stride = row->from, to_stride = row->to;
  gint64 from_at = at->from, to_at = at->to;

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
  Cursor  cursor;
  HybRows last;
  gint64  n = 1;

  if (!merge_axes (wide, &move))
    return;

  last = last_axis (&move);
  for (int i = 0; i < move.rank - 1; i++)
    n *= move.dim[i];

  /* One thread, because several elements may be added to the same element. */
  find_row (&move, move.rank - 1, 0, &cursor);
  for (gint64 i = 0; i < n; i++)
    {
      add_row (&last, dtype, from, to, &cursor);
      next_row (&move, move.rank - 1, &cursor);
    }
}

void
hyb_move_add_run (HybDType dtype, gint64 n, gconstpointer from, gpointer to)
{
  HybRows row = { .n = n, .from = 1, .to = 1, .n_rows = 1 };
  Cursor  start;

  start.from = start.to = 0;
  add_row (&row, dtype, from, to, &start);
}
