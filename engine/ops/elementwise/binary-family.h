/* binary-family.h — what element-wise and broadcasting operators of two tensors share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/kernels/binary.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

/* forward: output 0 is function (input 0, input 1), each broadcast to it. */
void hyb_binary_forward (const HybCall *call, const HybRun *run, HybBinary function);

/* Both gradients of function.  broadcasts: operands may be smaller than the result, and
 * what flows back is summed over the axes along which they were repeated. */
void hyb_binary_gradient (HybGrad *grad, HybBinary function, gboolean broadcasts);
