/* check-convolution.c — see check-convolution.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/kernels/convolution/check-convolution.h"

#include "engine/base/random.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/kernels/convolution/region-product.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/kernels/simd/simd.h"

#include <math.h>

static gint64
volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}

/* The taps [*low, *high) that lie in the image at a position along one axis; returns the cell under tap 0. */
static gint64
find_taps (const HybConvolve *c, int axis, gint64 position, gint64 *low, gint64 *high)
{
  gint64 cell = position * c->stride[axis] - c->pad[axis];

  for (*low = 0; *low < c->kernel[axis] && cell + *low * c->dilate[axis] < 0;)
    *low += 1;
  for (*high = c->kernel[axis];
       *high > *low && cell + (*high - 1) * c->dilate[axis] >= c->image[axis];)
    *high -= 1;
  return cell;
}

double
convolution_plain_sum (const HybConvolve *c, const float *image, const float *weight, gint64 at)
{
  gint64 sample = at / volume (c->map) / c->map_channels;
  gint64 filter = at / volume (c->map) % c->map_channels;
  gint64 channels = c->image_channels / c->groups, taps = volume (c->kernel);
  gint64 first = sample * c->image_channels + filter / (c->map_channels / c->groups) * channels;
  gint64 low[3], high[3], cell[3];
  double sum = 0;

  cell[0] = find_taps (c, 0, at / (c->map[1] * c->map[2]) % c->map[0], &low[0], &high[0]);
  cell[1] = find_taps (c, 1, at / c->map[2] % c->map[1], &low[1], &high[1]);
  cell[2] = find_taps (c, 2, at % c->map[2], &low[2], &high[2]);
  for (gint64 channel = 0; channel < channels; channel++)
    for (gint64 i = low[0]; i < high[0]; i++)
      for (gint64 j = low[1]; j < high[1]; j++)
        {
          gint64 tap =
              ((filter * channels + channel) * taps) + (i * c->kernel[1] + j) * c->kernel[2];
          gint64 slice = (first + channel) * c->image[0] + cell[0] + i * c->dilate[0];
          gint64 row = (slice * c->image[1] + cell[1] + j * c->dilate[1]) * c->image[2] + cell[2];

          for (gint64 k = low[2]; k < high[2]; k++)
            sum += (double) weight[tap + k] * (double) image[row + k * c->dilate[2]];
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
  gint64 area = volume (c->map);

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

typedef struct
{
  gsize (*workspace) (const HybConvolve *c);
  void (*convolve) (const HybConvolve       *c,
                    const HybDirectOperands *operands,
                    const HybConvolveFinish *finish);
} Method;

static const Method methods[] = {
  [CONVOLUTION_DIRECT] = { hyb_direct_convolve_workspace, hyb_direct_convolve },
  [CONVOLUTION_WINOGRAD] = { hyb_winograd_workspace, hyb_winograd_convolve },
  [CONVOLUTION_REGIONS] = { hyb_region_convolve_workspace, hyb_region_convolve },
};

/* Operands, and what the map is compared with: sums are computed once for all levels. */
typedef struct
{
  gint64  n; /* cells of the map */
  float  *image, *weight, *bias, *other;
  double *sums;
  double  bound;
} Sample;

/* The bound is larger for Winograd, whose transforms round as well. */
static void
sample_init (Sample *this, const HybConvolve *c, ConvolutionMethod method)
{
  gint64 depth = c->image_channels / c->groups * volume (c->kernel);
  double n_sums = (double) (depth + 8);

  this->n = c->batch * c->map_channels * volume (c->map);
  this->image = convolution_random_floats (1, c->batch * c->image_channels * volume (c->image));
  this->weight = convolution_random_floats (2, c->map_channels * depth);
  this->bias = convolution_random_floats (3, c->map_channels);
  this->other = convolution_random_floats (4, this->n);
  this->sums = g_new (double, this->n);
  this->bound = 2e-7 * n_sums + (method == CONVOLUTION_WINOGRAD ? 4e-6 * sqrt (n_sums) : 0);
  for (gint64 at = 0; at < this->n; at++)
    this->sums[at] = convolution_plain_sum (c, this->image, this->weight, at);
}

static void
sample_clear (Sample *this)
{
  g_free (this->image);
  g_free (this->weight);
  g_free (this->bias);
  g_free (this->other);
  g_free (this->sums);
}

/* Every pair of a bias or none, a sum or none, and a kind of rectifier: they are applied one after the other. */
static const guint finishes_of_pairs[] = { 0, 3, 5, 6, 8, 11 };

static void
check_level (const HybConvolve *c, ConvolutionMethod method, const Sample *sample)
{
  gint64            n = sample->n;
  gsize             bytes = methods[method].workspace (c);
  g_autofree float *map = g_new (float, n + 1), *filters = NULL;
  g_autofree char  *workspace = g_malloc (bytes + 1);
  HybDirectOperands operands = {
    .image = sample->image, .weight = sample->weight, .map = map, .workspace = workspace
  };

  map[n] = 7;
  workspace[bytes] = 7;
  if (method == CONVOLUTION_WINOGRAD)
    {
      operands.weight = filters = g_new (float, 18 * c->map_channels * c->image_channels);
      hyb_winograd_filters (c->map_channels, c->image_channels, sample->weight, filters);
    }
  for (guint i = 0; i < G_N_ELEMENTS (finishes_of_pairs); i++)
    {
      HybConvolveFinish finish =
          convolution_finish (finishes_of_pairs[i], sample->bias, sample->other);

      methods[method].convolve (c, &operands, &finish);
      check_map (c, &finish, sample->sums, map, sample->bound);
    }
  g_assert_cmpint (workspace[bytes], ==, 7);
  g_assert_cmpfloat ((double) map[n], ==, 7);
}

/* Levels that the processor does not have are left out. */
void
convolution_check (const HybConvolve *c, ConvolutionMethod method, HybSimdLevel lowest)
{
  Sample sample;

  sample_init (&sample, c, method);
  for (guint level = lowest; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      if (hyb_simd_level () == (HybSimdLevel) level)
        check_level (c, method, &sample);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
  sample_clear (&sample);
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

void
convolution_check_levels (const HybConvolve *c, ConvolutionMethod method)
{
  convolution_check (c, method, HYB_SIMD_AVX2);
}
