/* planes.h — images of bytes whose windows are read from planes, one for each channel and each remainder of a position by the
 * strides, with padding around them.
 *
 * A tap of a window reads a plane from an offset on, and neighbouring positions read neighbouring bytes, across the ends of
 * rows: positions behind the end of a row of the map are read like others, and their results are left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolution-shape.h"

/* The planes of one image, which follow each other by channel and, per axis, by remainder. */
typedef struct
{
  gint64   size[3];     /* of a plane */
  gint64   phases[3];   /* remainders by axis that a tap has */
  gint64   n_phases;    /* planes of a channel */
  gint64   plane;       /* bytes of a plane */
  gint64   n_positions; /* that are computed, in the order of a plane */
  gboolean is_image;    /* the planes are the channels of the image, as they are */
} HybIntegerPlanes;

/* Returns the planes of a convolution; plane is G_MAXINT64 if it overflows. */
HybIntegerPlanes hyb_integer_planes_find (const HybConvolve *convolve);
/* Returns the bytes of all planes of an image; G_MAXINT64 if that overflows. */
gint64 hyb_integer_planes_size (const HybConvolve *convolve, const HybIntegerPlanes *planes);
/* Returns where a tap of a channel starts, from the first plane of the group on. */
gint64 hyb_integer_planes_tap (const HybConvolve      *convolve,
                               const HybIntegerPlanes *planes,
                               gint64                  channel,
                               gint64                  tap);

/* One image that is copied into planes. */
typedef struct
{
  const HybConvolve      *convolve;
  const HybIntegerPlanes *planes;
  const guint8           *image;
  guint8                  pad; /* the value of padding */
  guint8                 *to;
} HybIntegerPlanesCopy;

/* Copies it; threads share the planes. */
void hyb_integer_planes_copy (const HybIntegerPlanesCopy *copy);
