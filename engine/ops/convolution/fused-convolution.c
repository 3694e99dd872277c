/* fused-convolution.c — internal operators that passes put in place of Convolution:
 * _fused_convolution (convolution, then an optional sum and rectifier; ordinary or Winograd
 * filters), _winograd_filters (transforms filters), _fold_batch_norm (merges a BatchNorm into
 * weight and bias) and _fold_scale (merges a factor and a summand of each channel into them).
 *
 * Float only.  The passes emit _fused_convolution only where hyb_direct_convolve_fits(), so there
 * is no fallback kernel.  Start at fused_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/convolution/convolution.h"

#include "engine/base/translate.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/kernels/convolution/winograd.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

typedef struct
{
  HybShape kernel, stride, dilate, pad;
  gint64   num_filter, num_group;
  gboolean has_bias, adds, rectify, winograd;
  double   slope;
} FusedParams;

static const HybParam fused_params[] = {
  { HYB_FIELD (FusedParams, kernel), HYB_PARAM_SHAPE, NULL, .doc = "size of the window" },
  { HYB_FIELD (FusedParams, stride), HYB_PARAM_SHAPE, "()", .doc = "cells between windows" },
  { HYB_FIELD (FusedParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window" },
  { HYB_FIELD (FusedParams, pad), HYB_PARAM_SHAPE, "()", .doc = "zeros added on both sides" },
  { HYB_FIELD (FusedParams, num_filter), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of output channels" },
  { HYB_FIELD (FusedParams, num_group), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "number of channel groups, convolved independently" },
  { HYB_FIELD (FusedParams, has_bias), HYB_PARAM_BOOL, "False", .doc = "input 2 is a bias" },
  { HYB_FIELD (FusedParams, adds), HYB_PARAM_BOOL, "False", .doc = "add the last input" },
  { HYB_FIELD (FusedParams, rectify), HYB_PARAM_BOOL, "False",
    .doc = "multiply negative results by slope" },
  { HYB_FIELD (FusedParams, slope), HYB_PARAM_FLOAT, "0", .doc = "factor of negative results" },
  { HYB_FIELD (FusedParams, winograd), HYB_PARAM_BOOL, "False",
    .doc = "the weight is the output of _winograd_filters" },
  { 0 },
};

static void
fused_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const FusedParams *params = values;

  *n_inputs = 2 + (guint) params->has_bias + (guint) params->adds;
  *n_outputs = 1;
}

static gboolean
fused_check (gconstpointer values, GError **error)
{
  const FusedParams *params = values;

  return hyb_window_check (&params->kernel, &params->stride, &params->dilate, &params->pad, error);
}

/* Infers forward only: the pass that emitted the node had all types. */
static gboolean
fused_infer_shape (HybCall *call, GError **error)
{
  const FusedParams *params = call->params;
  const HybShape    *data = &call->input[0].shape;
  HybShape           want = *data;
  HybWindow          window;

  if (!hyb_layer_expect_image (data, "data", params->kernel.rank + 2, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  want.dim[1] = params->num_filter;
  for (int i = 0; i < window.rank; i++)
    if (data->dim[2 + i] != HYB_UNKNOWN)
      want.dim[2 + i] =
          (data->dim[2 + i] + 2 * window.pad[i] - hyb_window_span (&window, i)) / window.stride[i] +
          1;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error) &&
         (!params->adds ||
          hyb_layer_expect (&call->input[call->n_inputs - 1].shape, "other", &want, error));
}

static HybConvolve
view_fused (const HybCall *call)
{
  const FusedParams *params = call->params;
  HybWindow          window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate, &params->pad);
  return hyb_convolution_view (&window, params->num_group, params->num_filter,
                               &call->input[0].shape, &call->output[0].shape);
}

static gsize
fused_workspace (const HybCall *call)
{
  const FusedParams *params = call->params;
  HybConvolve        convolve = view_fused (call);

  return params->winograd ? hyb_winograd_workspace (&convolve)
                          : hyb_direct_convolve_workspace (&convolve);
}

static void
fused_forward (const HybCall *call, const HybRun *run)
{
  const FusedParams *params = call->params;
  HybConvolve        convolve = view_fused (call);
  HybConvolveFinish  finish = { .bias = params->has_bias ? run->input[2] : NULL,
                                .other = params->adds ? run->input[call->n_inputs - 1] : NULL,
                                .rectify = params->rectify,
                                .slope = (float) params->slope };
  HybDirectOperands  operands = { .image = run->input[0],
                                  .weight = run->input[1],
                                  .map = run->output[0],
                                  .workspace = run->workspace };

  (params->winograd ? hyb_winograd_convolve : hyb_direct_convolve) (&convolve, &operands, &finish);
}

