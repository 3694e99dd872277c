/* kl-sparse-reg.c — IdentityAttachKLSparseReg: the identity, whose gradient adds that of a
 * Kullback-Leibler penalty between the mean activation of every unit and a target.
 *
 * The mean is a moving average over batches, kept in the mutable input moving_avg.  Its value
 * after this batch is also a hidden output, so that the gradient does not depend on when the
 * state is written.  Start at KERNELS.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  double sparseness_target, penalty, momentum;
} SparseParams;

static const HybParam sparse_params[] = {
  { HYB_FIELD (SparseParams, sparseness_target), HYB_PARAM_FLOAT, "0.1", .low = 0, .high = 1,
    .doc = "target of the mean activation" },
  { HYB_FIELD (SparseParams, penalty), HYB_PARAM_FLOAT, "0.001", .low = 0, .high = 1,
    .doc = "weight of the penalty" },
  { HYB_FIELD (SparseParams, momentum), HYB_PARAM_FLOAT, "0.9", .low = 0, .high = 1,
    .doc = "weight of the old value when the mean is updated" },
  { 0 },
};

/* data (batch, units, …), mean (units). */
static gboolean
sparse_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  gint64    units;

  if (!hyb_shape_unify (data, &call->output[0].shape, error) ||
      !hyb_layer_expect_rank (data, "data", 2, HYB_MAX_RANK, error))
    return FALSE;

  units = data->rank > 1 ? data->dim[1] : HYB_UNKNOWN;
  return hyb_layer_expect_vector (&call->input[1].shape, "moving_avg", units, error) &&
         hyb_layer_expect_vector (&call->output[1].shape, "average", units, error);
}

#define KERNELS(T, suffix)                                                                      \
  static void update_average_##suffix (const HybCall *call, const HybRun *run)                  \
  {                                                                                             \
    const SparseParams *params = call->params;                                                  \
    const HybShape     *shape = &call->input[0].shape;                                          \
    const T            *x = run->input[0];                                                      \
    T                  *state = (T *) run->input[1];                                            \
    T                  *average = run->output[1];                                               \
    gint64              units = shape->dim[1], inner = hyb_shape_count (shape, 2, shape->rank); \
                                                                                                \
    for (gint64 unit = 0; unit < units; unit++)                                                 \
      {                                                                                         \
        double sum = 0.0;                                                                       \
                                                                                                \
        for (gint64 n = 0; n < shape->dim[0]; n++)                                              \
          for (gint64 i = 0; i < inner; i++)                                                    \
            sum += (double) x[(n * units + unit) * inner + i];                                  \
        if (run->training)                                                                      \
          state[unit] =                                                                         \
              (T) (params->momentum * (double) state[unit] +                                    \
                   (1.0 - params->momentum) * sum / (double) MAX (shape->dim[0] * inner, 1));   \
        average[unit] = state[unit];                                                            \
      }                                                                                         \
  }                                                                                             \
                                                                                                \
  /* dx = dy + penalty · ((1 − target) / (1 − average) − target / average), per unit. */ \
  static void add_penalty_gradient_##suffix (const HybCall *call, const HybRun *run)            \
  {                                                                                             \
    const SparseParams *params = call->params;                                                  \
    const HybShape     *shape = &call->output[0].shape;                                         \
    const T            *dy = run->input[0];                                                     \
    const T            *average = run->input[1];                                                \
    T                  *dx = run->output[0];                                                    \
    gint64              units = shape->dim[1], inner = hyb_shape_count (shape, 2, shape->rank); \
                                                                                                \
    for (gint64 row = 0; row < shape->dim[0] * units; row++)                                    \
      {                                                                                         \
        double mean = (double) average[row % units];                                            \
        T      penalty_slope =                                                                  \
            (T) (params->penalty * ((1.0 - params->sparseness_target) / (1.0 - mean) -          \
                                    params->sparseness_target / mean));                         \
                                                                                                \
        for (gint64 i = row * inner; i < (row + 1) * inner; i++)                                \
          dx[i] = dy[i] + penalty_slope;                                                        \
      }                                                                                         \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
sparse_forward (const HybCall *call, const HybRun *run)
{
  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    update_average_f64 (call, run);
  else
    update_average_f32 (call, run);
}

/* Inputs: gradient, average. */
static void
sparse_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    add_penalty_gradient_f64 (call, run);
  else
    add_penalty_gradient_f32 (call, run);
}

static const char *const sparse_inputs[] = { "data", "moving_avg", NULL };
static const char *const sparse_outputs[] = { "output", "_average", NULL };
static const char *const backward_inputs[] = { "gradient", "average", NULL };

const HybOp hyb_ops_kl_sparse_reg[] = {
  {
      .name = "IdentityAttachKLSparseReg",
      .doc = "Identity whose gradient adds a penalty on the mean activation of every unit.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_CUSTOM_GRADIENT | HYB_OP_TRAINING_DEPENDENT,
      .inputs = sparse_inputs,
      .outputs = sparse_outputs,
      .mutates = 1u << 1,
      .constant_inputs = 1u << 1,
      HYB_PARAMS (sparse_params, SparseParams),
      .infer_shape = sparse_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sparse_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_IdentityAttachKLSparseReg",
      .doc = "Gradient of IdentityAttachKLSparseReg.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "IdentityAttachKLSparseReg",
      .operands = "g0 o1 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (sparse_params, SparseParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sparse_backward,
  },
  { 0 },
};
