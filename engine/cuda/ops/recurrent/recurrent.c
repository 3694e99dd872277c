/* recurrent.c — RNN and its gradients by cuDNN.
 *
 * The reserve space of cuDNN is the hidden output of _rnn_recording.  BackwardData changes it and must
 * run before BackwardWeights, so one twin launches both.  Sequences of different lengths need the lengths
 * on the host: the launch waits for them, and the longest is the number of steps for cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/recurrent/recurrent-plan.h"

/* Parts of the workspace begin at such addresses. */
#define ALIGNMENT ((gsize) 256)

/* --- Planning --- */

/* Appends room to the workspace; returns its offset. */
static gsize
add_room (gsize *workspace, gsize bytes)
{
  gsize at = (*workspace + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

  *workspace = at + bytes;
  return at;
}

static gpointer
prepare_forward (HybDevice     *device,
                 const HybCall *call,
                 gboolean       training,
                 gsize         *workspace,
                 GError       **error)
{
  HybRecurrentPlan *this = hyb_recurrent_prepare (device, call, training, error);

  if (!this)
    return NULL;
  *workspace = this->work_bytes;
  if (this->space.pieces)
    this->weights_at = add_room (workspace, this->space.bytes);
  return this;
}

static gpointer
rnn_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare_forward (device, call, FALSE, workspace, error);
}

static gpointer
recording_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare_forward (device, call, TRUE, workspace, error);
}

static gsize
recording_hidden_bytes (gconstpointer prepared)
{
  const HybRecurrentPlan *this = prepared;

  return this->reserve_bytes;
}

static gboolean
waits (const HybCall *call)
{
  return hyb_recurrent_find_operands (call).lengths != G_MAXUINT;
}

/* The RNN input whose gradient is output 0: 0, or 1 for _backward_RNN_weights. */
static guint
first_gradient (const HybCall *call)
{
  return (hyb_recurrent_find_operands (call).cell == G_MAXUINT ? 3 : 4) - call->n_outputs;
}

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybRecurrentPlan *this = prepare_forward (device, call, TRUE, workspace, error);

  if (!this)
    return NULL;
  if (this->space.pieces)
    this->gradients_at = add_room (workspace, this->space.bytes);
  if (first_gradient (call) > 0)
    this->data_at = add_room (workspace, hyb_type_bytes (&call->input[0]));
  return this;
}

/* --- Lengths --- */

/* Waits for the lengths and passes them to cuDNN; the longest, or -1 if a call failed. */
static int
read_lengths (HybQueue *queue,
              HybRecurrentPlan *this,
              const HybCall *call,
              const HybRun  *run,
              guint          input)
{
  int longest = 0;

  hyb_cuda_queue_copy (queue, this->sent, run->input[input],
                       hyb_recurrent_lengths_bytes (call, input));
  if (!hyb_cuda_queue_finish (queue, NULL, NULL))
    return -1;
  for (int n = 0; n < this->net.N; n++)
    {
      double length = hyb_dtype_get_double (this->sent, call->input[input].dtype, (gsize) n);

      /* Written so that NaN counts as 0. */
      this->lengths[n] = length > 0 ? (int) MIN (length, (double) this->net.T) : 0;
      longest = MAX (longest, this->lengths[n]);
    }
  if (longest > 0 && !hyb_dnn_queue_check (queue, "cudnnSetRNNDataDescriptor",
                                           hyb_recurrent_set_sequences (this, longest)))
    return -1;
  return longest;
}

static int
find_longest (HybQueue *queue, HybRecurrentPlan *this, const HybCall *call, const HybRun *run)
{
  guint input = hyb_recurrent_find_operands (call).lengths;

  return input == G_MAXUINT ? this->net.T : read_lengths (queue, this, call, run, input);
}

/* Clears the steps behind the longest sequence in an array of T steps. */
static void
clear_tail (HybQueue *queue, const HybRecurrentPlan *this, int longest, gpointer array, int columns)
{
  gsize step = (gsize) this->net.N * (gsize) columns * hyb_dtype_size (this->net.dtype);

  hyb_cuda_queue_clear (queue, (char *) array + (gsize) longest * step,
                        (gsize) (this->net.T - longest) * step);
}

/* --- Launching --- */

