/* region-layout.c — see region-layout.h.  Start at hyb_region_layout_init().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/region-layout.h"

/* Taps of a window, in all and along an axis, at most. */
#define MAX_TAPS 512
#define MAX_AXIS 16
/* Sizes up to this can be multiplied by each other without overflow, three of them. */
#define MAX_SIZE ((gint64) 1 << 16)
/* Floats of an image or a map, at most. */
#define MAX_FLOATS ((gint64) 1 << 28)
/* What it takes in the time of products of vectors: copying a vector of cells, and each row more; finishing a vector of
 * sums, and each row more. */
#define COPY_VECTOR   6
#define COPY_RUN      6
#define FINISH_VECTOR 10
#define FINISH_RUN    40

static gint64
divide_up (gint64 a, gint64 b)
{
  return (a + b - 1) / b;
}

/* The positions [*begin, *end) of the map for which a tap lies inside of the image. */
static void
find_inside (const HybConvolve *convolve, int axis, gint64 tap, gint64 *begin, gint64 *end)
{
  gint64 stride = convolve->stride[axis], n = convolve->map[axis];
  gint64 shift = tap * convolve->dilate[axis] - convolve->pad[axis];
  gint64 last = convolve->image[axis] - 1 - shift;

  *begin = shift >= 0 ? 0 : MIN (divide_up (-shift, stride), n);
  *end = last < 0 ? *begin : CLAMP (last / stride + 1, *begin, n);
}

/* Inserts a number into n ascending ones unless it is there; returns how many there are then. */
static int
insert_number (gint64 *numbers, int n, gint64 number)
{
  int at = n;

  while (at > 0 && numbers[at - 1] >= number)
    at--;
  if (at < n && numbers[at] == number)
    return n;
  for (int i = n; i > at; i--)
    numbers[i] = numbers[i - 1];
  numbers[at] = number;
  return n + 1;
}

/* Splits one axis where a tap enters the image or leaves it.  Returns the number of spans; 0 if there are too many. */
static int
split_axis (const HybConvolve *convolve, int axis, HybRegionSpan spans[HYB_MAX_SPANS])
{
  gint64 bounds[2 * MAX_AXIS + 2];
  int    n = insert_number (bounds, insert_number (bounds, 0, 0), convolve->map[axis]);

  for (gint64 tap = 0; tap < convolve->kernel[axis]; tap++)
    {
      gint64 begin, end;

      find_inside (convolve, axis, tap, &begin, &end);
      n = insert_number (bounds, insert_number (bounds, n, begin), end);
    }
  if (n - 1 > HYB_MAX_SPANS)
    return 0;
  for (int i = 0; i < n - 1; i++)
    {
      spans[i] = (HybRegionSpan){ bounds[i], bounds[i + 1], 0, 0 };
      for (gint64 tap = 0; tap < convolve->kernel[axis]; tap++)
        {
          gint64 begin, end;

          find_inside (convolve, axis, tap, &begin, &end);
          if (begin > bounds[i] || end < bounds[i + 1])
            continue;
          if (spans[i].n_taps == 0)
            spans[i].tap = tap;
          spans[i].n_taps++;
        }
    }
  return n - 1;
}

/* Rows of a region. */
static gint64
count_rows (const HybRegion *region)
{
  return (region->span[0].end - region->span[0].begin) *
         (region->span[1].end - region->span[1].begin);
}

static double
estimate_region (const HybRegionLayout *layout, const HybRegion *region)
{
  double n = (double) region->tiling.n_vectors, filters = (double) layout->filters;
  double rows = (double) count_rows (region);
  double time = (double) (layout->channels * region->n_taps) *
                (n * (filters + COPY_VECTOR) + rows * COPY_RUN);

  return region->is_contiguous ? time : time + filters * (n * FINISH_VECTOR + rows * FINISH_RUN);
}

/* Adds a region; returns its time. */
static double
add_region (HybRegionLayout *layout, const HybTiles *tiles, const HybRegionSpan span[3])
{
  HybRegion *region = &layout->regions[layout->n_regions++];

  *region = (HybRegion){
    .first_tile = layout->n_tiles, .at = layout->width, .positions = 1, .n_taps = 1
  };
  for (int axis = 0; axis < 3; axis++)
    {
      region->span[axis] = span[axis];
      region->positions *= span[axis].end - span[axis].begin;
      region->n_taps *= span[axis].n_taps;
    }
  region->is_contiguous =
      span[2].end - span[2].begin == layout->convolve.map[2] &&
      (span[1].end - span[1].begin == layout->convolve.map[1] || span[0].end - span[0].begin == 1);
  hyb_tiling_init (&region->tiling, tiles, divide_up (region->positions, tiles->lanes), 1, 0);
  layout->n_tiles += region->tiling.n_columns;
  layout->width += region->tiling.n_vectors * tiles->lanes;
  return estimate_region (layout, region);
}

