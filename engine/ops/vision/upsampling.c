/* upsampling.c — UpSampling: scales images up, by repeating cells (nearest) or by a transposed
 * convolution with a given weight (bilinear); and the gradients.
 *
 * With nearest, several inputs of different sizes are scaled to one size and concatenated or
 * summed.  Start at upsampling_forward() and upsampling_backward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-operands.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/convolution/convolve.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef enum
{
  SAMPLE_NEAREST,
  SAMPLE_BILINEAR,
} SampleType;

typedef enum
{
  INPUTS_CONCAT, /* along the channels */
  INPUTS_SUM,
} InputMode;

typedef struct
{
  gint64 scale, num_filter, num_args, workspace;
  int    sample_type, multi_input_mode;
} UpSamplingParams;

static const char *const sample_names[] = { "nearest", "bilinear", NULL };
static const char *const mode_names[] = { "concat", "sum", NULL };

/* Larger factors indicate a damaged file. */
#define MAX_SCALE 1000

static const HybParam upsampling_params[] = {
  { HYB_FIELD (UpSamplingParams, scale), HYB_PARAM_INT, NULL, .low = 1, .high = MAX_SCALE,
    .doc = "scale of the first input along each axis" },
  { HYB_FIELD (UpSamplingParams, num_filter), HYB_PARAM_INT, "0", .low = 0, .high = G_MAXINT32,
    .doc = "number of channels (bilinear)" },
  { HYB_FIELD (UpSamplingParams, sample_type), HYB_PARAM_ENUM, NULL, .choices = sample_names,
    .doc = "interpolation: repeated cells or a transposed convolution" },
  { HYB_FIELD (UpSamplingParams, multi_input_mode), HYB_PARAM_ENUM, "concat", .choices = mode_names,
    .doc = "how several inputs are combined" },
  { HYB_FIELD (UpSamplingParams, num_args), HYB_PARAM_INT, NULL, .low = 1, .high = 1000,
    .doc = "number of inputs" },
  { HYB_FIELD (UpSamplingParams, workspace), HYB_PARAM_INT, "512", .doc = "has no effect" },
  { 0 },
};

static void
upsampling_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const UpSamplingParams *params = values;

  *n_inputs = params->sample_type == SAMPLE_BILINEAR ? 2 : (guint) params->num_args;
  *n_outputs = 1;
}

/* Height and width of the kernel of the transposed convolution. */
static gint64
kernel_size (const UpSamplingParams *params)
{
  return 2 * params->scale - params->scale % 2;
}

/* Padding of the transposed convolution: ⌈(scale − 1) / 2⌉. */
static gint64
padding (const UpSamplingParams *params)
{
  return params->scale / 2;
}

/* All inputs must have the same batch size and, if they are summed, number of channels. */
static gboolean
expect_one_batch (HybCall *call, guint n_inputs, GError **error)
{
  const UpSamplingParams *params = call->params;
  const HybShape         *first = &call->input[0].shape;
  HybShape                want = hyb_shape_4d (HYB_UNKNOWN, HYB_UNKNOWN, HYB_UNKNOWN, HYB_UNKNOWN);

  if (first->rank == HYB_UNKNOWN)
    return TRUE;
  want.dim[0] = first->dim[0];
  if (params->multi_input_mode != INPUTS_CONCAT)
    want.dim[1] = first->dim[1];

  for (guint i = 1; i < n_inputs; i++)
    if (!hyb_layer_expect (&call->input[i].shape, "data", &want, error))
      return FALSE;

  return TRUE;
}

/* The output has the height and width of the first input, scaled; those of every other input must
 * divide them.  `output` is the output of UpSampling or, in the gradient, the incoming gradient;
 * the first n_inputs inputs are the same in both. */
