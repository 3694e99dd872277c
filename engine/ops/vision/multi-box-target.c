/* multi-box-target.c — MultiBoxTarget: which anchors a single shot detector shall train, and for
 * which class and box.  No gradient.
 *
 * Every true box first gets the free anchor that overlaps it most, the best pair first.  Other
 * anchors are positive if they overlap a box by more than a threshold.  Negatives are the remaining
 * anchors, or with mining those that look least like background.  multi-box-target-kernel.h has the
 * arithmetic.  Start at target_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/kernels/fill.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

typedef struct
{
  double    overlap_threshold, ignore_label, negative_mining_ratio, negative_mining_thresh;
  gint64    minimum_negative_samples;
  HybFloats variances;
} TargetParams;

static const HybParam target_params[] = {
  { HYB_FIELD (TargetParams, overlap_threshold), HYB_PARAM_FLOAT, "0.5",
    .doc = "overlap above which an anchor is positive; 0 or less: only the best anchors are" },
  { HYB_FIELD (TargetParams, ignore_label), HYB_PARAM_FLOAT, "-1",
    .doc = "class of the anchors that are neither positive nor negative" },
  { HYB_FIELD (TargetParams, negative_mining_ratio), HYB_PARAM_FLOAT, "-1",
    .doc = "negatives per positive; 0 or less: all other anchors are negative" },
  { HYB_FIELD (TargetParams, negative_mining_thresh), HYB_PARAM_FLOAT, "0.5",
    .doc = "overlap below which an anchor can be negative" },
  { HYB_FIELD (TargetParams, minimum_negative_samples), HYB_PARAM_INT, "0",
    .doc = "has no effect, as in MXNet" },
  { HYB_FIELD (TargetParams, variances), HYB_PARAM_FLOATS, "(0.1, 0.1, 0.2, 0.2)",
    .doc = "divisors of the offsets" },
  { 0 },
};

static gboolean
target_check (gconstpointer values, GError **error)
{
  const TargetParams *params = values;

  if (params->variances.n != 4)
    return hyb_refuse_attribute (error, NULL, "variances has %d numbers but needs 4",
                                 MAX (params->variances.n, 0));
  if (params->negative_mining_ratio > 0 && !(params->negative_mining_thresh > 0))
    return hyb_refuse_attribute (error, "Leave negative_mining_ratio at -1 to train all negatives",
                                 "negative_mining_thresh is %g, but mining needs a positive number",
                                 params->negative_mining_thresh);
  return TRUE;
}

/* FALSE if this dimension is known and below `low`. */
static gboolean
expect_at_least (const HybShape *shape, int axis, gint64 low, const char *what, GError **error)
{
  if (shape->dim[axis] == HYB_UNKNOWN || shape->dim[axis] >= low)
    return TRUE;

  return hyb_refuse_types (error, NULL, "%s is %" G_GINT64_FORMAT ", below %" G_GINT64_FORMAT, what,
                           shape->dim[axis], low);
}

/* anchor (1, anchors, 4), label (batch, boxes, class x1 y1 x2 y2 …), cls_pred (batch, classes,
 * anchors); outputs: loc_target and loc_mask (batch, 4 · anchors), cls_target (batch, anchors). */
