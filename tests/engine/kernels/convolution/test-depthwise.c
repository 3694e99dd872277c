/* test-depthwise.c — compares depthwise convolutions with plain loops in double, at every level of vector instructions.
 *
 * Each array ends where its memory block does, and the image is an exact block, so that a sanitizer sees a vector that reads
 * or writes outside.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/depthwise.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* kernel, stride, pad and dilation along one axis. */
typedef struct
{
  gint64 kernel, stride, pad, dilate;
} Window;

static HybConvolve
make (gint64 planes, gint64 height, gint64 width, const Window *rows, const Window *columns)
{
  const Window *windows[] = { NULL, rows, columns };
  HybConvolve   c = { .batch = 1,
                      .groups = planes,
                      .image_channels = planes,
                      .map_channels = planes,
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
      c.dilate[axis] = w->dilate;
      c.map[axis] = (c.image[axis] + 2 * w->pad - (w->kernel - 1) * w->dilate - 1) / w->stride + 1;
    }
  return c;
}

/* Arrays of one seed begin with the same numbers. */
static float *
random_floats (gint64 n, guint64 seed)
{
  static float *numbers[5];
  const gsize   most = 450000;

  g_assert_true (seed < G_N_ELEMENTS (numbers) && n <= (gint64) most);
  if (!numbers[seed])
    {
      numbers[seed] = g_new (float, most);
      hyb_random_uniform_fill (seed, 0, numbers[seed], most);
      for (gsize i = 0; i < most; i++)
        numbers[seed][i] -= 0.5f;
    }
  return g_memdup2 (numbers[seed], sizeof (float) * (gsize) n);
}

static double
plain_sum (const HybConvolve *c, const float *image, const float *weight, gint64 at)
{
  gint64       plane = at / (c->map[1] * c->map[2]);
  gint64       y0 = at / c->map[2] % c->map[1] * c->stride[1] - c->pad[1];
  gint64       x0 = at % c->map[2] * c->stride[2] - c->pad[2];
  double       sum = 0;
  const float *cells = image + plane * c->image[1] * c->image[2];

  weight += plane * c->kernel[1] * c->kernel[2];
  for (gint64 j = 0; j < c->kernel[1]; j++)
    for (gint64 i = 0; i < c->kernel[2]; i++, weight++)
      {
        gint64 y = y0 + j * c->dilate[1], x = x0 + i * c->dilate[2];

        if (y >= 0 && y < c->image[1] && x >= 0 && x < c->image[2])
          sum += (double) *weight * (double) cells[y * c->image[2] + x];
      }
  return sum;
}

/* The map, whose workspace holds NaN before. */
static float *
convolve (const HybConvolve *c, const float *image, const float *weight)
{
  static const HybConvolveFinish finish = { 0 };
  gint64                         n = c->groups * c->map[1] * c->map[2];
  gsize                          bytes = hyb_depthwise_workspace (c);
  float                         *map = g_new (float, n);
  g_autofree char               *workspace = g_malloc (bytes);

  memset (workspace, 0xff, bytes);
  hyb_depthwise_convolve (c, &(HybDirectOperands){ image, weight, map, workspace }, &finish);
  return map;
}

