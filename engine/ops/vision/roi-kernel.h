/* roi-kernel.h — the loops of roi.c, for float and double: for region, channel, output row and
 * column.  Start at pool_regions (ROIPooling) and align_regions (ROIAlign).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sets range to the image cells [range[0], range[1]) along one axis that are under cell i of n of
 * a region of `length` cells from `start` on, rounded outwards and clamped to `size`. */
static void
NAME (pooled_range) (gint64 i, gint64 n, gint64 start, gint64 length, gint64 size, gint64 range[2])
{
  REAL   step = (REAL) length / (REAL) n;
  gint64 begin = (gint64) floor ((double) ((REAL) i * step)) + start;
  gint64 end = (gint64) ceil ((double) ((REAL) (i + 1) * step)) + start;

  range[0] = CLAMP (begin, 0, size);
  range[1] = CLAMP (end, 0, size);
}

/* Index of the maximum in a plane under cell (i, j) of a region; −1 if no cell is under it. */
static gint64
NAME (find_largest) (const RoiView *view, const REAL *plane, const REAL *roi, gint64 i, gint64 j)
{
  double scale = view->params->spatial_scale;
  gint64 x1 = region_integer (round ((double) (roi[1] * (REAL) scale)));
  gint64 y1 = region_integer (round ((double) (roi[2] * (REAL) scale)));
  gint64 x2 = region_integer (round ((double) (roi[3] * (REAL) scale)));
  gint64 y2 = region_integer (round ((double) (roi[4] * (REAL) scale)));
  gint64 rows[2], columns[2], found = -1;

  NAME (pooled_range) (i, view->out_height, y1, MAX (y2 - y1 + 1, 1), view->height, rows);
  NAME (pooled_range) (j, view->out_width, x1, MAX (x2 - x1 + 1, 1), view->width, columns);

  for (gint64 y = rows[0]; y < rows[1]; y++)
    for (gint64 x = columns[0]; x < columns[1]; x++)
      if (found < 0 || plane[y * view->width + x] > plane[found])
        found = y * view->width + x;

  return found;
}

/* The arrays of a loop over regions. */
typedef struct
{
  const RoiView *view;
  const REAL    *data, *rois;
  REAL          *out, *gradient;
} NAME (Job);

/* Computes planes [begin, end) of the output: a channel of a region each. */
static void
NAME (pool_planes) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Job) *job = data;
  const RoiView *view = job->view;
  gint64         size = view->height * view->width;
  REAL          *out = job->out + begin * view->out_height * view->out_width;

  for (gint64 plane = begin; plane < end; plane++)
    for (gint64 i = 0; i < view->out_height; i++)
      for (gint64 j = 0; j < view->out_width; j++, out++)
        {
          const REAL *roi = job->rois + plane / view->out_channels * 5;
          gint64      image = image_of (view, (double) roi[0]);
          const REAL *from =
              job->data + (MAX (image, 0) * view->channels + plane % view->out_channels) * size;
          gint64 at = image < 0 ? -1 : NAME (find_largest) (view, from, roi, i, j);

          *out = at < 0 ? 0 : from[at];
        }
}

static void
NAME (pool_regions) (const RoiView *view, const REAL *data, const REAL *rois, REAL *out)
{
  NAME (Job) job = { view, data, rois, out, NULL };

  hyb_parallel_for (view->regions * view->out_channels, GRAIN, NAME (pool_planes), &job);
}

static void
NAME (unpool_regions) (const RoiView *view, const HybRun *run)
{
  const REAL *dy = run->input[0];
  const REAL *rois = run->input[1];
  gint64      size = view->height * view->width;

  for (gint64 r = 0; r < view->regions; r++)
    for (gint64 c = 0; c < view->out_channels; c++)
      for (gint64 i = 0; i < view->out_height; i++)
        for (gint64 j = 0; j < view->out_width; j++, dy++)
          {
            gint64 image = image_of (view, (double) rois[5 * r]);
            gint64 base = (MAX (image, 0) * view->channels + c) * size;
            gint64 at = image < 0 ? -1
                                  : NAME (find_largest) (view, (const REAL *) run->input[2] + base,
                                                         rois + 5 * r, i, j);

            if (at >= 0)
              ((REAL *) run->output[0])[base + at] += *dy;
          }
}

/* A region of ROIAlign in image cells: its corner, the size of one of its cells, and the numbers
 * of samples per cell along each axis.  A rotated region is turned around its centre, from which
 * its corner is measured; others have the centre 0 and are not turned. */
typedef struct
{
  REAL   x, y, cell_width, cell_height;
  REAL   centre_x, centre_y, cosine, sine;
  gint64 columns, rows;
} NAME (Region);

