/* gate-gradients.c — gradients of the gates of LSTM and GRU cells that are written out in pointwise operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/gate-gradients.h"

#define SIMD_KERNEL "engine/kernels/recurrent/gate-gradients-kernel.h"
#include "engine/kernels/simd/each-simd.h"

void
hyb_lstm_gradient (const HybLstmGradient *gradient)
{
  HYB_SIMD_CHOOSE (lstm) (gradient);
}

void
hyb_gru_gradient (const HybGruGradient *gradient)
{
  HYB_SIMD_CHOOSE (gru) (gradient);
}
