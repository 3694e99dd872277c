/* region-layout.h — how the map of a convolution is split into regions whose windows have the same taps inside of the image.
 *
 * Taps in the padding are products with zero: with 19 × 19 cells, windows of 3 × 3 and a dilation of 6 these are 38 of 100.
 * Along each axis the map is either split, so that the taps of a region are inside for all of its positions, or it has one
 * span with all taps, for which the image is padded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/filter-tile.h"

#define HYB_MAX_REGIONS 64
#define HYB_MAX_SPANS   8 /* along one axis */

/* Positions [begin, end) of the map along one axis, whose taps [tap, tap + n_taps) are computed. */
typedef struct
{
  gint64 begin, end, tap, n_taps;
} HybRegionSpan;

/* A box of positions and a box of taps. */
typedef struct
{
  HybRegionSpan span[3];
  gint64        positions, n_taps;
  gboolean      is_contiguous; /* the positions follow each other in the map */
  gint64        first_tile;    /* among the tiles of all regions */
  gint64        at;     /* floats from the sums of a filter to those of the region: whole vectors */
  HybTiling     tiling; /* of the positions */
} HybRegion;

typedef struct
{
  HybConvolve convolve;
  gint64      channels, filters; /* of one group */
  gint64      n_taps;            /* of the window */
  gboolean    is_image;          /* no axis needs padding: the image is read as it lies */
  gint64      pad[3], size[3];   /* zeros before each axis, and its cells with zeros at both ends */
  gint64      n_regions, n_tiles;
  gint64      width; /* floats of the sums of a filter */
  HybRegion   regions[HYB_MAX_REGIONS];
} HybRegionLayout;

/* Finds the layout that takes the least time.  Returns that time, in products of vectors; -1 if there is none. */
double hyb_region_layout_init (HybRegionLayout   *layout,
                               const HybConvolve *convolve,
                               const HybTiles    *tiles);
/* Returns the floats of the padded image of one group; 0 if the image is read as it lies. */
gint64 hyb_region_layout_area (const HybRegionLayout *layout);