static gboolean
target_infer_shape (HybCall *call, GError **error)
{
  const TargetParams *params = call->params;
  HybShape           *anchor = &call->input[0].shape;
  HybShape           *label = &call->input[1].shape;
  HybShape           *scores = &call->input[2].shape;
  HybShape            want = hyb_shape_3d (1, HYB_UNKNOWN, 4);

  if (!hyb_layer_expect (anchor, "anchor", &want, error))
    return FALSE;

  want = hyb_shape_3d (HYB_UNKNOWN, HYB_UNKNOWN, anchor->dim[1]);
  if (!hyb_layer_expect (scores, "cls_pred", &want, error))
    return FALSE;

  want = hyb_shape_3d (1, scores->dim[2], 4);
  if (!hyb_layer_expect (anchor, "anchor", &want, error))
    return FALSE;

  want = hyb_shape_make (3, NULL);
  if (!hyb_layer_expect (label, "label", &want, error) ||
      !expect_at_least (anchor, 1, 1, "the number of anchors", error) ||
      !expect_at_least (label, 1, 1, "the number of boxes in label", error) ||
      !expect_at_least (label, 2, 5, "the number of columns of label", error))
    return FALSE;
  if (params->negative_mining_ratio > 0 &&
      (!hyb_dim_unify (&label->dim[0], &scores->dim[0], "the batch sizes", error) ||
       !expect_at_least (scores, 1, 1, "the number of classes", error)))
    return FALSE;

  want = hyb_shape_2d (label->dim[0], anchor->dim[1]);
  if (!hyb_layer_expect (&call->output[2].shape, "cls_target", &want, error))
    return FALSE;

  want.dim[1] = hyb_dim_multiply (anchor->dim[1], 4);
  return hyb_layer_expect (&call->output[0].shape, "loc_target", &want, error) &&
         hyb_layer_expect (&call->output[1].shape, "loc_mask", &want, error);
}

typedef enum
{
  ANCHOR_IGNORED,
  ANCHOR_NEGATIVE,
  ANCHOR_POSITIVE,
} AnchorState;

/* An anchor and the true box that it overlaps most, or that it was given. */
typedef struct
{
  AnchorState state;
  float       overlap;
  gint64      box;
  float       background; /* probability, for mining */
  gint64      index;
} Anchor;

/* The matching of one sample. */
typedef struct
{
  const TargetParams *params;
  gint64              n_anchors, n_labels, n_classes, width;
  gint64              n_boxes; /* labels in use; the others are padding */
  gint64              n_positive;
  Anchor             *anchor;
  Anchor             *candidate; /* room for mining */
  float              *overlap;   /* n_anchors × n_labels */
  guint8             *is_given;  /* n_labels: the box has its anchor */
} Sample;

/* Gives each box the free anchor that overlaps it most, the best pair of all first. */
static void
give_best_anchors (Sample *sample)
{
  for (;;)
    {
      float   best = 1e-6f;
      gint64  box = -1;
      Anchor *anchor = NULL;

      for (gint64 i = 0; i < sample->n_anchors; i++)
        for (gint64 k = 0; sample->anchor[i].state != ANCHOR_POSITIVE && k < sample->n_boxes; k++)
          if (!sample->is_given[k] && sample->overlap[i * sample->n_labels + k] > best)
            {
              anchor = &sample->anchor[i];
              box = k;
              best = sample->overlap[i * sample->n_labels + k];
            }
      if (!anchor)
        return;

      anchor->state = ANCHOR_POSITIVE;
      anchor->overlap = best;
      anchor->box = box;
      sample->is_given[box] = TRUE;
      sample->n_positive++;
    }
}

/* Finds the box that each other anchor overlaps most, and makes those above the threshold positive. */
static void
accept_overlapping_anchors (Sample *sample)
{
  float threshold = (float) sample->params->overlap_threshold;

  for (gint64 i = 0; i < sample->n_anchors; i++)
    {
      Anchor *anchor = &sample->anchor[i];

      if (anchor->state == ANCHOR_POSITIVE)
        continue;

      for (gint64 k = 0; k < sample->n_boxes; k++)
        if (sample->overlap[i * sample->n_labels + k] > anchor->overlap)
          {
            anchor->overlap = sample->overlap[i * sample->n_labels + k];
            anchor->box = k;
          }
      if (threshold > 0 && anchor->box >= 0 && anchor->overlap > threshold)
        {
          anchor->state = ANCHOR_POSITIVE;
          sample->n_positive++;
        }
    }
}

/* For qsort(): the least probable background first, then by index. */
static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Anchor *x = a;
  const Anchor *y = b;

  if (x->background != y->background)
    return x->background < y->background ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Makes the anchors with the least probable background negative, in proportion to the positives. */