static NAME (Region) NAME (read_region) (const RoiView *view, const REAL *roi)
{
  const RoiParams *params = view->params;
  REAL             scale = (REAL) params->spatial_scale, shift = params->aligned ? (REAL) 0.5 : 0;
  REAL             width = roi[3] * scale - roi[1] * scale;
  REAL             height = roi[4] * scale - roi[2] * scale;
  NAME (Region) region = { .x = roi[1] * scale - shift, .y = roi[2] * scale - shift, .cosine = 1 };

  if (view->is_rotated)
    {
      width = roi[3] * scale;
      height = roi[4] * scale;
    }
  if (!params->aligned)
    {
      width = width > 1 ? width : 1;
      height = height > 1 ? height : 1;
    }
  if (view->is_rotated)
    {
      region.centre_x = region.x;
      region.centre_y = region.y;
      region.x = -width / 2;
      region.y = -height / 2;
      region.cosine = cos (roi[5] * (REAL) G_PI / 180);
      region.sine = sin (roi[5] * (REAL) G_PI / 180);
    }
  region.cell_width = width / (REAL) view->out_width;
  region.cell_height = height / (REAL) view->out_height;
  region.columns = params->sample_ratio > 0 ? params->sample_ratio
                                            : region_integer (ceil ((double) region.cell_width));
  region.rows = params->sample_ratio > 0 ? params->sample_ratio
                                         : region_integer (ceil ((double) region.cell_height));
  region.columns = CLAMP (region.columns, 0, MAX_SAMPLES);
  region.rows = CLAMP (region.rows, 0, MAX_SAMPLES);
  return region;
}

/* Interpolates bilinearly between the four cells around (y, x).  With spread, returns 0 and adds
 * `share` times the four weights to spread instead.  Positions more than one cell outside the
 * image give 0, nearer ones the value at the edge. */
static REAL
NAME (sample_at) (const RoiView *view, const REAL *plane, REAL *spread, REAL y, REAL x, REAL share)
{
  gint64 top, left, bottom, right;
  REAL   down, across;

  if (view->height == 0 || view->width == 0)
    return 0;
  if (!(y >= -1 && y <= (REAL) view->height && x >= -1 && x <= (REAL) view->width))
    return 0;

  y = y > 0 ? y : 0;
  x = x > 0 ? x : 0;
  top = MIN ((gint64) y, view->height - 1);
  left = MIN ((gint64) x, view->width - 1);
  bottom = MIN (top + 1, view->height - 1);
  right = MIN (left + 1, view->width - 1);
  down = bottom == top ? 0 : y - (REAL) top;
  across = right == left ? 0 : x - (REAL) left;

  if (!spread)
    return (1 - down) * ((1 - across) * plane[top * view->width + left] +
                         across * plane[top * view->width + right]) +
           down * ((1 - across) * plane[bottom * view->width + left] +
                   across * plane[bottom * view->width + right]);

  spread[top * view->width + left] += share * (1 - down) * (1 - across);
  spread[top * view->width + right] += share * (1 - down) * across;
  spread[bottom * view->width + left] += share * down * (1 - across);
  spread[bottom * view->width + right] += share * down * across;
  return 0;
}

/* Computes cells [begin, end) of the output, or adds their gradient to that of the data. */
static void
NAME (align_cells) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Job) *job = data;
  const RoiView *view = job->view;
  gint64         size = view->height * view->width;

  for (gint64 cell = begin; cell < end && !hyb_run_is_stopped (view->run); cell++)
    {
      gint64      j = cell % view->out_width, i = cell / view->out_width % view->out_height;
      gint64      c = cell / (view->out_width * view->out_height) % view->out_channels;
      const REAL *roi =
          job->rois +
          view->numbers * (cell / (view->out_width * view->out_height * view->out_channels));
      gint64 image = image_of (view, (double) roi[0]);
      gint64 base = (MAX (image, 0) * view->channels + channel_of (view, c, i, j)) * size;
      NAME (Region) region = NAME (read_region) (view, roi);
      REAL count = (REAL) MAX (region.rows * region.columns, 1), sum = 0;
      REAL share = job->gradient ? job->out[cell] / count : 0;

      for (gint64 v = 0; image >= 0 && v < region.rows; v++)
        for (gint64 u = 0; u < region.columns; u++)
          {
            REAL y = region.y +
                     ((REAL) i + ((REAL) v + (REAL) 0.5) / (REAL) region.rows) * region.cell_height;
            REAL x = region.x + ((REAL) j + ((REAL) u + (REAL) 0.5) / (REAL) region.columns) *
                                    region.cell_width;

            sum += NAME (sample_at) (view, job->data ? job->data + base : NULL,
                                     job->gradient ? job->gradient + base : NULL,
                                     y * region.cosine - x * region.sine + region.centre_y,
                                     x * region.cosine + y * region.sine + region.centre_x, share);
          }
      if (!job->gradient)
        job->out[cell] = sum / count;
    }
}

