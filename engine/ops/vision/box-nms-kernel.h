/* box-nms-kernel.h — the loops of box-nms.c, for float and double.  A box is a row of `width`
 * numbers, four of them its coordinates.  Start at select_boxes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Length of the intersection of the intervals [a1, a2] and [b1, b2]. */
static inline REAL
NAME (common_length) (REAL a1, REAL a2, REAL b1, REAL b2)
{
  REAL length = (a2 < b2 ? a2 : b2) - (a1 > b1 ? a1 : b1);

  return length > 0 ? length : 0;
}

/* Intersection over union of two boxes; 0 if they do not intersect. */
static REAL
NAME (overlap) (const REAL *a, const REAL *b, BoxFormat format)
{
  REAL area_a, area_b, common, all;

  if (format == FORMAT_CORNER)
    {
      REAL width_a = a[2] - a[0], height_a = a[3] - a[1];
      REAL width_b = b[2] - b[0], height_b = b[3] - b[1];

      common = NAME (common_length) (a[0], a[2], b[0], b[2]) *
               NAME (common_length) (a[1], a[3], b[1], b[3]);
      area_a = width_a < 0 || height_a < 0 ? 0 : width_a * height_a;
      area_b = width_b < 0 || height_b < 0 ? 0 : width_b * height_b;
    }
  else
    {
      common =
          NAME (common_length) (a[0] - a[2] / 2, a[0] + a[2] / 2, b[0] - b[2] / 2,
                                b[0] + b[2] / 2) *
          NAME (common_length) (a[1] - a[3] / 2, a[1] + a[3] / 2, b[1] - b[3] / 2, b[1] + b[3] / 2);
      area_a = a[2] < 0 || a[3] < 0 ? 0 : a[2] * a[3];
      area_b = b[2] < 0 || b[3] < 0 ? 0 : b[2] * b[3];
    }

  all = area_a + area_b - common;
  return common > 0 && all > 0 ? common / all : 0;
}

/* out (lhs boxes, rhs boxes) = overlap of every pair. */
static void
NAME (compare_boxes) (const HybCall *call, const HybRun *run)
{
  const IouParams *params = call->params;
  const REAL      *lhs = run->input[0];
  const REAL      *rhs = run->input[1];
  REAL            *out = run->output[0];

  for (gint64 i = 0; i < hyb_shape_size (&call->input[0].shape) / 4; i++)
    for (gint64 j = 0; j < hyb_shape_size (&call->input[1].shape) / 4; j++)
      *out++ = NAME (overlap) (lhs + 4 * i, rhs + 4 * j, (BoxFormat) params->format);
}

/* Collects the boxes above the score threshold and not of the background, best first, topk at
 * most; returns their number. */
static gint64
NAME (find_candidates) (const NmsParams *params,
                        const REAL      *boxes,
                        gint64           n,
                        gint64           width,
                        Candidate       *candidates)
{
  gint64 n_candidates = 0;

  for (gint64 i = 0; i < n; i++)
    {
      const REAL *row = boxes + i * width;

      if (!((double) row[params->score_index] > params->valid_thresh))
        continue;
      if (params->id_index >= 0 && (double) row[params->id_index] == (double) params->background_id)
        continue;
      candidates[n_candidates++] = (Candidate){ (double) row[params->score_index], i, TRUE };
    }

  qsort (candidates, (size_t) n_candidates, sizeof *candidates, compare_candidates);
  return params->topk > 0 ? MIN (n_candidates, params->topk) : n_candidates;
}

/* Non-maximum suppression: clears is_kept of boxes that overlap a better one that is kept. */
static void
NAME (suppress) (const NmsParams *params,
                 const REAL      *boxes,
                 gint64           width,
                 Candidate       *candidates,
                 gint64           n)
{
  gboolean any_class = params->force_suppress || params->id_index < 0;

  for (gint64 i = 0; i < n; i++)
    {
      const REAL *best = boxes + candidates[i].row * width;

      for (gint64 j = i + 1; candidates[i].is_kept && j < n; j++)
        {
          const REAL *other = boxes + candidates[j].row * width;

          if (candidates[j].is_kept &&
              (any_class || best[params->id_index] == other[params->id_index]) &&
              (double) NAME (overlap) (best + params->coord_start, other + params->coord_start,
                                       (BoxFormat) params->in_format) > params->overlap_thresh)
            candidates[j].is_kept = FALSE;
        }
    }
}

/* From in_format to out_format, in place. */
static void
NAME (convert_box) (const NmsParams *params, REAL *box)
{
  REAL a = box[0], b = box[1], c = box[2], d = box[3];

  if (params->in_format == params->out_format)
    return;

  if (params->in_format == FORMAT_CORNER)
    {
      box[0] = (a + c) / 2;
      box[1] = (b + d) / 2;
      box[2] = c - a;
      box[3] = d - b;
    }
  else
    {
      box[0] = a - c / 2;
      box[1] = b - d / 2;
      box[2] = a + c / 2;
      box[3] = b + d / 2;
    }
}

/* One sample: the boxes kept, best first, then rows of −1; record has their row in the data.  With
 * topk=0 MXNet copies the data. */
static void
NAME (select_boxes) (const HybCall *call, const HybRun *run, gint64 batch)
{
  const NmsParams *params = call->params;
  const HybShape  *shape = &call->input[0].shape;
  gint64           n = shape->dim[shape->rank - 2], width = shape->dim[shape->rank - 1];
  const REAL      *boxes = (const REAL *) run->input[0] + batch * n * width;
  REAL            *to = (REAL *) run->output[0] + batch * n * width;
  REAL            *record = (REAL *) run->output[1] + batch * n;
  Candidate       *candidates = run->workspace;
  gint64           n_candidates = NAME (find_candidates) (params, boxes, n, width, candidates);
  gint64           n_kept = 0;

  if (params->topk == 0)
    {
      memcpy (to, boxes, sizeof (REAL) * (gsize) (n * width));
      for (gint64 i = 0; i < n; i++)
        record[i] = (REAL) i;
      return;
    }

  NAME (suppress) (params, boxes, width, candidates, n_candidates);
  for (gint64 i = 0; i < n_candidates; i++)
    if (candidates[i].is_kept)
      {
        memcpy (to + n_kept * width, boxes + candidates[i].row * width,
                sizeof (REAL) * (gsize) width);
        NAME (convert_box) (params, to + n_kept * width + params->coord_start);
        record[n_kept++] = (REAL) candidates[i].row;
      }

  for (gint64 i = n_kept; i < n; i++)
    {
      record[i] = -1;
      for (gint64 k = 0; k < width; k++)
        to[i * width + k] = -1;
    }
}
