/* test-reduction.c — compares reductions over any axes with plain loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/reduction/reduction.h"

#include "engine/base/parallel.h"
#include "engine/kernels/reduction/extremes.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* The result that element `at` of x contributes to. */
static gint64
place_of (const HybShape *shape, guint32 axes, gint64 at)
{
  gint64 place = 0, step = 1;

  for (int i = shape->rank - 1; i >= 0; i--)
    {
      if (!(axes >> i & 1))
        {
          place += at % shape->dim[i] * step;
          step *= shape->dim[i];
        }
      at /= shape->dim[i];
    }
  return place;
}

static double
step (HybReduceKind kind, double sum, double x)
{
  switch (kind)
    {
    case HYB_REDUCE_SUM:
      return sum + x;
    case HYB_REDUCE_PROD:
      return sum * x;
    case HYB_REDUCE_MAX:
      return MAX (sum, x);
    case HYB_REDUCE_MIN:
      return MIN (sum, x);
    case HYB_REDUCE_NAN_SUM:
      return isnan (x) ? sum : sum + x;
    case HYB_REDUCE_NAN_PROD:
      return isnan (x) ? sum : sum * x;
    case HYB_REDUCE_SUM_ABS:
      return sum + fabs (x);
    case HYB_REDUCE_SUM_SQUARE:
      return sum + x * x;
    case HYB_N_REDUCTIONS:
      break;
    }
  return NAN;
}

static double
identity (HybReduceKind kind)
{
  if (kind == HYB_REDUCE_PROD || kind == HYB_REDUCE_NAN_PROD)
    return 1;
  return kind == HYB_REDUCE_MAX ? -INFINITY : kind == HYB_REDUCE_MIN ? INFINITY : 0;
}

static void
check (HybReduceKind kind, HybDType dtype, const HybShape *shape, guint32 axes)
{
  gint64             n = hyb_shape_size (shape), n_results = 1;
  gsize              size = hyb_dtype_size (dtype);
  g_autofree char   *x = g_malloc ((gsize) n * size + 1);
  g_autofree char   *y = NULL;
  g_autofree double *want = NULL;

  for (int i = 0; i < shape->rank; i++)
    n_results *= axes >> i & 1 ? 1 : shape->dim[i];
  y = g_malloc ((gsize) n_results * size + 1);
  want = g_new (double, n_results + 1);
  for (gint64 i = 0; i < n_results; i++)
    want[i] = identity (kind);
  for (gint64 i = 0; i < n; i++)
    {
      /* Small integers, so that sums are exact; products of ones and minus ones. */
      double value = kind == HYB_REDUCE_PROD || kind == HYB_REDUCE_NAN_PROD
                         ? (i * 7 % 5 < 2 ? -1 : 1)
                         : (double) (i * 7919 % 23) - 11;

      hyb_dtype_set_double (x, dtype, (gsize) i, value);
      value = hyb_dtype_get_double (x, dtype, (gsize) i);
      want[place_of (shape, axes, i)] = step (kind, want[place_of (shape, axes, i)], value);
    }
  hyb_reduce (&(HybReduction){
      .kind = kind, .dtype = dtype, .shape = shape, .axes = axes, .x = x, .y = y });
  for (gint64 i = 0; i < n_results; i++)
    {
      double got = hyb_dtype_get_double (y, dtype, (gsize) i);

      if (n > 0 && hyb_dtype_is_float (dtype) && got != want[i])
        g_error ("result %" G_GINT64_FORMAT " is %g, not %g", i, got, want[i]);
      if (n > 0 && dtype == HYB_I32 && got != want[i])
        g_error ("result %" G_GINT64_FORMAT " is %g, not %g", i, got, want[i]);
    }
}

