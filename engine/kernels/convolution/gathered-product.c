/* gathered-product.c — products of filters with panels of gathered cells; see gathered-product.h.
 *
 *   for each block of channels and taps, whose panels fit the first-level cache; for each tile of positions (split over
 *   threads): copy the cells under them to a panel on the stack, then for each group of filters, for each k:
 *   map[f,i] += weight[f,k] panel[k,i].
 *
 * The kernels are in filter-tile-kernel.h.  Start with hyb_gathered_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/gathered-product.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/processor.h"
#include "engine/kernels/simd/simd.h"

#include <string.h>

/* Floats of a panel, on the stack: 64 KiB.  More channels and taps are multiplied in blocks; half as many are up to 5 %
 * slower with AVX-512 (1024 channels of 7 × 7), twice as many gain less. */
#define PANEL_FLOATS 16384
/* Positions of a tile, at most. */
#define MAX_POSITIONS HYB_TILE_STRIDE
/* What copying a vector of cells takes, and each row more, in the time of products of vectors. */
#define COPY_VECTOR 6
#define COPY_RUN    6
/* What it takes without gathering to write a vector of sums of a tile that ends in another row than it begins: its rows
 * are written one after the other. */
#define WRITE_VECTOR 20
/* Vectors of channels and taps from which on the last positions are summed along them, and how many of these positions
 * take as long as a vector of positions. */
#define MIN_COLUMN_VECTORS 4
#define COLUMNS_A_VECTOR   4
/* Tiles whose cells are fetched together. */
#define FAR_TILES 4
/* Filters from which on copying takes less than reading lines of the second-level cache in place, for tiles of eight lanes
 * (AVX2, 29 × 29: 256 channels, 64 filters 0.97 of the time, 256 filters 0.89).  Tiles of sixteen lanes multiply four times as
 * much with each line. */
#define MIN_COPIED_FILTERS 64
/* Pages of which the addresses are found at once: those of a smaller image are read in place. */
#define NEAR_PAGES 64
/* The sets of a first-level cache repeat with each page. */
#define PAGE_BYTES 4096
/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 262144

/* Positions behind the last whole vector that are summed along channels and taps: a vector for a quarter of its lanes
 * or fewer takes longer, if there are enough channels for the lanes to be added at the end.  Not those of several samples:
 * which ones come last depends on the batch. */
static gint64
count_columns (const HybDirectLayout *layout, const HybTiles *tiles, const HybDirectStrip *strip)
{
  gint64 positions = strip->n_rows * strip->n_columns, rest = positions % tiles->lanes;

  return !layout->is_joined && positions > tiles->lanes && rest * 4 <= tiles->lanes &&
                 layout->depth >= MIN_COLUMN_VECTORS * tiles->lanes
             ? rest
             : 0;
}

/* The time of gathering and multiplying a strip, in products of vectors. */
static double
estimate_gathered (const HybDirectLayout *layout,
                   const HybTiles        *tiles,
                   const HybDirectStrip  *strip)
{
  gint64 filters = layout->convolve.map_channels / layout->convolve.groups;
  gint64 columns = count_columns (layout, tiles, strip);
  gint64 n = (strip->n_rows * strip->n_columns - columns + tiles->lanes - 1) / tiles->lanes;

  return (double) layout->depth *
         ((double) (n * (filters + COPY_VECTOR)) + (double) (columns * filters) / COLUMNS_A_VECTOR +
          (double) (strip->n_rows * COPY_RUN));
}

/* The same with the gaps between rows. */
static double
estimate_planes (const HybDirectLayout *layout, const HybTiles *tiles, const HybDirectStrip *strip)
{
  gint64   filters = layout->convolve.map_channels / layout->convolve.groups;
  gboolean is_whole = strip->n_rows == 1 || (strip->row_vectors > 0 && !tiles->takes_rows);
  double   split = is_whole ? 0 : MIN (1, (double) (3 * tiles->lanes) / (double) strip->n_columns);

  return (double) (strip->n_vectors * filters) * ((double) layout->depth + WRITE_VECTOR * split);
}

