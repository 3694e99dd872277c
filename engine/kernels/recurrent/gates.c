/* gates.c — from the sums of the gates of LSTM and GRU cells to their new state; see gates.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/gates.h"

#define SIMD_KERNEL "engine/kernels/recurrent/gates-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Elements up to which AVX2 computes a row of a GRU in one pass. */
#define SHORT_ROW 64

gboolean
hyb_lstm_gates_suit (gint64 n)
{
  return hyb_simd_level () == HYB_SIMD_AVX512 && n % HYB_LINE_FLOATS != 0;
}

gboolean
hyb_gru_gates_suit (gint64 n)
{
  return hyb_simd_level () == HYB_SIMD_AVX512 ||
         (hyb_simd_level () == HYB_SIMD_AVX2 && n <= SHORT_ROW);
}

void
hyb_lstm_gates (const HybLstmGates *gates)
{
  HYB_SIMD_CHOOSE (lstm) (gates);
}

void
hyb_gru_gates (const HybGruGates *gates)
{
  HYB_SIMD_CHOOSE (gru) (gates);
}
