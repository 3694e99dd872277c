/* winograd.h — 3 × 3 convolution of float images with half the multiplications.
 *
 * Winograd's F(4, 3), along the rows' index alone: six rows of the image become six others, of
 * which products with six filters of 1 × 3 give six rows of sums and those four rows of the map:
 * 18 multiplications for 36.  Columns stay shifted images (shift.h), so that nothing need be
 * laid out in another order, and the error stays near that of the plain sum.
 *
 * Filters are transformed once: hyb_winograd_filters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/direct-convolution.h"

/* Rows of filters that 3 become. */
#define HYB_WINOGRAD_ROWS 6

/* Whether it is worth it for this convolution, on this processor. */
gboolean hyb_winograd_fits (const HybConvolve *convolve);

/* to (6, filters, channels, 3) from weight (filters, channels, 3, 3). */
void hyb_winograd_filters (gint64 filters, gint64 channels, const float *weight, float *to);

/* Bytes. */
gsize hyb_winograd_workspace (const HybConvolve *convolve);
/* weight: as hyb_winograd_filters() made them. */
void hyb_winograd_convolve (const HybConvolve       *convolve,
                            const float             *image,
                            const float             *weight,
                            const HybConvolveFinish *finish,
                            float                   *map,
                            gpointer                 workspace);
