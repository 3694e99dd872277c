/* folds-kernel.h — the loops of folds.c for one instruction set.
 *
 * row: for i in steps of BLOCK vectors, each into a vector of its own, because one alone would wait for the latency of each
 * operation; these are combined in a fixed order.
 * columns: for each strip of STRIP rows, for each block of BLOCK vectors of columns (the rest: one vector, then the last one,
 * of which only the columns that are left count), for each row; the accumulators of a block stay in registers.  Each column
 * adds its rows in their order, so equal columns give equal bytes.
 *
 * COUNT accumulators of type A fill a vector.  LOAD reads as many elements of type T.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vectors of accumulators that are in registers. */
#define BLOCK 8
/* Rows that are read in turn; more streams are not prefetched well. */
#define STRIP 16

#define WIDTH (LANES / 2)

typedef gint64 SIMD (Longs) __attribute__ ((vector_size (WIDTH * sizeof (gint64))));
#define Longs SIMD (Longs)

INLINE Doubles
SIMD (load_f64) (const double *x)
{
  Doubles value;

  memcpy (&value, x, sizeof value);
  return value;
}

INLINE Longs
SIMD (load_i64) (const gint64 *x)
{
  Longs value;

  memcpy (&value, x, sizeof value);
  return value;
}

INLINE Longs
SIMD (load_i32_long) (const gint32 *x)
{
  typedef gint32 Half __attribute__ ((vector_size (WIDTH * sizeof (gint32))));
  Half           value;

  memcpy (&value, x, sizeof value);
  return __builtin_convertvector(value, Longs);
}

INLINE Ints
SIMD (load_i32) (const gint32 *x)
{
  Ints value;

  memcpy (&value, x, sizeof value);
  return value;
}

#define ADD(a, v)        ((a) + (v))
#define MULTIPLY(a, v)   ((a) * (v))
#define ADD_SQUARE(a, v) ((a) + (v) * (v))
/* Without their signs. */
#define ADD_SIZE(a, v) ((a) + (Doubles) ((Longs) (v) &G_MAXINT64))
/* v where it is more extreme or NaN. */
#define CHOOSE(Mask, wins, v, a) (((wins) & (Mask) (v)) | (~(wins) & (Mask) (a)))
#define LARGER_F64(a, v)         ((Doubles) CHOOSE (Longs, ((v) > (a)) | ((v) != (v)), v, a))
#define SMALLER_F64(a, v)        ((Doubles) CHOOSE (Longs, ((v) < (a)) | ((v) != (v)), v, a))
#define LARGER_I64(a, v)         CHOOSE (Longs, (v) > (a), v, a)
#define SMALLER_I64(a, v)        CHOOSE (Longs, (v) < (a), v, a)
#define LARGER_I32(a, v)         CHOOSE (Ints, (v) > (a), v, a)
#define SMALLER_I32(a, v)        CHOOSE (Ints, (v) < (a), v, a)

