/* l2-normalization.c — L2Normalization and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

/* The values of the attribute mode: a line is a sample, a channel of it, or all channels at a position. */
enum
{
  MODE_INSTANCE,
  MODE_SPATIAL,
  MODE_CHANNEL,
};

static void
lay_rows (HybLines *lines, const HybCall *call)
{
  const HybShape *shape = &call->output[0].shape;
  gint64          mode = hyb_cuda_get_int (call, "mode", MODE_INSTANCE);
  int             first = mode == MODE_SPATIAL ? 2 : 1;
  int             last = mode == MODE_CHANNEL ? 2 : shape->rank;

  hyb_lines_lay (lines, hyb_shape_count (shape, 0, first), hyb_shape_count (shape, first, last),
                 hyb_shape_count (shape, last, shape->rank));
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybLines lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                     .pass = { HYB_LINES_SUM ("(double) x0 * (double) x0") },
                     .then = "const T norm = (T) sqrt (r0 + a.s[0]);",
                     .number = { hyb_cuda_get_double (call, "eps") } };

  lay_rows (&lines, call);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, "x0 / norm");
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "norm");
  return hyb_lines_new (device, &lines, error);
}

/* Inputs: gradient, output, norm; dx = (dy − y Σ y dy) / norm. */
static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybLines lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                     .pass = { HYB_LINES_SUM ("(double) x0 * (double) x1") } };

  lay_rows (&lines, call);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, "(x0 - x1 * (T) r0) / x2");
  return hyb_lines_new (device, &lines, error);
}

const HybDeviceOp hyb_cuda_ops_l2_normalization[] = {
  HYB_LINES_OP ("L2Normalization", forward_prepare),
  HYB_LINES_OP ("_backward_L2Normalization", backward_prepare),
  { NULL },
};