static gconstpointer
input_or_null (const HybRun *run, guint first, guint index)
{
  return index == G_MAXUINT ? NULL : run->input[first + index];
}

static gpointer
output_or_null (const HybRun *run, guint index)
{
  return index == G_MAXUINT ? NULL : run->output[index];
}

/* The weights in cuDNN's order. */
static gconstpointer
place_weights (HybQueue *queue, const HybRecurrentPlan *this, const HybRun *run)
{
  char *there = (char *) run->workspace + this->weights_at;

  if (!this->space.pieces)
    return run->input[1];
  hyb_cuda_queue_clear (queue, there, this->space.bytes);
  for (guint i = 0; i < this->space.pieces->len; i++)
    {
      const HybSpacePiece *piece = &g_array_index (this->space.pieces, HybSpacePiece, i);

      hyb_cuda_queue_copy (queue, there + piece->there, (const char *) run->input[1] + piece->flat,
                           piece->bytes);
    }
  return there;
}

/* Where no sequence has a step, states stay as they are. */
static void
copy_states (HybQueue *queue, const HybType *type, gpointer to, gconstpointer from)
{
  if (to && from)
    hyb_cuda_queue_copy (queue, to, from, hyb_type_bytes (type));
  else if (to)
    hyb_cuda_queue_clear (queue, to, hyb_type_bytes (type));
}

static void
forward (HybQueue      *queue,
         const HybCall *call,
         const HybRun  *run,
         HybRecurrentPlan *this,
         gpointer reserve)
{
  HybRecurrentOperands operands = hyb_recurrent_find_operands (call);
  gconstpointer        cell = input_or_null (run, 0, operands.cell);
  gpointer             state_out = output_or_null (run, operands.state_out);
  gpointer             cell_out = output_or_null (run, operands.cell_out);
  gconstpointer        weights;
  int                  longest = find_longest (queue, this, call, run);

  if (longest < 0)
    return;
  clear_tail (queue, this, longest, run->output[0], this->net.D * this->net.P);
  if (longest == 0)
    {
      copy_states (queue, &call->input[2], state_out, run->input[2]);
      if (cell_out)
        copy_states (queue, &call->input[operands.cell], cell_out, cell);
      return;
    }
  weights = place_weights (queue, this, run);
  if (!hyb_dnn_queue_is_ready (queue))
    return;
  hyb_dnn_queue_check (queue, "cudnnRNNForward",
                       queue->device->cuda->call
                           .cudnnRNNForward (queue->cudnn, this->rnn,
                                             reserve ? HYB_CUDNN_TRAINING : HYB_CUDNN_INFERENCE,
                                             NULL, this->x, run->input[0], this->y, run->output[0],
                                             this->h, run->input[2], state_out, this->c, cell,
                                             cell_out, this->space.bytes, weights, this->work_bytes,
                                             run->workspace, reserve ? this->reserve_bytes : 0,
                                             reserve));
}

static void
rnn_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  forward (queue, call, run, prepared, NULL);
}

static void
recording_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  forward (queue, call, run, prepared, run->output[call->n_outputs - 1]);
}

/* --- Gradients --- */

/* The arrays of a backward pass. */
typedef struct
{
  gconstpointer cell, y, dy, dstate_out, dcell_out;
  gpointer      reserve, dx, dparameters, dstate, dcell;
} Gradients;

static Gradients
find_gradients (const HybRecurrentPlan *this, const HybCall *call, const HybRun *run)
{
  HybRecurrentOperands operands = hyb_recurrent_find_operands (call);
  guint                first = operands.n_inputs + 2;
  gpointer            *gradient = run->output - first_gradient (call); /* by input */

  return (Gradients){
    .cell = input_or_null (run, 0, operands.cell),
    .y = run->input[operands.n_inputs],
    .dy = run->input[first],
    .dstate_out = input_or_null (run, first, operands.state_out),
    .dcell_out = input_or_null (run, first, operands.cell_out),
    .reserve = (gpointer) run->input[operands.n_inputs + 1],
    .dx = first_gradient (call) > 0 ? (char *) run->workspace + this->data_at : gradient[0],
    .dparameters = gradient[1],
    .dstate = gradient[2],
    .dcell = operands.cell == G_MAXUINT ? NULL : gradient[3],
  };
}

