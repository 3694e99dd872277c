/* fully-connected.c — FullyConnected: output = data · weightᵀ + bias; and its gradients.
 *
 * data (rows, features), weight (num_hidden, features), bias (num_hidden), output (rows, num_hidden).
 * Data of more dimensions is seen as such a matrix (MatrixView).  Start with
 * fully_connected_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/op.h"

#include "engine/gradient/gradient.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gint64   num_hidden;
  gboolean no_bias;
  gboolean flatten;
} FullyConnectedParams;

static const HybParam fully_connected_params[] = {
  { HYB_FIELD (FullyConnectedParams, num_hidden), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of output features" },
  { HYB_FIELD (FullyConnectedParams, no_bias), HYB_PARAM_BOOL, "False",
    .doc = "leave the bias out" },
  { HYB_FIELD (FullyConnectedParams, flatten), HYB_PARAM_BOOL, "True",
    .doc = "contract all axes but the first, not only the last" },
  { 0 },
};

/* The sizes of data as a matrix (rows × features) and of the output (rows × hidden). */
typedef struct
{
  gint64 rows, features, hidden;
} MatrixView;

static MatrixView
view_matrix (const HybCall *call, const HybShape *data)
{
  const FullyConnectedParams *params = call->params;
  int                         split = params->flatten ? 1 : data->rank - 1;

  return (MatrixView){
    .rows = hyb_shape_count (data, 0, split),
    .features = hyb_shape_count (data, split, data->rank),
    .hidden = params->num_hidden,
  };
}

static void
fully_connected_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const FullyConnectedParams *params = values;

  *n_inputs = params->no_bias ? 2 : 3;
  *n_outputs = 1;
}

/* Relates data and output, which share the axes that are not contracted, and infers the contracted
 * axis of the data from the weight. */
static gboolean
infer_data_and_output (HybCall *call, GError **error)
{
  const FullyConnectedParams *params = call->params;
  HybShape                   *data = &call->input[0].shape;
  HybShape                   *output = &call->output[0].shape;
  const HybShape             *weight = &call->input[1].shape;
  HybShape                    want = HYB_SHAPE_UNKNOWN;

  if (!params->flatten && data->rank == HYB_UNKNOWN && output->rank > 0)
    *data = hyb_shape_make (output->rank, NULL);

  if (data->rank == HYB_UNKNOWN)
    {
      if (params->flatten)
        want = hyb_shape_2d (HYB_UNKNOWN, params->num_hidden);
      return !params->flatten || hyb_layer_expect (output, "output", &want, error);
    }

  want = params->flatten ? hyb_shape_make (2, NULL) : *data;
  if (params->flatten)
    want.dim[0] = data->dim[0];
  want.dim[want.rank - 1] = params->num_hidden;
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  want = hyb_shape_make (data->rank, NULL);
  for (int i = 0; i < (params->flatten ? 1 : data->rank - 1); i++)
    want.dim[i] = output->dim[i];
  if (weight->rank == 2 && (!params->flatten || data->rank == 2))
    want.dim[data->rank - 1] = weight->dim[1];

  return hyb_layer_expect (data, "data", &want, error);
}

static gboolean
fully_connected_infer_shape (HybCall *call, GError **error)
{
  const FullyConnectedParams *params = call->params;
  HybShape                   *data = &call->input[0].shape;
  HybShape                    want = hyb_shape_2d (params->num_hidden, HYB_UNKNOWN);

  if (!hyb_layer_expect_rank (data, "data", 1, HYB_MAX_RANK, error))
    return FALSE;

  if (data->rank > 0)
    want.dim[1] = hyb_layer_extent (data, params->flatten ? 1 : data->rank - 1, data->rank);

  return hyb_layer_expect (&call->input[1].shape, "weight", &want, error) &&
         (params->no_bias ||
          hyb_layer_expect_vector (&call->input[2].shape, "bias", params->num_hidden, error)) &&
         infer_data_and_output (call, error);
}

static HybGemm
forward_product (const MatrixView *view)
{
  return hyb_gemm_dense (view->rows, view->hidden, view->features, FALSE, TRUE);
}

