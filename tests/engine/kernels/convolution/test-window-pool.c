/* test-window-pool.c — compares the maximum, sum and average of windows with plain loops in double, at every level of
 * vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/window-pool.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <float.h>
#include <math.h>

/* The most cells of an image. */
#define MAX_CELLS 131072

/* A twentieth of the cells are NaN or −∞, which the maximum must not take.  All images begin with the same numbers. */
static float *
random_cells (gint64 n, HybPoolKind kind)
{
  static float *numbers;
  float        *cells;

  g_assert_cmpint (n, <=, MAX_CELLS);
  if (!numbers)
    {
      numbers = g_new (float, MAX_CELLS);
      hyb_random_uniform_fill (1, 0, numbers, MAX_CELLS);
      for (gint64 i = 0; i < MAX_CELLS; i++)
        numbers[i] -= 0.5f;
    }
  cells = g_memdup2 (numbers, sizeof (float) * (gsize) n);
  for (gint64 i = 0; i < n && kind == HYB_POOL_MAX; i += 20)
    cells[i] = i % 3 ? NAN : -INFINITY;
  return cells;
}

/* Cells of a window along one axis: those in the image, and how many an average counts. */
static gint64
find_range (const HybWindowPool *pool, int axis, gint64 position, gint64 *low, gint64 *high)
{
  const HybConvolve *w = &pool->window;
  gint64             begin = position * w->stride[axis] - w->pad[axis];
  gint64             end = MIN (begin + w->kernel[axis], w->image[axis] + w->pad[axis]);

  *low = MAX (begin, 0);
  *high = MAX (MIN (end, w->image[axis]), *low);
  return pool->counts_padding ? end - begin : *high - *low;
}

/* How many cells an average counts; 1 for none. */
static gint64
find_divisor (const HybWindowPool *pool, gint64 at)
{
  const HybConvolve *w = &pool->window;
  gint64             low, high;

  return MAX (1, find_range (pool, 1, at / w->map[2] % w->map[1], &low, &high) *
                     find_range (pool, 2, at % w->map[2], &low, &high));
}

static double
plain_result (const HybWindowPool *pool, gint64 at)
{
  const HybConvolve *w = &pool->window;
  const float       *plane = pool->image + at / (w->map[1] * w->map[2]) * w->image[1] * w->image[2];
  gint64             low[2], high[2];
  double             result = pool->kind == HYB_POOL_MAX ? -FLT_MAX : 0;

  find_range (pool, 1, at / w->map[2] % w->map[1], &low[0], &high[0]);
  find_range (pool, 2, at % w->map[2], &low[1], &high[1]);
  for (gint64 y = low[0]; y < high[0]; y++)
    for (gint64 x = low[1]; x < high[1]; x++)
      {
        double cell = (double) plane[y * w->image[2] + x];

        if (pool->kind != HYB_POOL_MAX)
          result += cell;
        else if (cell > result)
          result = cell;
      }
  return pool->kind == HYB_POOL_AVERAGE ? result / (double) find_divisor (pool, at) : result;
}

/* Averages must have the bytes of the quotients of sums, also where they are computed by multiplying. */
static void
check_quotients (const HybWindowPool *average, gint64 n)
{
  g_autofree float *sums = g_new (float, n);
  HybWindowPool     sum = *average;

  sum.kind = HYB_POOL_SUM;
  sum.map = sums;
  hyb_window_pool (&sum);
  for (gint64 at = 0; at < n; at++)
    sums[at] /= (float) find_divisor (average, at);
  g_assert_cmpmem (average->map, (gsize) n * sizeof (float), sums, (gsize) n * sizeof (float));
}

static void
check_level (HybWindowPool *pool, const double *want, gint64 n)
{
  const HybConvolve *window = &pool->window;
  g_autofree float  *map = g_new (float, n + 1);
  gsize              bytes = hyb_window_pool_workspace (window);
  g_autofree char   *workspace = g_malloc (bytes + 1);
  double             cells = (double) (window->kernel[1] * window->kernel[2]);

  pool->map = map;
  pool->workspace = workspace;
  map[n] = 7;
  workspace[bytes] = 7;
  hyb_window_pool (pool);
  g_assert_true (map[n] == 7.f && workspace[bytes] == 7);
  for (gint64 at = 0; at < n; at++)
    g_assert_cmpfloat_with_epsilon ((double) map[at], want[at],
                                    pool->kind == HYB_POOL_MAX ? 1e-30 : 1e-6 * cells);
  if (pool->kind == HYB_POOL_AVERAGE)
    check_quotients (pool, n);
}

