/* region-product.c — convolution by regions of the map; see region-product.h.
 *
 *   for each sample and group: pad the image if an axis is not split; for each block of channels; for each tile of positions
 *   of a region (split over threads): copy the cells under its taps to a panel on the stack, then for each group of filters,
 *   for each k: sums[f,i] += weight[f,list[k]] panel[k,i]; after the last block: finish them and write them to the map.
 *
 * Start at hyb_region_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/region-product.h"

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/region-layout.h"
#include "engine/kernels/simd/simd.h"

#include <string.h>

/* Floats of a panel, on the stack: 128 KiB.  Sums are read and written once for each block of channels.  Few filters read
 * it from the first-level cache. */
#define PANEL_FLOATS     32768
#define FEW_PANEL_FLOATS 12288
#define FEW_FILTERS      100
/* Channels and taps of a panel, at most. */
#define MAX_DEPTH 4096
/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 262144

/* One group of channels of one sample. */
typedef struct
{
  const HybRegionLayout   *layout;
  const HybTiles          *tiles;
  const HybConvolveFinish *finish;
  const float             *cells;  /* padded, or the image as it lies */
  const float             *weight; /* of the group */
  float                   *sums;   /* filters × layout->width */
  gint64                   first_filter;
  float                   *map;                       /* of the sample, all filters */
  gint64                   first_channel, n_channels; /* of the current block */
  gint64                   n_chunks;                  /* of filters */
} Product;

/* A tile of a region, and the cells and weights of the current block. */
typedef struct
{
  const HybRegion *region;
  HybTile          tile;
  gint64           first, n; /* positions of the region */
  gint64           depth, width;
} Part;

static Part
find_part (const Product *product, gint64 index)
{
  const HybRegionLayout *layout = product->layout;
  gint64                 r = layout->n_regions - 1, lanes = product->tiles->lanes;
  Part                   part;

  while (layout->regions[r].first_tile > index)
    r--;
  part.region = &layout->regions[r];
  hyb_tiling_find (&part.region->tiling, index - part.region->first_tile, &part.tile);
  part.first = part.tile.first_vector * lanes;
  part.width = part.tile.n_vectors * lanes;
  part.n = MIN (part.width, part.region->positions - part.first);
  part.depth = product->n_channels * part.region->n_taps;
  return part;
}

/* Writes where the cells under each channel and tap begin, from the first channel and tap on, and which weights these are. */
static void
list_taps (const Product *product, const HybRegion *region, gint64 *shifts, gint32 *list)
{
  const HybRegionLayout *layout = product->layout;
  const HybRegionSpan   *span = region->span;
  const gint64          *dilate = layout->convolve.dilate, *size = layout->size;
  const gint64          *kernel = layout->convolve.kernel;

  for (gint64 channel = 0; channel < product->n_channels; channel++)
    for (gint64 i = 0; i < span[0].n_taps; i++)
      for (gint64 j = 0; j < span[1].n_taps; j++)
        for (gint64 k = 0; k < span[2].n_taps; k++)
          {
            gint64 row = (channel * size[0] + i * dilate[0]) * size[1] + j * dilate[1];
            gint64 tap =
                ((span[0].tap + i) * kernel[1] + span[1].tap + j) * kernel[2] + span[2].tap + k;

            *shifts++ = row * size[2] + k * dilate[2];
            *list++ = (gint32) (channel * layout->n_taps + tap);
          }
}

/* Positions of a tile that follow each other in a row of the map. */
typedef struct
{
  const Part *part;
  gint64      done;     /* positions of the tile before the run */
  gint64      place[3]; /* in the map */
  gint64      n;
} Run;

/* Moves on to the next run of positions that follow each other; FALSE behind the last. */
static gboolean
next_run (Run *run)
{
  const HybRegionSpan *span = run->part->region->span;
  gint64               columns = span[2].end - span[2].begin, rows = span[1].end - span[1].begin;
  gint64               at;

  run->done += run->n;
  if (run->done >= run->part->n)
    return FALSE;
  at = run->part->first + run->done;
  run->place[0] = span[0].begin + at / columns / rows;
  run->place[1] = span[1].begin + at / columns % rows;
  run->place[2] = span[2].begin + at % columns;
  run->n = MIN (columns - at % columns, run->part->n - run->done);
  return TRUE;
}

