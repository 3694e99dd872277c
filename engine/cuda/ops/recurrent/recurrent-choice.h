/* recurrent-choice.h — which of cuDNN's algorithms computes a recurrent layer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/ops/recurrent/recurrent-space.h"

/* The algorithm that was measured to be the fastest for just this layer, by the lines of gpu-check in the file that
 * HYB_GPU_RNN_TIMES names: those whose interval lies below that of the standard algorithm.  The standard one where nothing was
 * measured. */
int hyb_recurrent_choose (const HybDevice *device, const HybRecurrentNet *net, gboolean training);
