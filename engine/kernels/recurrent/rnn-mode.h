/* rnn-mode.h — the kinds of cells of the fused RNN operator.
 *
 * The one definition for kernels, the operator, weight files and conversions.  Values are the
 * codes of the operator's attribute "mode" and must stay in MXNet's order.  Kinds that only
 * unrolled graphs can have are in engine/variants/cells.h (HybCellKind).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

typedef enum
{
  HYB_RNN_RELU,
  HYB_RNN_TANH,
  HYB_RNN_LSTM, /* gates i, f, g, o */
  HYB_RNN_GRU,  /* gates r, z, n */
  HYB_RNN_N_MODES,
} HybRnnMode;
