/* position-pooling-kernel.h — the loops of position-pooling.c, for float and double: for region,
 * output channel, row and column.  Start at pool_positions and visit_samples.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One axis of a region: its first cell and its extent, which is at least 0.1. */
typedef struct
{
  REAL start, extent;
} NAME (Extent);

static NAME (Extent) NAME (read_extent) (REAL low, REAL high, REAL scale, REAL shift)
{
  REAL start = (REAL) round ((double) low) * scale - shift;
  REAL end = ((REAL) round ((double) high) + 1) * scale - shift;
  NAME (Extent) read = { start, end - start > (REAL) 0.1 ? end - start : (REAL) 0.1 };

  return read;
}

/* Sets range to the image cells [range[0], range[1]) under cell i of n along one axis. */
static void
NAME (covered) (NAME (Extent) axis, gint64 i, gint64 n, gint64 limit, gint64 range[2])
{
  REAL step = axis.extent / (REAL) n;

  range[0] = region_integer (floor ((double) ((REAL) i * step + axis.start)));
  range[1] = region_integer (ceil ((double) ((REAL) (i + 1) * step + axis.start)));
  range[0] = CLAMP (range[0], 0, limit);
  range[1] = CLAMP (range[1], 0, limit);
}

/* Forward pass (gradient NULL): computes out from data.  Backward pass: adds the gradient of the
 * output, which is in out, to gradient; data is NULL. */
static void
NAME (pool_positions) (const PositionView *view,
                       const REAL         *data,
                       const REAL         *rois,
                       REAL               *out,
                       REAL               *gradient)
{
  gint64 cells = view->size * view->size;

  for (gint64 at = 0; at < view->regions * view->outputs * cells; at++)
    {
      gint64      column = at % view->size, row = at / view->size % view->size;
      gint64      channel = at / cells % view->outputs;
      const REAL *roi = rois + 5 * (at / cells / view->outputs);
      gint64      image = region_image ((double) roi[0], view->batch);
      gint64      plane = MAX (image, 0) * view->channels + plane_of (view, channel, row, column);
      REAL        scale = (REAL) view->params->spatial_scale, sum = 0, area;
      gint64      rows[2], columns[2];

      NAME (covered)
      (NAME (read_extent) (roi[2], roi[4], scale, 0), row, view->size, view->height, rows);
      NAME (covered)
      (NAME (read_extent) (roi[1], roi[3], scale, 0), column, view->size, view->width, columns);
      area = (REAL) ((rows[1] - rows[0]) * (columns[1] - columns[0]));

      for (gint64 y = rows[0]; image >= 0 && y < rows[1]; y++)
        for (gint64 x = columns[0]; x < columns[1]; x++)
          if (gradient)
            gradient[(plane * view->height + y) * view->width + x] += out[at] / area;
          else
            sum += data[(plane * view->height + y) * view->width + x];
      if (!gradient)
        out[at] = sum != 0 ? sum / area : 0;
    }
}

/* One output cell of the deformable kind: the plane that it reads, its first sample, the step
 * between samples, and where its row movement is in trans (the column movement first). */
typedef struct
{
  gint64 image, plane, move_x, move_y;
  REAL   x, y, step_x, step_y, width, height;
} NAME (Part);

static NAME (Part)
    NAME (find_part) (const PositionView *view, const REAL *rois, const REAL *trans, gint64 at)
{
  const PositionParams *params = view->params;
  gint64                cells = view->size * view->size;
  gint64                column = at % view->size, row = at / view->size % view->size;
  gint64                channel = at / cells % view->outputs, region = at / cells / view->outputs;
  const REAL           *roi = rois + 5 * region;
  REAL                  scale = (REAL) params->spatial_scale, std = (REAL) params->trans_std;
  NAME (Extent) across = NAME (read_extent) (roi[1], roi[3], scale, (REAL) 0.5);
  NAME (Extent) down = NAME (read_extent) (roi[2], roi[4], scale, (REAL) 0.5);
  gint64 class = channel / (view->outputs / view->classes), planes = view->parts * view->parts;
  gint64 part = row * view->parts / view->size * view->parts + column * view->parts / view->size;
  NAME (Part)
  found = { .image = region_image ((double) roi[0], view->batch),
            .move_x = (region * view->classes + class) * 2 * planes + part,
            .width = across.extent,
            .height = down.extent };

  found.plane = MAX (found.image, 0) * view->channels + plane_of (view, channel, row, column);
  found.move_y = found.move_x + planes;
  found.step_x = across.extent / (REAL) view->size / (REAL) params->sample_per_part;
  found.step_y = down.extent / (REAL) view->size / (REAL) params->sample_per_part;
  found.x = (REAL) column * (across.extent / (REAL) view->size) + across.start;
  found.y = (REAL) row * (down.extent / (REAL) view->size) + down.start;
  if (trans)
    {
      found.x += trans[found.move_x] * std * across.extent;
      found.y += trans[found.move_y] * std * down.extent;
    }
  return found;
}

/* A sample between four cells: their indices in the plane, and the parts of a cell from the first. */
typedef struct
{
  gint64 cell[4];
  REAL   across, down;
} NAME (Sample);

