/* deformable-convolution-kernel.h — the loops of deformable-convolution.c, for float and double.
 * Start at find_tap, then convolve and differentiate.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A position between four cells: their indices, their weights, and the derivatives of the weights
 * by row and column.  Cells outside of the image have weight 0 and index 0. */
typedef struct
{
  gint64 cell[4];
  REAL   weight[4], by_row[4], by_column[4];
} NAME (Tap);

/* Two cells along one axis with their weights and the derivatives of these. */
typedef struct
{
  gint64   cell[2];
  gboolean exists[2];
  REAL     weight[2], slope[2];
} NAME (Edge);

/* FALSE if the position is outside.  The plain kind reads positions from 0 to below `size`, and
 * beyond the last cell its value; the modulated kind reads zeros one cell around the image. */
static gboolean
NAME (find_edge) (REAL at, gint64 size, gboolean is_modulated, NAME (Edge) * edge)
{
  REAL fraction;

  if (!(at < (REAL) size && (is_modulated ? at > -1 : at >= 0)))
    return FALSE;

  edge->cell[0] = (gint64) floor (at);
  edge->cell[1] = edge->cell[0] + 1;
  fraction = at - (REAL) edge->cell[0];
  edge->exists[0] = edge->cell[0] >= 0;
  edge->exists[1] = edge->cell[1] < size;
  edge->slope[0] = -1;
  edge->slope[1] = 1;
  if (!is_modulated && !edge->exists[1])
    fraction = edge->slope[0] = edge->slope[1] = 0;
  edge->weight[0] = 1 - fraction;
  edge->weight[1] = fraction;
  return TRUE;
}

/* Finds the cells that tap number `tap` reads at a position, in channels with these offsets.
 * FALSE if it reads outside of the image. */
static gboolean
NAME (find_tap) (const DeformableView *view,
                 const REAL           *offset,
                 gint64                tap,
                 gint64                position,
                 NAME (Tap) * found)
{
  const HybWindow *window = &view->window;
  gint64           column = position % view->out_width, row = position / view->out_width;
  gint64           down = tap / window->kernel[1], across = tap % window->kernel[1];
  const REAL      *move = offset + 2 * tap * view->positions + position;
  REAL y = (REAL) (row * window->stride[0] - window->pad[0] + down * window->dilate[0]) + move[0];
  REAL x = (REAL) (column * window->stride[1] - window->pad[1] + across * window->dilate[1]) +
           move[view->positions];
  NAME (Edge) rows, columns;

  if (!NAME (find_edge) (y, view->height, view->is_modulated, &rows) ||
      !NAME (find_edge) (x, view->width, view->is_modulated, &columns))
    return FALSE;

  for (int i = 0; i < 4; i++)
    {
      int      r = i / 2, c = i % 2;
      gboolean exists = rows.exists[r] && columns.exists[c];

      found->cell[i] = exists ? rows.cell[r] * view->width + columns.cell[c] : 0;
      found->weight[i] = exists ? rows.weight[r] * columns.weight[c] : 0;
      found->by_row[i] = exists ? rows.slope[r] * columns.weight[c] : 0;
      found->by_column[i] = exists ? rows.weight[r] * columns.slope[c] : 0;
    }
  return TRUE;
}

/* Points the view at the arrays of image number `image`. */
static void
NAME (enter_image) (DeformableView *view,
                    gint64          image,
                    gconstpointer   data,
                    gconstpointer   offset,
                    gconstpointer   mask)
{
  gint64 moves = view->offset_groups * view->taps * view->positions;

  view->data = (const REAL *) data + image * view->channels * view->height * view->width;
  view->offset = (const REAL *) offset + image * 2 * moves;
  view->mask = mask ? (const REAL *) mask + image * moves : NULL;
}

/* The first element of a channel's offsets (parts = 2) or mask (parts = 1) in these of an image. */
static gint64
NAME (group_start) (const DeformableView *view, gint64 channel, gint64 parts)
{
  return channel / (view->channels / view->offset_groups) * parts * view->taps * view->positions;
}

/* columns (channels · taps, positions) = the values that the taps read in the image. */
static void
NAME (lay_columns) (const DeformableView *view, REAL *columns)
{
  for (gint64 channel = 0; channel < view->channels; channel++)
    {
      const REAL *plane = (const REAL *) view->data + channel * view->height * view->width;
      const REAL *offset = (const REAL *) view->offset + NAME (group_start) (view, channel, 2);
      const REAL *mask = view->mask;

      mask = mask ? mask + NAME (group_start) (view, channel, 1) : NULL;
      for (gint64 tap = 0; tap < view->taps; tap++)
        for (gint64 at = 0; at < view->positions; at++, columns++)
          {
            NAME (Tap) found;

            *columns = 0;
            if (!NAME (find_tap) (view, offset, tap, at, &found))
              continue;

            for (int i = 0; i < 4; i++)
              *columns += found.weight[i] * plane[found.cell[i]];
            if (mask)
              *columns *= mask[tap * view->positions + at];
          }
    }
}

