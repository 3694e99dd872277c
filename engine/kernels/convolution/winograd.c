/* winograd.c — 3 × 3 convolution with half the multiplications, by Winograd's F(4, 3).
 *
 * A band is four rows of the map and the six rows of the image that they depend on.
 *
 *   for each group of bands that fits the second-level cache, bands of one sample or all bands of several small
 *   ones (groups are split over threads): pad and transform the image's channels, then for each tile of filters × positions,
 *   for each of six transformed rows: sums[row,f,i] = sum_k weight[row,f,k] planes[row][shifts[k] + i];
 *   then transform the sums of each filter to four rows and write them to the map.
 *
 * Narrow maps of a batch would lose much to the gaps between their rows: there the cells of more samples are gathered
 * without gaps (gathered-product.h), and the sums of each transformed row wait in the workspace for the other five.
 *
 * Start at the end, with hyb_winograd_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/winograd.h"

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/gathered-product.h"
#include "engine/kernels/convolution/parts.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

#define ROWS HYB_WINOGRAD_ROWS
#define BAND 4 /* rows of the map */

/* Floats of the transformed image of one group of bands. */
#define MAX_TRANSFORMED ((gint64) 176 << 10)
/* Positions of a group whose cells are gathered, about.  They share each filter that comes from memory. */
#define GATHERED_POSITIONS 256
/* Floats of the transformed image and of the sums of such a group, at most: 8 MiB. */
#define MAX_GATHERED ((gint64) 2 << 20)
/* Floats of one padded channel of a group of bands, on the stack. */
#define MAX_PADDED 8192
/* Floats of transformed filters that may still be in a cache in the next run. */
#define MAX_CACHED_FILTERS ((gint64) 2 << 20)
/* With fewer channels or filters the transforms cost more than they save. */
#define MIN_CHANNELS 16

typedef struct
{
  const HybConvolve *convolve;
  const HybTiles    *tiles;
  gint64             channels, depth; /* depth: channels × columns of the kernel */
  gint64             pitch;           /* floats of a padded row */
  gint64             n_bands;         /* bands of the map */
  gint64             samples;         /* whole samples of a group, at most; 1: or a part of one */
  gint64             bands;           /* bands of a group in each of its samples, at most */
  gint64             n_groups;        /* of a sample; 1 if a group has several */
  gint64             plane;           /* floats of one row of one transformed channel */
  gboolean           is_gathered;     /* the positions of a group follow each other without gaps */
  gint64             row;             /* positions from one row of a group to the next */
  gint64             sums; /* gathered: floats of the sums of one transformed row of a group */
  gint64             area; /* floats of one transformed group, and of its sums */
} Layout;

/* Returns the vectors that cover the positions of n_bands bands. */
static gint64
count_vectors (const Layout *layout, gint64 n_bands)
{
  gint64 positions = (n_bands - 1) * layout->row + layout->convolve->map[2];

  return (positions + layout->tiles->lanes - 1) / layout->tiles->lanes;
}

/* The product of one transformed row of all bands of a group, each band being a row of its map. */
static HybDirectLayout
find_product (const Layout *layout)
{
  HybDirectLayout product = { .convolve = *layout->convolve,
                              .is_joined = TRUE,
                              .channels = layout->channels,
                              .depth = layout->depth,
                              .n_strips = { 1, 1 },
                              .pitch = layout->pitch,
                              .plane = layout->plane };

  product.convolve.map[1] = product.strip[0] = layout->samples * layout->bands;
  product.strip[1] = layout->convolve->map[2];
  return product;
}

/* Chooses the samples of a group whose cells are gathered, at most `most`: as many as make whole vectors, or groups of about
 * the same size. */
static gint64
choose_samples (const Layout *layout, gint64 positions, gint64 most)
{
  gint64 batch = layout->convolve->batch, n_groups = (batch + most - 1) / most;

  for (gint64 samples = most; 2 * samples > most; samples--)
    if (samples * positions % layout->tiles->lanes == 0)
      return samples;
  return (batch + n_groups - 1) / n_groups;
}

