/* direct-convolution.c — convolution as products of filters and shifted images; start at the end, with
 * hyb_direct_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/filter-tile.h"

#include "engine/base/parallel.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

#define MAX_TAPS 32 /* of one axis */

/* --- Tiles --- */

/* Bytes of weights that are better read again for every tile of the map than the image. */
#define SMALL_WEIGHTS ((gint64) 256 << 10)

#define SIMD_KERNEL "engine/kernels/convolution/direct-convolution-kernel.h"
#include "engine/kernels/simd/each-simd.h"

const HybTiles *
hyb_tiles_choose (void)
{
  const HybTiles *tiles = HYB_SIMD_CHOOSE (&tiles);

  return tiles->lanes > 0 ? tiles : NULL;
}

/* Three vectors wide, the last one two or four (where there is such a tile), or what is left. */
void
hyb_tiling_init (HybTiling      *tiling,
                 const HybTiles *tiles,
                 gint64          n_vectors,
                 gint64          filters,
                 gint64          weight_bytes)
{
  gboolean ends_with_four = n_vectors % 3 == 1 && n_vectors > 3 && tiles->max_filters[4] > 0;
  gint64   n_columns = (n_vectors + 2) / 3 - ends_with_four;
  gint64   most = tiles->max_filters[n_columns == 1 ? n_vectors : 3];

  *tiling = (HybTiling){ .tiles = tiles,
                         .n_vectors = n_vectors,
                         .filters = filters,
                         .n_columns = n_columns,
                         .n_rows = (filters + most - 1) / most,
                         .by_filters = weight_bytes > SMALL_WEIGHTS };
}

gint64
hyb_tiling_n_tiles (const HybTiling *tiling)
{
  return tiling->n_columns * tiling->n_rows;
}

HybTile
hyb_tiling_get (const HybTiling *tiling, gint64 index)
{
  gint64 column = tiling->by_filters ? index % tiling->n_columns : index / tiling->n_rows;
  gint64 row = tiling->by_filters ? index / tiling->n_columns : index % tiling->n_rows;
  gint64 begin = tiling->filters * row / tiling->n_rows;
  gint64 end = tiling->filters * (row + 1) / tiling->n_rows;

  return (HybTile){ .first_vector = column * 3,
                    .n_vectors =
                        column + 1 < tiling->n_columns ? 3 : tiling->n_vectors - column * 3,
                    .first_filter = begin,
                    .n_filters = end - begin };
}

/* --- How the image is laid out --- */

/* The taps of one axis: tap t sees, of every stride-th cell from rest[phase[t]] on, those
 * from shift[t] on. */
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
  gint64             height, pitch; /* of one phase of one channel, laid out */
  gint64             plane;         /* floats of all phases of one channel */
  gint64             positions;     /* from the first of the map to the last, with the gaps */
  gint64             n_vectors;     /* that cover them */
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

static void
find_layout (const HybConvolve *convolve, gint64 lanes, Layout *layout)
{
  layout->convolve = convolve;
  find_taps (convolve, 1, &layout->rows);
  find_taps (convolve, 2, &layout->columns);
  layout->channels = convolve->image_channels / convolve->groups;
  layout->depth = layout->channels * convolve->kernel[1] * convolve->kernel[2];
  layout->height = convolve->map[1] + layout->rows.shift[convolve->kernel[1] - 1];
  layout->pitch = convolve->map[2] + layout->columns.shift[convolve->kernel[2] - 1];
  layout->plane = layout->height * layout->pitch * layout->rows.n_phases * layout->columns.n_phases;
  layout->positions = (convolve->map[1] - 1) * layout->pitch + convolve->map[2];
  layout->n_vectors = (layout->positions + lanes - 1) / lanes;
}

/* Sizes up to here are multiplied without asking. */
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

/* Left to others: what is a product already, channels that do not mix, and maps so small
 * that most of what vectors compute would be dropped. */
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

  find_layout (convolve, tiles->lanes, &layout);
  return layout.plane <= MAX_CELLS && layout.channels * layout.plane <= 8 * MAX_CELLS &&
         layout.depth >= 1 && layout.depth <= MAX_CELLS &&
         5 * convolve->map[1] * convolve->map[2] >= 2 * layout.n_vectors * tiles->lanes;
}

gsize
hyb_direct_convolve_workspace (const HybConvolve *convolve)
{
  Layout layout;

  find_layout (convolve, hyb_tiles_choose ()->lanes, &layout);
  return sizeof (gint64) * (gsize) layout.depth +
         sizeof (float) * (gsize) (layout.channels * layout.plane + HYB_TILE_SLACK);
}

/* Where each channel and tap starts. */
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
} Spread;

