/* convolve.h — images and filters: correlation, its transpose, its gradient.
 *
 * A window slides over an image; each place it stops at is one position of a map.
 * For Convolution the image is the input and the map the output; Deconvolution
 * has them the other way round.  Up to three spatial axes; missing ones are in
 * front and have size 1.  Layouts: image (batch, image_channels, image…),
 * map (batch, map_channels, map…), weight (map_channels, image_channels / groups,
 * kernel…).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

typedef struct
{
  gint64 batch, groups;
  gint64 image_channels, map_channels; /* of all groups together */
  gint64 image[3], map[3];
  gint64 kernel[3], stride[3], dilate[3], pad[3];
} HybConvolve;

/* Bytes the functions below want; G_MAXSIZE if the product leaves the number range. */
gsize hyb_convolve_workspace (const HybConvolve *convolve, gsize element_size);
/* Multiplications and additions of any of the three. */
double hyb_convolve_flops (const HybConvolve *convolve);

/* Of floats or doubles.  map = weight · windows (image) + bias; bias may be NULL. */
void hyb_convolve (const HybConvolve *convolve,
                   HybDType           dtype,
                   gconstpointer      image,
                   gconstpointer      weight,
                   gconstpointer      bias,
                   gpointer           map,
                   gpointer           workspace);

/* image = what the map spreads over it through the weights, + bias by image channel (may be NULL). */
void hyb_convolve_transposed (const HybConvolve *convolve,
                              HybDType           dtype,
                              gconstpointer      map,
                              gconstpointer      weight,
                              gconstpointer      bias,
                              gpointer           image,
                              gpointer           workspace);

/* weight = Σ over the batch of map · windows (image)ᵀ. */
void hyb_convolve_weight (const HybConvolve *convolve,
                          HybDType           dtype,
                          gconstpointer      image,
                          gconstpointer      map,
                          gpointer           weight,
                          gpointer           workspace);
