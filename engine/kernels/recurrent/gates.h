/* gates.h — from the sums of the gates of LSTM and GRU cells to their new state, in one pass over a row of floats.
 *
 * Operations and their order are those of the single functions: the results are the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* n elements of an LSTM's state.  Gate number k (i, f, g, o) is a function of sums[k n …] + bias[k n …]. */
typedef struct
{
  gint64       n;
  const float *sums;
  const float *bias;     /* may be NULL */
  const float *before;   /* the cell before; may be `cell` */
  float       *cell, *h; /* the new cell and state */
  float       *kept;     /* receives the gates, like sums, which it may be; NULL: not kept */
} HybLstmGates;

/* The same of a GRU's: r, z and n. */
typedef struct
{
  gint64       n;
  const float *sums;           /* W_i x, three gates */
  const float *bias;           /* added to them; may be NULL */
  const float *recurrent;      /* W_h h', three gates */
  const float *candidate_bias; /* added to the third of them */
  const float *before;         /* the state before */
  float       *h;              /* the new state */
  float       *kept;           /* receives the gates, like sums, which it may be; NULL: not kept */
  float       *candidate;      /* receives what r multiplies; NULL: not kept */
} HybGruGates;

/* Whether one pass is faster than one for each function: with AVX-512 where a row ends in a part of a vector.  Whole
 * layers, AMD Zen 5: 26 units 0.80 of the time, 50 units 0.95; 16 to 96 units in whole vectors 1.03 to 1.10. */
gboolean hyb_lstm_gates_suit (gint64 n);
/* The same: with AVX-512 (32 units 0.75 of the time, 96 units 0.95), and with AVX2 for short rows (32 units 0.89, 96
 * units 1.00), since it has fewer registers. */
gboolean hyb_gru_gates_suit (gint64 n);
/* i, f, o = sigmoid, g = tanh of their sums; c = f c' + i g; h = o tanh (c). */
void hyb_lstm_gates (const HybLstmGates *gates);
/* r, z = sigmoid of their sums; n = tanh (W_in x + b_in + r (W_hn h' + b_hn)); h = (1 - z) n + z h'. */
void hyb_gru_gates (const HybGruGates *gates);
