/* integer-convolution.c — _integer_convolution: exact convolutions of 8-bit integers with zero points, as int32, floats or
 * 8-bit integers.
 *
 * ONNX's ConvInteger and QLinearConv; results are those of _integer_matmul, by filter instead of by column.  Padding has the
 * value of the zero point.  Filters that no run changes are packed once.  The loops are in engine/kernels/integers/windows.h.
 * Start with convolution_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/kernels/integers/windows.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/convolution/convolution.h"
#include "engine/ops/quantised/integer-operands.h"

typedef struct
{
  HybIntegerOut out;
  HybShape      kernel, stride, dilate, pad, pad_after;
  int           num_group;
} ConvolutionParams;

static const HybParam convolution_params[] = {
  HYB_INTEGER_OUT_PARAMS,
  { HYB_FIELD (ConvolutionParams, kernel), HYB_PARAM_SHAPE, NULL, .doc = "size of the window" },
  { HYB_FIELD (ConvolutionParams, stride), HYB_PARAM_SHAPE, "()", .doc = "cells between windows" },
  { HYB_FIELD (ConvolutionParams, dilate), HYB_PARAM_SHAPE, "()",
    .doc = "cells between the taps of a window" },
  { HYB_FIELD (ConvolutionParams, pad), HYB_PARAM_SHAPE, "()",
    .doc = "cells added at the beginning of each axis" },
  { HYB_FIELD (ConvolutionParams, pad_after), HYB_PARAM_SHAPE, "()",
    .doc = "cells added at the end of each axis" },
  { HYB_FIELD (ConvolutionParams, num_group), HYB_PARAM_INT, "1", .low = 1, .high = G_MAXINT32,
    .doc = "number of channel groups, convolved independently" },
  { 0 },
};

static gboolean
convolution_check (gconstpointer params, GError **error)
{
  const ConvolutionParams *own = params;

  return hyb_window_check (&own->kernel, &own->stride, &own->dilate, &own->pad, error) &&
         hyb_window_check (&own->kernel, &own->stride, &own->dilate, &own->pad_after, error);
}

/* --- Types --- */

static HybWindow
make_window (const ConvolutionParams *params, gboolean is_after)
{
  HybWindow window;

  hyb_window_init (&window, &params->kernel, &params->stride, &params->dilate,
                   is_after ? &params->pad_after : &params->pad);
  return window;
}

/* The size of an axis of the map; HYB_UNKNOWN if that of the image is. */
static gboolean
infer_axis (const ConvolutionParams *params, int axis, gint64 image, gint64 *map, GError **error)
{
  HybWindow window = make_window (params, FALSE), after = make_window (params, TRUE);
  gint64    span = hyb_window_span (&window, axis), rest;

  *map = HYB_UNKNOWN;
  if (image == HYB_UNKNOWN)
    return TRUE;
  rest = image + window.pad[axis] + after.pad[axis] - span;
  if (rest < 0)
    return hyb_refuse_types (error, NULL,
                             "a window covers %" G_GINT64_FORMAT " cells, but the padded axis has "
                             "%" G_GINT64_FORMAT,
                             span, rest + span);
  *map = rest / window.stride[axis] + 1;
  return TRUE;
}

static gboolean
convolution_infer_shape (HybCall *call, GError **error)
{
  const ConvolutionParams *params = call->params;
  int                      rank = params->kernel.rank + 2;
  HybShape                *data = &call->input[HYB_INTEGER_LEFT].shape,
           *weight = &call->input[HYB_INTEGER_RIGHT].shape;
  HybShape output = hyb_shape_make (rank, NULL), filters = hyb_shape_make (rank, NULL);

  if (!hyb_layer_expect_image (data, "data", rank, error) ||
      !hyb_layer_expect_image (weight, "weight", rank, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN || weight->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_convolution_expect_groups (data->dim[1], params->num_group, error) ||
      (weight->dim[0] != HYB_UNKNOWN &&
       !hyb_convolution_check_groups (weight->dim[0], params->num_group, error)))
    return FALSE;
  filters.dim[0] = weight->dim[0];
  filters.dim[1] = data->dim[1] == HYB_UNKNOWN ? HYB_UNKNOWN : data->dim[1] / params->num_group;
  output.dim[0] = data->dim[0];
  output.dim[1] = weight->dim[0];
  for (int i = 0; i < rank - 2; i++)
    {
      filters.dim[2 + i] = params->kernel.dim[i];
      if (!infer_axis (params, i, data->dim[2 + i], &output.dim[2 + i], error))
        return FALSE;
    }
  return hyb_layer_expect (weight, "weight", &filters, error) &&
         hyb_layer_expect (&call->output[0].shape, "output", &output, error) &&
         hyb_integer_expect_vectors (call, 1, weight->dim[0], error);
}

/* --- Running --- */

/* The filters; memory is NULL if they are packed in every run. */
typedef struct
{
  HybIntegerFilters filters;
} ConvolutionPlan;

static HybConvolve
view_call (const HybCall *call)
{
  const ConvolutionParams *params = call->params;
  HybWindow                window = make_window (params, FALSE);

  return hyb_convolution_view (&window, params->num_group,
                               call->input[HYB_INTEGER_RIGHT].shape.dim[0],
                               &call->input[HYB_INTEGER_LEFT].shape, &call->output[0].shape);
}

static void
pack (const HybCall           *call,
      const HybIntegerFilters *filters,
      gconstpointer            weight,
      const gint32            *zeros)
{
  hyb_integer_filters_pack (filters, weight, zeros,
                            hyb_integer_stride (call, HYB_INTEGER_RIGHT_ZERO));
}

static void
convolution_release (HybCall *call)
{
  ConvolutionPlan *plan = call->prepared;

  if (plan)
    g_aligned_free (plan->filters.memory);
  g_clear_pointer (&call->prepared, g_free);
}

/* Packs the filters now if no run changes them and their zero points. */
static void
pack_constants (HybCall *call, ConvolutionPlan *plan)
{
  HybTensor *const  *constants = call->constants;
  gconstpointer      inputs[HYB_INTEGER_RIGHT_ZERO + 1] = { NULL };
  HybRun             run = { .input = inputs };
  g_autofree gint32 *zeros = NULL;

  if (!constants || !constants[HYB_INTEGER_RIGHT] || !constants[HYB_INTEGER_RIGHT_ZERO])
    return;
  inputs[HYB_INTEGER_RIGHT_ZERO] = hyb_tensor_get_data (constants[HYB_INTEGER_RIGHT_ZERO]);
  zeros = g_new (gint32, MAX (1, hyb_integer_n_zeros (call)));
  hyb_integer_read_zeros (call, &run, HYB_INTEGER_RIGHT_ZERO, zeros);
  plan->filters.memory =
      g_aligned_alloc (1, hyb_integer_filters_size (&plan->filters), HYB_ALIGNMENT);
  pack (call, &plan->filters, hyb_tensor_get_data (constants[HYB_INTEGER_RIGHT]), zeros);
}

static gboolean
convolution_prepare (HybCall *call, GError **error)
{
  HybConvolve      convolve = view_call (call);
  ConvolutionPlan *plan;

  call->prepared = plan = g_new0 (ConvolutionPlan, 1);
  plan->filters = hyb_integer_filters (&convolve, call->input[HYB_INTEGER_RIGHT].dtype);
  if (hyb_integer_convolve_workspace (&plan->filters) == G_MAXSIZE)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, "Use less padding",
                         "its padded data has more than 2⁶² elements");
  pack_constants (call, plan);
  return TRUE;
}

