/* volume-pool.c — maximum, sum or average of windows over up to three spatial axes; see volume-pool.h.
 *
 *   for some planes at a time: reduce the windows of each slice; reduce these results along the first axis (or that first)
 *
 * Start with hyb_volume_pool().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/convolution/volume-pool.h"

/* Floats of all planes between both passes, at most, unless a single plane has more: 1 MiB. */
#define MAX_FLOATS ((gint64) 256 << 10)
/* Floats of one plane between both passes, at most: 256 MiB. */
#define MAX_PLANE_FLOATS ((gint64) 64 << 20)
/* Sizes up to this can be multiplied by each other without overflow, three of them. */
#define MAX_SIZE ((gint64) 1 << 20)

/* Sets one axis of a window to a single cell. */
static void
drop_axis (HybConvolve *window, int axis)
{
  window->image[axis] = window->map[axis] = window->kernel[axis] = 1;
  window->stride[axis] = window->dilate[axis] = 1;
  window->pad[axis] = 0;
}

/* The windows of all slices along the first axis of n planes. */
static HybConvolve
find_slices (const HybConvolve *window, gint64 n)
{
  HybConvolve slices = *window;

  drop_axis (&slices, 0);
  slices.batch = n;
  return slices;
}

/* The windows along the first axis of n planes, for which a slice of `cells` cells is a row. */
static HybConvolve
find_columns (const HybConvolve *window, gint64 n, gint64 cells)
{
  HybConvolve columns = *window;

  drop_axis (&columns, 0);
  drop_axis (&columns, 2);
  columns.batch = n;
  columns.image[1] = window->image[0];
  columns.map[1] = window->map[0];
  columns.kernel[1] = window->kernel[0];
  columns.stride[1] = window->stride[0];
  columns.pad[1] = window->pad[0];
  columns.image[2] = columns.map[2] = cells;
  return columns;
}

/* Whether the results of slices are those of the windows. */
static gboolean
has_flat_windows (const HybConvolve *window)
{
  return window->kernel[0] == 1 && window->stride[0] == 1 && window->pad[0] == 0 &&
         window->map[0] == window->image[0];
}

/* Both passes for n planes. */
typedef struct
{
  HybConvolve pass[2];
  gint64      floats; /* of one plane between them */
} Passes;

/* With a stride along the first axis there are fewer slices after it, so that it comes first. */
static Passes
find_passes (const HybConvolve *window, gint64 n)
{
  gint64 image = window->image[1] * window->image[2], map = window->map[1] * window->map[2];

  if (2 * window->map[0] <= window->image[0])
    return (Passes){ { find_columns (window, n, image), find_slices (window, n * window->map[0]) },
                     window->map[0] * image };
  return (Passes){ { find_slices (window, n * window->image[0]), find_columns (window, n, map) },
                   window->image[0] * map };
}

/* Planes that are reduced together. */
static gint64
count_planes (const HybConvolve *window)
{
  gint64 floats = find_passes (window, 1).floats;

  return CLAMP (MAX_FLOATS / MAX (floats, 1), 1, MAX (window->batch, 1));
}

gboolean
hyb_volume_pool_fits (const HybConvolve *window)
{
  HybConvolve slices = find_slices (window, 1);
  Passes      passes;

  if (has_flat_windows (window) || !hyb_window_pool_fits (&slices))
    return hyb_window_pool_fits (&slices);
  if (window->dilate[0] != 1 || window->image[0] > MAX_SIZE || window->map[0] > MAX_SIZE ||
      window->image[1] > MAX_SIZE || window->image[2] > MAX_SIZE)
    return FALSE;
  passes = find_passes (window, 1);
  return hyb_window_pool_fits (&passes.pass[0]) && hyb_window_pool_fits (&passes.pass[1]) &&
         passes.floats <= MAX_PLANE_FLOATS;
}

gsize
hyb_volume_pool_workspace (const HybConvolve *window)
{
  HybConvolve slices = find_slices (window, window->batch * window->image[0]);
  gint64      n = count_planes (window);
  Passes      passes = find_passes (window, n);

  if (has_flat_windows (window))
    return hyb_window_pool_workspace (&slices);
  return sizeof (float) * (gsize) (n * passes.floats) +
         MAX (hyb_window_pool_workspace (&passes.pass[0]),
              hyb_window_pool_workspace (&passes.pass[1]));
}

/* Reduces n planes from plane `first` on. */
static void
pool_planes (const HybWindowPool *pool, gint64 first, gint64 n)
{
  const HybConvolve *window = &pool->window;
  Passes             passes = find_passes (window, n);
  float             *between = pool->workspace;
  gint64             image = window->image[0] * window->image[1] * window->image[2];
  gint64             map = window->map[0] * window->map[1] * window->map[2];
  HybWindowPool      pass = *pool;

  pass.window = passes.pass[0];
  pass.image = pool->image + first * image;
  pass.map = between;
  pass.workspace = between + count_planes (window) * passes.floats;
  hyb_window_pool (&pass);
  pass.window = passes.pass[1];
  pass.image = between;
  pass.map = pool->map + first * map;
  hyb_window_pool (&pass);
}

void
hyb_volume_pool (const HybWindowPool *pool)
{
  const HybConvolve *window = &pool->window;
  HybWindowPool      slices = *pool;
  gint64             n = count_planes (window);

  if (has_flat_windows (window))
    {
      slices.window = find_slices (window, window->batch * window->image[0]);
      hyb_window_pool (&slices);
      return;
    }
  for (gint64 first = 0; first < window->batch; first += n)
    pool_planes (pool, first, MIN (n, window->batch - first));
}
