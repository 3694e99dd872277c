/* multi-box-kernel.h — the loops of multi-box.c, for float and double.  Boxes are two corners
 * (x1, y1, x2, y2) in units of the image's size.  Start at make_boxes and detect.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

static inline REAL
NAME (clipped) (REAL x, gboolean clip)
{
  return !clip ? x : x < 0 ? 0 : x > 1 ? 1 : x;
}

/* For each cell, a box for every size with the first ratio, then one for the first size with every
 * other ratio. */
static void
NAME (make_boxes) (const PriorParams *params, const HybShape *data, REAL *to)
{
  gint64 height = data->dim[2], width = data->dim[3];
  int    n = params->sizes.n + params->ratios.n - 1;
  double down = params->steps.value[0] > 0 ? params->steps.value[0] : 1.0 / (double) height;
  double across = params->steps.value[1] > 0 ? params->steps.value[1] : 1.0 / (double) width;

  for (gint64 cell = 0; cell < height * width; cell++)
    for (int k = 0; k < n; k++, to += 4)
      {
        double size = params->sizes.value[k < params->sizes.n ? k : 0];
        double ratio =
            sqrt (params->ratios.value[k < params->sizes.n ? 0 : k - params->sizes.n + 1]);
        REAL x = (REAL) (((double) (cell % width) + params->offsets.value[1]) * across);
        REAL y = (REAL) (((double) (cell / width) + params->offsets.value[0]) * down);
        REAL half_width = (REAL) (size * (double) height / (double) width * ratio / 2);
        REAL half_height = (REAL) (size / ratio / 2);

        to[0] = NAME (clipped) (x - half_width, params->clip);
        to[1] = NAME (clipped) (y - half_height, params->clip);
        to[2] = NAME (clipped) (x + half_width, params->clip);
        to[3] = NAME (clipped) (y + half_height, params->clip);
      }
}

/* Decodes the predicted offsets (centre and log size, relative to an anchor) into a box. */
static void
NAME (place_box) (const DetectionParams *params, const REAL *anchor, const REAL *offset, REAL *to)
{
  const double *variance = params->variances.value;
  REAL          width = anchor[2] - anchor[0], height = anchor[3] - anchor[1];
  REAL          x = offset[0] * (REAL) variance[0] * width + (anchor[0] + anchor[2]) / 2;
  REAL          y = offset[1] * (REAL) variance[1] * height + (anchor[1] + anchor[3]) / 2;
  REAL          half_width = exp (offset[2] * (REAL) variance[2]) * width / 2;
  REAL          half_height = exp (offset[3] * (REAL) variance[3]) * height / 2;

  to[0] = NAME (clipped) (x - half_width, params->clip);
  to[1] = NAME (clipped) (y - half_height, params->clip);
  to[2] = NAME (clipped) (x + half_width, params->clip);
  to[3] = NAME (clipped) (y + half_height, params->clip);
}

/* Intersection over union. */
static REAL
NAME (box_overlap) (const REAL *a, const REAL *b)
{
  REAL width = (a[2] < b[2] ? a[2] : b[2]) - (a[0] > b[0] ? a[0] : b[0]);
  REAL height = (a[3] < b[3] ? a[3] : b[3]) - (a[1] > b[1] ? a[1] : b[1]);
  REAL common = width > 0 && height > 0 ? width * height : 0;
  REAL all = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common;

  return all > 0 ? common / all : 0;
}

/* Writes a row (class − 1, score, box) for each anchor whose best class is above the threshold, in
 * their order; returns the number of rows. */
static gint64
NAME (find_objects) (const HybCall *call, const HybRun *run, gint64 sample, REAL *rows)
{
  const DetectionParams *params = call->params;
  gint64      classes = call->input[0].shape.dim[1], anchors = call->input[0].shape.dim[2];
  const REAL *scores = (const REAL *) run->input[0] + sample * classes * anchors;
  gint64      n = 0;

  for (gint64 anchor = 0; anchor < anchors; anchor++)
    {
      REAL best = -1;
      gint64 class = -1;

      for (gint64 k = 1; k < classes; k++)
        if (scores[k * anchors + anchor] > best)
          {
            best = scores[k * anchors + anchor];
            class = k;
          }
      if (class < 0 || (double) best < params->threshold)
        continue;

      rows[6 * n] = (REAL) (class - 1);
      rows[6 * n + 1] = best;
      NAME (place_box)
      (params, (const REAL *) run->input[2] + 4 * anchor,
       (const REAL *) run->input[1] + (sample * anchors + anchor) * 4, rows + 6 * n + 2);
      n++;
    }

  return n;
}

/* Sets the class to −1 in rows that overlap a better row of the same class. */
static void
NAME (mark_overlapping) (const DetectionParams *params, REAL *rows, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = i + 1; rows[6 * i] >= 0 && j < n; j++)
      if (rows[6 * j] >= 0 && (params->force_suppress || rows[6 * i] == rows[6 * j]) &&
          (double) NAME (box_overlap) (rows + 6 * i + 2, rows + 6 * j + 2) >= params->nms_threshold)
        rows[6 * j] = -1;
}

/* Detections of one sample: sorts the best nms_topk rows, then suppresses overlapping ones.  Rows
 * beyond nms_topk stay unsorted in place, with the class −1, as in MXNet 1.9.1. */
static void
NAME (detect) (const HybCall *call, const HybRun *run, gint64 sample)
{
  const DetectionParams *params = call->params;
  gint64                 anchors = call->input[0].shape.dim[2];
  Candidate             *candidates = run->workspace;
  REAL                  *unsorted = (REAL *) (candidates + anchors);
  REAL                  *to = (REAL *) run->output[0] + sample * anchors * 6;
  gint64                 n = NAME (find_objects) (call, run, sample, unsorted);
  gint64                 n_sorted = params->nms_topk > 0 ? MIN (params->nms_topk, n) : n;

  for (gint64 i = 0; i < anchors * 6; i++)
    to[i] = i < 6 * n ? unsorted[i] : -1;
  if (params->nms_threshold <= 0 || params->nms_threshold > 1)
    return;

  for (gint64 i = 0; i < n; i++)
    candidates[i] = (Candidate){ (double) unsorted[6 * i + 1], i };
  qsort (candidates, (size_t) n, sizeof *candidates, compare_candidates);
  for (gint64 i = 0; i < n_sorted; i++)
    memcpy (to + 6 * i, unsorted + 6 * candidates[i].row, 6 * sizeof (REAL));
  for (gint64 i = n_sorted; i < n; i++)
    to[6 * i] = -1;
  NAME (mark_overlapping) (params, to, n_sorted);
}
