/* test-gathered-product.c — convolutions whose cells are gathered, or read as they lie, and the same bytes for any threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-convolution.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/processor.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/kernels/convolution/check-convolution.h"
#include "tests/program.h"

/* Images of every size are read as they lie, by few filters, or copied for many; the end of the last channel is the
 * end of the array. */
static void
test_pointwise_images_of_every_size (void)
{
  for (gint64 size = 4; size < 140; size++)
    for (gint64 filters = 3; filters < 60; filters += 26)
      {
        HybConvolve c = convolution_make (1 + size % 9, filters, 1, size);

        c.batch = 1 + size % 2;
        convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
        convolution_set_window (&c, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* Images whose lines under a tile of AVX2, 160 bytes of each channel, overflow the first-level cache, and that have more than 64
 * pages, by as many filters as make copies pay and one less; and one beyond a second-level cache of 1 MiB. */
static void
test_pointwise_images_beyond_caches (void)
{
  const gint64 channels = hyb_processor ()->first_cache / 160 + 1, width = (64 << 10) / channels;
  const gint64 sizes[][3] = { { channels, 64, width + 8 },
                              { channels, 63, width + 2 },
                              { 257, 5, 1031 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      HybConvolve c = convolution_make (sizes[i][0], sizes[i][1], 1, sizes[i][2]);

      convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&c, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_check_levels (&c, CONVOLUTION_DIRECT);
    }
}

/* Maps with many filters whose rows are short, or whose taps are far apart. */
static void
test_narrow_maps (void)
{
  static const ConvolutionWindow windows[] = {
    { 3, 1, 1, 1 }, { 3, 2, 1, 1 }, { 3, 1, 6, 6 }, { 2, 1, 3, 1 }, { 5, 1, 2, 4 }
  };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (gint64 size = 5; size < 21; size++)
      for (gint64 groups = 1; groups < 3; groups++)
        {
          HybConvolve c = convolution_make (6, 50 + 2 * size, size, 25 - size);

          c.groups = groups;
          c.batch = groups;
          convolution_set_window (&c, 1, &windows[i]);
          convolution_set_window (&c, 2, &windows[i]);
          if (hyb_direct_convolve_fits (&c))
            convolution_check_levels (&c, CONVOLUTION_DIRECT);
        }
}

/* Channels and taps beyond one block, and one more and one less; the sums of a block wait in the map. */
static void
test_blocks_of_channels (void)
{
  for (gint64 channels = 95; channels < 131; channels++)
    {
      HybConvolve pointwise = convolution_make (2 * channels, 37, 5, 9),
                  narrow = convolution_make (channels, 33, 7, 7);

      convolution_set_window (&pointwise, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&pointwise, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_check_levels (&pointwise, CONVOLUTION_DIRECT);
      convolution_set_window (&narrow, 1, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_set_window (&narrow, 2, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_check_levels (&narrow, CONVOLUTION_DIRECT);
    }
}

/* One to four positions behind whole vectors of 8 and 16 are summed along channels and taps, with any number of filters
 * and of these, in one block or several. */
static void
test_last_positions (void)
{
  static const gint64 channels[] = { 31, 32, 33, 63, 64, 65, 79, 80, 1100 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++)
    for (gint64 positions = 16; positions < 27; positions++)
      for (gint64 filters = 1; filters < 20; filters += 6)
        {
          HybConvolve c = convolution_make (2 * channels[i], 2 * filters, 1, positions);

          c.groups = 2;
          c.batch = 2;
          convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
          convolution_set_window (&c, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
          convolution_check_levels (&c, CONVOLUTION_DIRECT);
        }
}

/* The same with rows and taps: 49 positions are three vectors of 16 and one more. */
static void
test_last_positions_of_windows (void)
{
  for (gint64 stride = 1; stride < 3; stride++)
    for (gint64 filters = 60; filters < 69; filters++)
      {
        HybConvolve c = convolution_make (40, filters, 7 * stride, 7 * stride);

        convolution_set_window (&c, 1, &(ConvolutionWindow){ 3, stride, 1, 1 });
        convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, stride, 1, 1 });
        convolution_check_levels (&c, CONVOLUTION_DIRECT);
      }
}

/* The map of a convolution of random numbers, finished as number `at`; the caller frees it. */
static float *
compute_map (const HybConvolve *c, guint at)
{
  gint64            n = c->batch * c->map_channels * c->map[1] * c->map[2];
  gint64            depth = c->image_channels / c->groups * c->kernel[1] * c->kernel[2];
  g_autofree float *image =
      convolution_random_floats (1, c->batch * c->image_channels * c->image[1] * c->image[2]);
  g_autofree float *weight = convolution_random_floats (2, c->map_channels * depth);
  g_autofree char  *workspace = g_malloc (hyb_direct_convolve_workspace (c) + 1);
  g_autofree float *bias = convolution_random_floats (3, c->map_channels);
  g_autofree float *other = convolution_random_floats (4, n);
  HybConvolveFinish finish = convolution_finish (at, bias, other);
  float            *map = g_new (float, n);

  hyb_direct_convolve (c,
                       &(HybDirectOperands){
                           .image = image, .weight = weight, .map = map, .workspace = workspace },
                       &finish);
  return map;
}

static void
check_bytes_of_threads (const HybConvolve *c)
{
  gsize bytes = sizeof (float) * (gsize) (c->map_channels * c->map[1] * c->map[2]);

  for (guint at = 0; at < CONVOLUTION_N_FINISHES; at++)
    {
      g_autofree float *one = NULL;

      hyb_parallel_set_threads (1);
      one = compute_map (c, at);
      for (guint n_threads = 2; n_threads < 6; n_threads++)
        {
          g_autofree float *several = NULL;

          hyb_parallel_set_threads (n_threads);
          several = compute_map (c, at);
          g_assert_cmpmem (one, bytes, several, bytes);
        }
    }
  hyb_parallel_set_threads (0);
}

static void
test_same_bytes (void)
{
  for (guint level = HYB_SIMD_AVX2; level <= HYB_SIMD_AVX512; level++)
    {
      HybConvolve pointwise = convolution_make (150, 90, 5, 13),
                  narrow = convolution_make (40, 70, 14, 14);

      hyb_simd_cap ((HybSimdLevel) level);
      if (hyb_simd_level () != (HybSimdLevel) level)
        continue;
      convolution_set_window (&pointwise, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
      convolution_set_window (&pointwise, 2, &(ConvolutionWindow){ 1, 1, 1, 0 });
      check_bytes_of_threads (&pointwise);
      convolution_set_window (&narrow, 1, &(ConvolutionWindow){ 3, 2, 1, 1 });
      convolution_set_window (&narrow, 2, &(ConvolutionWindow){ 3, 2, 1, 1 });
      check_bytes_of_threads (&narrow);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

TEST_PROGRAM (test_gathered_product)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/gathered/every-level/pointwise-images-of-every-size",
                   test_pointwise_images_of_every_size);
  g_test_add_func ("/engine/kernels/gathered/every-level/pointwise-images-beyond-caches",
                   test_pointwise_images_beyond_caches);
  g_test_add_func ("/engine/kernels/gathered/every-level/narrow-maps-with-many-filters",
                   test_narrow_maps);
  g_test_add_func ("/engine/kernels/gathered/every-level/blocks-of-channels",
                   test_blocks_of_channels);
  g_test_add_func ("/engine/kernels/gathered/every-level/last-positions-are-summed-along-channels",
                   test_last_positions);
  g_test_add_func ("/engine/kernels/gathered/every-level/last-positions-of-windows",
                   test_last_positions_of_windows);
  g_test_add_func ("/engine/kernels/gathered/every-level/threads-give-the-same-bytes",
                   test_same_bytes);

  return g_test_run ();
}
