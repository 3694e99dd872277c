/* region-product.h — convolution by regions of the map whose windows have the same taps inside of the image.
 *
 * Serves windows that are far apart, of which many taps lie in the padding and are left out, and windows over three axes.
 * Each sum runs over channels and taps in the same order, whatever the number of threads and samples is.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* Whether hyb_region_convolve() can compute this convolution on this processor in less than `time`, in products of vectors;
 * G_MAXDOUBLE for any. */
gboolean hyb_region_convolve_fits (const HybConvolve *convolve, double time);
/* Returns the bytes of workspace for a convolution that fits. */
gsize hyb_region_convolve_workspace (const HybConvolve *convolve);
/* Computes map = finish (weight ⋆ image) for a convolution that fits, on several threads. */
void hyb_region_convolve (const HybConvolve       *convolve,
                          const HybDirectOperands *operands,
                          const HybConvolveFinish *finish);
