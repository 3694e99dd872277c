/* by-operands.h — the gradient of an operator that one other operator computes whole.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"

/* A HybOp.gradient: adds one node of the operator whose gradient_of names this one, with the values that its operands name
 * (other words than “last”), and sets the gradients that they name.  It gets the attributes of the node if both have the
 * same table. */
void hyb_gradient_by_operands (HybGrad *grad);
