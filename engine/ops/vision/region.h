/* region.h — how operators on regions of images read the numbers of a region, which may be anything.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include <math.h>

/* Truncates to an integer and clamps to 32 bits; NaN gives 0. */
static inline gint64
region_integer (double value)
{
  return isnan (value) ? 0 : (gint64) CLAMP (value, -2147483648.0, 2147483647.0);
}

/* The image that a region is in, out of `batch`; −1 if there is no such image. */
static inline gint64
region_image (double number, gint64 batch)
{
  gint64 image = region_integer (number);

  return image >= 0 && image < batch ? image : -1;
}