static const char *
fully_connected_note (const HybCall *call)
{
  MatrixView view = view_matrix (call, &call->input[0].shape);
  HybGemm    gemm = forward_product (&view);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

/* hyb_gemm_f64() adds no bias, so each row of the output is set to the bias first, and beta = 1 adds the product to it. */
static void
forward_f64 (const HybRun *run, HybGemm gemm, const double *bias)
{
  double *output = run->output[0];

  for (gint64 i = 0; i < gemm.m && bias; i++)
    memcpy (output + i * gemm.n, bias, sizeof (double) * (gsize) gemm.n);
  gemm.beta = bias ? 1 : 0;
  hyb_gemm_f64 (&gemm, run->input[0], run->input[1], output);
}

static void
fully_connected_forward (const HybCall *call, const HybRun *run)
{
  const FullyConnectedParams *params = call->params;
  MatrixView                  view = view_matrix (call, &call->input[0].shape);
  HybGemm                     gemm = forward_product (&view);
  gconstpointer               bias = params->no_bias ? NULL : run->input[2];

  if (call->output[0].dtype == HYB_F64)
    forward_f64 (run, gemm, bias);
  else if (bias)
    hyb_gemm_biased_f32 (&gemm, run->input[0], run->input[1], bias, run->output[0]);
  else
    hyb_gemm_f32 (&gemm, run->input[0], run->input[1], run->output[0]);
}

/* A NaN stays, as in Activation. */
#define RECTIFY(T)                         \
  static void rectify_##T (gint64 n, T *y) \
  {                                        \
    for (gint64 i = 0; i < n; i++)         \
      y[i] = y[i] <= 0 ? 0 : y[i];         \
  }
RECTIFY (float)
RECTIFY (double)

static void
rectified_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = hyb_shape_size (&call->output[0].shape);

  fully_connected_forward (call, run);
  if (call->output[0].dtype == HYB_F64)
    rectify_double (n, run->output[0]);
  else
    rectify_float (n, run->output[0]);
}

static void
set_flops (const HybCall *call, const HybShape *data, gboolean bias, HybCost *cost)
{
  MatrixView view = view_matrix (call, data);
  double     outputs = (double) view.rows * (double) view.hidden;

  cost->flops = 2.0 * outputs * (double) view.features + (bias ? outputs : 0.0);
  hyb_rule_cost_bytes (call, cost);
}

static void
fully_connected_cost (const HybCall *call, HybCost *cost)
{
  const FullyConnectedParams *params = call->params;

  set_flops (call, &call->input[0].shape, !params->no_bias, cost);
}

static void
rectified_cost (const HybCall *call, HybCost *cost)
{
  fully_connected_cost (call, cost);
  cost->flops += (double) hyb_shape_size (&call->output[0].shape);
}

/* Inputs: gradient of the output, weight, data (for its shape). */
static HybGemm
data_product (const HybCall *call)
{
  MatrixView view = view_matrix (call, &call->input[2].shape);

  return hyb_gemm_dense (view.rows, view.features, view.hidden, FALSE, FALSE);
}

static const char *
backward_data_note (const HybCall *call)
{
  HybGemm gemm = data_product (call);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
backward_data_forward (const HybCall *call, const HybRun *run)
{
  HybGemm gemm = data_product (call);

  hyb_gemm (&gemm, call->output[0].dtype, run->input[0], run->input[1], run->output[0]);
}

static void
backward_data_cost (const HybCall *call, HybCost *cost)
{
  set_flops (call, &call->input[2].shape, FALSE, cost);
}

/* Inputs: gradient of the output, data, weight (for its shape). */
static HybGemm
weight_product (const HybCall *call)
{
  MatrixView view = view_matrix (call, &call->input[1].shape);

  return hyb_gemm_dense (view.hidden, view.features, view.rows, TRUE, FALSE);
}

static const char *
backward_weight_note (const HybCall *call)
{
  HybGemm gemm = weight_product (call);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

static void
backward_weight_forward (const HybCall *call, const HybRun *run)
{
  HybGemm gemm = weight_product (call);

  hyb_gemm (&gemm, call->output[0].dtype, run->input[0], run->input[1], run->output[0]);
}

static void
backward_weight_cost (const HybCall *call, HybCost *cost)
{
  set_flops (call, &call->input[1].shape, FALSE, cost);
}

/* Emits data · weightᵀ with the attributes of the differentiated node, without a bias. */
static HybValueId
emit_product (HybGrad *grad, HybValueId data, HybValueId weight)
{
  const FullyConnectedParams *params = hyb_grad_params (grad);
  g_autofree char            *n = g_strdup_printf ("%" G_GINT64_FORMAT, params->num_hidden);
  const char *const           attributes[] = { "num_hidden", n,         "no_bias",
                                               "True",       "flatten", params->flatten ? "True" : "False",
                                               NULL };

  return hyb_grad_emit_with (grad, "FullyConnected", attributes, 2, (HybValueId[]){ data, weight });
}

/* dX = dY · W is linear in dY and W; data is an input for its shape only. */
static void
backward_data_gradient (HybGrad *grad)
{
  HybValueId h = hyb_grad_incoming (grad, 0);
  HybValueId dy = hyb_grad_input (grad, 0), weight = hyb_grad_input (grad, 1);

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0, emit_product (grad, h, weight));
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        hyb_grad_emit_same (grad, "_backward_FullyConnected_weight", 3,
                                            (HybValueId[]){ dy, h, weight }));
}

