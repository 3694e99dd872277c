/* direct-convolution.c — convolution as products of filters and shifted images.
 *
 *   for each sample, for each group (both are split over threads): lay out the image (planes[c]
 *   for each channel c), then for each tile of filters f × positions i, for each channel and tap k:
 *   sum[f,i] += weight[f,k] planes[shifts[k] + i]; then write the tile's sums to the map.
 *
 * The layout has a plane for each channel and, with strides, one for each phase: every stride-th
 * row and column, starting at a given one.  Start at the end, with hyb_direct_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-convolution.h"

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/filter-tile.h"
#include "engine/kernels/convolution/parts.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

#define MAX_TAPS 32 /* of the kernel along one axis */

/* --- Layout of the image --- */

/* The taps of one axis.  Phase p of an image is every stride-th cell from cell rest[p] on.  Tap t
 * covers cell i + shift[t] of phase[t] at position i of the map. */
typedef struct
{
  gint64 n_phases;
  gint64 rest[MAX_TAPS];
  gint64 phase[MAX_TAPS];
  gint64 shift[MAX_TAPS];
} Taps;

typedef struct
{
  const HybConvolve *convolve;
  Taps               rows, columns;
  gint64             channels;      /* of one group */
  gint64             depth;         /* channels × taps */
  gint64             height, pitch; /* rows, and floats from row to row, of one phase */
  gint64             plane;         /* floats of all phases of one channel */
  gint64             positions;     /* floats from the first sum to the last, including the gaps
                                     * between the rows of the map, which are dropped */
  gint64 row_vectors; /* vectors of one row of the map, each row beginning with a vector of its
                             * own; 0 if vectors follow each other through the gaps */
  gint64 n_vectors;   /* vectors that cover the positions */
} Layout;

static void
find_taps (const HybConvolve *convolve, int axis, Taps *taps)
{
  gint64 stride = convolve->stride[axis];

  taps->n_phases = 0;
  for (gint64 t = 0; t < convolve->kernel[axis]; t++)
    {
      gint64 cell = t * convolve->dilate[axis];
      gint64 phase = 0;

      while (phase < taps->n_phases && taps->rest[phase] != cell % stride)
        phase++;
      if (phase == taps->n_phases)
        taps->rest[taps->n_phases++] = cell % stride;
      taps->phase[t] = phase;
      taps->shift[t] = cell / stride;
    }
}

/* Chooses how vectors cover the map: by rows if that takes fewer and the kernels can. */
static void
cover_positions (const HybTiles *tiles, Layout *layout)
{
  const gint64 *map = layout->convolve->map;
  gint64        row_vectors = (map[2] + tiles->lanes - 1) / tiles->lanes;

  layout->positions = (map[1] - 1) * layout->pitch + map[2];
  layout->row_vectors = 0;
  layout->n_vectors = (layout->positions + tiles->lanes - 1) / tiles->lanes;
  if (tiles->takes_rows && map[1] * row_vectors < layout->n_vectors)
    {
      layout->row_vectors = row_vectors;
      layout->n_vectors = map[1] * row_vectors;
    }
}

static void
find_layout (const HybConvolve *convolve, const HybTiles *tiles, Layout *layout)
{
  layout->convolve = convolve;
  find_taps (convolve, 1, &layout->rows);
  find_taps (convolve, 2, &layout->columns);
  layout->channels = convolve->image_channels / convolve->groups;
  layout->depth = layout->channels * convolve->kernel[1] * convolve->kernel[2];
  layout->height = convolve->map[1] + layout->rows.shift[convolve->kernel[1] - 1];
  layout->pitch = convolve->map[2] + layout->columns.shift[convolve->kernel[2] - 1];
  layout->plane = layout->height * layout->pitch * layout->rows.n_phases * layout->columns.n_phases;
  cover_positions (tiles, layout);
}

/* Sizes up to this can be multiplied by each other without overflow. */
#define MAX_CELLS ((gint64) 1 << 24)

