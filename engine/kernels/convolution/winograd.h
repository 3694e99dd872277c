/* winograd.h — 3 × 3 convolution of float images with half the multiplications.
 *
 * Winograd's F(4, 3) along the row axis only: the input transform turns six rows of the image
 * into six others; their products with six 1 × 3 filters give six rows of sums, which the output
 * transform turns into four rows of the map: 18 multiplications instead of 36.  Along the
 * columns the image is shifted as in direct-convolution.h, so that nothing needs another layout,
 * and the rounding error stays near that of the plain sum.
 *
 * Filters are transformed once, with hyb_winograd_filters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/direct-convolution.h"

/* Rows of a transformed filter, which has 3 before. */
#define HYB_WINOGRAD_ROWS 6

/* Whether hyb_winograd_convolve() can compute this convolution on this processor and saves time. */
gboolean hyb_winograd_fits (const HybConvolve *convolve);

/* Transforms weight (filters, channels, 3, 3) to `to` (6, filters, channels, 3). */
void hyb_winograd_filters (gint64 filters, gint64 channels, const float *weight, float *to);

/* Returns the bytes of workspace for a convolution that fits. */
gsize hyb_winograd_workspace (const HybConvolve *convolve);
/* Computes map = finish (weight ⋆ image) for a convolution that fits, on several threads;
 * operands->weight is the result of hyb_winograd_filters(). */
void hyb_winograd_convolve (const HybConvolve       *convolve,
                            const HybDirectOperands *operands,
                            const HybConvolveFinish *finish);