/* Gathers the cells of more samples if that saves time. */
static void
try_gathering (Layout *layout)
{
  const HybConvolve *convolve = layout->convolve;
  Layout             gathered = *layout;
  HybDirectLayout    product;
  gint64             positions = layout->bands * convolve->map[2]; /* of a sample */
  gint64             floats = ROWS * (layout->channels * layout->bands * layout->pitch +
                          convolve->map_channels * positions);
  gint64             most = MIN (GATHERED_POSITIONS / positions, MAX_GATHERED / floats);

  most = MIN (most, convolve->batch);
  if (layout->n_groups > 1 || most <= layout->samples)
    return;
  gathered.is_gathered = TRUE;
  gathered.samples = choose_samples (layout, positions, most);
  gathered.row = convolve->map[2];
  gathered.plane = gathered.samples * layout->bands * layout->pitch + layout->tiles->lanes;
  gathered.sums = convolve->map_channels * gathered.samples * positions;
  gathered.area = ROWS * (layout->channels * gathered.plane + gathered.sums) + HYB_TILE_SLACK;
  product = find_product (&gathered);
  if (hyb_gathered_pays (&product, layout->tiles))
    *layout = gathered;
}

/* Small samples share a group, which then reads the filters once for all of them. */
static void
find_layout (const HybConvolve *convolve, const HybTiles *tiles, Layout *layout)
{
  gint64 fitting, bands;

  *layout = (Layout){ .convolve = convolve,
                      .tiles = tiles,
                      .channels = convolve->image_channels,
                      .depth = convolve->image_channels * 3,
                      .pitch = convolve->map[2] + 2,
                      .n_bands = (convolve->map[1] + BAND - 1) / BAND };
  fitting = MAX_TRANSFORMED / (ROWS * layout->channels * layout->pitch);
  bands = MIN (fitting, (MAX_PADDED - HYB_TILE_SLACK) / layout->pitch / BAND - 1);
  layout->n_groups = (layout->n_bands + MAX (bands, 1) - 1) / MAX (bands, 1);
  layout->bands = (layout->n_bands + layout->n_groups - 1) / layout->n_groups;
  layout->samples =
      layout->n_groups == 1 ? CLAMP (fitting / layout->bands, 1, MAX (convolve->batch, 1)) : 1;
  /* transform_input() writes whole vectors. */
  layout->plane = layout->samples * layout->bands * layout->pitch + tiles->lanes;
  layout->row = layout->pitch;
  layout->area = ROWS * layout->channels * layout->plane + HYB_TILE_SLACK;
  try_gathering (layout);
}

/* Padding and a partial last band can cost more than the transform saves.  So can reading the filters,
 * which have 18 floats instead of 9 for each channel: many of them come from memory, about a float in
 * the time of two products of vectors. */
static gboolean
saves_enough (const Layout *layout)
{
  const HybConvolve *convolve = layout->convolve;
  gint64             lanes = layout->tiles->lanes;
  gint64             positions = (convolve->map[1] - 1) * layout->pitch + convolve->map[2];
  gint64             last = layout->n_bands - (layout->n_groups - 1) * layout->bands;
  gint64             vectors = count_vectors (layout, layout->samples * last) +
                   (layout->n_groups - 1) * count_vectors (layout, layout->bands);
  gint64 saved = layout->samples * ((positions + lanes - 1) / lanes) * 9 - vectors * 18;

  if (convolve->map_channels * convolve->image_channels * 18 > MAX_CACHED_FILTERS && saved <= 2 * 9)
    return FALSE;
  return vectors * 18 * lanes * 4 < layout->samples * positions * 9 * 3;
}

gboolean
hyb_winograd_fits (const HybConvolve *convolve)
{
  const HybTiles *tiles = hyb_tiles_choose ();
  Layout          layout;

  if (!tiles || !hyb_direct_sizes_are_modest (convolve) || !hyb_direct_convolve_fits (convolve) ||
      convolve->groups != 1 || convolve->image_channels < MIN_CHANNELS ||
      convolve->map_channels < MIN_CHANNELS || convolve->map[2] > 512)
    return FALSE;
  for (int axis = 1; axis < 3; axis++)
    if (convolve->kernel[axis] != 3 || convolve->stride[axis] != 1 || convolve->dilate[axis] != 1)
      return FALSE;

  find_layout (convolve, tiles, &layout);
  return saves_enough (&layout);
}

