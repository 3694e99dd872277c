/* binary-family.h — forward and gradient of operators on two tensors, for elementwise-binary.c (equal
 * shapes) and broadcast.c (shapes that are broadcast).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/kernels/binary.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

/* For HybOp.forward: output 0 = function (input 0, input 1), both broadcast to its shape. */
void hyb_binary_forward (const HybCall *call, const HybRun *run, HybBinary function);

/* For HybOp.gradient: the gradients of both operands.  With broadcasts, operands may be smaller than
 * the result, and each gradient is summed over the axes along which its operand was repeated. */
void hyb_binary_gradient (HybGrad *grad, HybBinary function, gboolean broadcasts);

/* The same with broadcasts, for operators whose operands may differ in element type. */
void hyb_binary_gradient_mixed (HybGrad *grad, HybBinary function);
