/* test-resample.c — tests of resampled planes: sums in double, at every level of vector instructions and numbers of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/moving/resample.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define MAX_SIZE 700

/* Room for the taps of an axis. */
typedef struct
{
  HybTaps taps;
  float   index[HYB_RESAMPLE_MAX_TAPS * MAX_SIZE], weight[HYB_RESAMPLE_MAX_TAPS * MAX_SIZE];
} Axis;

/* Neighbours of where result i lies; every seventh result takes a far element. */
static void
make_axis (Axis *axis, gint64 from, gint64 to, int n_taps)
{
  axis->taps = (HybTaps){ from, to, n_taps, axis->index, axis->weight };
  for (int tap = 0; tap < n_taps; tap++)
    for (gint64 i = 0; i < to; i++)
      {
        gint64 near = i * from / to + tap - n_taps / 2;

        if (i % 7 == 6 && to > 20)
          near = (i * 37 + tap * 11) % from;
        axis->index[tap * to + i] = (float) CLAMP (near, 0, from - 1);
        axis->weight[tap * to + i] = n_taps == 1 ? 1 : (float) sin ((double) (i * 3 + tap)) / 2;
      }
}

static gint64
index_of (const HybTaps *taps, int tap, gint64 i)
{
  return taps->n_taps == 0 ? i : (gint64) taps->index[tap * taps->to + i];
}

static double
weight_of (const HybTaps *taps, int tap, gint64 i)
{
  return taps->n_taps == 0 ? 1 : (double) taps->weight[tap * taps->to + i];
}

/* One result by the definition. */
static double
exact (const HybResample *resample, const float *x, gint64 row, gint64 j)
{
  const HybTaps *rows = &resample->rows, *columns = &resample->columns;
  gint64         plane = row / rows->to, i = row % rows->to;
  double         sum = 0;

  for (int a = 0; a < MAX (1, rows->n_taps); a++)
    for (int b = 0; b < MAX (1, columns->n_taps); b++)
      sum += weight_of (rows, a, i) * weight_of (columns, b, j) *
             (double) x[(plane * rows->from + index_of (rows, a, i)) * columns->from +
                        index_of (columns, b, j)];
  return sum;
}

static void
check (const HybResample *resample)
{
  gint64            n_rows = resample->n_planes * resample->rows.to, width = resample->columns.to;
  gint64            size = resample->n_planes * resample->rows.from * resample->columns.from;
  g_autofree float *x = g_new (float, size), *y = g_new (float, n_rows *width + 1),
                   *first = g_new (float, n_rows *width + 1);

  for (gint64 i = 0; i < size; i++)
    x[i] = (float) cos ((double) i);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint n_threads = 1; n_threads <= 3; n_threads++)
      {
        hyb_simd_cap ((HybSimdLevel) level);
        hyb_parallel_set_threads (n_threads);
        y[n_rows * width] = 77;
        hyb_resample (resample, x, y);
        g_assert_cmpfloat (y[n_rows * width], ==, 77);
        for (gint64 i = 0; i < n_rows * width; i++)
          g_assert_cmpfloat_with_epsilon (y[i], exact (resample, x, i / width, i % width), 1e-5);
        if (n_threads == 1)
          memcpy (first, y, (gsize) (n_rows * width) * sizeof *y);
        else
          g_assert_cmpmem (y, (gsize) (n_rows * width) * sizeof *y, first,
                           (gsize) (n_rows * width) * sizeof *y);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
  hyb_parallel_set_threads (0);
}

/* Widths around those of vectors and strips, which grow, shrink and stay. */
static const gint64 sizes[][2] = {
  { 1, 1 },   { 1, 9 },   { 5, 1 },    { 7, 15 },    { 16, 17 },
  { 33, 16 }, { 40, 31 }, { 90, 300 }, { 700, 257 }, { 255, 511 }
};

static void
test_columns (void)
{
  static Axis rows, columns;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int n_taps = 1; n_taps <= HYB_RESAMPLE_MAX_TAPS; n_taps++)
      {
        make_axis (&columns, sizes[i][0], sizes[i][1], n_taps);
        make_axis (&rows, 3, 3, 0);
        check (&(HybResample){ 2, rows.taps, columns.taps });
      }
}

static void
test_rows (void)
{
  static Axis rows, columns;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int n_taps = 0; n_taps <= HYB_RESAMPLE_MAX_TAPS; n_taps++)
      {
        make_axis (&rows, sizes[i][0], n_taps == 0 ? sizes[i][0] : sizes[i][1], n_taps);
        make_axis (&columns, 19, 19, 0);
        check (&(HybResample){ 2, rows.taps, columns.taps });
      }
}

static void
test_planes (void)
{
  static Axis rows, columns;

  for (int n_taps = 1; n_taps <= HYB_RESAMPLE_MAX_TAPS; n_taps++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        make_axis (&rows, 9, i % 2 ? 23 : 4, n_taps);
        make_axis (&columns, sizes[i][0], sizes[i][1], 1 + (int) i % HYB_RESAMPLE_MAX_TAPS);
        check (&(HybResample){ 3, rows.taps, columns.taps });
      }
}

/* The gradient is the transposed sum. */
static void
test_gradient (void)
{
  static Axis rows, columns;
  float       dy[2 * 7 * 13], dx[2 * 5 * 9];

  make_axis (&rows, 5, 7, 2);
  make_axis (&columns, 9, 13, 3);
  for (int only = 0; only < 2 * 7 * 13; only += 5)
    {
      HybResample resample = { 2, rows.taps, columns.taps };

      memset (dy, 0, sizeof dy);
      dy[only] = 1;
      hyb_resample_backward (&resample, dy, dx);
      for (int k = 0; k < 2 * 5 * 9; k++)
        {
          float x[2 * 5 * 9] = { 0 };

          x[k] = 1;
          g_assert_cmpfloat_with_epsilon (dx[k], exact (&resample, x, only / 13, only % 13), 1e-6);
        }
    }
}

/* What is no index counts as the first element. */
static void
test_wrong_indices_stay_inside (void)
{
  const float index[] = { NAN, -1, 3, INFINITY, 2, 1e30f }, weight[] = { 1, 1, 1, 1, 1, 1 },
              x[] = { 5, 6, 7 };
  HybResample resample = { 1, { 1, 1, 0, NULL, NULL }, { 3, 6, 1, index, weight } };
  float       y[6];

  hyb_resample (&resample, x, y);
  g_assert_cmpmem (y, sizeof y, ((float[]){ 5, 5, 5, 5, 7, 5 }), sizeof y);
}

TEST_PROGRAM (test_resample)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/resample/columns", test_columns);
  g_test_add_func ("/engine/kernels/resample/rows", test_rows);
  g_test_add_func ("/engine/kernels/resample/planes", test_planes);
  g_test_add_func ("/engine/kernels/resample/gradient", test_gradient);
  g_test_add_func ("/engine/kernels/resample/wrong-indices-stay-inside",
                   test_wrong_indices_stay_inside);

  return g_test_run ();
}