void
hyb_winograd_filters (gint64 filters, gint64 channels, const float *weight, float *to)
{
  gint64 n = filters * channels * 3;

  for (gint64 i = 0; i < filters * channels; i++)
    for (gint64 column = 0; column < 3; column++)
      {
        double a = (double) weight[i * 9 + column], b = (double) weight[i * 9 + 3 + column];
        double c = (double) weight[i * 9 + 6 + column];
        float *at = to + i * 3 + column;

        at[0] = (float) (a / 4);
        at[n] = (float) (-(a + b + c) / 6);
        at[2 * n] = (float) (-(a - b + c) / 6);
        at[3 * n] = (float) (a / 24 + b / 12 + c / 6);
        at[4 * n] = (float) (a / 24 - b / 12 + c / 6);
        at[5 * n] = (float) c;
      }
}

/* Groups of bands of all samples. */
static HybParts
find_parts (const Layout *layout)
{
  const HybConvolve *convolve = layout->convolve;
  gint64             filters = convolve->map_channels;
  gint64             width = layout->samples * layout->bands * layout->pitch;

  return (HybParts){ .n = (convolve->batch + layout->samples - 1) / layout->samples *
                          layout->n_groups,
                     .work = (double) (ROWS * layout->depth) * (double) (filters * width),
                     .area = layout->area };
}

gsize
hyb_winograd_workspace (const HybConvolve *convolve)
{
  Layout   layout;
  HybParts parts;

  find_layout (convolve, hyb_tiles_choose (), &layout);
  parts = find_parts (&layout);
  return sizeof (gint64) * (gsize) layout.depth +
         sizeof (float) * (gsize) (layout.area * hyb_parts_n_areas (&parts));
}

/* A group of bands: the same ones of each of its samples. */
typedef struct
{
  const Layout            *layout;
  HybTiling                tiling;
  const HybConvolveFinish *finish;
  const gint64            *shifts;
  gint64                   n_samples, first_band, n_bands; /* n_bands: of a sample */
  const float             *image;                          /* of the first sample */
  float                   *planes;                         /* ROWS × channels */
  const float             *weight;
  float                   *map;
} BandGroup;

/* Copies the rows of one channel of a sample that the bands depend on, with zero padding.  channel: of all samples. */
static void
pad_channel (const BandGroup *group, gint64 channel, float *to)
{
  const HybConvolve *convolve = group->layout->convolve;
  gint64             pitch = group->layout->pitch, width = convolve->image[2];
  gint64             n_rows = group->n_bands * BAND + 2;
  const float       *image = group->image + channel * convolve->image[1] * width;

  memset (to, 0, sizeof (float) * (gsize) (n_rows * pitch + HYB_TILE_SLACK));
  for (gint64 row = 0; row < n_rows; row++)
    {
      gint64 y = group->first_band * BAND + row - convolve->pad[1];

      if (y >= 0 && y < convolve->image[1])
        memcpy (to + row * pitch + convolve->pad[2], image + y * width,
                sizeof (float) * (gsize) width);
    }
}

static void
transform_channels (gint64 begin, gint64 end, gpointer data)
{
  const BandGroup *group = data;
  const Layout    *layout = group->layout;
  float            padded[MAX_PADDED];

  for (gint64 channel = begin; channel < end; channel++)
    for (gint64 sample = 0; sample < group->n_samples; sample++)
      {
        float *plane =
            group->planes + channel * layout->plane + sample * group->n_bands * layout->pitch;

        pad_channel (group, sample * layout->channels + channel, padded);
        for (gint64 band = 0; band < group->n_bands; band++)
          layout->tiles->transform_input (layout->pitch, padded + band * BAND * layout->pitch,
                                          layout->pitch, plane + band * layout->pitch,
                                          layout->channels * layout->plane);
      }
}

/* Writes n positions of four rows of one filter to the map, band by band, without the gaps. */
static void
write_rows (const BandGroup *group, gint64 filter, gint64 first, gint64 n, const float *rows)
{
  const Layout *layout = group->layout;
  gint64        width = layout->convolve->map[2], height = layout->convolve->map[1];
  gint64        index = first / layout->row, column = first % layout->row;

  for (gint64 i = 0; i < n; i += layout->row - column, column = 0, index++)
    {
      gint64 run = MIN (n - i, width - column);
      gint64 plane = index / group->n_bands * layout->convolve->map_channels + filter;
      gint64 y = (group->first_band + index % group->n_bands) * BAND;

      for (gint64 row = 0; run > 0 && row < MIN (BAND, height - y); row++)
        layout->tiles->finish_run (group->finish, filter,
                                   (plane * height + y + row) * width + column, run,
                                   rows + row * HYB_TILE_STRIDE + i, group->map);
    }
}

