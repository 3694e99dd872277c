/* quantised-elementwise.c — _contrib_quantized_elemwise_add and …_mul: sum and product of two
 * quantised arrays of the same shape.
 *
 * Inputs: both arrays, then the limits of both ranges.  The result is int32 unless calibration fixed
 * its range.  Start at add_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/scale.h"

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"

#include <math.h>

typedef struct
{
  double   min_calib_range, max_calib_range;
  gboolean enable_float_output;
} PairParams;

#define RANGE_FIELDS                                                           \
  { HYB_FIELD (PairParams, min_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None", \
    .doc = "lower limit of the result's range, from calibration" },            \
  {                                                                            \
    HYB_FIELD (PairParams, max_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None", \
        .doc = "upper limit of the result's range, from calibration"           \
  }

static const HybParam add_params[] = {
  RANGE_FIELDS,
  { 0 },
};

static const HybParam multiply_params[] = {
  RANGE_FIELDS,
  { HYB_FIELD (PairParams, enable_float_output), HYB_PARAM_BOOL, "False",
    .doc = "return floats, without a range" },
  { 0 },
};

static void
multiply_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const PairParams *params = values;

  *n_inputs = 6;
  *n_outputs = params->enable_float_output ? 1 : 3;
}

static gboolean
is_calibrated (const PairParams *params)
{
  return !isnan (params->min_calib_range) && !isnan (params->max_calib_range);
}

static HybRange
calibrated_range (const PairParams *params)
{
  return (HybRange){ (float) params->min_calib_range, (float) params->max_calib_range };
}

static gboolean
pair_infer_shape (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape, *b = &call->input[1].shape, *c = &call->output[0].shape;

  for (guint i = 2; i < call->n_inputs; i++)
    if (!hyb_layer_expect_vector (&call->input[i].shape, call->op->inputs[i], 1, error))
      return FALSE;
  for (guint i = 1; i < call->n_outputs; i++)
    if (!hyb_layer_expect_vector (&call->output[i].shape, call->op->outputs[i], 1, error))
      return FALSE;
  return hyb_shape_unify (a, b, error) && hyb_shape_unify (b, c, error) &&
         hyb_shape_unify (a, b, error);
}

static gboolean
infer_limit_dtypes (HybCall *call, GError **error)
{
  for (guint i = 2; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
      return FALSE;
  for (guint i = 1; i < call->n_outputs; i++)
    if (!hyb_dtype_assign (&call->output[i].dtype, HYB_F32, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_infer_dtype (HybCall *call, GError **error)
{
  HybDType a = call->input[0].dtype, b = call->input[1].dtype;

  for (guint i = 0; i < 2; i++)
    if (call->input[i].dtype != HYB_DTYPE_UNKNOWN && call->input[i].dtype != HYB_I8 &&
        call->input[i].dtype != HYB_U8)
      return hyb_refuse_types (error, NULL, "input %u is %s, not int8 or uint8", i,
                               hyb_dtype_name (call->input[i].dtype));
  if (!infer_limit_dtypes (call, error))
    return FALSE;
  if (!is_calibrated (call->params))
    return hyb_dtype_assign (&call->output[0].dtype, HYB_I32, error);
  if (a == HYB_DTYPE_UNKNOWN || b == HYB_DTYPE_UNKNOWN)
    return TRUE;
  return hyb_dtype_assign (&call->output[0].dtype, a == b ? a : HYB_I8, error);
}

static gboolean
multiply_infer_dtype (HybCall *call, GError **error)
{
  const PairParams *params = call->params;
  HybDType          result = params->enable_float_output ? HYB_F32
                             : is_calibrated (params)    ? HYB_I8
                                                         : HYB_I32;

  return infer_limit_dtypes (call, error) &&
         hyb_dtype_assign (&call->input[0].dtype, HYB_I8, error) &&
         hyb_dtype_assign (&call->input[1].dtype, HYB_I8, error) &&
         hyb_dtype_assign (&call->output[0].dtype, result, error);
}

/* Levels of the output for one level of an input.  If only one input is int8, the other one is
 * rounded to int8 in the scale of the output before it is added. */