/* Copies the cells under a tile. */
static void
gather_cells (const Product *product, const Part *part, const gint64 *shifts, float *panel)
{
  const HybRegionLayout *layout = product->layout;
  const HybConvolve     *convolve = &layout->convolve;
  HybTileRun             runs[HYB_TILE_STRIDE];
  HybTileGather          gather = { .planes =
                                        product->cells + product->first_channel * hyb_volume (layout->size),
                                    .shifts = shifts,
                                    .depth = part->depth,
                                    .width = part->width,
                                    .runs = runs };

  if (part->n < part->width)
    memset (panel, 0, sizeof (float) * (gsize) (part->width * part->depth));
  for (Run run = { .part = part }; next_run (&run);)
    {
      gint64 cell[3];

      for (int axis = 0; axis < 3; axis++)
        cell[axis] = run.place[axis] * convolve->stride[axis] +
                     part->region->span[axis].tap * convolve->dilate[axis] - convolve->pad[axis] +
                     layout->pad[axis];
      runs[gather.n_runs++] =
          (HybTileRun){ (cell[0] * layout->size[1] + cell[1]) * layout->size[2] + cell[2], run.done,
                        run.n };
    }
  product->tiles->gather (&gather, panel);
}

/* Finishes the sums of n filters and a tile. */
static void
finish_sums (const Product *product, const Part *part, gint64 filter, gint64 n, const float *sums)
{
  const HybRegionLayout *layout = product->layout;
  const gint64          *map = layout->convolve.map;

  for (gint64 f = 0; f < n; f++)
    for (Run run = { .part = part }; next_run (&run);)
      {
        gint64 at = (((product->first_filter + filter + f) * map[0] + run.place[0]) * map[1] +
                     run.place[1]) *
                        map[2] +
                    run.place[2];

        product->tiles->finish_run (product->finish, product->first_filter + filter + f, at, run.n,
                                    sums + f * layout->width + run.done, product->map);
      }
}

/* Where the filters from number f of the group on have their sums: in the map if the region's positions are contiguous in
 * the map, else in the workspace. */
static HybTileMap
find_map (const Product *product, const Part *part, gint64 f)
{
  const HybRegionLayout   *layout = product->layout;
  const HybConvolveFinish *finish = product->finish;
  const gint64            *size = layout->convolve.map;
  gint64                   filter = product->first_filter + f;
  const HybRegionSpan     *span = part->region->span;
  gint64                   row = (filter * size[0] + span[0].begin) * size[1] + span[1].begin;
  gint64                   at = row * size[2] + part->first;

  if (!part->region->is_contiguous)
    return (HybTileMap){ .to = product->sums + f * layout->width + part->region->at + part->first,
                         .stride = layout->width };
  return (HybTileMap){ .to = product->map + at,
                       .other = finish->other ? finish->other + at : NULL,
                       .bias = finish->bias ? finish->bias + filter : NULL,
                       .stride = hyb_volume (size),
                       .rectify = finish->rectify,
                       .slope = finish->slope };
}

/* Multiplies the filters [begin, end) with a tile, whose cells are in `panel`. */
static void
multiply_filters (const Product *product,
                  const Part    *part,
                  HybTilePanel  *panel,
                  gint64         begin,
                  gint64         end)
{
  const HybRegionLayout *layout = product->layout;
  gint64                 depth = layout->channels * layout->n_taps;
  gint64                 n_vectors = part->tile.n_vectors, some;
  gint64                 max = product->tiles->max_filters[n_vectors];
  gint64                 n_groups = (end - begin + max - 1) / max;
  gboolean               is_last = product->first_channel + product->n_channels == layout->channels;

  panel->n = part->region->is_contiguous ? part->n : part->width;
  panel->finishes = is_last && part->region->is_contiguous;
  panel->map = find_map (product, part, begin);
  for (gint64 f = begin; f < end; f += some, n_groups--)
    {
      some = (end - f + n_groups - 1) / n_groups;
      product->tiles->sum_listed[n_vectors][some](panel,
                                                  product->weight + f * depth +
                                                      product->first_channel * layout->n_taps);
      if (is_last && !part->region->is_contiguous)
        finish_sums (product, part, f, some, panel->map.to);
      hyb_tile_map_move (&panel->map, some);
    }
}

/* Computes items [begin, end): tiles of chunks of filters. */
static void
multiply_tiles (gint64 begin, gint64 end, gpointer data)
{
  const Product         *product = data;
  const HybRegionLayout *layout = product->layout;
  float                  copy[PANEL_FLOATS + HYB_TILE_SLACK];
  gint64                 shifts[MAX_DEPTH];
  gint32                 list[MAX_DEPTH];

  for (gint64 i = begin; i < end; i++)
    {
      gint64       chunk = i / layout->n_tiles;
      Part         part = find_part (product, i % layout->n_tiles);
      HybTilePanel panel = { .depth = part.depth,
                             .cells = copy,
                             .step = part.width,
                             .weights_stride = layout->channels * layout->n_taps,
                             .list = list,
                             .continues = product->first_channel > 0 };

      list_taps (product, part.region, shifts, list);
      gather_cells (product, &part, shifts, copy);
      multiply_filters (product, &part, &panel, layout->filters * chunk / product->n_chunks,
                        layout->filters * (chunk + 1) / product->n_chunks);
    }
}