static void
test_random_axes (void)
{
  const HybDType dtypes[] = { HYB_F32, HYB_F64, HYB_I32, HYB_U8, HYB_I8, HYB_I64 };

  for (int round = 0; round < 2000; round++)
    {
      HybShape      shape = { .rank = g_test_rand_int_range (0, 6) };
      HybDType      dtype = dtypes[g_test_rand_int_range (0, G_N_ELEMENTS (dtypes))];
      HybReduceKind kind = (HybReduceKind) g_test_rand_int_range (0, hyb_dtype_is_float (dtype)
                                                                         ? HYB_N_REDUCTIONS
                                                                         : HYB_REDUCE_NAN_SUM);

      for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = g_test_rand_int_range (0, 20) == 0 ? 0 : g_test_rand_int_range (1, 9);
      check (kind, dtype, &shape, (guint32) g_test_rand_int_range (0, 64));
    }
}

/* Shapes that use every way of splitting: pieces, blocks, stripes, short rows, narrow columns. */
static void
test_large_shapes (void)
{
  const HybShape shapes[] = {
    hyb_shape_1d (1000003),       hyb_shape_2d (3, 200001),   hyb_shape_2d (200001, 3),
    hyb_shape_2d (1003, 517),     hyb_shape_2d (70, 5003),    hyb_shape_2d (5003, 70),
    hyb_shape_3d (40, 65, 203),   hyb_shape_3d (3, 70001, 2), hyb_shape_3d (300, 4, 301),
    hyb_shape_4d (9, 31, 33, 17),
  };

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
    for (guint32 axes = 0; axes < 1u << shapes[k].rank; axes++)
      {
        check (HYB_REDUCE_SUM, HYB_F32, &shapes[k], axes);
        check (HYB_REDUCE_MAX, HYB_F32, &shapes[k], axes);
        check (HYB_REDUCE_SUM, HYB_I32, &shapes[k], axes);
      }
}

static void
test_threads_do_not_change_sums (void)
{
  const gint64      n = 500000;
  HybShape          shape = hyb_shape_1d (n);
  g_autofree float *x = g_new (float, n);
  float             first, again;
  HybReduction      mean = { .kind = HYB_REDUCE_SUM,
                             .finish = HYB_REDUCE_MEAN,
                             .dtype = HYB_F32,
                             .shape = &shape,
                             .axes = 1,
                             .x = x,
                             .y = &first };

  for (gint64 i = 0; i < n; i++)
    x[i] = (float) g_test_rand_double ();
  hyb_parallel_set_threads (1);
  hyb_reduce (&mean);
  mean.y = &again;
  for (guint threads = 2; threads < 6; threads++)
    {
      hyb_parallel_set_threads (threads);
      hyb_reduce (&mean);
      g_assert_cmpint (memcmp (&first, &again, sizeof first), ==, 0);
    }
}

/* Reduces 1000 floats to one. */
static float
reduce_row (HybReduceKind kind, const float *x)
{
  HybShape shape = hyb_shape_1d (1000);
  float    y;

  hyb_reduce (&(HybReduction){
      .kind = kind, .dtype = HYB_F32, .shape = &shape, .axes = 1, .x = x, .y = &y });
  return y;
}

static void
test_nan_wins_wherever_it_stands (void)
{
  for (int at = 0; at < 1000; at += 37)
    {
      float x[1000] = { 0 };

      x[at] = NAN;
      x[500] = 7;
      if (at == 500)
        continue;
      g_assert_true (isnan (reduce_row (HYB_REDUCE_MAX, x)));
      g_assert_true (isnan (reduce_row (HYB_REDUCE_MIN, x)));
      g_assert_cmpfloat (reduce_row (HYB_REDUCE_NAN_SUM, x), ==, 7);
    }
}

