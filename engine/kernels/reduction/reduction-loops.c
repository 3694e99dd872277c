/* reduction-loops.c — the inner loops of reductions: a = reduce over i of x[i].
 *
 * Floats accumulate in double (extrema in their own type), of sums up to eight as floats before; integers in 64 bits that
 * wrap.  A row is reduced into LANES independent accumulators, which the compiler turns into vectors without reordering
 * operations.  The macros LOOPS and LOOPS_WITH_ROWS define the loops for one reduction and element type.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/reduction-loops.h"

#include "engine/kernels/reduction/extremes.h"
#include "engine/kernels/reduction/sum-columns.h"
#include "engine/kernels/rows.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

#define LANES 16
/* Columns of loops that keep their accumulators in memory, and of those that keep them in registers. */
#define WIDE   512
#define NARROW 16

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
/* x replaces a if it is larger (smaller) or NaN; a NaN in a stays, because no number compares
 * larger. */
#define LARGER(a, x)  ((((x) > (a)) | ((x) != (x))) ? (x) : (a))
#define SMALLER(a, x) ((((x) < (a)) | ((x) != (x))) ? (x) : (a))
/* a - a is 0, but NaN if a is infinite: as in MXNet's nansum, whose compensated summation gives NaN
 * for any number added after an infinity. */
#define ADD_NUMBER(a, x)      ((x) == (x) ? (a) + (x) + ((a) - (a)) : (a))
#define ADD_PARTIAL(a, b)     ((b) != 0 ? (a) + (b) + ((a) - (a)) : (a))
#define MULTIPLY_NUMBER(a, x) ((a) * ((x) == (x) ? (x) : 1))
#define ADD_SIZE(a, x)        ((a) + fabs (x))
#define ADD_SQUARE(a, x)      ((a) + (x) * (x))

#define FINISH_FLOAT(value, how, count)                    \
  ((how) == HYB_REDUCE_MEAN   ? (value) / (double) (count) \
   : (how) == HYB_REDUCE_ROOT ? sqrt (value)               \
                              : (value))
#define FINISH_INTEGER(value, how, count) \
  ((how) == HYB_REDUCE_MEAN ? ((count) > 0 ? (gint64) (value) / (count) : 0) : (gint64) (value))

/* The following define loops of reduction `id` over elements of type T with accumulators of type A.  STEP (a, x) adds an
 * element to an accumulator, COMBINE (a, b) adds an accumulator, FINISH gives the result. */
#define ENDS(id, T, A, suffix, IDENTITY, COMBINE, FINISH)                                      \
  static void id##_start_##suffix (gpointer accumulators, gint64 n)                            \
  {                                                                                            \
    A *a = accumulators;                                                                       \
                                                                                               \
    for (gint64 i = 0; i < n; i++)                                                             \
      a[i] = (A) (IDENTITY);                                                                   \
  }                                                                                            \
                                                                                               \
  static void id##_combine_##suffix (gpointer accumulators, gconstpointer others, gint64 n)    \
  {                                                                                            \
    const A *b = others;                                                                       \
    A       *a = accumulators;                                                                 \
                                                                                               \
    HYB_INDEPENDENT                                                                            \
    for (gint64 i = 0; i < n; i++)                                                             \
      a[i] = (A) COMBINE (a[i], b[i]);                                                         \
  }                                                                                            \
                                                                                               \
  static void id##_finish_##suffix (gconstpointer accumulators, gint64 n, HybReduceFinish how, \
                                    gint64 count, gpointer results)                            \
  {                                                                                            \
    const A *a = accumulators;                                                                 \
    T       *y = results;                                                                      \
                                                                                               \
    for (gint64 i = 0; i < n; i++)                                                             \
      y[i] = (T) FINISH (a[i], how, count);                                                    \
  }

#define STEPS(id, T, A, suffix, STEP, COMBINE)                                                \
  static void id##_columns_##suffix (gpointer accumulators, gconstpointer elements, gint64 n, \
                                     gint64 n_rows, gint64 stride)                            \
  {                                                                                           \
    const T *x = elements;                                                                    \
    A       *sums = accumulators;                                                             \
                                                                                              \
    for (gint64 row = 0; row < n_rows; row++, x += stride)                                    \
      {                                                                                       \
        HYB_INDEPENDENT                                                                       \
        for (gint64 i = 0; i < n; i++)                                                        \
          sums[i] = (A) STEP (sums[i], (A) x[i]);                                             \
      }                                                                                       \
  }                                                                                           \
                                                                                              \
  static void id##_row_##suffix (gpointer accumulator, gconstpointer elements, gint64 n)      \
  {                                                                                           \
    const T *x = elements;                                                                    \
    A        lanes[LANES], total = *(const A *) accumulator;                                  \
    gint64   even = n - n % LANES;                                                            \
                                                                                              \
    if (even > 0)                                                                             \
      {                                                                                       \
        id##_start_##suffix (lanes, LANES);                                                   \
        for (gint64 i = 0; i < even; i += LANES)                                              \
          {                                                                                   \
            HYB_KEEP_LOOP                                                                     \
            for (gint64 lane = 0; lane < LANES; lane++)                                       \
              lanes[lane] = (A) STEP (lanes[lane], (A) x[i + lane]);                          \
          }                                                                                   \
        for (gint64 lane = 0; lane < LANES; lane++)                                           \
          total = (A) COMBINE (total, lanes[lane]);                                           \
      }                                                                                       \
    for (gint64 i = even; i < n; i++)                                                         \
      total = (A) STEP (total, (A) x[i]);                                                     \
    *(A *) accumulator = total;                                                               \
  }

