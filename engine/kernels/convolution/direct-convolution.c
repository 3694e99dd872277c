/* direct-convolution.c — convolution as products of filters and shifted images.
 *
 *   for each sample, for each group, for each strip of the map (all split over threads): lay out the
 *   image (planes[c] for each channel c), then for each tile of filters f × positions i, for each
 *   channel and tap k: sum[f,i] += weight[f,k] planes[shifts[k] + i]; then write the tile's sums to
 *   the map.
 *
 * A pointwise convolution needs no planes: its cells are taken from the image itself.  Its cells, and those of other
 * convolutions where it pays, are gathered into a panel for each tile (gathered-product.h).  direct-layout.h has the
 * layout.  Start at the end, with hyb_direct_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-convolution.h"

#include "engine/base/parallel.h"
#include "engine/base/translate.h"
#include "engine/kernels/convolution/depthwise.h"
#include "engine/kernels/convolution/gathered-product.h"
#include "engine/kernels/convolution/parts.h"
#include "engine/kernels/convolution/region-product.h"

#include <string.h>

/* The floats of one strip of one group of channels that is laid out; 0 if the image itself is read. */
static gint64
area_size (const HybDirectLayout *layout)
{
  return layout->is_image ? 0 : layout->channels * layout->plane + HYB_TILE_SLACK;
}

/* Filters of a group, at least, for windows over three axes. */
#define MIN_VOLUME_FILTERS 4
/* The share of the other way's time from which on regions take less. */
#define REGION_SHARE 0.9

/* A pointwise convolution over three axes as one over a row. */
static HybConvolve
flatten (const HybConvolve *convolve)
{
  HybConvolve flat = *convolve;

  if (convolve->image[0] == 1)
    return flat;
  for (int axis = 0; axis < 3; axis++)
    if (convolve->kernel[axis] != 1 || convolve->stride[axis] != 1 || convolve->pad[axis] != 0 ||
        convolve->map[axis] != convolve->image[axis] || convolve->image[axis] > HYB_MAX_TAPS * 1024)
      return flat;
  flat.image[2] = flat.map[2] = flat.image[0] * flat.image[1] * flat.image[2];
  flat.image[0] = flat.image[1] = flat.map[0] = flat.map[1] = 1;
  return flat;
}

/* Whether an axis has padding that windows reach over. */
static gboolean
reaches_over_padding (const HybConvolve *convolve)
{
  for (int axis = 1; axis < 3; axis++)
    if (convolve->pad[axis] > 0 && convolve->dilate[axis] > 1 && convolve->kernel[axis] > 1)
      return TRUE;
  return FALSE;
}

/* Whether region-product.h computes a flat convolution: over three axes, or if it leaves out enough padding. */
static gboolean
takes_regions (const HybConvolve *convolve)
{
  const HybTiles *tiles = hyb_tiles_choose ();
  HybDirectLayout layout;

  if (!tiles || hyb_depthwise_fits (convolve))
    return FALSE;
  if (!hyb_direct_sizes_are_modest (convolve))
    return convolve->groups * MIN_VOLUME_FILTERS <= convolve->map_channels &&
           hyb_region_convolve_fits (convolve, G_MAXDOUBLE);
  if (!reaches_over_padding (convolve))
    return FALSE;
  hyb_direct_layout_init (&layout, convolve);
  return hyb_region_convolve_fits (convolve, REGION_SHARE * hyb_gathered_estimate (&layout, tiles));
}

/* Does not suit maps so small that more than 60 % of the sums would be dropped. */
static gboolean
fits_flat (const HybConvolve *convolve)
{
  const HybTiles *tiles = hyb_tiles_choose ();
  HybDirectLayout layout;
  HybDirectStrip  strip;
  gint64          positions, vectors;

  if (hyb_depthwise_fits (convolve) || takes_regions (convolve))
    return TRUE;
  if (!tiles || !hyb_direct_sizes_are_modest (convolve))
    return FALSE;

  hyb_direct_layout_init (&layout, convolve);
  if (layout.depth < 1 || layout.plane > HYB_MAX_CELLS || area_size (&layout) > 8 * HYB_MAX_CELLS ||
      layout.depth > HYB_MAX_CELLS)
    return FALSE;
  strip = hyb_direct_layout_strip (&layout, tiles, 0);
  positions = strip.n_rows * strip.n_columns;
  vectors = hyb_gathered_pays (&layout, tiles) ? (positions + tiles->lanes - 1) / tiles->lanes
                                               : strip.n_vectors;
  return 5 * positions >= 2 * vectors * tiles->lanes;
}

gboolean
hyb_direct_convolve_fits (const HybConvolve *convolve)
{
  HybConvolve flat = flatten (convolve);

  return fits_flat (&flat);
}

