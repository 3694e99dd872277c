/* fused-quantised.c — computes fused layers on integers, as MXNet does with oneDNN.
 *
 * The sums of products are exact (wide-call.h).  They are scaled to floats, the remaining operators
 * of the body are applied, and the result is rounded.  Start at hyb_fused_quantised_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/fused-quantised.h"

#include "engine/control/fused-body.h"
#include "engine/op/dimensions.h"
#include "engine/ops/quantised/scale.h"
#include "engine/ops/quantised/wide-call.h"

#include <math.h>
#include <string.h>

/* Biases stay below this, for oneDNN. */
#define BIAS_LIMIT ((float) G_MAXINT32 / 2)

typedef struct
{
  HybFusedBody body;
  HybWideCall  first;
  HybWideCall  step[HYB_FUSED_MAX_STEPS];
  guint        n_steps;  /* the planned types */
  gint64       channels; /* of weights and results; 1 if there are no weights */
  gint64       inner;    /* elements of the result that belong to one channel, in a row */
  gsize        numbers;  /* offset in the workspace: scale, then bias of each channel */
  gsize        workspace;
} FusedPlan;

/* The numbers of one run. */
typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  FusedPlan     *plan;
  float         *scale; /* of the weights of each channel, or of all in scale[0] */
  float         *bias;  /* of each channel, in the scale of the sums */
  float          data_scale;
  gboolean       by_channel; /* each channel has a scale of its own */
  HybRange       range;      /* of the result */
} Layer;

static const HybFusedParams *
params_of (const Layer *layer)
{
  return layer->call->params;
}

/* --- Planning --- */

void
hyb_fused_quantised_release (HybCall *call)
{
  FusedPlan *plan = g_steal_pointer (&call->prepared);

  if (!plan)
    return;
  hyb_wide_call_clear (&plan->first);
  for (guint i = 0; i < plan->n_steps; i++)
    hyb_wide_call_clear (&plan->step[i]);
  g_free (plan);
}

static gboolean
plan_steps (FusedPlan *plan, GError **error)
{
  const HybType result = plan->first.call.output[0];

  for (guint i = 0; i < plan->body.n_steps; i++)
    {
      const HybNode *node = plan->body.step[i];

      plan->n_steps = i + 1;
      if (i != plan->body.sum &&
          !hyb_wide_call_init (&plan->step[i], &(HybWideSpec){ node->op, node->params, 1, &result },
                               &plan->workspace, error))
        return FALSE;
    }
  return TRUE;
}

static void
count_channels (FusedPlan *plan, gboolean has_weights)
{
  const HybShape *result = &plan->first.call.output[0].shape;
  const HybShape *weight = &plan->first.call.input[plan->first.call.n_inputs > 1 ? 1 : 0].shape;

  plan->channels = has_weights ? weight->dim[0] : 1;
  plan->inner = weight->rank > 2 && has_weights ? hyb_shape_count (result, 2, result->rank) : 1;
}

static gboolean
plan_layer (FusedPlan *plan, HybCall *call, GError **error)
{
  const HybNode *first;

  if (!hyb_fused_body_read (&plan->body, call->body[0], error))
    return FALSE;
  first = plan->body.first;
  if (!hyb_wide_call_init (&plan->first,
                           &(HybWideSpec){ first->op, first->params, first->n_inputs, call->input },
                           &plan->workspace, error) ||
      !plan_steps (plan, error))
    return FALSE;
  count_channels (plan, !hyb_params_find (call->op->params, "heads"));
  plan->numbers =
      hyb_workspace_take (&plan->workspace, 2 * sizeof (float) * (gsize) MAX (plan->channels, 1));
  return TRUE;
}

gboolean
hyb_fused_quantised_prepare (HybCall *call, GError **error)
{
  FusedPlan *plan = call->prepared = g_new0 (FusedPlan, 1);

  if (plan_layer (plan, call, error))
    return TRUE;
  hyb_fused_quantised_release (call);
  return FALSE;
}

gsize
hyb_fused_quantised_workspace (const HybCall *call)
{
  return ((const FusedPlan *) call->prepared)->workspace;
}

/* --- Weights --- */

