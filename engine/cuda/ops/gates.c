/* gates.c — _lstm_gates and _gru_gates: the step of a recurrent cell after its two products.
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

/* What is prepared is the kernel itself. */
static gpointer
prepare (HybDevice *device, const char *kernel, GError **error)
{
  return (gpointer) hyb_cuda_compile (device, hyb_cuda_kernel_text ("gates.cu"), kernel, error);
}

static gpointer
lstm_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, "lstm_gates", error);
}

static gpointer
gru_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, "gru_gates", error);
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const HybShape       *state = &call->input[2].shape;
  struct GatesArguments arguments = { .i2h = run->input[0],
                                      .h2h = run->input[1],
                                      .before = run->input[2],
                                      .h = run->output[0],
                                      .c = call->n_outputs > 1 ? run->output[1] : NULL,
                                      .n = hyb_shape_size (state),
                                      .hidden = MAX (1, state->dim[1]) };

  hyb_cuda_launch (queue, &(HybLaunch){ (CUfunction) prepared, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

static void
release (gpointer prepared)
{
}

#define GATES_OP(id, function)                                                                \
  {                                                                                           \
    .name = id, .refuses = refuses, .prepare = function, .launch = launch, .release = release \
  }

const HybDeviceOp hyb_cuda_ops_gates[] = {
  GATES_OP ("_lstm_gates", lstm_prepare),
  GATES_OP ("_gru_gates", gru_prepare),
  { NULL },
};
