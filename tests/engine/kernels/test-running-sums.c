/* test-running-sums.c — running sums of floats that overflow on the way have the same right bytes at every level of vector
 * instructions, side by side and line by line, in place and not.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/running-sums.h"

#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>

#define LENGTH 20
#define MOST   70
#define LARGE  3e38f

/* Lines of four kinds: the sum of the third strip overflows, that of the first, none; one holds an infinity. */
static float
element (gint64 k, gint64 line)
{
  switch (line % 4)
    {
    case 0:
      return k == 0 || k == 8 ? LARGE : k == 16 ? -LARGE : 0;
    case 1:
      return k < 2 ? LARGE : k < 4 ? -LARGE : 0;
    case 2:
      return (float) (k * 31 % 17) / 7;
    default:
      return k == 9 ? -INFINITY : 1;
    }
}

/* Writes a line alone to y, and compares it with sums in double. */
static void
sum_line (gint64 line, gboolean exclusive, float y[LENGTH])
{
  double total = 0;

  for (gint64 k = 0; k < LENGTH; k++)
    y[k] = element (k, line);
  hyb_running_sums (&(HybRunningSums){ HYB_F32, exclusive, LENGTH, 1, 1, y, y });
  for (gint64 k = 0; k < LENGTH; k++)
    {
      double before = total;
      float  want;

      total += (double) element (k, line);
      want = (float) (exclusive ? before : total);
      g_assert_true (y[k] == want || fabsf (y[k] - want) < 1e-4f);
    }
}

/* n lines side by side. */
static void
check_lines (gint64 n, gboolean exclusive, gboolean in_place, gboolean reverse)
{
  float          x[LENGTH * MOST], sums[LENGTH * MOST], line[LENGTH];
  float         *y = in_place ? x : sums;
  gint64         first = reverse ? (LENGTH - 1) * n : 0, step = reverse ? -n : n;
  HybRunningSums lines = { HYB_F32, exclusive, LENGTH, step, n, x + first, y + first };

  for (gint64 k = 0; k < LENGTH; k++)
    for (gint64 i = 0; i < n; i++)
      x[first + k * step + i] = element (k, i);
  hyb_running_sums (&lines);
  for (gint64 i = 0; i < n; i++)
    {
      sum_line (i, exclusive, line);
      for (gint64 k = 0; k < LENGTH; k++)
        g_assert_cmpmem (y + first + k * step + i, sizeof *y, line + k, sizeof *line);
    }
}

static void
test_sums_that_overflow_on_the_way_are_right (void)
{
  static const gint64 n_lines[] = { 1, 4, 7, 8, 16, 19, 35, 70 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      for (guint i = 0; i < G_N_ELEMENTS (n_lines); i++)
        for (guint how = 0; how < 8; how++)
          check_lines (n_lines[i], how & 1, how >> 1 & 1, how >> 2 & 1);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_running_sums)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/running-sums/sums-that-overflow-on-the-way-are-right",
                   test_sums_that_overflow_on_the_way_are_right);

  return g_test_run ();
}
