/* test-column-sums.c — compares transposed convolutions whose windows overlap with plain loops in double, at every level of
 * vector instructions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/column-sums.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/kernels/convolution/check-convolution.h"
#include "tests/program.h"

#include <math.h>

static gint64
volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}

/* The image from the map: each position adds its window. */
static double *
plain_image (const HybConvolve *c, const float *map, const float *weight, const float *bias)
{
  gint64  channels = c->image_channels / c->groups, filters = c->map_channels / c->groups;
  gint64  taps = volume (c->kernel), cells = volume (c->image), positions = volume (c->map);
  double *image = g_new (double, c->image_channels *cells);

  for (gint64 at = 0; at < c->image_channels * cells; at++)
    image[at] = (double) bias[at / cells];
  for (gint64 at = 0; at < c->map_channels * positions * channels * taps; at++)
    {
      gint64 tap = at % taps, channel = at / taps % channels, p = at / taps / channels % positions;
      gint64 filter = at / taps / channels / positions;
      gint64 place[3] = { p / (c->map[1] * c->map[2]), p / c->map[2] % c->map[1], p % c->map[2] };
      gint64 window[3] = { tap / (c->kernel[1] * c->kernel[2]), tap / c->kernel[2] % c->kernel[1],
                           tap % c->kernel[2] };
      gint64 cell = filter / filters * channels + channel;

      for (int axis = 0; axis < 3 && cell >= 0; axis++)
        {
          gint64 i = place[axis] * c->stride[axis] + window[axis] * c->dilate[axis] - c->pad[axis];

          cell = i < 0 || i >= c->image[axis] ? -1 : cell * c->image[axis] + i;
        }
      if (cell >= 0)
        image[cell] += (double) map[filter * positions + p] *
                       (double) weight[(filter * channels + channel) * taps + tap];
    }
  return image;
}

static void
check (const HybConvolve *c)
{
  gint64            n = c->image_channels * volume (c->image);
  g_autofree float *map = convolution_random_floats (1, c->map_channels * volume (c->map));
  g_autofree float *weight =
      convolution_random_floats (2, c->map_channels * (c->image_channels / c->groups) *
                                        volume (c->kernel));
  g_autofree float  *bias = convolution_random_floats (3, c->image_channels);
  g_autofree double *expected = plain_image (c, map, weight, bias);
  g_autofree float  *image = g_new (float, n + 1);
  gsize              bytes = hyb_convolve_workspace (c, sizeof (float));
  g_autofree char   *workspace = g_malloc (bytes + 1);

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      image[n] = 7;
      workspace[bytes] = 7;
      hyb_convolve_transposed (c, &(HybConvolveOperands){ .dtype = HYB_F32,
                                                          .data = map,
                                                          .weight = weight,
                                                          .bias = bias,
                                                          .result = image,
                                                          .workspace = workspace });
      for (gint64 at = 0; at < n; at++)
        g_assert_cmpfloat_with_epsilon ((double) image[at], expected[at], 1e-5);
      g_assert_true (image[n] == 7.f && workspace[bytes] == 7);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* kernel, stride, dilation, padding that is cut off, and cells at the end that no window may reach. */
typedef struct
{
  gint64 kernel, stride, dilate, pad, more;
} Window;

/* A transposed convolution of a map of these sizes. */
static HybConvolve
make (gint64 filters, gint64 channels, const gint64 map[3], const Window *const windows[3])
{
  HybConvolve c = { .batch = 1, .groups = 1, .image_channels = channels, .map_channels = filters };

  for (int axis = 0; axis < 3; axis++)
    {
      const Window *w = windows[axis];

      c.map[axis] = map[axis];
      c.kernel[axis] = w->kernel;
      c.stride[axis] = w->stride;
      c.dilate[axis] = w->dilate;
      c.pad[axis] = w->pad;
      c.image[axis] =
          (map[axis] - 1) * w->stride + (w->kernel - 1) * w->dilate + 1 - 2 * w->pad + w->more;
    }
  return c;
}

static void
test_windows_of_every_kind (void)
{
  static const Window none = { 1, 1, 1, 0, 0 };
  static const Window windows[] = { { 3, 1, 1, 1, 0 }, { 4, 2, 1, 1, 0 }, { 5, 2, 1, 2, 1 },
                                    { 2, 3, 1, 0, 2 }, { 3, 3, 2, 1, 1 }, { 7, 4, 1, 0, 3 },
                                    { 3, 1, 3, 2, 0 }, { 1, 2, 1, 0, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint j = 0; j < G_N_ELEMENTS (windows); j++)
      {
        HybConvolve c = make (4, 6, (const gint64[]){ 1, 5, 9 },
                              (const Window *const[]){ &none, &windows[i], &windows[j] });

        c.groups = 1 + i % 2;
        check (&c);
      }
}

/* Rows of every width, of which vectors end in the middle, and more rows than are summed up together. */
static void
test_maps_of_every_size (void)
{
  static const Window none = { 1, 1, 1, 0, 0 };

  for (gint64 width = 1; width < 40; width++)
    for (gint64 stride = 1; stride < 4; stride++)
      {
        Window      window = { 4, stride, 1, 1, stride - 1 };
        HybConvolve c = make (3, 2, (const gint64[]){ 1, 1 + width * 7 % 23, width },
                              (const Window *const[]){ &none, &window, &window });

        check (&c);
      }
}

static void
test_volumes_and_sound (void)
{
  static const Window none = { 1, 1, 1, 0, 0 }, deep = { 3, 2, 1, 1, 1 }, wide = { 16, 8, 1, 4, 0 };
  HybConvolve         c =
      make (5, 4, (const gint64[]){ 4, 5, 7 }, (const Window *const[]){ &deep, &deep, &deep });

  for (guint n_threads = 1; n_threads < 4; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      check (&c);
    }
  hyb_parallel_set_threads (0);
  c = make (9, 5, (const gint64[]){ 1, 1, 700 }, (const Window *const[]){ &none, &none, &wide });
  g_assert_true (hyb_column_sums_fit (&c));
  check (&c);
  c = make (3, 2, (const gint64[]){ 1, 1, 1100 }, (const Window *const[]){ &none, &none, &wide });
  g_assert_false (hyb_column_sums_fit (&c));
  check (&c);
}

TEST_PROGRAM (test_column_sums)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/column-sums/" name, function)
  TEST ("windows-of-every-kind", test_windows_of_every_kind);
  TEST ("maps-of-every-size", test_maps_of_every_size);
  TEST ("volumes-and-sound", test_volumes_and_sound);
#undef TEST

  return g_test_run ();
}
