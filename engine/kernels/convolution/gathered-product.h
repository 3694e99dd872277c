/* gathered-product.h — products of filters with the cells under the positions of a strip, gathered into panels.
 *
 * direct-convolution.h also sums the positions in the gaps between the rows of the map and drops them, which takes long
 * where the map is narrow or taps are far apart, and it reads the cells of each channel from another place.  A panel has
 * the cells under a few positions, without gaps, channel after channel and tap after tap: it stays in the first-level
 * cache for all filters.  That pays where there are enough filters to read it again.
 *
 * Each sum runs over channels and taps in the same order, except those of a few positions behind the last whole vector,
 * which are summed by vectors along the channels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/direct-layout.h"

/* A strip of one group of channels of one sample. */
typedef struct
{
  const HybDirectLayout   *layout;
  const HybDirectStrip    *strip;
  const HybConvolveFinish *finish;
  const gint64            *shifts;
  const float             *planes;
  const float             *weight;       /* of the group */
  gint64                   first_filter; /* of the group */
  float                   *map;          /* of the sample, all filters */
} HybStripProduct;

/* Whether gathering takes less time than summing the gaps as well.  It is the only way to read an image as it lies
 * (HybDirectLayout.is_image). */
gboolean hyb_gathered_pays (const HybDirectLayout *layout, const HybTiles *tiles);
/* Returns the time of all strips in the faster way, in products of vectors. */
double hyb_gathered_estimate (const HybDirectLayout *layout, const HybTiles *tiles);
/* Computes the strip, on several threads. */
void hyb_gathered_multiply (const HybStripProduct *product);