const char *
hyb_direct_convolve_note (const HybConvolve *convolve)
{
  HybConvolve     flat = flatten (convolve);
  HybDirectLayout layout;

  if (hyb_depthwise_fits (&flat))
    return N_ ("direct, depthwise");
  if (takes_regions (&flat))
    return N_ ("direct, by regions of the map");
  hyb_direct_layout_init (&layout, &flat);
  if (layout.is_image)
    return N_ ("direct, image as it lies");
  return hyb_gathered_pays (&layout, hyb_tiles_choose ()) ? N_ ("direct, cells gathered")
                                                          : N_ ("direct");
}

static gint64
count_strips (const HybDirectLayout *layout)
{
  return layout->n_strips[0] * layout->n_strips[1];
}

/* Strips of groups of channels of all samples. */
static HybParts
find_parts (const HybDirectLayout *layout)
{
  const HybConvolve *convolve = &layout->convolve;
  gint64             filters = convolve->map_channels / convolve->groups;

  return (HybParts){ .n = convolve->batch * convolve->groups * count_strips (layout),
                     .work = (double) layout->strip[0] * (double) layout->strip[1] *
                             (double) layout->depth * (double) filters,
                     .area = area_size (layout) };
}

gsize
hyb_direct_convolve_workspace (const HybConvolve *convolve)
{
  HybConvolve     flat = flatten (convolve);
  HybDirectLayout layout;
  HybParts        parts;

  if (hyb_depthwise_fits (&flat))
    return hyb_depthwise_workspace (&flat);
  if (takes_regions (&flat))
    return hyb_region_convolve_workspace (&flat);
  hyb_direct_layout_init (&layout, &flat);
  parts = find_parts (&layout);
  return sizeof (gint64) * (gsize) layout.depth +
         sizeof (float) * (gsize) (parts.area * hyb_parts_n_areas (&parts));
}

/* --- Multiplying --- */

typedef struct
{
  const HybDirectLayout   *layout;
  HybDirectStrip           strip;
  HybTiling                tiling;
  gint64                   n_rows; /* of the strip, if each is tiled by itself; else 1 */
  const HybConvolveFinish *finish;
  const gint64            *shifts;
  const float             *planes;
  const float             *weight;
  gint64                   first_filter; /* of the current group */
  float                   *map;          /* of the current sample, all filters */
} Product;

/* Finishes n sums of one filter from this position of the strip on. */
static void
finish_run (const Product *product,
            gint64         filter,
            const gint64   position[2],
            gint64         n,
            const float   *sums)
{
  const gint64         *map = product->layout->convolve.map;
  const HybDirectStrip *strip = &product->strip;
  gint64 at = (filter * map[1] + strip->row + position[0]) * map[2] + strip->column + position[1];

  product->tiling.tiles->finish_run (product->finish, filter, at, n, sums, product->map);
}

/* Where the positions of a tile begin, if vectors follow each other. */
typedef struct
{
  gint64 row, column, n;
} Run;

/* Writes the sums of one filter to the map without the gaps between rows. */
static void
write_sums (const Product *product, gint64 filter, const Run *run, const float *sums)
{
  gint64 pitch = product->layout->pitch, width = product->strip.n_columns;
  gint64 position[2] = { run->row, run->column };

  for (gint64 n = run->n; n > 0;)
    {
      gint64 length = MIN (n, width - position[1]), gap = pitch - position[1];

      if (length > 0)
        finish_run (product, filter, position, length, sums);
      sums += gap;
      n -= gap;
      position[1] = 0;
      position[0]++;
    }
}

/* Writes the sums of one filter in vectors of rows: n vectors from vector `first` on. */
static void
write_rows (const Product *product, gint64 filter, gint64 first, gint64 n, const float *sums)
{
  const HybDirectStrip *strip = &product->strip;
  gint64                lanes = product->tiling.tiles->lanes, width = strip->n_columns;
  /* Vectors that follow each other in the map. */
  gint64 step = width % lanes == 0 && width == product->layout->convolve.map[2] ? n : 1;

  for (gint64 v = 0; v < n; v += step)
    {
      gint64 position[2] = { (first + v) / strip->row_vectors,
                             (first + v) % strip->row_vectors * lanes };

      finish_run (product, filter, position,
                  step > 1 ? step * lanes : MIN (lanes, width - position[1]), sums + v * lanes);
    }
}

/* A tile, and the row of the strip that it is a part of, if each is tiled by itself. */
typedef struct
{
  HybTile tile;
  gint64  row;
} PlacedTile;