/* Loads float weights and the bias, with the BatchNorm of the body merged into them. */
static void
load_weights (Layer *layer)
{
  FusedPlan         *plan = layer->plan;
  const HybNode     *norm = plan->body.norm;
  const void *const *input = layer->run->input + plan->body.norm_input;
  double            *weight = hyb_wide_call_input (&plan->first, layer->run, 1);
  gint64             size = hyb_wide_call_input_size (&plan->first, 1) / MAX (plan->channels, 1);
  const float       *bias = plan->first.call.n_inputs == 3 ? layer->run->input[2] : NULL;

  hyb_wide_call_load (&plan->first, layer->run, 1, layer->run->input[1], HYB_F32);
  for (gint64 c = 0; c < plan->channels; c++)
    layer->bias[c] = bias ? bias[c] : 0;
  for (gint64 c = 0; norm && c < plan->channels; c++)
    {
      const float *gamma = input[0], *beta = input[1], *mean = input[2], *variance = input[3];
      double       eps = hyb_params_get_double (norm->op->params, norm->params, "eps", 1e-3);
      gboolean     is_fixed = hyb_params_get_bool (norm->op->params, norm->params, "fix_gamma");
      float        factor = (float) ((is_fixed ? 1.0f : gamma[c]) / sqrt (variance[c] + eps));

      layer->bias[c] = beta[c] + factor * (layer->bias[c] - mean[c]);
      for (gint64 i = 0; i < size; i++)
        weight[c * size + i] = (float) weight[c * size + i] * factor;
    }
}

static HybRange
measure (const double *numbers, gint64 n)
{
  HybRange range = { n > 0 ? G_MAXFLOAT : 0, n > 0 ? -G_MAXFLOAT : 0 };

  for (gint64 i = 0; i < n; i++)
    {
      range.low = MIN (range.low, (float) numbers[i]);
      range.high = MAX (range.high, (float) numbers[i]);
    }
  return range;
}

/* Chooses the scale of each channel, or one for all of them, whose range is returned. */
static HybRange
choose_scales (Layer *layer, const double *weight, gint64 size)
{
  HybRange whole = measure (weight, layer->plan->channels * size);

  layer->scale[0] = hyb_range_scale (whole, HYB_I8);
  for (gint64 c = 0; layer->by_channel && c < layer->plan->channels; c++)
    {
      float bias = fabsf (layer->bias[c]);

      layer->scale[c] = hyb_range_scale (measure (weight + c * size, size), HYB_I8);
      if (bias != 0)
        layer->scale[c] = MIN (layer->scale[c], BIAS_LIMIT / bias / layer->data_scale);
    }
  return whole;
}

static float
scale_of (const Layer *layer, gint64 channel)
{
  return layer->scale[layer->by_channel ? channel : 0];
}

/* The scale with which the weights of a channel are quantised.  In a convolution with groups MXNet
 * takes the scale of channel g for all channels of group g. */
static float
scale_of_weights (const Layer *layer, gint64 channel)
{
  const HybNode *first = layer->plan->body.first;
  gint64         groups = hyb_params_get_int (first->op->params, first->params, "num_group", 1);

  return scale_of (layer, groups > 1 ? channel / (layer->plan->channels / groups) : channel);
}

/* Float weights: quantised here. */
static HybRange
quantise_weights (Layer *layer)
{
  FusedPlan *plan = layer->plan;
  double    *weight = hyb_wide_call_input (&plan->first, layer->run, 1);
  gint64     size = hyb_wide_call_input_size (&plan->first, 1) / MAX (plan->channels, 1);
  HybRange   whole;

  load_weights (layer);
  whole = choose_scales (layer, weight, size);
  for (gint64 c = 0; c < plan->channels; c++)
    {
      float scale = scale_of_weights (layer, c);

      for (gint64 i = 0; i < size; i++)
        weight[c * size + i] = hyb_quantise ((float) weight[c * size + i] * scale, HYB_I8);
      layer->bias[c] =
          (float) hyb_quantise (layer->bias[c] * (scale_of (layer, c) * layer->data_scale),
                                HYB_I32);
    }
  return whole;
}

/* int8 weights and biases, each with one range, after the range of the data.  A bias that would
 * be too large in the scale of the sums makes the scale of the weights smaller. */
