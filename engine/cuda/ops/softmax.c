/* softmax.c — softmax, softmin, log_softmax and SoftmaxActivation, and their gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#include <math.h>

/* The axis of an operator of either family. */
static int
find_axis (const HybCall *call, int rank)
{
  gboolean is_activation = hyb_params_find (call->op->params, "mode") != NULL;

  if (is_activation)
    return hyb_cuda_get_int (call, "mode", 0) == 1 ? 1 : rank - 1;
  return hyb_cuda_axis_of (hyb_cuda_get_int (call, "axis", -1), rank);
}

/* The factor of the input: 1 / temperature, negated for softmin. */
static double
find_scale (const HybCall *call, double sign)
{
  double temperature = hyb_params_get_double (call->op->params, call->params, "temperature", NAN);

  return isnan (temperature) ? sign : sign / temperature;
}

static gpointer
prepare (HybDevice *device, const HybCall *call, double sign, gboolean log, GError **error)
{
  const HybShape *shape = &call->input[0].shape;
  HybLines        lines = {
           .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
           .pass = { HYB_LINES_LARGEST ("x0 * c0"), HYB_LINES_SUM ("m_exp (x0 * c0 - r0)") },
           .then = log ? "const T shift = (T) log (r1);" : "const T factor = (T) (1 / r1);",
           .number = { find_scale (call, sign) },
  };

  hyb_lines_lay_axis (&lines, shape, find_axis (call, shape->rank));
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  if (call->n_inputs > 1)
    {
      hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_LINE, "I64");
      lines.count = "x1 < 0 ? 0 : x1 < a.length ? x1 : a.length";
    }
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        log ? "k < n ? x0 * c0 - r0 - shift : 0"
                            : "k < n ? m_exp (x0 * c0 - r0) * factor : 0");
  return hyb_lines_new (device, &lines, error);
}

/* Inputs: gradient, output; dx = y (dy − Σ y dy) scale, or (dy − eʸ Σ dy) scale of the logarithm. */
static gpointer
prepare_backward (HybDevice *device, const HybCall *call, double sign, gboolean log, GError **error)
{
  const HybShape *shape = &call->input[0].shape;
  HybLines        lines = { .computed = hyb_cuda_computed_type (call->op, call->input[0].dtype),
                            .number = { find_scale (call, sign) } };

  lines.pass[0] = log ? (HybLinesPass) HYB_LINES_SUM ("x0")
                      : (HybLinesPass) HYB_LINES_SUM ("(double) x0 * (double) x1");
  hyb_lines_lay_axis (&lines, shape, find_axis (call, shape->rank));
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        log ? "(x0 - m_exp (x1) * (T) r0) * c0" : "x1 * (x0 - (T) r0) * c0");
  return hyb_lines_new (device, &lines, error);
}

#define PREPARE(id, function, sign, log)                                                  \
  static gpointer id##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                GError **error)                                           \
  {                                                                                       \
    return function (device, call, sign, log, error);                                     \
  }
PREPARE (softmax, prepare, 1, FALSE)
PREPARE (softmin, prepare, -1, FALSE)
PREPARE (log_softmax, prepare, 1, TRUE)
PREPARE (softmax_backward, prepare_backward, 1, FALSE)
PREPARE (softmin_backward, prepare_backward, -1, FALSE)
PREPARE (log_softmax_backward, prepare_backward, 1, TRUE)
#undef PREPARE

const HybDeviceOp hyb_cuda_ops_softmax[] = {
  HYB_LINES_OP ("softmax", softmax_prepare),
  HYB_LINES_OP ("softmin", softmin_prepare),
  HYB_LINES_OP ("log_softmax", log_softmax_prepare),
  HYB_LINES_OP ("SoftmaxActivation", softmax_prepare),
  HYB_LINES_OP ("_backward_softmax", softmax_backward_prepare),
  HYB_LINES_OP ("_backward_softmin", softmin_backward_prepare),
  HYB_LINES_OP ("_backward_log_softmax", log_softmax_backward_prepare),
  HYB_LINES_OP ("_backward_SoftmaxActivation", softmax_backward_prepare),
  { NULL },
};