static void
check (const HybConvolve *c)
{
  g_autofree float  *image = random_floats (c->groups * c->image[1] * c->image[2], 1);
  g_autofree float  *weight = random_floats (c->groups * c->kernel[1] * c->kernel[2], 2);
  gint64             n = c->groups * c->map[1] * c->map[2];
  g_autofree double *sums = g_new (double, n);

  for (gint64 at = 0; at < n; at++)
    sums[at] = plain_sum (c, image, weight, at);
  g_assert_true (hyb_depthwise_fits (c));
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      g_autofree float *map = NULL;

      hyb_simd_cap ((HybSimdLevel) level);
      map = convolve (c, image, weight);
      for (gint64 at = 0; at < n; at++)
        if (!(fabs ((double) map[at] - sums[at]) < 1e-5))
          g_error ("level %u, %d x %d, window %d, stride %d, pad %d, dilation %d: cell %d differs",
                   level, (int) c->image[1], (int) c->image[2], (int) c->kernel[2],
                   (int) c->stride[2], (int) c->pad[2], (int) c->dilate[2], (int) at);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_maps_of_every_width (void)
{
  for (gint64 width = 1; width <= 40; width++)
    for (gint64 stride = 1; stride <= 3; stride++)
      for (gint64 kernel = 1; kernel <= 7; kernel++)
        for (gint64 dilate = 1; dilate <= 2; dilate++)
          for (gint64 pad = 0; pad <= kernel; pad++)
            {
              Window      columns = { kernel, stride, pad, dilate };
              Window      rows = { kernel, stride, (kernel - 1) * dilate / 2, dilate };
              gint64      planes = 2 + width % 2;
              HybConvolve c = make (planes, 1 + width * 7 % 11, width, &rows, &columns);

              if (width + 2 * pad <= (kernel - 1) * dilate || c.map[1] < 1)
                continue;
              check (&c);
            }
}

/* Planes of which a vector holds several rows, and those that are barely too large for that. */
static void
test_small_planes (void)
{
  for (gint64 width = 1; width <= 17; width++)
    for (gint64 height = 1; height <= 17; height++)
      for (gint64 kernel = 3; kernel <= 7; kernel += 2)
        for (gint64 stride = 1; stride <= 2; stride++)
          for (gint64 dilate = 1; dilate <= 2; dilate++)
            {
              gint64      pad = (kernel - 1) * dilate / 2;
              HybConvolve c = make (3, height, width, &(Window){ kernel, stride, pad, dilate },
                                    &(Window){ kernel, stride, pad - width % 2, dilate });

              if (c.map[2] >= 1 && width + 2 * c.pad[2] > (kernel - 1) * dilate)
                check (&c);
              c = make (2, height, width, &(Window){ kernel, stride, pad + height % 2, dilate },
                        &(Window){ kernel, stride, pad, dilate });
              check (&c);
            }
}

/* Two filters of each channel, two samples, a bias, an addend and a rectifier. */
static void
test_finishes_of_small_planes (void)
{
  for (gint64 stride = 1; stride <= 2; stride++)
    for (gint64 width = 5; width <= 14; width++)
      {
        Window            window = { 3, stride, 1, 1 };
        HybConvolve       c = make (3, 7, width, &window, &window);
        gint64            area = c.map[1] * c.map[2], cells = 7 * width, n = 12 * area;
        g_autofree float *image = random_floats (6 * cells, 1), *weight = random_floats (54, 2);
        g_autofree float *bias = random_floats (6, 3), *other = random_floats (n, 4);
        g_autofree float *map = g_new (float, n);

        c.batch = 2;
        c.map_channels = 6;
        for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
          {
            g_autofree char *workspace = NULL;

            hyb_simd_cap ((HybSimdLevel) level);
            workspace = g_malloc (hyb_depthwise_workspace (&c));
            hyb_depthwise_convolve (&c, &(HybDirectOperands){ image, weight, map, workspace },
                                    &(HybConvolveFinish){ bias, other, TRUE, 0.25f });
            for (gint64 at = 0; at < n; at++)
              {
                gint64 plane = at / area, filter = plane % 6;
                double sum =
                    plain_sum (&c, image + plane / 2 * cells, weight + filter * 9, at % area) +
                    (double) bias[filter] + (double) other[at];

                g_assert_cmpfloat_with_epsilon ((double) map[at], sum > 0 ? sum : sum / 4, 1e-5);
              }
          }
        hyb_simd_cap (HYB_SIMD_AVX512);
      }
}

static void
test_strips_wide_rows_and_far_padding (void)
{
  HybConvolve c = make (3, 90, 70, &(Window){ 3, 2, 1, 1 }, &(Window){ 3, 2, 1, 1 });

  check (&c);
  c = make (3, 70, 150, &(Window){ 5, 1, 2, 1 }, &(Window){ 5, 2, 2, 1 });
  check (&c);
  c = make (2, 3, 3, &(Window){ 3, 1, 30, 1 }, &(Window){ 3, 2, 50, 1 });
  check (&c);
  c = make (2, 5, 9, &(Window){ 2, 1, 3, 5 }, &(Window){ 3, 1, 20, 20 });
  check (&c);
  c = make (40, 1, 1, &(Window){ 3, 1, 1, 1 }, &(Window){ 3, 2, 1, 1 });
  check (&c);
}

/* Rows of the map that share cells with the next one, the second or the third, in strips of every size. */
static void
test_windows_far_apart (void)
{
  static const gint64 steps[][2] = { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 2, 2 },
                                     { 2, 4 }, { 2, 3 }, { 3, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    for (gint64 kernel = 3; kernel <= 7; kernel += 2)
      for (gint64 height = 7; height < 60; height += 13)
        {
          Window      window = { kernel, steps[i][0], kernel / 2 * steps[i][1], steps[i][1] };
          HybConvolve c = make (2, height, 10 + 3 * height, &window, &window);

          check (&c);
        }
}

static void
check_threads (gint64 planes, gint64 size, const Window *window)
{
  HybConvolve       c = make (planes, size, size, window, window);
  gint64            n = c.groups * c.map[1] * c.map[2];
  g_autofree float *image = random_floats (c.groups * size * size, 1);
  g_autofree float *weight = random_floats (c.groups * 9, 2), *expected = NULL;

  hyb_parallel_set_threads (1);
  expected = convolve (&c, image, weight);
  for (guint n_threads = 2; n_threads < 5; n_threads++)
    {
      g_autofree float *map = NULL;

      hyb_parallel_set_threads (n_threads);
      map = convolve (&c, image, weight);
      g_assert_cmpmem (map, (gsize) n * sizeof (float), expected, (gsize) n * sizeof (float));
    }
  hyb_parallel_set_threads (0);
}

static void
test_threads_change_no_byte (void)
{
  check_threads (200, 15, &(Window){ 3, 2, 1, 1 });
  check_threads (2000, 7, &(Window){ 3, 1, 1, 1 });
  check_threads (2000, 14, &(Window){ 3, 2, 1, 1 });
}

TEST_PROGRAM (test_depthwise)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/depthwise/" name, function)
  TEST ("every-level/maps-of-every-width", test_maps_of_every_width);
  TEST ("every-level/small-planes", test_small_planes);
  TEST ("every-level/finishes-of-small-planes", test_finishes_of_small_planes);
  TEST ("every-level/windows-far-apart", test_windows_far_apart);
  TEST ("every-level/strips-wide-rows-and-far-padding", test_strips_wide_rows_and_far_padding);
  TEST ("threads-change-no-byte", test_threads_change_no_byte);
#undef TEST

  return g_test_run ();
}
