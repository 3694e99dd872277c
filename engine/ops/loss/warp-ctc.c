/* warp-ctc.c — WarpCTC, a plug-in of older MXNet versions: the softmax over the last axis, whose
 * gradient was that of the CTC loss.  Only the softmax is computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/kernels/softmax.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  gint64 label_length, input_length;
} WarpCtcParams;

static const HybParam warp_ctc_params[] = {
  { HYB_FIELD (WarpCtcParams, label_length), HYB_PARAM_INT, "0", .low = 0, .high = G_MAXINT32,
    .doc = "labels of one sequence" },
  { HYB_FIELD (WarpCtcParams, input_length), HYB_PARAM_INT, "0", .low = 0, .high = G_MAXINT32,
    .doc = "time steps of one sequence" },
  { 0 },
};

/* data: (time steps × sequences, classes); label: (sequences × label_length). */
static gboolean
warp_ctc_infer_shape (HybCall *call, GError **error)
{
  const WarpCtcParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  HybShape             label;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  label = hyb_shape_make (data->rank - 1, NULL);
  for (int i = 1; i < label.rank; i++)
    label.dim[i] = 1;
  if (data->dim[0] != HYB_UNKNOWN && params->input_length > 0)
    label.dim[0] = hyb_dim_multiply (params->label_length, data->dim[0] / params->input_length);
  return hyb_layer_expect (&call->input[1].shape, "label", &label, error);
}

static gboolean
warp_ctc_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[0].dtype, &call->output[0].dtype, error) &&
         (call->input[1].dtype != HYB_DTYPE_UNKNOWN ||
          hyb_dtype_assign (&call->input[1].dtype, HYB_I32, error));
}

static void
warp_ctc_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->input[0].shape;
  HybSoftmaxView  view;

  hyb_softmax_init (&view, shape, shape->rank - 1);
  hyb_softmax_forward (&view, call->output[0].dtype, run->input[0], run->output[0]);
}

static const char *const warp_ctc_inputs[] = { "data", "label", NULL };

const HybOp hyb_ops_warp_ctc[] = {
  {
      .name = "WarpCTC",
      .doc =
          "Softmax over the last axis; its gradient, which the CTC loss defines, is not supported.",
      .category = HYB_CATEGORY_LOSS,
      .inputs = warp_ctc_inputs,
      HYB_PARAMS (warp_ctc_params, WarpCtcParams),
      .constant_inputs = 1 << 1,
      .infer_shape = warp_ctc_infer_shape,
      .infer_dtype = warp_ctc_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_I32),
      .forward = warp_ctc_forward,
      .flops_per_output = 5,
  },
  { 0 },
};
