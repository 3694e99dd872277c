/* reshape-family.h — shared parts of operators that give the elements of their input another shape.
 *
 * The output is a view of the input; the gradient gets the shape of the input again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

static inline void
reshape_copy (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

/* The output is the input's memory, so nothing is copied. */
static inline void
reshape_cost (const HybCall *call, HybCost *cost)
{
  *cost = (HybCost){ 0 };
}

static inline void
reshape_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit (grad, "reshape_like", hyb_grad_incoming (grad, 0),
                                     hyb_grad_input (grad, 0), HYB_NO_ID));
}
