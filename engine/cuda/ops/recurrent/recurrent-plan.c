/* recurrent-plan.c — the descriptors of a call's recurrent layers for cuDNN, and the cases that it
 * cannot compute.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/recurrent/recurrent-plan.h"
#include "engine/cuda/ops/recurrent/recurrent-choice.h"

#include "engine/base/error.h"

#include <math.h>

#define MOST_STEPS     65535
#define LEAST_FOR_BF16 80

static gint64
get (const HybCall *call, const char *name, gint64 fallback)
{
  return hyb_params_get_int (call->op->params, call->params, name, fallback);
}

static gboolean
is_true (const HybCall *call, const char *name)
{
  return hyb_params_get_bool (call->op->params, call->params, name);
}

HybRecurrentOperands
hyb_recurrent_find_operands (const HybCall *call)
{
  HybRecurrentOperands operands = { G_MAXUINT, G_MAXUINT, 3, G_MAXUINT, G_MAXUINT, 1 };
  gboolean             is_lstm = get (call, "mode", 0) == HYB_CUDNN_LSTM;

  if (is_lstm)
    operands.cell = operands.n_inputs++;
  if (is_true (call, "use_sequence_length"))
    operands.lengths = operands.n_inputs++;
  if (is_true (call, "state_outputs"))
    operands.state_out = operands.n_visible++;
  if (is_true (call, "state_outputs") && is_lstm)
    operands.cell_out = operands.n_visible++;
  return operands;
}

/* The cells have the same numbers in the operator and in cuDNN. */
static HybRecurrentNet
describe (const HybCall *call)
{
  const HybShape *data = &call->input[0].shape;
  gint64          hidden = get (call, "state_size", 1);
  gint64          projection = get (call, "projection_size", HYB_NONE);
  int             cell = (int) get (call, "mode", 0);

  return (HybRecurrentNet){
    .dtype = call->input[0].dtype,
    .cell = cell,
    .L = (int) get (call, "num_layers", 1),
    .D = is_true (call, "bidirectional") ? 2 : 1,
    .G = cell == HYB_CUDNN_LSTM  ? 4
         : cell == HYB_CUDNN_GRU ? 3
                                 : 1,
    .T = (int) data->dim[0],
    .N = (int) data->dim[1],
    .I = (int) data->dim[2],
    .H = (int) hidden,
    .P = (int) (projection == HYB_NONE ? hidden : projection),
    .low = hyb_params_get_double (call->op->params, call->params, "lstm_state_clip_min", NAN),
    .high = hyb_params_get_double (call->op->params, call->params, "lstm_state_clip_max", NAN),
  };
}

/* --- Refusals --- */

static gboolean
drops (const HybCall *call)
{
  return call->training && get (call, "num_layers", 1) > 1 &&
         hyb_params_get_double (call->op->params, call->params, "p", 0) > 0;
}

const char *
hyb_recurrent_refuses (const HybCall *call)
{
  const HybShape *data = &call->input[0].shape;
  gint64          projection = get (call, "projection_size", HYB_NONE);

  if (!hyb_dnn_has_type (call->input[0].dtype) && call->input[0].dtype != HYB_BF16)
    return "cuDNN computes recurrent layers in floating point alone";
  if (hyb_shape_size (data) == 0)
    return "cuDNN takes no empty sequences";
  if (data->dim[0] > MOST_STEPS)
    return "cuDNN takes 65535 steps at most";
  if (data->dim[1] > G_MAXINT || data->dim[2] > G_MAXINT ||
      hyb_shape_size (&call->input[1].shape) > G_MAXINT || hyb_shape_size (data) > G_MAXINT)
    return "it is larger than cuDNN takes";
  if (projection != HYB_NONE && projection >= get (call, "state_size", 1))
    return "cuDNN projects to fewer elements than a layer has, not to as many";
  if (drops (call))
    return "dropout between its layers would draw other random numbers in cuDNN";
  if (is_true (call, "lstm_state_clip_nan"))
    return "cuDNN keeps NaN where it clips the cell";
  return NULL;
}

/* --- Planning --- */

#define CHECK(prepared, function, arguments, error)   \
  hyb_dnn_check ((prepared)->device->cuda, #function, \
                 (prepared)->device->cuda->call.function arguments, error)

static gboolean
describe_cells (HybRecurrentPlan *this, GError **error)
{
  const HybRecurrentNet *net = &this->net;
  cudnnHandle_t          handle = hyb_dnn_get_handle (this->device, error);
  gboolean               clips = net->cell == HYB_CUDNN_LSTM && !isnan (net->low);

  return handle && CHECK (this, cudnnCreateDropoutDescriptor, (&this->dropout), error) &&
         CHECK (this, cudnnSetDropoutDescriptor, (this->dropout, handle, 0, NULL, 0, 0), error) &&
         CHECK (this, cudnnCreateRNNDescriptor, (&this->rnn), error) &&
         CHECK (this, cudnnSetRNNDescriptor_v8,
                (this->rnn, net->algorithm, net->cell, HYB_CUDNN_DOUBLE_BIAS, net->D - 1,
                 HYB_CUDNN_LINEAR_INPUT, hyb_dnn_type (net->dtype), hyb_dnn_precision (net->dtype),
                 hyb_dnn_math (this->device), net->I, net->H, net->P, net->L, this->dropout,
                 HYB_CUDNN_PADDED_IO),
                error) &&
         (!clips || CHECK (this, cudnnRNNSetClip_v9,
                           (this->rnn, HYB_CUDNN_CLIP_MINMAX, net->low, net->high), error));
}