static const char *
fused_note (const HybCall *call)
{
  const FusedParams *params = call->params;
  HybConvolve        convolve = view_fused (call);

  return params->winograd ? N_ ("Winograd F(4, 3) along the rows")
                          : hyb_direct_convolve_note (&convolve);
}

/* The cost of the operators it replaces, also with Winograd filters, which need fewer products. */
static void
fused_cost (const HybCall *call, HybCost *cost)
{
  const FusedParams *params = call->params;
  HybConvolve        convolve = view_fused (call);
  int                n_each = params->has_bias + params->adds + params->rectify;

  hyb_rule_cost_bytes (call, cost);
  cost->flops = hyb_convolve_flops (&convolve) +
                (double) n_each * (double) hyb_shape_size (&call->output[0].shape);
}

/* --- _winograd_filters --- */

/* From weight (filters, channels, 3, 3) to (6, filters, channels, 3). */

static gboolean
filters_infer_shape (HybCall *call, GError **error)
{
  const HybShape *weight = &call->input[0].shape;
  HybShape        want = hyb_shape_make (4, NULL);

  if (!hyb_layer_expect_image (weight, "weight", 4, error))
    return FALSE;
  if (weight->rank == HYB_UNKNOWN)
    return TRUE;

  want.dim[0] = HYB_WINOGRAD_ROWS;
  want.dim[1] = weight->dim[0];
  want.dim[2] = weight->dim[1];
  want.dim[3] = 3;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

static void
filters_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *weight = &call->input[0].shape;

  hyb_winograd_filters (weight->dim[0], weight->dim[1], run->input[0], run->output[0]);
}

/* --- _fold_batch_norm --- */

typedef struct
{
  double   eps;
  gboolean fix_gamma, has_bias;
} FoldParams;

static const HybParam fold_params[] = {
  { HYB_FIELD (FoldParams, eps), HYB_PARAM_FLOAT, "0.001", .doc = "added to the variance" },
  { HYB_FIELD (FoldParams, fix_gamma), HYB_PARAM_BOOL, "True", .doc = "take gamma as 1" },
  { HYB_FIELD (FoldParams, has_bias), HYB_PARAM_BOOL, "False",
    .doc = "input 5 is the convolution's bias" },
  { 0 },
};

static void
fold_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const FoldParams *params = values;

  *n_inputs = params->has_bias ? 6 : 5;
  *n_outputs = 2;
}

static gboolean
fold_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_unify (&call->output[0].shape, &call->input[0].shape, error) &&
         hyb_shape_unify (&call->output[1].shape, &call->input[1].shape, error);
}

/* With scale = gamma / √(variance + eps) for each filter: weight · scale and
 * (bias − mean) · scale + beta.  Inputs: weight, gamma, beta, mean, variance, bias. */
static void
fold_forward (const HybCall *call, const HybRun *run)
{
  const FoldParams *params = call->params;
  const float      *weight = run->input[0], *gamma = run->input[1], *beta = run->input[2];
  const float      *mean = run->input[3], *variance = run->input[4];
  float            *new_weight = run->output[0], *new_bias = run->output[1];
  gint64            filters = call->input[0].shape.dim[0];
  gint64            depth = filters > 0 ? hyb_shape_size (&call->input[0].shape) / filters : 0;

  for (gint64 f = 0; f < filters; f++)
    {
      double scale = 1.0 / sqrt ((double) variance[f] + params->eps);
      double bias = params->has_bias ? (double) ((const float *) run->input[5])[f] : 0.0;

      if (!params->fix_gamma)
        scale *= (double) gamma[f];
      for (gint64 k = f * depth; k < (f + 1) * depth; k++)
        new_weight[k] = (float) ((double) weight[k] * scale);
      new_bias[f] = (float) ((bias - (double) mean[f]) * scale + (double) beta[f]);
    }
}

/* --- _fold_scale --- */

typedef struct
{
  gboolean has_bias, has_factor, has_summand;
} ScaleParams;

static const HybParam scale_params[] = {
  { HYB_FIELD (ScaleParams, has_bias), HYB_PARAM_BOOL, "False",
    .doc = "the convolution has a bias" },
  { HYB_FIELD (ScaleParams, has_factor), HYB_PARAM_BOOL, "False", .doc = "there is a factor" },
  { HYB_FIELD (ScaleParams, has_summand), HYB_PARAM_BOOL, "False", .doc = "there is a summand" },
  { 0 },
};

