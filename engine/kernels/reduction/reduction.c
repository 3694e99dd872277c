/* reduction.c — splits a reduction over any axes into rows, columns and blocks.
 *
 * Adjacent axes that are both reduced or both kept are merged.  What remains, innermost, is a run
 * of length × inner contiguous elements: `length` is reduced, `inner` is kept (1 if the innermost
 * axis itself is reduced).  The axes outside the run are kept or reduced.
 *
 *   for each index of the outer kept axes and each stripe of `inner` (a task; tasks are split over
 *   threads), for each index of the outer reduced axes (a run), for each unit of `length`: add the
 *   unit to the accumulators of the task.
 *
 * The inner loops are in reduction-loops.h.  Start with hyb_reduce().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/reduction.h"

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/kernels/reduction/folds.h"
#include "engine/kernels/reduction/reduction-loops.h"
#include "engine/kernels/simd/transpose.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

/* Accumulators of one task, on the stack. */
#define MAX_WIDTH 2048
/* All accumulators of a task that is split into blocks for several threads. */
#define MAX_PARTIAL 16384
#define MAX_BLOCKS  64
/* Elements of a unit if the innermost axis is reduced. */
#define ROW_PIECE 65536
/* Rows up to this length are reduced many per call. */
#define SHORT_ROW 64
/* The same where a loop of their own reduces them. */
#define SUMMED_ROW 256
/* The same of elements of 8 bytes. */
#define SHORT_LONG_ROW 12
/* Results that are accumulated in turn, run by run, so that memory is read in order. */
#define PLACES_PER_BLOCK 64

/* The kept or the reduced axes outside the run, outermost first. */
typedef struct
{
  int    n;
  gint64 count; /* product of dim */
  gint64 dim[HYB_MAX_RANK];
  gint64 stride[HYB_MAX_RANK];
} Axes;

typedef struct
{
  const HybReduceLoops *loops;
  HybFold         fold; /* loops->row and loops->columns, or those that they leave to folds.h */
  HybReduceFinish finish;
  const char     *x;
  char           *y;
  gint64          size;          /* bytes of an element */
  gint64          count;         /* elements that are reduced to each result */
  Axes            kept, reduced; /* axes outside the run */
  gint64          length, inner; /* the run */
  gint64          step;          /* positions of `length` in a unit */
  gint64          n_units;       /* units of one run */
  gint64          n_columns;     /* elements of `inner` in a stripe, at most */
  gint64          n_stripes;     /* stripes that `inner` is split into */
  gint64          width;         /* accumulators of a task */
  gboolean        is_blocked;    /* few, large tasks: each is split into blocks */
  gboolean        keeps_finite;  /* finite results of the first run are kept */
} ReduceJob;

/* Returns the offset in elements of an index that counts through the axes in order. */
static gint64
find_offset (const Axes *axes, gint64 index)
{
  gint64 offset = 0;

  if (axes->n == 1)
    return index * axes->stride[0];
  for (int i = axes->n - 1; i >= 0; i--)
    {
      offset += index % axes->dim[i] * axes->stride[i];
      index /= axes->dim[i];
    }
  return offset;
}

static void
add_axis (Axes *axes, gint64 dim, gint64 stride)
{
  axes->dim[axes->n] = dim;
  axes->stride[axes->n++] = stride;
  axes->count *= dim;
}

/* Writes the sizes of the axes of more than one element, with adjacent axes of the same kind
 * merged, to dim, and whether each is reduced to is_reduced; returns their number. */
static int
merge_axes (const HybShape *shape, guint32 axes, gint64 *dim, gboolean *is_reduced)
{
  int n = 0;

  for (int axis = 0; axis < shape->rank; axis++)
    {
      gboolean reduced = axes >> axis & 1;

      if (shape->dim[axis] == 1)
        continue;
      if (n > 0 && is_reduced[n - 1] == reduced)
        dim[n - 1] *= shape->dim[axis];
      else
        {
          dim[n] = shape->dim[axis];
          is_reduced[n++] = reduced;
        }
    }
  return n;
}