static gboolean
has_modest_sizes (const HybConvolve *convolve)
{
  for (int axis = 1; axis < 3; axis++)
    if (convolve->kernel[axis] > MAX_TAPS || convolve->map[axis] < 1 ||
        convolve->map[axis] > 4096 || convolve->dilate[axis] > 4096 ||
        convolve->stride[axis] > 4096)
      return FALSE;
  return convolve->image[0] == 1 && convolve->kernel[0] == 1 && convolve->map[0] == 1 &&
         convolve->pad[0] == 0 && convolve->image_channels <= MAX_CELLS &&
         convolve->map_channels <= MAX_CELLS;
}

/* Does not suit pointwise convolutions, which are matrix products already; depthwise ones; and
 * maps so small that more than 60 % of the sums would be dropped. */
gboolean
hyb_direct_convolve_fits (const HybConvolve *convolve)
{
  const HybTiles *tiles = hyb_tiles_choose ();
  gint64          taps = convolve->kernel[1] * convolve->kernel[2];
  Layout          layout;

  if (!tiles || !has_modest_sizes (convolve) ||
      (convolve->image_channels == convolve->groups && convolve->groups > 1) ||
      (taps == 1 && convolve->stride[1] * convolve->stride[2] == 1 &&
       convolve->pad[1] + convolve->pad[2] == 0))
    return FALSE;

  find_layout (convolve, tiles, &layout);
  return layout.plane <= MAX_CELLS && layout.channels * layout.plane <= 8 * MAX_CELLS &&
         layout.depth >= 1 && layout.depth <= MAX_CELLS &&
         5 * convolve->map[1] * convolve->map[2] >= 2 * layout.n_vectors * tiles->lanes;
}

/* The floats of one group of channels that is laid out. */
static gint64
area_size (const Layout *layout)
{
  return layout->channels * layout->plane + HYB_TILE_SLACK;
}

/* Groups of channels of all samples. */
static HybParts
find_parts (const Layout *layout)
{
  const HybConvolve *convolve = layout->convolve;
  gint64             filters = convolve->map_channels / convolve->groups;

  return (HybParts){ .n = convolve->batch * convolve->groups,
                     .work = (double) layout->positions * (double) layout->depth * (double) filters,
                     .area = area_size (layout) };
}

gsize
hyb_direct_convolve_workspace (const HybConvolve *convolve)
{
  Layout   layout;
  HybParts parts;

  find_layout (convolve, hyb_tiles_choose (), &layout);
  parts = find_parts (&layout);
  return sizeof (gint64) * (gsize) layout.depth +
         sizeof (float) * (gsize) (parts.area * hyb_parts_n_areas (&parts));
}

/* Computes the offset in the laid out image at which each channel and tap starts. */
static void
find_shifts (const Layout *layout, gint64 *shifts)
{
  const gint64 *kernel = layout->convolve->kernel;

  for (gint64 channel = 0; channel < layout->channels; channel++)
    for (gint64 i = 0; i < kernel[1]; i++)
      for (gint64 j = 0; j < kernel[2]; j++)
        {
          gint64 phase =
              layout->rows.phase[i] * layout->columns.n_phases + layout->columns.phase[j];

          *shifts++ = channel * layout->plane + phase * layout->height * layout->pitch +
                      layout->rows.shift[i] * layout->pitch + layout->columns.shift[j];
        }
}

typedef struct
{
  const Layout *layout;
  const float  *image;
  float        *planes;
} LayoutJob;

/* Writes one row of a phase: every stride-th cell of the image row `from`, starting at cell
 * `first`, which may lie before or after the row; zeros outside it. */
static void
lay_out_row (const Layout *layout, const float *from, gint64 first, float *to)
{
  gint64 width = layout->convolve->image[2], stride = layout->convolve->stride[2];
  gint64 pitch = layout->pitch;
  gint64 begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  gint64 end = first >= width ? 0 : (width - 1 - first) / stride + 1;

  begin = MIN (begin, pitch);
  end = CLAMP (end, begin, pitch);
  memset (to, 0, sizeof (float) * (gsize) begin);
  if (stride == 1)
    memcpy (to + begin, from + first + begin, sizeof (float) * (gsize) (end - begin));
  else if (stride == 2) /* a constant, so that the loop is vectorised */
    for (gint64 k = begin; k < end; k++)
      to[k] = from[first + k * 2];
  else
    for (gint64 k = begin; k < end; k++)
      to[k] = from[first + k * stride];
  memset (to + end, 0, sizeof (float) * (gsize) (pitch - end));
}

