/* op-gradient.h — the operator that computes the gradient of another.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The operator whose gradient_of names this one; NULL if there is none, one of them if there are several. */
const HybOp *hyb_op_find_gradient (const HybOp *op);