/* The cells around a sample along one axis, as offsets in a plane, and the share of the second one. */
typedef struct
{
  gint64   first, second;
  REAL     share;
  gboolean is_inside; /* else the sample is 0 */
} NAME (Tap);

/* The taps of all samples of a region that is not turned: each sample lies on a row and a column of them. */
typedef struct
{
  NAME (Tap) rows[MAX_TAPS], columns[MAX_TAPS];
  gint64   n_columns; /* a cell */
  gboolean columns_are_inside;
} NAME (Taps);

/* The same as sample_at() does along one axis of `size` cells, which are `stride` elements apart. */
static NAME (Tap) NAME (find_tap) (REAL at, gint64 size, gint64 stride)
{
  gint64 first, second;

  if (size == 0 || !(at >= -1 && at <= (REAL) size))
    return (NAME (Tap)){ 0 };
  at = at > 0 ? at : 0;
  first = MIN ((gint64) at, size - 1);
  second = MIN (first + 1, size - 1);
  return (NAME (Tap)){ first * stride, second * stride, second == first ? 0 : at - (REAL) first,
                       TRUE };
}

/* FALSE if the region has more samples than there is room, is turned, or reads another channel for each cell. */
static gboolean
NAME (find_taps) (const RoiView *view, const NAME (Region) * region, NAME (Taps) * taps)
{
  if (view->is_rotated || view->params->position_sensitive ||
      region->rows * view->out_height > MAX_TAPS || region->columns * view->out_width > MAX_TAPS)
    return FALSE;
  for (gint64 i = 0; i < view->out_height * region->rows; i++)
    {
      REAL cell = (REAL) (i / region->rows), v = (REAL) (i % region->rows);
      REAL y = region->y + (cell + (v + (REAL) 0.5) / (REAL) region->rows) * region->cell_height;

      taps->rows[i] = NAME (find_tap) (y, view->height, view->width);
    }
  taps->n_columns = region->columns;
  taps->columns_are_inside = TRUE;
  for (gint64 j = 0; j < view->out_width * region->columns; j++)
    {
      REAL cell = (REAL) (j / region->columns), u = (REAL) (j % region->columns);
      REAL x = region->x + (cell + (u + (REAL) 0.5) / (REAL) region->columns) * region->cell_width;

      taps->columns[j] = NAME (find_tap) (x, view->width, 1);
      taps->columns_are_inside = taps->columns_are_inside && taps->columns[j].is_inside;
    }
  return TRUE;
}

/* The sum of the samples of one cell, whose taps are given. */
static REAL
NAME (sum_samples) (const NAME (Region) * region,
                    const NAME (Tap) * rows,
                    const NAME (Tap) * columns,
                    const REAL *plane)
{
  REAL sum = 0;

  for (gint64 v = 0; v < region->rows; v++)
    for (gint64 u = 0; u < region->columns && rows[v].is_inside; u++)
      {
        const REAL *top = plane + rows[v].first, *bottom = plane + rows[v].second;
        gint64      left = columns[u].first, right = columns[u].second;
        REAL        down = rows[v].share, across = columns[u].share;

        if (columns[u].is_inside)
          sum += (1 - down) * ((1 - across) * top[left] + across * top[right]) +
                 down * ((1 - across) * bottom[left] + across * bottom[right]);
      }
  return sum;
}

/* Rows of a plane, interpolated at all columns of samples: first the first sample of each cell, then the second … */
typedef struct
{
  gint64 offsets[2]; /* of the rows in the plane; −1: none */
  REAL   values[2][MAX_TAPS];
} NAME (Rows);

/* Computes one of the two rows. */
static void
NAME (interpolate_row) (gint64 cells,
                        gint64 n,
                        const NAME (Tap) * columns,
                        const REAL *from,
                        REAL       *values)
{
  for (gint64 u = 0; u < n; u++)
    for (gint64 cell = 0; cell < cells; cell++)
      {
        const NAME (Tap) *column = &columns[cell * n + u];
        REAL across = column->share, rest = 1 - across;

        values[u * cells + cell] = rest * from[column->first] + across * from[column->second];
      }
}

/* Returns which of the two rows is the one at `offset`; if neither, computes it in place of one that is not `kept`. */
static guint
NAME (find_row) (const RoiView *view,
                 const NAME (Taps) * taps,
                 const REAL *plane,
                 gint64      offset,
                 guint       kept,
                 NAME (Rows) * rows)
{
  guint slot = rows->offsets[0] == offset ? 0 : 1;

  if (rows->offsets[slot] == offset)
    return slot;
  /* Rows of samples go down, so that the upper row is not read again. */
  slot = kept < 2 ? 1 - kept : rows->offsets[1] < rows->offsets[0];
  rows->offsets[slot] = offset;
  NAME (interpolate_row)
  (view->out_width, taps->n_columns, taps->columns, plane + offset, rows->values[slot]);
  return slot;
}

