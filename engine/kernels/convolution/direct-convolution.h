/* direct-convolution.h — convolution of float images without a column matrix.
 *
 * Laid out with its padding, an image seen through one tap of the kernel is the same image,
 * shifted: one long row of memory.  The product of filters and shifted images then needs
 * no copy for each tap; what falls between two rows of the map is computed and dropped.
 * Strides cut the image into as many smaller ones, of every n-th row and column.
 *
 * Sums run over the channels and taps in order, one after another: results depend neither
 * on the number of threads nor on the batch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

/* What happens to a sum before it is written. */
typedef struct
{
  const float *bias;    /* by filter; NULL: none */
  const float *other;   /* laid out like the map, added; NULL: none */
  gboolean     rectify; /* negative ones become 0 */
} HybConvolveFinish;

/* Whether this convolution is done well here, on this processor. */
gboolean hyb_direct_convolve_fits (const HybConvolve *convolve);
/* Bytes; G_MAXSIZE if they leave the number range. */
gsize hyb_direct_convolve_workspace (const HybConvolve *convolve);
void  hyb_direct_convolve (const HybConvolve       *convolve,
                           const float             *image,
                           const float             *weight,
                           const HybConvolveFinish *finish,
                           float                   *map,
                           gpointer                 workspace);
