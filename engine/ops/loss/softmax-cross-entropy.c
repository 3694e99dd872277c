/* softmax-cross-entropy.c — softmax_cross_entropy: the sum over rows of −log p[label], and its
 * gradient.  data (rows, classes), label (rows), output (1).  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-operands.h"
#include "engine/kernels/softmax.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <tgmath.h>

/* Lower bound of p, so that the loss stays finite. */
#define MIN_PROBABILITY 1e-8

static gboolean
cross_entropy_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;

  if (!hyb_layer_expect_rank (data, "data", 2, 2, error) ||
      !hyb_layer_expect_vector (&call->output[0].shape, "output", 1, error))
    return FALSE;

  if (data->rank == HYB_UNKNOWN && call->input[1].shape.rank == 1)
    *data = hyb_shape_2d (call->input[1].shape.dim[0], HYB_UNKNOWN);
  return hyb_layer_expect_vector (&call->input[1].shape, "label",
                                  data->rank == 2 ? data->dim[0] : HYB_UNKNOWN, error);
}

/* Label (input 1) of a row, clamped to 0 … classes − 1. */
static gint64
class_of_row (const HybCall *call, const HybRun *run, gint64 row, gint64 classes)
{
  return CLAMP (hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) row), 0,
                classes - 1);
}

#define KERNELS(T, suffix)                                                              \
  static void cross_entropy_##suffix (const HybCall *call, const HybRun *run)           \
  {                                                                                     \
    const T *x = run->input[0];                                                         \
    gint64   rows = call->input[0].shape.dim[0], classes = call->input[0].shape.dim[1]; \
    double   loss = 0.0;                                                                \
                                                                                        \
    for (gint64 row = 0; classes > 0 && row < rows; row++, x += classes)                \
      {                                                                                 \
        T      maximum = x[0];                                                          \
        double sum = 0.0, p;                                                            \
                                                                                        \
        for (gint64 k = 1; k < classes; k++)                                            \
          maximum = x[k] > maximum ? x[k] : maximum;                                    \
        for (gint64 k = 0; k < classes; k++)                                            \
          sum += (double) exp (x[k] - maximum);                                         \
        p = (double) exp (x[class_of_row (call, run, row, classes)] - maximum) / sum;   \
        loss -= log (p > MIN_PROBABILITY ? p : MIN_PROBABILITY);                        \
      }                                                                                 \
    *(T *) run->output[0] = (T) loss;                                                   \
  }                                                                                     \
                                                                                        \
  /* dx = (p − 1 [k = label]) · dy; output 0 holds p on entry. */                    \
  static void subtract_labels_##suffix (const HybCall *call, const HybRun *run)         \
  {                                                                                     \
    T     *dx = run->output[0];                                                         \
    T      dy = *(const T *) run->input[0];                                             \
    gint64 rows = call->output[0].shape.dim[0], classes = call->output[0].shape.dim[1]; \
                                                                                        \
    for (gint64 row = 0; classes > 0 && row < rows; row++, dx += classes)               \
      {                                                                                 \
        dx[class_of_row (call, run, row, classes)] -= 1;                                \
        for (gint64 k = 0; k < classes; k++)                                            \
          dx[k] *= dy;                                                                  \
      }                                                                                 \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
cross_entropy_forward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    cross_entropy_f64 (call, run);
  else
    cross_entropy_f32 (call, run);
}

/* Inputs: gradient, label, data. */
static void
cross_entropy_backward (const HybCall *call, const HybRun *run)
{
  HybSoftmaxView view;

  hyb_softmax_init (&view, &call->output[0].shape, 1);
  hyb_softmax_forward (&view, call->output[0].dtype, run->input[2], run->output[0]);
  if (call->output[0].dtype == HYB_F64)
    subtract_labels_f64 (call, run);
  else
    subtract_labels_f32 (call, run);
}

static const char *const cross_entropy_inputs[] = { "data", "label", NULL };
static const char *const backward_inputs[] = { "gradient", "label", "data", NULL };

const HybOp hyb_ops_softmax_cross_entropy[] = {
  {
      .name = "softmax_cross_entropy",
      .doc = "Sum over rows of the negative logarithm of softmax at the label.",
      .category = HYB_CATEGORY_LOSS,
      .inputs = cross_entropy_inputs,
      .constant_inputs = 1u << 1,
      .infer_shape = cross_entropy_infer_shape,
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = cross_entropy_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_input = 4,
  },
  {
      .name = "_backward_softmax_cross_entropy",
      .doc = "Gradient of softmax_cross_entropy with respect to its data.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "softmax_cross_entropy",
      .operands = "g0 i1 i0 > i0",
      .inputs = backward_inputs,
      .infer_dtype = hyb_layer_label_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = cross_entropy_backward,
      .flops_per_output = 6,
  },
  { 0 },
};