typedef struct
{
  gint64 first, n;
} Filters;

/* The weights to fetch during one of the six rows: in the first tile of the filters those of the next row,
 * in the last one, during the last row, the first ones of the next filters. */
static HybTileAhead
find_ahead (const BandGroup *group, const HybTile *tile, gint64 row, Filters filters)
{
  const Layout *layout = group->layout;
  gint64        all = layout->convolve->map_channels;
  gint64        next = filters.first + filters.n;

  if (!group->tiling.by_filters)
    return (HybTileAhead){ 0 };
  if (row < ROWS - 1 && tile->first_vector == 0)
    return (HybTileAhead){ group->weight + ((row + 1) * all + filters.first) * layout->depth,
                           filters.n };
  if (row == ROWS - 1 && hyb_tiling_is_last (&group->tiling, tile))
    return (HybTileAhead){ group->weight + next * layout->depth, MIN (filters.n, all - next) };
  return (HybTileAhead){ 0 };
}

/* Computes n_filters filters of a tile: six tiles of sums, transformed to four rows of the map. */
static void
multiply_filters (const BandGroup *group,
                  const HybTile   *tile,
                  gint64           first_filter,
                  gint64           n_filters)
{
  const Layout   *layout = group->layout;
  const HybTiles *tiles = layout->tiles;
  const gint64    stride = HYB_TILE_FILTERS * HYB_TILE_STRIDE;
  gint64          first = tile->first_vector * tiles->lanes, n = tile->n_vectors * tiles->lanes;
  gint64          n_bands = group->n_samples * group->n_bands;
  gint64          positions = (n_bands - 1) * layout->pitch + layout->convolve->map[2];
  HybTileImage    image = { .depth = layout->depth, .shifts = group->shifts };
  float           sums[ROWS * HYB_TILE_FILTERS * HYB_TILE_STRIDE]; /* (row, filter, position) */
  float           rows[BAND * HYB_TILE_STRIDE]; /* (row of the map, position) of one filter */

  /* 1. In the transformed domain the rows do not mix: six products of (filters, depth) by (depth, positions). */
  hyb_tiles_follow (tiles, image.vectors);
  for (gint64 row = 0; row < ROWS; row++)
    {
      gint64 weights = (row * layout->convolve->map_channels + first_filter) * layout->depth;

      image.image = group->planes + row * layout->channels * layout->plane + first;
      image.ahead = find_ahead (group, tile, row, (Filters){ first_filter, n_filters });
      tiles->sum[tile->n_vectors][n_filters](&image, group->weight + weights, layout->depth,
                                             sums + row * stride);
    }
  /* 2. Six transformed rows become four rows of the map.  Positions between the rows of an image, which the pitch adds,
   *    were computed too; those behind the last band are not written. */
  for (gint64 f = 0; f < n_filters; f++)
    {
      tiles->transform_output (n, sums + f * HYB_TILE_STRIDE, stride, rows);
      write_rows (group, first_filter + f, first, MIN (n, positions - first), rows);
    }
}

static void
multiply_tiles (gint64 begin, gint64 end, gpointer data)
{
  const BandGroup *group = data;

  for (gint64 i = begin; i < end; i++)
    {
      HybTile tile;
      gint64  max;

      hyb_tiling_find (&group->tiling, i, &tile);
      max = group->layout->tiles->max_filters[tile.n_vectors];
      for (gint64 f = 0; f < tile.n_filters; f += max)
        multiply_filters (group, &tile, tile.first_filter + f, MIN (max, tile.n_filters - f));
    }
}

/* The sums of a group whose cells are gathered: (row, filter, position). */
static float *
find_sums (const BandGroup *group)
{
  const Layout *layout = group->layout;

  return group->planes + ROWS * layout->channels * layout->plane;
}