/* START is the neutral element; STEP and COMBINE work on vectors, ONE_STEP and ONE_COMBINE on numbers. */
#define DEFINE(name, T, A, Vector, COUNT, LOAD, START, STEP, COMBINE, ONE_STEP, ONE_COMBINE)    \
  static TARGET void SIMD (name##_row) (gpointer accumulator, gconstpointer elements, gint64 n) \
  {                                                                                             \
    const T *x = elements;                                                                      \
    A       *total = accumulator, sum = *total;                                                 \
    gint64   i = 0;                                                                             \
    Vector   sums[BLOCK];                                                                       \
                                                                                                \
    HYB_UNROLL (8)                                                                              \
    for (int k = 0; k < BLOCK; k++)                                                             \
      sums[k] = (A) (START) - (Vector){ 0 };                                                    \
    for (; i + BLOCK * COUNT <= n; i += BLOCK * COUNT)                                          \
      {                                                                                         \
        HYB_UNROLL (8)                                                                          \
        for (int k = 0; k < BLOCK; k++)                                                         \
          sums[k] = STEP (sums[k], LOAD (x + i + k * COUNT));                                   \
      }                                                                                         \
    for (; i + COUNT <= n; i += COUNT)                                                          \
      sums[0] = STEP (sums[0], LOAD (x + i));                                                   \
    for (; i < n; i++)                                                                          \
      sum = (A) ONE_STEP (sum, (A) x[i]);                                                       \
    HYB_UNROLL (4)                                                                              \
    for (int k = 0; k < BLOCK / 2; k++)                                                         \
      sums[k] = COMBINE (sums[k], sums[k + BLOCK / 2]);                                         \
    sums[0] = COMBINE (COMBINE (sums[0], sums[2]), COMBINE (sums[1], sums[3]));                 \
    for (int lane = 0; lane < COUNT; lane++)                                                    \
      sum = (A) ONE_COMBINE (sum, sums[0][lane]);                                               \
    *total = sum;                                                                               \
  }                                                                                             \
                                                                                                \
  /* n_vectors is a constant wherever this is inlined. */                                       \
  INLINE void SIMD (name##_block) (A * totals, const T *x, const int n_vectors, gint64 n_rows,  \
                                   gint64 stride)                                               \
  {                                                                                             \
    Vector sums[BLOCK];                                                                         \
                                                                                                \
    HYB_UNROLL (8)                                                                              \
    for (int k = 0; k < n_vectors; k++)                                                         \
      memcpy (&sums[k], totals + k * COUNT, sizeof *sums);                                      \
    for (gint64 row = 0; row < n_rows; row++, x += stride)                                      \
      {                                                                                         \
        HYB_UNROLL (8)                                                                          \
        for (int k = 0; k < n_vectors; k++)                                                     \
          sums[k] = STEP (sums[k], LOAD (x + k * COUNT));                                       \
      }                                                                                         \
    HYB_UNROLL (8)                                                                              \
    for (int k = 0; k < n_vectors; k++)                                                         \
      memcpy (totals + k * COUNT, &sums[k], sizeof *sums);                                      \
  }                                                                                             \
                                                                                                \
  static TARGET void SIMD (name##_columns) (gpointer accumulators, gconstpointer elements,      \
                                            gint64 n, gint64 n_rows, gint64 stride)             \
  {                                                                                             \
    A *totals = accumulators;                                                                   \
                                                                                                \
    for (gint64 first = 0; first < n_rows; first += STRIP)                                      \
      {                                                                                         \
        const T *x = (const T *) elements + first * stride;                                     \
        gint64   height = MIN (STRIP, n_rows - first), i = 0;                                   \
                                                                                                \
        for (; i + BLOCK * COUNT <= n; i += BLOCK * COUNT)                                      \
          SIMD (name##_block) (totals + i, x + i, BLOCK, height, stride);                       \
        for (; i + COUNT <= n; i += COUNT)                                                      \
          SIMD (name##_block) (totals + i, x + i, 1, height, stride);                           \
        if (i < n && n >= COUNT)                                                                \
          {                                                                                     \
            A last[COUNT];                                                                      \
                                                                                                \
            for (int lane = 0; lane < COUNT; lane++)                                            \
              last[lane] = lane >= i + COUNT - n ? totals[n - COUNT + lane] : (A) (START);      \
            SIMD (name##_block) (last, x + n - COUNT, 1, height, stride);                       \
            for (; i < n; i++)                                                                  \
              totals[i] = last[i + COUNT - n];                                                  \
          }                                                                                     \
        for (; i < n; i++)                                                                      \
          for (gint64 row = 0; row < height; row++)                                             \
            totals[i] = (A) ONE_STEP (totals[i], (A) x[i + row * stride]);                      \
      }                                                                                         \
  }

#define ONE_SQUARE(a, x)  ((a) + (x) * (x))
#define ONE_SIZE(a, x)    ((a) + fabs (x))
#define ONE_LARGER(a, x)  ((((x) > (a)) | ((x) != (x))) ? (x) : (a))
#define ONE_SMALLER(a, x) ((((x) < (a)) | ((x) != (x))) ? (x) : (a))

#define FLOATS(suffix, T, LOAD)                                                               \
  DEFINE (prod_##suffix, T, double, Doubles, WIDTH, LOAD, 1, MULTIPLY, MULTIPLY, MULTIPLY,    \
          MULTIPLY)                                                                           \
  DEFINE (sum_abs_##suffix, T, double, Doubles, WIDTH, LOAD, 0, ADD_SIZE, ADD, ONE_SIZE, ADD) \
  DEFINE (sum_square_##suffix, T, double, Doubles, WIDTH, LOAD, 0, ADD_SQUARE, ADD, ONE_SQUARE, ADD)
#define EXTREMES(suffix, T, Vector, COUNT, LOAD, LARGER, SMALLER, lowest, highest)                 \
  DEFINE (max_##suffix, T, T, Vector, COUNT, LOAD, lowest, LARGER, LARGER, ONE_LARGER, ONE_LARGER) \
  DEFINE (min_##suffix, T, T, Vector, COUNT, LOAD, highest, SMALLER, SMALLER, ONE_SMALLER,         \
          ONE_SMALLER)
#define INTEGERS(suffix, T, LOAD)                                                                 \
  DEFINE (sum_##suffix, T, guint64, SIMD (Unsigned), WIDTH, (SIMD (Unsigned)) LOAD, 0, ADD, ADD,  \
          ADD, ADD)                                                                               \
  DEFINE (prod_##suffix, T, guint64, SIMD (Unsigned), WIDTH, (SIMD (Unsigned)) LOAD, 1, MULTIPLY, \
          MULTIPLY, MULTIPLY, MULTIPLY)

/* Integers wrap. */
typedef guint64 SIMD (Unsigned) __attribute__ ((vector_size (WIDTH * sizeof (guint64))));

FLOATS (f32, float, simd_load_doubles)
FLOATS (f64, double, SIMD (load_f64))
DEFINE (sum_f64, double, double, Doubles, WIDTH, SIMD (load_f64), 0, ADD, ADD, ADD, ADD)
EXTREMES (f64,
          double,
          Doubles,
          WIDTH,
          SIMD (load_f64),
          LARGER_F64,
          SMALLER_F64,
          -INFINITY,
          INFINITY)
INTEGERS (i32, gint32, SIMD (load_i32_long))
INTEGERS (i64, gint64, SIMD (load_i64))
EXTREMES (i32,
          gint32,
          Ints,
          LANES,
          SIMD (load_i32),
          LARGER_I32,
          SMALLER_I32,
          G_MININT32,
          G_MAXINT32)
EXTREMES (i64,
          gint64,
          Longs,
          WIDTH,
          SIMD (load_i64),
          LARGER_I64,
          SMALLER_I64,
          G_MININT64,
          G_MAXINT64)

#define FOLD(name)                           \
  {                                          \
    SIMD (name##_row), SIMD (name##_columns) \
  }

static const HybFold SIMD (folds)[HYB_N_DTYPES][HYB_N_REDUCTIONS] = {
  [HYB_F32] = { [HYB_REDUCE_PROD] = FOLD (prod_f32),
                [HYB_REDUCE_SUM_ABS] = FOLD (sum_abs_f32),
                [HYB_REDUCE_SUM_SQUARE] = FOLD (sum_square_f32) },
  [HYB_F64] = { [HYB_REDUCE_SUM] = FOLD (sum_f64),
                [HYB_REDUCE_PROD] = FOLD (prod_f64),
                [HYB_REDUCE_SUM_ABS] = FOLD (sum_abs_f64),
                [HYB_REDUCE_SUM_SQUARE] = FOLD (sum_square_f64),
                [HYB_REDUCE_MAX] = FOLD (max_f64),
                [HYB_REDUCE_MIN] = FOLD (min_f64) },
  [HYB_I32] = { [HYB_REDUCE_SUM] = FOLD (sum_i32),
                [HYB_REDUCE_PROD] = FOLD (prod_i32),
                [HYB_REDUCE_MAX] = FOLD (max_i32),
                [HYB_REDUCE_MIN] = FOLD (min_i32) },
  [HYB_I64] = { [HYB_REDUCE_SUM] = FOLD (sum_i64),
                [HYB_REDUCE_PROD] = FOLD (prod_i64),
                [HYB_REDUCE_MAX] = FOLD (max_i64),
                [HYB_REDUCE_MIN] = FOLD (min_i64) },
};

#undef Longs
#undef BLOCK
#undef STRIP
#undef WIDTH
#undef ADD
#undef MULTIPLY
#undef ADD_SQUARE
#undef ADD_SIZE
#undef CHOOSE
#undef LARGER_F64
#undef SMALLER_F64
#undef LARGER_I64
#undef SMALLER_I64
#undef LARGER_I32
#undef SMALLER_I32
#undef DEFINE
#undef ONE_SQUARE
#undef ONE_SIZE
#undef ONE_LARGER
#undef ONE_SMALLER
#undef FLOATS
#undef EXTREMES
#undef INTEGERS
#undef FOLD