/* Parts of the workspace. */
typedef struct
{
  gsize zeros; /* of the data, then of the filters */
  gsize convolution;
  gsize filters; /* if they were not packed before */
  gsize size;
} Parts;

static Parts
divide_workspace (const HybCall *call)
{
  const ConvolutionPlan *plan = call->prepared;
  Parts                  parts = { 0 };

  parts.zeros =
      hyb_workspace_take (&parts.size, (gsize) hyb_integer_n_zeros (call) * sizeof (gint32));
  parts.convolution =
      hyb_workspace_take (&parts.size, hyb_integer_convolve_workspace (&plan->filters));
  parts.filters =
      hyb_workspace_take (&parts.size,
                          plan->filters.memory ? 0 : hyb_integer_filters_size (&plan->filters));
  return parts;
}

static gsize
convolution_workspace (const HybCall *call)
{
  return divide_workspace (call).size;
}

static void
convolution_forward (const HybCall *call, const HybRun *run)
{
  const ConvolutionPlan *plan = call->prepared;
  HybIntegerFilters      filters = plan->filters;
  HybIntegerResult       result = hyb_integer_make_result (call, run);
  Parts                  parts = divide_workspace (call);
  char                  *workspace = run->workspace;
  gint32                *zeros = (gint32 *) (gpointer) (workspace + parts.zeros);
  gint32 *of_filters = hyb_integer_read_zeros (call, run, HYB_INTEGER_LEFT_ZERO, zeros);

  if (!filters.memory)
    {
      filters.memory = workspace + parts.filters;
      hyb_integer_read_zeros (call, run, HYB_INTEGER_RIGHT_ZERO, of_filters);
      pack (call, &filters, run->input[HYB_INTEGER_RIGHT], of_filters);
    }
  hyb_integer_convolve (&filters,
                        &(HybIntegerImage){ call->input[HYB_INTEGER_LEFT].dtype,
                                            run->input[HYB_INTEGER_LEFT], zeros[0] },
                        &result, workspace + parts.convolution);
}

static const char *
convolution_note (const HybCall *call)
{
  return hyb_integer_note ();
}

static void
convolution_cost (const HybCall *call, HybCost *cost)
{
  HybConvolve convolve = view_call (call);

  cost->flops = hyb_convolve_flops (&convolve);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const inputs[] = { "data",  "weight", "data_zero", "weight_zero",
                                      "scale", "offset", "bias",      NULL };

const HybOp hyb_ops_integer_convolution[] = {
  { .name = "_integer_convolution",
    .doc = "Convolutions of 8-bit integers, as int32, or scaled to floats or 8-bit integers.",
    .category = HYB_CATEGORY_CONVOLUTION,
    .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
    .inputs = inputs,
    HYB_PARAMS (convolution_params, ConvolutionParams),
    .check = convolution_check,
    .arity = hyb_integer_arity,
    .infer_shape = convolution_infer_shape,
    .infer_dtype = hyb_integer_infer_dtype,
    .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_U8) |
              HYB_DTYPE_BIT (HYB_I32),
    .prepare = convolution_prepare,
    .release = convolution_release,
    .workspace = convolution_workspace,
    .forward = convolution_forward,
    .note = convolution_note,
    .cost = convolution_cost },
  { 0 },
};