/* Finds the run, the axes outside it, and the number of elements behind each result. */
static void
find_runs (ReduceJob *reduce, const HybShape *shape, guint32 axes)
{
  gint64   dim[HYB_MAX_RANK], stride[HYB_MAX_RANK];
  gboolean is_reduced[HYB_MAX_RANK];
  int      n = merge_axes (shape, axes, dim, is_reduced);

  reduce->kept.count = reduce->reduced.count = reduce->inner = reduce->length = 1;
  for (int i = n - 1; i >= 0; i--)
    stride[i] = i == n - 1 ? 1 : stride[i + 1] * dim[i + 1];
  if (n > 0 && !is_reduced[n - 1])
    reduce->inner = dim[--n];
  if (n > 0)
    reduce->length = dim[--n];
  for (int i = 0; i < n; i++)
    add_axis (is_reduced[i] ? &reduce->reduced : &reduce->kept, dim[i], stride[i]);
  reduce->count = reduce->reduced.count * reduce->length;
}

/* Chooses units and stripes: narrow rows are accumulated several at a time, each into its own
 * accumulators; wide ones are split into stripes. */
static void
choose_units (ReduceJob *reduce)
{
  if (reduce->inner == 1)
    reduce->step = ROW_PIECE;
  else
    reduce->step = reduce->loops->min_width / MAX (1, reduce->inner);
  reduce->step = CLAMP (reduce->step, 1, MAX (1, reduce->length));
  reduce->n_units = (reduce->length + reduce->step - 1) / reduce->step;
  reduce->n_columns = MIN (reduce->inner, MAX_WIDTH);
  reduce->n_stripes = (reduce->inner + MAX_WIDTH - 1) / MAX_WIDTH;
  reduce->width = reduce->inner == 1 ? 1 : reduce->step * reduce->n_columns;
  reduce->is_blocked = reduce->kept.count * reduce->n_stripes < 8 &&
                       reduce->count * reduce->n_columns > 2 * ROW_PIECE &&
                       reduce->n_units * reduce->reduced.count > 1;
}

/* One task: its first element, and the number of columns in its stripe. */
typedef struct
{
  gint64 base, columns;
} Task;

/* Adds units [begin, end) of a task, counted through all its runs, to the accumulators. */
static void
accumulate_units (const ReduceJob *reduce, const Task *task, gint64 begin, gint64 end, gint64 *sums)
{
  const HybFold *fold = &reduce->fold;
  gint64         width = reduce->step * reduce->inner;

  for (gint64 unit = begin; unit < end;)
    {
      gint64      run = unit / reduce->n_units;
      gint64      first = unit - run * reduce->n_units;
      gint64      last = MIN (end - run * reduce->n_units, reduce->n_units);
      gint64      length = MIN (reduce->length, last * reduce->step) - first * reduce->step;
      gint64      offset = task->base + find_offset (&reduce->reduced, run) + first * width;
      const char *x = reduce->x + offset * reduce->size;
      gint64      n_rows = length / reduce->step;
      gint64      rest = length % reduce->step;

      if (reduce->inner == 1)
        fold->row (sums, x, length);
      else
        fold->columns (sums, x, reduce->step == 1 ? task->columns : width, n_rows, width);
      if (reduce->inner > 1 && rest > 0)
        fold->columns (sums, x + n_rows * width * reduce->size, rest * reduce->inner, 1, width);
      unit = run * reduce->n_units + last;
    }
}

/* Combines the accumulators of the rows of a unit into those of one row. */
static void
combine_rows (const ReduceJob *reduce, gint64 columns, gint64 *sums)
{
  for (gint64 i = 1; reduce->inner > 1 && i < reduce->step; i++)
    reduce->loops->combine (sums, (char *) sums + i * columns * (gint64) reduce->loops->size,
                            columns);
}

/* One task that is split into blocks of units. */
typedef struct
{
  const ReduceJob *reduce;
  const Task      *task;
  gint64           n_blocks;
  gint64          *partial; /* accumulators of each block */
} Blocks;