static HybRange
load_quantised_weights (Layer *layer)
{
  FusedPlan   *plan = layer->plan;
  guint        limits = plan->body.n_variables;
  HybRange     range = hyb_range_read (layer->run, limits + 2), bias;
  double      *weight = hyb_wide_call_input (&plan->first, layer->run, 1);
  const gint8 *levels = layer->run->input[2];
  float        bias_scale, factor, most;

  hyb_wide_call_load (&plan->first, layer->run, 1, layer->run->input[1], HYB_I8);
  layer->scale[0] = hyb_range_scale (range, HYB_I8);
  memset (layer->bias, 0, sizeof (float) * (gsize) plan->channels);
  if (plan->first.call.n_inputs < 3)
    return range;

  bias = hyb_range_read (layer->run, limits + 4);
  bias_scale = hyb_range_scale (bias, HYB_I8);
  factor = layer->data_scale * layer->scale[0] / bias_scale;
  most = BIAS_LIMIT / hyb_range_extent (bias) / bias_scale;
  if (factor > most)
    {
      float smaller = most * bias_scale / layer->data_scale / layer->scale[0];

      for (gint64 i = 0; i < hyb_wide_call_input_size (&plan->first, 1); i++)
        weight[i] = round (weight[i] * smaller);
      layer->scale[0] *= smaller;
      factor = most;
    }
  for (gint64 c = 0; c < plan->channels; c++)
    layer->bias[c] = roundf (levels[c] * factor);
  return range;
}

/* The second operand of attention, which has a range as the data has.  There is none if the
 * operator takes queries and keys from one array. */
static HybRange
load_attention (Layer *layer)
{
  FusedPlan *plan = layer->plan;
  guint      limits = plan->body.n_variables;
  gboolean   is_pair = limits == 2;
  HybRange   range = hyb_range_read (layer->run, is_pair ? limits + 2 : limits);

  if (is_pair)
    hyb_wide_call_load (&plan->first, layer->run, 1, layer->run->input[1],
                        layer->call->input[1].dtype);
  layer->scale[0] =
      is_pair ? hyb_range_scale (range, layer->call->input[1].dtype) : layer->data_scale;
  layer->bias[0] = 0;
  return range;
}

static void
load_operands (Layer *layer)
{
  const HybCall        *call = layer->call;
  const HybFusedParams *params = call->params;
  const HybWideCall    *first = &layer->plan->first;
  HybRange              data = hyb_range_read (layer->run, layer->plan->body.n_variables);
  gboolean              is_attention = hyb_params_find (call->op->params, "heads") != NULL;
  gboolean              is_signed = call->input[0].dtype == HYB_I8;
  HybRange              weight;

  layer->data_scale = hyb_range_scale (data, call->input[0].dtype);
  hyb_wide_call_load (first, layer->run, 0, layer->run->input[0], call->input[0].dtype);
  if (first->call.n_inputs == 3)
    memset (hyb_wide_call_input (first, layer->run, 2), 0,
            sizeof (double) * (gsize) hyb_wide_call_input_size (first, 2));
  if (is_attention)
    weight = load_attention (layer);
  else if (call->input[1].dtype == HYB_F32)
    weight = quantise_weights (layer);
  else
    weight = load_quantised_weights (layer);

  if (is_attention && layer->plan->body.n_variables == 2)
    is_signed = FALSE;
  layer->range = hyb_fused_is_calibrated (params) ? (HybRange){ (float) params->min_calib_range,
                                                                (float) params->max_calib_range }
                                                  : hyb_range_of_product (data, weight, is_signed);
}

/* --- After the sums --- */

/* Factors of the result: before the steps of the body, after them, and for an input that is added. */
typedef struct
{
  float before; /* divided by the scale of the channel's weights; 0: the sums stay as they are */
  float after;
  float sum;
} Factors;

static Factors
choose_factors (const Layer *layer)
{
  const HybFusedParams *params = params_of (layer);
  HybDType              dtype = layer->call->output[0].dtype;
  float    result = params->enable_float_output ? 1 : hyb_range_scale (layer->range, dtype);
  gboolean is_real = params->enable_float_output || hyb_fused_is_calibrated (params);
  guint    limits = layer->plan->body.n_variables + 2;
  Factors  factors = { .after = 1 };

  if (!is_real)
    result = layer->data_scale * layer->scale[0];
  if (layer->plan->body.sum != G_MAXUINT)
    factors.sum = result / hyb_range_scale (hyb_range_read (layer->run, limits),
                                            layer->call->input[layer->plan->body.sum_input].dtype);
  if (!is_real)
    return factors;
  /* With functions that are not linear MXNet computes in the unit of the real numbers. */
  if (params->with_eltwise)
    factors.after = result;
  factors.before = (params->with_eltwise ? 1 : result) / layer->data_scale;
  return factors;
}

