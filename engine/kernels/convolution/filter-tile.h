/* filter-tile.h — tiles of filters × positions, the inner part of convolutions:
 *
 *   sums[f,i] = sum_k weights[f,k] image[shifts[k] + i]
 *
 * direct-convolution.h and winograd.h both compute convolutions as such sums over an image that
 * is laid out so that each channel and tap (k) is the same memory, shifted.  A HybTiling splits
 * filters and positions into tiles whose sums fit the vector registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"

#define HYB_TILE_FILTERS 8  /* filters of a tile, at most */
#define HYB_TILE_VECTORS 4  /* vectors of positions of a tile, at most */
#define HYB_TILE_STRIDE  64 /* floats from the sums of one filter to those of the next */
/* Floats after the last plane of the image that tiles may read; their sums are dropped. */
#define HYB_TILE_SLACK 64

/* Rows of weights that are read soon, each as long and as far from the next as those of the tile: they are
 * fetched into the second-level cache meanwhile. */
typedef struct
{
  const float *weights;
  gint64       n;
} HybTileAhead;

/* Where the sums of a tile belong if they follow each other in the map as they do in the tile: they are finished and
 * written there, not to the array of sums. */
typedef struct
{
  float       *to;     /* of the first filter; NULL: they do not follow each other */
  const float *other;  /* likewise, or NULL */
  const float *bias;   /* likewise, or NULL */
  gint64       stride; /* floats from filter to filter */
  gboolean     rectify;
  float        slope;
} HybTileMap;

/* Moves the place of sums on by n filters. */
static inline void
hyb_tile_map_move (HybTileMap *map, gint64 n)
{
  map->to += n * map->stride;
  if (map->other)
    map->other += n * map->stride;
  if (map->bias)
    map->bias += n;
}

/* The image under one tile. */
typedef struct
{
  gint64        depth;
  const gint64 *shifts; /* (depth) */
  const float  *image;
  gint64       vectors[HYB_TILE_VECTORS]; /* floats from the image to each vector of positions; with
                                            * HybTiles.takes_rows they need not follow each other */
  HybTileAhead ahead;
  HybTileMap   map;
} HybTileImage;

/* Computes sums[f HYB_TILE_STRIDE + v lanes + i] = Σ weights[f weights_stride + k] ·
 * image[shifts[k] + vectors[v] + i] over k < depth, for the number of filters f and of vectors v
 * that the function is for, or finishes and writes them as image->map says. */
typedef void (*HybSumTile) (const HybTileImage *image,
                            const float        *weights,
                            gint64              weights_stride,
                            float              *sums);

/* A tile of some channels and taps, whose cells are read one after the other, with what follows each other in the map
 * following each other there, too. */
typedef struct
{
  gint64        depth; /* channels and taps */
  const float  *cells; /* under the first position; whole vectors are read */
  gint64        step;  /* floats from one channel and tap to the next */
  gint64        n;     /* positions: fewer than fill the vectors at the end of the map */
  gint64        weights_stride;
  const gint32 *list; /* the weight of each channel and tap (depth); NULL: they follow each other */
  gboolean      continues; /* adds to the sums that the map contains */
  gboolean      finishes;  /* these are the last channels: results are finished as map says */
  HybTileAhead  ahead;
  HybTileMap    map;
} HybTilePanel;

/* Computes map[f map.stride + i] = Σ weights[f weights_stride + k] · cells[k step + i] over k < depth, i < n, for the number
 * of filters f and of vectors that the function is for. */
typedef void (*HybSumPanel) (const HybTilePanel *panel, const float *weights);

/* Positions that are summed along channels and taps instead, at most. */
#define HYB_TILE_COLUMNS 4

/* The same for a few positions and n_filters filters, vectors being made of channels and taps: cells[i step + k].  Lanes of
 * a sum are added at its end. */
typedef void (*HybSumColumns) (const HybTilePanel *panel, const float *weights, gint64 n_filters);

/* Floats of a short vector, which a copy of cells may end with. */
#define HYB_TILE_UNIT 8

/* Cells that follow each other: n of them, which the panel has from `to` on. */
typedef struct
{
  gint64 from, to, n;
} HybTileRun;

/* The cells under some positions. */
typedef struct
{
  const float  *planes;
  const gint64 *shifts;        /* (depth): from `planes` to the cells of each channel and tap */
  gint64 depth, n_runs, width; /* width: floats from one channel and tap to the next in the panel */
  const HybTileRun *runs;
} HybTileGather;

