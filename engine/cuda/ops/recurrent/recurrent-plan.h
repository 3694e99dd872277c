/* recurrent-plan.h — the descriptors of a call's recurrent layers for cuDNN, made before the
 * launch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/ops/recurrent/recurrent-space.h"

/* Where the operands are; G_MAXUINT for none. */
typedef struct
{
  guint cell, lengths, n_inputs;
  guint state_out, cell_out, n_visible;
} HybRecurrentOperands;

typedef struct
{
  HybDevice               *device;
  HybRecurrentNet          net;
  cudnnRNNDescriptor_t     rnn;
  cudnnDropoutDescriptor_t dropout;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t  h, c;
  gboolean                 training;
  gsize                    work_bytes, reserve_bytes;
  HybRecurrentSpace        space;
  gsize                    weights_at;   /* in the workspace: copies of weights */
  gsize                    gradients_at; /* in the workspace: gradients of them */
  gsize    data_at; /* in the workspace: room for a gradient of the data that is not requested */
  gpointer sent;    /* pinned: lengths as they come from the device; NULL without */
  int     *lengths;
} HybRecurrentPlan;

/* The positions that the attributes imply. */
HybRecurrentOperands hyb_recurrent_find_operands (const HybCall *call);
/* HybDeviceOp.refuses */
const char *hyb_recurrent_refuses (const HybCall *call);
/* Makes the descriptors of a network and gets sizes, with the standard algorithm if cuDNN refuses the one that was chosen.
 * training: with a reserve space.  NULL and an error if a call of cuDNN fails. */
HybRecurrentPlan *hyb_recurrent_plan_new (HybDevice             *device,
                                          const HybRecurrentNet *net,
                                          gboolean               training,
                                          GError               **error);
/* The same for a call, with room for its lengths. */
HybRecurrentPlan *
hyb_recurrent_prepare (HybDevice *device, const HybCall *call, gboolean training, GError **error);
/* HybDeviceOp.release */
void hyb_recurrent_release (gpointer prepared);
/* Tells cuDNN the lengths, the longest of which is this. */
cudnnStatus_t hyb_recurrent_set_sequences (HybRecurrentPlan *this, int longest);
/* Bytes of the input that gives the lengths. */
gsize hyb_recurrent_lengths_bytes (const HybCall *call, guint input);
