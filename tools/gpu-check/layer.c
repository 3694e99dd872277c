/* layer.c — allocates a layer and calls cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/layer.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#define PERSIST_DYNAMIC 2    /* CUDNN_RNN_ALGO_PERSIST_DYNAMIC */
#define NOT_SUPPORTED   3000 /* CUDNN_STATUS_NOT_SUPPORTED */

static gboolean
is_pinned (guint room)
{
  return room == ROOM_SENT || room == ROOM_BROUGHT;
}

static void
compute_sizes (Layer *layer)
{
  const HybRecurrentNet *net = &layer->plan->net;
  gsize                  state = sizeof (float) * (gsize) net->N * (gsize) net->H;
  gsize                 *bytes = layer->bytes;

  bytes[ROOM_INPUT] = state * 2 + sizeof (float) * (gsize) net->T * (gsize) net->N * (gsize) net->I;
  bytes[ROOM_OUTPUT] = state * ((gsize) net->T + 2);
  bytes[ROOM_WEIGHTS] = layer->plan->space.bytes;
  bytes[ROOM_WORK] = layer->plan->work_bytes;
  bytes[ROOM_LENGTHS] = sizeof (int) * (gsize) net->N;
  bytes[ROOM_SENT] = MAX (bytes[ROOM_INPUT], bytes[ROOM_WEIGHTS]);
  bytes[ROOM_BROUGHT] = MAX (bytes[ROOM_OUTPUT], bytes[ROOM_WEIGHTS]);
  if (!layer->plan->training)
    return;
  bytes[ROOM_RESERVE] = layer->plan->reserve_bytes;
  bytes[ROOM_DINPUT] = bytes[ROOM_INPUT];
  bytes[ROOM_DWEIGHTS] = bytes[ROOM_WEIGHTS];
}

/* Fills a room with the same numbers of -scale to scale each time. */
static gboolean
fill (Layer *layer, LayerRoom room, double scale, GError **error)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (room);
  float *numbers = (float *) (gpointer) layer->room[ROOM_SENT];

  for (gsize i = 0; i < layer->bytes[room] / sizeof *numbers; i++)
    numbers[i] = (float) g_rand_double_range (rand, -scale, scale);
  layer_send (layer, room, layer->bytes[room]);
  return layer_wait (layer, error);
}