static void
mine_negatives (Sample *sample)
{
  float  wanted = (float) sample->n_positive * (float) sample->params->negative_mining_ratio;
  gint64 n = 0, rest = sample->n_anchors - sample->n_positive;
  gint64 n_negative = wanted < (float) rest ? (gint64) wanted : rest;

  for (gint64 i = 0; i < sample->n_anchors; i++)
    if (sample->anchor[i].state != ANCHOR_POSITIVE &&
        sample->anchor[i].overlap < (float) sample->params->negative_mining_thresh)
      sample->candidate[n++] = sample->anchor[i];

  qsort (sample->candidate, (gsize) n, sizeof (Anchor), compare_candidates);
  for (gint64 i = 0; i < MIN (n, n_negative); i++)
    sample->anchor[sample->candidate[i].index].state = ANCHOR_NEGATIVE;
}

/* Sets the state of all anchors of a sample whose overlaps are known. */
static void
classify_anchors (Sample *sample)
{
  give_best_anchors (sample);
  accept_overlapping_anchors (sample);

  if (sample->params->negative_mining_ratio > 0)
    mine_negatives (sample);
  else
    for (gint64 i = 0; i < sample->n_anchors; i++)
      if (sample->anchor[i].state != ANCHOR_POSITIVE)
        sample->anchor[i].state = ANCHOR_NEGATIVE;
}

#define REAL_KERNEL "engine/ops/vision/multi-box-target-kernel.h"
#include "engine/kernels/each-real.h"

/* The workspace of one sample: its bytes, and the parts if memory is given. */
static gsize
divide_workspace (Sample *sample, char *memory)
{
  gsize anchors = (gsize) sample->n_anchors, labels = (gsize) sample->n_labels;
  gsize bytes = 0, cells, anchor_bytes, overlap_bytes, at[4];

  if (!g_size_checked_mul (&cells, anchors, labels) ||
      !g_size_checked_mul (&overlap_bytes, cells, sizeof (float)) ||
      !g_size_checked_mul (&anchor_bytes, anchors, sizeof (Anchor)))
    return G_MAXSIZE;

  at[0] = hyb_workspace_take (&bytes, anchor_bytes);
  at[1] = hyb_workspace_take (&bytes, anchor_bytes);
  at[2] = hyb_workspace_take (&bytes, overlap_bytes);
  at[3] = hyb_workspace_take (&bytes, labels);
  if (memory)
    {
      sample->anchor = (gpointer) (memory + at[0]);
      sample->candidate = (gpointer) (memory + at[1]);
      sample->overlap = (gpointer) (memory + at[2]);
      sample->is_given = (gpointer) (memory + at[3]);
    }
  return bytes;
}

static Sample
describe_sample (const HybCall *call)
{
  return (Sample){
    .params = call->params,
    .n_anchors = call->input[0].shape.dim[1],
    .n_labels = call->input[1].shape.dim[1],
    .width = call->input[1].shape.dim[2],
    .n_classes = call->input[2].shape.dim[1],
  };
}

static gsize
target_workspace (const HybCall *call)
{
  Sample sample = describe_sample (call);

  return divide_workspace (&sample, NULL);
}

static void
target_forward (const HybCall *call, const HybRun *run)
{
  const TargetParams *params = call->params;
  Sample              sample = describe_sample (call);
  HybDType            dtype = call->output[0].dtype;

  divide_workspace (&sample, run->workspace);
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  memset (run->output[1], 0, hyb_type_bytes (&call->output[1]));
  hyb_fill (run->output[2], dtype, (float) params->ignore_label,
            (gsize) hyb_shape_size (&call->output[2].shape));

  for (gint64 i = 0; i < call->input[1].shape.dim[0]; i++)
    if (dtype == HYB_F64)
      assign_targets_f64 (&sample, run, i);
    else
      assign_targets_f32 (&sample, run, i);
}

static const char *const target_inputs[] = { "anchor", "label", "cls_pred", NULL };
static const char *const target_outputs[] = { "loc_target", "loc_mask", "cls_target", NULL };

const HybOp hyb_ops_multi_box_target[] = {
  {
      .name = "_contrib_MultiBoxTarget",
      .doc = "Training targets of anchors: class, offsets, and which of them count.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = target_inputs,
      .outputs = target_outputs,
      HYB_PARAMS (target_params, TargetParams),
      .check = target_check,
      .infer_shape = target_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = target_forward,
      .workspace = target_workspace,
  },
  { 0 },
};
