/* quantise.c — between floats and quantised values: _contrib_quantize, _contrib_quantize_v2,
 * _contrib_dequantize and _contrib_requantize.
 *
 * The limits of a range are arrays of one float.  Where calibration has not fixed a range, the limits
 * are those of the data of the call.  Start at quantise_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/scale.h"

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"

#include <math.h>
#include <string.h>

enum
{
  OUT_AUTO,
  OUT_INT8,
  OUT_UINT8,
};

typedef struct
{
  int    out_type;
  double min_calib_range, max_calib_range;
} QuantiseParams;

static const char *const plain_choices[] = { "int8", "uint8", NULL };
static const char *const out_choices[] = { "auto", "int8", "uint8", NULL };

static const HybParam plain_params[] = {
  { HYB_FIELD (QuantiseParams, out_type), HYB_PARAM_ENUM, "uint8", .choices = plain_choices,
    .doc = "type of the result" },
  { 0 },
};

static const HybParam quantise_params[] = {
  { HYB_FIELD (QuantiseParams, out_type), HYB_PARAM_ENUM, "int8", .choices = out_choices,
    .doc = "type of the result; auto: uint8 where the calibrated range has no negative numbers" },
  { HYB_FIELD (QuantiseParams, min_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "lower limit of the range, from calibration" },
  { HYB_FIELD (QuantiseParams, max_calib_range), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "upper limit of the range, from calibration" },
  { 0 },
};

typedef struct
{
  int out_type;
} DequantiseParams;

static const char *const float_choices[] = { "float32", NULL };

static const HybParam dequantise_params[] = {
  { HYB_FIELD (DequantiseParams, out_type), HYB_PARAM_ENUM, "float32", .choices = float_choices,
    .doc = "type of the result" },
  { 0 },
};

/* The result and the limits of its range, which have no names in MXNet. */
static void
plain_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 3;
  *n_outputs = 3;
}

static void
quantise_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = 1;
  *n_outputs = 3;
}

static gboolean
is_calibrated (const QuantiseParams *params)
{
  return !isnan (params->min_calib_range) && !isnan (params->max_calib_range);
}

static HybRange
calibrated_range (const QuantiseParams *params)
{
  return (HybRange){ (float) params->min_calib_range, (float) params->max_calib_range };
}

static HybDType
result_dtype (const QuantiseParams *params)
{
  if (params->out_type == OUT_AUTO)
    return is_calibrated (params) && params->min_calib_range >= 0 ? HYB_U8 : HYB_I8;
  return params->out_type == OUT_UINT8 ? HYB_U8 : HYB_I8;
}

/* --- Types --- */

/* Output 0 has the shape of input 0; limits have one element. */
static gboolean
infer_shape (HybCall *call, GError **error)
{
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_layer_expect_vector (&call->input[i].shape, call->op->inputs[i], 1, error))
      return FALSE;
  for (guint i = 1; i < call->n_outputs; i++)
    if (!hyb_layer_expect_vector (&call->output[i].shape, "a limit of the range", 1, error))
      return FALSE;
  return hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error);
}

/* Limits are float32, input 0 is `from` unless that is unknown, output 0 is `to`. */
static gboolean
assign_dtypes (HybCall *call, HybDType from, HybDType to, GError **error)
{
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype, HYB_F32, error))
      return FALSE;
  for (guint i = 1; i < call->n_outputs; i++)
    if (!hyb_dtype_assign (&call->output[i].dtype, HYB_F32, error))
      return FALSE;
  return (from == HYB_DTYPE_UNKNOWN || hyb_dtype_assign (&call->input[0].dtype, from, error)) &&
         hyb_dtype_assign (&call->output[0].dtype, to, error);
}

static gboolean
plain_infer_dtype (HybCall *call, GError **error)
{
  const QuantiseParams *params = call->params;

  return assign_dtypes (call, HYB_F32, params->out_type == 1 ? HYB_U8 : HYB_I8, error);
}

static gboolean
refuse_dtype (const HybCall *call, const char *allowed, GError **error)
{
  return hyb_refuse_types (error, NULL, "its data is %s, but it takes %s",
                           hyb_dtype_name (call->input[0].dtype), allowed);
}

static gboolean
quantise_infer_dtype (HybCall *call, GError **error)
{
  HybDType from = call->input[0].dtype;

  if (from != HYB_DTYPE_UNKNOWN && from != HYB_F32 && from != HYB_I8 && from != HYB_U8)
    return refuse_dtype (call, "float32, int8 or uint8", error);
  return assign_dtypes (call, HYB_DTYPE_UNKNOWN, result_dtype (call->params), error);
}

static gboolean
dequantise_infer_dtype (HybCall *call, GError **error)
{
  HybDType from = call->input[0].dtype;

  if (from != HYB_DTYPE_UNKNOWN && from != HYB_I8 && from != HYB_U8)
    return refuse_dtype (call, "int8 or uint8", error);
  return assign_dtypes (call, HYB_DTYPE_UNKNOWN, HYB_F32, error);
}

static gboolean
requantise_infer_dtype (HybCall *call, GError **error)
{
  return assign_dtypes (call, HYB_I32, result_dtype (call->params), error);
}

/* --- Kernels --- */

/* The limits of the numbers in input 0; (0, 0) if there are none. */
static HybRange
measure (const HybCall *call, const HybRun *run)
{
  const float *x = run->input[0];
  gint64       n = hyb_shape_size (&call->input[0].shape);
  HybRange     range = { n > 0 ? G_MAXFLOAT : 0, n > 0 ? -G_MAXFLOAT : 0 };

  for (gint64 i = 0; i < n; i++)
    {
      range.low = MIN (range.low, x[i]);
      range.high = MAX (range.high, x[i]);
    }
  return range;
}