/* Transforms the sums of filters [begin, end) to rows of the map. */
static void
write_filters (gint64 begin, gint64 end, gpointer data)
{
  const BandGroup *group = data;
  const Layout    *layout = group->layout;
  gint64           positions = group->n_samples * group->n_bands * layout->row, n;
  float            rows[BAND * HYB_TILE_STRIDE]; /* (row of the map, position) of one filter */

  for (gint64 filter = begin; filter < end; filter++)
    for (gint64 first = 0; first < positions; first += n)
      {
        const float *sums =
            find_sums (group) + filter * layout->samples * layout->bands * layout->row + first;

        n = MIN (HYB_TILE_STRIDE, positions - first);
        layout->tiles->transform_output (n, sums, layout->sums, rows);
        write_rows (group, filter, first, n, rows);
      }
}

/* Computes a group whose cells are gathered. */
static void
gather_bands (BandGroup *group)
{
  const Layout     *layout = group->layout;
  HybConvolveFinish none = { 0 };
  HybDirectLayout   direct = find_product (layout);
  HybDirectStrip  strip = { .n_rows = group->n_samples * group->n_bands, .n_columns = layout->row };
  HybStripProduct product = {
    .layout = &direct, .strip = &strip, .finish = &none, .shifts = group->shifts
  };

  for (gint64 row = 0; row < ROWS; row++)
    {
      product.planes = group->planes + row * layout->channels * layout->plane;
      product.weight = group->weight + row * layout->convolve->map_channels * layout->depth;
      product.map = find_sums (group) + row * layout->sums;
      hyb_gathered_multiply (&product);
    }
  hyb_parallel_for (layout->convolve->map_channels, 1 + 4096 / (strip.n_rows * strip.n_columns),
                    write_filters, group);
}

static void
convolve_bands (BandGroup *group)
{
  const Layout *layout = group->layout;
  gint64 bytes = ROWS * layout->convolve->map_channels * layout->depth * (gint64) sizeof (float);

  hyb_parallel_for (layout->channels, 1 + 4096 / layout->plane, transform_channels, group);
  if (layout->is_gathered)
    {
      gather_bands (group);
      return;
    }
  hyb_tiling_init (&group->tiling, layout->tiles,
                   count_vectors (layout, group->n_samples * group->n_bands),
                   layout->convolve->map_channels, bytes);
  hyb_parallel_for (hyb_tiling_n_tiles (&group->tiling), 1, multiply_tiles, group);
}

/* A convolution of all samples. */
typedef struct
{
  const Layout            *layout;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
} Convolution;

/* Computes one group of bands. */
static void
convolve_part (gint64 part, gint64 area, gconstpointer data)
{
  const Convolution *convolution = data;
  const Layout      *layout = convolution->layout;
  const HybConvolve *convolve = layout->convolve;
  gint64             sample = part / layout->n_groups * layout->samples;
  gint64             index = part % layout->n_groups;
  gint64            image_size = convolve->image_channels * convolve->image[1] * convolve->image[2];
  gint64            map_size = convolve->map_channels * convolve->map[1] * convolve->map[2];
  gint64           *shifts = convolution->operands->workspace;
  HybConvolveFinish finish = *convolution->finish;
  BandGroup         group = { .layout = layout,
                              .finish = &finish,
                              .shifts = shifts,
                              .planes = (float *) (shifts + layout->depth) + area * layout->area,
                              .first_band = index * layout->bands,
                              .image = convolution->operands->image + sample * image_size,
                              .map = convolution->operands->map + sample * map_size,
                              .weight = convolution->operands->weight };

  group.n_samples = MIN (layout->samples, convolve->batch - sample);
  group.n_bands = MIN (layout->bands, layout->n_bands - group.first_band);
  if (finish.other)
    finish.other += sample * map_size;
  memset (group.planes + layout->area - HYB_TILE_SLACK, 0, sizeof (float) * HYB_TILE_SLACK);
  convolve_bands (&group);
}

void
hyb_winograd_convolve (const HybConvolve       *convolve,
                       const HybDirectOperands *operands,
                       const HybConvolveFinish *finish)
{
  gint64     *shifts = operands->workspace;
  Layout      layout;
  HybParts    parts;
  Convolution convolution = { &layout, operands, finish };

  find_layout (convolve, hyb_tiles_choose (), &layout);
  for (gint64 k = 0; k < layout.depth; k++)
    shifts[k] = k / 3 * layout.plane + k % 3;
  parts = find_parts (&layout);
  hyb_parts_for_each (&parts, convolve_part, &convolution);
}
