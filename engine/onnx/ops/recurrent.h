/* recurrent.h — shared parts of both ways to compute LSTM, GRU and RNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* The differences between the three operators. */
typedef struct
{
  const char  *mode; /* of the engine's RNN; NULL: by activation */
  guint        n_gates;
  const gint64 gates[4]; /* the gate of ONNX for each gate of the engine */
  gboolean     has_cell;
  gboolean     has_reset;      /* a GRU */
  guint        n_functions;    /* activations of a direction */
  const char  *activations[3]; /* the defaults */
} OnnxRecurrentKind;

/* Sizes of one node. */
typedef struct
{
  const OnnxRecurrentKind *kind;
  gint64                   time, batch, input, hidden;
  gint64                   directions;
  gboolean                 is_reverse;
  gboolean                 has_batch_first;
  gboolean                 is_quantised; /* DynamicQuantizeLSTM */
  const char              *mode;
} OnnxRecurrentSizes;

enum
{
  ONNX_RECURRENT_X,
  ONNX_RECURRENT_W,
  ONNX_RECURRENT_R,
  ONNX_RECURRENT_B,
  ONNX_RECURRENT_LENGTHS,
  ONNX_RECURRENT_H,
  ONNX_RECURRENT_C,
  ONNX_RECURRENT_P,
  ONNX_RECURRENT_W_SCALE, /* with is_quantised, as are the next ones */
  ONNX_RECURRENT_W_ZERO,
  ONNX_RECURRENT_R_SCALE,
  ONNX_RECURRENT_R_ZERO,
};

/* One of a node's activation functions, with its numbers. */
typedef struct
{
  const char *name;
  const char *cell; /* the name that _rnn_form has for it */
  double      alpha, beta;
} OnnxRecurrentFunction;

#define ONNX_RECURRENT_MAX_FUNCTIONS 6 /* of both directions */

/* The functions of all directions.  Lists of numbers go on from function to function.  FALSE after a failure. */
gboolean onnx_recurrent_read_functions (HybLowering              *lowering,
                                        const OnnxRecurrentSizes *sizes,
                                        OnnxRecurrentFunction    *functions);
/* The result of a function for x. */
HybValueId
onnx_recurrent_apply (HybLowering *lowering, const OnnxRecurrentFunction *function, HybValueId x);
/* An initial state [directions, batch, hidden], zero if it is left out. */
HybValueId
onnx_recurrent_state (HybLowering *lowering, const OnnxRecurrentSizes *sizes, guint input);
/* The steps of each sequence [time, batch, …] in reverse order. */
HybValueId onnx_recurrent_reverse (HybLowering *lowering, HybValueId x);
/* A final state [directions, batch, hidden]: zero for a sequence without steps, as in ONNX Runtime. */
HybValueId onnx_recurrent_final (HybLowering *lowering, HybValueId state);
/* Computes the node step by step, in any form that ONNX has, and sets its outputs. */
void onnx_recurrent_steps (HybLowering *lowering, const OnnxRecurrentSizes *sizes);
