/* write-step.h — writes one step of a recurrent cell as Gluon's unrolled cells do.
 *
 * Nodes and their names match MXNet's gluon.rnn cells, so that other tools recognise them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/rebuild.h"

/* A cell and the new values of its weights.  Nodes are called prefix, "t", step, "_", role. */
typedef struct
{
  HybCellKind kind;
  gint64      hidden;                                     /* size of h */
  const char *prefix;                                     /* "lstm0_" */
  HybValueId  i2h_weight, h2h_weight, i2h_bias, h2h_bias; /* biases HYB_NO_ID: none */
  HybValueId  h2r_weight;                                 /* of an LSTM with projection */
  gint64      projection;                                 /* size of h there */
  gboolean    clips;                                      /* limits the LSTM's cell state */
  double      clip_min, clip_max;
} HybUnrolledCell;

typedef struct
{
  HybValueId h, c; /* c only for LSTMs */
} HybCellStates;

/* Adds the nodes of one step with input x.  states holds the old states and gets the new ones. */
void hyb_write_step (HybRebuild            *rebuild,
                     const HybUnrolledCell *cell,
                     guint                  step,
                     HybValueId             x,
                     HybCellStates         *states);
