/* box-nms.c — box_iou (intersection over union of boxes) and box_nms (non-maximum suppression),
 * and the gradient of the latter.
 *
 * box-nms-kernel.h has the loops.  Start at nms_infer_shape() for the layout of a box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "engine/kernels/vectorise.h"

#if defined(__GNUC__) && !defined(__clang__)
/* Nothing reads the flags of floating-point exceptions, for which loops with comparisons would stay scalar. */
#pragma GCC optimize("no-trapping-math")
#endif

typedef enum
{
  FORMAT_CORNER, /* x1, y1, x2, y2 */
  FORMAT_CENTER, /* x, y, width, height */
} BoxFormat;

static const char *const format_names[] = { "corner", "center", NULL };

/* --- box_iou --- */

typedef struct
{
  int format;
} IouParams;

static const HybParam iou_params[] = {
  { HYB_FIELD (IouParams, format), HYB_PARAM_ENUM, "corner", .choices = format_names,
    .doc = "coordinates of a box: two corners, or centre and size" },
  { 0 },
};

/* lhs (l…, 4), rhs (r…, 4), output (l…, r…): every box of lhs with every box of rhs. */
static gboolean
iou_infer_shape (HybCall *call, GError **error)
{
  const HybShape *lhs = &call->input[0].shape;
  const HybShape *rhs = &call->input[1].shape;
  HybShape        want = { .rank = 0 };

  for (guint i = 0; i < 2; i++)
    {
      HybShape *boxes = &call->input[i].shape;

      if (!hyb_layer_expect_rank (boxes, i == 0 ? "lhs" : "rhs", 1, HYB_MAX_RANK / 2, error))
        return FALSE;
      if (boxes->rank == HYB_UNKNOWN)
        return TRUE;

      want = *boxes;
      want.dim[want.rank - 1] = 4;
      if (!hyb_layer_expect (boxes, i == 0 ? "lhs" : "rhs", &want, error))
        return FALSE;
    }

  want.rank = 0;
  for (int i = 0; i < lhs->rank - 1; i++)
    want.dim[want.rank++] = lhs->dim[i];
  for (int i = 0; i < rhs->rank - 1; i++)
    want.dim[want.rank++] = rhs->dim[i];
  if (want.rank == 0)
    want = hyb_shape_1d (1);
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

/* --- box_nms --- */

typedef struct
{
  double   overlap_thresh, valid_thresh;
  gint64   topk, coord_start, score_index, id_index, background_id;
  gboolean force_suppress;
  int      in_format, out_format;
} NmsParams;

static const HybParam nms_params[] = {
  { HYB_FIELD (NmsParams, overlap_thresh), HYB_PARAM_FLOAT, "0.5",
    .doc = "boxes that overlap a better one by more are dropped" },
  { HYB_FIELD (NmsParams, valid_thresh), HYB_PARAM_FLOAT, "0",
    .doc = "boxes with this score or less are dropped" },
  { HYB_FIELD (NmsParams, topk), HYB_PARAM_INT, "-1",
    .doc = "number of best boxes to consider; 0: copy the data, -1: all" },
  { HYB_FIELD (NmsParams, coord_start), HYB_PARAM_INT, "2", .low = 0, .high = G_MAXINT32,
    .doc = "index of the four coordinates in the row of a box" },
  { HYB_FIELD (NmsParams, score_index), HYB_PARAM_INT, "1", .low = 0, .high = G_MAXINT32,
    .doc = "index of the score" },
  { HYB_FIELD (NmsParams, id_index), HYB_PARAM_INT, "-1", .low = -1, .high = G_MAXINT32,
    .doc = "index of the class; -1: boxes have none" },
  { HYB_FIELD (NmsParams, background_id), HYB_PARAM_INT, "-1",
    .doc = "class of the background, which is dropped" },
  { HYB_FIELD (NmsParams, force_suppress), HYB_PARAM_BOOL, "False",
    .doc = "suppress boxes of different classes too" },
  { HYB_FIELD (NmsParams, in_format), HYB_PARAM_ENUM, "corner", .choices = format_names,
    .doc = "coordinates of a box: two corners, or centre and size" },
  { HYB_FIELD (NmsParams, out_format), HYB_PARAM_ENUM, "corner", .choices = format_names,
    .doc = "coordinates of a box in the output" },
  { 0 },
};

/* TRUE if the number at `index` is one of the four coordinates. */
static gboolean
is_coordinate (const NmsParams *params, gint64 index)
{
  return index >= params->coord_start && index < params->coord_start + 4;
}

static gboolean
nms_check (gconstpointer values, GError **error)
{
  const NmsParams *params = values;

  if (is_coordinate (params, params->score_index) || is_coordinate (params, params->id_index) ||
      params->score_index == params->id_index)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "score_index",
                         "Correct coord_start, score_index and id_index",
                         "the score (%" G_GINT64_FORMAT "), the class (%" G_GINT64_FORMAT
                         ") and the coordinates (from %" G_GINT64_FORMAT
                         ") are not different numbers of a box",
                         params->score_index, params->id_index, params->coord_start);
  return TRUE;
}