static void
add_forward (const HybCall *call, const HybRun *run)
{
  const PairParams *params = call->params;
  HybDType          result = call->output[0].dtype;
  HybRange          a = hyb_range_read (run, 2), b = hyb_range_read (run, 4);
  float             extent = hyb_range_extent (a) + hyb_range_extent (b);
  HybRange          range =
      is_calibrated (params) ? calibrated_range (params) : (HybRange){ -extent, extent };
  float    scale = hyb_range_scale (range, result);
  float    factor_a = scale / hyb_range_scale (a, call->input[0].dtype);
  float    factor_b = scale / hyb_range_scale (b, call->input[1].dtype);
  gboolean is_mixed = call->input[0].dtype != call->input[1].dtype;

  for (gint64 i = 0; i < hyb_shape_size (&call->output[0].shape); i++)
    {
      double x = hyb_quantised_get (run->input[0], call->input[0].dtype, i) * factor_a;
      double y = hyb_quantised_get (run->input[1], call->input[1].dtype, i) * factor_b;

      if (is_mixed && call->input[0].dtype == HYB_U8)
        x = hyb_quantise (x, HYB_I8);
      if (is_mixed && call->input[1].dtype == HYB_U8)
        y = hyb_quantise (y, HYB_I8);
      hyb_quantise_to (run->output[0], result, i, x + y);
    }
  hyb_range_write (run, range);
}

/* Products are truncated toward 0. */
static void
multiply_forward (const HybCall *call, const HybRun *run)
{
  const PairParams *params = call->params;
  const gint8      *a = run->input[0], *b = run->input[1];
  HybDType          result = call->output[0].dtype;
  HybRange          range_a = hyb_range_read (run, 2), range_b = hyb_range_read (run, 4);
  HybRange          range = hyb_range_of_product (range_a, range_b, TRUE);
  float             factor = 1;

  if (is_calibrated (params))
    range = calibrated_range (params);
  if (result != HYB_I32)
    factor = (result == HYB_I8 ? hyb_range_scale (range, HYB_I8) : 1.0f) /
             hyb_range_scale (range_a, HYB_I8) / hyb_range_scale (range_b, HYB_I8);

  for (gint64 i = 0; i < hyb_shape_size (&call->output[0].shape); i++)
    {
      float product = (float) (a[i] * b[i]) * factor;

      hyb_quantise_to (run->output[0], result, i, result == HYB_F32 ? product : truncf (product));
    }
  if (call->n_outputs > 1)
    hyb_range_write (run, range);
}

static const char *const pair_inputs[] = { "lhs",     "rhs",     "lhs_min", "lhs_max",
                                           "rhs_min", "rhs_max", NULL };
static const char *const range_outputs[] = { "output", "min_output", "max_output", NULL };

const HybOp hyb_ops_quantised_elementwise[] = {
  {
      .name = "_contrib_quantized_elemwise_add",
      .float_form = "elemwise_add",
      .doc = "Sum of two quantised arrays, each in its own range.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = pair_inputs,
      .outputs = range_outputs,
      HYB_PARAMS (add_params, PairParams),
      .infer_shape = pair_infer_shape,
      .infer_dtype = add_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = add_forward,
      .flops_per_output = 3,
  },
  {
      .name = "_contrib_quantized_elemwise_mul",
      .float_form = "elemwise_mul",
      .doc = "Product of two int8 arrays, each in its own range.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = pair_inputs,
      .outputs = range_outputs,
      HYB_PARAMS (multiply_params, PairParams),
      .arity = multiply_arity,
      .infer_shape = pair_infer_shape,
      .infer_dtype = multiply_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = multiply_forward,
      .flops_per_output = 3,
  },
  { 0 },
};
