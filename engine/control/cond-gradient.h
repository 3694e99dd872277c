/* cond-gradient.h — the gradient of _cond, for the tables of cond.c.  cond-gradient.c implements it
 * together with the operator _backward_cond.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* HybOp.gradient of _cond and its recording form: emits _backward_cond. */
void hyb_cond_differentiate (HybGrad *grad);
