/* convolve.h — one pass of a convolution, as the calls of cuDNN describe it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* What is computed of the other two. */
typedef enum
{
  CONVOLVE_MAP,
  CONVOLVE_IMAGE,
  CONVOLVE_WEIGHT,
} ConvolvePass;

/* Three spatial axes; missing ones are the first, of one cell. */
typedef struct
{
  ConvolvePass pass;
  guint64      image_at, map_at, weight_at, work_at;
  gsize        work_bytes;
  int          type; /* of cudaDataType */
  int          batch, groups, channels, filters;
  int          image[3], map[3], kernel[3], pad[3], stride[3], dilate[3];
  double       alpha, beta;
  gboolean     coarse;   /* inputs are rounded to TF32 */
  gboolean     scatters; /* sums depend on the order in which threads end */
} Convolve;

/* Computes it in device memory: the work of a stream. */
gboolean convolve_run (gpointer data, GError **error);
