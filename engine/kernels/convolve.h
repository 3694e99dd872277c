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

#include <glib.h>

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

/* map = weight · windows (image) + bias; bias may be NULL. */
void hyb_convolve_f32 (const HybConvolve *convolve,
                       const float       *image,
                       const float       *weight,
                       const float       *bias,
                       float             *map,
                       gpointer           workspace);
void hyb_convolve_f64 (const HybConvolve *convolve,
                       const double      *image,
                       const double      *weight,
                       const double      *bias,
                       double            *map,
                       gpointer           workspace);

/* image = what the map spreads over it through the weights, + bias by image channel (may be NULL). */
void hyb_convolve_transposed_f32 (const HybConvolve *convolve,
                                  const float       *map,
                                  const float       *weight,
                                  const float       *bias,
                                  float             *image,
                                  gpointer           workspace);
void hyb_convolve_transposed_f64 (const HybConvolve *convolve,
                                  const double      *map,
                                  const double      *weight,
                                  const double      *bias,
                                  double            *image,
                                  gpointer           workspace);

/* weight = Σ over the batch of map · windows (image)ᵀ. */
void hyb_convolve_weight_f32 (const HybConvolve *convolve,
                              const float       *image,
                              const float       *map,
                              float             *weight,
                              gpointer           workspace);
void hyb_convolve_weight_f64 (const HybConvolve *convolve,
                              const double      *image,
                              const double      *map,
                              double            *weight,
                              gpointer           workspace);
