/* filter-tile.c — splits filters × positions into tiles, and the kernels that sum them.
 *
 *   sums[f,i] = sum_k weights[f,k] image[shifts[k] + i]: for each tile, for k; the filters and
 *   vectors of positions of a tile are unrolled (filter-tile-kernel.h).
 *
 * hyb_tiles_choose() returns the kernels for this processor, hyb_tiling_init() the grid of tiles.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/filter-tile.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

/* Up to this many bytes of weights stay in the cache, so that consecutive tiles can share the
 * image and read the weights again; with more, they share the filters. */
#define SMALL_WEIGHTS ((gint64) 256 << 10)

#define SIMD_KERNEL "engine/kernels/convolution/filter-tile-kernel.h"
#include "engine/kernels/simd/each-simd.h"

const HybTiles *
hyb_tiles_choose (void)
{
  const HybTiles *tiles = HYB_SIMD_CHOOSE (&tiles);

  return tiles->lanes > 0 ? tiles : NULL;
}

void
hyb_tiles_follow (const HybTiles *tiles, gint64 vectors[HYB_TILE_VECTORS])
{
  for (gint64 v = 0; v < HYB_TILE_VECTORS; v++)
    vectors[v] = v * tiles->lanes;
}

/* Whether there is a kernel for tiles of four vectors. */
static gboolean
has_four (const HybTiles *tiles)
{
  return tiles->max_filters[4] > 0;
}

static HybTileShares
share_out (gint64 n, gint64 n_parts)
{
  return n_parts > 0 ? (HybTileShares){ n / n_parts, n % n_parts } : (HybTileShares){ 0 };
}

/* The first of what a part has. */
static gint64
find_share (const HybTileShares *shares, gint64 part)
{
  return part * shares->size + MIN (part, shares->n_larger);
}

/* Tiles are three vectors wide at most.  If there is a kernel for four, all are but the last one, which has
 * what is left, a single vector being joined with the tile before it.  Else vectors are shared out evenly:
 * a tile of one vector has too few sums to keep the processor busy. */
void
hyb_tiling_init (HybTiling      *tiling,
                 const HybTiles *tiles,
                 gint64          n_vectors,
                 gint64          filters,
                 gint64          weight_bytes)
{
  gboolean ends_with_four = has_four (tiles) && n_vectors % 3 == 1 && n_vectors > 3;
  gint64   n_columns = (n_vectors + 2) / 3 - ends_with_four;
  gint64   max = tiles->max_filters[n_columns == 1 ? n_vectors : 3];

  *tiling = (HybTiling){ .tiles = tiles,
                         .n_vectors = n_vectors,
                         .filters = filters,
                         .n_columns = n_columns,
                         .n_rows = (filters + max - 1) / max,
                         .by_filters = weight_bytes > SMALL_WEIGHTS };
  tiling->columns = share_out (n_vectors, tiling->n_columns);
  tiling->rows = share_out (filters, tiling->n_rows);
}

gint64
hyb_tiling_n_tiles (const HybTiling *tiling)
{
  return tiling->n_columns * tiling->n_rows;
}

gboolean
hyb_tiling_is_last (const HybTiling *tiling, const HybTile *tile)
{
  return tile->first_vector + tile->n_vectors >= tiling->n_vectors;
}

/* The first vector of a column of tiles. */
static gint64
find_column (const HybTiling *tiling, gint64 column)
{
  if (has_four (tiling->tiles))
    return column < tiling->n_columns ? column * 3 : tiling->n_vectors;
  return find_share (&tiling->columns, column);
}

void
hyb_tiling_find (const HybTiling *tiling, gint64 index, HybTile *tile)
{
  gint64 inner = tiling->by_filters ? tiling->n_columns : tiling->n_rows;
  gint64 outer = index / inner, rest = index - outer * inner;
  gint64 column = tiling->by_filters ? rest : outer, row = tiling->by_filters ? outer : rest;

  tile->first_vector = find_column (tiling, column);
  tile->n_vectors = find_column (tiling, column + 1) - tile->first_vector;
  tile->first_filter = find_share (&tiling->rows, row);
  tile->n_filters = find_share (&tiling->rows, row + 1) - tile->first_filter;
}