/* out = weight × columns + bias, image by image. */
static void
NAME (convolve) (DeformableView *view, const HybCall *call, const HybRun *run)
{
  guint       n_before = view->is_modulated ? 3 : 2;
  const REAL *weight = run->input[n_before];
  const REAL *bias = call->n_inputs > n_before + 1 ? run->input[n_before + 1] : NULL;
  REAL       *columns = run->workspace;
  HybGemm     gemm = product_of_group (view);
  gint64      depth = gemm.k, rows = gemm.m;

  for (gint64 image = 0; image < view->batch; image++)
    {
      REAL *out = (REAL *) run->output[0] + image * view->filters * view->positions;

      NAME (enter_image)
      (view, image, run->input[0], run->input[1], view->is_modulated ? run->input[2] : NULL);
      NAME (lay_columns) (view, columns);
      for (gint64 group = 0; group < view->groups; group++)
        hyb_gemm (&gemm, call->output[0].dtype, weight + group * rows * depth,
                  columns + group * depth * view->positions, out + group * rows * view->positions);
      for (gint64 i = 0; bias && i < view->filters * view->positions; i++)
        out[i] += bias[i / view->positions];
    }
}

/* Where the gradients of one image go. */
typedef struct
{
  REAL *data, *offset, *mask;
} NAME (Gradients);

/* Adds the gradients of an image's data, offsets and mask from the gradients of its columns. */
static void
NAME (spread_columns) (const DeformableView *view, const REAL *columns, NAME (Gradients) gradients)
{
  for (gint64 channel = 0; channel < view->channels; channel++)
    {
      gint64      start = channel * view->height * view->width;
      gint64      moves = NAME (group_start) (view, channel, 2);
      gint64      scales = NAME (group_start) (view, channel, 1);
      const REAL *plane = (const REAL *) view->data + start;

      for (gint64 tap = 0; tap < view->taps; tap++)
        for (gint64 at = 0; at < view->positions; at++, columns++)
          {
            gint64 move = moves + 2 * tap * view->positions + at;
            gint64 scale = scales + tap * view->positions + at;
            REAL   value = *columns, read = 0;
            NAME (Tap) found;

            if (!NAME (find_tap) (view, (const REAL *) view->offset + moves, tap, at, &found))
              continue;

            if (view->mask)
              value *= ((const REAL *) view->mask)[scale];
            for (int i = 0; i < 4; i++)
              {
                REAL cell = plane[found.cell[i]];

                read += found.weight[i] * cell;
                gradients.data[start + found.cell[i]] += found.weight[i] * value;
                gradients.offset[move] += found.by_row[i] * cell * value;
                gradients.offset[move + view->positions] += found.by_column[i] * cell * value;
              }
            if (gradients.mask)
              gradients.mask[scale] += read * *columns;
          }
    }
}

/* All gradients, image by image: columns = weightᵀ × gradient, which spread_columns distributes, and
 * that of the weight = gradient × columnsᵀ of the forward pass. */
static void
NAME (differentiate) (DeformableView *view, const HybCall *call, const HybRun *run)
{
  guint       n_before = view->is_modulated ? 4 : 3;
  const REAL *weight = run->input[n_before];
  gint64 depth = view->channels / view->groups * view->taps, rows = view->filters / view->groups;
  gint64 plane = view->height * view->width,
         moves = view->offset_groups * view->taps * view->positions;
  HybDType dtype = call->output[0].dtype;
  gsize    half = 0;
  REAL    *columns = run->workspace, *seen;
  HybGemm  by_data = gradient_of_group (view);
  HybGemm  by_weight = { .transpose_b = TRUE, .m = rows, .n = depth, .k = view->positions };

  by_weight.ldc = depth;
  by_weight.lda = by_weight.ldb = view->positions;
  by_weight.alpha = by_weight.beta = 1;
  hyb_workspace_take (&half, column_bytes (view, dtype));
  seen = (gpointer) ((char *) run->workspace + half);

  for (gint64 image = 0; image < view->batch; image++)
    {
      const REAL *dy = (const REAL *) run->input[0] + image * view->filters * view->positions;
      NAME (Gradients)
      gradients = { (REAL *) run->output[0] + image * view->channels * plane,
                    (REAL *) run->output[1] + image * 2 * moves,
                    view->is_modulated ? (REAL *) run->output[2] + image * moves : NULL };

      NAME (enter_image)
      (view, image, run->input[1], run->input[2], view->is_modulated ? run->input[3] : NULL);
      NAME (lay_columns) (view, seen);
      for (gint64 group = 0; group < view->groups; group++)
        {
          const REAL *part = dy + group * rows * view->positions;
          gint64      start = group * depth * view->positions;

          hyb_gemm (&by_data, dtype, weight + group * rows * depth, part, columns + start);
          hyb_gemm (&by_weight, dtype, part, seen + start,
                    (REAL *) run->output[n_before - 1] + group * rows * depth);
        }
      NAME (spread_columns) (view, columns, gradients);
    }
}