/* One phase of one channel of an image, of which rows and cells outside of the image are 0. */
typedef struct
{
  const float *image; /* of the channel */
  gint64       height, width;
  gint64 y, y_step;     /* the row of the image that comes first, and rows from each to the next */
  gint64 first, stride; /* the same for the cells of a row */
  gint64 begin, end, pitch; /* cells [begin, end) of `pitch` lie inside of the row */
  gint64 n_rows;
} HybTilePhase;

/* The kernels of one instruction set; see filter-tile-kernel.h. */
typedef struct
{
  gint64   lanes;
  gboolean takes_rows; /* each vector of a tile may lie anywhere in the image */
  /* Whether it pays to fetch long rows of weights ahead.  The processor does so itself where it reads
   * enough of them at once. */
  gboolean      fetches_ahead;
  gint64        max_filters[HYB_TILE_VECTORS + 1]; /* by vectors of a tile; 0: no such tile */
  HybSumTile    sum[HYB_TILE_VECTORS + 1][HYB_TILE_FILTERS + 1]; /* [vectors][filters] */
  HybSumPanel   sum_panel[HYB_TILE_VECTORS + 1][HYB_TILE_FILTERS + 1];
  HybSumPanel   sum_listed[HYB_TILE_VECTORS + 1][HYB_TILE_FILTERS + 1]; /* with HybTilePanel.list */
  HybSumColumns sum_columns[HYB_TILE_COLUMNS + 1];                      /* [positions] */
  /* Copies cells to a panel.  What a run writes behind its end, less than a vector, the next one writes again. */
  void (*gather) (const HybTileGather *gather, float *panel);
  /* Writes n sums of one filter to map[at …], finished. */
  void (*finish_run) (const HybConvolveFinish *finish,
                      gint64                   filter,
                      gint64                   at,
                      gint64                   n,
                      const float             *sums,
                      float                   *map);
  /* Lays out one phase of one channel: n_rows × pitch floats. */
  void (*lay_out) (const HybTilePhase *phase, float *to);
  /* Winograd's input transform: six rows of n elements, `stride` apart, become six rows,
   * planes_stride apart.  n is rounded up to whole vectors. */
  void (*transform_input) (gint64       n,
                           const float *image,
                           gint64       stride,
                           float       *planes,
                           gint64       planes_stride);
  /* Winograd's output transform: six rows of n sums, `stride` apart, become four rows,
   * HYB_TILE_STRIDE apart. */
  void (*transform_output) (gint64 n, const float *sums, gint64 stride, float *rows);
} HybTiles;

/* Returns the kernels for this processor; NULL if its vectors are too short for tiles to pay. */
const HybTiles *hyb_tiles_choose (void);

/* Fills `vectors` of an image for vectors that follow each other. */
void hyb_tiles_follow (const HybTiles *tiles, gint64 vectors[HYB_TILE_VECTORS]);

/* Things in parts of nearly the same size: the first n_larger have size + 1 of them, the others size. */
typedef struct
{
  gint64 size, n_larger;
} HybTileShares;

/* A grid of tiles that covers all positions (in vectors) and filters. */
typedef struct
{
  const HybTiles *tiles;
  gint64          n_vectors, filters;
  gint64          n_columns, n_rows; /* tiles along the positions and along the filters */
  HybTileShares   columns, rows;
  gboolean        by_filters; /* consecutive tiles have the same filters */
} HybTiling;

typedef struct
{
  gint64 first_vector, n_vectors, first_filter, n_filters;
} HybTile;

/* Chooses the grid.  weight_bytes, the size of all weights, decides whether consecutive tiles share
 * their filters or their positions. */
void hyb_tiling_init (HybTiling      *tiling,
                      const HybTiles *tiles,
                      gint64          n_vectors,
                      gint64          filters,
                      gint64          weight_bytes);
/* Returns the number of tiles. */
gint64 hyb_tiling_n_tiles (const HybTiling *tiling);
/* Whether the tile is the last one of its filters. */
gboolean hyb_tiling_is_last (const HybTiling *tiling, const HybTile *tile);
/* Finds tile number `index`.  Its fields are written where they are read: copying them at once would wait for them. */
void hyb_tiling_find (const HybTiling *tiling, gint64 index, HybTile *tile);