static gboolean
launch_data (HybQueue *queue, const HybRecurrentPlan *this, const HybRun *run, const Gradients *g)
{
  gconstpointer weights = place_weights (queue, this, run);

  return hyb_dnn_queue_is_ready (queue) &&
         hyb_dnn_queue_check (queue, "cudnnRNNBackwardData",
                              queue->device->cuda->call
                                  .cudnnRNNBackwardData_v8 (queue->cudnn, this->rnn, NULL, this->y,
                                                            g->y, g->dy, this->x, g->dx, this->h,
                                                            run->input[2], g->dstate_out, g->dstate,
                                                            this->c, g->cell, g->dcell_out,
                                                            g->dcell, this->space.bytes, weights,
                                                            this->work_bytes, run->workspace,
                                                            this->reserve_bytes, g->reserve));
}

/* cuDNN only adds to gradients of weights. */
static void
launch_weights (HybQueue *queue,
                const HybRecurrentPlan *this,
                const HybRun    *run,
                const Gradients *g)
{
  char *there = this->space.pieces ? (char *) run->workspace + this->gradients_at : g->dparameters;

  hyb_cuda_queue_clear (queue, there, this->space.bytes);
  if (!hyb_dnn_queue_is_ready (queue))
    return;
  hyb_dnn_queue_check (queue, "cudnnRNNBackwardWeights",
                       queue->device->cuda->call
                           .cudnnRNNBackwardWeights_v8 (queue->cudnn, this->rnn, HYB_CUDNN_ADD,
                                                        NULL, this->x, run->input[0], this->h,
                                                        run->input[2], this->y, g->y,
                                                        this->space.bytes, there, this->work_bytes,
                                                        run->workspace, this->reserve_bytes,
                                                        g->reserve));
  for (guint i = 0; this->space.pieces && i < this->space.pieces->len; i++)
    {
      const HybSpacePiece *piece = &g_array_index (this->space.pieces, HybSpacePiece, i);

      hyb_cuda_queue_copy (queue, (char *) g->dparameters + piece->flat, there + piece->there,
                           piece->bytes);
    }
}

static void
launch_without_steps (HybQueue *queue, const HybCall *call, const Gradients *g)
{
  hyb_cuda_queue_clear (queue, g->dparameters, hyb_type_bytes (&call->input[1]));
  copy_states (queue, &call->input[2], g->dstate, g->dstate_out);
  if (g->dcell)
    copy_states (queue, &call->input[3], g->dcell, g->dcell_out);
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  HybRecurrentPlan *this = prepared;
  Gradients gradients = find_gradients (this, call, run);
  int       longest = find_longest (queue, this, call, run);

  if (longest < 0)
    return;
  /* cuDNN does not define its outputs behind the end of a sequence. */
  if (this->sent)
    clear_tail (queue, this, 0, gradients.dx, this->net.I);
  if (longest == 0)
    launch_without_steps (queue, call, &gradients);
  else if (launch_data (queue, this, run, &gradients))
    launch_weights (queue, this, run, &gradients);
}

static guint
backward_hidden_input (const HybCall *call)
{
  return hyb_recurrent_find_operands (call).n_inputs + 1;
}

#define BACKWARD_OP(id)                                                        \
  {                                                                            \
    .name = id, .refuses = hyb_recurrent_refuses, .prepare = backward_prepare, \
    .launch = backward_launch, .release = hyb_recurrent_release,               \
    .hidden_input = backward_hidden_input, .waits = waits                      \
  }

const HybDeviceOp hyb_cuda_ops_recurrent[] = {
  { .name = "RNN",
    .refuses = hyb_recurrent_refuses,
    .prepare = rnn_prepare,
    .launch = rnn_launch,
    .release = hyb_recurrent_release,
    .waits = waits },
  { .name = "_rnn_recording",
    .refuses = hyb_recurrent_refuses,
    .prepare = recording_prepare,
    .launch = recording_launch,
    .release = hyb_recurrent_release,
    .hidden_bytes = recording_hidden_bytes,
    .waits = waits },
  BACKWARD_OP ("_backward_RNN"),
  BACKWARD_OP ("_backward_RNN_weights"),
  { NULL },
};