/* dW = dYᵀ · X is linear in dY and X; weight is an input for its shape only. */
static void
backward_weight_gradient (HybGrad *grad)
{
  HybValueId h = hyb_grad_incoming (grad, 0);
  HybValueId dy = hyb_grad_input (grad, 0), data = hyb_grad_input (grad, 1);

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0, emit_product (grad, data, h));
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        hyb_grad_emit_same (grad, "_backward_FullyConnected_data", 3,
                                            (HybValueId[]){ dy, h, data }));
}

const HybOp hyb_ops_fully_connected[] = {
  { .name = "FullyConnected",
    .doc = "Every output is a weighted sum of all inputs, plus a bias.",
    .category = HYB_CATEGORY_LINEAR,
    .inputs = (const char *const[]){ "data", "weight", "bias", NULL },
    .rowwise_inputs = 1u << 0,
    HYB_PARAMS (fully_connected_params, FullyConnectedParams),
    .arity = fully_connected_arity,
    .infer_shape = fully_connected_infer_shape,
    .dtypes = HYB_DTYPES_FLOAT,
    .forward = fully_connected_forward,
    .note = fully_connected_note,
    /* dX = dY · W, dW = dYᵀ · X, db = Σ rows of dY. */
    HYB_GRADIENT ("_backward_FullyConnected_data* (g0, i1, i0) > i0; "
                  "_backward_FullyConnected_weight* (g0, i0, i1) > i1; "
                  "sum [axis=-1 exclude=True] (g0) > i2"),
    .cost = fully_connected_cost },
  { .name = "_rectified_fully_connected",
    .doc = "FullyConnected, with negative results replaced by zero.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "data", "weight", "bias", NULL },
    .rowwise_inputs = 1u << 0,
    HYB_PARAMS (fully_connected_params, FullyConnectedParams),
    .arity = fully_connected_arity,
    .infer_shape = fully_connected_infer_shape,
    .dtypes = HYB_DTYPES_FLOAT,
    .forward = rectified_forward,
    .note = fully_connected_note,
    .cost = rectified_cost },
  { .name = "_backward_FullyConnected_data",
    .doc = "Gradient of FullyConnected with respect to its data.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .gradient_of = "FullyConnected",
    .operands = "g0 i1 i0 > i0",
    .inputs = (const char *const[]){ "gradient", "weight", "data", NULL },
    .rowwise_inputs = 1u << 0 | 1u << 2,
    HYB_PARAMS (fully_connected_params, FullyConnectedParams),
    .dtypes = HYB_DTYPES_FLOAT,
    .forward = backward_data_forward,
    .note = backward_data_note,
    .gradient = backward_data_gradient,
    .cost = backward_data_cost },
  { .name = "_backward_FullyConnected_weight",
    .doc = "Gradient of FullyConnected with respect to its weight.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_INTERNAL,
    .gradient_of = "FullyConnected",
    .operands = "g0 i0 i1 > i1",
    .inputs = (const char *const[]){ "gradient", "data", "weight", NULL },
    .row_sum_inputs = 1u << 0 | 1u << 1,
    HYB_PARAMS (fully_connected_params, FullyConnectedParams),
    .dtypes = HYB_DTYPES_FLOAT,
    .forward = backward_weight_forward,
    .note = backward_weight_note,
    .gradient = backward_weight_gradient,
    .cost = backward_weight_cost },
  { 0 },
};