/* Every stride-th cell of one row, from `first` on, which may lie before or behind it. */
static void
spread_row (const float *from, gint64 width, gint64 first, gint64 stride, gint64 pitch, float *to)
{
  gint64 begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  gint64 end = first >= width ? 0 : (width - 1 - first) / stride + 1;

  begin = MIN (begin, pitch);
  end = CLAMP (end, begin, pitch);
  memset (to, 0, sizeof (float) * (gsize) begin);
  if (stride == 1)
    memcpy (to + begin, from + first + begin, sizeof (float) * (gsize) (end - begin));
  else
    for (gint64 k = begin; k < end; k++)
      to[k] = from[first + k * stride];
  memset (to + end, 0, sizeof (float) * (gsize) (pitch - end));
}

static void
spread_channels (gint64 begin, gint64 end, gpointer data)
{
  const Spread      *spread = data;
  const Layout      *layout = spread->layout;
  const HybConvolve *convolve = layout->convolve;
  float             *to = spread->planes + begin * layout->plane;

  for (gint64 channel = begin; channel < end; channel++)
    for (gint64 i = 0; i < layout->rows.n_phases; i++)
      for (gint64 j = 0; j < layout->columns.n_phases; j++)
        for (gint64 row = 0; row < layout->height; row++, to += layout->pitch)
          {
            gint64 y = row * convolve->stride[1] + layout->rows.rest[i] - convolve->pad[1];
            gint64 width = convolve->image[2];

            if (y < 0 || y >= convolve->image[1])
              memset (to, 0, sizeof (float) * (gsize) layout->pitch);
            else
              spread_row (spread->image + (channel * convolve->image[1] + y) * width,
                          width,
                          layout->columns.rest[j] - convolve->pad[2],
                          convolve->stride[2],
                          layout->pitch,
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
  gint64                   first_filter; /* of this group */
  float                   *map;          /* of this sample, all filters */
} Product;

/* The sums of one filter, cut where the rows of the map end. */
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

static void
multiply_tile (const Product *product, const HybTile *tile)
{
  const Layout   *layout = product->layout;
  const HybTiles *tiles = product->tiling.tiles;
  gint64          first = tile->first_vector * tiles->lanes;
  gint64          n = MIN (tile->n_vectors * tiles->lanes, layout->positions - first);
  gint64          end = tile->first_filter + tile->n_filters;
  float           sums[HYB_TILE_FILTERS * HYB_TILE_STRIDE];

  for (gint64 at = tile->first_filter, some; at < end; at += some)
    {
      some = MIN (end - at, tiles->max_filters[tile->n_vectors]);
      tiles->sum[tile->n_vectors][some](layout->depth,
                                        product->shifts,
                                        product->planes + first,
                                        product->weight + at * layout->depth,
                                        layout->depth,
                                        sums);
      for (gint64 f = 0; f < some; f++)
        write_sums (product, product->first_filter + at + f, first, n, sums + f * HYB_TILE_STRIDE);
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

static void
convolve_group (const Layout *layout, const float *image, Product *product, float *planes)
{
  Spread spread = { layout, image, planes };
  gint64 tile = layout->depth * 24 * product->tiling.tiles->lanes;

  hyb_parallel_for (layout->channels, 1 + 65536 / layout->plane, spread_channels, &spread);
  hyb_parallel_for (hyb_tiling_n_tiles (&product->tiling),
                    1 + GRAIN / tile,
                    multiply_tiles,
                    product);
}

void
hyb_direct_convolve (const HybConvolve       *convolve,
                     const float             *image,
                     const float             *weight,
                     const HybConvolveFinish *finish,
                     float                   *map,
                     gpointer                 workspace)
{
  const HybTiles   *tiles = hyb_tiles_choose ();
  gint64            image_size = convolve->image[1] * convolve->image[2];
  gint64            map_size = convolve->map_channels * convolve->map[1] * convolve->map[2];
  gint64           *shifts = workspace;
  HybConvolveFinish of_sample = *finish;
  Layout            layout;
  Product           product;
  float            *planes;
  gint64            filters = convolve->map_channels / convolve->groups;

  find_layout (convolve, tiles->lanes, &layout);
  find_shifts (&layout, shifts);
  planes = (float *) (shifts + layout.depth);
  memset (planes + layout.channels * layout.plane, 0, sizeof (float) * HYB_TILE_SLACK);

  product =
      (Product){ .layout = &layout, .finish = &of_sample, .shifts = shifts, .planes = planes };
  hyb_tiling_init (&product.tiling,
                   tiles,
                   layout.n_vectors,
                   filters,
                   layout.depth * filters * (gint64) sizeof (float));

  for (gint64 sample = 0; sample < convolve->batch; sample++)
    for (gint64 group = 0; group < convolve->groups; group++)
      {
        gint64 channel = (sample * convolve->groups + group) * layout.channels;

        product.first_filter = group * filters;
        product.weight = weight + product.first_filter * layout.depth;
        product.map = map + sample * map_size;
        if (finish->other)
          of_sample.other = finish->other + sample * map_size;
        convolve_group (&layout, image + channel * image_size, &product, planes);
      }
}
