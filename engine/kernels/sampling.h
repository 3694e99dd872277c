/* sampling.h — bilinear sampling of images at grids of positions, affine grids, and gradients.
 *
 * image (N, C, height, width), grid (N, 2, grid_height, grid_width), result (N, C, grid_height,
 * grid_width).  Plane 0 of a grid holds x, plane 1 y, both in [−1, 1], where −1 is the centre of
 * the first cell and 1 that of the last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef struct
{
  gint64 batch, channels;
  gint64 height, width;           /* of the image */
  gint64 grid_height, grid_width; /* of the grid and of the result */
} HybSampling;

/* Writes result = the image at the grid's positions, interpolated bilinearly between the four
 * cells around each; cells outside the image count as 0. */
void
hyb_sample_f32 (const HybSampling *sampling, const float *image, const float *grid, float *result);
/* The same in double. */
void hyb_sample_f64 (const HybSampling *sampling,
                     const double      *image,
                     const double      *grid,
                     double            *result);

/* Writes the gradients of image and grid, given the gradient of the result. */
void hyb_sample_backward_f32 (const HybSampling *sampling,
                              const float       *image,
                              const float       *grid,
                              const float       *gradient,
                              float             *image_gradient,
                              float             *grid_gradient);
/* The same in double. */
void hyb_sample_backward_f64 (const HybSampling *sampling,
                              const double      *image,
                              const double      *grid,
                              const double      *gradient,
                              double            *image_gradient,
                              double            *grid_gradient);

/* Writes grid = matrix · (x, y, 1) for each position of a regular grid; matrix is (N, 2, 3). */
void hyb_affine_grid_f32 (const HybSampling *sampling, const float *matrix, float *grid);
/* The same in double. */
void hyb_affine_grid_f64 (const HybSampling *sampling, const double *matrix, double *grid);
/* Writes the gradient of the matrix, given the gradient of the grid. */
void
hyb_affine_grid_backward_f32 (const HybSampling *sampling, const float *gradient, float *matrix);
/* The same in double. */
void
hyb_affine_grid_backward_f64 (const HybSampling *sampling, const double *gradient, double *matrix);
