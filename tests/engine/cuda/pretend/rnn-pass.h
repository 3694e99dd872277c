/* rnn-pass.h — the passes of recurrent layers, as the calls of cuDNN describe them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The network.  Sizes as in the reference of cuDNN's weight space: L layers in D directions, G gates. */
typedef struct
{
  int      cell; /* CUDNN_LSTM … */
  int      type; /* of cudaDataType */
  int      L, D, G, I, H, P;
  int      T, N;
  gboolean clips;
  double   low, high;
  gboolean coarse; /* products of float32 are rounded to TF32 */
  int      algorithm;
} RnnNet;

/* Where one matrix, or its bias, begins in the weight space, in elements. */
gsize rnn_weight_offset (const RnnNet *net, int pseudo_layer, int part, gboolean bias);
/* Rows and columns of a matrix. */
void rnn_matrix_size (const RnnNet *net, int pseudo_layer, int part, int *rows, int *columns);
/* Elements of the weight space. */
gsize rnn_n_weights (const RnnNet *net);
/* Bytes of the reserve space. */
gsize rnn_reserve_bytes (const RnnNet *net);

/* One pass in device memory; addresses are 0 where cuDNN takes NULL. */
typedef struct
{
  RnnNet   net;
  guint64  x, y, hx, hy, cx, cy, weights, reserve, work;
  guint64  dy, dx, dhx, dhy, dcx, dcy, dw;
  guint64  device_lengths;
  gboolean sets; /* gradients of weights, instead of adding to them */
  gsize    weight_bytes, work_bytes;
  int      lengths[]; /* N */
} RnnPass;

/* The work of a stream: forward pass, gradients of data and states, gradients of weights.  The second
 * changes the reserve space, which the third needs so. */
gboolean rnn_forward (gpointer pass, GError **error);
gboolean rnn_backward_data (gpointer pass, GError **error);
gboolean rnn_backward_weights (gpointer pass, GError **error);