/* cudnnBuildRNNDynamic() of the library that is open, which the module does not use. */
static cudnnStatus_t
build_dynamic (Layer *layer)
{
  typedef cudnnStatus_t (*Build) (cudnnHandle_t, cudnnRNNDescriptor_t, int);
  Dl_info info;
  void   *library = NULL, *address = NULL, *known;
  Build   build;

  memcpy (&known, &layer->device->cuda->call.cudnnRNNForward, sizeof known);
  if (dladdr (known, &info) && info.dli_fname)
    library = dlopen (info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (library)
    address = dlsym (library, "cudnnBuildRNNDynamic");
  if (!address)
    return NOT_SUPPORTED;
  memcpy (&build, &address, sizeof build);
  return build (layer->queue->cudnn, layer->plan->rnn, layer->plan->net.N);
}

/* Describes the cells again, with another algorithm or math than the module's. */
static cudnnStatus_t
set_algorithm (Layer *layer, const LayerSizes *sizes)
{
  HybRecurrentPlan      *plan = layer->plan;
  const HybRecurrentNet *net = &plan->net;

  return layer->device->cuda->call.cudnnSetRNNDescriptor_v8 (plan->rnn, sizes->algorithm, net->cell,
                                                             HYB_CUDNN_DOUBLE_BIAS, net->D - 1,
                                                             HYB_CUDNN_LINEAR_INPUT,
                                                             hyb_dnn_type (net->dtype),
                                                             hyb_dnn_precision (net->dtype),
                                                             sizes->is_fast ? HYB_CUDNN_DEFAULT_MATH
                                                                            : HYB_CUDNN_FMA_MATH,
                                                             net->I, net->H, net->P, net->L,
                                                             plan->dropout, HYB_CUDNN_PADDED_IO);
}

/* The algorithm and the math of `sizes`, and the room that they need. */
static gboolean
choose (Layer *layer, const LayerSizes *sizes, GError **error)
{
  HybRecurrentPlan *plan = layer->plan;
  const HybCuda    *cuda = layer->device->cuda;

  if (sizes->algorithm == HYB_CUDNN_RNN_STANDARD && !sizes->is_fast)
    return TRUE;
  return hyb_dnn_check (cuda, "cudnnSetRNNDescriptor", set_algorithm (layer, sizes), error) &&
         (sizes->algorithm != PERSIST_DYNAMIC ||
          hyb_dnn_check (cuda, "cudnnBuildRNNDynamic", build_dynamic (layer), error)) &&
         hyb_dnn_check (cuda, "cudnnGetRNNTempSpaceSizes",
                        cuda->call.cudnnGetRNNTempSpaceSizes (layer->queue->cudnn, plan->rnn,
                                                              plan->training ? HYB_CUDNN_TRAINING
                                                                             : HYB_CUDNN_INFERENCE,
                                                              plan->x, &plan->work_bytes,
                                                              &plan->reserve_bytes),
                        error);
}

gboolean
layer_start (Layer *layer, HybDevice *device, const LayerSizes *sizes, GError **error)
{
  const HybRecurrentNet net = {
    .dtype = HYB_F32,
    .cell = sizes->is_gru ? HYB_CUDNN_GRU : HYB_CUDNN_LSTM,
    .L = 1,
    .D = 1,
    .G = sizes->is_gru ? 3 : 4,
    .T = sizes->steps,
    .N = sizes->batch,
    .I = sizes->inputs,
    .H = sizes->units,
    .P = sizes->units,
    .low = NAN,
    .high = NAN,
  };

  *layer = (Layer){ .device = device };
  layer->queue = hyb_cuda_queue_new (device, error);
  if (!layer->queue)
    return FALSE;
  if (hyb_dnn_queue_is_ready (layer->queue))
    layer->plan = hyb_recurrent_plan_new (device, &net, sizes->training, error);
  else
    layer_wait (layer, error);
  if (!layer->plan || !choose (layer, sizes, error))
    return FALSE;
  compute_sizes (layer);
  for (guint i = 0; i < N_ROOMS; i++)
    if (layer->bytes[i] > 0 &&
        !(layer->room[i] = hyb_cuda_take (device, is_pinned (i), layer->bytes[i], error)))
      return FALSE;
  return fill (layer, ROOM_WEIGHTS, 1 / sqrt (net.H), error) &&
         fill (layer, ROOM_INPUT, 1, error) &&
         layer_set_lengths (layer, layer->plan->lengths, error);
}

void
layer_end (Layer *layer)
{
  if (layer->queue)
    layer_wait (layer, NULL); /* work that was handed over before a failure */
  for (guint i = 0; i < N_ROOMS; i++)
    if (layer->room[i])
      hyb_cuda_give (layer->device, is_pinned (i), layer->room[i]);
  if (layer->plan)
    hyb_recurrent_release (layer->plan);
  if (layer->queue)
    hyb_cuda_queue_free (layer->queue);
  *layer = (Layer){ 0 };
}

gboolean
layer_set_lengths (Layer *layer, const int *lengths, GError **error)
{
  memmove (layer->plan->lengths, lengths, layer->bytes[ROOM_LENGTHS]);
  memcpy (layer->room[ROOM_SENT], lengths, layer->bytes[ROOM_LENGTHS]);
  layer_send (layer, ROOM_LENGTHS, layer->bytes[ROOM_LENGTHS]);
  return hyb_dnn_queue_check (layer->queue, "cudnnSetRNNDataDescriptor",
                              hyb_recurrent_set_sequences (layer->plan, layer->plan->net.T)) &
         layer_wait (layer, error);
}

void
layer_send (Layer *layer, LayerRoom to, gsize bytes)
{
  hyb_cuda_queue_copy (layer->queue, layer->room[to], layer->room[ROOM_SENT], bytes);
}

void
layer_bring (Layer *layer, LayerRoom from, gsize bytes)
{
  hyb_cuda_queue_copy (layer->queue, layer->room[ROOM_BROUGHT], layer->room[from], bytes);
}

void
layer_clear (Layer *layer, LayerRoom room)
{
  hyb_cuda_queue_clear (layer->queue, layer->room[room], layer->bytes[room]);
}

gboolean
layer_wait (Layer *layer, GError **error)
{
  return hyb_cuda_queue_finish (layer->queue, NULL, error);
}

/* --- Passes --- */

/* The parts of a room that holds an array of `columns` columns for each step and sequence, and two states. */
typedef struct
{
  char *array, *h, *c; /* c: NULL without a cell's state */
} Parts;

static Parts
find_parts (const Layer *layer, LayerRoom room, int columns)
{
  const HybRecurrentNet *net = &layer->plan->net;
  char                  *array = layer->room[room];
  gsize                  rows = sizeof (float) * (gsize) net->N;
  char                  *h = array + rows * (gsize) net->T * (gsize) columns;

  return (Parts){ array, h, net->cell == HYB_CUDNN_LSTM ? h + rows * (gsize) net->H : NULL };
}

cudnnStatus_t
layer_forward (Layer *layer, gboolean has_lengths, gboolean has_states)
{
  const HybRecurrentPlan *plan = layer->plan;
  Parts                   in = find_parts (layer, ROOM_INPUT, plan->net.I);
  Parts                   out = find_parts (layer, ROOM_OUTPUT, plan->net.H);

  return layer->device->cuda->call
      .cudnnRNNForward (layer->queue->cudnn, plan->rnn,
                        plan->training ? HYB_CUDNN_TRAINING : HYB_CUDNN_INFERENCE,
                        has_lengths ? (const int *) (gpointer) layer->room[ROOM_LENGTHS] : NULL,
                        plan->x, in.array, plan->y, out.array, plan->h, in.h,
                        has_states ? out.h : NULL, plan->c, in.c, has_states ? out.c : NULL,
                        plan->space.bytes, layer->room[ROOM_WEIGHTS], plan->work_bytes,
                        layer->room[ROOM_WORK], layer->bytes[ROOM_RESERVE],
                        layer->room[ROOM_RESERVE]);
}

cudnnStatus_t
layer_backward_data (Layer *layer)
{
  const HybRecurrentPlan *plan = layer->plan;
  Parts                   in = find_parts (layer, ROOM_INPUT, plan->net.I);
  Parts                   out = find_parts (layer, ROOM_OUTPUT, plan->net.H);
  Parts                   din = find_parts (layer, ROOM_DINPUT, plan->net.I);

  return layer->device->cuda->call
      .cudnnRNNBackwardData_v8 (layer->queue->cudnn, plan->rnn, NULL, plan->y, out.array, out.array,
                                plan->x, din.array, plan->h, in.h, NULL, din.h, plan->c, in.c, NULL,
                                din.c, plan->space.bytes, layer->room[ROOM_WEIGHTS],
                                plan->work_bytes, layer->room[ROOM_WORK],
                                layer->bytes[ROOM_RESERVE], layer->room[ROOM_RESERVE]);
}

cudnnStatus_t
layer_backward_weights (Layer *layer, cudnnWgradMode_t mode)
{
  const HybRecurrentPlan *plan = layer->plan;
  Parts                   in = find_parts (layer, ROOM_INPUT, plan->net.I);

  return layer->device->cuda->call
      .cudnnRNNBackwardWeights_v8 (layer->queue->cudnn, plan->rnn, mode, NULL, plan->x, in.array,
                                   plan->h, in.h, plan->y, layer->room[ROOM_OUTPUT],
                                   plan->space.bytes, layer->room[ROOM_DWEIGHTS], plan->work_bytes,
                                   layer->room[ROOM_WORK], layer->bytes[ROOM_RESERVE],
                                   layer->room[ROOM_RESERVE]);
}