static void
run_blocks (gint64 begin, gint64 end, gpointer data)
{
  const Blocks    *blocks = data;
  const ReduceJob *reduce = blocks->reduce;
  gint64           n_units = reduce->n_units * reduce->reduced.count;

  for (gint64 block = begin; block < end; block++)
    {
      gint64 *sums = blocks->partial + block * reduce->width;

      reduce->loops->start (sums, reduce->width);
      accumulate_units (reduce, blocks->task, n_units * block / blocks->n_blocks,
                        n_units * (block + 1) / blocks->n_blocks, sums);
    }
}

/* Runs one task on several threads.  The number of blocks depends only on the shape. */
static void
run_task_blocked (const ReduceJob *reduce, const Task *task, gint64 *sums)
{
  gint64 partial[MAX_PARTIAL];
  Blocks blocks = { reduce, task, 0, partial };

  blocks.n_blocks = MIN (MAX_BLOCKS, MAX_PARTIAL / reduce->width);
  blocks.n_blocks = MIN (blocks.n_blocks, reduce->n_units * reduce->reduced.count);
  hyb_parallel_for (blocks.n_blocks, 1, run_blocks, &blocks);
  for (gint64 block = 0; block < blocks.n_blocks; block++)
    reduce->loops->combine (sums, partial + block * reduce->width, reduce->width);
}

/* Turns n accumulators into the results from `at` on. */
static void
finish (const ReduceJob *reduce, gconstpointer sums, gint64 n, gint64 at)
{
  float        values[MAX_WIDTH];
  float *const y = (float *) (gpointer) (reduce->y + at * reduce->size);

  if (!reduce->keeps_finite)
    {
      reduce->loops->finish (sums, n, reduce->finish, reduce->count, y);
      return;
    }
  reduce->loops->finish (sums, n, reduce->finish, reduce->count, values);
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (y[i]))
      y[i] = values[i];
}

static void
run_tasks (gint64 begin, gint64 end, gpointer data)
{
  const ReduceJob *reduce = data;
  gint64           sums[MAX_WIDTH];

  for (gint64 index = begin; index < end; index++)
    {
      gint64 place = reduce->n_stripes == 1 ? index : index / reduce->n_stripes;
      gint64 column = (index - place * reduce->n_stripes) * MAX_WIDTH;
      Task   task = { .base = find_offset (&reduce->kept, place) + column,
                      .columns = MIN (reduce->n_columns, reduce->inner - column) };

      reduce->loops->start (sums, reduce->width);
      if (reduce->is_blocked)
        run_task_blocked (reduce, &task, sums);
      else
        accumulate_units (reduce, &task, 0, reduce->n_units * reduce->reduced.count, sums);
      combine_rows (reduce, task.columns, sums);
      finish (reduce, sums, task.columns, place * reduce->inner + column);
    }
}

/* Rows that follow each other in memory at least, if several are reduced per call. */
#define MIN_ROWS 4

/* TRUE if the innermost axis is reduced, its rows are short, and several of them follow each other. */
static gboolean
has_short_rows (const ReduceJob *reduce)
{
  const Axes *kept = &reduce->kept;
  gint64      most = SHORT_ROW;

  if (reduce->size == sizeof (gint64))
    most = SHORT_LONG_ROW;
  else if (reduce->loops->short_rows)
    most = SUMMED_ROW;
  if (reduce->length > most)
    return FALSE;
  if (reduce->loops->rows)
    return kept->n <= 1 && reduce->reduced.n == 0;
  return kept->n == 0 || (kept->stride[kept->n - 1] == reduce->length &&
                          (kept->n == 1 || kept->dim[kept->n - 1] >= MIN_ROWS));
}

/* Returns how many of the places from `at` to `end` are reduced in turn: no more than follow each other, if rows shall. */
static gint64
count_places (const Axes *kept, gint64 at, gint64 end, gboolean has_rows)
{
  gint64 n = MIN (PLACES_PER_BLOCK, end - at);

  if (has_rows && kept->n > 1)
    n = MIN (n, kept->dim[kept->n - 1] - at % kept->dim[kept->n - 1]);
  return n;
}

