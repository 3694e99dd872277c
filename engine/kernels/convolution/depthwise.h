/* depthwise.h — convolutions whose groups have one channel each: every channel of the image has filters of its own.
 *
 * There is little arithmetic for each cell, so that everything around it counts: a few rows of one plane are laid out
 * with their padding (window-rows.h) where the first-level cache holds them, rows of the map are summed from them
 * four at a time, which share what they load, and are finished and written once.
 *
 * Each sum runs over the taps in order, so that results depend neither on the number of threads nor on the batch size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* Whether this is such a convolution, with windows that can be laid out. */
gboolean hyb_depthwise_fits (const HybConvolve *convolve);
/* Returns the bytes of workspace for a convolution that fits. */
gsize hyb_depthwise_workspace (const HybConvolve *convolve);
/* Computes map = finish (weight ⋆ image) for a convolution that fits, on several threads. */
void hyb_depthwise_convolve (const HybConvolve       *convolve,
                             const HybDirectOperands *operands,
                             const HybConvolveFinish *finish);