static void
scale_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const ScaleParams *params = values;

  *n_inputs =
      1 + (guint) params->has_bias + (guint) params->has_factor + (guint) params->has_summand;
  *n_outputs = 2;
}

/* Infers forward only: the pass that emitted the node had all types. */
static gboolean
scale_infer_shape (HybCall *call, GError **error)
{
  HybShape *weight = &call->input[0].shape;
  HybShape  filters = hyb_shape_1d (weight->rank > 0 ? weight->dim[0] : HYB_UNKNOWN);

  return hyb_shape_unify (&call->output[0].shape, weight, error) &&
         hyb_shape_unify (&call->output[1].shape, &filters, error);
}

/* One number for each filter. */
typedef struct
{
  const float *numbers; /* NULL: all are `otherwise` */
  gboolean     is_one;  /* all are the first */
  double       otherwise;
} Numbers;

static Numbers
read_numbers (const HybCall *call, const HybRun *run, gboolean has, double otherwise, guint *input)
{
  guint index = has ? (*input)++ : 0;

  return (Numbers){ has ? run->input[index] : NULL,
                    has && hyb_shape_size (&call->input[index].shape) == 1, otherwise };
}

static double
get_number (const Numbers *self, gint64 filter)
{
  return self->numbers ? (double) self->numbers[self->is_one ? 0 : filter] : self->otherwise;
}

/* For each filter: weight · factor and bias · factor + summand.  Inputs: weight, bias, factor, summand. */
static void
scale_forward (const HybCall *call, const HybRun *run)
{
  const ScaleParams *params = call->params;
  guint              input = 1;
  Numbers            bias = read_numbers (call, run, params->has_bias, 0, &input);
  Numbers            factor = read_numbers (call, run, params->has_factor, 1, &input);
  Numbers            summand = read_numbers (call, run, params->has_summand, 0, &input);
  const float       *weight = run->input[0];
  float             *new_weight = run->output[0], *new_bias = run->output[1];
  gint64             filters = call->input[0].shape.dim[0];
  gint64             depth = filters > 0 ? hyb_shape_size (&call->input[0].shape) / filters : 0;

  for (gint64 f = 0; f < filters; f++)
    {
      double by = get_number (&factor, f);

      for (gint64 k = f * depth; k < (f + 1) * depth; k++)
        new_weight[k] = (float) ((double) weight[k] * by);
      new_bias[f] = (float) (get_number (&bias, f) * by + get_number (&summand, f));
    }
}

const HybOp hyb_ops_fused_convolution[] = {
  { .name = "_fused_convolution",
    .doc = "Convolution followed by a sum or rectifier, or with Winograd filters.",
    .category = HYB_CATEGORY_CONVOLUTION,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "data", "weight", "bias", "other", NULL },
    HYB_PARAMS (fused_params, FusedParams),
    .arity = fused_arity,
    .check = fused_check,
    .infer_shape = fused_infer_shape,
    .forward = fused_forward,
    .note = fused_note,
    .workspace = fused_workspace,
    .cost = fused_cost },
  { .name = "_winograd_filters",
    .doc = "Transforms filters of 3 × 3 for Winograd convolution.",
    .category = HYB_CATEGORY_MOVEMENT,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "weight", NULL },
    .infer_shape = filters_infer_shape,
    .forward = filters_forward },
  { .name = "_fold_batch_norm",
    .doc = "Merges a BatchNorm into the weight and bias of the convolution before it.",
    .category = HYB_CATEGORY_MOVEMENT,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "weight", "gamma", "beta", "mean", "var", "bias", NULL },
    .outputs = (const char *const[]){ "weight", "bias", NULL },
    HYB_PARAMS (fold_params, FoldParams),
    .arity = fold_arity,
    .infer_shape = fold_infer_shape,
    .forward = fold_forward },
  { .name = "_fold_scale",
    .doc = "Merges factors and summands of channels into the weight and bias of a convolution.",
    .category = HYB_CATEGORY_MOVEMENT,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "weight", "bias", "factor", "summand", NULL },
    .outputs = (const char *const[]){ "weight", "bias", NULL },
    HYB_PARAMS (scale_params, ScaleParams),
    .arity = scale_arity,
    .infer_shape = scale_infer_shape,
    .forward = scale_forward },
  { 0 },
};