/* Finds sample number `number` of a part.  FALSE if it is more than half a cell outside of the
 * image, or the image has no cells; nearer ones are moved to its edge. */
static gboolean
NAME (find_sample) (const PositionView *view,
                    const NAME (Part) * part,
                    gint64 number,
                    NAME (Sample) * sample)
{
  gint64 n = view->params->sample_per_part;
  REAL   x = part->x + (REAL) (number % n) * part->step_x;
  REAL   y = part->y + (REAL) (number / n) * part->step_y;
  gint64 left, right, top, bottom;

  if (view->width == 0 || view->height == 0)
    return FALSE;
  if (!(x >= (REAL) -0.5 && x <= (REAL) view->width - (REAL) 0.5 && y >= (REAL) -0.5 &&
        y <= (REAL) view->height - (REAL) 0.5))
    return FALSE;

  x = CLAMP (x, 0, (REAL) (view->width - 1));
  y = CLAMP (y, 0, (REAL) (view->height - 1));
  left = (gint64) floor (x);
  right = (gint64) ceil (x);
  top = (gint64) floor (y);
  bottom = (gint64) ceil (y);
  *sample = (NAME (Sample)){ .cell = { top * view->width + left, top * view->width + right,
                                       bottom * view->width + left, bottom * view->width + right },
                             .across = x - (REAL) left,
                             .down = y - (REAL) top };
  return TRUE;
}

static void
NAME (pool_deformed) (const PositionView *view, const HybCall *call, const HybRun *run)
{
  const REAL *trans = call->n_inputs > 2 ? run->input[2] : NULL;
  gint64      n = view->params->sample_per_part * view->params->sample_per_part;
  gint64      n_parts = view->regions * view->outputs * view->size * view->size;
  gint64      plane = view->height * view->width;

  for (gint64 at = 0; at < n_parts && !hyb_run_is_stopped (run); at++)
    {
      NAME (Part) part = NAME (find_part) (view, run->input[1], trans, at);
      const REAL *data = (const REAL *) run->input[0] + part.plane * plane;
      REAL        sum = 0;
      gint64      count = 0;
      NAME (Sample) sample;

      for (gint64 i = 0; part.image >= 0 && i < n; i++)
        if (NAME (find_sample) (view, &part, i, &sample))
          {
            REAL top =
                data[sample.cell[0]] * (1 - sample.across) + data[sample.cell[1]] * sample.across;
            REAL bottom =
                data[sample.cell[2]] * (1 - sample.across) + data[sample.cell[3]] * sample.across;

            sum += top * (1 - sample.down) + bottom * sample.down;
            count++;
          }
      ((REAL *) run->output[0])[at] = count > 0 ? sum / (REAL) count : 0;
      ((REAL *) run->output[1])[at] = (REAL) count;
    }
}

/* Adds the contribution of one sample: `share` is the gradient of its value. */
static void
NAME (unpool_sample) (const REAL *data,
                      REAL       *gradient,
                      const NAME (Sample) * sample,
                      REAL share,
                      REAL by[2])
{
  REAL across = sample->across, down = sample->down;
  REAL cell[4] = { data[sample->cell[0]], data[sample->cell[1]], data[sample->cell[2]],
                   data[sample->cell[3]] };

  gradient[sample->cell[0]] += (1 - across) * (1 - down) * share;
  gradient[sample->cell[1]] += across * (1 - down) * share;
  gradient[sample->cell[2]] += (1 - across) * down * share;
  gradient[sample->cell[3]] += across * down * share;
  by[0] += share * ((cell[1] - cell[0]) * (1 - down) + (cell[3] - cell[2]) * down);
  by[1] += share * ((cell[2] - cell[0]) * (1 - across) + (cell[3] - cell[1]) * across);
}

static void
NAME (unpool_deformed) (const PositionView *view, const HybCall *call, const HybRun *run)
{
  const REAL *dy = run->input[0];
  const REAL *trans = call->n_inputs > 3 ? run->input[3] : NULL;
  REAL       *by_trans = trans ? run->output[1] : NULL;
  REAL        std = (REAL) view->params->trans_std;
  gint64      n = view->params->sample_per_part * view->params->sample_per_part;
  gint64      n_parts = view->regions * view->outputs * view->size * view->size;
  gint64      plane = view->height * view->width;

  for (gint64 at = 0; at < n_parts && !hyb_run_is_stopped (run); at++)
    {
      NAME (Part) part = NAME (find_part) (view, run->input[1], trans, at);
      const REAL *data = (const REAL *) run->input[2] + part.plane * plane;
      REAL       *gradient = (REAL *) run->output[0] + part.plane * plane;
      REAL        by[2] = { 0, 0 };
      gint64      count = 0;
      NAME (Sample) sample;

      for (gint64 i = 0; part.image >= 0 && i < n; i++)
        count += NAME (find_sample) (view, &part, i, &sample);
      for (gint64 i = 0; count > 0 && i < n; i++)
        if (NAME (find_sample) (view, &part, i, &sample))
          NAME (unpool_sample) (data, gradient, &sample, dy[at] / (REAL) count, by);
      if (by_trans)
        {
          by_trans[part.move_x] += by[0] * std * part.width;
          by_trans[part.move_y] += by[1] * std * part.height;
        }
    }
}
