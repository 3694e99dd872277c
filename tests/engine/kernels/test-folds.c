/* test-folds.c — rows and columns are added, multiplied and compared as by plain loops, for every kind, type and level of
 * vector instructions, and every length up to a few vectors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/folds.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define MOST 150
#define ROWS 19
/* Columns and rows of test_equal_columns_give_equal_bytes(). */
#define MOST_EQUAL 40
#define EQUAL_ROWS 40

static guint64 elements[ROWS * MOST];

/* Whether accumulators have the type of the elements; otherwise they are doubles, or integers of 64 bits. */
static gboolean
keeps_type (HybReduceKind kind)
{
  return kind == HYB_REDUCE_MAX || kind == HYB_REDUCE_MIN;
}

static HybDType
accumulator_type (HybReduceKind kind, HybDType dtype)
{
  return keeps_type (kind) ? dtype : hyb_dtype_is_float (dtype) ? HYB_F64 : HYB_I64;
}

static double
step (HybReduceKind kind, double total, double x)
{
  switch (kind)
    {
    case HYB_REDUCE_SUM:
      return total + x;
    case HYB_REDUCE_PROD:
      return total * x;
    case HYB_REDUCE_SUM_ABS:
      return total + fabs (x);
    case HYB_REDUCE_SUM_SQUARE:
      return total + x * x;
    case HYB_REDUCE_MAX:
      return isnan (total) || total > x ? total : x;
    case HYB_REDUCE_MIN:
      return isnan (total) || total < x ? total : x;
    case HYB_REDUCE_NAN_SUM:
    case HYB_REDUCE_NAN_PROD:
    case HYB_N_REDUCTIONS:
      break;
    }
  g_assert_not_reached ();
}

/* Whole numbers, so that every order gives the same sum; of products most are 1 or −1. */
static void
fill (HybReduceKind kind, HybDType dtype)
{
  for (guint i = 0; i < ROWS * MOST; i++)
    {
      double value = (double) (i * 7919 % 23) - 11;

      if (kind == HYB_REDUCE_PROD)
        value = i * 7919 % 61 == 60 ? 2 : i % 3 ? 1 : -1;
      if (dtype == HYB_F64 && keeps_type (kind) && i * 104729 % 997 == 0)
        value = NAN;
      hyb_dtype_set_double (elements, dtype, i, value);
    }
}

static void
check_number (const void *got, HybDType dtype, gsize at, double want)
{
  double number = hyb_dtype_get_double (got, dtype, at);

  if (isnan (want) ? !isnan (number) : number != want)
    g_error ("element %" G_GSIZE_FORMAT " is %g, not %g", at, number, want);
}

static void
check_row (HybReduceKind kind, HybDType dtype, gint64 n)
{
  HybDType to = accumulator_type (kind, dtype);
  guint64  got = 0;
  double   want = 2;

  hyb_dtype_set_double (&got, to, 0, want);
  hyb_fold (kind, dtype).row (&got, elements, n);
  for (gint64 i = 0; i < n; i++)
    want = step (kind, want, hyb_dtype_get_double (elements, dtype, (gsize) i));
  check_number (&got, to, 0, want);
}

static void
check_columns (HybReduceKind kind, HybDType dtype, gint64 n)
{
  HybDType to = accumulator_type (kind, dtype);
  guint64  got[MOST + 1];

  for (gsize i = 0; i <= (gsize) n; i++)
    hyb_dtype_set_double (got, to, i, 2);
  hyb_fold (kind, dtype).columns (got, elements, n, ROWS, MOST);
  for (gint64 i = 0; i <= n; i++)
    {
      double want = 2;

      for (gint64 row = 0; row < ROWS && i < n; row++)
        want = step (kind, want, hyb_dtype_get_double (elements, dtype, (gsize) (row * MOST + i)));
      check_number (got, to, (gsize) i, want);
    }
}

static void
test_rows_and_columns_are_those_of_plain_loops (void)
{
  guint n_folds = 0;

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
        for (HybReduceKind kind = 0; kind < HYB_N_REDUCTIONS; kind++)
          {
            if (!hyb_fold (kind, dtype).row)
              continue;
            n_folds++;
            fill (kind, dtype);
            for (gint64 n = 0; n < MOST; n++)
              {
                check_row (kind, dtype, n);
                check_columns (kind, dtype, n);
              }
          }
    }
  g_assert_cmpuint (n_folds, ==, 3 * (3 + 6 + 4 + 4));
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Columns of one fraction, whose sum depends on the order in which rows are added. */
static void
check_equal_columns (HybReduceKind kind, HybDType dtype, gint64 n)
{
  double totals[MOST_EQUAL];

  for (gint64 i = 0; i < n; i++)
    totals[i] = 0.1;
  hyb_fold (kind, dtype).columns (totals, elements, n, EQUAL_ROWS, MOST_EQUAL);
  for (gint64 i = 1; i < n; i++)
    g_assert_cmpmem (&totals[i], sizeof *totals, &totals[0], sizeof *totals);
}

static void
test_equal_columns_give_equal_bytes (void)
{
  static const HybDType dtypes[] = { HYB_F32, HYB_F64 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
        for (HybReduceKind kind = 0; kind < HYB_N_REDUCTIONS; kind++)
          {
            if (!hyb_fold (kind, dtypes[t]).columns)
              continue;
            for (gsize i = 0; i < EQUAL_ROWS * MOST_EQUAL; i++)
              hyb_dtype_set_double (elements, dtypes[t], i, 0.1 * (double) (1 + i / MOST_EQUAL));
            for (gint64 n = 1; n <= MOST_EQUAL; n++)
              check_equal_columns (kind, dtypes[t], n);
          }
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_folds)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/folds/rows-and-columns-are-those-of-plain-loops",
                   test_rows_and_columns_are_those_of_plain_loops);
  g_test_add_func ("/engine/kernels/folds/equal-columns-give-equal-bytes",
                   test_equal_columns_give_equal_bytes);

  return g_test_run ();
}
