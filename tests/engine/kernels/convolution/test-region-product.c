/* test-region-product.c — convolutions by regions of the map, over two and three axes, and the same bytes for any threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/region-product.h"

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/kernels/convolution/check-convolution.h"
#include "tests/program.h"

/* Sets all axes of a volume. */
static void
set_windows (HybConvolve *c, gint64 slices, const ConvolutionWindow *const windows[3])
{
  c->image[0] = slices;
  for (int axis = 0; axis < 3; axis++)
    convolution_set_window (c, axis, windows[axis]);
}

static void
check_regions (const HybConvolve *c)
{
  if (hyb_simd_level () == HYB_SIMD_PLAIN)
    return;
  g_assert_true (hyb_region_convolve_fits (c, G_MAXDOUBLE));
  convolution_check_levels (c, CONVOLUTION_REGIONS);
}

/* Windows of 3 and 5 cells far apart: taps that enter the image and leave it at every place, some of which never do. */
static void
test_windows_far_apart (void)
{
  for (gint64 dilate = 4; dilate < 19; dilate += 7)
    for (gint64 kernel = 3; kernel < 6; kernel += 2)
      for (gint64 groups = 1; groups < 3; groups++)
        {
          ConvolutionWindow window = { kernel, 1, dilate, kernel / 2 * dilate };
          HybConvolve       c = convolution_make (8, 18, 17, 19);

          c.groups = c.batch = groups;
          convolution_set_window (&c, 1, &window);
          convolution_set_window (&c, 2, &window);
          check_regions (&c);
        }
}

/* Padding at one axis only, and rows with a stride. */
static void
test_one_axis (void)
{
  const ConvolutionWindow far = { 3, 1, 8, 8 }, none = { 3, 1, 1, 0 }, strided = { 3, 2, 8, 8 };
  HybConvolve             c = convolution_make (20, 33, 20, 21);

  convolution_set_window (&c, 1, &none);
  convolution_set_window (&c, 2, &far);
  check_regions (&c);
  convolution_set_window (&c, 1, &far);
  convolution_set_window (&c, 2, &none);
  check_regions (&c);
  convolution_set_window (&c, 1, &strided);
  convolution_set_window (&c, 2, &far);
  check_regions (&c);
}

/* Half of the taps in the padding are left out, a few at its edge are not. */
static void
test_choice (void)
{
  HybConvolve far = convolution_make (128, 128, 19, 19), near = convolution_make (128, 128, 38, 38);

  if (hyb_simd_level () == HYB_SIMD_PLAIN)
    return;
  for (int axis = 1; axis < 3; axis++)
    {
      convolution_set_window (&far, axis, &(ConvolutionWindow){ 3, 1, 6, 6 });
      convolution_set_window (&near, axis, &(ConvolutionWindow){ 3, 1, 1, 1 });
    }
  g_assert_cmpstr (hyb_direct_convolve_note (&far), ==, "direct, by regions of the map");
  g_assert_cmpstr (hyb_direct_convolve_note (&near), !=, "direct, by regions of the map");
}

