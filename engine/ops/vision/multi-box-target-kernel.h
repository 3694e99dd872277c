/* multi-box-target-kernel.h — the arithmetic of multi-box-target.c, for float and double.  Start at
 * assign_targets.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intersection over union of two boxes given as corners; 0 if the union is empty. */
static float
NAME (overlap) (const REAL *a, const REAL *b)
{
  REAL width = (a[2] < b[2] ? a[2] : b[2]) - (a[0] > b[0] ? a[0] : b[0]);
  REAL height = (a[3] < b[3] ? a[3] : b[3]) - (a[1] > b[1] ? a[1] : b[1]);
  REAL common = (width > 0 ? width : 0) * (height > 0 ? height : 0);
  REAL all = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common;

  return all == 0 ? 0 : (float) (common / all);
}

/* Probability of class 0 for an anchor, by softmax; scores points to class 0 of the anchor. */
static float
NAME (background) (const Sample *sample, const REAL *scores)
{
  REAL max = scores[0], sum = 0;

  for (gint64 k = 1; k < sample->n_classes; k++)
    max = scores[k * sample->n_anchors] > max ? scores[k * sample->n_anchors] : max;
  for (gint64 k = 0; k < sample->n_classes; k++)
    sum += exp (scores[k * sample->n_anchors] - max);
  return (float) (exp (scores[0] - max) / sum);
}

/* offset = the box relative to the anchor: centre by size, logarithm of sizes, over variances. */
static void
NAME (encode_offset) (const TargetParams *params, const REAL *anchor, const REAL *box, REAL *offset)
{
  float width = (float) anchor[2] - (float) anchor[0],
        height = (float) anchor[3] - (float) anchor[1];
  float box_width = (float) box[2] - (float) box[0], box_height = (float) box[3] - (float) box[1];
  float x = ((float) box[0] + (float) box[2]) / 2 - ((float) anchor[0] + (float) anchor[2]) / 2;
  float y = ((float) box[1] + (float) box[3]) / 2 - ((float) anchor[1] + (float) anchor[3]) / 2;

  offset[0] = (REAL) (x / width / (float) params->variances.value[0]);
  offset[1] = (REAL) (y / height / (float) params->variances.value[1]);
  offset[2] = (REAL) (log (box_width / width) / (float) params->variances.value[2]);
  offset[3] = (REAL) (log (box_height / height) / (float) params->variances.value[3]);
}

/* Matches the anchors of one sample and writes its targets.  The boxes end with the first class
 * −1; a sample without boxes keeps all of its anchors ignored. */
static void
NAME (assign_targets) (Sample *sample, const HybRun *run, gint64 number)
{
  const REAL *anchors = run->input[0];
  const REAL *labels = (const REAL *) run->input[1] + number * sample->n_labels * sample->width;
  REAL       *offsets = (REAL *) run->output[0] + number * 4 * sample->n_anchors;
  REAL       *mask = (REAL *) run->output[1] + number * 4 * sample->n_anchors;
  REAL       *classes = (REAL *) run->output[2] + number * sample->n_anchors;

  sample->n_positive = 0;
  for (sample->n_boxes = 0; sample->n_boxes < sample->n_labels; sample->n_boxes++)
    if (labels[sample->n_boxes * sample->width] == -1)
      break;
  if (sample->n_boxes == 0)
    return;

  memset (sample->is_given, 0, (gsize) sample->n_labels);
  for (gint64 i = 0; i < sample->n_anchors; i++)
    {
      sample->anchor[i] = (Anchor){ .state = ANCHOR_IGNORED, .overlap = -1, .box = -1, .index = i };
      for (gint64 k = 0; k < sample->n_boxes; k++)
        sample->overlap[i * sample->n_labels + k] =
            NAME (overlap) (anchors + 4 * i, labels + k * sample->width + 1);
      if (sample->params->negative_mining_ratio > 0)
        sample->anchor[i].background =
            NAME (background) (sample, (const REAL *) run->input[2] +
                                           number * sample->n_classes * sample->n_anchors + i);
    }
  classify_anchors (sample);

  for (gint64 i = 0; i < sample->n_anchors; i++)
    {
      const Anchor *anchor = &sample->anchor[i];

      if (anchor->state == ANCHOR_NEGATIVE)
        classes[i] = 0;
      if (anchor->state != ANCHOR_POSITIVE)
        continue;

      classes[i] = labels[anchor->box * sample->width] + 1;
      for (int k = 0; k < 4; k++)
        mask[4 * i + k] = 1;
      NAME (encode_offset)
      (sample->params, anchors + 4 * i, labels + anchor->box * sample->width + 1, offsets + 4 * i);
    }
}
