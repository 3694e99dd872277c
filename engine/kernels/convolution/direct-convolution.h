/* direct-convolution.h — convolution of float images without a column matrix.
 *
 * In an image that is laid out with its padding, the cells under one tap of the kernel are the same
 * image, shifted: one long run of memory.  So the product of filters and shifted images needs no
 * copy for each tap; sums between two rows of the map are computed and dropped.  With strides
 * the image is split into phases, one for each remainder of rows and columns.
 *
 * Each sum runs over channels and taps in order, so that results depend neither on the number of
 * threads nor on the batch size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* Whether hyb_direct_convolve() can compute this convolution on this processor and is worth it. */
gboolean hyb_direct_convolve_fits (const HybConvolve *convolve);
/* Returns the bytes of workspace for a convolution that fits. */
gsize hyb_direct_convolve_workspace (const HybConvolve *convolve);
/* Returns in a few words how a convolution that fits is computed, as a constant text. */
const char *hyb_direct_convolve_note (const HybConvolve *convolve);

/* Computes map = finish (weight ⋆ image) for a convolution that fits, on several threads. */
void hyb_direct_convolve (const HybConvolve       *convolve,
                          const HybDirectOperands *operands,
                          const HybConvolveFinish *finish);
