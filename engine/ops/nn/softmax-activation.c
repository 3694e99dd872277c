/* softmax-activation.c — SoftmaxActivation, an old form of softmax over the last axis (mode
 * instance) or axis 1 (mode channel), and its gradient.  kernels/softmax.c computes both.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-formula.h"
#include "engine/kernels/softmax.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef enum
{
  MODE_INSTANCE, /* over the last axis */
  MODE_CHANNEL,  /* over axis 1 */
} ActivationMode;

typedef struct
{
  int mode;
} SoftmaxActivationParams;

static const char *const mode_names[] = { "instance", "channel", NULL };

static const HybParam softmax_activation_params[] = {
  { HYB_FIELD (SoftmaxActivationParams, mode), HYB_PARAM_ENUM, "instance", .choices = mode_names,
    .doc = "axis of the softmax: last (instance) or 1 (channel)" },
  { 0 },
};

static gboolean
softmax_activation_infer_shape (HybCall *call, GError **error)
{
  const SoftmaxActivationParams *params = call->params;

  return hyb_rule_same_shape (call, error) &&
         hyb_layer_expect_rank (&call->input[0].shape, "data", params->mode == MODE_CHANNEL ? 3 : 1,
                                HYB_MAX_RANK, error);
}

static HybSoftmaxView
view_softmax (const HybCall *call)
{
  const SoftmaxActivationParams *params = call->params;
  const HybShape                *shape = &call->input[0].shape;
  HybSoftmaxView                 view;

  hyb_softmax_init (&view, shape, params->mode == MODE_CHANNEL ? 1 : shape->rank - 1);
  return view;
}

static void
softmax_activation_forward (const HybCall *call, const HybRun *run)
{
  HybSoftmaxView view = view_softmax (call);

  hyb_softmax_forward (&view, call->output[0].dtype, run->input[0], run->output[0]);
}

/* Inputs: gradient, output.  This is the derivative in both modes.  MXNet always uses axis 1,
 * which is wrong in mode instance for data of rank 3 and more. */
static void
softmax_activation_backward (const HybCall *call, const HybRun *run)
{
  HybSoftmaxView view = view_softmax (call);

  hyb_softmax_backward (&view, call->output[0].dtype, run->input[1], run->input[0], run->output[0]);
}

static const char *const softmax_activation_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "output", NULL };

const HybOp hyb_ops_softmax_activation[] = {
  {
      .name = "SoftmaxActivation",
      .doc = "Softmax over the last axis or the channels, as in old models.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_IN_PLACE,
      .inputs = softmax_activation_inputs,
      HYB_PARAMS (softmax_activation_params, SoftmaxActivationParams),
      .infer_shape = softmax_activation_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_activation_forward,
      HYB_GRADIENT ("_backward_SoftmaxActivation* (g0, o0) > i0"),
      .flops_per_output = 5,
  },
  {
      .name = "_backward_SoftmaxActivation",
      .doc = "Gradient of SoftmaxActivation from its output.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      HYB_PARAMS (softmax_activation_params, SoftmaxActivationParams),
      .infer_shape = softmax_activation_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = softmax_activation_backward,
      .flops_per_output = 5,
  },
  { 0 },
};