/* The cells of one axis with the zeros that windows cover. */
static gint64
pad_axis (const HybConvolve *convolve, int axis)
{
  gint64 covered = (convolve->map[axis] - 1) * convolve->stride[axis] +
                   (convolve->kernel[axis] - 1) * convolve->dilate[axis] + 1;

  return MAX (covered, convolve->pad[axis] + convolve->image[axis]);
}

/* The spans of one axis in both ways. */
typedef struct
{
  HybRegionSpan split[HYB_MAX_SPANS], whole;
  int           n; /* 0: cannot be split */
} Axis;

/* Pads the axes that are not split; returns the time that it takes. */
static double
add_padding (HybRegionLayout *layout, const HybTiles *tiles, guint splits)
{
  const HybConvolve *convolve = &layout->convolve;

  layout->is_image = TRUE;
  for (int axis = 0; axis < 3; axis++)
    {
      layout->size[axis] = convolve->image[axis];
      if (splits >> axis & 1)
        continue;
      layout->pad[axis] = convolve->pad[axis];
      layout->size[axis] = pad_axis (convolve, axis);
      layout->is_image = layout->is_image && layout->size[axis] == convolve->image[axis];
    }
  return layout->is_image ? 0
                          : (double) (layout->channels * layout->size[0] * layout->size[1]) *
                                (double) (COPY_RUN + layout->size[2] * COPY_VECTOR / tiles->lanes);
}

/* Fills the layout in which the axes of `splits` are split; returns its time, -1 if there are too many regions. */
static double
try_splits (HybRegionLayout *layout, const HybTiles *tiles, const Axis axes[3], guint splits)
{
  const HybRegionSpan *spans[3];
  int                  n[3];
  double               time;

  for (int axis = 0; axis < 3; axis++)
    {
      gboolean is_split = splits >> axis & 1;

      if (is_split && axes[axis].n == 1 && axes[axis].split[0].n_taps == axes[axis].whole.n_taps)
        return -1; /* the same as not to split it */
      spans[axis] = is_split ? axes[axis].split : &axes[axis].whole;
      n[axis] = is_split ? axes[axis].n : 1;
      layout->pad[axis] = 0;
    }
  if (n[0] * n[1] * n[2] < 1 || n[0] * n[1] * n[2] > HYB_MAX_REGIONS)
    return -1;
  layout->n_regions = layout->n_tiles = layout->width = 0;
  time = add_padding (layout, tiles, splits);
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++)
      for (int k = 0; k < n[2]; k++)
        time +=
            add_region (layout, tiles, (HybRegionSpan[]){ spans[0][i], spans[1][j], spans[2][k] });
  return time;
}

/* Whether the sizes are such that nothing overflows, and columns follow each other. */
static gboolean
has_modest_sizes (const HybConvolve *convolve)
{
  gint64 padded = 1;

  for (int axis = 0; axis < 3; axis++)
    if (convolve->kernel[axis] > MAX_AXIS || convolve->map[axis] < 1 ||
        convolve->map[axis] > MAX_SIZE || convolve->image[axis] > MAX_SIZE ||
        convolve->image[axis] < 1 || convolve->dilate[axis] > MAX_SIZE ||
        convolve->pad[axis] > MAX_SIZE || convolve->stride[axis] > MAX_SIZE ||
        pad_axis (convolve, axis) > 4 * MAX_SIZE)
      return FALSE;
  for (int axis = 0; axis < 3; axis++)
    padded *= pad_axis (convolve, axis);
  return convolve->stride[2] == 1 && hyb_volume (convolve->kernel) <= MAX_TAPS &&
         convolve->groups >= 1 && convolve->image_channels >= convolve->groups &&
         convolve->map_channels >= convolve->groups &&
         convolve->image_channels <= MAX_FLOATS / padded &&
         convolve->map_channels <= MAX_FLOATS / hyb_volume (convolve->map);
}

double
hyb_region_layout_init (HybRegionLayout *layout, const HybConvolve *convolve, const HybTiles *tiles)
{
  Axis   axes[3];
  guint  best_splits = 0;
  double best = -1;

  if (!tiles || !has_modest_sizes (convolve))
    return -1;
  layout->convolve = *convolve;
  layout->channels = convolve->image_channels / convolve->groups;
  layout->filters = convolve->map_channels / convolve->groups;
  layout->n_taps = hyb_volume (convolve->kernel);
  for (int axis = 0; axis < 3; axis++)
    {
      axes[axis].whole = (HybRegionSpan){ 0, convolve->map[axis], 0, convolve->kernel[axis] };
      axes[axis].n = split_axis (convolve, axis, axes[axis].split);
    }
  for (guint splits = 0; splits < 8; splits++)
    {
      double time = try_splits (layout, tiles, axes, splits);

      if (time < 0 || (best >= 0 && time >= best))
        continue;
      best = time;
      best_splits = splits;
    }
  if (best >= 0)
    try_splits (layout, tiles, axes, best_splits);
  return best;
}

gint64
hyb_region_layout_area (const HybRegionLayout *layout)
{
  return layout->is_image ? 0 : layout->channels * hyb_volume (layout->size);
}
