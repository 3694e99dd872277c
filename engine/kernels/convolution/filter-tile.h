/* filter-tile.h — tiles of sums over shifted images, for the kernels that are made of them:
 * shift.c and winograd.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/direct-convolution.h"

#define HYB_TILE_FILTERS 8 /* at most */
#define HYB_TILE_VECTORS 4
#define HYB_TILE_STRIDE  64 /* floats from filter to filter of its sums */
/* Floats behind the last plane that tiles read and drop. */
#define HYB_TILE_SLACK 64

/* sums[f, i] = Σ weights[f, k] · image[shifts[k] + i] over the depth, for as many filters and
 * vectors of i as the function is for. */
typedef void (*HybSumTile) (gint64        depth,
                            const gint64 *shifts,
                            const float  *image,
                            const float  *weights,
                            gint64        weights_stride,
                            float        *sums);

/* What one instruction set has. */
typedef struct
{
  gint64     lanes;
  gint64     max_filters[HYB_TILE_VECTORS + 1]; /* by vectors of a tile; 0: no such tile */
  HybSumTile sum[HYB_TILE_VECTORS + 1][HYB_TILE_FILTERS + 1];
  /* n sums become elements of the map, from `at` on. */
  void (*finish_run) (const HybConvolveFinish *finish,
                      gint64                   filter,
                      gint64                   at,
                      gint64                   n,
                      const float             *sums,
                      float                   *map);
  /* Winograd's transforms, of rows that lie `stride` apart (see winograd.c): six rows of n
   * elements from six, rounded up to whole vectors; four rows of sums from six. */
  void (*spread_rows) (gint64       n,
                       const float *image,
                       gint64       stride,
                       float       *planes,
                       gint64       planes_stride);
  void (*collect_rows) (gint64 n, const float *sums, gint64 stride, float *rows);
} HybTiles;

/* NULL: no instructions that it would be worth it for. */
const HybTiles *hyb_tiles_choose (void);

/* How positions (in vectors) and filters are cut into tiles. */
typedef struct
{
  const HybTiles *tiles;
  gint64          n_vectors, filters;
  gint64          n_columns, n_rows;
  gboolean        by_filters; /* tiles of the same filters follow each other */
} HybTiling;

typedef struct
{
  gint64 first_vector, n_vectors, first_filter, n_filters;
} HybTile;

/* weight_bytes decide what is read again and again: the image or they. */
void    hyb_tiling_init (HybTiling      *tiling,
                         const HybTiles *tiles,
                         gint64          n_vectors,
                         gint64          filters,
                         gint64          weight_bytes);
gint64  hyb_tiling_n_tiles (const HybTiling *tiling);
HybTile hyb_tiling_get (const HybTiling *tiling, gint64 index);
