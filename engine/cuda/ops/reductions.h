/* reductions.h — the axes of reductions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/ops/axes.h"
#include "engine/cuda/ops/reduce.h"
#include "engine/op/op.h"

/* Sets the walks of a reduction of input 0 over these axes.  Returns the number of terms of an output. */
gint64 hyb_cuda_lay_reduction (const HybCall *call, HybDeviceReduction *reduction);
/* For HybPointwise.lay of gradients of reductions: the data come last but one and have the shape of the output,
 * all other inputs that of the result. */
void hyb_cuda_lay_reduced (const HybCall *call, HybAxes *axes);