/* The sums with the bias, in the unit of the steps. */
static void
scale_sums (const Layer *layer, const Factors *factors, double *sums)
{
  gint64 n = hyb_wide_call_output_size (&layer->plan->first);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 c = i / layer->plan->inner % layer->plan->channels;

      sums[i] += layer->bias[c];
      if (factors->before != 0)
        sums[i] = (float) sums[i] * (factors->before / scale_of (layer, c));
    }
}

static void
add_input (const Layer *layer, float factor, double *sums)
{
  guint    input = layer->plan->body.sum_input;
  HybDType dtype = layer->call->input[input].dtype;

  for (gint64 i = 0; i < hyb_wide_call_output_size (&layer->plan->first); i++)
    sums[i] += (float) hyb_quantised_get (layer->run->input[input], dtype, i) * factor;
}

/* After a convolution a clip is left to the range of the result, as MXNet does. */
static gboolean
is_left_out (const Layer *layer, guint step)
{
  const HybFusedBody *body = &layer->plan->body;

  return hyb_params_find (layer->call->op->params, "with_sum") && body->sum == G_MAXUINT &&
         body->step[step]->op == hyb_op_find ("clip");
}

/* Applies the steps to the numbers and returns where the result is. */
static double *
apply_steps (const Layer *layer, const Factors *factors, double *numbers)
{
  FusedPlan *plan = layer->plan;
  gint64     n = hyb_wide_call_output_size (&plan->first);

  for (guint i = 0; i < plan->n_steps; i++)
    {
      if (i == plan->body.sum)
        add_input (layer, factors->sum, numbers);
      else if (!is_left_out (layer, i))
        {
          memcpy (hyb_wide_call_input (&plan->step[i], layer->run, 0), numbers,
                  sizeof (double) * (gsize) n);
          hyb_wide_call_run (&plan->step[i], layer->run);
          numbers = hyb_wide_call_output (&plan->step[i], layer->run);
        }
    }
  return numbers;
}

/* With a sum MXNet writes into the memory of the input that is added and so in its dtype, whatever
 * the dtype of the result is: int8 numbers end at 127 also in a uint8 result. */
static HybDType
stored_dtype (const Layer *layer)
{
  HybDType dtype = layer->call->output[0].dtype;

  if (layer->plan->body.sum == G_MAXUINT || dtype == HYB_I32)
    return dtype;
  return layer->call->input[layer->plan->body.sum_input].dtype;
}

void
hyb_fused_quantised_forward (const HybCall *call, const HybRun *run)
{
  FusedPlan *plan = call->prepared;
  float     *room = (gpointer) ((char *) run->workspace + plan->numbers);
  Layer      layer = {
         .call = call, .run = run, .plan = plan, .scale = room, .bias = room + plan->channels
  };
  const HybFusedParams *params = call->params;
  Factors               factors;
  double               *numbers;

  if (hyb_wide_call_output_size (&plan->first) > 0)
    {
      layer.by_channel = hyb_params_find (call->op->params, "with_sum")
                             ? hyb_fused_is_calibrated (params)
                             : call->n_inputs > 1 && call->input[1].dtype == HYB_F32 &&
                                   hyb_params_find (call->op->params, "with_eltwise");
      load_operands (&layer);
      factors = choose_factors (&layer);
      hyb_wide_call_run (&plan->first, run);
      numbers = hyb_wide_call_output (&plan->first, run);
      scale_sums (&layer, &factors, numbers);
      numbers = apply_steps (&layer, &factors, numbers);
      for (gint64 i = 0; i < hyb_wide_call_output_size (&plan->first); i++)
        hyb_quantise_to (run->output[0], stored_dtype (&layer), i,
                         (float) numbers[i] * factors.after);
    }
  if (call->n_outputs > 1)
    hyb_range_write (run, layer.range);
}