/* Channels of a block: as few blocks as possible, of about the same size. */
static gint64
count_block_channels (const Product *product)
{
  gint64 width = MIN (product->layout->width, HYB_TILE_VECTORS * product->tiles->lanes);
  gint64 floats = product->layout->filters < FEW_FILTERS ? FEW_PANEL_FLOATS : PANEL_FLOATS;
  gint64 max = MAX (MIN (floats / width, MAX_DEPTH) / product->layout->n_taps, 1);
  gint64 channels = product->layout->channels, n = (channels + max - 1) / max;

  return (channels + n - 1) / n;
}

static void
multiply_group (Product *product)
{
  const HybRegionLayout *layout = product->layout;
  gint64 n_threads = hyb_parallel_get_threads (), n = count_block_channels (product);

  product->n_chunks = 1;
  /* Few tiles are shared out by filters, too. */
  if (layout->n_tiles % n_threads != 0)
    product->n_chunks =
        MIN (n_threads, (layout->filters + HYB_TILE_FILTERS - 1) / HYB_TILE_FILTERS);
  for (product->first_channel = 0; product->first_channel < layout->channels;
       product->first_channel += product->n_channels)
    {
      product->n_channels = MIN (n, layout->channels - product->first_channel);
      hyb_parallel_for (layout->n_tiles * product->n_chunks,
                        1 + GRAIN / (product->n_channels * layout->n_taps * layout->filters /
                                         product->n_chunks * 3 * product->tiles->lanes +
                                     1),
                        multiply_tiles, product);
    }
}

typedef struct
{
  const HybRegionLayout *layout;
  const float           *image; /* of a group */
  float                 *to;
} Padding;

/* Pads rows [begin, end) of the padded image of all channels. */
static void
pad_rows (gint64 begin, gint64 end, gpointer data)
{
  const Padding         *padding = data;
  const HybRegionLayout *layout = padding->layout;
  const gint64          *image = layout->convolve.image, *size = layout->size;
  gsize                  before = sizeof (float) * (gsize) layout->pad[2];
  gsize                  row = sizeof (float) * (gsize) size[2];
  gsize                  inside = sizeof (float) * (gsize) image[2];

  for (gint64 i = begin; i < end; i++)
    {
      gint64 channel = i / size[1] / size[0];
      gint64 z = i / size[1] % size[0] - layout->pad[0], y = i % size[1] - layout->pad[1];
      char  *to = (char *) (padding->to + i * size[2]);

      if (z < 0 || z >= image[0] || y < 0 || y >= image[1])
        {
          memset (to, 0, row);
          continue;
        }
      memset (to, 0, before);
      memcpy (to + before, padding->image + ((channel * image[0] + z) * image[1] + y) * image[2],
              inside);
      memset (to + before + inside, 0, row - before - inside);
    }
}

/* The cells of a group of channels of all samples: padded, or as they lie. */
static const float *
place_cells (const HybRegionLayout   *layout,
             const HybDirectOperands *operands,
             gint64                   group,
             float                   *to)
{
  Padding padding = {
    layout, operands->image + group * layout->channels * hyb_volume (layout->convolve.image), to
  };

  if (layout->is_image)
    return padding.image;
  hyb_parallel_for (layout->channels * layout->size[0] * layout->size[1],
                    1 + 16384 / layout->size[2], pad_rows, &padding);
  return to;
}

/* Does not suit maps so small that more than 60 % of the sums would be dropped. */
gboolean
hyb_region_convolve_fits (const HybConvolve *convolve, double time)
{
  HybRegionLayout layout;
  double          own = hyb_region_layout_init (&layout, convolve, hyb_tiles_choose ());

  return own >= 0 && own < time && 5 * hyb_volume (convolve->map) >= 2 * layout.width;
}

gsize
hyb_region_convolve_workspace (const HybConvolve *convolve)
{
  HybRegionLayout layout;

  hyb_region_layout_init (&layout, convolve, hyb_tiles_choose ());
  return sizeof (float) *
         (gsize) (layout.filters * layout.width + hyb_region_layout_area (&layout));
}

void
hyb_region_convolve (const HybConvolve       *convolve,
                     const HybDirectOperands *operands,
                     const HybConvolveFinish *finish)
{
  HybRegionLayout layout;
  Product         product = { .layout = &layout,
                              .tiles = hyb_tiles_choose (),
                              .sums = operands->workspace };

  hyb_region_layout_init (&layout, convolve, product.tiles);
  for (gint64 group = 0; group < convolve->batch * convolve->groups; group++)
    {
      gint64            sample = group / convolve->groups;
      gint64            size = convolve->map_channels * hyb_volume (convolve->map);
      HybConvolveFinish own = *finish;

      if (finish->other)
        own.other += sample * size;
      product.finish = &own;
      product.first_filter = group % convolve->groups * layout.filters;
      product.weight = operands->weight + product.first_filter * layout.channels * layout.n_taps;
      product.map = operands->map + sample * size;
      product.cells =
          place_cells (&layout, operands, group, product.sums + layout.filters * layout.width);
      multiply_group (&product);
    }
}