static gboolean
infer_nearest (HybCall *call, guint n_inputs, HybShape *output, GError **error)
{
  const UpSamplingParams *params = call->params;
  HybShape               *first = &call->input[0].shape;
  HybShape                want = *first;
  gint64                  channels = 0;

  for (guint i = 0; i < n_inputs; i++)
    {
      const HybShape *shape = &call->input[i].shape;

      if (!hyb_layer_expect_image (shape, "data", 4, error))
        return FALSE;
      if (shape->rank == HYB_UNKNOWN || shape->dim[1] == HYB_UNKNOWN)
        channels = HYB_UNKNOWN;
      else if (channels != HYB_UNKNOWN)
        channels += shape->dim[1];
    }
  if (!expect_one_batch (call, n_inputs, error))
    return FALSE;
  if (first->rank == HYB_UNKNOWN)
    return TRUE;

  if (params->multi_input_mode == INPUTS_CONCAT)
    want.dim[1] = channels;
  for (int axis = 2; axis < 4; axis++)
    if (want.dim[axis] != HYB_UNKNOWN)
      want.dim[axis] *= params->scale;

  for (guint i = 1; i < n_inputs; i++)
    for (int axis = 2; axis < 4 && call->input[i].shape.rank == 4; axis++)
      {
        gint64 size = call->input[i].shape.dim[axis];

        if (size != HYB_UNKNOWN && want.dim[axis] != HYB_UNKNOWN &&
            (size == 0 || want.dim[axis] % size != 0))
          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                               "input %u has %" G_GINT64_FORMAT
                               " cells along axis %d, which cannot be scaled to %" G_GINT64_FORMAT,
                               i, size, axis, want.dim[axis]);
      }

  return hyb_layer_expect (output, "output", &want, error);
}

static gboolean
infer_bilinear (HybCall *call, GError **error)
{
  const UpSamplingParams *params = call->params;
  HybShape               *data = &call->input[0].shape;
  gint64                  size = kernel_size (params);
  HybShape want = hyb_shape_4d (HYB_UNKNOWN, params->num_filter, HYB_UNKNOWN, HYB_UNKNOWN);
  HybShape weight = hyb_shape_4d (params->num_filter, 1, size, size);

  if (!hyb_layer_expect (data, "data", &want, error) ||
      !hyb_layer_expect_image (data, "data", 4, error) ||
      !hyb_layer_expect (&call->input[1].shape, "weight", &weight, error))
    return FALSE;

  want.dim[0] = data->dim[0];
  for (int axis = 2; axis < 4; axis++)
    if (data->dim[axis] != HYB_UNKNOWN)
      want.dim[axis] = data->dim[axis] * params->scale;
  return hyb_layer_expect (&call->output[0].shape, "output", &want, error);
}

static gboolean
upsampling_infer_shape (HybCall *call, GError **error)
{
  const UpSamplingParams *params = call->params;

  return params->sample_type == SAMPLE_BILINEAR
             ? infer_bilinear (call, error)
             : infer_nearest (call, call->n_inputs, &call->output[0].shape, error);
}

static HybConvolve
view_convolve (const HybCall *call)
{
  const UpSamplingParams *params = call->params;
  const HybShape         *data = &call->input[0].shape;
  gint64                  size = kernel_size (params);

  return (HybConvolve){
    .batch = data->dim[0],
    .groups = data->dim[1],
    .image_channels = data->dim[1],
    .map_channels = data->dim[1],
    .image = { 1, call->output[0].shape.dim[2], call->output[0].shape.dim[3] },
    .map = { 1, data->dim[2], data->dim[3] },
    .kernel = { 1, size, size },
    .stride = { 1, params->scale, params->scale },
    .dilate = { 1, 1, 1 },
    .pad = { 0, padding (params), padding (params) },
  };
}

/* The number of the output plane that holds sample n, channel c of an input. */
static gint64
output_plane (const HybCall *call, const HybShape *output, guint input, gint64 n, gint64 c)
{
  const UpSamplingParams *params = call->params;
  gint64                  offset = 0;

  if (params->multi_input_mode == INPUTS_CONCAT)
    for (guint i = 0; i < input; i++)
      offset += call->input[i].shape.dim[1];

  return n * output->dim[1] + offset + c;
}

#define REAL_KERNEL "engine/ops/vision/upsampling-kernel.h"
#include "engine/kernels/each-real.h"

static gsize
upsampling_workspace (const HybCall *call)
{
  const UpSamplingParams *params = call->params;
  HybConvolve             convolve;

  if (params->sample_type == SAMPLE_NEAREST)
    return 0;

  convolve = view_convolve (call);
  return hyb_convolve_workspace (&convolve, hyb_dtype_size (call->output[0].dtype));
}