gboolean
hyb_gathered_pays (const HybDirectLayout *layout, const HybTiles *tiles)
{
  HybDirectStrip strip = hyb_direct_layout_strip (layout, tiles, 0);

  return layout->is_image ||
         estimate_gathered (layout, tiles, &strip) < estimate_planes (layout, tiles, &strip);
}

double
hyb_gathered_estimate (const HybDirectLayout *layout, const HybTiles *tiles)
{
  HybDirectStrip strip = hyb_direct_layout_strip (layout, tiles, 0);

  return MIN (estimate_gathered (layout, tiles, &strip), estimate_planes (layout, tiles, &strip)) *
         (double) (layout->n_strips[0] * layout->n_strips[1]);
}

/* Whether the channels of an image begin in one or two sets of the first-level cache, which does not hold a line of each
 * of them: reading them in place takes half again as long as copying them (AVX2, 24 channels of 32 × 32). */
static gboolean
lines_collide (const HybDirectLayout *layout)
{
  gint64 bytes = layout->plane * (gint64) sizeof (float);
  gint64 n_sets = bytes % PAGE_BYTES == 0 ? 1 : 2;

  return bytes % (PAGE_BYTES / 2) == 0 &&
         layout->depth > n_sets * hyb_processor ()->first_cache / PAGE_BYTES;
}

/* Whether the lines under a tile, of which those at both ends are parts, do not stay in the first-level cache, so that copying
 * them takes less than reading them again for each group of filters. */
static gboolean
lines_overflow (const HybDirectLayout *layout, const HybTiles *tiles)
{
  gint64 line = HYB_LINE_FLOATS * (gint64) sizeof (float);
  gint64 bytes = 3 * tiles->lanes * (gint64) sizeof (float) + line;

  return tiles->lanes < 16 &&
         layout->convolve.map_channels / layout->convolve.groups >= MIN_COPIED_FILTERS &&
         layout->depth * bytes > hyb_processor ()->first_cache &&
         layout->depth * layout->plane * (gint64) sizeof (float) > NEAR_PAGES * PAGE_BYTES;
}

/* A block of channels and taps, and how the work is split: into tiles of positions, and filters into chunks. */
typedef struct
{
  const HybStripProduct *product;
  const HybTiles        *tiles;
  HybTiling              tiling; /* of the positions */
  gint64                 first, depth;
  gint64                 filters, n_chunks;
  gint64                 positions; /* of tiles */
  gint64                 columns;   /* positions after them, see count_columns() */
  gboolean               copies;    /* all cells, not only those of the last tile */
  gboolean               is_far;    /* the image does not stay in the caches of a core */
} Block;

/* Lists the runs of cells under n positions from position `first` on; returns their number. */
static gint64
find_runs (const Block *block, gint64 first, gint64 n, HybTileRun runs[MAX_POSITIONS])
{
  const HybDirectLayout *layout = block->product->layout;
  gint64                 width = block->product->strip->n_columns, n_runs = 0, length;
  /* Planes that were laid out can be read beyond the end. */
  gint64 unit = layout->is_image ? 1 : HYB_TILE_UNIT;

  for (gint64 i = 0; i < n; i += length)
    {
      gint64 row = (first + i) / width, column = (first + i) % width;

      length = MIN (width - column, n - i);
      runs[n_runs++] =
          (HybTileRun){ row * layout->pitch + column, i, (length + unit - 1) / unit * unit };
    }
  return n_runs;
}

