/* sampling.h — grids of positions, and images read at them.
 *
 * A grid has two planes a sample, x and y in [−1, 1], where −1 is the centre of the
 * first cell and 1 that of the last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef struct
{
  gint64 batch, channels;
  gint64 height, width;           /* of the image */
  gint64 grid_height, grid_width; /* and of the result */
} HybSampling;

/* result = image read at the grid, mixed from the four cells around; cells outside are 0. */
void
hyb_sample_f32 (const HybSampling *sampling, const float *image, const float *grid, float *result);
void hyb_sample_f64 (const HybSampling *sampling,
                     const double      *image,
                     const double      *grid,
                     double            *result);

/* Gradients by image and grid from that of the result. */
void hyb_sample_backward_f32 (const HybSampling *sampling,
                              const float       *image,
                              const float       *grid,
                              const float       *gradient,
                              float             *image_gradient,
                              float             *grid_gradient);
void hyb_sample_backward_f64 (const HybSampling *sampling,
                              const double      *image,
                              const double      *grid,
                              const double      *gradient,
                              double            *image_gradient,
                              double            *grid_gradient);

/* grid = matrix (2 × 3 a sample) · (x, y, 1). */
void hyb_affine_grid_f32 (const HybSampling *sampling, const float *matrix, float *grid);
void hyb_affine_grid_f64 (const HybSampling *sampling, const double *matrix, double *grid);
void
hyb_affine_grid_backward_f32 (const HybSampling *sampling, const float *gradient, float *matrix);
void
hyb_affine_grid_backward_f64 (const HybSampling *sampling, const double *gradient, double *matrix);
