/* multi-box.c — MultiBoxPrior (the anchor boxes of a single shot detector) and MultiBoxDetection
 * (detections from class scores and offsets of anchors).  No gradients.
 *
 * multi-box-kernel.h has the loops.  Start at prior_infer_shape() and detection_infer_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

/* --- MultiBoxPrior --- */

typedef struct
{
  HybFloats sizes, ratios, steps, offsets;
  gboolean  clip;
} PriorParams;

static const HybParam prior_params[] = {
  { HYB_FIELD (PriorParams, sizes), HYB_PARAM_FLOATS, "(1,)",
    .doc = "heights of the boxes, relative to the image" },
  { HYB_FIELD (PriorParams, ratios), HYB_PARAM_FLOATS, "(1,)", .doc = "ratios of width to height" },
  { HYB_FIELD (PriorParams, clip), HYB_PARAM_BOOL, "False", .doc = "clip boxes to the image" },
  { HYB_FIELD (PriorParams, steps), HYB_PARAM_FLOATS, "(-1, -1)",
    .doc = "distance between cells, down and across; -1: 1 / number of cells" },
  { HYB_FIELD (PriorParams, offsets), HYB_PARAM_FLOATS, "(0.5, 0.5)",
    .doc = "centre of a box within its cell, down and across" },
  { 0 },
};

/* values must have n numbers; n = 0: at least one. */
static gboolean
check_count (const HybFloats *values, const char *name, int n, GError **error)
{
  if (n == 0 ? values->n >= 1 : values->n == n)
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name, NULL,
                       n == 0 ? "it has %d numbers but needs at least 1"
                              : "it has %d numbers but needs %d",
                       MAX (values->n, 0), n);
}

static gboolean
prior_check (gconstpointer values, GError **error)
{
  const PriorParams *params = values;

  if (!check_count (&params->sizes, "sizes", 0, error) ||
      !check_count (&params->ratios, "ratios", 0, error) ||
      !check_count (&params->steps, "steps", 2, error) ||
      !check_count (&params->offsets, "offsets", 2, error))
    return FALSE;

  for (int i = 0; i < params->offsets.n; i++)
    if (!(params->offsets.value[i] >= 0 && params->offsets.value[i] <= 1))
      return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "offsets", NULL,
                           "%g is outside of a cell, which reaches from 0 to 1",
                           params->offsets.value[i]);
  for (int i = 0; i < params->ratios.n; i++)
    if (!(params->ratios.value[i] > 0))
      return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "ratios", NULL,
                           "%g is not a positive ratio", params->ratios.value[i]);
  return TRUE;
}

/* data (batch, channels, H, W), used for its shape only; output (1, boxes, 4). */
static gboolean
prior_infer_shape (HybCall *call, GError **error)
{
  const PriorParams *params = call->params;
  HybShape          *data = &call->input[0].shape;
  HybShape           want = hyb_shape_make (4, NULL);
  gint64             cells;

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect_image (data, "data", 4, error))
    return FALSE;

  cells = hyb_layer_extent (data, 2, 4);
  want = hyb_shape_3d (1, HYB_UNKNOWN, 4);
  if (cells != HYB_UNKNOWN &&
      __builtin_mul_overflow (cells, (gint64) params->sizes.n + params->ratios.n - 1, &want.dim[1]))
    want.dim[1] = HYB_UNKNOWN;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* --- MultiBoxDetection --- */

typedef struct
{
  gboolean  clip, force_suppress;
  double    threshold, nms_threshold;
  gint64    background_id, nms_topk;
  HybFloats variances;
} DetectionParams;

