/* convolution-shape.h — the sizes of a convolution.
 *
 * There are up to three spatial axes; absent ones come first and have size 1.  Layouts: image (batch, image_channels,
 * image…), map (batch, map_channels, map…), weight (map_channels, image_channels / groups, kernel…).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gint64 batch, groups;
  gint64 image_channels, map_channels; /* of all groups together */
  gint64 image[3], map[3];             /* sizes of the spatial axes */
  gint64 kernel[3], stride[3], dilate[3], pad[3];
} HybConvolve;

/* Returns the cells of an image, a map or a window: the product of the sizes of its spatial axes. */
static inline gint64
hyb_volume (const gint64 size[3])
{
  return size[0] * size[1] * size[2];
}
