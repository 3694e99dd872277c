/* softmax-cross-entropy.c — softmax_cross_entropy and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

/* Labels beyond the classes count as the first or the last class. */
#define LABEL "const I64 label = x1 < 0 ? 0 : x1 < a.length ? x1 : a.length - 1;"

typedef struct
{
  HybLinesKernel *losses; /* one for each row, to the workspace */
  HybLinesKernel *sum;
} Prepared;

static void
forward_release (gpointer data)
{
  Prepared *prepared = data;

  g_free (prepared->losses);
  g_free (prepared->sum);
  g_free (prepared);
}

static HybLinesKernel *
prepare_losses (HybDevice *device, const HybCall *call, GError **error)
{
  HybLines lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                     .first = LABEL,
                     .pass = { HYB_LINES_LARGEST ("x0"), HYB_LINES_SUM ("m_exp (x0 - r0)"),
                               HYB_LINES_SUM ("k == label ? m_exp (x0 - r0) : 0") },
                     .then = "const double p = r2 / r1;" };

  hyb_lines_lay_axis (&lines, &call->input[0].shape, 1);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_LINE, "I64");
  hyb_lines_add_output (&lines, HYB_F64, HYB_LINES_LINE, "n > 0 ? -log (p > 1e-8 ? p : 1e-8) : 0");
  return hyb_lines_new (device, &lines, error);
}

static HybLinesKernel *
prepare_sum (HybDevice *device, const HybCall *call, GError **error)
{
  HybLines lines = { .computed = HYB_F64, .pass = { HYB_LINES_SUM ("x0") } };

  hyb_lines_lay_all (&lines, call->input[0].shape.dim[0]);
  hyb_lines_add_input (&lines, HYB_F64, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_LINE, "r0");
  return hyb_lines_new (device, &lines, error);
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = g_new0 (Prepared, 1);

  *workspace = (gsize) call->input[0].shape.dim[0] * sizeof (double);
  prepared->losses = prepare_losses (device, call, error);
  if (prepared->losses)
    prepared->sum = prepare_sum (device, call, error);
  if (!prepared->sum)
    g_clear_pointer (&prepared, forward_release);
  return prepared;
}

static void
forward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared *prepared = data;

  hyb_lines_launch (queue, prepared->losses, run->input, &run->workspace);
  hyb_lines_launch (queue, prepared->sum, (gconstpointer[]){ run->workspace }, run->output);
}

/* Inputs: gradient, label, data. */
static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybLines lines = { .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
                     .first = LABEL,
                     .pass = { HYB_LINES_LARGEST ("x2"), HYB_LINES_SUM ("m_exp (x2 - r0)") },
                     .then = "const T factor = (T) (1 / r1);" };

  hyb_lines_lay_axis (&lines, &call->output[0].shape, 1);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_ONE, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_LINE, "I64");
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        "(m_exp (x2 - r0) * factor - (k == label ? 1 : 0)) * x0");
  return hyb_lines_new (device, &lines, error);
}

const HybDeviceOp hyb_cuda_ops_softmax_cross_entropy[] = {
  { .name = "softmax_cross_entropy",
    .prepare = forward_prepare,
    .launch = forward_launch,
    .release = forward_release },
  HYB_LINES_OP ("_backward_softmax_cross_entropy", backward_prepare),
  { NULL },
};
