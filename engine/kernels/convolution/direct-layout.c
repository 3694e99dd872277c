/* direct-layout.c — see direct-layout.h.  Start at hyb_direct_layout_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/direct-layout.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/simd.h"

/* Floats of a strip that is laid out: 512 KiB, half of a second-level cache.  Tiles of filters read it
 * once for every eight filters. */
#define STRIP_FLOATS ((gint64) 128 << 10)
/* Rows and columns of a strip, at least. */
#define MIN_STRIP_ROWS    2
#define MIN_STRIP_COLUMNS 192
/* Floats below which laying out is not worth a thread. */
#define LAYOUT_GRAIN 16384

gboolean
hyb_direct_sizes_are_modest (const HybConvolve *convolve)
{
  for (int axis = 1; axis < 3; axis++)
    if (convolve->kernel[axis] > HYB_MAX_TAPS || convolve->map[axis] < 1 ||
        convolve->map[axis] > HYB_MAX_CELLS || convolve->dilate[axis] > 4096 ||
        convolve->stride[axis] > 4096)
      return FALSE;
  return convolve->map[1] * convolve->map[2] <= HYB_MAX_CELLS && convolve->image[0] == 1 &&
         convolve->kernel[0] == 1 && convolve->map[0] == 1 && convolve->pad[0] == 0 &&
         convolve->image_channels <= HYB_MAX_CELLS && convolve->map_channels <= HYB_MAX_CELLS;
}

void
hyb_direct_taps_init (HybDirectTaps *taps, const HybConvolve *convolve, int axis)
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

/* The rows of a pointwise convolution follow each other without gaps: joins them to one.  FALSE if it is another one. */
static gboolean
join_rows (HybConvolve *convolve)
{
  for (int axis = 1; axis < 3; axis++)
    if (convolve->kernel[axis] != 1 || convolve->stride[axis] != 1 || convolve->pad[axis] != 0 ||
        convolve->map[axis] != convolve->image[axis])
      return FALSE;
  convolve->image[2] *= convolve->image[1];
  convolve->map[2] *= convolve->map[1];
  convolve->image[1] = convolve->map[1] = 1;
  return TRUE;
}

/* Splits one axis of the map evenly into strips of at most `most` positions, rounded up to whole units. */
static void
split_axis (HybDirectLayout *layout, int axis, gint64 most, gint64 unit)
{
  gint64 size = layout->convolve.map[1 + axis];
  gint64 n = (size + most - 1) / most;

  layout->strip[axis] = MIN (((size + n - 1) / n + unit - 1) / unit * unit, size);
  layout->n_strips[axis] = (size + layout->strip[axis] - 1) / layout->strip[axis];
}

static void
find_strips (HybDirectLayout *layout)
{
  const gint64 *map = layout->convolve.map, *kernel = layout->convolve.kernel;
  gint64        phases = layout->rows.n_phases * layout->columns.n_phases;
  gint64        more_rows = layout->rows.shift[kernel[1] - 1];
  gint64        more_columns = layout->columns.shift[kernel[2] - 1];
  gint64        cells = STRIP_FLOATS / MAX (layout->channels * phases, 1); /* of one phase */
  gint64        rows = cells / (map[2] + more_columns) - more_rows;
  gint64        columns = cells / (1 + more_rows) - more_columns;

  split_axis (layout, 0, CLAMP (rows, MIN (MIN_STRIP_ROWS, map[1]), map[1]), 1);
  split_axis (layout, 1,
              map[1] == 1 ? CLAMP (columns, MIN (MIN_STRIP_COLUMNS, map[2]), map[2]) : map[2],
              HYB_LINE_FLOATS);
  layout->height = layout->strip[0] + more_rows;
  layout->pitch = layout->strip[1] + more_columns;
  layout->plane = layout->is_image ? map[2] : layout->height * layout->pitch * phases;
}

void
hyb_direct_layout_init (HybDirectLayout *layout, const HybConvolve *convolve)
{
  layout->convolve = *convolve;
  layout->is_joined = FALSE;
  layout->is_image = join_rows (&layout->convolve);
  hyb_direct_taps_init (&layout->rows, &layout->convolve, 1);
  hyb_direct_taps_init (&layout->columns, &layout->convolve, 2);
  layout->channels = convolve->image_channels / convolve->groups;
  layout->depth = layout->channels * convolve->kernel[1] * convolve->kernel[2];
  find_strips (layout);
}