static void
lay_out_channels (gint64 begin, gint64 end, gpointer data)
{
  const LayoutJob   *job = data;
  const Layout      *layout = job->layout;
  const HybConvolve *convolve = layout->convolve;
  float             *to = job->planes + begin * layout->plane;

  for (gint64 channel = begin; channel < end; channel++)
    for (gint64 i = 0; i < layout->rows.n_phases; i++)
      for (gint64 j = 0; j < layout->columns.n_phases; j++)
        for (gint64 row = 0; row < layout->height; row++, to += layout->pitch)
          {
            gint64 y = row * convolve->stride[1] + layout->rows.rest[i] - convolve->pad[1];

            if (y < 0 || y >= convolve->image[1])
              memset (to, 0, sizeof (float) * (gsize) layout->pitch);
            else
              lay_out_row (layout,
                           job->image + (channel * convolve->image[1] + y) * convolve->image[2],
                           layout->columns.rest[j] - convolve->pad[2],
                           to);
          }
}

/* --- Multiplying --- */

typedef struct
{
  const Layout            *layout;
  HybTiling                tiling;
  const HybConvolveFinish *finish;
  const gint64            *shifts;
  const float             *planes;
  const float             *weight;
  gint64                   first_filter; /* of the current group */
  float                   *map;          /* of the current sample, all filters */
} Product;

/* Writes n sums of one filter, from position `first` on, to the map without the gaps between
 * rows. */
static void
write_sums (const Product *product, gint64 filter, gint64 first, gint64 n, const float *sums)
{
  const Layout *layout = product->layout;
  gint64        width = layout->convolve->map[2];
  gint64        row = first / layout->pitch, column = first % layout->pitch;
  gint64        area = layout->convolve->map[1] * width;

  while (n > 0)
    {
      gint64 run = MIN (n, width - column), gap = layout->pitch - column;

      if (run > 0)
        product->tiling.tiles->finish_run (product->finish,
                                           filter,
                                           filter * area + row * width + column,
                                           run,
                                           sums,
                                           product->map);
      sums += gap;
      n -= gap;
      column = 0;
      row++;
    }
}

/* Writes the sums of one filter in vectors of rows: n vectors from vector `first` on. */
static void
write_rows (const Product *product, gint64 filter, gint64 first, gint64 n, const float *sums)
{
  const Layout *layout = product->layout;
  gint64        lanes = product->tiling.tiles->lanes, width = layout->convolve->map[2];
  gint64        area = layout->convolve->map[1] * width;
  gint64        step = width % lanes == 0 ? n : 1; /* vectors that follow each other in the map */

  for (gint64 v = 0; v < n; v += step)
    {
      gint64 row = (first + v) / layout->row_vectors;
      gint64 column = (first + v) % layout->row_vectors * lanes;

      product->tiling.tiles->finish_run (product->finish,
                                         filter,
                                         filter * area + row * width + column,
                                         step > 1 ? step * lanes : MIN (lanes, width - column),
                                         sums + v * lanes,
                                         product->map);
    }
}

/* Finds where the vectors of a tile lie in the planes. */
static void
find_vectors (const Layout *layout, const HybTiles *tiles, const HybTile *tile, HybTileImage *image)
{
  if (layout->row_vectors == 0)
    {
      image->image += tile->first_vector * tiles->lanes;
      hyb_tiles_follow (tiles, image->vectors);
      return;
    }
  for (gint64 v = 0; v < tile->n_vectors; v++)
    {
      gint64 at = tile->first_vector + v;

      image->vectors[v] =
          at / layout->row_vectors * layout->pitch + at % layout->row_vectors * tiles->lanes;
    }
}