/* data and output 0 (…, boxes, width), output 1 (…, boxes): the data row of each output row. */
static gboolean
nms_infer_shape (HybCall *call, GError **error)
{
  const NmsParams *params = call->params;
  HybShape        *data = &call->input[0].shape;
  HybShape         want;
  gint64           width, needed;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  width = data->dim[data->rank - 1];
  needed = MAX (params->coord_start + 4, MAX (params->score_index, params->id_index) + 1);
  if (width != HYB_UNKNOWN && width < needed)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data",
                         "Check coord_start, score_index and id_index",
                         "a box has %" G_GINT64_FORMAT " numbers but needs %" G_GINT64_FORMAT,
                         width, needed);

  want = *data;
  want.rank--;
  return hyb_layer_expect (&call->output[1].shape, "record", &want, error);
}

/* A box to sort. */
typedef struct
{
  double score;
  gint64 row;
} Candidate;

/* For qsort(): best score first, then by row. */
static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a;
  const Candidate *y = b;

  if (x->score != y->score)
    return x->score < y->score ? 1 : -1;
  return x->row < y->row ? -1 : x->row > y->row;
}

#define REAL_KERNEL "engine/ops/vision/box-nms-kernel.h"
#include "engine/kernels/each-real.h"

static void
iou_forward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    compare_boxes_f64 (call, run);
  else
    compare_boxes_f32 (call, run);
}

static gsize
nms_workspace (const HybCall *call)
{
  const NmsParams *params = call->params;
  const HybShape  *data = &call->input[0].shape;
  gint64           n = data->dim[data->rank - 2];
  gint64           n_best = params->topk >= 0 ? MIN (params->topk, n) : n;
  gsize            bytes, columns;

  return g_size_checked_mul (&bytes, (gsize) n, sizeof (Candidate)) &&
                 g_size_checked_mul (&columns, (gsize) n_best, 7 * sizeof (double)) &&
                 g_size_checked_add (&bytes, bytes, columns)
             ? bytes
             : G_MAXSIZE;
}

static void
nms_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[0].shape;

  for (gint64 batch = 0; batch < hyb_shape_count (data, 0, data->rank - 2); batch++)
    if (call->output[0].dtype == HYB_F64)
      select_boxes_f64 (call, run, batch);
    else
      select_boxes_f32 (call, run, batch);
}

/* gradient (…, boxes, width), record (…, boxes). */
static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  HybShape boxes;

  if (!hyb_rule_unary (call, error) ||
      !hyb_layer_expect_rank (&call->input[0].shape, "gradient", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (call->input[0].shape.rank == HYB_UNKNOWN)
    return TRUE;

  boxes = call->input[0].shape;
  boxes.rank--;
  return hyb_layer_expect (&call->input[1].shape, "record", &boxes, error);
}

/* Copies gradients to the rows of the boxes that were kept.  Inputs: gradient, record. */
static void
nms_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->output[0].shape;
  gint64          n = shape->dim[shape->rank - 2], width = shape->dim[shape->rank - 1];
  gsize           row = hyb_dtype_size (call->output[0].dtype) * (gsize) width;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < hyb_shape_size (&call->input[1].shape); i++)
    {
      gint64 from = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);

      if (from >= 0 && from < n)
        memcpy ((char *) run->output[0] + (gsize) (i / n * n + from) * row,
                (const char *) run->input[0] + (gsize) i * row, row);
    }
}

static const char *const iou_inputs[] = { "lhs", "rhs", NULL };
static const char *const nms_aliases[] = { "_contrib_box_non_maximum_suppression", NULL };
static const char *const nms_inputs[] = { "data", NULL };
static const char *const nms_outputs[] = { "output0", "_record", NULL };
static const char *const backward_inputs[] = { "gradient", "record", NULL };

const HybOp hyb_ops_box_nms[] = {
  {
      .name = "_contrib_box_iou",
      .doc = "Overlap of boxes: intersection over union.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = iou_inputs,
      HYB_PARAMS (iou_params, IouParams),
      .infer_shape = iou_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = iou_forward,
      .flops_per_output = 12,
  },
  {
      .name = "_contrib_box_nms",
      .aliases = nms_aliases,
      .doc = "Non-maximum suppression: keeps the best of boxes that overlap, sorted by score.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = nms_inputs,
      .outputs = nms_outputs,
      HYB_PARAMS (nms_params, NmsParams),
      .check = nms_check,
      .infer_shape = nms_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = nms_forward,
      .workspace = nms_workspace,
      HYB_GRADIENT ("_backward_box_nms (g0, o1) > i0"),
  },
  {
      .name = "_backward_box_nms",
      .doc = "Gradient of box_nms: passed to the boxes that were kept.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .infer_shape = backward_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = nms_backward,
  },
  { 0 },
};
