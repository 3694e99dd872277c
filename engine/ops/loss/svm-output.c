/* svm-output.c — SVMOutput: the identity, whose gradient is that of a one-against-all hinge loss
 * and ignores the incoming gradient.  Start at BACKWARD.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  double   margin, regularization_coefficient;
  gboolean use_linear;
} SvmParams;

static const HybParam svm_params[] = {
  { HYB_FIELD (SvmParams, margin), HYB_PARAM_FLOAT, "1", .doc = "margin of the hinge loss" },
  { HYB_FIELD (SvmParams, regularization_coefficient), HYB_PARAM_FLOAT, "1",
    .doc = "factor of the gradient" },
  { HYB_FIELD (SvmParams, use_linear), HYB_PARAM_BOOL, "False",
    .doc = "use the hinge loss (L1) instead of its square (L2)" },
  { 0 },
};

/* The label has the shape of the data without its last axis, the classes. */
static gboolean
svm_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape  want;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  want = *data;
  want.rank--;
  return hyb_layer_expect (&call->input[1].shape, "label", &want, error);
}

static void
svm_forward (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

/* Inputs: data, label.  With s = 1 at the label and −1 elsewhere, v = margin − s x and
 * c = regularization_coefficient: dx = −c s (use_linear) or −2 c s v where v > 0, else 0. */
#define BACKWARD(name, T)                                                                    \
  static void name (const HybCall *call, const HybRun *run)                                  \
  {                                                                                          \
    const SvmParams *params = call->params;                                                  \
    const T         *x = run->input[0];                                                      \
    T               *dx = run->output[0];                                                    \
    const HybShape  *shape = &call->input[0].shape;                                          \
    gint64           classes = shape->dim[shape->rank - 1];                                  \
    T                factor = (T) params->regularization_coefficient;                        \
                                                                                             \
    for (gint64 row = 0; row < hyb_shape_count (shape, 0, shape->rank - 1); row++)           \
      {                                                                                      \
        gint64 label = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) row); \
                                                                                             \
        for (gint64 k = 0; k < classes; k++, x++, dx++)                                      \
          {                                                                                  \
            T s = k == label ? 1 : -1;                                                       \
            T v = (T) params->margin - s * *x;                                               \
                                                                                             \
            *dx = v > 0 ? -s * factor * (params->use_linear ? 1 : 2 * v) : 0;                \
          }                                                                                  \
      }                                                                                      \
  }

BACKWARD (backward_f32, float)
BACKWARD (backward_f64, double)

#undef BACKWARD

static void
svm_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    backward_f64 (call, run);
  else
    backward_f32 (call, run);
}

static const char *const svm_inputs[] = { "data", "label", NULL };

const HybOp hyb_ops_svm_output[] = {
  {
      .name = "SVMOutput",
      .doc = "Identity with the gradient of a one-against-all hinge loss.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_IN_PLACE,
      .inputs = svm_inputs,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (svm_params, SvmParams),
      .infer_shape = svm_infer_shape,
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = svm_forward,
      .view = hyb_rule_view_all,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_SVMOutput",
      .doc = "Gradient of SVMOutput, a hinge loss.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "SVMOutput",
      .operands = "i0 i1 > i0",
      .inputs = svm_inputs,
      HYB_PARAMS (svm_params, SvmParams),
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = svm_backward,
      .flops_per_output = 4,
  },
  { 0 },
};
