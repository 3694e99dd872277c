/* rnn-private.h — arrays of recurrent layers: the weight space, the reserve space, device memory as doubles.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/rnn-pass.h"

/* What is kept of a pseudo-layer: for each step and sequence gates after their functions with the
 * recurrent part of the GRU's new gate behind them, the cell, the state before and after the projection,
 * and gradients of the gates before their functions and of the projected state. */
typedef struct
{
  double *gates, *cell, *raw, *state, *dgates, *dstate;
} RnnKept;

/* A pseudo-layer. */
typedef struct
{
  const RnnNet *net;
  const double *w; /* all weights */
  int           pl;
  RnnKept       kept;
} RnnLayer;

/* Elements of x, y, h and c. */
typedef struct
{
  gsize x, y, h, c;
} RnnSizes;

RnnSizes rnn_sizes (const RnnNet *net);
/* The columns of the input of a pseudo-layer. */
int rnn_input_size (const RnnNet *net, int pseudo_layer);
/* A matrix of a pseudo-layer. */
const double *rnn_matrix (const RnnLayer *layer, int part);
/* Its step number s, in its direction. */
int rnn_step (const RnnNet *net, int pseudo_layer, int s, int length);
/* n elements as doubles; NULL and an error if they cannot be read.  At 0 they are zeros. */
double *rnn_read (const RnnNet *net, guint64 at, gsize n, gboolean rounds, GError **error);
/* Nothing at 0. */
gboolean rnn_write (const RnnNet *net, guint64 at, gsize n, const double *values, GError **error);
RnnKept  rnn_kept (const RnnNet *net, double *reserve, int pseudo_layer);
/* The reserve space of the device, or (forward for inference) one of its own: *owned.  mark: which it must
 * bear, 0 for any. */
double *rnn_reserve (const RnnPass *pass, double **owned, double mark, GError **error);
/* The input of the next layer: states of all directions side by side; zeros after the ends. */
double *rnn_join_directions (const RnnPass *pass, double *reserve, int layer);
