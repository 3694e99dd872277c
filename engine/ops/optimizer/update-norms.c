/* update-norms.c — functions of trainers over many arrays at once: whether all numbers are finite,
 * sums of squares, and LARS's learning rates from these.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/optimizer-step.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

typedef struct
{
  gint64   num_arrays;
  gboolean init_output;
  double   eta, eps, rescale_grad;
} NormParams;

static const HybParam finite_params[] = {
  { HYB_FIELD (NormParams, init_output), HYB_PARAM_BOOL, "True",
    .doc = "has no effect: the output is always a new array" },
  { 0 },
};

static const HybParam multi_finite_params[] = {
  { HYB_FIELD (NormParams, num_arrays), HYB_PARAM_INT, "1", 1, 65536, .doc = "number of inputs" },
  { HYB_FIELD (NormParams, init_output), HYB_PARAM_BOOL, "True",
    .doc = "has no effect: the output is always a new array" },
  { 0 },
};

static const HybParam sum_params[] = {
  { HYB_FIELD (NormParams, num_arrays), HYB_PARAM_INT, NULL, 1, 65536, .doc = "number of inputs" },
  { 0 },
};

static const HybParam lars_params[] = {
  { HYB_FIELD (NormParams, eta), HYB_PARAM_FLOAT, NULL, .doc = "factor of the rates" },
  { HYB_FIELD (NormParams, eps), HYB_PARAM_FLOAT, NULL, .doc = "added to the denominator" },
  { HYB_FIELD (NormParams, rescale_grad), HYB_PARAM_FLOAT, "1.0",
    .doc = "factor of the gradients" },
  { 0 },
};

static void
multi_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const NormParams *) params)->num_arrays;
  *n_outputs = 1;
}

/* The inputs may have any float type; the output is float32. */
static gboolean
float_infer_dtype (HybCall *call, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      HybDType dtype = call->input[i].dtype;

      if (dtype != HYB_DTYPE_UNKNOWN && dtype != HYB_F16 && dtype != HYB_BF16 && dtype != HYB_F32 &&
          dtype != HYB_F64)
        return hyb_refuse_types (error, NULL, "input %u is %s, but only floats are supported", i,
                                 hyb_dtype_name (dtype));
    }
  return hyb_dtype_assign (&call->output[0].dtype, HYB_F32, error);
}

static gboolean
finite_infer_shape (HybCall *call, GError **error)
{
  HybShape one = hyb_shape_1d (1);

  return hyb_shape_assign (&call->output[0].shape, &one, error);
}

static void
finite_forward (const HybCall *call, const HybRun *run)
{
  gboolean is_finite = TRUE;

  for (guint i = 0; i < call->n_inputs && is_finite; i++)
    for (gint64 k = 0; k < hyb_shape_size (&call->input[i].shape) && is_finite; k++)
      is_finite = isfinite (hyb_dtype_get_double (run->input[i], call->input[i].dtype, (gsize) k));
  hyb_dtype_set_double (run->output[0], call->output[0].dtype, 0, is_finite ? 1 : 0);
}

static gboolean
sum_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_1d (call->n_inputs);

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
sum_forward (const HybCall *call, const HybRun *run)
{
  for (guint i = 0; i < call->n_inputs; i++)
    hyb_dtype_set_double (run->output[0], call->output[0].dtype, i,
                          hyb_sum_of_squares (call->input[i].dtype, run->input[i],
                                              hyb_shape_size (&call->input[i].shape)));
}

/* Inputs: rates, sums of squares of weights and of gradients, decays. */
static void
lars_forward (const HybCall *call, const HybRun *run)
{
  const NormParams *params = call->params;
  HybDType          dtype = call->output[0].dtype;

  for (gint64 i = 0; i < hyb_shape_size (&call->output[0].shape); i++)
    {
      double rate = hyb_dtype_get_double (run->input[0], dtype, (gsize) i);
      double weight = sqrt (hyb_dtype_get_double (run->input[1], dtype, (gsize) i));
      double gradient = sqrt (hyb_dtype_get_double (run->input[2], dtype, (gsize) i));
      double decay = hyb_dtype_get_double (run->input[3], dtype, (gsize) i);

      if (weight > 0 && gradient > 0)
        rate *=
            params->eta * weight / (gradient * params->rescale_grad + decay * weight + params->eps);
      hyb_dtype_set_double (run->output[0], dtype, (gsize) i, rate);
    }
}

static const char *const one_input[] = { "data", NULL };
static const char *const lars_inputs[] = { "lrs", "weights_sum_sq", "grads_sum_sq", "wds", NULL };

const HybOp hyb_ops_update_norms[] = {
  {
      .name = "all_finite",
      .doc = "1 if all numbers of an array are finite, else 0.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = one_input,
      HYB_PARAMS (finite_params, NormParams),
      .infer_shape = finite_infer_shape,
      .infer_dtype = float_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = finite_forward,
  },
  {
      .name = "multi_all_finite",
      .doc = "1 if all numbers of several arrays are finite, else 0.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = one_input,
      HYB_PARAMS (multi_finite_params, NormParams),
      .arity = multi_arity,
      .infer_shape = finite_infer_shape,
      .infer_dtype = float_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = finite_forward,
  },
  {
      .name = "multi_sum_sq",
      .doc = "The sum of squares of each of several arrays.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = one_input,
      HYB_PARAMS (sum_params, NormParams),
      .arity = multi_arity,
      .infer_shape = sum_infer_shape,
      .infer_dtype = float_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sum_forward,
  },
  {
      .name = "multi_lars",
      .doc = "LARS's learning rates from the sums of squares of weights and gradients.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = lars_inputs,
      HYB_PARAMS (lars_params, NormParams),
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = lars_forward,
  },
  { 0 },
};
