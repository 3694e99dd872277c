/* recurrent-space.h — the places of the weights of recurrent layers in cuDNN.
 *
 * MXNet's flat vector has for each layer and direction the matrices of the input, of the state, and the
 * projection, and after all matrices the biases in the same order.  cuDNN 9.19 and 9.28 have the same
 * order without gaps, so the vector is passed on as it is; where a later one differs, it is copied.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/dnn.h"

/* The network of a call, in the letters of cuDNN: L layers in D directions, G gates, T steps of N
 * sequences, I inputs, H units, P elements of the state. */
typedef struct
{
  HybDType       dtype;
  cudnnRNNMode_t cell;
  int            L, D, G, T, N, I, H, P;
  double         low, high; /* the limits of an LSTM's cell; NaN without */
  int            algorithm; /* cuDNN's number; 0: the standard one */
} HybRecurrentNet;

/* A part that lies elsewhere in cuDNN's space, in bytes. */
typedef struct
{
  gsize flat, there, bytes;
} HybSpacePiece;

/* cuDNN's space. */
typedef struct
{
  gsize   bytes;
  GArray *pieces; /* of HybSpacePiece; NULL: the flat vector is that space */
} HybRecurrentSpace;

/* Gets the space of cuDNN and every part of it.  The pieces are (transfer full).  FALSE and an error
 * if cuDNN fails. */
gboolean hyb_recurrent_space_find (HybDevice             *device,
                                   const HybRecurrentNet *net,
                                   cudnnRNNDescriptor_t   rnn,
                                   HybRecurrentSpace     *space,
                                   GError               **error);