static const HybParam detection_params[] = {
  { HYB_FIELD (DetectionParams, clip), HYB_PARAM_BOOL, "True", .doc = "clip boxes to the image" },
  { HYB_FIELD (DetectionParams, threshold), HYB_PARAM_FLOAT, "0.01",
    .doc = "minimum score of a detection" },
  { HYB_FIELD (DetectionParams, background_id), HYB_PARAM_INT, "0",
    .doc = "has no effect, as in MXNet: class 0 is the background" },
  { HYB_FIELD (DetectionParams, nms_threshold), HYB_PARAM_FLOAT, "0.5",
    .doc = "detections that overlap a better one by as much or more are suppressed" },
  { HYB_FIELD (DetectionParams, force_suppress), HYB_PARAM_BOOL, "False",
    .doc = "suppress detections of different classes too" },
  { HYB_FIELD (DetectionParams, variances), HYB_PARAM_FLOATS, "(0.1, 0.1, 0.2, 0.2)",
    .doc = "factors of the predicted offsets" },
  { HYB_FIELD (DetectionParams, nms_topk), HYB_PARAM_INT, "-1",
    .doc = "number of best detections to sort; -1: all" },
  { 0 },
};

static gboolean
detection_check (gconstpointer values, GError **error)
{
  const DetectionParams *params = values;

  return check_count (&params->variances, "variances", 4, error);
}

/* cls_prob (batch, classes, anchors), loc_pred (batch, 4 · anchors), anchor (1, anchors, 4),
 * output (batch, anchors, 6). */
static gboolean
detection_infer_shape (HybCall *call, GError **error)
{
  HybShape *scores = &call->input[0].shape;
  HybShape  want = hyb_shape_make (3, NULL);
  gint64    anchors;

  if (call->input[2].shape.rank == 3)
    want.dim[2] = call->input[2].shape.dim[1];
  if (!hyb_layer_expect (scores, "cls_prob", &want, error))
    return FALSE;

  anchors = scores->dim[2];
  want = hyb_shape_2d (scores->dim[0], HYB_UNKNOWN);
  if (anchors != HYB_UNKNOWN && __builtin_mul_overflow (anchors, (gint64) 4, &want.dim[1]))
    want.dim[1] = HYB_UNKNOWN;
  if (!hyb_layer_expect (&call->input[1].shape, "loc_pred", &want, error))
    return FALSE;

  want = hyb_shape_3d (1, anchors, 4);
  if (!hyb_layer_expect (&call->input[2].shape, "anchor", &want, error))
    return FALSE;

  want = hyb_shape_3d (scores->dim[0], anchors, 6);
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* A detection to sort: best score first, then by row. */
typedef struct
{
  double score;
  gint64 row;
} Candidate;

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a;
  const Candidate *y = b;

  if (x->score != y->score)
    return x->score < y->score ? 1 : -1;
  return x->row < y->row ? -1 : x->row > y->row;
}

#define REAL_KERNEL "engine/ops/vision/multi-box-kernel.h"
#include "engine/kernels/each-real.h"

static void
prior_forward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    make_boxes_f64 (call->params, &call->input[0].shape, run->output[0]);
  else
    make_boxes_f32 (call->params, &call->input[0].shape, run->output[0]);
}

/* Holds the candidates, then the rows of one sample before they are sorted. */
static gsize
detection_workspace (const HybCall *call)
{
  gsize anchors = (gsize) call->input[0].shape.dim[2], bytes;

  return g_size_checked_mul (&bytes, anchors, sizeof (Candidate) + 6 * sizeof (double)) ? bytes
                                                                                        : G_MAXSIZE;
}

static void
detection_forward (const HybCall *call, const HybRun *run)
{
  for (gint64 sample = 0; sample < call->output[0].shape.dim[0]; sample++)
    if (call->output[0].dtype == HYB_F64)
      detect_f64 (call, run, sample);
    else
      detect_f32 (call, run, sample);
}

static const char *const prior_inputs[] = { "data", NULL };
static const char *const detection_inputs[] = { "cls_prob", "loc_pred", "anchor", NULL };

const HybOp hyb_ops_multi_box[] = {
  {
      .name = "_contrib_MultiBoxPrior",
      .doc = "Anchor boxes of several sizes and ratios around every cell.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = prior_inputs,
      HYB_PARAMS (prior_params, PriorParams),
      .check = prior_check,
      .infer_shape = prior_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = prior_forward,
  },
  {
      .name = "_contrib_MultiBoxDetection",
      .doc = "Detections from class scores, box offsets and anchor boxes.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = detection_inputs,
      HYB_PARAMS (detection_params, DetectionParams),
      .check = detection_check,
      .infer_shape = detection_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = detection_forward,
      .workspace = detection_workspace,
  },
  { 0 },
};
