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
 * most; returns their number.  With topk, never more than twice as many are sorted at once. */
static gint64
NAME (find_candidates) (const NmsParams *params,
                        const REAL      *boxes,
                        gint64           n,
                        gint64           width,
                        Candidate       *candidates)
{
  gint64 n_candidates = 0, n_best = params->topk > 0 ? params->topk : n;
  double limit = params->valid_thresh;

  for (gint64 i = 0; i < n; i++)
    {
      const REAL *row = boxes + i * width;

      if (!((double) row[params->score_index] > limit))
        continue;
      if (params->id_index >= 0 && (double) row[params->id_index] == (double) params->background_id)
        continue;
      candidates[n_candidates++] = (Candidate){ (double) row[params->score_index], i };
      if (n_candidates / 2 < n_best)
        continue;
      /* Of equal scores the earlier box is better, so that later ones need a higher one. */
      qsort (candidates, (size_t) n_candidates, sizeof *candidates, compare_candidates);
      n_candidates = n_best;
      limit = candidates[n_best - 1].score;
    }

  qsort (candidates, (size_t) n_candidates, sizeof *candidates, compare_candidates);
  return MIN (n_candidates, n_best);
}

/* The boxes of candidates as columns, so that one is compared with many at a time. */
typedef struct
{
  REAL *left, *top, *right, *bottom, *area, *class, *dropped; /* dropped: 0 or 1 */
} NAME (Columns);

static NAME (Columns) NAME (divide_columns) (REAL *room, gint64 n)
{
  return (NAME (Columns)){ room,         room + n,     room + 2 * n, room + 3 * n,
                           room + 4 * n, room + 5 * n, room + 6 * n };
}

/* Fills the columns: corners as overlap() has them, and 0 as the class if all boxes are of one. */
static void
NAME (fill_columns) (const NmsParams *params,
                     const REAL      *boxes,
                     gint64           width,
                     const Candidate *candidates,
                     gint64           n,
                     const NAME (Columns) * columns)
{
  gboolean any_class = params->force_suppress || params->id_index < 0;

  for (gint64 i = 0; i < n; i++)
    {
      const REAL *row = boxes + candidates[i].row * width;
      const REAL *box = row + params->coord_start;
      gboolean    is_corner = params->in_format == FORMAT_CORNER;
      REAL        box_width = is_corner ? box[2] - box[0] : box[2];
      REAL        box_height = is_corner ? box[3] - box[1] : box[3];

      columns->left[i] = is_corner ? box[0] : box[0] - box[2] / 2;
      columns->top[i] = is_corner ? box[1] : box[1] - box[3] / 2;
      columns->right[i] = is_corner ? box[2] : box[0] + box[2] / 2;
      columns->bottom[i] = is_corner ? box[3] : box[1] + box[3] / 2;
      columns->area[i] = box_width < 0 || box_height < 0 ? 0 : box_width * box_height;
      columns->dropped[i] = 0;
      columns->class[i] = any_class ? 0 : row[params->id_index];
    }
}

/* The largest number of the type that is not above x: y > x and y > the result are the same for every y of the type. */
static REAL
NAME (round_down) (double x)
{
  REAL y = (REAL) x;

  return (double) y > x ? (REAL) nextafter (y, (REAL) -INFINITY) : y;
}

/* Drops the boxes after box i that overlap it by more than limit and have its class. */
static void
NAME (drop_overlapping) (const NAME (Columns) * columns, gint64 i, gint64 n, REAL limit)
{
  const REAL *lefts = columns->left, *tops = columns->top, *rights = columns->right;
  const REAL *bottoms = columns->bottom, *areas = columns->area, *classes = columns->class;
  REAL       *dropped = columns->dropped;
  REAL        left = lefts[i], right = rights[i], top = tops[i], bottom = bottoms[i];
  REAL        area = areas[i], class = classes[i];

  HYB_INDEPENDENT
  for (gint64 j = i + 1; j < n; j++)
    {
      REAL common = NAME (common_length) (left, right, lefts[j], rights[j]) *
                    NAME (common_length) (top, bottom, tops[j], bottoms[j]);
      REAL all = area + areas[j] - common;
      REAL overlap = common / all, drop = dropped[j];

      overlap = common > 0 ? overlap : 0;
      overlap = all > 0 ? overlap : 0;
      drop = overlap > limit ? 1 : drop;
      dropped[j] = class == classes[j] ? drop : dropped[j];
    }
}

/* Non-maximum suppression: drops boxes that overlap a better one that is not dropped. */
static void
NAME (suppress) (const NmsParams *params, gint64 n, const NAME (Columns) * columns)
{
  REAL limit = NAME (round_down) (params->overlap_thresh);

  for (gint64 i = 0; i < n; i++)
    if (columns->dropped[i] == 0)
      NAME (drop_overlapping) (columns, i, n, limit);
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
  NAME (Columns) columns;

  if (params->topk == 0)
    {
      memcpy (to, boxes, sizeof (REAL) * (gsize) (n * width));
      for (gint64 i = 0; i < n; i++)
        record[i] = (REAL) i;
      return;
    }

  columns = NAME (divide_columns) ((REAL *) (candidates + n), n_candidates);
  NAME (fill_columns) (params, boxes, width, candidates, n_candidates, &columns);
  NAME (suppress) (params, n_candidates, &columns);
  for (gint64 i = 0; i < n_candidates; i++)
    if (columns.dropped[i] == 0)
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