static void
multiply_tile (const Product *product, const HybTile *tile)
{
  const Layout   *layout = product->layout;
  const HybTiles *tiles = product->tiling.tiles;
  gint64          first = tile->first_vector * tiles->lanes;
  gint64          n = MIN (tile->n_vectors * tiles->lanes, layout->positions - first);
  gint64          end = tile->first_filter + tile->n_filters;
  HybTileImage    image = { .depth = layout->depth,
                            .shifts = product->shifts,
                            .image = product->planes };
  float           sums[HYB_TILE_FILTERS * HYB_TILE_STRIDE];
  gboolean        fetches_ahead = tiles->fetches_ahead && product->tiling.by_filters &&
                           hyb_tiling_is_last (&product->tiling, tile);

  find_vectors (layout, tiles, tile, &image);
  for (gint64 at = tile->first_filter, some; at < end; at += some)
    {
      some = MIN (end - at, tiles->max_filters[tile->n_vectors]);
      if (fetches_ahead)
        image.ahead = (HybTileAhead){ product->weight + (at + some) * layout->depth,
                                      MIN (some, product->tiling.filters - at - some) };
      tiles->sum[tile->n_vectors][some](&image,
                                        product->weight + at * layout->depth,
                                        layout->depth,
                                        sums);
      for (gint64 f = 0; f < some; f++)
        if (layout->row_vectors > 0)
          write_rows (product,
                      product->first_filter + at + f,
                      tile->first_vector,
                      tile->n_vectors,
                      sums + f * HYB_TILE_STRIDE);
        else
          write_sums (product,
                      product->first_filter + at + f,
                      first,
                      n,
                      sums + f * HYB_TILE_STRIDE);
    }
}

static void
multiply_tiles (gint64 begin, gint64 end, gpointer data)
{
  const Product *product = data;

  for (gint64 i = begin; i < end; i++)
    {
      HybTile tile = hyb_tiling_get (&product->tiling, i);

      multiply_tile (product, &tile);
    }
}

/* Multiplications below which a slice is not worth a thread. */
#define GRAIN 262144
/* Floats below which laying out is not. */
#define LAYOUT_GRAIN 16384

static void
convolve_group (const Layout *layout, const float *image, Product *product, float *planes)
{
  LayoutJob job = { layout, image, planes };
  gint64    tile = layout->depth * 24 * product->tiling.tiles->lanes;

  hyb_parallel_for (layout->channels, 1 + LAYOUT_GRAIN / layout->plane, lay_out_channels, &job);
  hyb_parallel_for (hyb_tiling_n_tiles (&product->tiling),
                    1 + GRAIN / tile,
                    multiply_tiles,
                    product);
}

/* A convolution of all samples. */
typedef struct
{
  const Layout            *layout;
  const HybDirectOperands *operands;
  const HybConvolveFinish *finish;
} Convolution;

/* Computes one group of channels of one sample. */
static void
convolve_part (gint64 part, gint64 area, gconstpointer data)
{
  const Convolution       *convolution = data;
  const HybDirectOperands *operands = convolution->operands;
  const Layout            *layout = convolution->layout;
  const HybConvolve       *convolve = layout->convolve;
  HybConvolveFinish        finish = *convolution->finish;
  gint64                   sample = part / convolve->groups;
  gint64                   filters = convolve->map_channels / convolve->groups;
  gint64                   first_filter = part % convolve->groups * filters;
  gint64                   image_size = layout->channels * convolve->image[1] * convolve->image[2];
  gint64                   map_size = convolve->map_channels * convolve->map[1] * convolve->map[2];
  gint64                   size = area_size (layout), *shifts = operands->workspace;
  float                   *planes = (float *) (shifts + layout->depth) + area * size;

  Product product = { .layout = layout,
                      .finish = &finish,
                      .shifts = shifts,
                      .planes = planes,
                      .weight = operands->weight + first_filter * layout->depth,
                      .first_filter = first_filter,
                      .map = operands->map + sample * map_size };

  if (finish.other)
    finish.other += sample * map_size;
  memset (planes + size - HYB_TILE_SLACK, 0, sizeof (float) * HYB_TILE_SLACK);
  hyb_tiling_init (&product.tiling,
                   hyb_tiles_choose (),
                   layout->n_vectors,
                   filters,
                   layout->depth * filters * (gint64) sizeof (float));
  convolve_group (layout, operands->image + part * image_size, &product, planes);
}

void
hyb_direct_convolve (const HybConvolve       *convolve,
                     const HybDirectOperands *operands,
                     const HybConvolveFinish *finish)
{
  Layout      layout;
  HybParts    parts;
  Convolution convolution = { &layout, operands, finish };

  find_layout (convolve, hyb_tiles_choose (), &layout);
  find_shifts (&layout, operands->workspace);
  parts = find_parts (&layout);
  hyb_parts_for_each (&parts, convolve_part, &convolution);
}