/* The limits that are returned: as they were for uint8, around 0 for int8. */
static HybRange
returned_range (HybRange range, HybDType dtype)
{
  float extent = hyb_range_extent (range);

  return dtype == HYB_U8 ? range : (HybRange){ -extent, extent };
}

static void
scale_all (const HybCall *call, const HybRun *run, float scale)
{
  gint64   n = hyb_shape_size (&call->input[0].shape);
  HybDType from = call->input[0].dtype, to = call->output[0].dtype;

  /* The product is rounded to float32 first, as in MXNet. */
  for (gint64 i = 0; i < n; i++)
    hyb_quantise_to (run->output[0], to, i,
                     (float) hyb_quantised_get (run->input[0], from, i) * scale);
}

/* The first version of the operator has one level less on each side. */
static void
plain_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  HybRange range = hyb_range_read (run, 1);
  float    extent = hyb_range_extent (range);

  scale_all (call, run, extent == 0 ? 0 : (dtype == HYB_U8 ? 255.0f : 127.0f) / extent);
  hyb_range_write (run, returned_range (range, dtype));
}

/* Values that are quantised already are passed on. */
static void
pass_quantised (const HybCall *call, const HybRun *run)
{
  const QuantiseParams *params = call->params;
  gboolean              is_unsigned = call->input[0].dtype == HYB_U8;
  HybRange              range = { is_unsigned ? 0 : -HYB_INT8_LEVELS,
                     is_unsigned ? HYB_UINT8_LEVELS : HYB_INT8_LEVELS };

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  hyb_range_write (run, is_calibrated (params) ? calibrated_range (params) : range);
}

static void
quantise_forward (const HybCall *call, const HybRun *run)
{
  const QuantiseParams *params = call->params;
  HybDType              dtype = call->output[0].dtype;
  HybRange              range;

  if (call->input[0].dtype != HYB_F32)
    {
      pass_quantised (call, run);
      return;
    }
  range = is_calibrated (params) ? calibrated_range (params) : measure (call, run);
  scale_all (call, run, hyb_range_scale (range, dtype));
  hyb_range_write (run, returned_range (range, dtype));
}

static void
dequantise_forward (const HybCall *call, const HybRun *run)
{
  HybRange range = hyb_range_read (run, 1);
  float    levels = call->input[0].dtype == HYB_U8 ? HYB_UINT8_LEVELS : HYB_INT8_LEVELS;

  scale_all (call, run, hyb_range_extent (range) / levels);
}

/* The extent of the int32 values of input 0. */
static float
measure_levels (const HybCall *call, const HybRun *run)
{
  const gint32 *x = run->input[0];
  float         levels = 0;

  for (gint64 i = 0; i < hyb_shape_size (&call->input[0].shape); i++)
    levels = MAX (levels, fabsf ((float) x[i]));
  return levels;
}

static void
requantise_forward (const HybCall *call, const HybRun *run)
{
  const QuantiseParams *params = call->params;
  HybDType              dtype = call->output[0].dtype;
  float                 step = hyb_range_extent (hyb_range_read (run, 1)) / HYB_INT32_LEVELS;
  float extent = is_calibrated (params) ? hyb_range_extent (calibrated_range (params))
                                        : measure_levels (call, run) * step;

  scale_all (call, run, extent == 0 ? 0 : step * ((dtype == HYB_U8 ? 255.0f : 127.0f) / extent));
  hyb_range_write (run, (HybRange){ dtype == HYB_U8 ? 0 : -extent, extent });
}

static const char *const data_input[] = { "data", NULL };
static const char *const range_inputs[] = { "data", "min_range", "max_range", NULL };

#define QUANTISE_OP                                                                           \
  .category = HYB_CATEGORY_MOVEMENT, .flags = HYB_OP_NO_GRADIENT, .infer_shape = infer_shape, \
  .dtypes = HYB_DTYPES_ALL, .flops_per_output = 2, .float_form = "_copy"

const HybOp hyb_ops_quantise[] = {
  {
      QUANTISE_OP,
      .name = "_contrib_quantize",
      .doc = "Floats as int8 or uint8, in a range given by two inputs.",
      .inputs = range_inputs,
      .arity = plain_arity,
      HYB_PARAMS (plain_params, QuantiseParams),
      .infer_dtype = plain_infer_dtype,
      .forward = plain_forward,
  },
  {
      QUANTISE_OP,
      .name = "_contrib_quantize_v2",
      .doc = "Floats as int8 or uint8, in the calibrated range or the range of the data.",
      .inputs = data_input,
      .arity = quantise_arity,
      HYB_PARAMS (quantise_params, QuantiseParams),
      .infer_dtype = quantise_infer_dtype,
      .forward = quantise_forward,
  },
  {
      QUANTISE_OP,
      .name = "_contrib_dequantize",
      .doc = "Floats from int8 or uint8 values and their range.",
      .inputs = range_inputs,
      HYB_PARAMS (dequantise_params, DequantiseParams),
      .infer_dtype = dequantise_infer_dtype,
      .forward = dequantise_forward,
  },
  {
      QUANTISE_OP,
      .name = "_contrib_requantize",
      .doc = "int8 or uint8 from int32 sums, in the calibrated range or the range of the data.",
      .inputs = range_inputs,
      .arity = plain_arity,
      HYB_PARAMS (quantise_params, QuantiseParams),
      .infer_dtype = requantise_infer_dtype,
      .forward = requantise_forward,
  },
  { 0 },
};
