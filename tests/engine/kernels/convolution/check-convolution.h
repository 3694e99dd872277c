/* check-convolution.h — compares convolutions of floats with plain loops in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"
#include "engine/kernels/simd/simd.h"

/* The window along one axis. */
typedef struct
{
  gint64 kernel, stride, dilate, pad;
} ConvolutionWindow;

/* Returns a convolution of one sample and one group, with a window of one cell; convolution_set_window() sets others. */
HybConvolve convolution_make (gint64 channels, gint64 filters, gint64 height, gint64 width);
/* Sets the window along an axis and computes the size of the map. */
void convolution_set_window (HybConvolve *c, int axis, const ConvolutionWindow *window);
/* Returns n numbers between −1 and 1; the caller frees them. */
float *convolution_random_floats (guint64 seed, gint64 n);
/* Returns the cell of the map at index `at`, without bias. */
double
convolution_plain_sum (const HybConvolve *c, const float *image, const float *weight, gint64 at);
/* Combinations of a bias, a sum and no rectifier, one without and one with a slope. */
#define CONVOLUTION_N_FINISHES 12
/* Returns combination number `at`. */
HybConvolveFinish convolution_finish (guint at, const float *bias, const float *other);
/* The kernel that is checked. */
typedef enum
{
  CONVOLUTION_DIRECT,
  CONVOLUTION_WINOGRAD,
  CONVOLUTION_REGIONS,
} ConvolutionMethod;

/* Checks a convolution with every pair of what may be added, and that nothing is written behind its arrays, at each level of
 * vector instructions from `lowest` on. */
void convolution_check (const HybConvolve *c, ConvolutionMethod method, HybSimdLevel lowest);
/* Checks it at each level that has tiles. */
void convolution_check_levels (const HybConvolve *c, ConvolutionMethod method);
