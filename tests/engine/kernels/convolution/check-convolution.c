/* check-convolution.c — see check-convolution.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/kernels/convolution/check-convolution.h"

#include "engine/base/random.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/kernels/simd/simd.h"

#include <math.h>

/* The cell of the map at index `at`, without bias. */
static double
plain_sum (const HybConvolve *c, const float *image, const float *weight, gint64 at)
{
  gint64 plane_of_map = at / (c->map[1] * c->map[2]);
  gint64 sample = plane_of_map / c->map_channels, filter = plane_of_map % c->map_channels;
  gint64 i = at / c->map[2] % c->map[1], j = at % c->map[2];
  gint64 channels = c->image_channels / c->groups;
  gint64 first = filter / (c->map_channels / c->groups) * channels;
  double sum = 0;

  for (gint64 channel = 0; channel < channels; channel++)
    for (gint64 a = 0; a < c->kernel[1]; a++)
      for (gint64 b = 0; b < c->kernel[2]; b++)
        {
          gint64 y = i * c->stride[1] + a * c->dilate[1] - c->pad[1];
          gint64 x = j * c->stride[2] + b * c->dilate[2] - c->pad[2];
          gint64 plane = sample * c->image_channels + first + channel;
          gint64 tap = ((filter * channels + channel) * c->kernel[1] + a) * c->kernel[2] + b;

          if (y >= 0 && y < c->image[1] && x >= 0 && x < c->image[2])
            sum +=
                (double) weight[tap] * (double) image[(plane * c->image[1] + y) * c->image[2] + x];
        }
  return sum;
}

float *
convolution_random_floats (guint64 seed, gint64 n)
{
  float *values = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (2 * hyb_random_uniform (seed, (guint64) i) - 1);
  return values;
}

HybConvolveFinish
convolution_finish (guint at, const float *bias, const float *other)
{
  return (HybConvolveFinish){ .bias = at % 2 ? bias : NULL,
                              .other = at / 2 % 2 ? other : NULL,
                              .rectify = at / 4 % 3 > 0,
                              .slope = at / 4 % 3 == 1 ? 0 : -0.25F };
}

/* Compares a map with plain sums that are finished in double. */
static void
check_map (const HybConvolve       *c,
           const HybConvolveFinish *finish,
           const double            *sums,
           const float             *map,
           double                   bound)
{
  gint64 area = c->map[1] * c->map[2];

  for (gint64 at = 0; at < c->batch * c->map_channels * area; at++)
    {
      double want = sums[at];

      if (finish->bias)
        want += (double) finish->bias[at / area % c->map_channels];
      if (finish->other)
        want += (double) finish->other[at];
      if (finish->rectify && !(want > 0))
        want *= (double) finish->slope;
      g_assert_cmpfloat (fabs ((double) map[at] - want), <, bound);
    }
}

/* The bound is larger for Winograd, whose transforms round as well. */
void
convolution_check (const HybConvolve *c, gboolean winograd)
{
  gint64            n = c->batch * c->map_channels * c->map[1] * c->map[2];
  gint64            depth = c->image_channels / c->groups * c->kernel[1] * c->kernel[2];
  g_autofree float *image =
      convolution_random_floats (1, c->batch * c->image_channels * c->image[1] * c->image[2]);
  g_autofree float  *weight = convolution_random_floats (2, c->map_channels * depth);
  g_autofree float  *bias = convolution_random_floats (3, c->map_channels);
  g_autofree float  *other = convolution_random_floats (4, n);
  g_autofree float  *map = g_new (float, n + 1);
  g_autofree float  *filters = g_new (float, 2 * c->map_channels * depth);
  g_autofree double *sums = g_new (double, n);
  gsize  bytes = winograd ? hyb_winograd_workspace (c) : hyb_direct_convolve_workspace (c);
  double n_sums = (double) (depth + 8);
  double bound = 2e-7 * n_sums + (winograd ? 4e-6 * sqrt (n_sums) : 0);
  g_autofree char  *workspace = g_malloc (bytes + 1);
  HybDirectOperands operands = {
    .image = image, .weight = winograd ? filters : weight, .map = map, .workspace = workspace
  };

  map[n] = 7;
  workspace[bytes] = 7;
  for (gint64 at = 0; at < n; at++)
    sums[at] = plain_sum (c, image, weight, at);
  if (winograd)
    hyb_winograd_filters (c->map_channels, c->image_channels, weight, filters);
  for (guint at = 0; at < CONVOLUTION_N_FINISHES; at++)
    {
      HybConvolveFinish finish = convolution_finish (at, bias, other);

      (winograd ? hyb_winograd_convolve : hyb_direct_convolve) (c, &operands, &finish);
      check_map (c, &finish, sums, map, bound);
    }
  g_assert_cmpint (workspace[bytes], ==, 7);
  g_assert_cmpfloat ((double) map[n], ==, 7);
}

/* One sample and one group, with a window of one cell; set_window() sets others. */
HybConvolve
convolution_make (gint64 channels, gint64 filters, gint64 height, gint64 width)
{
  return (HybConvolve){ .batch = 1,
                        .groups = 1,
                        .image_channels = channels,
                        .map_channels = filters,
                        .image = { 1, height, width },
                        .map = { 1, 1, 1 },
                        .kernel = { 1, 1, 1 },
                        .stride = { 1, 1, 1 },
                        .dilate = { 1, 1, 1 } };
}

/* Sets the window along an axis and computes the size of the map. */
void
convolution_set_window (HybConvolve *c, int axis, const ConvolutionWindow *window)
{
  c->kernel[axis] = window->kernel;
  c->stride[axis] = window->stride;
  c->dilate[axis] = window->dilate;
  c->pad[axis] = window->pad;
  c->map[axis] = (c->image[axis] + 2 * window->pad - (window->kernel - 1) * window->dilate - 1) /
                     window->stride +
                 1;
}

/* Calls check for each instruction set that has a kernel. */
void
convolution_check_levels (const HybConvolve *c, gboolean winograd)
{
  for (guint level = HYB_SIMD_AVX2; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      if (hyb_simd_level () == (HybSimdLevel) level)
        convolution_check (c, winograd);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}