/* The plain results are the same for all levels. */
static void
check_kind (const HybConvolve *window, HybPoolKind kind, gboolean counts_padding)
{
  gint64            n = window->batch * window->map[1] * window->map[2];
  g_autofree float *image =
      random_cells (window->batch * window->image[1] * window->image[2], kind);
  g_autofree double *want = g_new (double, n);
  HybWindowPool      pool = { kind, *window, counts_padding, image, NULL, NULL };

  for (gint64 at = 0; at < n; at++)
    want[at] = plain_result (&pool, at);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_level (&pool, want, n);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
check_window (const HybConvolve *window)
{
  g_assert_true (hyb_window_pool_fits (window));
  check_kind (window, HYB_POOL_MAX, FALSE);
  check_kind (window, HYB_POOL_SUM, FALSE);
  check_kind (window, HYB_POOL_AVERAGE, FALSE);
  check_kind (window, HYB_POOL_AVERAGE, TRUE);
}

/* kernel, stride, pad, and by how many cells the last window hangs over the padding. */
typedef struct
{
  gint64 kernel, stride, pad, over;
} Window;

static HybConvolve
make (gint64 planes, gint64 height, gint64 width, const Window *rows, const Window *columns)
{
  const Window *windows[] = { NULL, rows, columns };
  HybConvolve   c = { .batch = planes,
                      .groups = 1,
                      .image = { 1, height, width },
                      .map = { 1, 1, 1 },
                      .kernel = { 1, 1, 1 },
                      .stride = { 1, 1, 1 },
                      .dilate = { 1, 1, 1 } };

  for (int axis = 1; axis < 3; axis++)
    {
      const Window *w = windows[axis];

      c.kernel[axis] = w->kernel;
      c.stride[axis] = w->stride;
      c.pad[axis] = w->pad;
      c.map[axis] = (c.image[axis] + 2 * w->pad - w->kernel + w->over) / w->stride + 1;
    }
  return c;
}

static void
test_windows_of_every_kind (void)
{
  static const Window windows[] = { { 1, 1, 0, 0 }, { 2, 1, 1, 0 }, { 2, 2, 0, 1 }, { 3, 1, 1, 0 },
                                    { 3, 2, 1, 0 }, { 3, 2, 1, 1 }, { 3, 3, 0, 2 }, { 5, 1, 2, 0 },
                                    { 5, 2, 2, 1 }, { 4, 4, 3, 3 }, { 13, 1, 6, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (windows); k++)
      {
        HybConvolve c = make (2, 13, 17, &windows[i], &windows[k]);

        check_window (&c);
      }
}

static void
test_maps_of_every_size (void)
{
  for (gint64 size = 1; size < 50; size++)
    for (gint64 stride = 1; stride < 4; stride++)
      {
        HybConvolve c = make (2, 1 + size * 7 % 11, size, &(Window){ 3, 2, 1, 0 },
                              &(Window){ 3, stride, 1, 0 });

        check_window (&c);
      }
}

/* Widths up to beyond two vectors, with each window, stride and padding along a row. */
static void
test_rows_of_every_kind (void)
{
  for (gint64 width = 1; width <= 40; width++)
    for (gint64 kernel = 1; kernel <= 5; kernel++)
      for (gint64 stride = 1; stride <= 3; stride++)
        for (gint64 pad = 0; pad < kernel; pad++)
          for (gint64 over = 0; over < stride; over++)
            {
              Window      rows = { 1 + width % 5, 1 + kernel % 3, width % 5, 0 };
              Window      columns = { kernel, stride, pad, over };
              HybConvolve c = make (2, 7, width, &rows, &columns);

              if (width + 2 * pad >= kernel)
                check_window (&c);
            }
}

/* The bytes of one kind of map do not depend on the number of threads. */
static void
check_threads (const HybConvolve *window, HybPoolKind kind)
{
  gint64            n = window->batch * window->map[1] * window->map[2];
  g_autofree float *image =
      random_cells (window->batch * window->image[1] * window->image[2], kind);
  g_autofree float *one = g_new (float, n), *many = g_new (float, n);
  g_autofree char  *workspace = g_malloc (hyb_window_pool_workspace (window));

  hyb_parallel_set_threads (1);
  hyb_window_pool (&(HybWindowPool){ kind, *window, FALSE, image, one, workspace });
  for (guint n_threads = 2; n_threads < 5; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      hyb_window_pool (&(HybWindowPool){ kind, *window, FALSE, image, many, workspace });
      g_assert_cmpmem (one, sizeof (float) * (gsize) n, many, sizeof (float) * (gsize) n);
    }
  hyb_parallel_set_threads (0);
}

static void
test_strips_and_threads (void)
{
  HybConvolve high = make (5, 151, 130, &(Window){ 3, 2, 1, 1 }, &(Window){ 3, 2, 1, 1 });
  HybConvolve wide = make (1, 30, 4000, &(Window){ 7, 1, 3, 0 }, &(Window){ 7, 1, 3, 0 });

  for (guint n_threads = 1; n_threads < 4; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      check_window (&high);
      check_window (&wide);
    }
  hyb_parallel_set_threads (0);
  check_threads (&high, HYB_POOL_MAX);
  check_threads (&high, HYB_POOL_AVERAGE);
  check_threads (&wide, HYB_POOL_SUM);
}

static void
test_what_does_not_fit (void)
{
  HybConvolve c = make (1, 80, 80, &(Window){ 65, 1, 0, 0 }, &(Window){ 3, 1, 0, 0 });

  g_assert_false (hyb_window_pool_fits (&c));
  c = make (1, 80, 80, &(Window){ 64, 1, 0, 0 }, &(Window){ 3, 1, 0, 0 });
  check_window (&c);
  c.image[0] = 2; /* a third axis */
  g_assert_false (hyb_window_pool_fits (&c));
}

TEST_PROGRAM (test_window_pool)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/window-pool/" name, function)
  TEST ("every-level/windows-of-every-kind", test_windows_of_every_kind);
  TEST ("every-level/maps-of-every-size", test_maps_of_every_size);
  TEST ("every-level/rows-of-every-kind", test_rows_of_every_kind);
  TEST ("strips-and-threads", test_strips_and_threads);
  TEST ("what-does-not-fit", test_what_does_not_fit);
#undef TEST

  return g_test_run ();
}