/* Adds the samples of one row of them, n a cell, to the sums of the cells that they lie in. */
static void
NAME (add_samples) (gint64      cells,
                    gint64      n,
                    REAL        down,
                    const REAL *top,
                    const REAL *bottom,
                    REAL       *sums)
{
  REAL up = 1 - down;

  for (gint64 u = 0; u < n; u++, top += cells, bottom += cells)
    {
      HYB_INDEPENDENT
      for (gint64 cell = 0; cell < cells; cell++)
        sums[cell] += up * top[cell] + down * bottom[cell];
    }
}

/* Computes one plane, all of whose columns of samples are inside.  Rows of samples between the same two rows of the
 * plane share what those are at the columns. */
static void
NAME (align_plane) (const RoiView *view,
                    const NAME (Region) * region,
                    const NAME (Taps) * taps,
                    const REAL *plane,
                    REAL       *out)
{
  REAL count = (REAL) MAX (region->rows * region->columns, 1);
  NAME (Rows) rows;

  rows.offsets[0] = rows.offsets[1] = -1;
  for (gint64 i = 0; i < view->out_height; i++, out += view->out_width)
    {
      memset (out, 0, sizeof (REAL) * (gsize) view->out_width);
      for (gint64 v = 0; v < region->rows; v++)
        {
          const NAME (Tap) *tap = &taps->rows[i * region->rows + v];
          guint top, bottom;

          if (!tap->is_inside)
            continue;
          top = NAME (find_row) (view, taps, plane, tap->first, 2, &rows);
          bottom = NAME (find_row) (view, taps, plane, tap->second, top, &rows);
          NAME (add_samples)
          (view->out_width, region->columns, tap->share, rows.values[top], rows.values[bottom],
           out);
        }
      for (gint64 j = 0; j < view->out_width; j++)
        out[j] /= count;
    }
}

/* Computes planes [begin, end) of the output, a channel of a region each.  Where the samples of a region lie is the same
 * for all its channels. */
static void
NAME (align_planes) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Job) *job = data;
  const RoiView *view = job->view;
  gint64         cells = view->out_height * view->out_width, last = -1;
  gboolean       has_taps = FALSE;
  NAME (Region) region = { 0 };
  NAME (Taps) taps;

  for (gint64 plane = begin; plane < end && !hyb_run_is_stopped (view->run); plane++)
    {
      const REAL *roi = job->rois + view->numbers * (plane / view->out_channels);
      gint64      image = image_of (view, (double) roi[0]);
      const REAL *from =
          job->data + (MAX (image, 0) * view->channels + plane % view->out_channels) *
                          view->height * view->width;

      if (plane / view->out_channels != last)
        {
          last = plane / view->out_channels;
          region = NAME (read_region) (view, roi);
          has_taps = image >= 0 && NAME (find_taps) (view, &region, &taps);
        }
      if (!has_taps)
        {
          NAME (align_cells) (plane * cells, (plane + 1) * cells, data);
          continue;
        }
      if (taps.columns_are_inside)
        {
          NAME (align_plane) (view, &region, &taps, from, job->out + plane * cells);
          continue;
        }
      for (gint64 cell = 0; cell < cells; cell++)
        job->out[plane * cells + cell] =
            NAME (sum_samples) (&region, taps.rows + cell / view->out_width * region.rows,
                                taps.columns + cell % view->out_width * region.columns, from) /
            (REAL) MAX (region.rows * region.columns, 1);
    }
}

/* Forward pass (gradient NULL): computes out from data.  Backward pass: adds the gradient of the
 * output, which is in out, to gradient; data is NULL.  Regions may overlap, so that one thread adds
 * all of them. */
static void
NAME (align_regions) (const RoiView *view,
                      const REAL    *data,
                      const REAL    *rois,
                      REAL          *out,
                      REAL          *gradient)
{
  gint64 n = view->regions * view->out_channels * view->out_height * view->out_width;
  NAME (Job) job = { view, data, rois, out, gradient };

  if (view->height * view->width == 0)
    {
      if (!gradient)
        memset (out, 0, sizeof (REAL) * (gsize) n);
    }
  else if (gradient)
    NAME (align_cells) (0, n, &job);
  else
    hyb_parallel_for (view->regions * view->out_channels,
                      1 + GRAIN / MAX (view->out_height * view->out_width, 1), NAME (align_planes),
                      &job);
}