#define ROWS(id, T, A, suffix, IDENTITY, STEP, FINISH)                                  \
  static void id##_rows_##suffix (gconstpointer elements, gint64 n_rows, gint64 length, \
                                  HybReduceFinish how, gpointer results)                \
  {                                                                                     \
    const T *x = elements;                                                              \
    T       *y = results;                                                               \
                                                                                        \
    for (gint64 row = 0; row < n_rows; row++, x += length)                              \
      {                                                                                 \
        A total = (A) (IDENTITY);                                                       \
                                                                                        \
        for (gint64 i = 0; i < length; i++)                                             \
          total = (A) STEP (total, (A) x[i]);                                           \
        y[row] = (T) FINISH (total, how, length);                                       \
      }                                                                                 \
  }

#define TABLE(id, A, suffix, row_loop, column_loop, short_loop, width) \
  static const HybReduceLoops id##_##suffix G_GNUC_UNUSED = {          \
    .start = id##_start_##suffix,                                      \
    .row = row_loop,                                                   \
    .rows = short_loop,                                                \
    .columns = column_loop,                                            \
    .combine = id##_combine_##suffix,                                  \
    .finish = id##_finish_##suffix,                                    \
    .size = sizeof (A),                                                \
    .min_width = width,                                                \
  };

/* Loops for elements of 4 bytes, whose short rows are transposed. */
#define LOOPS(id, T, A, suffix, IDENTITY, STEP, COMBINE, FINISH) \
  ENDS (id, T, A, suffix, IDENTITY, COMBINE, FINISH)             \
  STEPS (id, T, A, suffix, STEP, COMBINE)                        \
  TABLE (id, A, suffix, id##_row_##suffix, id##_columns_##suffix, NULL, WIDE)

#define LOOPS_WITH_ROWS(id, T, A, suffix, IDENTITY, STEP, COMBINE, FINISH) \
  ENDS (id, T, A, suffix, IDENTITY, COMBINE, FINISH)                       \
  STEPS (id, T, A, suffix, STEP, COMBINE)                                  \
  ROWS (id, T, A, suffix, IDENTITY, STEP, FINISH)                          \
  TABLE (id, A, suffix, id##_row_##suffix, id##_columns_##suffix, id##_rows_##suffix, WIDE)

/* Loops whose rows and columns folds.h has. */
#define FOLDED(id, T, A, suffix, IDENTITY, STEP, COMBINE, FINISH) \
  ENDS (id, T, A, suffix, IDENTITY, COMBINE, FINISH)              \
  TABLE (id, A, suffix, NULL, NULL, NULL, NARROW)

#define FOLDED_WITH_ROWS(id, T, A, suffix, IDENTITY, STEP, COMBINE, FINISH) \
  ENDS (id, T, A, suffix, IDENTITY, COMBINE, FINISH)                        \
  ROWS (id, T, A, suffix, IDENTITY, STEP, FINISH)                           \
  TABLE (id, A, suffix, NULL, NULL, id##_rows_##suffix, NARROW)

/* Reductions of floats but sums and extremes. */
#define FLOAT_LOOPS(FOLD, DEFINE, T, suffix)                                       \
  FOLD (prod, T, double, suffix, 1, MULTIPLY, MULTIPLY, FINISH_FLOAT)              \
  DEFINE (nan_sum, T, double, suffix, 0, ADD_NUMBER, ADD_PARTIAL, FINISH_FLOAT)    \
  DEFINE (nan_prod, T, double, suffix, 1, MULTIPLY_NUMBER, MULTIPLY, FINISH_FLOAT) \
  FOLD (sum_abs, T, double, suffix, 0, ADD_SIZE, ADD, FINISH_FLOAT)                \
  FOLD (sum_square, T, double, suffix, 0, ADD_SQUARE, ADD, FINISH_FLOAT)

#define INTEGER_LOOPS(DEFINE, T, suffix, lowest, highest)                  \
  DEFINE (sum, T, guint64, suffix, 0, ADD, ADD, FINISH_INTEGER)            \
  DEFINE (prod, T, guint64, suffix, 1, MULTIPLY, MULTIPLY, FINISH_INTEGER) \
  DEFINE (max, T, T, suffix, lowest, LARGER, LARGER, FINISH_INTEGER)       \
  DEFINE (min, T, T, suffix, highest, SMALLER, SMALLER, FINISH_INTEGER)

LOOPS (sum, float, double, f32, 0, ADD, ADD, FINISH_FLOAT)
FLOAT_LOOPS (FOLDED, LOOPS, float, f32)
ENDS (max, float, float, f32, -INFINITY, LARGER, FINISH_FLOAT)
ENDS (min, float, float, f32, INFINITY, SMALLER, FINISH_FLOAT)
FOLDED_WITH_ROWS (sum, double, double, f64, 0, ADD, ADD, FINISH_FLOAT)
FLOAT_LOOPS (FOLDED_WITH_ROWS, LOOPS_WITH_ROWS, double, f64)
FOLDED_WITH_ROWS (max, double, double, f64, -INFINITY, LARGER, LARGER, FINISH_FLOAT)
FOLDED_WITH_ROWS (min, double, double, f64, INFINITY, SMALLER, SMALLER, FINISH_FLOAT)
INTEGER_LOOPS (LOOPS_WITH_ROWS, guint8, u8, 0, G_MAXUINT8)
INTEGER_LOOPS (LOOPS_WITH_ROWS, gint8, i8, G_MININT8, G_MAXINT8)
INTEGER_LOOPS (FOLDED, gint32, i32, G_MININT32, G_MAXINT32)
INTEGER_LOOPS (FOLDED_WITH_ROWS, gint64, i64, G_MININT64, G_MAXINT64)

/* The sum of a row of floats, by the vectorised loop of rows.h. */
static void
sum_row_of_floats (gpointer accumulator, gconstpointer elements, gint64 n)
{
  *(double *) accumulator += hyb_row_sum_pieces_f32 (n, elements);
}

static void
finish_floats (gconstpointer sums, gint64 n, HybReduceFinish how, gint64 count, gpointer results)
{
  if (how == HYB_REDUCE_MEAN)
    hyb_sum_means_f32 (sums, n, (double) count, results);
  else
    sum_finish_f32 (sums, n, how, count, results);
}

static const HybReduceLoops sum_floats = {
  .start = sum_start_f32,
  .row = sum_row_of_floats,
  .columns = hyb_sum_columns_f32,
  .combine = hyb_sum_combine_f32,
  .finish = finish_floats,
  .short_rows = hyb_sum_rows_f32,
  .size = sizeof (double),
  .min_width = NARROW,
  .exact = &sum_f32,
};

static const HybReduceLoops max_floats = {
  .start = max_start_f32,
  .row = hyb_max_row_f32,
  .columns = hyb_max_columns_f32,
  .combine = max_combine_f32,
  .finish = max_finish_f32,
  .size = sizeof (float),
  .min_width = NARROW,
};

static const HybReduceLoops min_floats = {
  .start = min_start_f32,
  .row = hyb_min_row_f32,
  .columns = hyb_min_columns_f32,
  .combine = min_combine_f32,
  .finish = min_finish_f32,
  .size = sizeof (float),
  .min_width = NARROW,
};

const HybReduceLoops *
hyb_reduce_loops (HybReduceKind kind, HybDType dtype)
{
  static const HybReduceLoops *const loops[HYB_N_DTYPES][HYB_N_REDUCTIONS] = {
    [HYB_F32] = { &sum_floats, &prod_f32, &max_floats, &min_floats, &nan_sum_f32, &nan_prod_f32,
                  &sum_abs_f32, &sum_square_f32 },
    [HYB_F64] = { &sum_f64, &prod_f64, &max_f64, &min_f64, &nan_sum_f64, &nan_prod_f64,
                  &sum_abs_f64, &sum_square_f64 },
    [HYB_U8] = { &sum_u8, &prod_u8, &max_u8, &min_u8, &sum_u8, &prod_u8 },
    [HYB_I8] = { &sum_i8, &prod_i8, &max_i8, &min_i8, &sum_i8, &prod_i8 },
    [HYB_I32] = { &sum_i32, &prod_i32, &max_i32, &min_i32, &sum_i32, &prod_i32 },
    [HYB_I64] = { &sum_i64, &prod_i64, &max_i64, &min_i64, &sum_i64, &prod_i64 },
  };

  return loops[dtype][kind];
}