/* Finds the cells of a tile: where they lie if they can be read there, else copied to `copy`. */
static void
place_cells (const Block *block, const HybTile *tile, HybTilePanel *panel, float *copy)
{
  const HybStripProduct *product = block->product;
  const HybDirectLayout *layout = product->layout;
  gint64                 first = tile->first_vector * block->tiles->lanes;
  HybTileRun             runs[MAX_POSITIONS];
  HybTileGather          gather = { .planes = product->planes,
                                    .shifts = product->shifts + block->first,
                                    .depth = block->depth,
                                    .width = tile->n_vectors * block->tiles->lanes,
                                    .runs = runs };

  panel->n = MIN (gather.width, block->positions - first);
  if (!block->copies && panel->n == gather.width)
    {
      panel->cells = product->planes + product->shifts[block->first] + first;
      panel->step = layout->plane;
      return;
    }
  if (panel->n < gather.width)
    memset (copy, 0, sizeof (float) * (gsize) (gather.width * block->depth));
  gather.n_runs = find_runs (block, first, panel->n, runs);
  block->tiles->gather (&gather, copy);
  panel->cells = copy;
  panel->step = gather.width;
}

/* Part number `part` of n parts of what is fetched while a tile is multiplied: its share of the cells under the FAR_TILES
 * tiles after those around it.  They lie in as many places as there are channels, which the hardware does not foresee; those
 * of several tiles are whole lines of few pages. */
static void
fetch_next (const Block *block, const HybTile *tile, gint64 part, gint64 n)
{
  const HybStripProduct *product = block->product;
  gint64                 lanes = block->tiles->lanes, width = FAR_TILES * 3 * lanes;
  gint64                 at = tile->first_vector * lanes, first = at / width * width + width;
  gint64                 end_of_map = product->layout->convolve.map[2] - product->strip->column;
  gint64                 length = MIN (width, end_of_map - first); /* the next strip's, too */
  gint64                 share = at % width / (3 * lanes) * n + part;
  gint64                 end = block->depth * (share + 1) / (n * FAR_TILES);

  for (gint64 k = block->depth * share / (n * FAR_TILES); k < end; k++)
    for (gint64 i = 0; i < length; i += HYB_LINE_FLOATS)
      __builtin_prefetch (product->planes + product->shifts[block->first + k] + first + i, 0, 2);
}

/* Where the filters from number f of the group on have their sums of the positions from `first` on. */
static HybTileMap
find_map (const Block *block, gint64 f, gint64 first)
{
  const HybStripProduct *product = block->product;
  const HybDirectStrip  *strip = product->strip;
  gint64 position = strip->row * product->layout->convolve.map[2] + strip->column + first;

  return hyb_direct_tile_map (product->layout, product->finish, product->map,
                              product->first_filter + f, position);
}

/* Multiplies the filters [begin, end) of the group with a tile. */
static void
multiply_filters (const Block   *block,
                  const HybTile *tile,
                  HybTilePanel  *panel,
                  gint64         begin,
                  gint64         end)
{
  const HybStripProduct *product = block->product;
  gint64   depth = product->layout->depth, max = block->tiles->max_filters[tile->n_vectors];
  gint64   n = MAX ((end - begin + max - 1) / max, 1), some = (end - begin + n - 1) / n;
  gint64   n_smaller = some * n - (end - begin); /* groups with a filter less, the last ones */
  gboolean fetches_ahead = tile->first_vector == 0 &&
                           !hyb_machine_is_near (sizeof (float) * (gsize) (block->filters * depth));

  panel->map = find_map (block, begin, tile->first_vector * block->tiles->lanes);
  for (gint64 i = 0, f = begin; f < end; i++)
    {
      const float *weights = product->weight + f * depth + block->first;

      if (i == n - n_smaller)
        some--;
      if (fetches_ahead)
        panel->ahead = (HybTileAhead){ weights + some * depth, MIN (some, end - f - some) };
      if (block->is_far && begin == 0)
        fetch_next (block, tile, i, n);
      block->tiles->sum_panel[tile->n_vectors][some](panel, weights);
      hyb_tile_map_move (&panel->map, some);
      f += some;
    }
}