/* Chooses how vectors cover the strip: by rows if that takes fewer and the kernels can, or rows consist of whole vectors. */
static void
cover_positions (const HybDirectLayout *layout, const HybTiles *tiles, HybDirectStrip *strip)
{
  gint64   row_vectors = (strip->n_columns + tiles->lanes - 1) / tiles->lanes;
  gboolean is_whole = row_vectors * tiles->lanes == strip->n_columns;

  strip->positions = (strip->n_rows - 1) * layout->pitch + strip->n_columns;
  strip->row_vectors = 0;
  strip->n_vectors = (strip->positions + tiles->lanes - 1) / tiles->lanes;
  if ((tiles->takes_rows || is_whole) && strip->n_rows * row_vectors < strip->n_vectors)
    {
      strip->row_vectors = row_vectors;
      strip->n_vectors = strip->n_rows * row_vectors;
    }
}

HybDirectStrip
hyb_direct_layout_strip (const HybDirectLayout *layout, const HybTiles *tiles, gint64 index)
{
  const gint64  *map = layout->convolve.map;
  HybDirectStrip strip = { .row = index / layout->n_strips[1] * layout->strip[0],
                           .column = index % layout->n_strips[1] * layout->strip[1] };

  strip.n_rows = MIN (layout->strip[0], map[1] - strip.row);
  strip.n_columns = MIN (layout->strip[1], map[2] - strip.column);
  cover_positions (layout, tiles, &strip);
  return strip;
}

void
hyb_direct_layout_shifts (const HybDirectLayout *layout, gint64 *shifts)
{
  const gint64 *kernel = layout->convolve.kernel;

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
  const HybDirectLayout *layout;
  const HybDirectStrip  *strip;
  const float           *image;
  float                 *planes;
} LayoutJob;

/* Describes a phase of every channel. */
static HybTilePhase
find_phase (const LayoutJob *job, gint64 i, gint64 j)
{
  const HybDirectLayout *layout = job->layout;
  const HybConvolve     *convolve = &layout->convolve;
  gint64                 width = convolve->image[2], stride = convolve->stride[2];
  gint64 first = job->strip->column * stride + layout->columns.rest[j] - convolve->pad[2];
  gint64 begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  gint64 end = first >= width ? 0 : (width - 1 - first) / stride + 1;
  gint64 y = job->strip->row * convolve->stride[1];

  begin = MIN (begin, layout->pitch);
  return (HybTilePhase){ .height = convolve->image[1],
                         .width = width,
                         .y = y + layout->rows.rest[i] - convolve->pad[1],
                         .y_step = convolve->stride[1],
                         .first = first,
                         .stride = stride,
                         .begin = begin,
                         .end = CLAMP (end, begin, layout->pitch),
                         .pitch = layout->pitch,
                         .n_rows = job->strip->n_rows + layout->height - layout->strip[0] };
}

static void
lay_out_channels (gint64 begin, gint64 end, gpointer data)
{
  const LayoutJob       *job = data;
  const HybDirectLayout *layout = job->layout;
  const HybTiles        *tiles = hyb_tiles_choose ();
  gint64                 cells = layout->convolve.image[1] * layout->convolve.image[2];
  float                 *to = job->planes;

  for (gint64 i = 0; i < layout->rows.n_phases; i++)
    for (gint64 j = 0; j < layout->columns.n_phases; j++, to += layout->height * layout->pitch)
      {
        HybTilePhase phase = find_phase (job, i, j);

        for (gint64 channel = begin; channel < end; channel++)
          {
            phase.image = job->image + channel * cells;
            tiles->lay_out (&phase, to + channel * layout->plane);
          }
      }
}

void
hyb_direct_layout_fill (const HybDirectLayout *layout,
                        const HybDirectStrip  *strip,
                        const float           *image,
                        float                 *planes)
{
  LayoutJob job = { layout, strip, image, planes };

  hyb_parallel_for (layout->channels, 1 + LAYOUT_GRAIN / layout->plane, lay_out_channels, &job);
}
