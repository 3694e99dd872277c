/* layer.h — one recurrent layer in the GPU's memory, whose passes are calls of cuDNN and nothing else.
 *
 * It has the descriptors of the module's own RNN (engine/cuda/ops/recurrent/recurrent-plan.h) and pseudo-random numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/ops/recurrent/recurrent-plan.h"

typedef enum
{
  ROOM_SENT,     /* pinned: what the GPU gets */
  ROOM_BROUGHT,  /* pinned: what comes back */
  ROOM_INPUT,    /* x (T, N, I), h (N, H), c (N, H) */
  ROOM_OUTPUT,   /* y (T, N, H), h, c */
  ROOM_WEIGHTS,  /* cuDNN's weight space */
  ROOM_WORK,     /* cuDNN's workspace */
  ROOM_LENGTHS,  /* int (N): the device copy of the lengths */
  ROOM_RESERVE,  /* from here on only for a backward pass: cuDNN's reserve space */
  ROOM_DINPUT,   /* gradients of ROOM_INPUT */
  ROOM_DWEIGHTS, /* gradients of ROOM_WEIGHTS */
  N_ROOMS
} LayerRoom;

typedef struct
{
  HybDevice        *device;
  HybQueue         *queue;
  HybRecurrentPlan *plan;
  char             *room[N_ROOMS];
  gsize             bytes[N_ROOMS];
} Layer;

/* A layer of `units` units for `steps` steps of `batch` sequences of `inputs` numbers. */
typedef struct
{
  int      steps, batch, inputs, units;
  gboolean training;  /* has what a backward pass needs */
  gboolean is_gru;    /* else an LSTM */
  int      algorithm; /* of cuDNN; 0, the standard one, is the module's */
  gboolean is_fast;   /* may use TF32, else the module's precise math */
} LayerSizes;

/* Allocates and fills a layer, whose sequences all have its steps.  FALSE and an error if a call fails; layer_end() is
 * needed in either case. */
gboolean layer_start (Layer *layer, HybDevice *device, const LayerSizes *sizes, GError **error);
void     layer_end (Layer *layer);

/* Sequence n has lengths[n] steps, the longest of which must be that of the layer.  FALSE and an error if a call fails. */
gboolean layer_set_lengths (Layer *layer, const int *lengths, GError **error);

/* Each hands one piece of work to the queue, which keeps errors of copies until it is waited for.  The status of
 * cuDNN's calls is returned and kept nowhere. */

/* Sends bytes of ROOM_SENT to another room. */
void layer_send (Layer *layer, LayerRoom to, gsize bytes);
/* Brings bytes of a room to ROOM_BROUGHT. */
void layer_bring (Layer *layer, LayerRoom from, gsize bytes);
void layer_clear (Layer *layer, LayerRoom room);
/* The forward pass.  has_lengths: devSeqLengths is ROOM_LENGTHS, else NULL.  has_states: h and c are wanted, too. */
cudnnStatus_t layer_forward (Layer *layer, gboolean has_lengths, gboolean has_states);
/* The gradients of the input, with y as the gradient of y. */
cudnnStatus_t layer_backward_data (Layer *layer);
/* The gradients of the weights. */
cudnnStatus_t layer_backward_weights (Layer *layer, cudnnWgradMode_t mode);
/* Waits for all work.  FALSE and an error if something failed. */
gboolean layer_wait (Layer *layer, GError **error);