/* Adds n short rows of elements of 4 bytes to as many sums: by a loop of their own, or as columns after a transposition. */
static void
add_short_rows (const ReduceJob *reduce, const char *x, gint64 n, gint64 *sums)
{
  HybTranspose shape = {
    .height = reduce->length, .width = n, .x_stride = reduce->length, .y_stride = n
  };
  guint32 columns[SHORT_ROW * PLACES_PER_BLOCK];
  gint64  more[PLACES_PER_BLOCK];

  if (reduce->loops->short_rows)
    {
      reduce->loops->short_rows (x, n, reduce->length, more);
      reduce->loops->combine (sums, more, n);
    }
  else
    {
      hyb_transpose_32 (&shape, x, columns);
      reduce->fold.columns (sums, columns, n, reduce->length, n);
    }
}

/* Runs the tasks [begin, end) if the innermost axis is reduced: each has one accumulator. */
static void
run_places (gint64 begin, gint64 end, gpointer data)
{
  const ReduceJob      *reduce = data;
  const HybReduceLoops *loops = reduce->loops;
  gboolean              has_rows = has_short_rows (reduce);
  gint64                sums[PLACES_PER_BLOCK];

  if (has_rows && loops->rows)
    {
      loops->rows (reduce->x + begin * reduce->length * reduce->size, end - begin, reduce->length,
                   reduce->finish, reduce->y + begin * reduce->size);
      return;
    }
  for (gint64 n, at = begin; at < end; at += n)
    {
      n = count_places (&reduce->kept, at, end, has_rows);
      loops->start (sums, n);
      for (gint64 run = 0; run < reduce->reduced.count; run++)
        {
          const char *x = reduce->x + find_offset (&reduce->reduced, run) * reduce->size;

          if (has_rows)
            add_short_rows (reduce, x + find_offset (&reduce->kept, at) * reduce->size, n, sums);
          for (gint64 i = 0; i < n && !has_rows; i++)
            reduce->fold.row ((char *) sums + i * (gint64) loops->size,
                              x + find_offset (&reduce->kept, at + i) * reduce->size,
                              reduce->length);
        }
      finish (reduce, sums, n, at);
    }
}

static void
run (ReduceJob *reduce)
{
  gint64 n_tasks = reduce->kept.count * reduce->n_stripes;

  if (reduce->is_blocked)
    run_tasks (0, n_tasks, reduce);
  else
    hyb_parallel_for (n_tasks, MAX (1, HYB_EACH_GRAIN / MAX (1, reduce->count * reduce->n_columns)),
                      reduce->inner == 1 ? run_places : run_tasks, reduce);
}

static gboolean
are_finite (const float *y, gint64 n)
{
  guint32 bits, is_infinite = 0;

  for (gint64 i = 0; i < n; i++)
    {
      memcpy (&bits, y + i, sizeof bits);
      is_infinite |= (bits & 0x7f800000) == 0x7f800000;
    }
  return !is_infinite;
}

static void
use_loops (ReduceJob *reduce, const HybReduceLoops *loops, const HybReduction *reduction)
{
  reduce->loops = loops;
  reduce->fold = loops->row ? (HybFold){ loops->row, loops->columns }
                            : hyb_fold (reduction->kind, reduction->dtype);
}

void
hyb_reduce (const HybReduction *reduction)
{
  ReduceJob reduce = {
    .finish = reduction->finish,
    .x = reduction->x,
    .y = reduction->y,
    .size = (gint64) hyb_dtype_size (reduction->dtype),
  };

  use_loops (&reduce, hyb_reduce_loops (reduction->kind, reduction->dtype), reduction);
  find_runs (&reduce, reduction->shape, reduction->axes);
  choose_units (&reduce);
  run (&reduce);
  if (reduce.loops->exact && !are_finite (reduction->y, reduce.kept.count * reduce.inner))
    {
      use_loops (&reduce, reduce.loops->exact, reduction);
      reduce.keeps_finite = TRUE;
      run (&reduce);
    }
}