static void
upsampling_forward (const HybCall *call, const HybRun *run)
{
  const UpSamplingParams *params = call->params;
  gboolean                is_double = call->output[0].dtype == HYB_F64;
  HybConvolve             convolve;

  if (params->sample_type == SAMPLE_NEAREST)
    {
      memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
      for (guint i = 0; i < call->n_inputs; i++)
        is_double ? repeat_cells_f64 (call, run, i) : repeat_cells_f32 (call, run, i);
      return;
    }

  convolve = view_convolve (call);
  hyb_convolve_transposed (&convolve, &(HybConvolveOperands){ .dtype = call->output[0].dtype,
                                                              .data = run->input[0],
                                                              .weight = run->input[1],
                                                              .result = run->output[0],
                                                              .workspace = run->workspace });
}

/* Gradient for sample_type nearest.  Inputs: those of UpSampling, gradient.  Outputs: a gradient
 * for each input of UpSampling. */
static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const UpSamplingParams *params = values;

  *n_inputs = (guint) params->num_args + 1;
  *n_outputs = (guint) params->num_args;
}

static void
upsampling_backward (const HybCall *call, const HybRun *run)
{
  for (guint i = 0; i < call->n_outputs; i++)
    if (call->output[0].dtype == HYB_F64)
      gather_cells_f64 (call, run, i);
    else
      gather_cells_f32 (call, run, i);
}

/* The gradients of the equivalent Deconvolution. */
static void
bilinear_gradient (HybGrad *grad)
{
  const UpSamplingParams *params = hyb_grad_params (grad);
  gint64                  size = kernel_size (params), pad = padding (params);
  g_autofree char        *kernel =
      g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", size, size);
  g_autofree char *stride = g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                                             params->scale, params->scale);
  g_autofree char *pads =
      g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", pad, pad);
  g_autofree char  *channels = g_strdup_printf ("%" G_GINT64_FORMAT, params->num_filter);
  const char *const attributes[] = { "kernel",     kernel,   "stride",    stride,   "pad", pads,
                                     "num_filter", channels, "num_group", channels, NULL };
  HybValueId        dy = hyb_grad_incoming (grad, 0);
  HybValueId        data = hyb_grad_input (grad, 0);
  HybValueId        weight = hyb_grad_input (grad, 1);

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        hyb_grad_emit_with (grad, "_backward_Deconvolution_data", attributes, 3,
                                            (HybValueId[]){ dy, weight, data }));
  if (hyb_grad_needs_input (grad, 1))
    hyb_grad_set_input (grad, 1,
                        hyb_grad_emit_with (grad, "_backward_Deconvolution_weight", attributes, 3,
                                            (HybValueId[]){ dy, data, weight }));
}

static void
upsampling_gradient (HybGrad *grad)
{
  const UpSamplingParams *params = hyb_grad_params (grad);

  if (params->sample_type == SAMPLE_BILINEAR)
    bilinear_gradient (grad);
  else
    hyb_gradient_by_operands (grad);
}

static void
upsampling_cost (const HybCall *call, HybCost *cost)
{
  const UpSamplingParams *params = call->params;
  HybConvolve             convolve;

  cost->flops = 0;
  if (params->sample_type == SAMPLE_BILINEAR)
    {
      convolve = view_convolve (call);
      cost->flops = hyb_convolve_flops (&convolve);
    }
  else if (params->multi_input_mode == INPUTS_SUM)
    cost->flops = (double) (call->n_inputs - 1) * (double) hyb_shape_size (&call->output[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const upsampling_inputs[] = { "data", "weight", NULL };
static const char *const backward_inputs[] = { "data", NULL };

const HybOp hyb_ops_upsampling[] = {
  {
      .name = "UpSampling",
      .doc = "Scales images up by an integer factor.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = upsampling_inputs,
      HYB_PARAMS (upsampling_params, UpSamplingParams),
      .arity = upsampling_arity,
      .infer_shape = upsampling_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = upsampling_forward,
      .workspace = upsampling_workspace,
      .gradient = upsampling_gradient,
      .cost = upsampling_cost,
  },
  {
      .name = "_backward_UpSampling",
      .doc = "Gradient of UpSampling: sums over the output cells that repeat a data cell.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "UpSampling",
      .operands = "i* g0 > i*",
      .inputs = backward_inputs,
      HYB_PARAMS (upsampling_params, UpSamplingParams),
      .arity = backward_arity,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = upsampling_backward,
  },
  { 0 },
};
