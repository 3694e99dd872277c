/* test-direct-convolution.c — compares direct and Winograd convolution with plain loops in double.
 *
 * The cases cover strides, dilations, padding, groups, and every remainder of filters and positions
 * after whole tiles.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-convolution.h"

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/kernels/convolution/check-convolution.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* Depthwise kernels exist for every instruction set. */
static void
check_depthwise (const HybConvolve *c)
{
  g_assert_true (hyb_direct_convolve_fits (c));
  convolution_check (c, CONVOLUTION_DIRECT, HYB_SIMD_PLAIN);
}

static void
test_windows_of_every_kind (void)
{
  static const ConvolutionWindow windows[] = {
    { 1, 2, 1, 0 }, { 2, 1, 1, 0 }, { 3, 1, 1, 1 }, { 3, 2, 1, 1 }, { 3, 1, 2, 2 },
    { 3, 3, 1, 0 }, { 5, 1, 1, 2 }, { 7, 2, 1, 3 }, { 2, 3, 3, 1 }, { 3, 1, 1, 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (windows); k++)
      {
        HybConvolve c = convolution_make (3, 5, 13, 17);

        c.batch = 2;
        convolution_set_window (&c, 1, &windows[i]);
        convolution_set_window (&c, 2, &windows[k]);
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* Rows of several vectors of every third, fourth and fifth cell, with and without padding. */
static void
test_wide_strides (void)
{
  for (gint64 stride = 3; stride < 6; stride++)
    for (gint64 width = 44; width < 180; width += 5)
      for (gint64 pad = 0; pad < 4; pad += 3)
        {
          HybConvolve c = convolution_make (3, 9, 19, width);

          convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, stride, 1, pad });
          convolution_set_window (&c, 2, &(ConvolutionWindow){ 7, stride, 1, pad });
          convolution_check_levels (&c, CONVOLUTION_DIRECT);
        }
}

static void
test_every_number_of_filters_and_positions (void)
{
  for (gint64 filters = 1; filters < 20; filters++)
    for (gint64 width = 1; width < 100; width += filters == 7 ? 1 : 13)
      {
        HybConvolve c = convolution_make (2, filters, 1, width);

        convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* Maps whose rows are whole vectors, one more and one less, and part of one. */
static void
test_rows_of_every_width (void)
{
  for (gint64 width = 6; width < 30; width++)
    for (gint64 height = 6; height < 13; height += 3)
      {
        HybConvolve c = convolution_make (2, 9, height, width);

        convolution_set_window (&c, 1, &(ConvolutionWindow){ 5, 1, 1, 0 });
        convolution_set_window (&c, 2, &(ConvolutionWindow){ 5, 1, 1, 0 });
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* Rows of the image are so much longer than those of the map that vectors go by rows even if each
 * row took one more. */
static void
test_whole_vectors_of_rows_whose_taps_are_far_apart (void)
{
  for (gint64 width = 14; width < 34; width++)
    {
      HybConvolve c = convolution_make (2, 9, 12, width);

      convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
      convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 32, 32 });
      convolution_check_levels (&c, CONVOLUTION_DIRECT);
    }
}

static void
test_groups_and_threads (void)
{
  HybConvolve c = convolution_make (32, 48, 20, 20);

  c.batch = 3;
  c.groups = 2;
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  for (guint n_threads = 1; n_threads < 4; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      convolution_check_levels (&c, CONVOLUTION_DIRECT);
    }
  hyb_parallel_set_threads (0);
}

/* Layouts larger than a cache: strips of rows, the last of which is shorter, and of columns. */
static void
test_strips (void)
{
  HybConvolve rows = convolution_make (40, 3, 61, 70), columns = convolution_make (900, 2, 21, 40),
              strided = convolution_make (20, 3, 120, 130);

  rows.batch = 2;
  convolution_set_window (&rows, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&rows, 2, &(ConvolutionWindow){ 5, 1, 1, 2 });
  convolution_set_window (&columns, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
  convolution_set_window (&columns, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
  convolution_set_window (&strided, 1, &(ConvolutionWindow){ 3, 2, 1, 1 });
  convolution_set_window (&strided, 2, &(ConvolutionWindow){ 3, 2, 2, 1 });
  for (guint n_threads = 1; n_threads < 4; n_threads += 2)
    {
      hyb_parallel_set_threads (n_threads);
      convolution_check_levels (&rows, CONVOLUTION_DIRECT);
      convolution_check_levels (&columns, CONVOLUTION_DIRECT);
      convolution_check_levels (&strided, CONVOLUTION_DIRECT);
    }
  hyb_parallel_set_threads (0);
}

static void
test_pointwise_and_depthwise (void)
{
  for (gint64 width = 5; width < 40; width += 3)
    {
      HybConvolve pointwise = convolution_make (24, 12, 7, width),
                  depthwise = convolution_make (6, 12, 9, width);

      pointwise.groups = 2;
      pointwise.batch = 2;
      convolution_set_window (&pointwise, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&pointwise, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_check_levels (&pointwise, CONVOLUTION_DIRECT);
      depthwise.groups = 6;
      convolution_set_window (&depthwise, 1, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_set_window (&depthwise, 2, &(ConvolutionWindow){ 5, 1, 1, 2 });
      convolution_check_levels (&depthwise, CONVOLUTION_DIRECT);
    }
}

/* Rows of whole vectors are tiled by themselves, whether tiles share the image or, with many weights, the filters. */
static void
test_rows_of_whole_vectors (void)
{
  for (gint64 width = 16; width < 120; width += 16)
    {
      HybConvolve few = convolution_make (3, 11, 9, 2 * width),
                  many = convolution_make (width == 48 ? 128 : 4, 70, 7, width);

      few.batch = 2;
      convolution_set_window (&few, 1, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_set_window (&few, 2, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_check_levels (&few, CONVOLUTION_DIRECT);
      convolution_set_window (&many, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
      convolution_set_window (&many, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
      convolution_check_levels (&many, CONVOLUTION_DIRECT);
    }
}

/* Planes of whole vectors are read as they lie, in strips if there are many channels. */
static void
test_pointwise_planes_of_whole_vectors (void)
{
  for (gint64 height = 1; height < 6; height += 3)
    {
      HybConvolve c = convolution_make (26, 22, height, 16),
                  many = convolution_make (900, 3, height, 240);

      c.groups = 2;
      c.batch = 3;
      convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&c, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_check_levels (&c, CONVOLUTION_DIRECT);
      convolution_set_window (&many, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&many, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_check_levels (&many, CONVOLUTION_DIRECT);
    }
}

static void
test_depthwise_windows_of_every_kind (void)
{
  static const ConvolutionWindow windows[] = {
    { 1, 1, 1, 0 }, { 1, 2, 1, 0 }, { 2, 1, 1, 1 }, { 3, 1, 1, 1 }, { 3, 2, 1, 1 },
    { 3, 2, 1, 0 }, { 3, 1, 2, 2 }, { 3, 3, 1, 2 }, { 5, 1, 1, 2 }, { 5, 2, 1, 2 },
    { 5, 2, 2, 3 }, { 7, 2, 1, 3 }, { 2, 3, 3, 1 }, { 3, 1, 1, 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (windows); k++)
      {
        HybConvolve c = convolution_make (3, i % 2 ? 3 : 6, 13, 17);

        c.groups = 3;
        c.batch = 2;
        convolution_set_window (&c, 1, &windows[i]);
        convolution_set_window (&c, 2, &windows[k]);
        check_depthwise (&c);
      }
}

/* Every remainder of rows after groups of four, and of columns after whole vectors. */
static void
test_depthwise_maps_of_every_size (void)
{
  for (gint64 size = 1; size < 50; size++)
    for (gint64 stride = 1; stride < 4; stride++)
      for (gint64 taps = 3; taps < 6; taps += 2)
        {
          HybConvolve c = convolution_make (2, 2, 1 + (size * 7) % 11, size);

          c.groups = 2;
          convolution_set_window (&c, 1,
                                  &(ConvolutionWindow){ taps, MIN (stride, 2), 1, taps / 2 });
          convolution_set_window (&c, 2, &(ConvolutionWindow){ taps, stride, 1, taps / 2 });
          check_depthwise (&c);
        }
}

/* Planes larger than the first-level cache, whose last strip is shorter, and rows that are a strip alone. */
static void
test_depthwise_strips (void)
{
  HybConvolve high = convolution_make (5, 10, 151, 130), wide = convolution_make (2, 2, 9, 4000);

  high.groups = 5;
  high.batch = 2;
  convolution_set_window (&high, 1, &(ConvolutionWindow){ 5, 2, 1, 2 });
  convolution_set_window (&high, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  wide.groups = 2;
  convolution_set_window (&wide, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&wide, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  for (guint n_threads = 1; n_threads < 4; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      check_depthwise (&high);
      check_depthwise (&wide);
    }
  hyb_parallel_set_threads (0);
}

/* Windows that cover too many rows for the cache are left to the general kernel. */
static void
test_depthwise_rows_that_are_far_apart (void)
{
  HybConvolve c = convolution_make (3, 3, 4000, 20);

  c.groups = 3;
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1900, 0 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 64, 1, 1, 40 });
  convolution_check_levels (&c, CONVOLUTION_DIRECT);
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 2, 1, 3999, 0 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_check_levels (&c, CONVOLUTION_DIRECT);
}

static void
test_long_windows (void)
{
  HybConvolve c = convolution_make (2, 5, 4, 90);

  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 64, 1, 1, 31 });
  g_assert_true (hyb_simd_level () == HYB_SIMD_PLAIN || hyb_direct_convolve_fits (&c));
  convolution_check_levels (&c, CONVOLUTION_DIRECT);
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 65, 1, 1, 32 });
  g_assert_false (hyb_direct_convolve_fits (&c));
}

/* Sound: one row of many cells, some of them far apart. */
static void
test_long_rows (void)
{
  for (gint64 dilate = 1; dilate < 9; dilate += 7)
    for (gint64 stride = 1; stride < 4; stride += 2)
      {
        HybConvolve c = convolution_make (6, 10, 1, 4097 * stride + 40);

        c.groups = 2;
        convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
        convolution_set_window (&c, 2, &(ConvolutionWindow){ 11, stride, dilate, 5 });
        g_assert_true (hyb_simd_level () == HYB_SIMD_PLAIN || hyb_direct_convolve_fits (&c));
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* Several samples share a group of bands, the last group has fewer. */
static void
test_winograd_of_small_samples (void)
{
  for (gint64 batch = 2; batch < 8; batch += 5)
    for (gint64 size = 5; size < 14; size += 4)
      {
        HybConvolve       c = convolution_make (256, 17, size, 12 - size / 2);
        ConvolutionWindow window = { 3, 1, 1, 1 };

        c.batch = batch;
        convolution_set_window (&c, 1, &window);
        convolution_set_window (&c, 2, &window);
        convolution_check_levels (&c, CONVOLUTION_WINOGRAD);
      }
}

/* Operands of narrow maps. */
typedef struct
{
  HybConvolve c;
  float      *image, *weight, *filters, *bias, *other;
} NarrowMaps;

/* Computes the maps of all samples; the caller frees them. */
static float *
compute_narrow_maps (const NarrowMaps *maps)
{
  const HybConvolve *c = &maps->c;
  HybConvolveFinish  finish = convolution_finish (3, maps->bias, maps->other);
  gsize              bytes = hyb_winograd_workspace (c);
  g_autofree char   *workspace = g_malloc (bytes + 1);
  gint64             n = c->batch * c->map_channels * c->map[1] * c->map[2];
  float             *map = g_new (float, n + 1);

  map[n] = workspace[bytes] = 7;
  hyb_winograd_convolve (c,
                         &(HybDirectOperands){ .image = maps->image,
                                               .weight = maps->filters,
                                               .map = map,
                                               .workspace = workspace },
                         &finish);
  g_assert_cmpint (workspace[bytes], ==, 7);
  g_assert_cmpfloat ((double) map[n], ==, 7);
  return map;
}

/* The last sample, which equals the first one, has the same bytes in a group of fewer samples, as has everything by three
 * threads.  Every eleventh cell is compared with its sum. */
static void
check_narrow_maps (const NarrowMaps *maps)
{
  const HybConvolve *c = &maps->c;
  gint64             area = c->map[1] * c->map[2], size = c->map_channels * area;
  gsize              bytes = sizeof (float) * (gsize) size;
  g_autofree float  *one = NULL, *three = NULL;

  hyb_parallel_set_threads (1);
  one = compute_narrow_maps (maps);
  hyb_parallel_set_threads (3);
  three = compute_narrow_maps (maps);
  hyb_parallel_set_threads (0);
  g_assert_cmpmem (one, bytes, one + (c->batch - 1) * size, bytes);
  g_assert_cmpmem (one, bytes * (gsize) c->batch, three, bytes * (gsize) c->batch);
  for (gint64 at = 0; at < c->batch * size; at += 11)
    {
      double want = convolution_plain_sum (c, maps->image, maps->weight, at) +
                    (double) maps->bias[at / area % c->map_channels] + (double) maps->other[at];

      g_assert_cmpfloat (fabs ((double) one[at] - want), <, 5e-4);
    }
}

/* Narrow maps of many samples, whose cells are gathered: those of eight samples, and of the last three. */
static void
test_winograd_of_narrow_maps (void)
{
  NarrowMaps        maps = { .c = convolution_make (256, 66, 8, 5) };
  HybConvolve      *c = &maps.c;
  g_autofree float *image = NULL, *weight = NULL, *filters = NULL, *bias = NULL, *other = NULL;
  gint64            last, size;

  c->batch = 11;
  convolution_set_window (c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  size = c->image[1] * c->image[2];
  last = c->batch - 1;
  maps.image = image = convolution_random_floats (1, c->batch * c->image_channels * size);
  maps.weight = weight = convolution_random_floats (2, c->map_channels * c->image_channels * 9);
  maps.filters = filters = g_new (float, 18 * c->map_channels * c->image_channels);
  maps.bias = bias = convolution_random_floats (3, c->map_channels);
  maps.other = other = convolution_random_floats (4, c->batch * c->map_channels * size);
  hyb_winograd_filters (c->map_channels, c->image_channels, weight, filters);
  memcpy (image + last * c->image_channels * size, image,
          sizeof (float) * (gsize) (c->image_channels * size));
  memcpy (other + last * c->map_channels * size, other,
          sizeof (float) * (gsize) (c->map_channels * size));
  for (guint level = HYB_SIMD_AVX2; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      if (hyb_simd_level () == (HybSimdLevel) level)
        check_narrow_maps (&maps);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_winograd_of_every_size (void)
{
  for (gint64 size = 4; size < 34; size++)
    for (gint64 pad = 0; pad < 2; pad++)
      {
        HybConvolve c = convolution_make (16 + size % 5, 16 + size, size, 37 - size);

        c.batch = 1 + size % 2;
        convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, pad });
        convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 - pad });
        convolution_check_levels (&c, CONVOLUTION_WINOGRAD);
      }
}

/* Enough channels to compute the map in several groups of bands. */
static void
test_winograd_in_parts (void)
{
  HybConvolve c = convolution_make (300, 17, 30, 30);

  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  for (guint n_threads = 1; n_threads < 4; n_threads++)
    {
      hyb_parallel_set_threads (n_threads);
      convolution_check_levels (&c, CONVOLUTION_WINOGRAD);
    }
  hyb_parallel_set_threads (0);
}

static void
test_only_what_it_does_well_fits (void)
{
  HybConvolve c = convolution_make (8, 8, 20, 20);

  if (hyb_simd_level () == HYB_SIMD_PLAIN)
    {
      g_test_skip ("this processor has no instructions that it is for");
      return;
    }
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  g_assert_true (hyb_direct_convolve_fits (&c));
  c.image_channels = 0;
  g_assert_false (hyb_direct_convolve_fits (&c));
  c.image_channels = c.groups = 8; /* depthwise */
  g_assert_true (hyb_direct_convolve_fits (&c));
  c.groups = 1;
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
  g_assert_true (hyb_direct_convolve_fits (&c));
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 }); /* pointwise */
  g_assert_true (hyb_direct_convolve_fits (&c));
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 20, 1, 1, 0 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 20, 1, 1, 0 }); /* one position */
  g_assert_false (hyb_direct_convolve_fits (&c));
  hyb_simd_cap (HYB_SIMD_PLAIN);
  convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, 1, 1, 1 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 1, 1 });
  g_assert_false (hyb_direct_convolve_fits (&c));
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* With vectors of 16 floats, a map of 7 × 7 is two bands of one vector: reading twice as many weights takes
 * longer than the products that are saved, unless they stay in a cache. */
static void
test_winograd_pays_for_its_weights (void)
{
  HybConvolve few = convolution_make (16, 16, 7, 7), many = convolution_make (512, 512, 7, 7),
              large = convolution_make (512, 512, 14, 14);

  if (hyb_simd_level () != HYB_SIMD_AVX512)
    {
      g_test_skip ("this processor has no instructions that it is for");
      return;
    }
  for (int axis = 1; axis <= 2; axis++)
    {
      convolution_set_window (&few, axis, &(ConvolutionWindow){ 3, 1, 1, 1 });
      convolution_set_window (&many, axis, &(ConvolutionWindow){ 3, 1, 1, 1 });
      convolution_set_window (&large, axis, &(ConvolutionWindow){ 3, 1, 1, 1 });
    }
  g_assert_true (hyb_winograd_fits (&few));
  g_assert_false (hyb_winograd_fits (&many));
  g_assert_true (hyb_winograd_fits (&large));
}

TEST_PROGRAM (test_direct_convolution)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/shift/every-level/windows-of-every-kind",
                   test_windows_of_every_kind);
  g_test_add_func ("/engine/kernels/shift/every-level/rows-with-wide-strides", test_wide_strides);
  g_test_add_func ("/engine/kernels/shift/every-level/every-number-of-filters-and-positions",
                   test_every_number_of_filters_and_positions);
  g_test_add_func ("/engine/kernels/shift/every-level/rows-of-every-width",
                   test_rows_of_every_width);
  g_test_add_func ("/engine/kernels/shift/every-level/"
                   "whole-vectors-of-rows-whose-taps-are-far-apart",
                   test_whole_vectors_of_rows_whose_taps_are_far_apart);
  g_test_add_func ("/engine/kernels/shift/every-level/groups-and-threads", test_groups_and_threads);
  g_test_add_func ("/engine/kernels/shift/every-level/large-images-are-laid-out-in-strips",
                   test_strips);
  g_test_add_func ("/engine/kernels/shift/every-level/pointwise-and-depthwise",
                   test_pointwise_and_depthwise);
  g_test_add_func ("/engine/kernels/shift/every-level/rows-of-whole-vectors",
                   test_rows_of_whole_vectors);
  g_test_add_func ("/engine/kernels/shift/every-level/pointwise-planes-of-whole-vectors",
                   test_pointwise_planes_of_whole_vectors);
  g_test_add_func ("/engine/kernels/shift/every-level/depthwise-windows-of-every-kind",
                   test_depthwise_windows_of_every_kind);
  g_test_add_func ("/engine/kernels/shift/every-level/depthwise-maps-of-every-size",
                   test_depthwise_maps_of_every_size);
  g_test_add_func ("/engine/kernels/shift/every-level/depthwise-strips", test_depthwise_strips);
  g_test_add_func ("/engine/kernels/shift/every-level/long-rows", test_long_rows);
  g_test_add_func ("/engine/kernels/shift/every-level/depthwise-rows-that-are-far-apart",
                   test_depthwise_rows_that_are_far_apart);
  g_test_add_func ("/engine/kernels/shift/every-level/windows-of-up-to-64-taps", test_long_windows);
  g_test_add_func ("/engine/kernels/shift/every-level/winograd-of-every-size",
                   test_winograd_of_every_size);
  g_test_add_func ("/engine/kernels/shift/every-level/winograd-shares-filters-among-small-samples",
                   test_winograd_of_small_samples);
  g_test_add_func ("/engine/kernels/shift/every-level/winograd-of-narrow-maps",
                   test_winograd_of_narrow_maps);
  g_test_add_func ("/engine/kernels/shift/every-level/winograd-in-parts", test_winograd_in_parts);
  g_test_add_func ("/engine/kernels/shift/winograd-pays-for-its-weights",
                   test_winograd_pays_for_its_weights);
  g_test_add_func ("/engine/kernels/shift/only-what-it-does-well-fits",
                   test_only_what_it_does_well_fits);

  return g_test_run ();
}