cudnnStatus_t
hyb_recurrent_set_sequences (HybRecurrentPlan *this, int longest)
{
  const HybRecurrentNet *net = &this->net;
  double                 zero = 0; /* as an element of any type */
  cudnnStatus_t          status;

  status =
      this->device->cuda->call.cudnnSetRNNDataDescriptor (this->x, hyb_dnn_type (net->dtype),
                                                          HYB_CUDNN_SEQ_MAJOR_UNPACKED, longest,
                                                          net->N, net->I, this->lengths, &zero);
  return status
             ? status
             : this->device->cuda->call.cudnnSetRNNDataDescriptor (this->y,
                                                                   hyb_dnn_type (net->dtype),
                                                                   HYB_CUDNN_SEQ_MAJOR_UNPACKED,
                                                                   longest, net->N, net->D * net->P,
                                                                   this->lengths, &zero);
}

static gboolean
describe_arrays (HybRecurrentPlan *this, GError **error)
{
  const HybRecurrentNet *net = &this->net;
  const int              h[] = { net->L * net->D, net->N, net->P };
  const int              c[] = { net->L * net->D, net->N, net->H };

  this->lengths = g_new (int, net->N);
  for (int n = 0; n < net->N; n++)
    this->lengths[n] = net->T;
  return (this->h = hyb_dnn_tensor_new (this->device->cuda, net->dtype, 3, h, error)) &&
         (this->c = hyb_dnn_tensor_new (this->device->cuda, net->dtype, 3, c, error)) &&
         CHECK (this, cudnnCreateRNNDataDescriptor, (&this->x), error) &&
         CHECK (this, cudnnCreateRNNDataDescriptor, (&this->y), error) &&
         hyb_dnn_check (this->device->cuda, "cudnnSetRNNDataDescriptor",
                        hyb_recurrent_set_sequences (this, net->T), error);
}

static gboolean
query_sizes (HybRecurrentPlan *this, GError **error)
{
  return CHECK (this, cudnnGetRNNTempSpaceSizes,
                (hyb_dnn_get_handle (this->device, NULL), this->rnn,
                 this->training ? HYB_CUDNN_TRAINING : HYB_CUDNN_INFERENCE, this->x,
                 &this->work_bytes, &this->reserve_bytes),
                error) &&
         hyb_recurrent_space_find (this->device, &this->net, this->rnn, &this->space, error);
}

void
hyb_recurrent_release (gpointer prepared)
{
  HybRecurrentPlan *this = prepared;
  const HybCudaFunctions *call = &this->device->cuda->call;

  if (this->x)
    call->cudnnDestroyRNNDataDescriptor (this->x);
  if (this->y)
    call->cudnnDestroyRNNDataDescriptor (this->y);
  if (this->h)
    call->cudnnDestroyTensorDescriptor (this->h);
  if (this->c)
    call->cudnnDestroyTensorDescriptor (this->c);
  if (this->rnn)
    call->cudnnDestroyRNNDescriptor (this->rnn);
  if (this->dropout)
    call->cudnnDestroyDropoutDescriptor (this->dropout);
  if (this->sent)
    hyb_cuda_give (this->device, TRUE, this->sent);
  g_clear_pointer (&this->space.pieces, g_array_unref);
  g_free (this->lengths);
  g_free (this);
}

gsize
hyb_recurrent_lengths_bytes (const HybCall *call, guint input)
{
  return (gsize) call->input[0].shape.dim[1] * hyb_dtype_size (call->input[input].dtype);
}

static HybRecurrentPlan *
plan_new (HybDevice *device, const HybRecurrentNet *net, gboolean training, GError **error)
{
  HybRecurrentPlan *this = g_new0 (HybRecurrentPlan, 1);

  this->device = device;
  this->net = *net;
  this->training = training;
  if (describe_cells (this, error) && describe_arrays (this, error) && query_sizes (this, error))
    return this;
  hyb_recurrent_release (this);
  return NULL;
}

HybRecurrentPlan *
hyb_recurrent_plan_new (HybDevice             *device,
                        const HybRecurrentNet *net,
                        gboolean               training,
                        GError               **error)
{
  HybRecurrentNet standard = *net;
  HybRecurrentPlan *this;

  if (net->algorithm == HYB_CUDNN_RNN_STANDARD)
    return plan_new (device, net, training, error);
  this = plan_new (device, net, training, NULL);
  standard.algorithm = HYB_CUDNN_RNN_STANDARD;
  return this ? this : plan_new (device, &standard, training, error);
}

/* Older chips have no instructions for bfloat16. */
static gboolean
check_chip (const HybDevice *device, HybDType dtype, GError **error)
{
  return dtype != HYB_BF16 || device->arch >= LEAST_FOR_BF16 ||
         hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL,
                       "bfloat16 needs compute capability 8.0, this GPU has %d.%d",
                       device->arch / 10, device->arch % 10);
}

HybRecurrentPlan *
hyb_recurrent_prepare (HybDevice *device, const HybCall *call, gboolean training, GError **error)
{
  HybRecurrentOperands operands = hyb_recurrent_find_operands (call);
  HybRecurrentNet      net = describe (call);
  HybRecurrentPlan *this;

  if (!check_chip (device, net.dtype, error))
    return NULL;
  if (operands.lengths == G_MAXUINT)
    net.algorithm = hyb_recurrent_choose (device, &net, training);
  this = hyb_recurrent_plan_new (device, &net, training, error);
  if (!this || operands.lengths == G_MAXUINT ||
      (this->sent = hyb_cuda_take (device, TRUE,
                                   hyb_recurrent_lengths_bytes (call, operands.lengths), error)))
    return this;
  hyb_recurrent_release (this);
  return NULL;
}