static void
test_volumes_of_every_kind (void)
{
  static const ConvolutionWindow windows[] = { { 1, 1, 1, 0 }, { 3, 1, 1, 1 }, { 3, 2, 1, 1 },
                                               { 2, 1, 3, 2 }, { 3, 1, 4, 4 }, { 5, 3, 1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint j = 0; j < G_N_ELEMENTS (windows); j++)
      for (guint k = 0; k < G_N_ELEMENTS (windows); k++)
        {
          HybConvolve c = convolution_make (4, 10, 8, 9);

          c.groups = 1 + (i + j) % 2;
          c.batch = 1 + k % 2;
          set_windows (&c, 7,
                       (const ConvolutionWindow *const[]){ &windows[i], &windows[j], &windows[k] });
          g_assert_false (hyb_winograd_fits (&c));
          if (hyb_direct_convolve_fits (&c))
            convolution_check_levels (&c, CONVOLUTION_DIRECT);
          else
            g_assert_true (hyb_simd_level () == HYB_SIMD_PLAIN || windows[k].stride > 1 ||
                           c.map[0] * c.map[1] * c.map[2] < 40);
        }
}

/* Channels of two blocks and more, with few and many filters, so that sums wait in the map and in the workspace. */
static void
test_blocks_of_channels (void)
{
  const ConvolutionWindow near = { 3, 1, 1, 1 }, far = { 3, 1, 6, 6 };

  for (gint64 filters = 9; filters < 120; filters += 100)
    {
      HybConvolve volume = convolution_make (60, filters, 5, 7),
                  flat = convolution_make (160, filters, 13, 13);

      set_windows (&volume, 4, (const ConvolutionWindow *const[]){ &near, &near, &near });
      convolution_check_levels (&volume, CONVOLUTION_DIRECT);
      convolution_set_window (&flat, 1, &far);
      convolution_set_window (&flat, 2, &far);
      convolution_check_levels (&flat, CONVOLUTION_DIRECT);
    }
}

/* One row of cells far apart, of which the first and last positions have fewer taps. */
static void
test_rows (void)
{
  HybConvolve c = convolution_make (20, 50, 1, 300);

  convolution_set_window (&c, 1, &(ConvolutionWindow){ 1, 1, 1, 0 });
  convolution_set_window (&c, 2, &(ConvolutionWindow){ 3, 1, 90, 90 });
  check_regions (&c);
}

/* The bytes of a map of random numbers at the current level, with a bias, a sum and a rectifier. */
static GBytes *
compute_map (const HybConvolve *c)
{
  gint64            n = c->map_channels * c->map[0] * c->map[1] * c->map[2];
  gint64            depth = c->image_channels * c->kernel[0] * c->kernel[1] * c->kernel[2];
  g_autofree float *image =
      convolution_random_floats (1, c->image_channels * c->image[0] * c->image[1] * c->image[2]);
  g_autofree float *weight = convolution_random_floats (2, c->map_channels * depth);
  g_autofree char  *workspace = g_malloc (hyb_direct_convolve_workspace (c) + 1);
  g_autofree float *bias = convolution_random_floats (3, c->map_channels);
  g_autofree float *other = convolution_random_floats (4, n);
  HybConvolveFinish finish = convolution_finish (CONVOLUTION_N_FINISHES - 1, bias, other);
  HybDirectOperands operands = { image, weight, g_new (float, n), workspace };

  hyb_direct_convolve (c, &operands, &finish);
  return g_bytes_new_take (operands.map, sizeof (float) * (gsize) n);
}

static void
check_bytes_of_threads (const HybConvolve *c)
{
  g_autoptr (GBytes) one = NULL;

  hyb_parallel_set_threads (1);
  one = compute_map (c);
  for (guint n_threads = 2; n_threads < 6; n_threads++)
    {
      g_autoptr (GBytes) several = NULL;

      hyb_parallel_set_threads (n_threads);
      several = compute_map (c);
      g_assert_true (g_bytes_equal (one, several));
    }
  hyb_parallel_set_threads (0);
}

static void
test_same_bytes (void)
{
  const ConvolutionWindow near = { 3, 1, 1, 1 }, far = { 3, 1, 6, 6 };
  HybConvolve volume = convolution_make (30, 50, 9, 11), flat = convolution_make (60, 80, 19, 19);

  set_windows (&volume, 6, (const ConvolutionWindow *const[]){ &near, &near, &near });
  convolution_set_window (&flat, 1, &far);
  convolution_set_window (&flat, 2, &far);
  for (guint level = HYB_SIMD_AVX2; level <= HYB_SIMD_AVX512; level++)
    {
      hyb_simd_cap ((HybSimdLevel) level);
      if (hyb_simd_level () != (HybSimdLevel) level)
        continue;
      check_bytes_of_threads (&volume);
      check_bytes_of_threads (&flat);
    }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Sizes whose product would overflow, a stride along rows, and one position. */
static void
test_what_does_not_fit (void)
{
  const ConvolutionWindow near = { 3, 1, 1, 1 }, strided = { 3, 1, 1, 1 };
  HybConvolve             c = convolution_make (4, 10, 8, 9);

  set_windows (&c, 7, (const ConvolutionWindow *const[]){ &near, &strided, &near });
  g_assert_true (hyb_simd_level () == HYB_SIMD_PLAIN || hyb_region_convolve_fits (&c, G_MAXDOUBLE));
  c.stride[2] = 2;
  g_assert_false (hyb_region_convolve_fits (&c, G_MAXDOUBLE));
  c.stride[2] = 1;
  c.pad[0] = c.pad[1] = c.pad[2] = 60000;
  for (int axis = 0; axis < 3; axis++)
    c.map[axis] = c.image[axis] + 2 * 60000 - 2;
  g_assert_false (hyb_region_convolve_fits (&c, G_MAXDOUBLE));
  c = convolution_make (4, 10, 3, 3);
  set_windows (&c, 3,
               (const ConvolutionWindow *const[]){ &(ConvolutionWindow){ 3, 1, 1, 0 },
                                                   &(ConvolutionWindow){ 3, 1, 1, 0 },
                                                   &(ConvolutionWindow){ 3, 1, 1, 0 } });
  g_assert_false (hyb_region_convolve_fits (&c, G_MAXDOUBLE));
}

TEST_PROGRAM (test_region_product)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/kernels/regions/" name, function)
  TEST ("every-level/windows-far-apart", test_windows_far_apart);
  TEST ("every-level/padding-of-one-axis", test_one_axis);
  TEST ("chosen-if-much-is-padding", test_choice);
  TEST ("every-level/volumes-of-every-kind", test_volumes_of_every_kind);
  TEST ("every-level/blocks-of-channels", test_blocks_of_channels);
  TEST ("every-level/rows", test_rows);
  TEST ("every-level/threads-give-the-same-bytes", test_same_bytes);
  TEST ("what-does-not-fit", test_what_does_not_fit);
#undef TEST

  return g_test_run ();
}
