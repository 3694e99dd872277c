/* test-sampling.c — grids, sampled images and their gradients in cases with known results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/sampling.h"
#include "tests/program.h"

#include <glib.h>

#define HEIGHT 4
#define WIDTH  5

static const HybSampling same_size = { 1, 2, HEIGHT, WIDTH, HEIGHT, WIDTH };

static void
read_through (const double matrix[6], const double *image, double *result)
{
  double grid[2 * HEIGHT * WIDTH];

  hyb_affine_grid_f64 (&same_size, matrix, grid);
  hyb_sample_f64 (&same_size, image, grid, result);
}

static void
test_the_identity_reads_the_image_itself (void)
{
  double image[2 * HEIGHT * WIDTH], result[2 * HEIGHT * WIDTH];

  for (int i = 0; i < 2 * HEIGHT * WIDTH; i++)
    image[i] = i * i;
  read_through ((const double[]){ 1, 0, 0, 0, 1, 0 }, image, result);
  for (int i = 0; i < 2 * HEIGHT * WIDTH; i++)
    g_assert_cmpfloat_with_epsilon (result[i], image[i], 1e-9);
}

static void
test_a_mirrored_grid_reads_backwards (void)
{
  double image[2 * HEIGHT * WIDTH], result[2 * HEIGHT * WIDTH];

  for (int i = 0; i < 2 * HEIGHT * WIDTH; i++)
    image[i] = i;
  read_through ((const double[]){ -1, 0, 0, 0, 1, 0 }, image, result);
  for (int i = 0; i < 2 * HEIGHT * WIDTH; i++)
    g_assert_cmpfloat_with_epsilon (result[i], image[i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH],
                                    1e-9);
}

static void
test_half_a_cell_reads_the_mean_and_outside_is_zero (void)
{
  HybSampling sampling = { 1, 1, 1, 3, 1, 3 };
  float       image[] = { 2, 4, 8 };
  float       grid[] = { -0.5f, 2.f, 1.5f, 0.f, 0.f, 0.f };
  float       result[3];

  hyb_sample_f32 (&sampling, image, grid, result);
  g_assert_cmpfloat ((double) result[0], ==, 3);
  g_assert_cmpfloat ((double) result[1], ==, 0);
  g_assert_cmpfloat ((double) result[2], ==, 4); /* half of the last cell, half of a cell outside */
}

TEST_PROGRAM (test_sampling)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/sampling/the-identity-reads-the-image-itself",
                   test_the_identity_reads_the_image_itself);
  g_test_add_func ("/engine/kernels/sampling/a-mirrored-grid-reads-backwards",
                   test_a_mirrored_grid_reads_backwards);
  g_test_add_func ("/engine/kernels/sampling/half-a-cell-reads-the-mean-and-outside-is-zero",
                   test_half_a_cell_reads_the_mean_and_outside_is_zero);

  return g_test_run ();
}
