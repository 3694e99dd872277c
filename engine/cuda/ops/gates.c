/* gates.c — the step of a recurrent cell after its two products, and its gradient: _lstm_gates, _gru_gates and their
 * recording and backward forms.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/op-lists.h"

#define THREADS 256

/* Cells in other types are not fused. */
static const char *
refuses (const HybCall *call)
{
  return call->output[0].dtype == HYB_F32 ? NULL : "its kernel is for float32 alone";
}

/* The prepared data is the kernel itself. */
static gpointer
prepare (HybDevice *device, const char *kernel, GError **error)
{
  return (gpointer) hyb_cuda_compile (device, hyb_cuda_kernel_text ("gates.cu"), kernel, error);
}

static void
launch_step (HybQueue      *queue,
             const HybCall *call,
             const HybRun  *run,
             guint          n_states,
             gpointer       prepared)
{
  const HybShape       *state = &call->input[2].shape;
  struct GatesArguments arguments = { .i2h = run->input[0],
                                      .h2h = run->input[1],
                                      .before = run->input[2],
                                      .h = run->output[0],
                                      .c = n_states > 1 ? run->output[1] : NULL,
                                      .n = hyb_shape_size (state),
                                      .hidden = MAX (1, state->dim[1]) };

  for (guint i = n_states; i < call->n_outputs; i++)
    arguments.kept[i - n_states] = run->output[i];
  hyb_cuda_launch (queue, &(HybLaunch){ (CUfunction) prepared, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

static void
launch_lstm (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  launch_step (queue, call, run, 2, prepared);
}

static void
launch_gru (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  launch_step (queue, call, run, 1, prepared);
}

static void
launch_backward (HybQueue                     *queue,
                 const HybCall                *call,
                 struct GateGradientArguments *arguments,
                 gpointer                      prepared)
{
  const HybShape *state = &call->input[0].shape;

  arguments->n = hyb_shape_size (state);
  arguments->hidden = MAX (1, state->dim[1]);
  hyb_cuda_launch (queue, &(HybLaunch){ (CUfunction) prepared, arguments->n, THREADS, arguments,
                                        sizeof *arguments });
}

/* Inputs: gradient, the five that are kept, the cell before, and the gradient of the cell if one arrives. */
static void
launch_backward_lstm (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  struct GateGradientArguments arguments = { .h = run->input[0],
                                             .c = call->n_inputs > 7 ? run->input[7] : NULL,
                                             .before = run->input[6],
                                             .to_i2h = run->output[0],
                                             .to_before = run->output[1] };

  for (guint i = 0; i < G_N_ELEMENTS (arguments.kept); i++)
    arguments.kept[i] = run->input[1 + i];
  launch_backward (queue, call, &arguments, prepared);
}

/* Inputs: gradient, the three that are kept, h2h and the state before. */
static void
launch_backward_gru (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  struct GateGradientArguments arguments = { .h = run->input[0],
                                             .kept = { run->input[1], run->input[2],
                                                       run->input[3] },
                                             .h2h = run->input[4],
                                             .before = run->input[5],
                                             .to_i2h = run->output[0],
                                             .to_h2h = run->output[1],
                                             .to_before = run->output[2] };

  launch_backward (queue, call, &arguments, prepared);
}

static void
release (gpointer prepared)
{
}

#define GATES_PREPARE(kernel)                                                                 \
  static gpointer prepare_##kernel (HybDevice *device, const HybCall *call, gsize *workspace, \
                                    GError **error)                                           \
  {                                                                                           \
    return prepare (device, #kernel, error);                                                  \
  }

GATES_PREPARE (lstm_gates)
GATES_PREPARE (gru_gates)
GATES_PREPARE (recording_lstm_gates)
GATES_PREPARE (recording_gru_gates)
GATES_PREPARE (backward_lstm_gates)
GATES_PREPARE (backward_gru_gates)

#define GATES_OP(kernel, function)                                                            \
  {                                                                                           \
    .name = "_" #kernel, .refuses = refuses, .prepare = prepare_##kernel, .launch = function, \
    .release = release                                                                        \
  }

const HybDeviceOp hyb_cuda_ops_gates[] = {
  GATES_OP (lstm_gates, launch_lstm),
  GATES_OP (gru_gates, launch_gru),
  GATES_OP (recording_lstm_gates, launch_lstm),
  GATES_OP (recording_gru_gates, launch_gru),
  GATES_OP (backward_lstm_gates, launch_backward_lstm),
  GATES_OP (backward_gru_gates, launch_backward_gru),
  { NULL },
};