/* Multiplies the filters [begin, end) of the group with the positions after the tiles. */
static void
multiply_columns (const Block *block, HybTilePanel *panel, gint64 begin, gint64 end, float *copy)
{
  const HybStripProduct *product = block->product;
  const gint64          *shifts = product->shifts + block->first;
  gint64                 width = product->strip->n_columns;

  for (gint64 i = 0; i < block->columns; i++)
    {
      gint64       at = block->positions + i;
      const float *cells = product->planes + at / width * product->layout->pitch + at % width;

      for (gint64 k = 0; k < block->depth; k++)
        copy[i * block->depth + k] = cells[shifts[k]];
    }
  panel->cells = copy;
  panel->step = block->depth;
  panel->map = find_map (block, begin, block->positions);
  block->tiles->sum_columns[block->columns](panel,
                                            product->weight + begin * product->layout->depth +
                                                block->first,
                                            end - begin);
}

/* Computes items [begin, end): tiles of chunks of filters, then the positions after them of each chunk. */
static void
multiply_tiles (gint64 begin, gint64 end, gpointer data)
{
  const Block *block = data;
  gint64       n_columns = block->tiling.n_columns, n_tiles = n_columns * block->n_chunks;
  float        copy[PANEL_FLOATS + HYB_TILE_SLACK];

  for (gint64 i = begin; i < end; i++)
    {
      gint64       chunk = i < n_tiles ? i / n_columns : i - n_tiles;
      gint64       first = block->filters * chunk / block->n_chunks;
      gint64       last = block->filters * (chunk + 1) / block->n_chunks;
      HybTile      tile;
      HybTilePanel panel = { .depth = block->depth,
                             .weights_stride = block->product->layout->depth,
                             .continues = block->first > 0,
                             .finishes =
                                 block->first + block->depth == block->product->layout->depth };

      if (i >= n_tiles)
        {
          multiply_columns (block, &panel, first, last, copy);
          continue;
        }
      hyb_tiling_find (&block->tiling, i % n_columns, &tile);
      place_cells (block, &tile, &panel, copy);
      multiply_filters (block, &tile, &panel, first, last);
    }
}

/* The channels and taps of a block: as few blocks as possible, of about the same size. */
static gint64
choose_depth (const Block *block)
{
  HybTile first, last;
  gint64  max, n, depth = block->product->layout->depth;

  hyb_tiling_find (&block->tiling, 0, &first);
  hyb_tiling_find (&block->tiling, block->tiling.n_columns - 1, &last);
  max = PANEL_FLOATS / (MAX (first.n_vectors, last.n_vectors) * block->tiles->lanes);
  n = (depth + max - 1) / max;
  return (depth + n - 1) / n;
}

void
hyb_gathered_multiply (const HybStripProduct *product)
{
  const HybDirectLayout *layout = product->layout;
  const HybConvolve     *convolve = &layout->convolve;
  gint64                 n_threads = hyb_parallel_get_threads ();
  const HybTiles        *tiles = hyb_tiles_choose ();
  gint64                 depth;
  Block                  block = {
                     .product = product,
                     .tiles = tiles,
                     .filters = convolve->map_channels / convolve->groups,
                     .n_chunks = 1,
                     .copies = !layout->is_image || lines_collide (layout) || lines_overflow (layout, tiles),
                     .is_far = layout->is_image &&
                               !hyb_machine_is_near (sizeof (float) * (gsize) (layout->channels * layout->plane))
  };

  block.columns = count_columns (layout, block.tiles, product->strip);
  block.positions = product->strip->n_rows * product->strip->n_columns - block.columns;
  hyb_tiling_init (&block.tiling, block.tiles,
                   (block.positions + block.tiles->lanes - 1) / block.tiles->lanes, 1, 0);
  /* Few tiles are shared out by filters, too. */
  if (block.tiling.n_columns % n_threads != 0)
    block.n_chunks = MIN (n_threads, (block.filters + HYB_TILE_FILTERS - 1) / HYB_TILE_FILTERS);
  depth = choose_depth (&block);
  for (; block.first < layout->depth; block.first += depth)
    {
      block.depth = MIN (depth, layout->depth - block.first);
      hyb_parallel_for ((block.tiling.n_columns + (block.columns > 0)) * block.n_chunks,
                        1 + GRAIN / (block.depth * block.filters / block.n_chunks * 3 *
                                     block.tiles->lanes),
                        multiply_tiles, &block);
    }
}
