/* box-coding.c — box_encode (offsets of boxes from anchors, the targets of a detector's training)
 * and box_decode (boxes from anchors and predicted offsets).  No gradients.
 *
 * box-coding-kernel.h has the formulas.  Start at encode_infer_shape() and decode_infer_shape().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

/* --- box_decode --- */

typedef enum
{
  FORMAT_CORNER,
  FORMAT_CENTER,
} BoxFormat;

typedef struct
{
  double std0, std1, std2, std3, clip;
  int    format;
} DecodeParams;

static const char *const format_names[] = { "corner", "center", NULL };

static const HybParam decode_params[] = {
  { HYB_FIELD (DecodeParams, std0), HYB_PARAM_FLOAT, "1.0", .doc = "factor of the offset in x" },
  { HYB_FIELD (DecodeParams, std1), HYB_PARAM_FLOAT, "1.0", .doc = "factor of the offset in y" },
  { HYB_FIELD (DecodeParams, std2), HYB_PARAM_FLOAT, "1.0",
    .doc = "factor of the logarithm of the width" },
  { HYB_FIELD (DecodeParams, std3), HYB_PARAM_FLOAT, "1.0",
    .doc = "factor of the logarithm of the height" },
  { HYB_FIELD (DecodeParams, clip), HYB_PARAM_FLOAT, "-1.0",
    .doc = "maximum of the scaled logarithms; 0 or less: none" },
  { HYB_FIELD (DecodeParams, format), HYB_PARAM_ENUM, "center", .choices = format_names,
    .doc = "coordinates of an anchor: two corners, or centre and size" },
  { 0 },
};

/* data and output (batch, boxes, 4); anchors (…, 4) with as many boxes, the same for each sample. */
static gboolean
decode_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *anchors = &call->input[1].shape;
  HybShape  want = hyb_shape_3d (HYB_UNKNOWN, HYB_UNKNOWN, 4);
  gint64    boxes;

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (anchors, "anchors", 3, HYB_MAX_RANK, error))
    return FALSE;

  if (anchors->rank == HYB_UNKNOWN || anchors->rank == 3)
    {
      want = hyb_shape_3d (1, data->dim[1], 4);
      if (!hyb_layer_expect (anchors, "anchors", &want, error))
        {
          g_prefix_error (error, "the samples share one set of anchors: ");
          return FALSE;
        }
      want = hyb_shape_3d (HYB_UNKNOWN, anchors->dim[1], 4);
      return hyb_layer_expect (data, "data", &want, error) &&
             hyb_layer_expect (&call->output[0].shape, "output", data, error);
    }

  boxes = hyb_dims_product (anchors, 0, anchors->rank - 1);
  if (anchors->dim[anchors->rank - 1] != 4 && anchors->dim[anchors->rank - 1] != HYB_UNKNOWN)
    return hyb_refuse_types (error, NULL,
                             "the last dimension of anchors is %" G_GINT64_FORMAT ", not 4",
                             anchors->dim[anchors->rank - 1]);
  return hyb_dim_unify (&boxes, &data->dim[1], "the numbers of anchors and boxes", error) &&
         hyb_shape_unify (data, &call->output[0].shape, error);
}

/* --- box_encode --- */

/* samples and matches (batch, boxes), anchors (batch, boxes, 4), refs (batch, references, 4), means
 * and stds (4); outputs: targets and masks (batch, boxes, 4). */
static gboolean
encode_infer_shape (HybCall *call, GError **error)
{
  HybShape *anchors = &call->input[2].shape;
  HybShape  want = hyb_shape_3d (HYB_UNKNOWN, HYB_UNKNOWN, 4);

  for (guint i = 0; i < 2; i++)
    {
      HybShape boxes = hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN);

      if (!hyb_layer_expect (&call->input[i].shape, i == 0 ? "samples" : "matches", &boxes, error))
        return FALSE;

      boxes = hyb_shape_3d (call->input[i].shape.dim[0], call->input[i].shape.dim[1], 4);
      if (!hyb_layer_expect (anchors, "anchors", &boxes, error) ||
          !hyb_layer_expect (&call->output[i].shape, i == 0 ? "targets" : "masks", anchors, error))
        return FALSE;

      want.dim[0] = anchors->dim[0];
      if (!hyb_layer_expect (&call->input[3].shape, "refs", &want, error) ||
          !hyb_layer_expect_vector (&call->input[4 + i].shape, i == 0 ? "means" : "stds", 4, error))
        return FALSE;
    }
  return TRUE;
}

#define REAL_KERNEL "engine/ops/vision/box-coding-kernel.h"
#include "engine/kernels/each-real.h"

static void
decode_forward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    decode_boxes_f64 (call, run);
  else
    decode_boxes_f32 (call, run);
}

static void
encode_forward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    encode_boxes_f64 (call, run);
  else
    encode_boxes_f32 (call, run);
}

static const char *const decode_inputs[] = { "data", "anchors", NULL };
static const char *const encode_inputs[] = { "samples", "matches", "anchors", "refs",
                                             "means",   "stds",    NULL };

const HybOp hyb_ops_box_coding[] = {
  {
      .name = "_contrib_box_decode",
      .doc = "Boxes from anchors and predicted offsets, as two corners.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = decode_inputs,
      HYB_PARAMS (decode_params, DecodeParams),
      .infer_shape = decode_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = decode_forward,
      .flops_per_output = 8,
  },
  {
      .name = "_contrib_box_encode",
      .doc = "Offsets of matched boxes from their anchors, and a mask of the chosen anchors.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = encode_inputs,
      .outputs = (const char *const[]){ "output0", "output1", NULL },
      .infer_shape = encode_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = encode_forward,
      .flops_per_output = 8,
  },
  { 0 },
};
