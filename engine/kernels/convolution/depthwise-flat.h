/* depthwise-flat.h — depthwise convolutions of small planes, whose rows are shorter than a vector.
 *
 * A map as wide as its image, with strides of 1, is one long row: each tap is then a shift of the whole plane, and the
 * vectors run through the ends of rows.  Nothing is laid out: the lanes whose cells lie in the padding are masked as
 * they are loaded, by masks that are the same for all planes.  Only AVX-512 has such loads.
 *
 * Sums are those of depthwise.h, tap by tap, so that results are the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* Computes a depthwise convolution of two axes like hyb_depthwise_convolve(); FALSE: its planes are not small enough, or
 * the processor lacks the instructions. */
gboolean hyb_depthwise_flat_convolve (const HybConvolve       *convolve,
                                      const HybDirectOperands *operands,
                                      const HybConvolveFinish *finish);
