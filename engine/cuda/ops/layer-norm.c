/* layer-norm.c — LayerNorm and its gradients, as engine/ops/nn/layer-norm.c defines them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape *shape = &call->input[0].shape;
  HybLines        lines = {
           .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
           .pass = { HYB_LINES_SUM ("x0"),
                     HYB_LINES_SUM ("((double) x0 - r0 / n) * ((double) x0 - r0 / n)") },
           .then = "const double deviation = sqrt (r1 / n + a.s[0]);"
                          " const T mean = (T) (r0 / n), inverse = (T) (1 / deviation);",
           .number = { hyb_cuda_get_double (call, "eps") },
  };

  hyb_lines_lay_axis (&lines, shape,
                      hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", -1), shape->rank));
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_PLACE, NULL);
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_PLACE, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        "(x0 - mean) * inverse * x1 + x2");
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "mean");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE, "deviation");
  return hyb_lines_new (device, &lines, error);
}

/* --- Gradients.  Inputs: gradient, data, gamma, mean, deviation --- */

typedef struct
{
  HybLinesKernel *data, *parameters;
} Prepared;

static void
backward_release (gpointer data)
{
  Prepared *prepared = data;

  g_free (prepared->data);
  g_free (prepared->parameters);
  g_free (prepared);
}

/* gamma belongs to places of a row, the statistics to rows; the other way round in columns. */
static void
add_inputs (HybLines *lines, const HybCall *call, HybLinesIndex gamma, HybLinesIndex statistics)
{
  hyb_lines_add_input (lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (lines, call->input[1].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (lines, call->input[2].dtype, gamma, NULL);
  hyb_lines_add_input (lines, call->input[3].dtype, statistics, NULL);
  hyb_lines_add_input (lines, call->input[4].dtype, statistics, NULL);
}

/* With g = dy · gamma: dx = (g − mean (g) − x̂ · mean (g x̂)) / deviation. */
static HybLinesKernel *
prepare_data (HybDevice *device, const HybCall *call, int axis, GError **error)
{
  HybLines lines = {
    .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
    .first = "const T inverse = 1 / x4;",
    .pass = { HYB_LINES_SUM ("x0 * x2"),
              HYB_LINES_SUM ("(double) (x0 * x2) * (double) (x1 - x3)") },
    .then = "const T mean = (T) (r0 / n), slope = (T) (r1 / n) * inverse * inverse;",
  };

  hyb_lines_lay_axis (&lines, &call->input[1].shape, axis);
  add_inputs (&lines, call, HYB_LINES_PLACE, HYB_LINES_LINE);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        "(x0 * x2 - mean - (x1 - x3) * slope) * inverse");
  return hyb_lines_new (device, &lines, error);
}

/* Σ dy x̂ and Σ dy over the rows: a line for each place of a row. */
static HybLinesKernel *
prepare_parameters (HybDevice *device, const HybCall *call, int axis, GError **error)
{
  const HybShape *shape = &call->input[1].shape;
  gint64          outer = hyb_shape_count (shape, 0, axis);
  gint64          inner = hyb_shape_count (shape, axis + 1, shape->rank);
  HybLines        lines = {
           .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
           .lines = shape->dim[axis],
           .inner = 1,
           .outer_step = inner,
           .length = outer * inner,
           .span = inner,
           .jump = shape->dim[axis] * inner,
           .step = 1,
           .pass = { HYB_LINES_SUM ("x0 * ((x1 - x3) * (1 / x4))"), HYB_LINES_SUM ("x0") },
  };

  add_inputs (&lines, call, HYB_LINES_NONE, HYB_LINES_PLACE);
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "r0");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE, "r1");
  return hyb_lines_new (device, &lines, error);
}

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  int axis = hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", -1), call->input[1].shape.rank);
  Prepared *prepared = g_new0 (Prepared, 1);

  prepared->data = prepare_data (device, call, axis, error);
  if (prepared->data)
    prepared->parameters = prepare_parameters (device, call, axis, error);
  if (!prepared->parameters)
    g_clear_pointer (&prepared, backward_release);
  return prepared;
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared *prepared = data;

  hyb_lines_launch (queue, prepared->parameters, run->input, run->output + 1);
  hyb_lines_launch (queue, prepared->data, run->input, run->output);
}

const HybDeviceOp hyb_cuda_ops_layer_norm[] = {
  HYB_LINES_OP ("LayerNorm", forward_prepare),
  { .name = "_backward_LayerNorm",
    .prepare = backward_prepare,
    .launch = backward_launch,
    .release = backward_release },
  { NULL },
};