/* Finds where the vectors of a tile lie in the planes. */
static void
find_vectors (const Product *product, const PlacedTile *placed, HybTileImage *image)
{
  const HybTile  *tile = &placed->tile;
  const HybTiles *tiles = product->tiling.tiles;
  gint64          row_vectors = product->strip.row_vectors;

  if (row_vectors == 0 || product->n_rows > 1)
    {
      image->image += placed->row * product->layout->pitch + tile->first_vector * tiles->lanes;
      hyb_tiles_follow (tiles, image->vectors);
      return;
    }
  for (gint64 v = 0; v < tile->n_vectors; v++)
    {
      gint64 at = tile->first_vector + v;

      image->vectors[v] =
          at / row_vectors * product->layout->pitch + at % row_vectors * tiles->lanes;
    }
}

/* Where the positions of a tile begin in the strip. */
static Run
find_run (const Product *product, const PlacedTile *placed)
{
  const HybTile *tile = &placed->tile;
  gint64         lanes = product->tiling.tiles->lanes, first = tile->first_vector * lanes;
  gint64         pitch = product->layout->pitch, row_vectors = product->strip.row_vectors, row;

  if (product->n_rows > 1)
    return (Run){ placed->row, first, tile->n_vectors * lanes };
  if (row_vectors > 0)
    return (Run){ tile->first_vector / row_vectors, tile->first_vector % row_vectors * lanes,
                  tile->n_vectors * lanes };
  row = product->strip.n_rows > 1 ? first / pitch : 0;
  return (Run){ row, first - row * pitch,
                MIN (tile->n_vectors * lanes, product->strip.positions - first) };
}

/* Where a filter of a tile goes if its vectors are part of one row of the map; else nowhere.  Inline as
 * hyb_direct_tile_map(). */
static inline HybTileMap
find_map (const Product *product, const HybTile *tile, const Run *run, gint64 filter)
{
  const HybDirectStrip *strip = &product->strip;
  gint64                width = product->layout->convolve.map[2];

  if (run->column + tile->n_vectors * product->tiling.tiles->lanes > strip->n_columns)
    return (HybTileMap){ 0 };
  return hyb_direct_tile_map (product->layout, product->finish, product->map, filter,
                              (strip->row + run->row) * width + strip->column + run->column);
}

static void
write_tile (const Product *product,
            const HybTile *tile,
            const Run     *run,
            gint64         filter,
            const float   *sums)
{
  if (product->strip.row_vectors > 0)
    write_rows (product, filter, tile->first_vector, tile->n_vectors, sums);
  else
    write_sums (product, filter, run, sums);
}

static void
multiply_tile (const Product *product, const PlacedTile *placed)
{
  const HybTile         *tile = &placed->tile;
  const HybDirectLayout *layout = product->layout;
  const HybTiles        *tiles = product->tiling.tiles;
  Run                    run = find_run (product, placed);
  gint64                 end = tile->first_filter + tile->n_filters;
  HybTileImage           image = { .depth = layout->depth,
                                   .shifts = product->shifts,
                                   .image = product->planes };
  float                  sums[HYB_TILE_FILTERS * HYB_TILE_STRIDE];
  gboolean               fetches_ahead = tiles->fetches_ahead && product->tiling.by_filters &&
                           hyb_tiling_is_last (&product->tiling, tile);

  find_vectors (product, placed, &image);
  for (gint64 at = tile->first_filter, some; at < end; at += some)
    {
      some = MIN (end - at, tiles->max_filters[tile->n_vectors]);
      if (fetches_ahead)
        image.ahead = (HybTileAhead){ product->weight + (at + some) * layout->depth,
                                      MIN (some, product->tiling.filters - at - some) };
      image.map = find_map (product, tile, &run, product->first_filter + at);
      tiles->sum[tile->n_vectors][some](&image, product->weight + at * layout->depth, layout->depth,
                                        sums);
      for (gint64 f = 0; f < some && !image.map.to; f++)
        write_tile (product, tile, &run, product->first_filter + at + f,
                    sums + f * HYB_TILE_STRIDE);
    }
}

/* Tile number `index` of all rows.  Rows share the filters of a tile if all tiles do. */
static void
find_tile (const Product *product, gint64 index, PlacedTile *placed)
{
  const HybTiling *tiling = &product->tiling;
  gint64           columns = tiling->n_columns, n_rows = product->n_rows, n;

  placed->row = 0;
  if (n_rows > 1 && tiling->by_filters)
    {
      placed->row = index / columns % n_rows;
      index = index / (columns * n_rows) * columns + index % columns;
    }
  else if (n_rows > 1)
    {
      n = hyb_tiling_n_tiles (tiling);
      placed->row = index / n;
      index %= n;
    }
  hyb_tiling_find (tiling, index, &placed->tile);
}

static void
multiply_tiles (gint64 begin, gint64 end, gpointer data)
{
  const Product *product = data;

  for (gint64 i = begin; i < end; i++)
    {
      PlacedTile placed;

      find_tile (product, i, &placed);
      multiply_tile (product, &placed);
    }
}

