/* depthwise-pairs.h — depthwise convolutions whose rows fit two vectors, with windows of 3 × 3 and 5 × 5.
 *
 * A vector of the map holds two short rows or one longer one.  The two vectors of cells under a row of its window, of two
 * rows of the image or of both ends of one, are loaded once with their padding; each tap permutes them.  So nothing
 * is laid out, and a stride of 2 costs no more than one of 1.  Only AVX-512 permutes two vectors.
 *
 * Sums are those of depthwise.h, tap by tap, so that results are the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* Computes a depthwise convolution of two axes like hyb_depthwise_convolve(); FALSE: its rows do not fit, another method is
 * faster, or the processor lacks the instructions. */
gboolean hyb_depthwise_pairs_convolve (const HybConvolve       *convolve,
                                       const HybDirectOperands *operands,
                                       const HybConvolveFinish *finish);
