/* loss.c — NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
 *
 * Both pick the score of each target along axis 1.  Targets equal to ignore_index count nothing; a weight belongs to a class.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* Targets and their weights. */
typedef struct
{
  HybValueId targets;
  HybValueId is_counted; /* HYB_NO_ID: all are */
  HybValueId weights;    /* by target; HYB_NO_ID: 1 */
} Targets;

static Targets
read_targets (HybLowering *lowering, HybDType dtype)
{
  Targets  targets = { hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 1), HYB_I64), HYB_NO_ID,
                       HYB_NO_ID };
  gint64   ignored = hyb_onnx_int (lowering, "ignore_index", 0);
  gboolean ignores = hyb_onnx_attribute (lowering, "ignore_index") != NULL;

  if (ignores)
    {
      targets.is_counted = hyb_onnx_binary (lowering, "_npi_not_equal", targets.targets,
                                            hyb_onnx_scalar (lowering, (double) ignored, HYB_I64));
      targets.targets = onnx_where (lowering, targets.is_counted, targets.targets,
                                    hyb_onnx_scalar (lowering, 0, HYB_I64));
    }
  if (hyb_onnx_has_input (lowering, 2))
    targets.weights = onnx_take (lowering, hyb_onnx_input (lowering, 2), targets.targets, 0);
  if (ignores)
    targets.weights =
        onnx_where (lowering, targets.is_counted,
                    targets.weights == HYB_NO_ID ? hyb_onnx_scalar (lowering, 1, dtype)
                                                 : targets.weights,
                    hyb_onnx_scalar (lowering, 0, dtype));
  return targets;
}

static HybValueId
sum_all (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_unary (lowering, "_np_sum", x);
}

/* The loss of logarithms of probabilities, which is output 0. */
static void
set_loss (HybLowering *lowering, HybValueId scores)
{
  const char *reduction = hyb_onnx_string (lowering, "reduction", "mean");
  HybDType    dtype = hyb_onnx_type (lowering, 0)->dtype;
  Targets     targets = read_targets (lowering, dtype);
  HybValueId  loss =
      hyb_lowering_emit (lowering, "pick", 2, (HybValueId[]){ scores, targets.targets }, "axis",
                         "1", NULL);

  loss = hyb_onnx_unary (lowering, "negative", loss);
  if (targets.weights != HYB_NO_ID)
    loss = onnx_multiply (lowering, loss, targets.weights);
  if (strcmp (reduction, "sum") == 0)
    loss = sum_all (lowering, loss);
  else if (strcmp (reduction, "mean") == 0)
    loss = targets.weights == HYB_NO_ID ? hyb_onnx_unary (lowering, "_npi_mean", loss)
                                        : onnx_divide (lowering, sum_all (lowering, loss),
                                                       sum_all (lowering, targets.weights));
  hyb_lowering_set_output (lowering, 0, loss);
}

static void
lower_likelihood (HybLowering *lowering)
{
  set_loss (lowering, hyb_onnx_input (lowering, 0));
}

static void
lower_cross_entropy (HybLowering *lowering)
{
  HybValueId scores = hyb_onnx_input (lowering, 0);

  scores = hyb_lowering_emit (lowering, "log_softmax", 1, &scores, "axis", "1", NULL);
  set_loss (lowering, scores);
  hyb_lowering_set_output (lowering, 1, scores);
}

static const char *const inputs[] = { "input", "target", "weight", NULL };
static const char *const scores[] = { "scores", "labels", "weights", NULL };
static const char *const outputs[] = { "loss", "log_prob", NULL };

const HybOnnxOp hyb_onnx_ops_loss[] = {
  { .op = { HYB_ONNX_ROW, .name = "NegativeLogLikelihoodLoss",
            .doc = "The negative logarithm of the probability of each target.",
            .category = HYB_CATEGORY_LOSS, .inputs = inputs, .outputs = outputs,
            .lower = lower_likelihood },
    .since = 12 },
  { .op = { HYB_ONNX_ROW, .name = "SoftmaxCrossEntropyLoss",
            .doc = "The negative logarithm of the softmax at each target.",
            .category = HYB_CATEGORY_LOSS, .inputs = scores, .outputs = outputs,
            .lower = lower_cross_entropy },
    .since = 12 },
  { .since = 0 },
};