/* Below this depth a tile writes about as much as it reads, so that tiles share the filters: fewer places are written at
 * the same time. */
#define FEW_CHANNELS_DEPTH 16

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 262144

/* Multiplies the filters with all positions, and those in the gaps between rows. */
static void
multiply_planes (const HybStripProduct *operands)
{
  const HybDirectLayout *layout = operands->layout;
  const HybTiles        *tiles = hyb_tiles_choose ();
  gint64                 filters = layout->convolve.map_channels / layout->convolve.groups;
  Product                product = { .layout = layout,
                                     .strip = *operands->strip,
                                     .n_rows = 1,
                                     .finish = operands->finish,
                                     .shifts = operands->shifts,
                                     .planes = operands->planes,
                                     .weight = operands->weight,
                                     .first_filter = operands->first_filter,
                                     .map = operands->map };

  if (product.strip.row_vectors > 0 && !tiles->takes_rows)
    product.n_rows = product.strip.n_rows;
  hyb_tiling_init (&product.tiling, tiles, product.strip.n_vectors / product.n_rows, filters,
                   layout->depth * filters * (gint64) sizeof (float));
  if (layout->depth < FEW_CHANNELS_DEPTH)
    product.tiling.by_filters = TRUE;
  hyb_parallel_for (hyb_tiling_n_tiles (&product.tiling) * product.n_rows,
                    1 + GRAIN / (layout->depth * 24 * tiles->lanes), multiply_tiles, &product);
}

/* A convolution of all samples. */
typedef struct
{
  const HybDirectLayout   *layout;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
} Convolution;

/* Returns the image under a strip of one group of channels: laid out in area number `area` of the workspace, or as it
 * lies. */
static const float *
place_planes (const Convolution    *convolution,
              const HybDirectStrip *strip,
              gint64                group,
              gint64                area)
{
  const HybDirectOperands *operands = convolution->operands;
  const HybDirectLayout   *layout = convolution->layout;
  const HybConvolve       *convolve = &layout->convolve;
  const float             *image =
      operands->image + group * layout->channels * convolve->image[1] * convolve->image[2];
  gint64 size = area_size (layout);
  float *planes = (float *) ((gint64 *) operands->workspace + layout->depth) + area * size;

  if (layout->is_image)
    return image + strip->column;
  memset (planes + size - HYB_TILE_SLACK, 0, sizeof (float) * HYB_TILE_SLACK);
  hyb_direct_layout_fill (layout, strip, image, planes);
  return planes;
}

/* Computes one strip of one group of channels of one sample. */
static void
convolve_part (gint64 part, gint64 area, gconstpointer data)
{
  const Convolution       *convolution = data;
  const HybDirectOperands *operands = convolution->operands;
  const HybDirectLayout   *layout = convolution->layout;
  const HybConvolve       *convolve = &layout->convolve;
  const HybTiles          *tiles = hyb_tiles_choose ();
  HybConvolveFinish        finish = *convolution->finish;
  HybDirectStrip strip = hyb_direct_layout_strip (layout, tiles, part % count_strips (layout));
  gint64         group = part / count_strips (layout); /* of all samples */
  gint64         sample = group / convolve->groups;
  gint64         filters = convolve->map_channels / convolve->groups;
  gint64         first_filter = group % convolve->groups * filters;
  gint64         map_size = convolve->map_channels * convolve->map[1] * convolve->map[2];

  HybStripProduct product = { .layout = layout,
                              .strip = &strip,
                              .finish = &finish,
                              .shifts = operands->workspace,
                              .weight = operands->weight + first_filter * layout->depth,
                              .first_filter = first_filter,
                              .map = operands->map + sample * map_size };

  if (finish.other)
    finish.other += sample * map_size;
  product.planes = place_planes (convolution, &strip, group, area);
  if (hyb_gathered_pays (layout, tiles))
    hyb_gathered_multiply (&product);
  else
    multiply_planes (&product);
}

void
hyb_direct_convolve (const HybConvolve       *convolve,
                     const HybDirectOperands *operands,
                     const HybConvolveFinish *finish)
{
  HybConvolve     flat = flatten (convolve);
  HybDirectLayout layout;
  HybParts        parts;
  Convolution     convolution = { &layout, operands, finish };

  if (hyb_depthwise_fits (&flat))
    {
      hyb_depthwise_convolve (&flat, operands, finish);
      return;
    }
  if (takes_regions (&flat))
    {
      hyb_region_convolve (&flat, operands, finish);
      return;
    }
  hyb_direct_layout_init (&layout, &flat);
  hyb_direct_layout_shifts (&layout, operands->workspace);
  parts = find_parts (&layout);
  hyb_parts_for_each (&parts, convolve_part, &convolution);
}