/* Rows of every length around that of vectors, with and without a NaN, at each level of vector instructions. */
static void
test_extremes_of_short_rows (void)
{
  float x[150];

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (gint64 n = 1; n <= 150; n++)
      for (gint64 at = 0; at < n; at++)
        {
          float largest = -INFINITY, smallest = INFINITY;

          hyb_simd_cap ((HybSimdLevel) level);
          for (gint64 i = 0; i < n; i++)
            x[i] = (float) (i * 37 % 11 - 5);
          x[at] = 20;
          hyb_max_row_f32 (&largest, x, n);
          x[at] = -20;
          hyb_min_row_f32 (&smallest, x, n);
          g_assert_true (largest == 20 && smallest == -20);
          x[at] = NAN;
          hyb_max_row_f32 (&largest, x, n);
          hyb_min_row_f32 (&smallest, x, n);
          g_assert_true (isnan (largest) && isnan (smallest));
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Checks means over axis 1; n_additions of floats round each element that is not squared. */
static void
check_means (const HybReduction *reduction, int n_additions)
{
  const HybShape *shape = reduction->shape;
  const float    *x = reduction->x, *y = reduction->y;
  gint64          length = shape->dim[1], inner = shape->rank > 2 ? shape->dim[2] : 1;
  gboolean        is_square = reduction->kind == HYB_REDUCE_SUM_SQUARE;

  for (gint64 i = 0; i < shape->dim[0] * inner; i++)
    {
      double sum = 0, magnitude = 0;

      for (gint64 j = 0; j < length; j++)
        {
          double value = (double) x[(i / inner * length + j) * inner + i % inner];

          sum += is_square ? value * value : value;
          magnitude += is_square ? 0 : fabs (value);
        }
      g_assert_cmpfloat (fabs ((double) y[i] * (double) length - sum), <=,
                         n_additions * 0x1p-24 * magnitude + 0x1p-24 * fabs (sum) * 1.0001);
    }
}

/* Sums of columns are the same at all levels.  Squares are added in double; of other sums eight elements of a column are
 * added as floats before, so that each goes through three additions that round; of a row, through seven at most. */
static void
test_columns_and_short_rows_are_exact_enough_at_all_levels (void)
{
  const HybReduceKind kinds[] = { HYB_REDUCE_SUM, HYB_REDUCE_SUM_SQUARE };
  const gint64        sizes[] = { 2, 7, 37, 63, 135 };

  for (guint at = 0; at < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (kinds) * 2; at++)
    {
      HybReduceKind     kind = kinds[at % 2];
      gboolean          is_rows = at / 2 % 2;
      gint64            row = kind == HYB_REDUCE_SUM ? sizes[at / 4] : MIN (sizes[at / 4], 64);
      gint64            length = is_rows ? row : 1000, n = is_rows ? 131 : sizes[at / 4];
      HybShape          shape = is_rows ? hyb_shape_2d (n, length) : hyb_shape_3d (1, length, n);
      g_autofree float *x = g_new (float, n *length), *y = g_new (float, n),
                       *first = g_new (float, n);

      if (!is_rows)
        shape.dim[1] = length = n < 512 ? MIN (length, 512 / n) : length;
      for (gint64 i = 0; i < n * length; i++)
        x[i] = (float) g_test_rand_double_range (-1, 1) * (i % 5 == 0 ? 1e6f : 1);
      for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
        {
          HybReduction reduction = { .kind = kind,
                                     .dtype = HYB_F32,
                                     .shape = &shape,
                                     .finish = HYB_REDUCE_MEAN,
                                     .axes = 2,
                                     .x = x,
                                     .y = level == HYB_SIMD_PLAIN ? first : y };

          hyb_simd_cap ((HybSimdLevel) level);
          hyb_reduce (&reduction);
          check_means (&reduction, is_rows ? 7 : 3);
          if (level > HYB_SIMD_PLAIN && (!is_rows || kind == HYB_REDUCE_SUM_SQUARE))
            g_assert_cmpmem (y, (gsize) n * sizeof *y, first, (gsize) n * sizeof *y);
        }
      hyb_simd_cap (HYB_SIMD_AVX512);
    }
}

/* A row of floats has the same sum whichever rows are beside it. */
static void
test_other_rows_change_no_byte_of_a_sum (void)
{
  float x[37 * 150], together[37], alone;

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = (float) g_test_rand_double_range (-1, 1);
  x[64] = INFINITY;
  x[65] = NAN;
  for (int level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (gint64 length = 1; length <= 150; length += length < 66 ? 1 : 7)
      {
        HybShape     all = hyb_shape_2d (37, length), one = hyb_shape_2d (1, length);
        HybReduction reduction = {
          .kind = HYB_REDUCE_SUM, .dtype = HYB_F32, .shape = &all, .axes = 2, .x = x, .y = together
        };

        hyb_simd_cap ((HybSimdLevel) level);
        hyb_reduce (&reduction);
        reduction.shape = &one;
        reduction.y = &alone;
        for (gint64 row = 0; row < 37; row++)
          {
            reduction.x = x + row * length;
            hyb_reduce (&reduction);
            g_assert_cmpmem (&alone, sizeof alone, together + row, sizeof alone);
          }
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The extreme of `length` elements, `stride` apart, where the first one of equals stays and the last NaN. */
static float
find_extreme (const float *x, gint64 length, gint64 stride, gboolean is_largest)
{
  float extreme = is_largest ? -INFINITY : INFINITY;

  for (gint64 i = 0; i < length; i++, x += stride)
    if (isnan (*x) || (is_largest ? *x > extreme : *x < extreme))
      extreme = *x;
  return extreme;
}

/* A number, rarely NaN or an infinity; every fifth line, along `length`, consists of nothing but the infinity `worst`. */
static float
draw_for_extreme (gint64 line, float worst)
{
  int which = g_test_rand_int_range (0, 200);

  if (line % 5 == 0)
    return worst;
  return which == 0  ? NAN
         : which < 8 ? (which % 2 ? INFINITY : -INFINITY)
                     : (float) g_test_rand_double_range (-1, 1);
}

static void
test_extremes_at_all_levels (void)
{
  for (int round = 0; round < 900; round++)
    {
      gboolean          is_largest = round % 2;
      gint64            length = g_test_rand_int_range (1, 140);
      gint64            inner = round / 2 % 2 ? 1 : g_test_rand_int_range (1, 140);
      HybShape          shape = hyb_shape_3d (3, length, inner);
      g_autofree float *x = g_new (float, 3 * length * inner), *y = g_new (float, 3 * inner);

      for (gint64 i = 0; i < 3 * length * inner; i++)
        x[i] = draw_for_extreme (i / (length * inner) * inner + i % inner + round,
                                 is_largest ? -INFINITY : INFINITY);
      hyb_simd_cap ((HybSimdLevel) (round / 4 % 3));
      hyb_reduce (&(HybReduction){ .kind = is_largest ? HYB_REDUCE_MAX : HYB_REDUCE_MIN,
                                   .dtype = HYB_F32,
                                   .shape = &shape,
                                   .axes = 2,
                                   .x = x,
                                   .y = y });
      for (gint64 i = 0; i < 3 * inner; i++)
        {
          float want =
              find_extreme (x + i / inner * length * inner + i % inner, length, inner, is_largest);

          g_assert_true (isnan (want) ? isnan (y[i]) : y[i] == want);
        }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* x[i] is one of equal zeros of either sign, of NaNs of either sign or a small number. */
static void
fill_with_ties (float *x, gint64 n)
{
  static const float some[] = { 0.f, -0.f, -0.f, 0.f, -1.f, NAN, -NAN };

  for (gint64 i = 0; i < n; i++)
    x[i] = some[i * 5 % 37 % (i % 61 < 50 ? 5 : 7)];
}

/* Columns of every number around that of vectors, and as many rows of 4 elements as several threads share. */
static void
check_ties (HybReduceKind kind, const float *x, gint64 n, gint64 length)
{
  HybShape          columns = hyb_shape_2d (length, n), rows = hyb_shape_2d (n, length);
  g_autofree float *y = g_new (float, n);
  float             want;

  for (guint32 axes = 1; axes <= 2; axes++)
    {
      hyb_reduce (&(HybReduction){ .kind = kind,
                                   .dtype = HYB_F32,
                                   .shape = axes == 1 ? &columns : &rows,
                                   .axes = axes,
                                   .x = x,
                                   .y = y });
      for (gint64 i = 0; i < n; i++)
        {
          want = find_extreme (axes == 1 ? x + i : x + i * length, length, axes == 1 ? n : 1,
                               kind == HYB_REDUCE_MAX);
          g_assert_cmpmem (y + i, sizeof *y, &want, sizeof want);
        }
    }
}

static void
test_first_of_equal_extremes_stays (void)
{
  enum
  {
    MANY = 20003
  };
  g_autofree float *x = g_new (float, MANY * 4);

  fill_with_ties (x, MANY * 4);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (int n_threads = 1; n_threads <= 4; n_threads += 3)
      for (HybReduceKind kind = HYB_REDUCE_MAX; kind <= HYB_REDUCE_MIN; kind++)
        {
          hyb_simd_cap ((HybSimdLevel) level);
          hyb_parallel_set_threads (n_threads);
          for (gint64 n = 1; n <= 33; n++)
            check_ties (kind, x + n, n, 5);
          check_ties (kind, x, 131, 4);
          check_ties (kind, x, MANY, 4);
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* The sum of all columns fits into a float, but not that of the first rows. */
static void
test_sums_that_overflow_on_the_way_are_right (void)
{
  const gint64 widths[] = { 1, 3, 16, 37, 600 };

  for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
    for (gint64 length = 2; length < 40; length += 2)
      {
        HybShape          shape = hyb_shape_2d (length, widths[k]);
        g_autofree float *x = g_new (float, length *widths[k]), *y = g_new (float, widths[k]);

        for (gint64 i = 0; i < length * widths[k]; i++)
          x[i] = i / widths[k] < length / 2 ? 3e38f : -3e38f;
        x[0] = -INFINITY;
        hyb_reduce (&(HybReduction){
            .kind = HYB_REDUCE_SUM, .dtype = HYB_F32, .shape = &shape, .axes = 1, .x = x, .y = y });
        g_assert_true (y[0] == -INFINITY);
        for (gint64 i = 1; i < widths[k]; i++)
          g_assert_cmpfloat (y[i], ==, 0);
      }
}

TEST_PROGRAM (test_reduction)
{
  g_test_init (&argc, &argv, NULL);
  hyb_parallel_set_threads (4);

  g_test_add_func ("/engine/kernels/reduction/random-axes", test_random_axes);
  g_test_add_func ("/engine/kernels/reduction/large-shapes", test_large_shapes);
  g_test_add_func ("/engine/kernels/reduction/"
                   "columns-and-short-rows-are-exact-enough-at-all-levels",
                   test_columns_and_short_rows_are_exact_enough_at_all_levels);
  g_test_add_func ("/engine/kernels/reduction/other-rows-change-no-byte-of-a-sum",
                   test_other_rows_change_no_byte_of_a_sum);
  g_test_add_func ("/engine/kernels/reduction/extremes-at-all-levels", test_extremes_at_all_levels);
  g_test_add_func ("/engine/kernels/reduction/sums-that-overflow-on-the-way-are-right",
                   test_sums_that_overflow_on_the_way_are_right);
  g_test_add_func ("/engine/kernels/reduction/threads-do-not-change-sums",
                   test_threads_do_not_change_sums);
  g_test_add_func ("/engine/kernels/reduction/nan-wins-wherever-it-stands",
                   test_nan_wins_wherever_it_stands);
  g_test_add_func ("/engine/kernels/reduction/extremes-of-short-rows", test_extremes_of_short_rows);
  g_test_add_func ("/engine/kernels/reduction/first-of-equal-extremes-stays",
                   test_first_of_equal_extremes_stays);

  return g_test_run ();
}
