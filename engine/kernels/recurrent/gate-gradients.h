/* gate-gradients.h — gradients of the gates of LSTM and GRU cells that are written out in pointwise operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* n elements of an LSTM's state; none of the arrays overlap. */
typedef struct
{
  gint64       n;
  const float *output; /* gradient of the output */
  const float *cell;   /* gradient of the new cell; NULL: none arrives */
  const float *i, *f, *g, *o,
      *t;              /* input gate, forget gate, candidate, output gate, tanh of the new cell */
  const float *before; /* the cell before */
  float *to_i, *to_f, *to_g, *to_o; /* gradients of the sums that the gates are functions of */
  float *to_before;
} HybLstmGradient;

/* The same of a GRU's. */
typedef struct
{
  gint64       n;
  const float *output;            /* gradient of the new state */
  const float *r, *z, *c;         /* reset gate, update gate, candidate */
  const float *y;                 /* what the reset gate is multiplied by */
  const float *before;            /* the state before */
  float       *to_r[2], *to_z[2]; /* gradients of the parts of both products, which are the same */
  float       *to_c, *to_y;
  float       *to_before;
} HybGruGradient;

/* Computes the gradient of an LSTM.  Operations and their order are those of the single operators: the results are the same
 * bytes. */
void hyb_lstm_gradient (const HybLstmGradient *gradient);
/* The same for a GRU. */
void hyb_gru_gradient (const HybGruGradient *gradient);
