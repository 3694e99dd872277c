/* test-volume-pool.c — compares windows over three axes with plain loops in double, at every level of vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/volume-pool.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <float.h>
#include <math.h>

static gint64
volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}

/* A tenth of the cells are NaN if `kind` is the maximum, which must not take them. */
static float *
random_cells (gint64 n, HybPoolKind kind)
{
  float *cells = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    cells[i] = kind == HYB_POOL_MAX && i % 10 == 3
                   ? NAN
                   : (float) hyb_random_uniform (1, (guint64) i) - 0.5f;
  return cells;
}

/* The reduction of the window at index `at` of the map. */
static double
plain_result (const HybWindowPool *pool, gint64 at)
{
  const HybConvolve *w = &pool->window;
  const float       *plane = pool->image + at / volume (w->map) * volume (w->image);
  gint64 place[3] = { at / (w->map[1] * w->map[2]) % w->map[0], at / w->map[2] % w->map[1],
                      at % w->map[2] };
  gint64 n = 1;
  double result = pool->kind == HYB_POOL_MAX ? -FLT_MAX : 0;

  for (int axis = 0; axis < 3; axis++)
    {
      gint64 begin = place[axis] * w->stride[axis] - w->pad[axis];
      gint64 end = MIN (begin + w->kernel[axis], w->image[axis] + w->pad[axis]);

      place[axis] = begin;
      n *= pool->counts_padding ? end - begin : MIN (end, w->image[axis]) - MAX (begin, 0);
    }
  for (gint64 t = 0; t < volume (w->kernel); t++)
    {
      gint64 z = place[0] + t / (w->kernel[1] * w->kernel[2]);
      gint64 y = place[1] + t / w->kernel[2] % w->kernel[1], x = place[2] + t % w->kernel[2];
      double cell;

      if (z < 0 || z >= w->image[0] || y < 0 || y >= w->image[1] || x < 0 || x >= w->image[2])
        continue;
      cell = (double) plane[(z * w->image[1] + y) * w->image[2] + x];
      if (pool->kind != HYB_POOL_MAX)
        result += cell;
      else if (cell > result)
        result = cell;
    }
  return pool->kind == HYB_POOL_AVERAGE ? result / (double) MAX (n, 1) : result;
}

static void
check_kind (const HybConvolve *window, HybPoolKind kind, gboolean counts_padding)
{
  gint64            n = window->batch * volume (window->map);
  g_autofree float *image = random_cells (window->batch * volume (window->image), kind);
  g_autofree float *map = g_new (float, n + 1), *again = g_new (float, n + 1);
  gsize             bytes = hyb_volume_pool_workspace (window);
  g_autofree char  *workspace = g_malloc (bytes + 1);
  HybWindowPool     pool = { kind, *window, counts_padding, image, map, workspace };

  map[n] = 7;
  workspace[bytes] = 7;
  hyb_volume_pool (&pool);
  g_assert_true (map[n] == 7.f && workspace[bytes] == 7);
  for (gint64 at = 0; at < n; at++)
    g_assert_cmpfloat_with_epsilon ((double) map[at], plain_result (&pool, at), 2e-5);
  hyb_parallel_set_threads (3);
  pool.map = again;
  hyb_volume_pool (&pool);
  g_assert_cmpmem (map, sizeof (float) * (gsize) n, again, sizeof (float) * (gsize) n);
  hyb_parallel_set_threads (1);
}

static void
check_window (const HybConvolve *window)
{
  g_assert_true (hyb_volume_pool_fits (window));
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      check_kind (window, HYB_POOL_MAX, FALSE);
      check_kind (window, HYB_POOL_SUM, FALSE);
      check_kind (window, HYB_POOL_AVERAGE, FALSE);
      check_kind (window, HYB_POOL_AVERAGE, TRUE);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
  hyb_parallel_set_threads (0);
}

/* kernel, stride and pad along one axis, and by how many cells the last window hangs over the padding. */
typedef struct
{
  gint64 kernel, stride, pad, over;
} Window;

static HybConvolve
make (gint64 planes, const gint64 image[3], const Window *const windows[3])
{
  HybConvolve c = { .batch = planes, .groups = 1, .dilate = { 1, 1, 1 } };

  for (int axis = 0; axis < 3; axis++)
    {
      const Window *w = windows[axis];

      c.image[axis] = image[axis];
      c.kernel[axis] = w->kernel;
      c.stride[axis] = w->stride;
      c.pad[axis] = w->pad;
      c.map[axis] = (image[axis] + 2 * w->pad - w->kernel + w->over) / w->stride + 1;
    }
  return c;
}

static void
test_windows_of_every_kind (void)
{
  static const Window windows[] = { { 1, 1, 0, 0 }, { 2, 2, 0, 1 }, { 3, 1, 1, 0 },
                                    { 3, 2, 1, 1 }, { 5, 5, 2, 0 }, { 1, 3, 0, 0 } };

  for (guint i = 0; i < 6; i++)
    for (guint j = 0; j < 6; j++)
      for (guint k = 0; k < 6; k += 1 + (i + j) % 2)
        {
          HybConvolve c = make (3, (const gint64[]){ 8, 9, 11 },
                                (const Window *const[]){ &windows[i], &windows[j], &windows[k] });

          check_window (&c);
        }
}

/* Planes whose reduced slices are more than what is reduced at a time, and more planes than that. */
static void
test_many_and_large_planes (void)
{
  static const Window window = { 3, 2, 1, 1 };
  HybConvolve         many = make (300, (const gint64[]){ 20, 17, 17 },
                                   (const Window *const[]){ &window, &window, &window });
  HybConvolve         large = make (2, (const gint64[]){ 30, 200, 201 },
                                    (const Window *const[]){ &window, &window, &window });

  check_kind (&many, HYB_POOL_AVERAGE, FALSE);
  check_kind (&large, HYB_POOL_MAX, FALSE);
  hyb_parallel_set_threads (0);
}

static void
test_what_does_not_fit (void)
{
  static const Window one = { 1, 1, 0, 0 }, two = { 2, 2, 0, 0 }, many = { 65, 1, 0, 0 };
  const gint64        image[] = { 80, 4, 4 };
  HybConvolve         c = make (1, image, (const Window *const[]){ &many, &two, &two });

  g_assert_false (hyb_volume_pool_fits (&c));
  c = make (1, image, (const Window *const[]){ &one, &two, &two });
  check_window (&c);
  c.image[0] = G_MAXINT64 / 1024; /* slices that no memory holds */
  c.stride[0] = 2;
  g_assert_false (hyb_volume_pool_fits (&c));
}

TEST_PROGRAM (test_volume_pool)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/volume-pool/" name, function)
  TEST ("windows-of-every-kind", test_windows_of_every_kind);
  TEST ("many-and-large-planes", test_many_and_large_planes);
  TEST ("what-does-not-fit", test_what_does_not_fit);
#undef TEST

  return g_test_run ();
}
